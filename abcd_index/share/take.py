"""Fetch: the artefact of the pages on disk comes from a place, is checked, and becomes the current one."""

import os
import time

from abcd_index import fs
from abcd_index.artefact.format import SUFFIX
from abcd_index.build.files import Moved, observe
from abcd_index.build.key import key_of
from abcd_index.build.run import build, make_current, settings_of, standing
from abcd_index.errors import AbcdError, FormatTooNew
from abcd_index.settings import written_settings
from abcd_index.share import check, places
from abcd_index.share.errors import Damaged
from abcd_index.share.parcel import unwrap

# What an artefact may have at most: a sound one has one to two bytes a byte of the pages and a few KiB a page.
_LEAST = 16 << 20
_FACTOR = 8
_PAGE = 16 << 10


class Fetched:
    """What ``fetch`` did. ``state``: 'fetched', 'switched' (it was here already) or 'current' (nothing to do).
    ``pages`` in the artefact, ``size`` in bytes; ``seconds``: {step: wall time}, of 'hash', 'download', 'check' and
    'publish'."""

    __slots__ = ("state", "key", "path", "pages", "size", "seconds")

    def __init__(self, state, key, path):
        self.state = state
        self.key = key
        self.path = path
        self.pages = 0
        self.size = 0
        self.seconds = {}

    @property
    def took(self):
        """Wall time in seconds."""
        return sum(self.seconds.values())


def fetch(scope, named, full=False, seconds=600, observed=None):
    """Make the artefact of ``scope`` current without compiling a page. ``named``: a Named place; ``full``: compute
    every byte again before it counts; ``observed``: what the files are like, when that is known already.

    Raises AbcdError (NotThere, Damaged, Unreachable among them); the artefact from before then stands.
    """
    clock = _Clock()
    observed = observed or observe(scope)
    settings, _ = settings_of(observed)
    key = key_of(written_settings(settings), observed.hashes())
    clock.step("hash")
    if standing(observed, key, settings)[0] is not None:
        built = build(scope)
        fetched = Fetched(built.state, built.key, built.path)
        fetched.pages, fetched.size = built.pages, built.size
        clock.step("publish")
    else:
        fetched = Fetched("fetched", key, os.path.join(scope.index, key + SUFFIX))
        try:
            with places.opened(named, scope, seconds) as (place, work):
                _take(observed, place, work, fetched, settings, full, clock)
        except Moved as moved:
            raise AbcdError(f"{scope.display(str(moved))} changed while it was read", "fetch again") from None
        except OSError as error:
            raise AbcdError(f"{scope.index} cannot be written: {error.strerror or error}",
                            "make room or give write permission; the artefact from before still stands") from None
        except FormatTooNew as error:
            raise Damaged(f"{named.shown} has something else under the key of these pages: {error}",
                          error.hint) from None
        except Damaged as error:
            raise Damaged(f"{named.shown}: what it has under {key[:12]} is not used: {error}", error.hint) from None
    fetched.seconds = clock.steps
    return fetched


def most_bytes(observed):
    """How large an artefact of these pages can be, generously."""
    return _LEAST + _FACTOR * sum(source.size for source in observed.sources.values()) + _PAGE * len(observed.sources)


def _take(observed, place, work, fetched, settings, full, clock):
    path, key = os.path.join(work, "parcel"), fetched.key
    place.get(key, path, most_bytes(observed))
    clock.step("download")
    counts = unwrap(path)
    arrived = check.Arrived(path)
    try:
        arrived.has_key(key)
        said = check.read_pages(observed)
        arrived.holds(said, counts)
    finally:
        arrived.close()
    if full:
        check.full(observed.scope, key, path, work)
    clock.step("check")
    pages = said.sidecar
    pages.count(counts)
    index = observed.scope.index
    inode = os.lstat(path).st_ino
    fs.adopt(path, fetched.path)
    pages.write(index, key)
    make_current(observed, key, pages, settings, inode)
    fetched.pages, fetched.size = len(pages.files), arrived.header["size"]
    clock.step("publish")


class _Clock:
    def __init__(self):
        self.at = time.perf_counter()
        self.steps = {}

    def step(self, name):
        now = time.perf_counter()
        self.steps[name] = round(now - self.at, 4)
        self.at = now
