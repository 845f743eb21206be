"""A place that fsspec opens: object stores, and whatever else it has a file system for.

fsspec is an extra of this package: importing it, and asking a store, happens here only.
"""

from __future__ import annotations

import os
import time
import uuid
from datetime import datetime
from typing import Any, BinaryIO, Mapping

from abcd_index import fs
from abcd_index.share.backends.backend import Deadline
from abcd_index.share.bundle import CHUNK, SUFFIX, conflict, pack, packs, to_delete, unpack
from abcd_index.share.place import NotThere, Unreachable, without_secrets

EXTRA = "pip install 'abcd-index[share]'"
# Of these a half-written file is seen under its name, so it gets one of its own first. In an object store an
# upload appears whole, and moving is copying.
RENAMING = {"sftp", "ssh", "smb", "ftp", "hdfs", "webhdfs", "arrow_hdfs", "dbfs", "dirfs"}
# What a file system calls the time of a file.
_TIMES = ("mtime", "LastModified", "last_modified", "updated", "modified", "created", "CreationTime")


class Url:
    """An object store. ``work``: a folder for files on their way."""

    def __init__(self, url: str, shown: str, work: str, seconds: float) -> None:
        self.shown = shown
        self.work = work
        self.deadline = Deadline(shown, seconds)
        self.system, path = self.deadline.ask(_open, url, shown)
        self.path = path.rstrip("/")

    def get(self, key: str, out: BinaryIO, most: int) -> None:
        """See Backend."""
        self.deadline.ask(self._get, key, out, most)

    def put(self, key: str, path: str) -> bool:
        """See Backend."""
        return self.deadline.ask(self._put, key, path)

    def prune(self, keep: int, key: str) -> int:
        """See Backend."""
        return self.deadline.ask(self._prune, keep, key)

    def close(self) -> None:
        """See Backend."""
        self.deadline.close()

    def _name(self, name: str) -> str:
        return f"{self.path}/{name}"

    def _get(self, key: str, out: BinaryIO, most: int) -> None:
        try:
            file = self.system.open(self._name(key + SUFFIX), "rb", block_size=CHUNK)
        except FileNotFoundError:
            raise NotThere(f"{self.shown} has no artefact of these pages ({key[:12]})") from None
        with file:
            unpack(file, out, most, self.deadline.check)

    def _put(self, key: str, path: str) -> bool:
        packed, name = os.path.join(self.work, "packed"), self._name(key + SUFFIX)
        with fs.work_file(packed) as out:
            pack(path, out, self.deadline.check)
        try:
            size = self.system.info(name)["size"]
        except FileNotFoundError:
            self._send(packed, name, key)
            return True
        # The same bytes, packed by another zlib, may have another size.
        if size != os.path.getsize(packed):
            with self.system.open(name, "rb") as file:
                if not packs(file, path, self.deadline.check):
                    raise conflict(self.shown)
        return False

    def _send(self, packed: str, name: str, key: str) -> None:
        if not _protocols(self.system) & RENAMING:
            self.system.put_file(packed, name)
            return
        self.system.makedirs(self.path, exist_ok=True)
        for dead, at in self._listed():
            if fs.is_temporary(dead) and 0 < at < time.time() - fs.ABANDONED:
                self.system.rm_file(self._name(dead))
        temporary = self._name(f"{fs.TEMPORARY}{uuid.uuid4().hex[:8]}-{key}")
        try:
            self.system.put_file(packed, temporary)
            self.system.mv(temporary, name)
        except BaseException:
            if self.system.exists(temporary):
                self.system.rm_file(temporary)
            raise

    def _prune(self, keep: int, key: str) -> int:
        gone = to_delete(self._listed(), keep, key)
        for name in gone:
            self.system.rm_file(self._name(name))
        return len(gone)

    def _listed(self) -> list[tuple[str, float]]:
        """[(name, seconds since 1970)] of what is there."""
        self.system.invalidate_cache()
        try:
            entries = self.system.ls(self.path, detail=True)
        except FileNotFoundError:
            return []
        return [(entry["name"].rstrip("/").rpartition("/")[2], _seconds(entry)) for entry in entries]


def _open(url: str, shown: str) -> tuple[Any, str]:
    try:
        import fsspec  # type: ignore[import-untyped]  # It has no types.
    except ImportError:
        raise Unreachable(f"{shown} needs fsspec, which is not installed", EXTRA) from None
    try:
        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        raise Unreachable(
            f"{shown} needs a library that is not installed: {without_secrets(error)}", "install it beside abcd-index"
        ) from None
    except ValueError as error:
        raise Unreachable(
            f"{shown} cannot be opened: {without_secrets(error)}", "see fsspec's list of protocols"
        ) from None
    if _on_disk(system):
        raise Unreachable(f"{shown} leads to a folder on this machine", "write its whole path, without a protocol")
    return system, path


def _on_disk(system: Any) -> bool:
    """Whether a file system is this machine's, or looks like another one and reads through it."""
    while system is not None:
        if {"file", "local"} & _protocols(system):
            return True
        system = getattr(system, "fs", None)
    return False


def _protocols(system: Any) -> set[str]:
    protocol = system.protocol
    return {protocol} if isinstance(protocol, str) else set(protocol)


def _seconds(entry: Mapping[str, object]) -> float:
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
