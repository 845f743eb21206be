"""Builds from an earlier artefact: only pages that changed since are read and compiled.

The outcome is the same to the byte as a full build (a test holds that). What cannot be taken over
exactly (another tokeniser, a mean length that left its step) makes ``start`` give up, and the caller
builds in full.
"""

import orjson

from abcd_index.artefact.format import CELL, LENGTH_END, OFFSET_END
from abcd_index.artefact.writer import Line, line
from abcd_index.build.assemble import Assembly
from abcd_index.build.compile import figures_of, postings_of
from abcd_index.terms import TOKENS_VERSION

# With more than this share of the store changed, a full build is as fast and simpler.
WORTH_IT = 0.3


class Old:
    """An earlier artefact, open for taking over. ``files``: {file name: ordinal}."""

    def __init__(self, artefact, names):
        """``artefact``: an open reader; ``names``: its pages' file names in order."""
        self.artefact = artefact
        self.file = open(artefact.path, "rb")
        self.files = {name: number for number, name in enumerate(names)}
        self._cells = {}

    def close(self):
        """Close both views of the file."""
        self.file.close()
        self.artefact.close()

    def cell(self, part, number):
        """The finished line of an entry, as a Line that copies from the old file."""
        table = self._table(part)
        cell = table[number * CELL:number * CELL + CELL]
        return Line(None, int(cell[OFFSET_END:LENGTH_END], 16), int(cell[LENGTH_END:], 16), self.file,
                    int(cell[:OFFSET_END], 16))

    def buckets(self, part):
        """Every bucket (dict) of a part."""
        for number in range(self.artefact.header["parts"][part][1]):
            entry = self.cell(part, number)
            self.file.seek(entry.offset)
            yield orjson.loads(self.file.read(entry.length))

    def record(self, number):
        """The record (dict) of a page, by orjson."""
        entry = self.cell("records", number)
        self.file.seek(entry.offset)
        return orjson.loads(self.file.read(entry.length))

    def _table(self, part):
        if part not in self._cells:
            at, count = self.artefact.header["parts"][part]
            self.file.seek(at + 1)
            self._cells[part] = self.file.read(count * CELL)
        return self._cells[part]


def start(old, kept, names):
    """An Assembly that holds the postings and counts of the ``kept`` pages of ``old``, or None.

    ``kept``: file names whose content is what it was. ``names``: all file names of the new artefact,
    sorted; new pages are then added with ``fill``.
    """
    header = old.artefact.header
    if header["tokens"] != TOKENS_VERSION or len(names) - len(kept) > WORTH_IT * len(names):
        return None
    assembly = Assembly()
    assembly.title_total, assembly.body_total = header["lengths"]
    for shelf in old.buckets("terms"):
        for term, count in shelf.items():
            if isinstance(count, int):
                assembly.holding[term] = count
            else:
                assembly.holding[term], assembly.titled[term] = count
    gone = {name: number for name, number in old.files.items() if name not in kept}
    numbers = {name: number for number, name in enumerate(names)}
    moved = {old.files[name]: numbers[name] for name in kept}
    for shelf in old.buckets("keywords"):
        for key, postings in shelf.items():
            assembly.postings[key] = {
                orjson.dumps(entry): [entry, [moved[page] for page in pages if page in moved], []]
                for entry, pages, _ in postings}
    for number in gone.values():
        record = old.record(number)
        assembly.count(figures_of(record["title"], record["summary"], record["recall"],
                                  old.artefact.body(number)), -1)
    return assembly


def fill(assembly, old, kept, names, compiled, lines):
    """Put the pages in order: ``kept`` ones from ``old``, the others from ``compiled`` ({file: Compiled}).

    ``lines``: {file: catalogue line} of every page whose line may differ from the old one. Returns False
    when the mean lengths moved, so that the kept weights no longer hold.
    """
    for page in compiled.values():
        assembly.count(page.figures, 1)
    assembly.pages = len(names)
    before = Assembly()
    before.pages = len(old.files)
    before.title_total, before.body_total = old.artefact.header["lengths"]
    if assembly.means() != before.means():
        return False
    assembly.pages = 0
    for name in names:
        if name in kept:
            number = old.files[name]
            entry = old.cell("records", number)
            if lines is not None:
                record = old.record(number)
                if record["line"] != lines[name]:
                    record["line"] = lines[name]
                    entry = Line(line(record))
            assembly.keep_page(entry, old.cell("bodies", number))
        else:
            page = compiled[name]
            assembly.count(page.figures, -1)  # add_page counts it again
            assembly.add_page(page, page.record["line"])
    for shelf in assembly.postings.values():
        for posting in shelf.values():
            posting[1].sort()
    return True


__all__ = ["Old", "start", "fill", "postings_of"]
