"""Whether a page is still what its scope's artefact says, and the rebuild when it is not.

Prompt path, loaded only when something matched. Nothing is scanned: the store folder's time and those of the pages
that are to be shown are compared with the build's.
"""

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os

from abcd_index.artefact.times import Times
from abcd_index.errors import Forbidden

SAME, CHANGED, GONE = "", "changed", "gone"
# A page larger than this is not read at a prompt to compare its content.
LARGEST = 1 << 23
LINK, PLAIN = 0o120000, 0o100000


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
        found = look(self.scope.store, file)
        if found is None:
            self.stale = True
            return GONE
        path, stat = found
        row = self.times.row(page) if self.times is not None else None
        if row is not None and row[0] and row[0] == stat.st_mtime_ns and row[1] == min(stat.st_size, 0xFFFFFFFF):
            return SAME
        # A checkout moves a file's time and leaves its content: only the content tells.
        data = _read(path)
        if data is None:
            self.stale = True
            return GONE
        if self._same(page, row, data):
            return SAME
        self.stale = True
        return CHANGED

    def close(self):
        """Close the sidecar."""
        if self.times is not None:
            self.times.close()

    def _same(self, page, row, data):
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if row is not None and row[2].strip("0"):
            return _sha256(data) == row[2]
        # No times came with this artefact (it was checked out, or copied): its text must be in the file.
        body = self.artefact.body(page)
        return body.encode("utf-8", "surrogatepass") in data


def look(store, file):
    """(path, stat) of a page's file in the folder ``store``, or None when it is gone or leads out of the store."""
    if "/" in file or "\0" in file or file in ("", ".", ".."):
        return None
    for name in _spellings(file):
        path = store + "/" + name
        try:
            stat = _os.lstat(path)
            kind = stat.st_mode & 0o170000
            if kind == LINK:
                path = _within(store, path)
                stat = _os.stat(path)
                kind = stat.st_mode & 0o170000
            return (path, stat) if kind == PLAIN else None
        except (OSError, ValueError):
            continue
        except Forbidden:
            return None
    return None


def _within(store, path):
    from abcd_index.scopes import Places, resolve

    real = resolve(path, Places().forbidden)
    if not real.startswith(store + "/"):
        raise ValueError("the link leads out of the store")
    return real


def _spellings(file):
    """The names that a file of this name (NFC) may have on disk."""
    yield file
    if not file.isascii():
        from unicodedata import normalize

        yield normalize("NFD", file)


def _read(path):
    try:
        fd = _os.open(path, _os.O_RDONLY | getattr(_os, "O_NONBLOCK", 0) | getattr(_os, "O_CLOEXEC", 0))
    except (OSError, ValueError):
        return None
    try:
        data = b""
        while len(data) <= LARGEST:
            chunk = _os.read(fd, 1 << 20)
            if not chunk:
                return data
            data += chunk
        return None
    except OSError:
        return None
    finally:
        _os.close(fd)


def _sha256(data):
    for module in ("_sha2", "_sha256", "hashlib"):
        try:
            return __import__(module).sha256(data).hexdigest()
        except (ImportError, AttributeError):
            continue
    return ""
