"""Whether a page, and the rules, are still what their scope's artefact says.

Prompt path, loaded only when something matched. Nothing is scanned: the times of the store folder and of what is to
be shown are compared with the build's. Where they differ, the file itself is read. A file's own time can be set
to anything (``touch -r``, ``cp -p``, ``tar x``); the time of its last change cannot.
"""

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os  # type: ignore[no-redef]  # another module under the same name

from abcd_index.agenthooks.io import moved
from abcd_index.artefact.reader import CAREFUL
from abcd_index.artefact.times import CHANGED, FORMAT_BITS, GONE, PLAIN, SAME, Times, seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import stat_result

    from abcd_index.artefact.reader import Artefact
    from abcd_index.artefact.times import Row
    from abcd_index.scopes import Scope

# Files that shape an artefact and are no pages.
RULES, CONFIG = "rules.json", "config.json"
# ns: a little more than what a build takes for the same moment.
JUST_BEFORE = 50_000_000


class Freshness:
    """Compares a scope's files with their build. ``stale``: something was found that calls for a rebuild."""

    __slots__ = ("scope", "stale", "times")

    def __init__(self, scope: "Scope", artefact: "Artefact") -> None:
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

    def state(self, page: int, file: str) -> str:
        """SAME, CHANGED or GONE: the page number ``page`` whose name is ``file``."""
        row = self.times.row(page) if self.times is not None else None
        if row is not None and "/" not in file and _stands(self.scope.store + "/" + file, row):
            return SAME
        found = page_state(self.scope.store, file, row)
        self.stale = self.stale or found != SAME
        return found

    def beside(self, name: str) -> str:
        """SAME, CHANGED or GONE: ``rules.json`` or ``config.json``."""
        path = self.scope.home + "/" + name
        row = self.times.beside[name] if self.times is not None else None
        if row is None:
            found = CHANGED if self.times is None or _stat(path) is not None else SAME
        elif _stands(path, row):
            found = SAME
        else:
            found = content(path, row) if _stat(path) is not None else GONE
        self.stale = self.stale or found != SAME
        return found

    def close(self) -> None:
        """Close the sidecar."""
        if self.times is not None:
            self.times.close()


def _stands(path: str, row: "Row") -> bool:
    """Whether the plain file at ``path`` has the times and the size that its row says."""
    stat = _stat(path)
    return stat is not None and list(row[:3]) == seen(stat)


def _stat(path: str) -> "stat_result | None":
    """The stat of the plain file at ``path``, None for anything else that is there or not there."""
    try:
        stat = _os.lstat(path)
    except (OSError, ValueError):
        return None
    return stat if stat.st_mode & FORMAT_BITS == PLAIN else None


# A file larger than this is not read at a prompt to compare its content.
LARGEST = 1 << 23
LINK = 0o120000


# A closer look at a file that is not as its build left it: moved, linked, touched, edited, or gone.


def page_state(store: str, file: str, row: "Row | None") -> str:
    """SAME, CHANGED or GONE: a page of the folder ``store``. ``row``: what its build saw (``times``), or None."""
    found = look(store, file)
    if found is None:
        return GONE
    path, stat = found
    if row is not None and list(row[:3]) == seen(stat):
        return SAME
    return content(path, row)


def content(path: str, row: "Row | None") -> str:
    """SAME, CHANGED or GONE by what is in the plain file at ``path``: a checkout moves a file's times and leaves its
    content, and may give it other line ends."""
    data = _read(path)
    if data is None:
        return GONE
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return SAME if row is not None and _sha256(data) == row[3] else CHANGED


def look(store: str, file: str) -> "tuple[str, stat_result] | None":
    """(path, stat) of a page's file in the folder ``store``, or None when it is gone or leads out of the store."""
    if "/" in file or "\0" in file or file in ("", ".", ".."):
        return None
    for name in _spellings(file):
        path = store + "/" + name
        try:
            stat = _os.lstat(path)
            if stat.st_mode & FORMAT_BITS == LINK:
                path = _within(store, path)
                stat = _os.stat(path)
            if stat.st_mode & FORMAT_BITS == PLAIN:
                return path, stat
        except Exception:  # Not there, a link loop, or a link into a folder that is never opened.
            continue
    return None


def _within(store: str, path: str) -> str:
    from abcd_index.scopes import Places, resolve

    real: str = resolve(path, Places().forbidden)
    if not real.startswith(store + "/"):
        raise ValueError("the link leads out of the store")
    return real


def _spellings(file: str) -> "Iterator[str]":
    """The names that a file of this name (NFC) may have on disk."""
    yield file
    if not file.isascii():
        from unicodedata import normalize

        yield normalize("NFD", file)


def _read(path: str) -> "bytes | None":
    fd = -1
    try:
        fd = _os.open(path, _os.O_RDONLY | CAREFUL)
        data = b""
        while len(data) <= LARGEST:
            chunk = _os.read(fd, 1 << 20)
            if not chunk:
                return data
            data += chunk
        return None
    except (OSError, ValueError):
        return None
    finally:
        if fd >= 0:
            _os.close(fd)


def _sha256(data: bytes) -> str:
    """The hash, by whichever module this Python has it in; hashlib loads OpenSSL."""
    for module in ("_sha2", "_sha256", "hashlib"):
        try:
            return str(__import__(module).sha256(data).hexdigest())
        except (ImportError, AttributeError):
            continue
    return ""
