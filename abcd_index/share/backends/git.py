"""A place that is a git remote. ``git/remote.py`` says what lies there and how."""

import time

from abcd_index.errors import CannotTell
from abcd_index.git import remote
from abcd_index.git import run as ask
from abcd_index.share.errors import Damaged, NotThere, Unreachable, plain

# An artefact that is pushed again gets no younger within this many seconds: each time is a ref.
_DAY = 86400


class GitPlace:
    """See ``folder_place.Folder`` for what a place can do. ``root``: a folder in the work tree."""

    def __init__(self, root, name, work, seconds):
        self.shown = "git:" + name
        where = ask.place(root)
        if where is None:
            raise Unreachable(f"{root} is in no git work tree, so there is no remote {name}")
        known = remote.remotes(where)
        if name not in known:
            raise Unreachable(f"the repository has no remote {name!r}",
                              f"it has: {', '.join(known)}" if known else "add one with `git remote add`")
        self.remote = remote.Remote(where, name, work, seconds)

    def get(self, key, out, most):
        """Write the parcel of ``key`` to the open file ``out``; at most ``most`` bytes."""
        commit = self._ask(self.remote.listed, key)[0].get(key)
        if commit is None:
            raise NotThere(f"{self.shown} has no artefact of these pages ({key[:12]})")
        self._ask(self.remote.fetch, key, most)
        try:
            blob, size = self._ask(self.remote.size, key, commit)
        except Unreachable as error:
            raise Damaged(str(error)) from None
        if size > most:
            raise Damaged(f"it has {size:,} bytes, more than any artefact of these pages")
        self._ask(self.remote.write, blob, out)

    def put(self, key, path):
        """Whether anything had to be sent to have the file ``path`` there as the parcel of ``key``."""
        commit = self.remote.commit(key, path)
        if self._same(key, commit):
            return False
        try:
            self.remote.push(key, commit, time.time())
        except CannotTell as error:
            # Another machine may have been faster; what counts is what lies there now.
            if not self._same(key, commit):
                raise Unreachable(f"{self.shown}: {plain(error)}", error.hint) from None
            return False
        return True

    def prune(self, keep, key):
        """Delete all but the ``keep`` artefacts that were pushed last; ``key``, which was ``put``, stays. Returns how
        many went."""
        there, pushed = self._ask(self.remote.listed)
        marks = {name: max(map(remote.pushed_at, refs)) for name, refs in pushed.items()}
        others = sorted(set(there) - {key}, key=lambda name: (marks.get(name, 0), name), reverse=True)
        gone = others[max(keep - 1, 0):]
        refs = [remote.REFS + name for name in gone]
        now = time.time()
        if now - marks.get(key, 0) > _DAY and key in there:
            self._ask(self.remote.mark, key, there[key], now)
            refs += pushed.get(key, [])
        refs += [ref for name, named in pushed.items() if name in gone or name not in there for ref in named]
        if refs:
            self._ask(self.remote.delete, refs)
        return len(gone)

    def _same(self, key, commit):
        there = self._ask(self.remote.listed, key)[0].get(key)
        if there not in (None, commit):
            raise Damaged(f"{self.shown} has another artefact under the key of these pages; it was not overwritten")
        return there is not None

    def _ask(self, question, *args):
        try:
            return question(*args)
        except CannotTell as error:
            raise Unreachable(f"{self.shown}: {plain(error)}", error.hint or Unreachable.hint) from None

    def close(self):
        """Nothing stays open."""

