"""One page -> what the artefact needs of it, without looking at any other page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from abcd_index.artefact.writer import line as json_line
from abcd_index.artefact.writer import record_line
from abcd_index.build.weights import Figures, pairs, weights
from abcd_index.store.records import Domain, Page
from abcd_index.text.patterns import entries
from abcd_index.text.porter import analyse

# A keyword's key and its entry (``text/patterns.py``).
Posting = tuple[str, list[str]]
# A record or a domain as the artefact holds it: JSON.
Record = dict[str, Any]


class PageLinks(NamedTuple):
    """What decides which page is newer than which: a page's names, its links and its date."""

    name: str = ""
    ident: str = ""
    contradicts: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    updated: str | None = None


@dataclass
class Compiled:
    """One page, compiled; can be pickled.

    ``file``: its name. ``row``: its record without weights, with its term counts, as JSON (``finished``
    makes the record line of it). ``body``: the body line. ``terms``
    and ``titles``: the distinct stems of the whole page and of its title. ``lengths``: stems in the title
    and in the text. ``links`` and ``has_line`` (whether the catalogue has a line for it): what
    ``manifest.Pages`` keeps of it.
    """

    file: str
    row: bytes
    body: bytes
    postings: list[Posting]
    terms: list[str]
    titles: list[str]
    lengths: tuple[int, int]
    links: PageLinks
    has_line: bool = False


def compile_page(page: Page, line: str, has_line: bool = False) -> Compiled:
    """``line``: the page's catalogue line; ``has_line``: whether the catalogue has it, or it was made."""
    postings, recall = postings_of(page.keywords)
    record: Record = {
        "file": page.name,
        "title": page.title,
        "name": page.slug,
        "type": page.type,
        "dialect": page.dialect,
        "summary": page.summary,
        "updated": page.updated or "",
        "recall": recall,
        "exclude": exclusions(page.exclude),
        "line": line,
        "size": len(page.body),
    }
    title, text = stems_of(page.title, page.summary, keywords_of(recall), page.body)
    record["pairs"] = pairs(title, text)
    figures = Figures(title, text)
    row = orjson.dumps([record, figures.title, figures.body, *figures.lengths])
    return Compiled(
        page.name,
        row,
        json_line(page.body),
        postings,
        figures.terms(),
        list(figures.title),
        figures.lengths,
        links_of(page),
        has_line,
    )


def links_of(page: Page) -> PageLinks:
    """The PageLinks of a page."""
    return PageLinks(
        page.description_name, page.ident, page.contradicts, page.supersedes, page.superseded_by, page.updated
    )


def finished(row: bytes, title_mean: float, body_mean: float) -> bytes:
    """The record line (bytes) of a page's ``row``, with its weights."""
    record, title, body, title_length, body_length = orjson.loads(row)
    figures = Figures.of_counts(title, body, title_length, body_length)
    record["weights"], record["titles"] = weights(figures, title_mean, body_mean)
    return bytes(record_line(record))


def figures_of(record: Record, body: str) -> Figures:
    """The term counts of a page's text, from what its record and body line hold."""
    return Figures(*stems_of(record["title"], record["summary"], keywords_of(record["recall"]), body))


def keywords_of(recall: Mapping[str, str]) -> list[str]:
    """A page's keywords in an order that a record read back has too."""
    return [recall[normal] for normal in sorted(recall)]


def stems_of(title: str, summary: str, keywords: Iterable[str], body: str) -> tuple[list[str], list[str]]:
    """(stems of the title, stems of the text). The keywords count as text: an own field for them was no gain."""
    return analyse(title), analyse("\n".join((summary, "\n".join(keywords), body)))


def postings_of(keywords: Iterable[str]) -> tuple[list[Posting], dict[str, str]]:
    """([(key, entry)], {normal form: first spelling}) of a page's or domain's keywords."""
    postings: list[Posting] = []
    recall: dict[str, str] = {}
    for keyword in keywords:
        for key, entry in entries(keyword):
            recall.setdefault(entry[0], keyword)
            postings.append((key, entry))
    return postings, recall


def exclusions(words: Iterable[str]) -> list[list[Any]]:
    """The postings of ``exclude`` words, as the record holds them: [[key, entry], ...]."""
    return [[key, entry] for word in words for key, entry in entries(word)]


def compile_domain(domain: Domain) -> tuple[Record, list[Posting]]:
    """(record, postings) of a rules ``Domain``."""
    postings, recall = postings_of(tuple(domain.recall) + tuple(domain.aliases))
    record: Record = {
        "name": domain.name,
        "state": domain.state,
        "aliases": list(domain.aliases),
        "rules": list(domain.rules),
        "exclude": exclusions(domain.exclude),
        "recall": recall,
    }
    return record, postings
