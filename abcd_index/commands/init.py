"""``abcd-index init``: an empty store with a catalogue and one example page. Overwrites nothing."""

from __future__ import annotations

import os
from typing import List

from abcd_index import fs
from abcd_index.artefact.names import is_page
from abcd_index.commands.console import OK, Console
from abcd_index.errors import AbcdError
from abcd_index.scopes import USER, WORKSPACE, Places, Scope, guard, user_at, workspace_at, workspace_scope
from abcd_index.selector import here

CATALOGUES = ("index.md", "MEMORY.md")

HEADING = """# Memory

One line per page. `abcd-index catalogue --write` adds the lines that are missing.

"""

EXAMPLE = "guide_memory_pages.md"
EXAMPLE_LINE = f"- `{EXAMPLE}` \u2014 guide | memory | How a page of this store is written\n"
EXAMPLE_PAGE = """---
source: {class: guide}
recall: [memory page, recall keyword, abcd-index]
---
# How a page of this store is written

One page holds one thing that was learned. Its file name is `<type>_<domain>_<slug>.md`, its title the first heading.

The words under `recall` decide when it comes: a prompt that says one of them gets the page. Choose words that people
really type when they need it, rather specific than general; a phrase of two words is better than a common single one.
A page without `recall` never comes by itself; `abcd-index recall WORDS` still finds it.

Say what happened, why, and what to do. Delete this page when you have written your own.
"""


def run(
    root: str | None = None, which: str = WORKSPACE, console: Console | None = None, places: Places | None = None
) -> int:
    """Start a store. ``which``: workspace or user. Returns an exit status.

    Raises AbcdError where a store must not be (the home folder, a temporary root, ``~/.claude``).
    """
    console, places = console or Console(), places or Places()
    scope = _user(places) if which == USER else _workspace(here(root), places)
    try:
        made = _fill(scope)
    except OSError as error:
        raise AbcdError(f"{error.filename or scope.store} cannot be made: {error.strerror or error}") from None
    if not made:
        console.line(f"{scope.shown} is already a store; nothing was changed")
        return OK
    for name in made:
        console.line(f"made {scope.shown}{name}")
    console.note("next: write a page, then run `abcd-index build`; `abcd-index install` lets git do it for you")
    return OK


def _fill(scope: Scope) -> List[str]:
    """Make what the store lacks; its names. Whatever a killed run left undone is done by the next."""
    if scope.name == USER:
        for folder in (scope.home, scope.store):
            fs.make_private(folder)
    fs.make_folder(scope.store)
    fs.remove_leftovers(scope.store)
    names = os.listdir(scope.store)
    pages = [name for name in names if is_page(name)]
    wanted = []
    if not any(name in names for name in CATALOGUES):
        wanted.append(("index.md", HEADING + ("" if pages else EXAMPLE_LINE)))
    if not pages:
        wanted.append((EXAMPLE, EXAMPLE_PAGE))
    return [name for name, text in wanted if fs.create(os.path.join(scope.store, name), text.encode("utf-8"))]


def _user(places: Places) -> Scope:
    """The user scope, whether or not its folder is there."""
    if not places.user:
        raise AbcdError("there is no home folder to keep a user store in", "set HOME or ABCD_HOME")
    return user_at(places)


def _workspace(cwd: str, places: Places) -> Scope:
    """The scope to start: the one that is there, else at the top of the repository, else ``cwd``."""
    scope = workspace_scope(cwd, places)
    if scope is not None:
        return scope
    real = guard(cwd, places)
    root = _repository_top(real) or real
    barred = {guard(path, places) for path in places.temp | {places.home} if path} | {"/"}
    if root in barred:
        raise AbcdError(
            f"{root} is too wide a place for a workspace's store", "run it in a project's folder, or give --scope user"
        )
    return workspace_at(root, places)


def _repository_top(folder: str) -> str:
    """The nearest folder from ``folder`` upwards that holds ``.git``, or ''."""
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        up = os.path.dirname(folder)
        if up == folder:
            return ""
        folder = up
