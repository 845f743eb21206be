"""The project that an installation is about, what the installation is going to change, and what it found there.

What was there before is kept where git does not look, so that uninstalling can give it back: a JSON file in the work
tree's own git folder (without git: in the index folder). Its ``settings`` maps a settings file, relative to the
project, to what was there before (base64, or null for no file) and the hash of what was written; ``index`` says that
the index folder was made by the installation.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from typing import Any, Callable, Dict, List, NamedTuple, Protocol, Tuple, TypedDict

from abcd_index import fs
from abcd_index.errors import AbcdError, CannotTell
from abcd_index.git import run as git
from abcd_index.scopes import Places, Scope, guard, workspace_scope
from abcd_index.selector import here

NO_WORK_TREE = "not a git work tree"
RECEIPT = "receipt.json"


class Project(NamedTuple):
    """What is installed into: ``root`` (where ``.claude`` goes), ``scope`` (its store, or None) and
    ``place`` (its work tree, or None; ``trouble`` then says why). ``start``: the folder that it was found from."""

    root: str
    scope: Scope | None
    place: git.Worktree | None
    trouble: str
    start: str


def find(root: str | None, places: Places, with_scope: bool = True) -> Project:
    """The Project around a folder; without its scope when that is not wanted.

    Raises AbcdError in the home folder, Forbidden in ``~/.claude``, Outside for a scope that leads out of its root."""
    cwd = guard(here(root), places)
    place, trouble = None, NO_WORK_TREE
    try:
        place = git.find_worktree(cwd)
    except CannotTell as error:
        trouble = f"{error}" + (f" ({error.hint})" if error.hint else "")
    scope = workspace_scope(cwd, places) if with_scope else None
    top = guard(place.top, places) if place else cwd
    if scope is not None and place is not None and not (scope.root + "/").startswith(top + "/"):
        scope = None  # A linked worktree borrows the main checkout's store; its settings are its own.
    base = scope.root if scope else top
    if place is None and scope is None and _in_git_folder(cwd):
        raise AbcdError(
            f"{cwd} is a bare repository or lies in a .git folder: there are no pages to keep current",
            "run it inside a work tree",
        )
    if places.home and base == guard(places.home, places):
        raise AbcdError(
            f"{base} is the home folder: its .claude/ is the agent's own, which abcd-index never opens",
            "run it inside a project",
        )
    return Project(base, scope, place, trouble, cwd)


def _in_git_folder(folder: str) -> bool:
    while True:
        if all(os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs")):
            return True
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return False


class Output(Protocol):
    """What prints a line."""

    def line(self, text: str) -> None:
        """Print it."""


class Step(NamedTuple):
    """One change. ``what`` and ``path`` say it; ``do()`` makes it."""

    what: str
    path: str
    do: Callable[[], object]


class Plan:
    """``steps`` to take, what is ``left`` out (each with the way out), ``notes`` on what stays as it is."""

    def __init__(self) -> None:
        self.steps: List[Step] = []
        self.left: List[Tuple[str, Tuple[str, ...]]] = []
        self.notes: List[str] = []

    def step(self, what: str, path: str, do: Callable[[], object]) -> None:
        """Add a step."""
        self.steps.append(Step(what, path, do))

    def leave(self, what: str, *hints: str) -> None:
        """Add something that will not be done, and how a person can do it, a line each."""
        self.left.append((what, hints))

    def carry_out(self, console: Output, base: str, dry_run: bool) -> None:
        """Print every step, and unless ``dry_run`` take it. A step that fails is left out, by name."""
        for step in self.steps:
            if not dry_run:
                try:
                    step.do()
                except (AbcdError, OSError) as error:
                    self.leave(f"{step.what} {shown(step.path, base)}: {error}", getattr(error, "hint", ""))
                    continue
            console.line(f"{step.what:<8}  {shown(step.path, base)}")
        for note in self.notes:
            console.line(note)

    def report(self, console: Output) -> None:
        """Print what was left out."""
        for what, hints in self.left:
            console.line(f"left out  {what}")
            for line in filter(None, hints):
                console.line(f"          {line}")


def shown(path: str, base: str) -> str:
    """``path`` as people read it: relative to ``base`` when it lies inside."""
    try:
        relative = os.path.relpath(path, base)
    except ValueError:
        return path
    return path if relative.startswith("..") else relative


class Saved(TypedDict):
    """A settings file: what was there ``before``, the hash of what was written, how many folders were made for it."""

    before: str | None
    after: str | None
    folder: int


class Receipt:
    """The receipt of a Project. Unreadable is empty."""

    def __init__(self, project: Project) -> None:
        self.path = _path(project)
        self.root = project.root
        self.data: Dict[str, Any] = {"settings": {}, "index": False}
        try:
            with open(self.path or "", encoding="utf-8") as handle:
                found = json.load(handle)
            self.data["settings"] = {
                name: entry for name, entry in found["settings"].items() if {"before", "after", "folder"} <= set(entry)
            }
            self.data["index"] = found.get("index") is True
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            pass

    def settings(self, path: str) -> Saved | None:
        """The entry of a settings file, or None."""
        entry: Saved | None = self.data["settings"].get(os.path.relpath(path, self.root))
        return entry

    def put_settings(self, path: str, entry: Saved | None) -> None:
        """Write down a settings file's entry; None takes it out."""
        name = os.path.relpath(path, self.root)
        if entry is None:
            self.data["settings"].pop(name, None)
        else:
            self.data["settings"][name] = entry
        self.save()

    def put_index(self, made: bool) -> None:
        """Write down whether the index folder is to go with the installation."""
        self.data["index"] = made
        self.save()

    def save(self) -> None:
        """Write the file; an empty receipt is no file."""
        if self.path is None:
            return
        if not self.data["settings"] and not self.data["index"]:
            fs.remove(self.path)
            return
        fs.make_folder(os.path.dirname(self.path))
        # What was in a settings file may be private.
        fs.replace(self.path, (json.dumps(self.data, indent=1) + "\n").encode("ascii"), 0o600)


def digest(text: str | None) -> str | None:
    """The hash of a text that tells whether it was edited since; None of None."""
    return None if text is None else hashlib.sha256(text.encode("utf-8")).hexdigest()


def packed(text: str | None) -> str | None:
    """A text as the receipt holds it."""
    return None if text is None else base64.b64encode(text.encode("utf-8")).decode("ascii")


def unpacked(text: str | None) -> str | None:
    """The inverse of ``packed``."""
    return None if text is None else base64.b64decode(text).decode("utf-8")


def _path(project: Project) -> str | None:
    if project.place is not None:
        return git.own_path(project.place, f"abcd-index/{RECEIPT}")
    return os.path.join(project.scope.index, RECEIPT) if project.scope is not None else None
