"""Files that a clone, another process or a crash may have left in any state: opened, written and deleted safely.

A clone decides what lies in its folders: a symbolic link, a FIFO, a device, a folder under the name of a file. So
nothing here follows a link in the last part of a path (``scopes`` has judged the parts before it), nothing opens what
is no regular file, nothing waits, and nothing is deleted but regular files and links. Files appear whole or not at
all: written beside the target, flushed, synced, renamed. The prompt hook, which loads none of this, has the same in
``recall/wire.py``; no other module of the package opens a file for writing (``tests/test_files.py`` reads the source).
"""

import errno
import os
import stat
import sys
import tempfile
import time
from contextlib import contextmanager
from typing import BinaryIO, Iterator, Optional, TextIO

# A planted link or pipe is not followed and not waited for.
CAREFUL = (getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
           | getattr(os, "O_BINARY", 0))
TEMPORARY = ".tmp-"
# Seconds: whoever has not renamed a temporary file after this long is dead.
ABANDONED = 3600.0
# No file of ours may be written by others, whatever the umask is.
NOT_OTHERS = 0o022


class NotPlain(OSError):
    """What is at a path is no regular file: a link, a folder, a FIFO, a device."""


def open_plain(path: str, flags: int = os.O_RDONLY, mode: int = 0o600) -> int:
    """A descriptor of the regular file at ``path``. Raises NotPlain for anything else that is there, or OSError."""
    try:
        fd = os.open(path, flags | CAREFUL, mode)
    except OSError as error:
        # A link (ELOOP; EMLINK on some systems), a FIFO without a reader (ENXIO), a folder (EISDIR).
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR):
            raise NotPlain(error.errno, "not a regular file", path) from None
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise NotPlain(errno.EINVAL, "not a regular file", path)
    return fd


def opened(path: str) -> BinaryIO:
    """The regular file at ``path``, open for reading bytes. Raises as ``open_plain``."""
    return os.fdopen(open_plain(path), "rb")


def read(path: str, most: int = -1) -> bytes:
    """The bytes of the regular file at ``path``, at most ``most`` of them. Raises as ``open_plain``."""
    with opened(path) as file:
        return file.read(most)


def mode_for(folder: str) -> int:
    """The mode of a new file in ``folder``: no more open than the folder, and written by its owner alone."""
    return stat.S_IMODE(os.stat(folder).st_mode) & 0o666 & ~(_umask() | NOT_OTHERS)


@contextmanager
def whole(path: str, mode: Optional[int] = None) -> Iterator[BinaryIO]:
    """A binary file that takes the place of ``path`` when the block ends without an error.

    ``mode``: its permissions; without it those of the regular file that is there, else ``mode_for``. A link at
    ``path`` is replaced, never followed. Raises NotPlain where a folder or a device is, and OSError.
    """
    folder, name = os.path.split(path)
    if mode is None:
        mode = _mode_of(path)
    fd, temporary = tempfile.mkstemp(prefix=TEMPORARY, suffix="-" + name[-60:], dir=folder or ".")
    try:
        with os.fdopen(fd, "w+b") as out:
            yield out
            out.flush()
            _settle(out.fileno(), mode_for(folder or ".") if mode is None else mode)
        os.replace(temporary, path)
    except BaseException:
        remove(temporary)
        raise
    sync_folder(folder or ".")


def replace(path: str, data: bytes, mode: Optional[int] = None) -> None:
    """Put ``data`` at ``path`` in one step. Raises as ``whole``."""
    with whole(path, mode) as out:
        out.write(data)


def create(path: str, data: bytes, mode: Optional[int] = None) -> bool:
    """Put ``data`` at ``path`` in one step where nothing is there yet. Whether it did. Raises OSError."""
    folder, name = os.path.split(path)
    fd, temporary = tempfile.mkstemp(prefix=TEMPORARY, suffix="-" + name[-60:], dir=folder or ".")
    try:
        with os.fdopen(fd, "wb") as out:
            out.write(data)
            out.flush()
            _settle(out.fileno(), mode_for(folder or ".") if mode is None else mode)
        try:
            os.link(temporary, path, follow_symlinks=False)
        except FileExistsError:
            return False
        except OSError:  # A file system without hard links.
            if os.path.lexists(path):
                return False
            os.rename(temporary, path)
        sync_folder(folder or ".")
        return True
    finally:
        remove(temporary)


def adopt(temporary: str, path: str) -> None:
    """Let a finished file of the same file system take the place of ``path``, whole and synced. Raises OSError."""
    fd = open_plain(temporary, os.O_RDWR)
    try:
        _settle(fd, mode_for(os.path.dirname(path) or "."))
    finally:
        os.close(fd)
    os.replace(temporary, path)
    sync_folder(os.path.dirname(path) or ".")


def append(path: str, data: bytes, mode: int = 0o600) -> None:
    """Add ``data`` to the regular file at ``path`` in one write; a new file gets ``mode``. Raises as ``open_plain``."""
    fd = open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, mode & ~NOT_OTHERS)
    try:
        if os.write(fd, data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
    finally:
        os.close(fd)


def make_folder(path: str, mode: int = 0o755) -> None:
    """Make the folder ``path`` and those missing above it, written by their owner alone and private where the folder
    they are in is private. Raises NotPlain where the last part is a link or no folder, and OSError."""
    above = os.path.dirname(path)
    if above and above != path and not os.path.isdir(above):
        make_folder(above, mode)
    if above and not stat.S_IMODE(os.stat(above).st_mode) & 0o077:
        mode = 0o700
    try:
        os.mkdir(path, mode & ~NOT_OTHERS)
    except FileExistsError:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise NotPlain(errno.ENOTDIR, "not a folder", path) from None


def make_private(path: str) -> None:
    """As ``make_folder``, for its owner alone (0700), also where a folder is there already. Raises as it does."""
    make_folder(path, 0o700)
    if stat.S_IMODE(os.lstat(path).st_mode) & 0o077:
        os.chmod(path, 0o700)


def remove(path: str) -> bool:
    """Delete the file or link at ``path``. Whether something was deleted: False where nothing is, or a folder."""
    try:
        os.unlink(path)
        return True
    except OSError:
        return False


def sweep(folder: str, prefix: str = TEMPORARY, age: float = ABANDONED) -> int:
    """Delete the files in ``folder`` whose names begin with ``prefix`` and that nobody has written to for ``age``
    seconds: what killed writers left. Returns how many went; a folder that cannot be listed has none."""
    gone, now = 0, time.time()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    if (entry.name.startswith(prefix) and entry.is_file(follow_symlinks=False)
                            and now - entry.stat(follow_symlinks=False).st_mtime > age):
                        gone += remove(entry.path)
                except OSError:
                    continue
    except OSError:
        return gone
    return gone


def sync_folder(folder: str) -> None:
    """Make the names in ``folder`` outlast a power cut, where the system can do that."""
    try:
        fd = os.open(folder, os.O_RDONLY)
    except OSError:  # pragma: no cover - Windows cannot open a folder
        return
    try:
        os.fsync(fd)
    except OSError:
        pass
    finally:
        os.close(fd)


def fill_standard_streams() -> None:
    """Open the null device where a standard stream was closed: else the next file that is opened is that stream."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False))


def silence(stream: TextIO) -> None:
    """Let what ``stream`` still holds, and all that follows, go nowhere: who reads it is gone, or its disk is full."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


def _mode_of(path: str) -> Optional[int]:
    """The permissions of the regular file at ``path``, without others' leave to write; None where there is none."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    if stat.S_ISREG(found.st_mode):
        return stat.S_IMODE(found.st_mode) & ~NOT_OTHERS
    if stat.S_ISLNK(found.st_mode):
        return None
    raise NotPlain(errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.EINVAL, "not a regular file", path)


def _settle(fd: int, mode: int) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(fd, mode)
    os.fsync(fd)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
