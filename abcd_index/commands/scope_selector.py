"""Which scopes a command is asked to work on. The hook passes over a scope that is refused; a command names it,
works on the others, and its exit status is 2."""

import os
from typing import Callable, List, Optional, Tuple

from abcd_index.commands.console import FAILED, OK, Out
from abcd_index.errors import AbcdError
from abcd_index.scopes import USER, WORKSPACE, Places, Scope, resolve, user_scope, workspace_scope

ALL = "all"
FINDERS = {WORKSPACE: workspace_scope, USER: user_scope}
START_USER = "run `abcd-index init --scope user` to start one"


class NothingHere(AbcdError):
    """No store where the command looked: exit status 1."""

    status = 1
    hint = "run `abcd-index init` in your project to start one"


def here(root=None):
    """The absolute folder that a command starts from: ``root`` or the working directory.

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


class Picked(list):
    """The scopes that can be worked on, narrow to wide. ``refused``: [(name, error)] of those that were asked for and
    cannot; ``code``: the least exit status then."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: List[Tuple[str, AbcdError]] = []

    @property
    def code(self) -> int:
        """FAILED when a scope was refused, else OK."""
        return FAILED if self.refused else OK

    def sentences(self) -> List[str]:
        """What is wrong with those that were refused."""
        return [f"{name}: {error}" for name, error in self.refused]


def pick(root=None, which=ALL, places=None, out=None):
    """The scopes to work on, as Picked. ``which``: workspace, user or all. ``out``: takes the sentences on scopes that
    are refused, while there are others to work on.

    Raises what refuses the one scope there is, Forbidden or Outside for example; NothingHere when there is no store.
    """
    places = places or Places()
    cwd = here(root)
    names = FINDERS if which == ALL else (which,)
    picked = gather([(name, lambda find=FINDERS[name]: find(cwd, places)) for name in names], out)
    if not picked:
        raise NothingHere(_nothing(cwd, which, places), START_USER if which == USER else "")
    return picked


def gather(finders: List[Tuple[str, Callable[[], Optional[Scope]]]], out: Optional[Out] = None) -> Picked:
    """The scopes that functions find (None: nothing there). Raises the error of the first that is refused when it
    leaves nothing to work on; else ``out`` takes a sentence on each."""
    picked = Picked()
    for name, find in finders:
        try:
            scope = find()
        except AbcdError as error:
            picked.refused.append((name, error))
        except OSError as error:  # Links that lead in a circle, a folder that may not be entered.
            picked.refused.append((name, AbcdError(f"it cannot be looked at: {error}")))
        else:
            picked += [] if scope is None else [scope]
    if picked.refused and not picked:
        raise picked.refused[0][1]
    for name, error in picked.refused:
        if out:
            out.complain(error, error.hint, name)
    return picked


def _nothing(cwd, which, places):
    user = f"no user store at {places.user}/memory" if places.user else "no home folder for a user store"
    if which == USER:
        return user
    workspace = f"no .abcd/memory in {cwd} or above it"
    return workspace if which == WORKSPACE else f"{workspace}, and {user}"
