"""A closer look at a file that is not as its build left it: moved, linked, touched, edited, or gone.

Prompt path, loaded only for such a file.
"""

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os

from abcd_index.artefact.reader import CAREFUL
from abcd_index.artefact.times import CHANGED, FORMAT_BITS, GONE, PLAIN, SAME, seen

# A file larger than this is not read at a prompt to compare its content.
LARGEST = 1 << 23
LINK = 0o120000


def state(store, file, row):
    """SAME, CHANGED or GONE: a page of the folder ``store``. ``row``: what its build saw (``times``), or None."""
    found = look(store, file)
    if found is None:
        return GONE
    path, stat = found
    if row is not None and list(row[:3]) == seen(stat):
        return SAME
    return content(path, row)


def content(path, row):
    """SAME, CHANGED or GONE by what is in the plain file at ``path``: a checkout moves a file's times and leaves its
    content, and may give it other line ends."""
    data = _read(path)
    if data is None:
        return GONE
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return SAME if row is not None and _sha256(data) == row[3] else CHANGED


def look(store, file):
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


def _sha256(data):
    """The hash, by whichever module this Python has it in; hashlib loads OpenSSL."""
    for module in ("_sha2", "_sha256", "hashlib"):
        try:
            return __import__(module).sha256(data).hexdigest()
        except (ImportError, AttributeError):
            continue
    return ""
