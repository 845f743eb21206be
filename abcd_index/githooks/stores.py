"""Which stores a repository has besides the one at its top: a small list in the common git folder.

The hooks' stub reads it with the shell alone, so it holds one home per line, relative to the top, and
only homes whose name is plain. Made by ``install``; without it the stub looks at ``.abcd`` alone and
leaves at once where there is none. Imports nothing of git: a hook and a build use it.
"""

from __future__ import annotations

import os
from typing import Iterable

from abcd_index import fs
from abcd_index.scopes import repository

FOLDER = "abcd-index"
LIST = "stores"
TOP = ".abcd"


def homes_of(names: Iterable[str]) -> list[str]:
    """The homes of stores below the top that hold the files ``names`` (relative to the top, ``/``)."""
    homes = set()
    for name in names:
        parts = name.split("/")
        for number, part in enumerate(parts):
            rest = parts[number + 1 :]
            if part == TOP and (rest[:1] == ["memory"] and len(rest) == 2 or rest == ["rules.json"]):
                homes.add("/".join(parts[: number + 1]))
    return sorted(home for home in homes if home != TOP and _plain(home))


def listed(common: str) -> list[str] | None:
    """The homes that are noted, or None when there is no list."""
    try:
        return fs.read(os.path.join(common, FOLDER, LIST)).decode("utf-8").splitlines()
    except (OSError, ValueError):
        return None


def note(common: str, homes: Iterable[str]) -> bool:
    """Add ``homes`` to the list. Returns whether it changed."""
    known = listed(common)
    wanted = sorted(set(known or []) | set(homes))
    if wanted == known:
        return False
    path = os.path.join(common, FOLDER, LIST)
    fs.make_folder(os.path.dirname(path))
    fs.replace(path, "".join(home + "\n" for home in wanted).encode("utf-8"))
    return True


def note_built(root: str) -> bool:
    """Let the hooks know the store of a workspace that was built by hand. Nothing happens where no
    hooks were installed, or where the store is the one at the top."""
    try:
        found = repository(os.path.abspath(root))
        if found is None or found[0] == os.path.abspath(root) or listed(found[2]) is None:
            return False
        top, _, common = found
        home = os.path.relpath(os.path.join(root, TOP), top).replace(os.sep, "/")
        return _plain(home) and note(common, [home])
    except (OSError, ValueError):
        return False


def _plain(home: str) -> bool:
    return not home.startswith(("-", ":", '"')) and home.isprintable()
