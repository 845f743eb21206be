"""A place that is a folder: one file ``<key>.parcel.gz`` an artefact.

A file appears whole under its name or not at all, and never changes there.
"""

import os
from contextlib import suppress

from abcd_index import fs
from abcd_index.share.errors import NotThere
from abcd_index.share.gzip import SUFFIX, another, doomed, pack, same, unpack
from abcd_index.share.timeout import Patience

# Others fetch what one has pushed.
_MODE = 0o644


class Folder:
    """A plain folder, a mounted share for example. ``path``: absolute."""

    def __init__(self, path, shown, seconds):
        self.path = path
        self.shown = shown
        self.patience = Patience(shown, seconds)

    def get(self, key, out, most):
        """Write the parcel of ``key`` to the open file ``out``. ``most``: bytes that it may have.

        Raises NotThere, Damaged or Unreachable.
        """
        self.patience.ask(self._get, key, out, most)

    def put(self, key, path):
        """Make the file ``path`` the parcel of ``key``. Whether anything had to be sent.

        Raises Damaged when other bytes are there, Unreachable.
        """
        return self.patience.ask(self._put, os.path.join(self.path, key + SUFFIX), path)

    def prune(self, keep, key):
        """Delete all but the ``keep`` artefacts that were pushed last; ``key`` stays. Returns how many went."""
        return self.patience.ask(self._prune, keep, key)

    def close(self):
        """Let a transfer that is under way stop at its next piece."""
        self.patience.close()

    def _get(self, key, out, most):
        try:
            file = fs.opened(os.path.join(self.path, key + SUFFIX))
        except FileNotFoundError:
            raise NotThere(f"{self.shown} has no artefact of these pages ({key[:12]})") from None
        with file:
            unpack(file, out, most, self.patience.going)

    def _put(self, target, path):
        if not os.path.isdir(self.path):
            fs.make_folder(self.path)
        fs.sweep(self.path)
        if not os.path.lexists(target) and fs.create(target, lambda out: pack(path, out, self.patience.going), _MODE):
            return True
        with fs.opened(target) as file:
            if not same(file, path, self.patience.going):
                raise another(self.shown)
        with suppress(OSError):
            fs.set_time(target)  # In use until now, for `prune`.
        return False

    def _prune(self, keep, key):
        with os.scandir(self.path) as entries:
            found = [(entry.name, entry.stat(follow_symlinks=False).st_mtime) for entry in entries]
        return sum(fs.remove(os.path.join(self.path, name)) for name in doomed(found, keep, key))
