"""Fetch: the artefact of the pages on disk comes from a place, is checked, and becomes the current one."""

import os
import time

from abcd_index import fs
from abcd_index.artefact.format import SUFFIX
from abcd_index.build.run import build, existing, make_current
from abcd_index.build.scan import SourceChanged, observe
from abcd_index.errors import AbcdError, FormatTooNew
from abcd_index.share import check
from abcd_index.share.backends import connect as places
from abcd_index.share.bundle import unwrap
from abcd_index.share.errors import Damaged

# What an artefact may have at most: a sound one has one to two bytes a byte of the pages and a few KiB a page.
_LEAST = 2 << 20
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
    """Make the artefact of ``scope`` current without compiling a page. ``named``: a Named place; ``full``: ask the
    place also when the artefact is here already, and compute every byte of both again before they count;
    ``observed``: what the files are like, when that is known already.

    Raises AbcdError (NotThere, Damaged, Unreachable among them); the artefact from before then stands.
    """
    clock = _Clock()
    observed = observed or observe(scope)
    settings, _ = observed.settings()
    key = observed.key(settings)
    clock.step("hash")
    there = existing(observed, key, settings)
    here = there.built if there is not None else None
    fetched = Fetched("fetched", key, os.path.join(scope.index, key + SUFFIX))
    if here is not None and not full:
        built = build(scope)
        fetched.state, fetched.key, fetched.path = built.state, built.key, built.path
        fetched.pages, fetched.size = built.pages, built.size
        clock.step("publish")
    else:
        try:
            _ask(observed, named, seconds, fetched, settings, full, here, clock)
        except AbcdError as error:
            if full and os.path.lexists(fetched.path):
                _judge_here(scope, fetched, error)
            raise
    fetched.seconds = clock.steps
    return fetched


def _ask(observed, named, seconds, fetched, settings, full, here, clock):
    """Take the artefact from its place, with a sentence for whatever goes wrong."""
    scope = observed.scope
    try:
        with places.opened(named, scope, seconds) as (place, work):
            path = os.path.join(work, "parcel")
            said, counts = _arrived(observed, place, path, fetched, full, clock)
            _publish(observed, path, fetched, said.sidecar, counts, settings, named.agreed or full, here)
            clock.step("publish")
    except SourceChanged as moved:
        raise AbcdError(f"{scope.display(str(moved))} changed while it was read", "fetch again") from None
    except OSError as error:
        raise AbcdError(f"{scope.index} cannot be written: {error.strerror or error}",
                        "make room or give write permission; the artefact from before still stands") from None
    except FormatTooNew as error:
        raise Damaged(f"{named.shown} has something else under the key of these pages: {error}", error.hint) from None
    except Damaged as error:
        raise Damaged(f"{named.shown}: what it has under {fetched.key[:12]} is not used: {error}",
                      error.hint) from None


def _judge_here(scope, fetched, error):
    """Raises Damaged when the artefact that was here is not what the pages make either; else ``error`` says that it
    was looked at."""
    try:
        check.full(scope, fetched.key, fetched.path)
    except Damaged as also:
        raise Damaged(f"{error}; and the artefact that is here is damaged too: {also}",
                      "run `abcd-index build --force`") from None
    except (AbcdError, OSError):
        return
    error.hint = f"every byte of the artefact that is here was checked, and it stands; {error.hint}"


def most_bytes(observed):
    """How large an artefact of these pages can be, generously."""
    return _LEAST + _FACTOR * sum(source.size for source in observed.sources.values()) + _PAGE * len(observed.sources)


def _arrived(observed, place, path, fetched, full, clock):
    """(Said of the pages, exact counts) of the artefact that is at ``path`` then, checked."""
    with fs.work_file(path) as out:
        place.get(fetched.key, out, most_bytes(observed))
        clock.step("download")
        counts = unwrap(out)
    arrived = check.Arrived(path)
    try:
        arrived.has_key(fetched.key)
        said = check.read_pages(observed)
        arrived.holds(said, counts)
    finally:
        arrived.close()
    if full:
        check.full(observed.scope, fetched.key, path)
    fetched.pages, fetched.size = len(said.sidecar.files), arrived.header["size"]
    clock.step("check")
    return said, counts


def _publish(observed, path, fetched, pages, counts, settings, ours, here):
    """Let the checked artefact at ``path`` be the current one, unless the same bytes are ``here``."""
    inode = None
    if here is not None and check.same_file(path, fetched.path):
        fetched.state = here.state
    else:
        inode = os.lstat(path).st_ino
        fs.adopt(path, fetched.path)
    pages.count(counts)
    pages.write(observed.scope.index, fetched.key)
    make_current(observed, fetched.key, pages, settings, inode, ours)


class _Clock:
    def __init__(self):
        self.at = time.perf_counter()
        self.steps = {}

    def step(self, name):
        now = time.perf_counter()
        self.steps[name] = round(now - self.at, 4)
        self.at = now
