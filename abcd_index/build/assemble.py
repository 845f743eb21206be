"""Compiled pages -> one artefact.

Two passes in bounded memory: the first counts (how many pages hold a term, how long the fields are)
and spools what is finished; the second writes each page's weights, which need the means. Pages that
have not changed since an earlier artefact are not compiled again: ``incremental`` takes their finished lines
and figures over, and the outcome is the same to the byte.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, NamedTuple

import orjson

from abcd_index.artefact import writer
from abcd_index.artefact.format import KNOWN, LISTED, RECORDS_VERSION, checksum
from abcd_index.artefact.writer import Term
from abcd_index.build.compile import Compiled, Posting, compile_domain, finished
from abcd_index.build.manifest import Counts
from abcd_index.build.weights import Figures, mean
from abcd_index.build.workers import mapped
from abcd_index.settings import WrittenSettings
from abcd_index.store.records import Domain
from abcd_index.text.normalise import TOKENS_VERSION

# Spools up to this size stay in memory; larger ones go to the temporary folder.
SPOOL = 64 << 20


class Holders(NamedTuple):
    """The pages and the domains, by their numbers, that have an entry among their keywords."""

    entry: list[str]
    pages: list[int]
    domains: list[int]


class Means(NamedTuple):
    """The mean lengths of titles and of texts, in stems, on the grid of ``weights.mean``."""

    title: float
    body: float

    @classmethod
    def of(cls, totals: Iterable[int], pages: int) -> Means:
        """The means of ``pages`` pages with these totals of stems in titles and in texts."""
        title, body = totals
        return cls(mean(title, pages), mean(body, pages))


class Terms:
    """The ranking terms of a store's pages. ``holding`` and ``titled``: {stem: how many pages, how many titles}."""

    def __init__(self) -> None:
        self.holding: Counter[str] = Counter()
        self.titled: Counter[str] = Counter()
        # The pages of each stem that at most KNOWN hold. One that is held and not here is not known page by page.
        self._listed: dict[str, list[int]] = {}

    def add(self, page: int, terms: Iterable[str], titles: Iterable[str]) -> None:
        """Count the distinct stems of a page and of its title."""
        holding, known = self.holding, self._listed
        for stem in terms:
            listed = known.get(stem)
            if listed is None:
                if not holding[stem]:
                    known[stem] = [page]
            elif len(listed) < KNOWN:
                listed.append(page)
            else:
                del known[stem]
        holding.update(terms)
        self.titled.update(titles)

    def take_over(self, terms: Mapping[str, Term], renumbered: Mapping[int, int]) -> None:
        """The terms of an earlier artefact. ``renumbered``: {a page's number there: its number here} of those that
        stay; the others are still to be let go of, see ``let_go``."""
        for stem, term in terms.items():
            self.holding[stem] = term.pages
            if term.titles:
                self.titled[stem] = term.titles
            if term.listed:
                self._listed[stem] = [renumbered[page] for page in term.listed if page in renumbered]

    def let_go(self, terms: Iterable[str], titles: Iterable[str]) -> None:
        """Count the stems of a page no more that was counted before ``take_over``."""
        self.holding.subtract(terms)
        self.titled.subtract(titles)

    def known(self) -> bool:
        """Whether the pages of each term are known that lists them. After ``let_go`` they may not be."""
        return all(stem in self._listed for stem, pages in self.holding.items() if 0 < pages <= LISTED)

    def counted(self) -> dict[str, Term]:
        """{stem: Term} of all that are in a page."""
        return {
            stem: Term(pages, self.titled.get(stem, 0), sorted(self._listed.get(stem, ())))
            for stem, pages in self.holding.items()
            if pages > 0
        }


class Assembly:
    """Collects pages by the order of their names, then domains, and writes the artefact."""

    def __init__(self) -> None:
        self.postings: dict[str, dict[str, Holders]] = {}
        self.terms = Terms()
        # Stems in all titles and in all texts.
        self.lengths = [0, 0]
        self.pages = 0
        self.newer: dict[str, str] = {}
        self.records: list[writer.Line] = []
        self.bodies: list[writer.Line] = []
        self.domains: list[writer.Line] = []
        self._body_spool: IO[bytes] = tempfile.SpooledTemporaryFile(SPOOL)
        self._page_spool: IO[bytes] = tempfile.SpooledTemporaryFile(SPOOL)

    def add_page(self, page: Compiled) -> None:
        """Pages come sorted by file name."""
        for holders in self._holders(page.postings):
            if self.pages not in holders.pages[-1:]:
                holders.pages.append(self.pages)
        self.terms.add(self.pages, page.terms, page.titles)
        self.lengths = [total + length for total, length in zip(self.lengths, page.lengths)]
        self.pages += 1
        self.bodies.append(_spool(self._body_spool, page.body))
        self.records.append(_spool(self._page_spool, page.row))

    def keep_page(self, record: writer.Line, body: writer.Line) -> None:
        """A page whose finished lines (``writer.Line``) are taken over from an earlier artefact; its
        postings and counts are in what the assembly started from."""
        self.pages += 1
        self.records.append(record)
        self.bodies.append(body)

    def add_domains(self, domains: Iterable[Domain]) -> None:
        """The rules' domains, in any order."""
        for domain in sorted(domains, key=lambda domain: domain.name):
            record, postings = compile_domain(domain)
            for holders in self._holders(postings):
                if len(self.domains) not in holders.domains[-1:]:
                    holders.domains.append(len(self.domains))
            self.domains.append(writer.Line(writer.line(record)))

    def _holders(self, postings: Iterable[Posting]) -> Iterator[Holders]:
        for key, entry in postings:
            yield self.postings.setdefault(key, {}).setdefault(entry_key(entry), Holders(entry, [], []))

    def let_go(self, figures: Figures) -> None:
        """Count a page no more that is not kept."""
        self.terms.let_go(figures.terms(), figures.title)
        self.lengths = [total - length for total, length in zip(self.lengths, figures.lengths)]

    def write(self, out: writer.Sink, key: str, settings: WrittenSettings) -> list[Counts]:
        """Write the artefact to the binary file ``out``. Returns its terms, exact, as ``writer.terms_by_bucket``."""
        counts: list[Counts] = writer.terms_by_bucket(self.terms.counted())
        keywords = self._keywords()
        parts = {
            "keywords": [writer.Line(data) for data in writer.buckets(keywords)],
            "terms": [writer.Line(writer.terms_line(bucket, self.pages)) for bucket in counts],
            "domains": self.domains,
            "records": self._finished_records(),
            "bodies": self.bodies,
        }
        writer.write(
            out,
            key,
            (TOKENS_VERSION, RECORDS_VERSION),
            settings,
            self.lengths,
            parts,
            writer.key_filter(keywords),
            self.newer,
        )
        return counts

    def close(self) -> None:
        """Let go of the spools."""
        self._body_spool.close()
        self._page_spool.close()

    def _keywords(self) -> dict[str, list[tuple[object, ...]]]:
        keywords: dict[str, list[tuple[object, ...]]] = {}
        for key, entries in self.postings.items():
            # orjson writes a tuple as a list, and a named one not at all.
            postings = [
                tuple(holders) if holders.domains else tuple(holders[:2])
                for _, holders in sorted(entries.items())
                if holders.pages or holders.domains
            ]
            if postings:
                keywords[key] = postings
        return keywords

    def _finished_records(self) -> list[writer.Line]:
        means = Means.of(self.lengths, self.pages)
        own = [entry for entry in self.records if entry.source is self._page_spool]
        lines = mapped(finished, (self._row(entry) for entry in own), len(own), *means)
        spool: IO[bytes] = tempfile.SpooledTemporaryFile(SPOOL)
        return [_spool(spool, next(lines)) if entry.source is self._page_spool else entry for entry in self.records]

    def _row(self, entry: writer.Line) -> bytes:
        self._page_spool.seek(entry.offset)
        return self._page_spool.read(entry.length)


def entry_key(entry: list[str]) -> str:
    """What tells an entry from others under the same key, and sorts it."""
    # As text: the bytes that orjson gives keep the room that it wrote them in, a kilobyte each.
    return orjson.dumps(entry).decode()


def _spool(spool: IO[bytes], data: bytes) -> writer.Line:
    at = spool.tell()
    spool.write(data + b"\n")
    return writer.Line(None, len(data), checksum(data), spool, at)
