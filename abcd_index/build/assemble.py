"""Compiled pages -> one artefact.

Two passes in bounded memory: the first counts (how many pages hold a term, how long the fields are)
and spools the lines that are finished; the second writes each page's weights, which need the means.
"""

import tempfile
from collections import Counter

import orjson

from abcd_index.artefact import writer
from abcd_index.artefact.format import checksum
from abcd_index.build.weights import Figures, mean, weights
from abcd_index.terms import TOKENS_VERSION

# Spools up to this size stay in memory; larger ones go to the temporary folder.
SPOOL = 64 << 20


class Assembly:
    """Collects pages in the order of their names, then domains, and writes the artefact.

    >>> assembly = Assembly()
    >>> for page in pages: assembly.add_page(compile_page(page), line)   # doctest: +SKIP
    """

    def __init__(self):
        self.postings = {}
        self.holding = Counter()
        self.titled = Counter()
        self.title_total = 0
        self.body_total = 0
        self.files = []
        self.newer = {}
        self.bodies = []
        self.domains = []
        self._body_spool = tempfile.SpooledTemporaryFile(SPOOL)
        self._page_spool = tempfile.SpooledTemporaryFile(SPOOL)

    def add_page(self, page, catalogue_line):
        """``page``: a Compiled; pages must come sorted by file name."""
        number = len(self.files)
        self.files.append(page.record["file"])
        page.record["line"] = catalogue_line
        self._post(page.postings, number, 1)
        figures = page.figures
        self.holding.update(figures.body.keys() | figures.title.keys())
        self.titled.update(figures.title.keys())
        self.title_total += figures.title_length
        self.body_total += figures.body_length
        self.bodies.append(self._spool(self._body_spool, page.body))
        self._page_spool.write(orjson.dumps(
            [page.record, figures.title, figures.body, figures.title_length, figures.body_length]) + b"\n")

    def add_domain(self, record, postings):
        """A rules domain; domains must come sorted by name."""
        self._post(postings, len(self.domains), 2)
        self.domains.append(writer.Line(writer.line(record)))

    def write(self, out, key, settings):
        """Write the artefact to the binary file ``out``."""
        terms = {}
        for term, count in self.holding.items():
            titled = self.titled.get(term, 0)
            terms[term] = [count, titled] if titled else count
        parts = {
            "keywords": [writer.Line(data) for data in writer.buckets(self._keywords())],
            "terms": [writer.Line(data) for data in writer.buckets(terms)],
            "domains": self.domains,
            "records": list(self._records()),
            "bodies": self.bodies,
        }
        writer.write(out, key, TOKENS_VERSION, settings, (self.title_total, self.body_total), parts,
                     writer.key_filter(self.postings), self.newer)

    def close(self):
        """Let go of the spools."""
        self._body_spool.close()
        self._page_spool.close()

    def _post(self, postings, number, column):
        for key, entry in postings:
            shelf = self.postings.setdefault(key, {})
            posting = shelf.setdefault(orjson.dumps(entry), [entry, [], []])
            if not posting[column] or posting[column][-1] != number:
                posting[column].append(number)

    def _keywords(self):
        return {key: [shelf[entry] for entry in sorted(shelf)] for key, shelf in self.postings.items()}

    def _records(self):
        pages = len(self.files)
        title_mean, body_mean = mean(self.title_total, pages), mean(self.body_total, pages)
        spool = tempfile.SpooledTemporaryFile(SPOOL)
        self._page_spool.seek(0)
        for row in self._page_spool:
            record, title, body, title_length, body_length = orjson.loads(row)
            figures = Figures((), ())
            figures.title, figures.body = title, body
            figures.title_length, figures.body_length = title_length, body_length
            record["weights"], record["titles"] = weights(figures, title_mean, body_mean)
            yield self._spool(spool, writer.line(record))

    @staticmethod
    def _spool(spool, data):
        at = spool.tell()
        spool.write(data + b"\n")
        return writer.Line(None, len(data), checksum(data), spool, at)
