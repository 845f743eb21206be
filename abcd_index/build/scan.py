"""What the source files of a scope are like now, and which of them changed since they were last read.

A sidecar (``files.json`` in the index folder) remembers times, size and content hash of every source
file, so that an unchanged store is recognised without reading a page. Times are taken before a file is
read; a file written within a clock tick of the build is not trusted next time, and one that could not be read is not
remembered at all. Change times (ctime) are among them: nobody can set those, so neither an edit that restores a file's
size and time nor a sidecar that came with a clone passes for what this machine has read.
"""

from __future__ import annotations

import errno
import os
import time
from dataclasses import dataclass, field
from typing import Any

import orjson

from abcd_index import fs
from abcd_index.build.key import key_of
from abcd_index.build.publish import sealed, unsealed
from abcd_index.errors import AbcdError
from abcd_index.scopes import Scope
from abcd_index.settings import FILE as SETTINGS
from abcd_index.settings import Settings, read_settings, written_settings
from abcd_index.store.copies import copies_of
from abcd_index.store.page import FOLDER
from abcd_index.store.read import Listing, StoreFile, list_store
from abcd_index.store.records import Finding
from abcd_index.store.rules import FILE as RULES
from abcd_index.store.text import content_hash

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


class SourceChanged(Exception):
    """A source file is not what it was a moment ago: look at the store again."""


@dataclass
class Source:
    """A source file: ``name`` relative to the scope's home in NFC (``memory/x.md``), ``path``, its times
    (ns) and size, and ``hash`` (64 hex digits, or UNREADABLE). ``data``: its bytes while they are kept. ``error``: the
    OSError that says why it cannot be read."""

    name: str
    path: str
    mtime: int
    ctime: int
    size: int
    hash: str = ""
    data: bytes | None = None
    error: OSError | None = None

    @classmethod
    def of(cls, name: str, path: str) -> Source:
        """The Source of a file as it is now. Raises OSError."""
        found = os.lstat(path)
        return cls(name, path, found.st_mtime_ns, found.st_ctime_ns, found.st_size)

    @property
    def file(self) -> str:
        """The file's name without its folder."""
        return self.name.rpartition("/")[2]

    def read(self) -> bytes:
        """The bytes that were hashed. Raises the OSError that kept them from being so, SourceChanged when they are
        others by now or cannot be read any more (the key says what they were), or AbcdError when no file could be
        read."""
        if self.data is not None:
            return self.data
        if self.error is not None:
            raise self.error
        try:
            data = fs.read(self.path)
        except OSError as error:
            if error.errno in _OURS:
                raise AbcdError(
                    f"{self.path} cannot be read: {error.strerror}",
                    "try again later; the artefact from before still stands",
                ) from None
            if self.hash:
                raise SourceChanged(self.name) from None
            raise
        if self.hash and content_hash(data) != self.hash:
            raise SourceChanged(self.name)
        return data

    def is_same(self) -> bool:
        """Whether times and size are still those that were seen."""
        try:
            now = os.lstat(self.path)
        except OSError:
            return False
        return (now.st_mtime_ns, now.st_ctime_ns, now.st_size) == (self.mtime, self.ctime, self.size)


@dataclass
class Observed:
    """A scope's files at one moment. ``folder``: (mtime_ns, ctime_ns) of the store folder, taken before it was listed
    ((0, 0) when there is none). ``started``: wall time in ns before anything was looked at. ``sources``: by name.
    ``copies``: {file of a page: the one whose copy it is}."""

    scope: Scope
    folder: tuple[int, int]
    listing: Listing
    started: int
    sources: dict[str, Source] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)

    def pages(self) -> list[StoreFile]:
        """The pages that were listed, without copies of others."""
        return [page for page in self.listing.pages if page.name not in self.copies]

    def hashes(self) -> dict[str, str]:
        """{name: content hash}: what the key is made of."""
        return {name: source.hash for name, source in self.sources.items()}

    def read(self, name: str) -> bytes:
        """The bytes that were hashed of a file by its name in the scope's home. Raises as ``Source.read``."""
        source = self.sources.get(name)
        if source is None:
            raise SourceChanged(name)
        return source.read()

    def settings(self) -> tuple[Settings, list[Finding]]:
        """The settings of ``config.json``, and what is wrong with it."""
        source = self.sources.get(SETTINGS)
        try:
            return read_settings(None if source is None else source.read())
        except OSError:
            return read_settings(None)

    def key(self, settings: Settings) -> str:
        """The key of the artefact that these files make."""
        return key_of(written_settings(settings), self.hashes())

    def page(self, name: str) -> Source | None:
        """The Source of a page by its file name, or None."""
        return self.sources.get(FOLDER + name)

    def page_hash(self, name: str) -> str:
        """The content hash of a page by its file name; '' when it is not there."""
        source = self.page(name)
        return source.hash if source else ""

    def beside(self) -> tuple[str, str]:
        """The content hashes of the catalogue and of the rules, '' for what is not there."""
        rules = self.sources.get(RULES)
        catalogue = self.listing.catalogue
        return self.page_hash(catalogue.name) if catalogue else "", rules.hash if rules else ""

    def racy(self, *times: int) -> bool:
        """Whether a file of these times (ns) may have been written after it was read, within the same tick."""
        return max(times) > self.started - TICK_NS

    def moved(self, most: int) -> bool:
        """Whether a file changed since. Pages are looked at again only in a store of at most ``most``
        sources: it costs a stat each (``Source.read`` notices those that are compiled)."""
        if self.folder != _times(self.scope.store):
            return True
        catalogue = FOLDER + self.listing.catalogue.name if self.listing.catalogue else ""
        looked_at = [
            source
            for name, source in self.sources.items()
            if len(self.sources) <= most or not name.startswith(FOLDER) or name == catalogue
        ]
        return not all(source.is_same() for source in looked_at)


def observe(scope: Scope, trust: bool = True) -> Observed:
    """Look at every source file of ``scope``. ``trust``: believe the sidecar of an earlier build where times
    and size agree; ``verify`` does not. Raises AbcdError when the store cannot be listed: an unreadable
    folder must never look like an empty one."""
    started = time.time_ns()
    folder = _times(scope.store)
    try:
        listing = list_store(scope)
    except OSError as error:
        raise AbcdError(
            f"{scope.store} cannot be listed: {error.strerror}",
            "give read permission; the artefact from before still stands",
        ) from None
    files: list[tuple[str, str]] = [(FOLDER + name, path) for name, path in listing.pages]
    if listing.catalogue:
        files.append((FOLDER + listing.catalogue[0], listing.catalogue[1]))
    files += sorted(listing.others.items())
    observed = Observed(scope, folder, listing, started)
    for name, path in files:
        try:
            observed.sources[name] = Source.of(name, path)
        except OSError:
            continue  # Gone since it was listed.
    _hash(observed, trust)
    observed.copies = copies_of(
        (name[len(FOLDER) :], source.size, source.hash)
        for name, source in observed.sources.items()
        if name.startswith(FOLDER) and source.size and source.hash != UNREADABLE
    )
    return observed


def remember(observed: Observed) -> None:
    """Write the sidecar, when it would say something else."""
    rows: dict[str, list[Any]] = {}
    for name, source in observed.sources.items():
        racy = observed.racy(source.mtime, source.ctime)
        if source.hash != UNREADABLE:
            rows[name] = [0 if racy else source.mtime, source.ctime, source.size, source.hash]
    if rows != _remembered(observed.scope):
        data = orjson.dumps({"version": VERSION, "files": rows}, option=orjson.OPT_SORT_KEYS)
        fs.replace(os.path.join(observed.scope.index, SIDECAR), sealed(data + b"\n"))


def _hash(observed: Observed, trust: bool) -> None:
    """Hash what changed, take the rest from the sidecar. An unreadable file counts by its name alone."""
    known, held = _remembered(observed.scope) if trust else {}, 0
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


def _remembered(scope: Scope) -> dict[str, list[Any]]:
    try:
        found = orjson.loads(unsealed(fs.read(os.path.join(scope.index, SIDECAR))))
        rows: dict[str, list[Any]] = found["files"]
        if found["version"] == VERSION and all(len(row) == 4 for row in rows.values()):
            return rows
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return {}


def _times(folder: str) -> tuple[int, int]:
    try:
        found = os.stat(folder)
        return found.st_mtime_ns, found.st_ctime_ns
    except OSError:
        return 0, 0
