"""Writes how full a session's window is: what the status line says, and that a compaction voided it.

The reading half, ``fill.py``, is on the prompt path; this one is not.
"""

import time

from abcd_index.agenthooks.fill import MAGIC, NONE, read_record
from abcd_index.agenthooks.io import FILL, replace


def note(session, remaining, said):
    """Keep what the status line says. ``remaining``: percent or None; ``said``: its numbers, one word of ASCII."""
    _, _, _, least, stale = read_record(session) or (0, None, NONE, None, NONE)
    if said == stale:
        # The figure of before the compaction, sent once more.
        remaining = None
    elif remaining is not None:
        stale = NONE
    if remaining is not None and (least is None or remaining < least):
        least = remaining
    return _write(session, remaining, said, least, stale)


def reset(session, make=True):
    """The window was emptied: no figure counts until another one comes. ``make``: also when none was known."""
    before = read_record(session)
    if before is None and not make:
        return
    _, remaining, said, _, stale = before or (0, None, NONE, None, NONE)
    _write(session, None, NONE, None, stale if remaining is None else said)


def _write(session, remaining, said, least, stale):
    row = " ".join(["%d" % time.time(), _figure(remaining), said, _figure(least), stale])
    return replace(session, FILL, (MAGIC + " " + session.mark + "\n" + row + "\n").encode("ascii"))


def _figure(figure):
    return NONE if figure is None else "%.4f" % figure
