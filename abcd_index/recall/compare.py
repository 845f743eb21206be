"""A closer look at a page whose file is not as its build left it: moved, linked, touched, edited, or gone.

Prompt path, loaded only for such a page.
"""

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os

from abcd_index.recall.fresh import CHANGED, FORMAT_BITS, GONE, PLAIN, SAME

# A page larger than this is not read at a prompt to compare its content.
LARGEST = 1 << 23
LINK = 0o120000


def state(store, file, row, artefact, page):
    """SAME, CHANGED or GONE: a page of the folder ``store``. ``row``: its (mtime_ns, size, sha256) or None."""
    found = look(store, file)
    if found is None:
        return GONE
    path, stat = found
    if row is not None and row[0] and row[:2] == (stat.st_mtime_ns, min(stat.st_size, 0xFFFFFFFF)):
        return SAME
    data = _read(path)
    if data is None:
        return GONE
    # A checkout moves a file's time and leaves its content, and may give it other line ends.
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if row is not None and row[2].strip("0 "):
        return SAME if _sha256(data) == row[2].rstrip() else CHANGED
    # No times came with this artefact (it was checked out, or copied): its text must be in the file.
    return SAME if artefact.body(page).encode("utf-8", "surrogatepass") in data else CHANGED


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
        fd = _os.open(path, _os.O_RDONLY | getattr(_os, "O_NONBLOCK", 0) | getattr(_os, "O_CLOEXEC", 0))
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
