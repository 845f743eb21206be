"""A place that is a folder: a file ``<key>.parcel.gz`` for each artefact.

A file appears whole under its name or not at all, and never changes there.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import BinaryIO

from abcd_index import fs
from abcd_index.share.backends.backend import Deadline
from abcd_index.share.bundle import SUFFIX, conflict, pack, packs, to_delete, unpack
from abcd_index.share.place import NotThere

# Others fetch what one has pushed.
_MODE = 0o644


class Folder:
    """A plain folder, a mounted share for example. ``path``: absolute."""

    def __init__(self, path: str, shown: str, seconds: float) -> None:
        self.path = path
        self.shown = shown
        self.deadline = Deadline(shown, seconds)

    def get(self, key: str, out: BinaryIO, most: int) -> None:
        """See Backend."""
        self.deadline.ask(self._get, key, out, most)

    def put(self, key: str, path: str) -> bool:
        """See Backend."""
        return self.deadline.ask(self._put, os.path.join(self.path, key + SUFFIX), path)

    def prune(self, keep: int, key: str) -> int:
        """See Backend."""
        return self.deadline.ask(self._prune, keep, key)

    def close(self) -> None:
        """See Backend."""
        self.deadline.close()

    def _get(self, key: str, out: BinaryIO, most: int) -> None:
        try:
            file = fs.opened(os.path.join(self.path, key + SUFFIX))
        except FileNotFoundError:
            raise NotThere(f"{self.shown} has no artefact of these pages ({key[:12]})") from None
        with file:
            unpack(file, out, most, self.deadline.check)

    def _put(self, target: str, path: str) -> bool:
        if not os.path.isdir(self.path):
            fs.make_folder(self.path)
        fs.remove_leftovers(self.path)
        if not os.path.lexists(target) and fs.create(target, lambda out: pack(path, out, self.deadline.check), _MODE):
            return True
        with fs.opened(target) as file:
            if not packs(file, path, self.deadline.check):
                raise conflict(self.shown)
        with suppress(OSError):
            fs.set_time(target)  # In use until now, for `prune`.
        return False

    def _prune(self, keep: int, key: str) -> int:
        with os.scandir(self.path) as entries:
            found = [(entry.name, entry.stat(follow_symlinks=False).st_mtime) for entry in entries]
        return sum(fs.remove(os.path.join(self.path, name)) for name in to_delete(found, keep, key))
