"""Builds from the current artefact: only pages that changed since are read and compiled.

Two ways. ``edited``: nothing but the text of some pages changed, and what changed fits between the lines of the
artefact; every other line is copied as it is, unread. ``changed``: pages came, went or changed in any way. The outcome
is the same to the byte as a full build (a test holds that). Each gives up with None where something would change that
it cannot take over exactly (a mean length that left its step, another number of buckets); the caller then takes the
next way, or builds in full.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import orjson

from abcd_index import fs
from abcd_index.artefact.format import (
    CELL,
    DIGITS,
    KNOWN,
    LENGTH_END,
    LISTED,
    OFFSET_END,
    PARTS,
    RECORDS_VERSION,
    bucket,
    checksum,
)
from abcd_index.artefact.provenance import open_ours
from abcd_index.artefact.ranking import whole
from abcd_index.artefact.reader import Artefact
from abcd_index.artefact.times import Times
from abcd_index.artefact.writer import Line, Term, record_line, terms_count, terms_line
from abcd_index.build.assemble import Assembly, Holders, Means, entry_key
from abcd_index.build.compile import Compiled, Record, figures_of, finished, postings_of
from abcd_index.build.manifest import Counts, Pages
from abcd_index.build.weights import Figures
from abcd_index.errors import ArtefactError
from abcd_index.scopes import Scope
from abcd_index.text.normalise import TOKENS_VERSION

# With more than this share of the store changed, a full build is as fast and simpler.
WORTH_IT = 0.3


class Current:
    """The current artefact, open for taking over, with its sidecars."""

    def __init__(self, artefact: Artefact, pages: Pages, times: Times | None) -> None:
        self.artefact = artefact
        self.pages = pages
        self.times = times
        self.file = fs.opened(artefact.path)
        self.numbers = {name: number for number, name in enumerate(pages.files)}
        self._tables: dict[str, bytes] = {}

    def close(self) -> None:
        """Close every view of the files."""
        self.file.close()
        self.artefact.close()
        if self.times is not None:
            self.times.close()

    def hashes(self) -> Iterator[tuple[str, str]]:
        """(file name, content hash when it was built) of every page."""
        for number, name in enumerate(self.pages.files):
            row = self.times.row(number) if self.times is not None else None
            if row is not None:
                yield name, row[-1]

    def line(self, part: str, number: int) -> Line:
        """The finished line of an entry, as a Line that copies from this file."""
        if part not in self._tables:
            at, count = self.artefact.header["parts"][part]
            self.file.seek(at + 1)
            self._tables[part] = self.file.read(count * CELL)
        cell = self._tables[part][number * CELL : number * CELL + CELL]
        return Line(
            None,
            int(cell[OFFSET_END:LENGTH_END], DIGITS),
            int(cell[LENGTH_END:], DIGITS),
            self.file,
            int(cell[:OFFSET_END], DIGITS),
        )

    def lines(self, part: str) -> list[Line]:
        """The finished lines of a whole part."""
        return [self.line(part, number) for number in range(self.artefact.header["parts"][part][1])]

    def filter(self) -> tuple[int, str]:
        """(bits, hex digits) of the filter."""
        at, bits = self.artefact.header["filter"]
        self.file.seek(at + 1)
        return bits, self.file.read((bits >> 2) + 1).decode("ascii")

    def value(self, part: str, number: int) -> Any:
        """The value of an entry, by orjson. Raises ValueError on a damaged line."""
        entry = self.line(part, number)
        self.file.seek(entry.offset)
        data = self.file.read(entry.length)
        if checksum(data) != entry.check:
            raise ValueError(f"{part} {number} is damaged")
        return orjson.loads(data)

    def record(self, number: int) -> Record:
        """The record (every field) of a page by its ordinal. Raises ValueError on a damaged line."""
        record: Record = whole(self.value("records", number))
        return record

    def figures(self, number: int, record: Record) -> Figures:
        """The term counts of a page's text."""
        return figures_of(record, self.value("bodies", number))

    def means(self) -> Means:
        """The mean lengths with which the weights were made."""
        return Means.of(self.artefact.header["lengths"], len(self.numbers))

    def dates(self, names: list[str], compiled: Mapping[str, Compiled]) -> dict[str, str | None]:
        """{file: updated} of pages: dates decide which of several links counts."""
        return {
            name: (
                compiled[name].links.updated if name in compiled else self.record(self.numbers[name])["updated"] or None
            )
            for name in names
        }


def open_current(scope: Scope) -> Current | None:
    """The current artefact of ``scope``, or None when it cannot be built upon: this machine did not make
    it, a sidecar is missing, or is about another file."""
    try:
        artefact = open_ours(scope)
    except ArtefactError:
        return None
    header = artefact.header
    pages, times = Pages.read(scope.index, header["key"]), Times.open(scope.index, header["key"])
    if (
        pages is not None
        and pages.links is not None
        and times is not None
        and len(pages.files) == artefact.pages
        and header["tokens"] == TOKENS_VERSION
        and header.get("records") == RECORDS_VERSION
        and pages.stamp == times.artefact
    ):
        try:
            current = Current(artefact, pages, times)
            if os.path.samestat(os.fstat(current.file.fileno()), os.fstat(artefact.fileno())):
                return current
            current.file.close()
        except OSError:
            pass  # Pruned at this very moment.
    artefact.close()
    if times is not None:
        times.close()
    return None


class Edited(NamedTuple):
    """The parts of the new artefact. ``lengths``: as in its header; ``counts``: {line: its terms} where they changed;
    ``terms``: distinct stems in the store."""

    parts: dict[str, list[Line]]
    lengths: list[int]
    counts: dict[int, Counts]
    terms: int


def edited(current: Current, compiled: Mapping[str, Compiled]) -> Edited | None:
    """The artefact in which the pages of ``compiled`` (by their files) are what they are now, or None. The files
    are the same ones, in the same order."""
    changes: list[_Moved] = []
    lengths = list(current.artefact.header["lengths"])
    for file, page in compiled.items():
        number = current.numbers.get(file)
        if number is None:
            return None
        record = current.record(number)
        if not _only_text_changed(current, record, page):
            return None
        figures = current.figures(number, record)
        changes.append(_Moved.of(number, figures, page))
        lengths = [total - was + now for total, was, now in zip(lengths, figures.lengths, page.lengths)]
    means = Means.of(lengths, len(current.numbers))
    if means != current.means():
        return None
    parts = {part: current.lines(part) for part in PARTS}
    counts = _changed_counts(current.pages, changes, len(parts["terms"]))
    if counts is None:
        return None
    for number, line in counts.items():
        parts["terms"][number] = Line(terms_line(line, len(current.numbers)))
    for file, page in compiled.items():
        number = current.numbers[file]
        parts["records"][number] = Line(finished(page.row, *means))
        parts["bodies"][number] = Line(page.body)
    terms = current.pages.terms + sum(
        len(line) - len(current.pages.counts_in(number)) for number, line in counts.items()
    )
    return Edited(parts, lengths, counts, terms)


def _only_text_changed(current: Current, record: Record, page: Compiled) -> bool:
    """Whether keywords, names and links are what they were."""
    # A page's date decides between links, so it counts where the store has any.
    return (
        not current.pages.links
        and current.pages.links_of(page.file) == page.links._replace(updated=None)
        and sorted(postings_of(record["recall"].values())[0]) == sorted(page.postings)
    )


class _Moved(NamedTuple):
    """What the new text of a page says and the old one did not, and the other way round, in text and in title."""

    page: int
    came: frozenset[str]
    went: frozenset[str]
    titles_came: frozenset[str]
    titles_went: frozenset[str]

    @classmethod
    def of(cls, number: int, was: Figures, now: Compiled) -> _Moved:
        had, has = frozenset(was.terms()), frozenset(now.terms)
        titled, titles = frozenset(was.title), frozenset(now.titles)
        return cls(number, has - had, had - has, titles - titled, titled - titles)

    def stems(self) -> frozenset[str]:
        """All stems of which the counts change."""
        return self.came.union(self.went, self.titles_came, self.titles_went)

    def applied(self, stem: str, term: Term) -> Term:
        """The ``term`` of a stem when the page is what it is now."""
        pages = term.pages + (stem in self.came) - (stem in self.went)
        titles = term.titles + (stem in self.titles_came) - (stem in self.titles_went)
        listed = term.listed
        if stem in self.went:
            listed = [page for page in listed if page != self.page]
        elif stem in self.came and len(listed) == term.pages:
            listed = sorted([*listed, self.page])
        return Term(pages, titles, listed if len(listed) == pages <= KNOWN else ())


def _changed_counts(pages: Pages, changes: Iterable[_Moved], lines: int) -> dict[int, Counts] | None:
    """The terms in each of the artefact's ``lines`` of them that ``changes`` change; None when the number of lines
    would be another one, or the pages of a term that has to list them now are not known."""
    changed: dict[int, Counts] = {}
    distinct = pages.terms
    for moved in changes:
        for stem in moved.stems():
            if not lines:
                return None
            number = bucket(stem, lines)
            if number not in changed:
                changed[number] = pages.counts_in(number)
            was = changed[number].pop(stem, Term(0, 0))
            now = moved.applied(stem, was)
            distinct += (now.pages > 0) - (was.pages > 0)
            if now.pages > 0:
                changed[number][stem] = now
    if any(term.pages <= LISTED and not term.listed for counts in changed.values() for term in counts.values()):
        return None
    return changed if terms_count(distinct) == lines else None


class Change(NamedTuple):
    """What a new artefact takes over and what not. ``kept``: files whose content is what it was. ``compiled``: the
    others, by their files. ``lines``: {file: catalogue line}; None when the catalogue is what it was."""

    kept: Collection[str]
    compiled: Mapping[str, Compiled]
    lines: Mapping[str, str] | None

    def files(self) -> list[str]:
        """All files of the new artefact, in order."""
        return sorted([*self.kept, *self.compiled])


def changed(current: Current, change: Change) -> Assembly | None:
    """The Assembly of the pages as they are now, to be closed by the caller, or None when the mean lengths left their
    step, so that the kept pages' weights no longer hold, or a term became rare whose pages are not known. Its domains
    are to be added."""
    assembly = Assembly()
    try:
        _take_over_postings(assembly, current, change)
        for name, number in current.numbers.items():
            if name not in change.kept:
                figures = current.figures(number, current.record(number))
                assembly.let_go(figures)
        compiled = [page.lengths for page in change.compiled.values()]
        lengths = [sum(column) for column in zip(assembly.lengths, *compiled)]
        if Means.of(lengths, len(change.files())) == current.means():
            _fill(assembly, current, change)
            if assembly.terms.known():
                return assembly
    except BaseException:
        assembly.close()
        raise
    assembly.close()
    return None


def _take_over_postings(assembly: Assembly, current: Current, change: Change) -> None:
    """The counts of all pages as they were, and the postings of the kept ones, under their new numbers."""
    assembly.lengths = list(current.artefact.header["lengths"])
    numbers = {name: number for number, name in enumerate(change.files())}
    renumbered = {current.numbers[name]: numbers[name] for name in change.kept}
    for counts in current.pages.counts():
        assembly.terms.take_over(counts, renumbered)
    same = all(before == after for before, after in renumbered.items()) and len(renumbered) == len(current.numbers)
    for number in range(current.artefact.header["parts"]["keywords"][1]):
        for key, postings in current.value("keywords", number).items():
            assembly.postings[key] = {
                entry_key(entry): Holders(
                    entry, pages if same else [renumbered[page] for page in pages if page in renumbered], []
                )
                for entry, pages, *_ in postings
            }


def _fill(assembly: Assembly, current: Current, change: Change) -> None:
    for name in change.files():
        if name in change.compiled:
            assembly.add_page(change.compiled[name])
            continue
        number = current.numbers[name]
        line = current.line("records", number)
        if change.lines is not None:
            record = current.record(number)
            if record["line"] != change.lines[name]:
                record["line"] = change.lines[name]
                line = Line(record_line(record))
        assembly.keep_page(line, current.line("bodies", number))
    for page in change.compiled.values():
        for key, _ in page.postings:
            for holders in assembly.postings[key].values():
                holders.pages.sort()
