"""Which stores a repository has besides the one at its top: a small list in the common git folder.

The hooks' stub reads it with the shell alone, so it holds one home per line, relative to the top, and
only homes whose name is plain. Made by ``install``; without it the stub looks at ``.abcd`` alone and
leaves at once where there is none. Imports nothing of git: a hook and a build use it.
"""

import os
import shutil

from abcd_index.artefact.format import CURRENT
from abcd_index.scopes import repository

FOLDER = "abcd-index"
LIST = "stores"
TOP = ".abcd"


def homes_of(names):
    """The homes of stores below the top that hold the files ``names`` (relative to the top, ``/``)."""
    homes = set()
    for name in names:
        parts = name.split("/")
        for number, part in enumerate(parts):
            rest = parts[number + 1:]
            if part == TOP and (rest[:1] == ["memory"] and len(rest) == 2 or rest == ["rules.json"]):
                homes.add("/".join(parts[: number + 1]))
    return sorted(home for home in homes if home != TOP and _plain(home))


def listed(common):
    """The homes that are noted, or None when there is no list."""
    try:
        with open(os.path.join(common, FOLDER, LIST), encoding="utf-8") as handle:
            return handle.read().splitlines()
    except (OSError, ValueError):
        return None


def note(common, homes):
    """Add ``homes`` to the list. Returns whether it changed."""
    known = listed(common)
    wanted = sorted(set(known or []) | set(homes))
    if wanted == known:
        return False
    path = os.path.join(common, FOLDER, LIST)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8", newline="\n") as handle:
        handle.write("".join(home + "\n" for home in wanted))
    os.replace(temporary, path)
    return True


def note_built(root):
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


def borrow(source, target):
    """Give a build in the index folder ``target`` what the last one in ``source`` knows, so that it compiles
    only what differs. Nothing happens where there is nothing to give."""
    try:
        with open(os.path.join(source, CURRENT), encoding="ascii") as handle:
            key = handle.read().strip()
        if not key.isalnum():
            return
        os.makedirs(target, exist_ok=True)
        # The file that names the others comes last: a half copy is then no artefact.
        for name in [*(name for name in os.listdir(source) if name.startswith(key)), CURRENT]:
            shutil.copy2(os.path.join(source, name), os.path.join(target, name))
    except (OSError, ValueError):
        pass


def _plain(home):
    return not home.startswith(("-", ":", '"')) and home.isprintable()
