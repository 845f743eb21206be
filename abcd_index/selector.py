"""Which scopes a command or a call of the public API works on. The hook passes over a scope that is refused; here it
is named, and the others are worked on."""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple

from abcd_index import workspaces
from abcd_index.errors import AbcdError
from abcd_index.scopes import (
    USER,
    WORKSPACE,
    Places,
    Scope,
    provenance,
    resolve,
    user_scope,
    workspace_at,
    workspace_scope,
)

ALL = "all"
FOLDER = "folder"
FINDERS: Dict[str, Callable[[str, Places], Scope | None]] = {WORKSPACE: workspace_scope, USER: user_scope}

Finder = Tuple[str, Callable[[], Optional[Scope]]]


class NothingHere(AbcdError):
    """No store where it was looked for: exit status 1."""

    status = 1
    hint = "run `abcd-index init` in your project to start one"


class Refused(NamedTuple):
    """A scope that cannot be worked on, and why."""

    name: str
    error: AbcdError


class Selection(List[Scope]):
    """The scopes that can be worked on, narrow to wide. ``refused``: those that were asked for and cannot.
    ``forgotten``: how many workspaces were found gone, and forgotten."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: List[Refused] = []
        self.forgotten = 0

    def sentences(self) -> List[str]:
        """What is wrong with those that were refused."""
        return [f"{name}: {error}" for name, error in self.refused]


class Wanted(NamedTuple):
    """Which stores a query is about. ``root``: the folder to start from, None for the working directory; ``scope``:
    workspace, user or all; ``folder``: this folder of pages instead; ``everywhere``: every workspace that was ever
    built on this machine, and the user scope."""

    root: str | None = None
    scope: str = ALL
    folder: str | None = None
    everywhere: bool = False


def here(root: str | None = None) -> str:
    """The absolute folder to start from: ``root`` or the working directory.

    Raises AbcdError when it is not a folder (any more).
    """
    try:
        path = os.path.abspath(root) if root else os.getcwd()
    except OSError as error:
        raise AbcdError(f"the working directory cannot be used: {error.strerror or error}") from error
    resolve(path, Places().forbidden)
    if root and not os.path.isdir(path):
        raise AbcdError(f"{root} is not a folder", "give --root a project's folder")
    return path


def select(root: str | None, which: str, places: Places) -> Selection:
    """The scopes to work on. ``which``: workspace, user or all.

    Raises what refuses the one scope there is, Forbidden or Outside for example; NothingHere when there is no store.
    """
    cwd = here(root)
    names = FINDERS if which == ALL else (which,)
    selection = _gather((name, partial(FINDERS[name], cwd, places)) for name in names)
    if not selection:
        raise NothingHere(
            _nothing(cwd, which, places), "run `abcd-index init --scope user` to start one" if which == USER else ""
        )
    return selection


def select_stores(wanted: Wanted, places: Places, writing: bool = True) -> Selection:
    """The scopes that a query is about. ``writing``: whether workspaces that are gone may be forgotten.

    Raises as ``select`` does, and AbcdError when ``wanted.folder`` is no folder.
    """
    if wanted.folder is not None:
        here()
        return _gather([(wanted.folder, partial(folder_scope, wanted.folder, places))])
    if not wanted.everywhere:
        return select(wanted.root, wanted.scope, places)
    there, gone = workspaces.roots(places)
    if gone and writing:
        workspaces.prune(places, gone)
    finders: List[Finder] = [(path, partial(workspace_at, path, places)) for path in there]
    if wanted.scope != WORKSPACE:
        finders.append((USER, partial(user_scope, "", places)))
    selection = _gather(finders)
    selection.forgotten = len(gone) if writing else 0
    if not selection:
        raise NothingHere("no workspace was built on this machine yet", "run `abcd-index build` in one")
    return selection


def folder_scope(folder: str, places: Places) -> Scope:
    """The scope of any folder of pages. Raises Forbidden for one under ``~/.claude``, AbcdError when it is none."""
    at = resolve(os.path.abspath(folder), places.forbidden)
    if not os.path.isdir(at):
        raise AbcdError(f"{folder} is not a folder", "give --memory-dir a folder of markdown pages")
    home, name = os.path.split(at)
    index = os.path.join(home, ".index")
    if name == "memory" and resolve(index, places.forbidden) == index and os.path.isdir(index):
        return Scope(FOLDER, home, home, at, index, at + "/", provenance(index, places))
    return Scope(FOLDER, at, at, at, "", at + "/")


def _gather(finders: Iterable[Finder]) -> Selection:
    """The scopes that functions find (None: nothing there). Raises the error of the first that is refused when it
    leaves nothing to work on."""
    selection = Selection()
    for name, find in finders:
        try:
            scope = find()
        except AbcdError as error:
            selection.refused.append(Refused(name, error))
        except OSError as error:  # Links that lead in a circle, a folder that may not be entered.
            selection.refused.append(Refused(name, AbcdError(f"it cannot be looked at: {error}")))
        else:
            selection += [] if scope is None else [scope]
    if selection.refused and not selection:
        raise selection.refused[0].error
    return selection


def _nothing(cwd: str, which: str, places: Places) -> str:
    user = f"no user store at {places.user}/memory" if places.user else "no home folder for a user store"
    if which == USER:
        return user
    workspace = f"no .abcd/memory in {cwd} or above it"
    return workspace if which == WORKSPACE else f"{workspace}, and {user}"
