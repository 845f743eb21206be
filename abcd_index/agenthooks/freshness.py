"""Whether a page, and the rules, are still what their scope's artefact says.

Prompt path, loaded only when something matched. Nothing is scanned: the times of the store folder and of what is to
be shown are compared with the build's. Where they differ, ``compare`` looks closer. A file's own time can be set
to anything (``touch -r``, ``cp -p``, ``tar x``); the time of its last change cannot.
"""

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os

from abcd_index.agenthooks.io import moved
from abcd_index.artefact.times import CHANGED, FORMAT_BITS, GONE, PLAIN, SAME, Times, seen

# Files that shape an artefact and are no pages.
RULES, CONFIG = "rules.json", "config.json"
# ns: a little more than what a build takes for the same moment.
JUST_BEFORE = 50_000_000


class Watch:
    """Compares a scope's files with their build. ``stale``: something was found that calls for a rebuild."""

    __slots__ = ("scope", "stale", "times")

    def __init__(self, scope, artefact):
        self.scope = scope
        times = Times.open(scope.index, artefact.header["key"])
        if times is not None:
            stat = _os.fstat(artefact.fileno())
            if times.artefact != [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns]:
                # A checkout brought this sidecar: it speaks of another file.
                times.close()
                times = None
        self.times = times
        # Without times nothing can be said of any page; a build writes them.
        self.stale = times is None
        if times is None:
            return
        if not times.folder:
            # There was none, or it was written to just before the build, which says so.
            self.stale = moved(scope, artefact, JUST_BEFORE)
        else:
            try:
                stat = _os.stat(scope.store)
                self.stale = (stat.st_mtime_ns, stat.st_ctime_ns) != (times.folder, times.changed)
            except (OSError, ValueError):
                self.stale = True
        self.beside(CONFIG)

    def state(self, page, file):
        """SAME, CHANGED or GONE: the page number ``page`` whose name is ``file``."""
        row = self.times.row(page) if self.times is not None else None
        if row is not None and "/" not in file and _stands(self.scope.store + "/" + file, row):
            return SAME
        from abcd_index.agenthooks.compare import state

        found = state(self.scope.store, file, row)
        self.stale = self.stale or found != SAME
        return found

    def beside(self, name):
        """SAME, CHANGED or GONE: ``rules.json`` or ``config.json``."""
        path = self.scope.home + "/" + name
        row = self.times.beside[name] if self.times is not None else None
        if row is None:
            found = CHANGED if self.times is None or _stat(path) is not None else SAME
        elif _stands(path, row):
            found = SAME
        else:
            from abcd_index.agenthooks.compare import content

            found = content(path, row) if _stat(path) is not None else GONE
        self.stale = self.stale or found != SAME
        return found

    def close(self):
        """Close the sidecar."""
        if self.times is not None:
            self.times.close()


def _stands(path, row):
    """Whether the plain file at ``path`` has the times and the size that its row says."""
    stat = _stat(path)
    return stat is not None and list(row[:3]) == seen(stat)


def _stat(path):
    """The stat of the plain file at ``path``, None for anything else that is there or not there."""
    try:
        stat = _os.lstat(path)
    except (OSError, ValueError):
        return None
    return stat if stat.st_mode & FORMAT_BITS == PLAIN else None
