"""What the source files of a scope are like now, and which of them changed since they were last read.

A sidecar (``files.json`` in the index folder) remembers times, size and content hash of every source
file, so that an unchanged store is recognised without reading a page. Times are taken before a file is
read; a file written within a clock tick of the build is not trusted next time.
"""

import os
import time
import unicodedata

import orjson

from abcd_index.build.key import content_hash
from abcd_index.build.publish import replace
from abcd_index.errors import AbcdError
from abcd_index.store.read import list_store

SIDECAR = "files.json"
VERSION = 1
# Coarsest step of a file's times that matters here: a kernel tick on Linux, 10 ms on others.
TICK_NS = 20_000_000


class Source:
    """A source file: ``name`` relative to the scope's home in NFC (``memory/x.md``), ``path``, its
    times (ns) and size, and ``hash`` (64 hex digits) once it is known."""

    __slots__ = ("name", "path", "mtime", "ctime", "size", "hash", "data")

    def __init__(self, name, path, stat):
        self.name = name
        self.path = path
        self.mtime = stat.st_mtime_ns
        self.ctime = stat.st_ctime_ns
        self.size = stat.st_size
        self.hash = ""
        self.data = None

    def read(self):
        """The file's bytes. Raises OSError."""
        if self.data is None:
            with open(self.path, "rb") as handle:
                self.data = handle.read()
        return self.data


class Observed:
    """A scope's files at one moment. ``folder``: mtime_ns of the store folder, taken before it was
    listed (0 when there is none). ``sources``: {name: Source}. ``pages``: names of page files, sorted."""

    __slots__ = ("folder", "sources", "pages", "findings", "started", "changed")

    def __init__(self, folder, sources, pages, findings, started):
        self.folder = folder
        self.sources = sources
        self.pages = pages
        self.findings = findings
        self.started = started
        self.changed = set()

    def hashes(self):
        """{name: content hash}: what the key is made of."""
        return {name: source.hash for name, source in self.sources.items()}


def observe(scope, trust=True):
    """Look at every source file of ``scope``. ``trust``: believe the sidecar of an earlier build where the
    times agree; ``verify`` does not. Raises AbcdError when the store cannot be listed: an unreadable
    folder must never look like an empty one."""
    started = time.time_ns()
    folder = _mtime(scope.store)
    listing = list_store(scope)
    sources, pages = {}, []
    for name, path in listing.pages:
        _add(sources, "memory/" + name, path)
        if "memory/" + name in sources:
            pages.append("memory/" + name)
    if listing.catalogue:
        _add(sources, "memory/" + listing.catalogue[0], listing.catalogue[1])
    for name in ("rules.json", "config.json"):
        _add(sources, name, os.path.join(scope.home, name))
    observed = Observed(folder, sources, sorted(pages), list(listing.findings), started)
    _hash(scope, observed, trust)
    return observed


def remember(scope, observed):
    """Write the sidecar. What cannot be written is only slower next time."""
    rows = {}
    for name, source in observed.sources.items():
        racy = source.mtime > observed.started - TICK_NS or source.ctime > observed.started - TICK_NS
        rows[name] = [0 if racy else source.mtime, source.ctime, source.size, source.hash]
    data = orjson.dumps({"version": VERSION, "files": rows}, option=orjson.OPT_SORT_KEYS)
    replace(os.path.join(scope.index, SIDECAR), data)


def _hash(scope, observed, trust):
    """Hash what changed, take the rest from the sidecar. An unreadable file counts by its name alone."""
    known = _remembered(scope) if trust else {}
    for name, source in observed.sources.items():
        row = known.get(name)
        if row and row[0] == source.mtime and row[1] == source.ctime and row[2] == source.size:
            source.hash = row[3]
            continue
        observed.changed.add(name)
        try:
            source.hash = content_hash(source.read())
        except OSError as error:
            source.hash = f"unreadable:{error.errno}"


def _remembered(scope):
    try:
        with open(os.path.join(scope.index, SIDECAR), "rb") as handle:
            found = orjson.loads(handle.read())
        if found["version"] == VERSION and all(len(row) == 4 for row in found["files"].values()):
            return found["files"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return {}


def _add(sources, name, path):
    try:
        stat = os.stat(path)
    except OSError:
        return
    name = unicodedata.normalize("NFC", name)
    sources.setdefault(name, Source(name, path, stat))


def _mtime(folder):
    try:
        return os.stat(folder).st_mtime_ns
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise AbcdError(f"{folder} cannot be read: {error.strerror}") from None
