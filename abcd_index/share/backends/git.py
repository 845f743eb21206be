"""A place that is a git remote. ``git/remote.py`` says what lies there and how."""

from __future__ import annotations

import time
from typing import Any, BinaryIO, Callable, TypeVar

from abcd_index.errors import CannotTell
from abcd_index.git import remote
from abcd_index.git.run import find_worktree
from abcd_index.share.bundle import conflict
from abcd_index.share.place import Damaged, NotThere, Unreachable, without_secrets

# An artefact that is pushed again gets no younger within this many seconds: each time is a ref.
_DAY = 86400

T = TypeVar("T")


class Git:
    """A configured remote. ``root``: a folder in the work tree."""

    def __init__(self, root: str, name: str, work: str, seconds: float) -> None:
        self.shown = "git:" + name
        worktree = find_worktree(root)
        if worktree is None:
            raise Unreachable(f"{root} is in no git work tree, so there is no remote {name}")
        known = remote.names(worktree)
        if name not in known:
            raise Unreachable(
                f"the repository has no remote {name!r}",
                f"it has: {', '.join(known)}" if known else "add one with `git remote add`",
            )
        self.remote = remote.Remote(worktree, name, work, seconds)

    def get(self, key: str, out: BinaryIO, most: int) -> None:
        """See Backend."""
        commit = self._ask(self.remote.commits, key).get(key)
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

    def put(self, key: str, path: str) -> bool:
        """See Backend."""
        commit = self.remote.commit(key, path)
        if self._same(key, commit):
            return False
        try:
            self.remote.push(key, commit, time.time())
        except CannotTell as error:
            # Another machine may have been faster; what counts is what lies there now.
            if not self._same(key, commit):
                raise Unreachable(f"{self.shown}: {without_secrets(error)}", error.hint) from None
            return False
        return True

    def prune(self, keep: int, key: str) -> int:
        """See Backend."""
        there, pushed = self._ask(self.remote.commits_and_times)
        times = {name: max(map(remote.pushed_at, refs)) for name, refs in pushed.items()}
        others = sorted(set(there) - {key}, key=lambda name: (times.get(name, 0), name), reverse=True)
        gone = others[max(keep - 1, 0) :]
        refs = [remote.REFS + name for name in gone]
        now = time.time()
        if now - times.get(key, 0) > _DAY and key in there:
            self._ask(self.remote.push_time, key, there[key], now)
            refs += pushed.get(key, [])
        refs += [ref for name, named in pushed.items() if name in gone or name not in there for ref in named]
        if refs:
            self._ask(self.remote.delete, refs)
        return len(gone)

    def _same(self, key: str, commit: str) -> bool:
        there = self._ask(self.remote.commits, key).get(key)
        if there not in (None, commit):
            raise conflict(self.shown)
        return there is not None

    def _ask(self, question: Callable[..., T], *args: Any) -> T:
        try:
            return question(*args)
        except CannotTell as error:
            raise Unreachable(f"{self.shown}: {without_secrets(error)}", error.hint or Unreachable.hint) from None

    def close(self) -> None:
        """Nothing stays open."""
