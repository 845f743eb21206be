"""Compiled pages -> one artefact.

Two passes in bounded memory: the first counts (how many pages hold a term, how long the fields are)
and spools what is finished; the second writes each page's weights, which need the means. Pages that
have not changed since an earlier artefact are not compiled again: ``delta`` takes their finished lines
and figures over, and the outcome is the same to the byte.
"""

import tempfile
from collections import Counter

import orjson

from abcd_index.artefact import writer
from abcd_index.artefact.format import checksum
from abcd_index.build.compile import finished
from abcd_index.build.key import RECORDS_VERSION
from abcd_index.build.weights import mean
from abcd_index.build.workers import mapped
from abcd_index.text.normalise import TOKENS_VERSION

# Spools up to this size stay in memory; larger ones go to the temporary folder.
SPOOL = 64 << 20


class Assembly:
    """Collects pages by the order of their names, then domains, and writes the artefact."""

    def __init__(self):
        self.postings = {}
        self.holding = Counter()
        self.titled = Counter()
        self.title_total = 0
        self.body_total = 0
        self.pages = 0
        self.newer = {}
        self.records = []
        self.bodies = []
        self.domains = []
        self._body_spool = tempfile.SpooledTemporaryFile(SPOOL)
        self._page_spool = tempfile.SpooledTemporaryFile(SPOOL)

    def add_page(self, page):
        """``page``: a Compiled; pages come sorted by file name."""
        self.post(page.postings, self.pages, 1)
        self.pages += 1
        self.count(page.terms, page.titles, page.lengths, 1)
        self.bodies.append(_spool(self._body_spool, page.body))
        self.records.append(_spool(self._page_spool, page.row))

    def keep_page(self, record, body):
        """A page whose finished lines (``writer.Line``) are taken over from an earlier artefact; its
        postings and counts are in what the assembly started from."""
        self.pages += 1
        self.records.append(record)
        self.bodies.append(body)

    def add_domain(self, record, postings):
        """A rules domain; domains come sorted by name."""
        self.post(postings, len(self.domains), 2)
        self.domains.append(writer.Line(writer.line(record)))

    def post(self, postings, number, column):
        """Note a page (column 1) or domain (column 2) under each of its keywords, numbers ascending."""
        for key, entry in postings:
            shelf = self.postings.setdefault(key, {})
            posting = shelf.setdefault(entry_key(entry), [entry, [], []])
            if number not in posting[column][-1:]:
                posting[column].append(number)

    def count(self, terms, titles, lengths, sign):
        """Add (1) a page's stems to the store's counts, or take them away (-1)."""
        for counter, stems in ((self.holding, terms), (self.titled, titles)):
            if sign > 0:
                counter.update(stems)
            else:
                counter.subtract(stems)
        self.title_total += sign * lengths[0]
        self.body_total += sign * lengths[1]

    @staticmethod
    def mean_lengths(totals, pages):
        """(mean length of titles, of texts) on the grid of ``weights.mean``."""
        return mean(totals[0], pages), mean(totals[1], pages)

    def write(self, out, key, settings):
        """Write the artefact to the binary file ``out``. Returns the exact counts of its terms, ``writer.shelved``."""
        counts = writer.shelved({term: (count, self.titled.get(term, 0))
                                 for term, count in self.holding.items() if count > 0})
        keywords = self._keywords()
        parts = {
            "keywords": [writer.Line(data) for data in writer.buckets(keywords)],
            "terms": [writer.Line(writer.counts_line(shelf)) for shelf in counts],
            "domains": self.domains,
            "records": self._finished_records(),
            "bodies": self.bodies,
        }
        writer.write(out, key, (TOKENS_VERSION, RECORDS_VERSION), settings, (self.title_total, self.body_total),
                     parts, writer.key_filter(keywords), self.newer)
        return counts

    def close(self):
        """Let go of the spools."""
        self._body_spool.close()
        self._page_spool.close()

    def _keywords(self):
        keywords = {}
        for key, shelf in self.postings.items():
            postings = [shelf[entry] if shelf[entry][2] else shelf[entry][:2]
                        for entry in sorted(shelf) if shelf[entry][1] or shelf[entry][2]]
            if postings:
                keywords[key] = postings
        return keywords

    def _finished_records(self):
        means = self.mean_lengths((self.title_total, self.body_total), self.pages)
        own = [entry for entry in self.records if entry.source is self._page_spool]
        lines = mapped(finished, (self._row(entry) for entry in own), len(own), *means)
        spool = tempfile.SpooledTemporaryFile(SPOOL)
        return [_spool(spool, next(lines)) if entry.source is self._page_spool else entry for entry in self.records]

    def _row(self, entry):
        self._page_spool.seek(entry.offset)
        return self._page_spool.read(entry.length)


def entry_key(entry):
    """What tells an entry from others under the same key, and sorts it."""
    # As text: the bytes that orjson gives keep the room that it wrote them in, a kilobyte each.
    return orjson.dumps(entry).decode()


def _spool(spool, data):
    at = spool.tell()
    spool.write(data + b"\n")
    return writer.Line(None, len(data), checksum(data), spool, at)
