"""Whether a page is still what its scope's artefact says.

Prompt path, loaded only when something matched. Nothing is scanned: the store folder's time and those of
the pages that are to be shown are compared with the build's. Where times differ, ``compare`` looks closer.
"""

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os

from abcd_index.artefact.times import Times

SAME, CHANGED, GONE = "", "changed", "gone"
FORMAT_BITS, PLAIN = 0o170000, 0o100000


class Watch:
    """Compares a scope's pages with their build. ``stale``: something was found that calls for a rebuild."""

    __slots__ = ("scope", "artefact", "stale", "times")

    def __init__(self, scope, artefact):
        self.scope = scope
        self.artefact = artefact
        self.times = Times.open(scope.index, artefact.header["key"])
        self.stale = False
        # Without times, or with a folder time of 0, only the pages themselves can tell.
        if self.times is not None and self.times.folder:
            try:
                self.stale = _os.stat(scope.store).st_mtime_ns != self.times.folder
            except (OSError, ValueError):
                self.stale = True

    def state(self, page, file):
        """SAME, CHANGED or GONE: the page number ``page`` whose name is ``file``."""
        row = self.times.row(page) if self.times is not None else None
        if row is not None and "/" not in file:
            try:
                stat = _os.lstat(self.scope.store + "/" + file)
                if row[0] == stat.st_mtime_ns and row[1] == min(stat.st_size, 0xFFFFFFFF) \
                        and stat.st_mode & FORMAT_BITS == PLAIN:
                    return SAME
            except (OSError, ValueError):
                pass
        from abcd_index.recall.compare import state

        found = state(self.scope.store, file, row, self.artefact, page)
        self.stale = self.stale or found != SAME
        return found

    def close(self):
        """Close the sidecar."""
        if self.times is not None:
            self.times.close()
