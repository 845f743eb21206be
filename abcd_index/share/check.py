"""Holds an artefact that came from elsewhere against the pages on disk, before anything is published.

Three steps, together several times cheaper than compiling the pages:

1. The header's key is that of the pages on disk, of this release's tokeniser and records.
2. Every line is read and its checksum computed again; then the file is written anew from those lines, by the
   code that writes artefacts, and has to come out the same to the byte: header, tables, filter, line ends.
3. Every page is read (not compiled), and what the artefact shows of it (body, title, summary, line, type, dates,
   keywords), the buckets of the keywords, the rules and the links between pages have to be what the pages say.

Not recomputed: the weights, the pairs and counts that order the matches, and ``exclude``. Only compiling can tell;
``full`` does that, and costs what a build costs.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any, BinaryIO, Iterator, Mapping, Sequence

import orjson

from abcd_index import fs
from abcd_index.artefact import writer
from abcd_index.artefact.format import PARTS, RECORDS_VERSION
from abcd_index.artefact.reader import LONGEST_LINE, Artefact
from abcd_index.build.compile import links_of
from abcd_index.build.incremental import Current
from abcd_index.build.manifest import Pages
from abcd_index.build.run import no_pages
from abcd_index.build.scan import Observed, Source, SourceChanged
from abcd_index.build.workers import mapped
from abcd_index.errors import AbcdError, FormatTooNew
from abcd_index.scopes import Scope
from abcd_index.settings import written_settings
from abcd_index.share.bundle import counts_fit
from abcd_index.share.place import Damaged
from abcd_index.store.catalogue import made_line
from abcd_index.store.links import newer
from abcd_index.store.read import read_beside, read_one
from abcd_index.store.records import Catalogue, Domain, Page
from abcd_index.text.normalise import TOKENS_VERSION
from abcd_index.verify.contents import Contents
from abcd_index.verify.format import Decoded, Visitor
from abcd_index.verify.recompute import digest, gather

# Differences that are named.
NAMED = 3


class PagesOnDisk:
    """What the pages on disk say, page by page and without their text: what ``verify``'s Contents compares."""

    def __init__(self, observed: Observed, catalogue: Catalogue, domains: Sequence[Domain]) -> None:
        self.pages: list[Page] = []
        self.bodies: dict[str, Any] = {}
        self.lines: dict[str, str] = {}
        self.domains = sorted(domains, key=lambda domain: domain.name)
        self.newer: dict[str, str] = {}
        self.sidecar = no_pages(observed)
        self._catalogue = catalogue

    def add(self, page: Page, body: Any, line: str) -> None:
        """A page without its body, the body's digest, and the line to take where the catalogue has none."""
        listed = self._catalogue.lines.get(page.name)
        self.pages.append(page)
        self.bodies[page.name] = body
        self.lines[page.name] = listed or line
        self.sidecar.note(page.name, links_of(page), bool(listed))


def read_pages(observed: Observed) -> PagesOnDisk:
    """The PagesOnDisk of a scope's pages. Raises SourceChanged when one changed since it was hashed."""
    catalogue, domains, _ = read_beside(observed.listing, observed.read)
    pages = PagesOnDisk(observed, catalogue, domains)
    sources = [observed.page(name) for name, _ in observed.pages()]
    if None in sources:
        raise SourceChanged("a page is gone")
    for found in mapped(_read, sources, len(sources)):
        if found is not None:
            pages.add(*found)
    pages.newer = newer(pages.pages)[0]
    return pages


def sound(path: str, counts: Any) -> None:
    """Step 2 alone, of an artefact that is about to be handed out. Raises Damaged or FormatTooNew."""
    received = Received(path)
    try:
        received.reads(counts, Visitor())
    finally:
        received.close()


class Received:
    """An artefact that came from elsewhere, open. ``header``: its header. Raises Damaged or FormatTooNew."""

    def __init__(self, path: str) -> None:
        self.path = path
        with _damage():
            self._artefact = Artefact.open(path)
        self.header = self._artefact.header

    def close(self) -> None:
        """Close the file."""
        self._artefact.close()

    def has_key(self, key: str) -> None:
        """Raises Damaged unless it was made for the pages of ``key`` by this release."""
        header = self.header
        if header["key"] != key:
            raise Damaged(f"it is the artefact of other pages ({str(header['key'])[:12]}) under this key")
        if (header["tokens"], header["records"]) != (TOKENS_VERSION, RECORDS_VERSION):
            raise Damaged("it was built by another version of abcd-index than its key says")

    def holds(self, pages: PagesOnDisk, counts: Any) -> None:
        """Raises Damaged unless every byte is sound and the pages are what ``pages`` says. ``counts``: those that
        came along."""
        contents = Contents(pages)
        decoded = self.reads(counts, contents)
        with _damage():
            differences = contents.differences(decoded)
        if differences:
            more = f" and {len(differences) - NAMED:,} more" if len(differences) > NAMED else ""
            raise Damaged(f"it does not hold what the pages say: {', '.join(differences[:NAMED])}{more}")

    def reads(self, counts: Any, visitor: Visitor) -> Decoded:
        """The Decoded; records and bodies go to the visitor. Raises Damaged unless every byte is sound."""
        with _damage():
            old = Current(self._artefact, Pages(), None)
            try:
                parts = {part: old.lines(part) for part in PARTS}
                for line in chain(*parts.values()):
                    _readable(line.length)
                decoded = self._decoded(old, visitor)
                self._same_frame(old, decoded, parts)
                if not counts_fit(counts, parts["terms"], self._artefact.pages):
                    raise ValueError("the exact counts of its terms are not those that it rounds")
            finally:
                old.file.close()
        return decoded

    def _decoded(self, old: Current, visitor: Visitor) -> Decoded:
        """Every line read and its checksum computed; records and bodies go to the visitor."""
        decoded = Decoded(self.header)
        at, length, _ = self.header["newer"]
        _readable(length)
        old.file.seek(at)
        decoded.newer = orjson.loads(old.file.read(length))
        for part in PARTS:
            for number in range(self.header["parts"][part][1]):
                value: Any = old.record(number) if part == "records" else old.value(part, number)
                if part == "keywords":
                    decoded.keywords.update(_postings(value))
                elif part == "domains":
                    decoded.domains.append(value)
                elif part == "records":
                    visitor.record(number, visitor.keep_record(value))
                elif part == "bodies":
                    visitor.body(number, visitor.keep_body(value))
        return decoded

    def _same_frame(self, old: Current, decoded: Decoded, parts: Mapping[str, Any]) -> None:
        """Raises ValueError unless writing the lines anew gives every byte of the file."""
        header = self.header
        # The writer copies neighbouring lines with what is between them.
        for line in chain(*parts.values()):
            old.file.seek(line.offset + line.length)
            if old.file.read(1) != b"\n":
                raise ValueError(f"a line does not end at byte {line.offset + line.length:,}")
        with fs.opened(self.path) as there:
            comparer = _Comparer(there)
            writer.write(
                comparer,
                header["key"],
                (header["tokens"], header["records"]),
                header["settings"],
                header["lengths"],
                parts,
                writer.key_filter(sorted(decoded.keywords)),
                decoded.newer,
            )
            comparer.end()


@contextmanager
def _damage() -> Iterator[None]:
    """Whatever reading bytes that anybody may have written raises is damage."""
    try:
        yield
    except (FormatTooNew, Damaged):
        raise
    except (
        AbcdError,
        OSError,
        ValueError,
        KeyError,
        TypeError,
        IndexError,
        AttributeError,
        OverflowError,
        MemoryError,
        RecursionError,
    ) as error:
        raise Damaged(f"it is damaged: {error}") from None


def full(scope: Scope, key: str, path: str) -> None:
    """Every byte of the file ``path`` against a build of the pages. Raises Damaged, AbcdError or OSError."""
    fresh = gather(scope)
    try:
        if fresh.key != key or fresh.assembly is None:
            raise Damaged("the pages changed while it was computed again")
        with fs.opened(path) as there:
            comparer = _Comparer(there)
            fresh.assembly.write(comparer, key, written_settings(fresh.settings))
            comparer.end()
    except ValueError as error:
        raise Damaged(f"it is not what the pages make: {error}") from None
    finally:
        fresh.close()


def same_file(one: str, other: str) -> bool:
    """Whether two files hold the same bytes. False where one is none that can be read."""
    try:
        with fs.opened(one) as there, fs.opened(other) as here:
            comparer = _Comparer(there)
            for data in iter(lambda: here.read(1 << 20), b""):
                comparer.write(data)
            comparer.end()
    except (OSError, ValueError):
        return False
    return True


def _readable(length: int) -> None:
    """Raises ValueError for a line that no prompt would read, before it is in memory."""
    if not 0 <= length <= LONGEST_LINE:
        raise ValueError(f"a line of {length:,} bytes")


def _postings(bucket: Mapping[str, Any]) -> dict[str, Any]:
    """A bucket with every posting as [entry, pages, domains]: one that is of no domain may leave them out."""
    return {key: [[*posting, []][:3] for posting in postings] for key, postings in bucket.items()}


class _Comparer:
    """Is written to and compares with a file. Raises ValueError at the first byte that differs."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.at = 0

    def write(self, data: bytes) -> None:
        """Raises ValueError where the file goes on otherwise."""
        if self.file.read(len(data)) != data:
            raise ValueError(f"another byte than there should be, at {self.at:,} or soon after")
        self.at += len(data)

    def end(self) -> None:
        """Raises ValueError where the file does."""
        if self.file.read(1):
            raise ValueError(f"there is more after byte {self.at:,}")


def _read(source: Source) -> tuple[Page, Any, str] | None:
    """What ``PagesOnDisk.add`` takes, or None for what is no page. Runs in any process."""
    try:
        data = source.read()
    except OSError:
        return None
    page, _ = read_one(source.file, data)
    source.data = None
    if page is None:
        return None
    return replace(page, body=""), digest(page.body), made_line(page)
