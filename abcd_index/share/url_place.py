"""A place that fsspec opens: object stores, and whatever else it has a file system for.

fsspec is an extra of this package: importing it, and asking a store, happens here only.
"""

import os
import threading
import time
import uuid
from datetime import datetime

from abcd_index.errors import AbcdError
from abcd_index.share.errors import Damaged, NotThere, Unreachable, plain
from abcd_index.share.folder_place import CHUNK, SUFFIX, TEMPORARY, another, doomed, pack, same, unpack
from abcd_index.share.place import ON_DISK

EXTRA = "pip install 'abcd-index[share]'"
# Of these a half-written file is seen under its name, so it gets one of its own first. In an object store an
# upload appears whole, and moving is copying.
RENAMING = {"file", "local", "sftp", "ssh", "smb", "ftp", "hdfs", "webhdfs", "arrow_hdfs", "dbfs", "dirfs"}
# What a file system calls the time of a file.
_TIMES = ("mtime", "LastModified", "last_modified", "updated", "modified", "created", "CreationTime")


class UrlPlace:
    """See ``folder_place.Folder`` for what a place can do. ``work``: a folder for files on their way."""

    def __init__(self, url, shown, work, seconds):
        self.shown = shown
        self.work = work
        self.until = time.monotonic() + seconds
        self.seconds = seconds
        self.over = threading.Event()
        self.system, self.path = self._bounded(_open, url, shown)

    def get(self, key, path, most):
        """Write the parcel of ``key`` to ``path``. ``most``: bytes that it may have."""
        packed = os.path.join(self.work, "packed")
        # gzip adds a little to what it cannot shrink.
        self._bounded(self._download, self._name(key), packed, key, most + (most >> 8) + 1024)
        with open(packed, "rb") as file:
            unpack(file, path, most)
        os.unlink(packed)

    def put(self, key, path):
        """Make the file ``path`` the parcel of ``key``. Whether anything had to be sent."""
        packed = os.path.join(self.work, "packed")
        with open(packed, "wb") as out:
            pack(path, out)
        return self._bounded(self._upload, self._name(key), packed, path)

    def prune(self, keep, key):
        """Delete all but the ``keep`` artefacts that were pushed last; ``key`` stays. Returns how many went."""
        return self._bounded(self._prune, keep, key)

    def close(self):
        """Let a transfer that is under way stop at its next piece."""
        self.over.set()

    def _name(self, key):
        return f"{self.path.rstrip('/')}/{key}{SUFFIX}"

    def _download(self, name, path, key, most):
        try:
            source = self.system.open(name, "rb", block_size=CHUNK)
        except FileNotFoundError:
            raise NotThere(f"{self.shown} has no artefact of these pages ({key[:12]})") from None
        size = 0
        with source, open(path, "wb") as out:
            while True:
                data = source.read(CHUNK)
                if not data:
                    return
                size += len(data)
                if size > most:
                    raise Damaged(f"it has more than {most:,} bytes, which no artefact of these pages has")
                if self.over.is_set():
                    raise Unreachable(f"{self.shown}: given up")
                out.write(data)

    def _upload(self, name, packed, path):
        try:
            size = self.system.info(name)["size"]
        except FileNotFoundError:
            size = None
        if size is not None:
            # The same bytes, packed by another zlib, may have another size.
            if size != os.path.getsize(packed):
                with self.system.open(name, "rb") as file:
                    if not same(file, path):
                        raise another(self.shown)
            return False
        if _protocols(self.system) & RENAMING:
            self.system.makedirs(self.path, exist_ok=True)
            temporary = f"{self.path.rstrip('/')}/{TEMPORARY}{uuid.uuid4().hex}"
            try:
                self.system.put_file(packed, temporary)
                self.system.mv(temporary, name)
            except BaseException:
                if self.system.exists(temporary):
                    self.system.rm_file(temporary)
                raise
        else:
            self.system.put_file(packed, name)
        return True

    def _prune(self, keep, key):
        self.system.invalidate_cache()
        try:
            entries = self.system.ls(self.path, detail=True)
        except FileNotFoundError:
            return 0
        found = [(entry["name"].rstrip("/").rpartition("/")[2], _seconds(entry)) for entry in entries]
        gone, dead = doomed(found, keep, key)
        for name in gone + dead:
            self.system.rm_file(f"{self.path.rstrip('/')}/{name}")
        return len(gone)

    def _bounded(self, function, *args):
        """What ``function`` returns, within the time that is left: a store's library may wait for ever."""
        result = []
        thread = threading.Thread(target=_run, args=(function, args, result), daemon=True)
        thread.start()
        thread.join(min(max(0.0, self.until - time.monotonic()), threading.TIMEOUT_MAX))
        if not result:
            self.over.set()
            raise Unreachable(f"{self.shown} did not answer within {self.seconds:g} s")
        value, error = result[0]
        if error is None:
            return value
        if isinstance(error, AbcdError):
            raise error
        # Whatever a store's library raises: it is about the store.
        said = plain(error) or type(error).__name__
        raise Unreachable(f"{self.shown}: {said}") from None


def _run(function, args, result):
    try:
        result.append((function(*args), None))
    except BaseException as error:
        result.append((None, error))


def _open(url, shown):
    try:
        import fsspec
    except ImportError:
        raise Unreachable(f"{shown} needs fsspec, which is not installed", EXTRA) from None
    try:
        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        raise Unreachable(f"{shown} needs a library that is not installed: {plain(error)}",
                          "install it beside abcd-index") from None
    except ValueError as error:
        raise Unreachable(f"{shown} cannot be opened: {plain(error)}", "see fsspec's list of protocols") from None
    if _on_disk(system) and not ON_DISK.match(url):
        raise Unreachable(f"{shown} leads to a folder on this machine", "write its whole path")
    return system, path


def _on_disk(system):
    """Whether a file system is this machine's, or looks like another one and reads through it."""
    while system is not None:
        if {"file", "local"} & _protocols(system):
            return True
        system = getattr(system, "fs", None)
    return False


def _protocols(system):
    protocol = system.protocol
    return {protocol} if isinstance(protocol, str) else set(protocol)


def _seconds(entry):
    """When a file was written, in seconds since 1970; 0 when the file system does not say."""
    for name in _TIMES:
        value = entry.get(name)
        if isinstance(value, datetime):
            return value.timestamp()
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        if isinstance(value, str):
            try:
                return datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()
            except ValueError:
                continue
    return 0.0
