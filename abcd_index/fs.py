"""Files that a clone, another process or a crash may have left in any state: opened, written and deleted safely.

A clone decides what lies in its folders: a symbolic link, a FIFO, a device, a folder under the name of a file. So
nothing here follows a link in the last part of a path (``scopes`` has judged the parts before it), nothing opens what
is no regular file, nothing waits, and nothing is deleted but regular files and links. Files appear whole or not at
all: written beside the target, flushed, synced, renamed. The prompt hook, which loads none of this, has the same in
``agenthooks/io.py``; no other module of the package opens a file for writing (``tests/test_files.py`` reads the
source).
"""

import errno
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from contextlib import contextmanager
from typing import BinaryIO, Callable, Iterator, Optional, TextIO, Union

# A planted link or pipe is not followed and not waited for.
CAREFUL = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
TEMPORARY = ".tmp-"
# Seconds: whoever has not renamed a temporary file after this long is dead.
ABANDONED = 3600.0
# Another process may sweep what we just made; more than a few times in a row it is something else.
TRIES = 20
# No file of ours may be written by others, whatever the umask is.
NOT_OTHERS = 0o022


class NotPlain(OSError):
    """What is at a path is no regular file: a link, a folder, a FIFO, a device."""


class Changed(OSError):
    """A file is not what it was when it was read."""


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
def whole(path: str, mode: Optional[int] = None, scratch: str = "") -> Iterator[BinaryIO]:
    """A binary file that takes the place of ``path`` when the block ends without an error.

    ``mode``: its permissions; without it those of the regular file that is there, else ``mode_for``. ``scratch``: a
    folder to write it in until then, when it is on the same file system. A link at ``path`` is replaced, never
    followed. Raises NotPlain where a folder or a device is, and OSError.
    """
    if mode is None:
        mode = _mode_of(path)
    with _temporary(path, scratch) as out:
        yield out
        _finish(out, path, mode)
        _rename(out, path)


def replace(path: str, data: bytes, mode: Optional[int] = None, scratch: str = "") -> None:
    """Put ``data`` at ``path`` in one step. Raises as ``whole``."""
    with whole(path, mode, scratch) as out:
        out.write(data)


def create(
    path: str, data: Union[bytes, Callable[[BinaryIO], object]], mode: Optional[int] = None, scratch: str = ""
) -> bool:
    """Put ``data``, or what it writes to the file that it is given, at ``path`` in one step where nothing is there yet.
    Whether it did. Raises OSError.

    Where the system can, the file has no name until it is whole: a killed writer leaves nothing.
    """
    made = create_unnamed(path, data, mode)
    if made is not None:
        return made
    with _temporary(path, scratch) as out:
        _fill(out, data)
        _finish(out, path, mode)
        try:
            os.link(out.name, path, follow_symlinks=False)
        except FileExistsError:
            return False
        except OSError:  # A file system without hard links.
            if os.path.lexists(path):
                return False
            _rename(out, path)
        sync_folder(os.path.dirname(path) or ".")
        return True


def create_unnamed(
    path: str, data: Union[bytes, Callable[[BinaryIO], object]], mode: Optional[int] = None
) -> Optional[bool]:
    """As ``create``, by a file that has no name until it is whole; None where the system has no such thing."""
    folder = os.path.dirname(path) or "."
    try:
        fd = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except (AttributeError, OSError):
        return None
    with os.fdopen(fd, "w+b") as out:
        _fill(out, data)
        _finish(out, path, mode)
        try:
            os.link(f"/proc/self/fd/{fd}", path, follow_symlinks=True)
        except FileExistsError:
            return False
        except OSError:
            return None
    sync_folder(folder)
    return True


def edit(path: str, before: Optional[bytes], after: bytes, scratch: str = "") -> None:
    """Put ``after`` in the place of ``before`` (None: of nothing), keeping the file's mode.

    Raises Changed, and leaves the file as it is, when something else is there, also when it came at the very moment;
    NotPlain where a link, a folder or a device is; OSError.
    """
    mode = _mode_of(path)
    if os.path.islink(path):
        raise NotPlain(errno.ELOOP, "a symbolic link", path)
    if before is None:
        if not create(path, after, scratch=scratch):
            raise Changed(errno.EEXIST, "something was put there meanwhile", path)
        return
    with _temporary(path, scratch) as out:
        out.write(after)
        _finish(out, path, mode)
        if read(path) != before:
            raise Changed(errno.EBUSY, "it was changed meanwhile", path)
        if not _exchange(out.name, path):
            _rename(out, path)
        elif not _holds(out.name, before):
            # Somebody was faster by less than we could see: theirs goes back.
            os.replace(out.name, path)
            raise Changed(errno.EBUSY, "it was changed meanwhile", path)
    sync_folder(os.path.dirname(path) or ".")


def adopt(temporary: str, path: str) -> None:
    """Let a finished file of the same file system take the place of ``path``, whole and synced. Raises OSError."""
    fd = open_plain(temporary, os.O_RDWR)
    try:
        _settle(fd, mode_for(os.path.dirname(path) or "."))
    finally:
        os.close(fd)
    os.replace(temporary, path)
    sync_folder(os.path.dirname(path) or ".")


def keep(path: str, kept: str, target: Optional[str] = None) -> None:
    """Let ``kept`` be what ``path`` is, without touching ``path``: the same file, a copy with its mode, or for a link a
    link (to ``target`` if given). What was at ``kept`` is replaced. Raises OSError."""
    folder, name = os.path.split(kept)
    temporary = os.path.join(folder, f"{TEMPORARY}{os.getpid():08d}-{name[-60:]}")
    remove(temporary)
    if os.path.islink(path):
        os.symlink(os.readlink(path) if target is None else target, temporary)
    else:
        try:
            os.link(path, temporary, follow_symlinks=False)
        except OSError:  # A file system without hard links.
            replace(temporary, read(path), stat.S_IMODE(os.lstat(path).st_mode))
    try:
        # Two names of one file are not renamed onto each other: the second would stay.
        os.replace(temporary, kept)
    finally:
        remove(temporary)
    sync_folder(folder or ".")


def move(path: str, target: str) -> None:
    """Rename a file or link. Raises OSError."""
    os.replace(path, target)
    sync_folder(os.path.dirname(target) or ".")


def remove_empty(path: str) -> bool:
    """Delete the folder ``path`` if it is empty and no link. Whether it did."""
    try:
        os.rmdir(path)
        return True
    except OSError:
        return False


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


def remove_folder(path: str) -> None:
    """Delete the folder ``path`` and all below it, following no link; what cannot be deleted stays."""
    if os.path.isdir(path) and not os.path.islink(path):
        # git writes its objects read-only, and so are the folders on some systems.
        shutil.rmtree(path, ignore_errors=True)


def new_folder(prefix: str) -> str:
    """The path of a new folder for its owner alone, where the system keeps temporary files. Raises OSError."""
    return tempfile.mkdtemp(prefix=prefix)


def work_file(path: str) -> BinaryIO:
    """A new file at ``path``, which is in a work folder, open for writing and reading. Raises OSError, also where
    something is there."""
    return os.fdopen(open_plain(path, os.O_RDWR | os.O_CREAT | os.O_EXCL), "w+b")


@contextmanager
def work_folder(parent: str, prefix: str) -> Iterator[str]:
    """A new folder in ``parent`` for what is on its way; it goes when the block ends, and so do those of the same
    ``prefix`` that killed processes left. Raises OSError."""
    remove_leftovers(parent, prefix, folders=True)
    for _ in range(TRIES):
        path = tempfile.mkdtemp(prefix=prefix, dir=parent)
        fd = _held(path)
        if fd >= 0:
            break
        remove_folder(path)
    else:
        raise OSError(errno.EAGAIN, "no folder for what is on its way can be kept", parent)
    try:
        yield path
    finally:
        remove_folder(path)
        os.close(fd)


@contextmanager
def scratch() -> Iterator[str]:
    """A folder for temporary files that only we can read, links followed; it goes when the block ends."""
    with work_folder(os.path.realpath(tempfile.gettempdir()), "abcd-index-work-") as folder:
        yield folder


def remove_leftovers(folder: str, prefix: str = TEMPORARY, age: float = ABANDONED, folders: bool = False) -> int:
    """Delete the files (or the ``folders``) in ``folder`` that killed writers left. Returns how many went.

    Their names are ``prefix`` and what ``tempfile`` adds; and nobody holds their lock or, where nothing can be locked,
    has written to them for ``age`` seconds: who lives may take longer. A folder that cannot be listed has none.
    """
    gone, now = 0, time.time()
    try:
        with os.scandir(folder) as entries:
            found = [entry for entry in entries if is_temporary(entry.name, prefix)]
    except OSError:
        return gone
    for entry in found:
        try:
            kind = entry.is_dir(follow_symlinks=False) if folders else entry.is_file(follow_symlinks=False)
            if kind and _abandoned(entry.path, now - entry.stat(follow_symlinks=False).st_mtime > age):
                (remove_folder if folders else remove)(entry.path)
                gone += not os.path.lexists(entry.path)
        except OSError:
            continue
    return gone


def set_time(path: str, ns: Optional[int] = None) -> None:
    """Set the access and modification time (ns; None: now) of the regular file at ``path``, following no link.

    Raises as ``open_plain``."""
    fd = open_plain(path)
    try:
        now = time.time_ns() if ns is None else ns
        os.utime(fd if os.utime in os.supports_fd else path, ns=(now, now))
    finally:
        os.close(fd)


def is_temporary(name: str, prefix: str = TEMPORARY) -> bool:
    """Whether a name is one that a writer gives to what is not whole yet: ``prefix`` and what ``tempfile`` adds."""
    return bool(re.fullmatch(re.escape(prefix) + "[a-z0-9_]{8}(?:-.*)?", name))


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


def lost(stream: TextIO) -> str:
    """Write what ``stream`` still holds. Where that cannot be done it goes nowhere, and all that follows; the sentence
    to say then, '' where who reads it went away, having seen enough."""
    try:
        stream.flush()
        return ""
    except OSError as error:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
        said = f"the output could not be written: {error.strerror or error}"
        return "" if isinstance(error, BrokenPipeError) else said


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


@contextmanager
def _temporary(path: str, scratch: str = "") -> Iterator[BinaryIO]:
    """A new file on the file system of ``path``, locked for as long as it is open: who holds no lock is dead. It goes
    when the block ends, unless it was renamed."""
    folder, name = os.path.split(path)
    folder = folder or "."
    if scratch and _same_disk(scratch, folder):
        folder = scratch
    # Who was killed here did not finish, and is run again.
    remove_leftovers(folder)
    for _ in range(TRIES):
        out = tempfile.NamedTemporaryFile(prefix=TEMPORARY, suffix="-" + name[-60:], dir=folder, delete=False)
        if _lock(out.fileno()) is not False and _is_at(out.fileno(), out.name):
            break
        out.close()  # Swept between the two steps.
        remove(out.name)
    else:
        raise OSError(errno.EAGAIN, "no temporary file can be kept", folder)
    try:
        with out:
            yield out  # type: ignore[misc]
    finally:
        remove(out.name)


def _fill(out: BinaryIO, data: Union[bytes, Callable[[BinaryIO], object]]) -> None:
    if callable(data):
        data(out)
    else:
        out.write(data)


def _finish(out: BinaryIO, path: str, mode: Optional[int]) -> None:
    out.flush()
    _settle(out.fileno(), mode_for(os.path.dirname(path) or ".") if mode is None else mode)


def _rename(out: BinaryIO, path: str) -> None:
    if os.name == "nt":  # pragma: no cover - Windows renames no open file
        out.close()
    os.replace(out.name, path)
    sync_folder(os.path.dirname(path) or ".")


def _exchange(one: str, other: str) -> bool:
    """Let two files change names in one step, where the system can."""
    try:
        import ctypes

        call = ctypes.CDLL(None, use_errno=True).renameat2
        return bool(call(-100, os.fsencode(one), -100, os.fsencode(other), 2) == 0)
    except (ImportError, OSError, AttributeError, TypeError):
        return False


def _holds(path: str, data: bytes) -> bool:
    try:
        return read(path, len(data) + 1) == data
    except OSError:
        return False


def _same_disk(one: str, other: str) -> bool:
    try:
        found = os.lstat(one)
        return stat.S_ISDIR(found.st_mode) and found.st_dev == os.stat(other).st_dev and os.access(one, os.W_OK)
    except OSError:
        return False


def _lock(fd: int) -> Optional[bool]:
    """Whether the lock of an open file was taken; None where there are no locks."""
    try:
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None


def _held(path: str) -> int:
    """A descriptor that holds the lock of a folder that was just made; -1 when it was swept in between."""
    try:
        fd = os.open(path, os.O_RDONLY | CAREFUL)
    except OSError:
        return -1
    if _lock(fd) is not False and _is_at(fd, path):
        return fd
    os.close(fd)
    return -1


def _abandoned(path: str, old: bool) -> bool:
    """Whether nobody holds the lock of a file or folder; ``old`` where no locks are kept or it cannot be asked."""
    try:
        fd = os.open(path, os.O_RDONLY | CAREFUL)
    except OSError:
        return old
    try:
        free = _lock(fd)
        return old if free is None else free
    finally:
        os.close(fd)


def _is_at(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.lstat(path))
    except OSError:
        return False


def _settle(fd: int, mode: int) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(fd, mode)
    os.fsync(fd)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
