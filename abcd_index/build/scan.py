"""What the source files of a scope are like now, and which of them changed since they were last read.

A sidecar (``files.json`` in the index folder) remembers times, size and content hash of every source
file, so that an unchanged store is recognised without reading a page. Times are taken before a file is
read; a file written within a clock tick of the build is not trusted next time, and one that could not be read is not
remembered at all. Change times (ctime) are among them: nobody can set those, so neither an edit that restores a file's
size and time nor a sidecar that came with a clone passes for what this machine has read.
"""

import errno
import os
import time

import orjson

from abcd_index import fs
from abcd_index.build.key import content_hash
from abcd_index.build.publish import sealed, unsealed
from abcd_index.errors import AbcdError
from abcd_index.store.read import FOLDER, list_store

SIDECAR = "files.json"
# Stands for the content of a file that could not be read: then and there it counts by its name alone.
UNREADABLE = "unreadable"
# Not the file is at fault then, and the next one would fare no better.
_OURS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
VERSION = 2
# Coarsest step of a file's times that matters here: a kernel tick on Linux, 10 ms on others.
TICK_NS = 20_000_000
# Bytes of changed files that are kept from hashing to compiling; beyond it they are read again.
HELD = 64 << 20


class Moved(Exception):
    """A source file is not what it was a moment ago: look at the store again."""


class Source:
    """A source file: ``name`` relative to the scope's home in NFC (``memory/x.md``), ``path``, its times
    (ns) and size, and ``hash`` (64 hex digits, or UNREADABLE). ``error``: the OSError that says why."""

    __slots__ = ("name", "path", "mtime", "ctime", "size", "hash", "data", "error")

    def __init__(self, name, path, stat):
        self.name = name
        self.path = path
        self.mtime = stat.st_mtime_ns
        self.ctime = stat.st_ctime_ns
        self.size = stat.st_size
        self.hash = ""
        self.data = None
        self.error = None

    @property
    def file(self):
        """The file's name without its folder."""
        return self.name.rpartition("/")[2]

    def read(self):
        """The bytes that were hashed. Raises the OSError that kept them from being so, Moved when they are others
        by now or cannot be read any more (the key says what they were), or AbcdError when no file could be read."""
        if self.data is not None:
            return self.data
        if self.error is not None:
            raise self.error
        try:
            data = fs.read(self.path)
        except OSError as error:
            if error.errno in _OURS:
                raise AbcdError(f"{self.path} cannot be read: {error.strerror}",
                                "try again later; the artefact from before still stands") from None
            if self.hash:
                raise Moved(self.name) from None
            raise
        if self.hash and content_hash(data) != self.hash:
            raise Moved(self.name)
        return data

    def same(self, stat):
        """Whether times and size are still those that were seen."""
        return (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size) == (self.mtime, self.ctime, self.size)


class Observed:
    """A scope's files at one moment. ``folder``: (mtime_ns, ctime_ns) of the store folder, taken before it was listed
    ((0, 0) when there is none). ``sources``: {name: Source}. ``listing``: the store's Listing. ``started``:
    wall time in ns before anything was looked at."""

    __slots__ = ("scope", "folder", "sources", "listing", "started")

    def __init__(self, scope, folder, sources, listing, started):
        self.scope = scope
        self.folder = folder
        self.sources = sources
        self.listing = listing
        self.started = started

    def hashes(self):
        """{name: content hash}: what the key is made of."""
        return {name: source.hash for name, source in self.sources.items()}

    def read(self, name):
        """The bytes that were hashed of a file by its name in the scope's home. Raises as ``Source.read``."""
        source = self.sources.get(name)
        if source is None:
            raise Moved(name)
        return source.read()

    def page(self, name):
        """The Source of a page by its file name, or None."""
        return self.sources.get(FOLDER + name)

    def racy(self, *times):
        """Whether a file of these times (ns) may have been written after it was read, within the same tick."""
        return max(times) > self.started - TICK_NS

    def moved(self, most):
        """Whether a file changed since. Pages are looked at again only in a store of at most ``most``
        sources: it costs a stat each (``Source.read`` notices those that are compiled)."""
        if self.folder != _times(self.scope.store):
            return True
        for name, source in self.sources.items():
            if len(self.sources) > most and name.startswith(FOLDER) and self.listing.catalogue != (
                    name[len(FOLDER):], source.path):
                continue
            try:
                if not source.same(os.lstat(source.path)):
                    return True
            except OSError:
                return True
        return False


def observe(scope, trust=True):
    """Look at every source file of ``scope``. ``trust``: believe the sidecar of an earlier build where times
    and size agree; ``verify`` does not. Raises AbcdError when the store cannot be listed: an unreadable
    folder must never look like an empty one."""
    started = time.time_ns()
    folder = _times(scope.store)
    try:
        listing = list_store(scope)
    except OSError as error:
        raise AbcdError(f"{scope.store} cannot be listed: {error.strerror}",
                        "give read permission; the artefact from before still stands") from None
    files = [(FOLDER + name, path) for name, path in listing.pages]
    if listing.catalogue:
        files.append((FOLDER + listing.catalogue[0], listing.catalogue[1]))
    files += sorted(listing.others.items())
    sources = {}
    for name, path in files:
        try:
            sources[name] = Source(name, path, os.lstat(path))
        except OSError:
            continue  # Gone since it was listed.
    observed = Observed(scope, folder, sources, listing, started)
    _hash(scope, observed, trust)
    return observed


def remember(observed):
    """Write the sidecar, when it would say something else."""
    rows = {}
    for name, source in observed.sources.items():
        racy = observed.racy(source.mtime, source.ctime)
        if source.hash != UNREADABLE:
            rows[name] = [0 if racy else source.mtime, source.ctime, source.size, source.hash]
    if rows != _remembered(observed.scope):
        data = orjson.dumps({"version": VERSION, "files": rows}, option=orjson.OPT_SORT_KEYS)
        fs.replace(os.path.join(observed.scope.index, SIDECAR), sealed(data + b"\n"))


def _hash(scope, observed, trust):
    """Hash what changed, take the rest from the sidecar. An unreadable file counts by its name alone."""
    known, held = _remembered(scope) if trust else {}, 0
    for name, source in observed.sources.items():
        row = known.get(name)
        if row and row[:3] == [source.mtime, source.ctime, source.size]:
            source.hash = row[3]
            continue
        try:
            data = source.read()
        except OSError as error:
            source.hash, source.error = UNREADABLE, error
            continue
        source.hash = content_hash(data)
        held += len(data)
        if held < HELD:
            source.data = data


def _remembered(scope):
    try:
        found = orjson.loads(unsealed(fs.read(os.path.join(scope.index, SIDECAR))))
        if found["version"] == VERSION and all(len(row) == 4 for row in found["files"].values()):
            return found["files"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return {}


def _times(folder):
    try:
        found = os.stat(folder)
        return found.st_mtime_ns, found.st_ctime_ns
    except OSError:
        return 0, 0
