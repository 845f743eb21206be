"""The project that an installation is about."""

from __future__ import annotations

import os
from typing import NamedTuple

from abcd_index.errors import AbcdError, CannotTell
from abcd_index.git import run as git
from abcd_index.scopes import Places, Scope, guard, workspace_scope
from abcd_index.selector import here

NO_WORK_TREE = "not a git work tree"


class Project(NamedTuple):
    """What is installed into: ``root`` (where ``.claude`` goes), ``scope`` (its store, or None) and
    ``place`` (its work tree, or None; ``trouble`` then says why)."""

    root: str
    scope: Scope | None
    place: git.Worktree | None
    trouble: str


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
    return Project(base, scope, place, trouble)


def _in_git_folder(folder: str) -> bool:
    while True:
        if all(os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs")):
            return True
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return False
