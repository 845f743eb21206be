"""Words that somebody typed, that a page says, and that brought nothing. ``docs/reference/settings.md``, "misses".

The prompt hook counts them where the user's own ``config.json`` says so, one file a store in the user's folder: lines
of a word and a count, sorted by word. No prompt is in it, no order and no time. This module reads it.
"""

from __future__ import annotations

import os

from abcd_index import fs
from abcd_index.agenthooks.misses import LONGEST, MOST, read
from abcd_index.scopes import Places, Scope, fingerprint
from abcd_index.settings import read_settings

FOLDER = "misses"
_LARGEST = MOST * (4 * LONGEST + 5)


def place(scope: Scope, places: Places) -> str:
    """The path of a scope's file, '' where there is no folder of the user's."""
    user = places.real_user()
    return os.path.join(user, ".index", FOLDER, fingerprint(os.fsencode(scope.store))) if user else ""


def switched_on(places: Places) -> bool:
    """Whether the user's own settings ask for it; what a clone says does not count."""
    try:
        settings, _ = read_settings(fs.read(os.path.join(places.real_user(), "config.json"), 1 << 16))
    except OSError:
        return False
    return settings["misses"]


def misses(scope: Scope, places: Places) -> dict[str, int]:
    """{word: how often it was typed and brought nothing} of a scope."""
    try:
        return read(fs.read(place(scope, places), _LARGEST))
    except OSError:
        return {}
