"""Reads the sidecar of file times: what each page's file was like when its scope was built.

Prompt path. The sidecar lies beside the artefact and not in it, because times differ from checkout to
checkout. Line one is JSON, then comes one row of fixed width per page, in the artefact's order.
``docs/format.md`` says what both hold.
"""

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os  # type: ignore[no-redef]  # another module under the same name

from abcd_index.artefact.format import ROW, TIMES_SUFFIX
from abcd_index.artefact.reader import CAREFUL, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import stat_result
    from typing import Any

    Row = tuple[int, int, int, str]

HEAD = 1024
# What a file is beside what its build saw of it.
SAME, CHANGED, GONE = "", "changed", "gone"
FORMAT_BITS, PLAIN = 0o170000, 0o100000
LARGEST = 0xFFFFFFFF


def seen(stat: "stat_result") -> "list[int]":
    """What the sidecar says of a file: [mtime_ns, ctime_ns, size]. Nobody can set the second, the system does."""
    return [stat.st_mtime_ns, stat.st_ctime_ns, min(stat.st_size, LARGEST)]


def head_of(line: bytes) -> "dict[str, Any]":
    """The first line (bytes) as a dict. Raises ValueError, KeyError or TypeError for what is none of this release's."""
    head: dict[str, Any] = parse(line.decode("ascii"))
    if type(head["folder"]) is not int or type(head["changed"]) is not int:
        raise ValueError("the times of the folder are no numbers")
    for row in head["rules"], head["config"]:
        if row is not None and (type(row) is not list or len(row) != 4):
            raise ValueError("what was seen of a file is no row")
    return head


def row_of(row: bytes) -> "Row":
    """(mtime_ns, ctime_ns, size, sha256 in hex) of a row of ROW bytes. Raises ValueError."""
    return int(row[:16], 16), int(row[16:32], 16), int(row[32:40], 16), row[40:104].decode("ascii")


class Times:
    """``folder``, ``changed``: mtime_ns and ctime_ns of the store folder before it was listed, 0 when not known.
    ``beside``: {file name: [mtime_ns, ctime_ns, size, sha256 in hex] or None when it was not there} of ``rules.json``
    and ``config.json``. ``artefact``: [size, mtime_ns, ctime_ns] of the artefact's own file."""

    __slots__ = ("folder", "changed", "beside", "artefact", "_fd", "_start")

    def __init__(self, head: "dict[str, Any]", fd: int, start: int) -> None:
        self.folder = head["folder"]
        self.changed = head["changed"]
        self.artefact = head["artefact"]
        self.beside = {"rules.json": head["rules"], "config.json": head["config"]}
        self._fd = fd
        self._start = start

    @classmethod
    def open(cls, index: str, key: str) -> "Times | None":
        """The times that were taken for ``key``, or None when there are none to be had."""
        try:
            fd = _os.open(index + "/" + key + TIMES_SUFFIX, _os.O_RDONLY | CAREFUL)
        except (OSError, ValueError):
            return None
        try:
            data = _os.read(fd, HEAD)
            end = data.index(b"\n")
            return cls(head_of(data[:end]), fd, end + 1)
        except (OSError, ValueError, KeyError, TypeError):
            _os.close(fd)
            return None

    def row(self, page: int) -> "Row | None":
        """(mtime_ns, ctime_ns, size, sha256 in hex of the file with LF line ends) of a page, or None.

        An mtime of 0 says that the file was written while the build ran: only its content tells.
        """
        try:
            _os.lseek(self._fd, self._start + page * ROW, 0)
            return row_of(_os.read(self._fd, ROW))
        except (OSError, ValueError):
            return None

    def close(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            _os.close(self._fd)
            self._fd = -1
