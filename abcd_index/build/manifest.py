"""What lies beside an artefact: file times for the prompt hook, page links for the next build.

Neither is part of the key. A clone can hold both, with any content; but each names the change time (ctime) of the
artefact's file, which no clone can know, and is not used where that is another. The times (``artefact/times.py``
reads them) are rows in the artefact's order;
the pages sidecar is lines of JSON. The first is an object: ``files`` (names in order), ``names`` ({file:
[name: field, id: field], where it has one}), ``links`` ({file: [contradicts, supersedes, superseded_by, updated]},
where there are any), ``lined`` (files that the catalogue has a line for), ``catalogue`` and ``rules`` (content
hashes), ``terms`` (distinct stems in the store) and ``stamp`` (size and times of the artefact's file). The next
hold the ranking terms, exact: for each of the artefact's lines of them {stem: [pages, titles, [the pages, while at most
KNOWN hold it]]}. The last one
is the seal (``publish.sealed``).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import orjson

from abcd_index import fs
from abcd_index.artefact.format import PAGES_SUFFIX, PARTS, SUFFIX, TIMES_SUFFIX
from abcd_index.artefact.reader import Artefact
from abcd_index.artefact.writer import Term
from abcd_index.build import publish
from abcd_index.build.compile import PageLinks
from abcd_index.build.scan import TICK_NS, Observed
from abcd_index.store.records import Page

# Ranking terms, exact: {stem: Term}.
Counts = dict[str, Term]


class Pages:
    """The pages sidecar. ``files``: file names in the artefact's order. ``links`` is None for an artefact
    that came from elsewhere: it can be used, not built upon."""

    FIELDS = ("files", "names", "links", "lined", "catalogue", "rules", "terms", "stamp")

    def __init__(self, catalogue: str = "", rules: str = "") -> None:
        self.files: list[str] = []
        self.names: dict[str, list[str]] = {}
        self.links: dict[str, list[Any]] | None = {}
        self.lined: dict[str, None] = {}
        self.catalogue = catalogue
        self.rules = rules
        self.terms = 0
        self.stamp: list[int] | None = None
        self._counts: list[bytes] = []

    def counts_in(self, number: int) -> Counts:
        """The terms in line ``number`` of the artefact's terms: {stem: Term}.

        Raises ValueError, TypeError or IndexError when the sidecar is damaged.
        """
        return {stem: Term(*values) for stem, values in orjson.loads(self._counts[number]).items()}

    def counts(self) -> list[Counts]:
        """All terms, as ``writer.terms_by_bucket``. Raises ValueError or TypeError when the sidecar is damaged."""
        return [self.counts_in(number) for number in range(len(self._counts))]

    def count(self, counts: list[Counts]) -> None:
        """Note all terms, as ``writer.terms_by_bucket``."""
        self.terms = sum(map(len, counts))
        self._counts = list(map(_written, counts))

    def recount(self, changed: Mapping[int, Counts], terms: int) -> None:
        """Note the exact counts in some lines: ``changed`` is {number: counts}, ``terms`` the distinct stems now."""
        self.terms = terms
        for number, counts in changed.items():
            self._counts[number] = _written(counts)

    def note(self, file: str, links: PageLinks, has_line: bool) -> None:
        """Add a page, in the order of the artefact."""
        self.files.append(file)
        if links.name or links.ident:
            self.names[file] = [links.name, links.ident]
        if self.links is not None and (links.contradicts or links.supersedes or links.superseded_by):
            self.links[file] = list(links[2:])
        if has_line:
            self.lined[file] = None

    def links_of(self, file: str) -> PageLinks:
        """What is known of a page: its names, and its links and date when it has links."""
        name, ident = self.names.get(file, ("", ""))
        contradicts, supersedes, superseded_by, updated = (self.links or {}).get(file, ((), (), (), None))
        return PageLinks(name, ident, tuple(contradicts), tuple(supersedes), tuple(superseded_by), updated)

    def linked(self, dates: Mapping[str, str | None]) -> list[Page]:
        """Pages that hold no more than links need. ``dates``: {file: updated} for pages without links."""
        pages = []
        for file in self.files:
            name, ident, contradicts, supersedes, superseded_by, updated = self.links_of(file)
            pages.append(
                Page(
                    file,
                    "",
                    description_name=name,
                    ident=ident,
                    contradicts=contradicts,
                    supersedes=supersedes,
                    superseded_by=superseded_by,
                    updated=updated if self.links and file in self.links else dates.get(file),
                )
            )
        return pages

    def write(self, index: str, key: str) -> None:
        """Put the sidecar beside the artefact of ``key``, with its stamp."""
        self.stamp = stamp(os.path.join(index, key + SUFFIX))
        first = orjson.dumps(
            {
                name: list(value) if name == "lined" else value
                for name, value in ((name, getattr(self, name)) for name in self.FIELDS)
            },
            option=orjson.OPT_SORT_KEYS,
        )
        fs.replace(
            os.path.join(index, key + PAGES_SUFFIX),
            publish.sealed(b"".join(line + b"\n" for line in [first, *self._counts])),
        )

    @classmethod
    def read(cls, index: str, key: str) -> Pages | None:
        """The sidecar of ``key``, or None when it is missing, damaged, or of another file than is there now."""
        pages = cls()
        try:
            data = fs.read(os.path.join(index, key + PAGES_SUFFIX))
            first, *pages._counts, _ = publish.unsealed(data).split(b"\n")
            found = orjson.loads(first)
            for name in cls.FIELDS:
                setattr(pages, name, found[name])
            pages.lined = dict.fromkeys(pages.lined)
            return pages if pages.stamp == stamp(os.path.join(index, key + SUFFIX)) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @classmethod
    def of_sound(cls, index: str, key: str) -> Pages:
        """The sidecar of an artefact that was not written here. Reads and checks every line of it.

        Raises ArtefactError when one is damaged.
        """
        pages = cls()
        pages.links = None
        artefact = Artefact.open(os.path.join(index, key + SUFFIX))
        try:
            for part in PARTS:
                for number in range(artefact.header["parts"][part][1]):
                    if part == "records":
                        pages.files.append(artefact.record(number)["file"])
                    else:
                        artefact.entry(part, number)
        finally:
            artefact.close()
        pages.write(index, key)
        return pages


def _written(counts: Counts) -> bytes:
    # orjson takes no named tuples.
    return orjson.dumps({stem: tuple(term) for stem, term in counts.items()})


def stamp(path: str) -> list[int]:
    """Size and times of a file: when they are what they were, so is the file."""
    found = os.lstat(path)
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def write_times(observed: Observed, key: str, files: list[str]) -> None:
    """The sidecar that lets the prompt hook see which matched pages changed since.

    ``files``: the pages of the artefact.
    """
    index = observed.scope.index
    folder, changed = (0, 0) if observed.racy(*observed.folder) else observed.folder
    head = {
        "artefact": stamp(os.path.join(index, key + SUFFIX)),
        "changed": changed,
        "folder": folder,
        "key": key,
        "rules": _beside(observed, "rules.json"),
        "config": _beside(observed, "config.json"),
    }
    listed = [name for name, _ in observed.listing.pages]
    rows = [
        orjson.dumps(head, option=orjson.OPT_SORT_KEYS) + b"\n",
        *[_row(observed, name) for name in files],
        # Who looks at the whole folder finds these too, and must not take them for new.
        *[_row(observed, name) for name in sorted(set(listed).difference(files))],
    ]
    path, data = os.path.join(index, key + TIMES_SUFFIX), b"".join(rows)
    if _content(path) != data:
        fs.replace(path, data)
    # For `find -newer` in the git hooks: what is written from now on is newer than the build's start.
    # A tick earlier: a file's time is that of the last tick, not of the moment.
    fs.set_time(path, observed.started - TICK_NS)


def _row(observed: Observed, name: str) -> bytes:
    """A page's row (bytes); zeros where its file was not read."""
    source = observed.page(name)
    if source is None or len(source.hash) != 64:
        return b"%016x%016x%08x%064x\n" % (0, 0, 0, 0)
    mtime, ctime = (0, 0) if observed.racy(source.mtime, source.ctime) else (source.mtime, source.ctime)
    return b"%016x%016x%08x%s\n" % (mtime, ctime, min(source.size, 0xFFFFFFFF), source.hash.encode("ascii"))


def _beside(observed: Observed, name: str) -> list[Any] | None:
    """[mtime_ns, ctime_ns, size, sha256] of a file beside the store before it was read, None when it was not there."""
    source = observed.sources.get(name)
    if source is None:
        return None
    sure = len(source.hash) == 64 and not observed.racy(source.mtime, source.ctime)
    return [source.mtime if sure else 0, source.ctime, source.size, source.hash]


def _content(path: str) -> bytes | None:
    try:
        return fs.read(path)
    except OSError:
        return None
