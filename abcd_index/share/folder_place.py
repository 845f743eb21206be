"""A place that is a folder: one file ``<key>.parcel.gz`` an artefact.

gzip, because an artefact shrinks to a half and every byte then has a checksum on its way. A file appears whole
under its name or not at all, and never changes there.
"""

import errno
import gzip
import os
import re
import shutil
import stat
import tempfile
import time
import zlib

from abcd_index.share.errors import Damaged, NotThere, Unreachable

SUFFIX = ".parcel.gz"
NAME = re.compile(r"([0-9a-f]{40})\.parcel\.gz")
TEMPORARY = ".tmp-"
# A temporary file that is this old has no writer any more.
ABANDONED = 3600.0
CHUNK = 1 << 20
_LEVEL = 6


class Folder:
    """A plain folder, a mounted share for example. ``path``: absolute."""

    def __init__(self, path, shown):
        self.path = path
        self.shown = shown

    def get(self, key, path, most):
        """Write the parcel of ``key`` to ``path``. ``most``: bytes that it may have.

        Raises NotThere, Damaged or Unreachable.
        """
        try:
            with _opened(os.path.join(self.path, key + SUFFIX)) as file:
                unpack(file, path, most)
        except FileNotFoundError:
            raise NotThere(f"{self.shown} has no artefact of these pages ({key[:12]})") from None
        except OSError as error:
            raise self._refused(error) from None

    def put(self, key, path):
        """Make the file ``path`` the parcel of ``key``. Whether anything had to be sent.

        Raises Damaged when other bytes are there, Unreachable.
        """
        target = os.path.join(self.path, key + SUFFIX)
        try:
            os.makedirs(self.path, exist_ok=True)
            if os.path.lexists(target):
                return self._there(target, path)
            fd, temporary = tempfile.mkstemp(prefix=TEMPORARY, suffix="-" + key, dir=self.path)
            try:
                with os.fdopen(fd, "wb") as out:
                    pack(path, out)
                    out.flush()
                    os.fsync(out.fileno())
                os.chmod(temporary, 0o644)
                return _settle(temporary, target) or self._there(target, path)
            finally:
                if os.path.lexists(temporary):
                    os.unlink(temporary)
        except OSError as error:
            raise self._refused(error) from None

    def prune(self, keep, key):
        """Delete all but the ``keep`` artefacts that were pushed last; ``key`` stays. Returns how many went."""
        try:
            with os.scandir(self.path) as entries:
                found = [(entry.name, entry.stat(follow_symlinks=False).st_mtime) for entry in entries]
            gone, dead = doomed(found, keep, key)
            for name in gone + dead:
                os.unlink(os.path.join(self.path, name))
            return len(gone)
        except OSError as error:
            raise self._refused(error) from None

    def _there(self, target, path):
        with _opened(target) as file:
            if not same(file, path):
                raise another(self.shown)
        try:
            os.utime(target)  # In use until now, for `prune`.
        except OSError:
            pass
        return False

    def _refused(self, error):
        return Unreachable(f"{self.shown}: {error.strerror or error}")

    def close(self):
        """Nothing stays open."""


def another(shown):
    """The error to raise when a key is taken by other bytes."""
    return Damaged(f"{shown} has another artefact under the key of these pages; it was not overwritten")


def doomed(found, keep, key):
    """(names of artefacts, names of abandoned temporary files) to delete. ``found``: [(name, seconds since 1970)]."""
    artefacts = [(at, name) for name, at in found if NAME.fullmatch(name) and name != key + SUFFIX]
    artefacts.sort(reverse=True)
    dead = [name for name, at in found if name.startswith(TEMPORARY) and at < time.time() - ABANDONED]
    return [name for _, name in artefacts[max(keep - 1, 0):]], dead


def pack(path, out):
    """gzip the file ``path`` into the open file ``out``; the same bytes whatever the time and the name."""
    with open(path, "rb") as source, gzip.GzipFile("", "wb", _LEVEL, out, mtime=0) as packed:
        shutil.copyfileobj(source, packed, CHUNK)


def unpack(file, path, most):
    """gunzip the open ``file`` to ``path``. Raises Damaged when it cannot be, or holds more than ``most`` bytes."""
    size = 0
    try:
        with open(path, "wb") as out:
            for data in _unpacked(file):
                size += len(data)
                if size > most:
                    raise Damaged(f"it has more than {most:,} bytes, which no artefact of these pages has")
                out.write(data)
    except (zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise Damaged(f"it cannot be unpacked: {error}") from None


def same(file, path):
    """Whether the open gzip ``file`` unpacks to the bytes of the file ``path``."""
    try:
        with open(path, "rb") as mine:
            for data in _unpacked(file):
                if mine.read(len(data)) != data:
                    return False
            return not mine.read(1)
    except (zlib.error, EOFError, gzip.BadGzipFile):
        return False


def _unpacked(file):
    with gzip.GzipFile("", "rb", fileobj=file) as packed:
        while True:
            data = packed.read(CHUNK)
            if not data:
                return
            yield data


def _opened(path):
    """A file for reading. A link could lead anywhere, and a pipe would wait for ever."""
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
                 | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file")
    return os.fdopen(fd, "rb")


def _settle(temporary, target):
    """Give a finished file its name unless it is taken. Whether it was free."""
    try:
        os.link(temporary, target)
        return True
    except FileExistsError:
        return False
    except OSError:  # No hard links here. A rename is whole as well; the loser of a race has the same bytes.
        os.replace(temporary, target)
        return True
