"""Removes what sessions leave behind: one session's memory when its context is emptied, old ones for good."""

import time

from abcd_index.agenthooks.io import LEDGER, ONCE, remove

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os

# Sessions that nobody has written to for so many seconds are removed, a few at a time.
KEPT = 14 * 86400
LOOKED_AT = 64


def forget(session):
    """The session's context was emptied: no ledger, no markers."""
    remove(session.path + LEDGER)
    folder, _, name = session.path.rpartition("/")
    try:
        found = _os.listdir(folder)
    except OSError:
        return
    for other in found:
        if other.startswith(name + ONCE):
            remove(folder + "/" + other)


def prune(session, looks=LOOKED_AT):
    """Remove what old sessions left; looks at ``looks`` files of the folder, never at this session's."""
    folder, _, name = session.path.rpartition("/")
    now = time.time()
    try:
        names = _os.listdir(folder)
    except OSError:
        return
    # Another stretch of the folder each time: its order is the disk's, and the old ones lie anywhere.
    start = int(now * 1000) % len(names) if names else 0
    for other in (names[start:] + names[:start])[:looks]:
        path = folder + "/" + other
        try:
            if not other.startswith(name) and now - _os.lstat(path).st_mtime > KEPT:
                remove(path)
        except OSError:
            continue
