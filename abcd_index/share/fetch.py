"""Fetch: the artefact of the pages on disk comes from a place, is checked, and becomes the current one."""

from __future__ import annotations

import os
import time
from typing import Any, NamedTuple

from abcd_index import fs
from abcd_index.artefact.format import SUFFIX
from abcd_index.build.manifest import Pages
from abcd_index.build.run import build, existing, make_current
from abcd_index.build.scan import Observed, SourceChanged, observe
from abcd_index.errors import AbcdError, FormatTooNew
from abcd_index.scopes import Scope
from abcd_index.share import check
from abcd_index.share.backends.backend import Backend
from abcd_index.share.backends.connect import opened
from abcd_index.share.bundle import cut_to_artefact
from abcd_index.share.place import Damaged, Place

# What an artefact may have at most: a sound one has one to two bytes a byte of the pages and a few KiB a page.
_LEAST = 2 << 20
_FACTOR = 8
_PAGE = 16 << 10


class Fetched(NamedTuple):
    """What ``fetch`` did. ``state``: 'fetched', 'switched' (it was here already) or 'current' (nothing to do).
    ``pages`` in the artefact, ``size`` in bytes; ``seconds``: {step: wall time}, of 'hash', 'download', 'check' and
    'publish'."""

    state: str
    key: str
    path: str
    pages: int
    size: int
    seconds: dict[str, float]

    @property
    def took(self) -> float:
        """Wall time in seconds."""
        return sum(self.seconds.values())


def fetch(
    scope: Scope, place: Place, full: bool = False, seconds: float = 600, observed: Observed | None = None
) -> Fetched:
    """Make the artefact of ``scope`` current without compiling a page. ``full``: ask the place also when the artefact
    is here already, and compute every byte of both again before they count; ``seconds``: how long the place may take;
    ``observed``: what the files are like, when that is known already.

    Raises AbcdError (NotThere, Damaged, Unreachable among them); the artefact from before then stands.
    """
    run = _Fetch(scope, place, full, observed)
    if run.here is not None and not full:
        return run.build()
    try:
        return run.fetch(seconds)
    except AbcdError as error:
        if full and os.path.lexists(run.path):
            _check_here(scope, run, error)
        raise


def most_bytes(observed: Observed) -> int:
    """How large an artefact of these pages can be, generously."""
    size: int = sum(source.size for source in observed.sources.values())
    return _LEAST + _FACTOR * size + _PAGE * len(observed.sources)


class _Fetch:
    """One fetch: ``here`` is what a build found here of the artefact at ``path``, or None."""

    def __init__(self, scope: Scope, place: Place, full: bool, observed: Observed | None) -> None:
        self.clock = _Clock()
        self.scope = scope
        self.place = place
        self.full = full
        self.observed = observed or observe(scope)
        self.settings = self.observed.settings()[0]
        self.key = self.observed.key(self.settings)
        self.clock.step("hash")
        there = existing(self.observed, self.key, self.settings)
        self.here = there.built if there is not None else None
        self.path = os.path.join(scope.index, self.key + SUFFIX)

    def build(self) -> Fetched:
        """Make the artefact that is here the current one."""
        built = build(self.scope)
        self.clock.step("publish")
        return Fetched(built.state, built.key, built.path, built.pages, built.size, self.clock.steps)

    def fetch(self, seconds: float) -> Fetched:
        """Take the artefact from its place, with a sentence for whatever goes wrong."""
        try:
            with opened(self.place, self.scope, seconds) as (backend, folder):
                path = os.path.join(folder, "bundle")
                size, pages, counts = self._received(backend, path)
                state = self._publish(path, pages, counts)
        except SourceChanged as moved:
            raise AbcdError(f"{self.scope.display(str(moved))} changed while it was read", "fetch again") from None
        except OSError as error:
            raise AbcdError(
                f"{self.scope.index} cannot be written: {error.strerror or error}",
                "make room or give write permission; the artefact from before still stands",
            ) from None
        except FormatTooNew as error:
            raise Damaged(
                f"{self.place.shown} has something else under the key of these pages: {error}", error.hint
            ) from None
        except Damaged as error:
            raise Damaged(
                f"{self.place.shown}: what it has under {self.key[:12]} is not used: {error}", error.hint
            ) from None
        self.clock.step("publish")
        return Fetched(state, self.key, self.path, len(pages.files), size, self.clock.steps)

    def _received(self, backend: Backend, path: str) -> tuple[int, Pages, Any]:
        """(size, sidecar of the pages, exact counts) of the artefact that is at ``path`` then, checked."""
        with fs.work_file(path) as out:
            backend.get(self.key, out, most_bytes(self.observed))
            self.clock.step("download")
            counts = cut_to_artefact(out)
        received = check.Received(path)
        try:
            received.has_key(self.key)
            pages = check.read_pages(self.observed)
            received.holds(pages, counts)
        finally:
            received.close()
        if self.full:
            check.full(self.scope, self.key, path)
        self.clock.step("check")
        return received.header["size"], pages.sidecar, counts

    def _publish(self, path: str, pages: Pages, counts: Any) -> str:
        """Let the checked artefact at ``path`` be the current one, unless the same bytes are here. The state then."""
        state, inode = "fetched", None
        if self.here is not None and check.same_file(path, self.path):
            state = self.here.state
        else:
            inode = os.lstat(path).st_ino
            fs.adopt(path, self.path)
        pages.count(counts)
        pages.write(self.scope.index, self.key)
        make_current(self.observed, self.key, pages, self.settings, inode, self.place.agreed or self.full)
        return state


def _check_here(scope: Scope, run: _Fetch, error: AbcdError) -> None:
    """Raises Damaged when the artefact that was here is not what the pages make either; else ``error`` says that it
    was looked at."""
    try:
        check.full(scope, run.key, run.path)
    except Damaged as also:
        raise Damaged(
            f"{error}; and the artefact that is here is damaged too: {also}", "run `abcd-index build --force`"
        ) from None
    except (AbcdError, OSError):
        return
    error.hint = f"every byte of the artefact that is here was checked, and it stands; {error.hint}"


class _Clock:
    def __init__(self) -> None:
        self.at = time.perf_counter()
        self.steps: dict[str, float] = {}

    def step(self, name: str) -> None:
        now = time.perf_counter()
        self.steps[name] = round(now - self.at, 4)
        self.at = now
