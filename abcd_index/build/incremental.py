"""Builds from the current artefact: only pages that changed since are read and compiled.

The outcome is the same to the byte as a full build (a test holds that). What cannot be taken over
exactly (another tokeniser, a mean length that left its step) makes these functions give up, and the
caller builds in full.
"""

import os

import orjson

from abcd_index import fs
from abcd_index.artefact import reader
from abcd_index.artefact.format import CELL, DIGITS, LENGTH_END, OFFSET_END
from abcd_index.artefact.provenance import open_ours
from abcd_index.artefact.ranking import whole
from abcd_index.artefact.times import Times
from abcd_index.artefact.writer import Line, record_line
from abcd_index.build.assemble import Assembly, entry_key
from abcd_index.build.compile import figures_of
from abcd_index.build.key import RECORDS_VERSION
from abcd_index.build.manifest import Pages
from abcd_index.errors import ArtefactError
from abcd_index.text.normalise import TOKENS_VERSION

# With more than this share of the store changed, a full build is as fast and simpler.
WORTH_IT = 0.3


class Old:
    """The current artefact, open for taking over, with its sidecars."""

    def __init__(self, artefact, pages, times):
        self.artefact = artefact
        self.pages = pages
        self.times = times
        self.file = fs.opened(artefact.path)
        self.numbers = {name: number for number, name in enumerate(pages.files)}
        self._tables = {}

    def close(self):
        """Close every view of the files."""
        self.file.close()
        self.artefact.close()
        self.times.close()

    def hashes(self):
        """(file name, content hash when it was built) of every page."""
        for number, name in enumerate(self.pages.files):
            row = self.times.row(number)
            if row is not None:
                yield name, row[-1]

    def cell(self, part, number):
        """The finished line of an entry, as a Line that copies from the old file."""
        if part not in self._tables:
            at, count = self.artefact.header["parts"][part]
            self.file.seek(at + 1)
            self._tables[part] = self.file.read(count * CELL)
        cell = self._tables[part][number * CELL:number * CELL + CELL]
        return Line(None, int(cell[OFFSET_END:LENGTH_END], DIGITS), int(cell[LENGTH_END:], DIGITS), self.file,
                    int(cell[:OFFSET_END], DIGITS))

    def cells(self, part):
        """The finished lines of a whole part (a list of Lines)."""
        return [self.cell(part, number) for number in range(self.artefact.header["parts"][part][1])]

    def filter(self):
        """(bits, hex digits) of the filter."""
        at, bits = self.artefact.header["filter"]
        self.file.seek(at + 1)
        return bits, self.file.read((bits >> 2) + 1).decode("ascii")

    def value(self, part, number):
        """The value of an entry, by orjson. Raises ValueError on a damaged line."""
        entry = self.cell(part, number)
        self.file.seek(entry.offset)
        data = self.file.read(entry.length)
        if reader.checksum(data) != entry.check:
            raise ValueError(f"{part} {number} is damaged")
        return orjson.loads(data)

    def record(self, number):
        """The record (dict, every field) of a page by its ordinal. Raises ValueError on a damaged line."""
        return whole(self.value("records", number))

    def buckets(self, part):
        """Every bucket (dict) of a part."""
        for number in range(self.artefact.header["parts"][part][1]):
            yield self.value(part, number)

    def dates(self, names, compiled):
        """{file: updated} of pages: dates decide which of several links counts."""
        return {name: (compiled[name].links[4] if name in compiled
                       else self.record(self.numbers[name])["updated"] or None) for name in names}


def open_current(scope):
    """The current artefact of ``scope`` as an Old, or None when it cannot be built upon: this machine did not make
    it, a sidecar is missing, or is about another file."""
    try:
        artefact = open_ours(scope)
    except ArtefactError:
        return None
    header = artefact.header
    pages, times = Pages.read(scope.index, header["key"]), Times.open(scope.index, header["key"])
    usable = (pages is not None and pages.links is not None and times is not None and len(pages.files) == artefact.pages
              and header["tokens"] == TOKENS_VERSION and header.get("records") == RECORDS_VERSION
              and pages.stamp == times.artefact)
    if usable:
        try:
            old = Old(artefact, pages, times)
            if os.path.samestat(os.fstat(old.file.fileno()), os.fstat(artefact.fileno())):
                return old
            old.file.close()
        except OSError:
            pass  # Pruned at this very moment.
    artefact.close()
    if times is not None:
        times.close()
    return None


def start(old, kept, names):
    """An Assembly that holds the postings and counts of the ``kept`` pages.

    ``kept``: file names whose content is what it was. ``names``: all file names of the new artefact,
    sorted; ``fill`` then puts the pages in.
    """
    assembly = Assembly()
    assembly.title_total, assembly.body_total = old.artefact.header["lengths"]
    for shelf in old.pages.counts():
        for term, (pages, titles) in shelf.items():
            assembly.holding[term] = pages
            if titles:
                assembly.titled[term] = titles
    numbers = {name: number for number, name in enumerate(names)}
    moved = {old.numbers[name]: numbers[name] for name in kept}
    straight = all(before == after for before, after in moved.items()) and len(moved) == len(old.numbers)
    for shelf in old.buckets("keywords"):
        for key, postings in shelf.items():
            assembly.postings[key] = {
                entry_key(entry): [entry, pages if straight else [moved[p] for p in pages if p in moved], []]
                for entry, pages, *_ in postings}
    for name, number in old.numbers.items():
        if name not in kept:
            record = old.record(number)
            figures = figures_of(record["title"], record["summary"], record["recall"], old.value("bodies", number))
            assembly.count(figures.terms(), list(figures.title), figures.lengths, -1)
    return assembly


def fill(assembly, old, kept, names, compiled, lines):
    """Put the pages in order: ``kept`` ones from ``old``, the others from ``compiled`` ({file: Compiled}).

    ``lines``: {file: catalogue line}, None when the catalogue is what it was. Returns False when the mean
    lengths moved, so that the kept pages' weights no longer hold.
    """
    before = Assembly.mean_lengths(old.artefact.header["lengths"], len(old.numbers))
    title_total = assembly.title_total + sum(page.lengths[0] for page in compiled.values())
    body_total = assembly.body_total + sum(page.lengths[1] for page in compiled.values())
    if Assembly.mean_lengths((title_total, body_total), len(names)) != before:
        return False
    for name in names:
        if name not in kept:
            assembly.add_page(compiled[name])
            continue
        number = old.numbers[name]
        entry = old.cell("records", number)
        if lines is not None:
            record = old.record(number)
            if record["line"] != lines[name]:
                record["line"] = lines[name]
                entry = Line(record_line(record))
        assembly.keep_page(entry, old.cell("bodies", number))
    for page in compiled.values():
        for key, _ in page.postings:
            for posting in assembly.postings[key].values():
                posting[1].sort()
    return True
