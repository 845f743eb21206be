"""Reads the sidecar of file times: what each page's file was like when its scope was built.

Prompt path. The sidecar lies beside the artefact and not in it, because times differ from checkout to
checkout. Line one is JSON, then comes one row of fixed width per page, in the artefact's
order (``docs/format.md``). A clone can hold such a file, but cannot know the ctimes of this machine.
"""

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os

from abcd_index.artefact.format import ROW, TIMES_SUFFIX
from abcd_index.artefact.reader import CAREFUL, parse


class Times:
    """``folder``: mtime_ns of the store folder before it was listed, 0 when not known."""

    __slots__ = ("folder", "_fd", "_start")

    def __init__(self, folder, fd, start):
        self.folder = folder
        self._fd = fd
        self._start = start

    @classmethod
    def open(cls, index, key):
        """The times that were taken for ``key``, or None when there are none to be had."""
        try:
            fd = _os.open(index + "/" + key + TIMES_SUFFIX, _os.O_RDONLY | CAREFUL)
        except (OSError, ValueError):
            return None
        try:
            head = _os.read(fd, 512)
            end = head.index(b"\n")
            folder = parse(head[:end].decode("ascii"))["folder"]
            if type(folder) is int:
                return cls(folder, fd, end + 1)
        except (OSError, ValueError, KeyError, TypeError):
            pass
        _os.close(fd)
        return None

    def row(self, page):
        """(mtime_ns, size, sha256 in hex of the file with LF line ends) of a page, or None.

        An mtime of 0 says that the file was written while the build ran: only its content tells.
        """
        try:
            _os.lseek(self._fd, self._start + page * ROW, 0)
            row = _os.read(self._fd, ROW)
            return int(row[:16], 16), int(row[32:40], 16), row[40:104].decode("ascii")
        except (OSError, ValueError):
            return None

    def close(self):
        """Close the file."""
        if self._fd is not None:
            _os.close(self._fd)
            self._fd = None
