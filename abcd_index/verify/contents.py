"""What an artefact says of the pages, held against the pages: two visitors for ``format.decode``."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from abcd_index.store.records import Domain, Page
from abcd_index.verify.format import Decoded, Visitor
from abcd_index.verify.recompute import digest, forms

FIELDS = ("title", "type", "summary", "dialect")


class Pages(Protocol):
    """What the pages say (``recompute.Fresh`` is one)."""

    pages: list[Page]
    domains: list[Domain]
    lines: dict[str, str]
    bodies: dict[str, bytes]
    newer: dict[str, str]


def _headline(record: dict[str, Any]) -> dict[str, Any]:
    """What of a record is compared with its page."""
    return {name: record[name] for name in ("file", "updated", "line", "recall", *FIELDS)}


class Difference(NamedTuple):
    """A page that differs: ``what`` is changed, added or removed; ``file`` is relative to the scope's home."""

    what: str
    file: str


class Headlines(Visitor):
    """Names the pages that an artefact of other pages holds differently, lacks or has too many."""

    def __init__(self, fresh: Pages) -> None:
        self.fresh = fresh
        self.pages = {page.name: page for page in fresh.pages}
        self.files: list[str] = []
        self.changed: set[str] = set()

    keep_record = staticmethod(_headline)
    keep_body = staticmethod(digest)

    def record(self, number: int, record: dict[str, Any]) -> None:
        self.files.append(record["file"])
        page = self.pages.get(record["file"])
        if page is not None and not self._same(page, record):
            self.changed.add(page.name)

    def body(self, number: int, body: bytes) -> None:
        name = self.files[number]
        if name in self.pages and self.fresh.bodies[name] != body:
            self.changed.add(name)

    def pages_that_differ(self) -> list[Difference]:
        there = set(self.files)
        found = [("changed", name) for name in self.changed]
        found += [("added", name) for name in self.pages if name not in there]
        found += [("removed", name) for name in there if name not in self.pages]
        return [Difference(what, "memory/" + name) for what, name in found]

    def _same(self, page: Page, record: dict[str, Any]) -> bool:
        return (
            all(record[field] == getattr(page, field) for field in FIELDS)
            and record["updated"] == (page.updated or "")
            and record["line"] == self.fresh.lines[page.name]
            and record["recall"] == _spellings(page)
        )


class Contents(Headlines):
    """Names every way in which an artefact with the pages' own key does not hold what they say."""

    def differences(self, decoded: Decoded) -> list[str]:
        """Sentences, when all records and bodies have been seen."""
        found = [f"{name} {what}" for what, name in sorted(self.pages_that_differ(), key=lambda pair: pair[1])]
        found += self._postings(decoded)
        if decoded.newer != self.fresh.newer:
            found.append("the list of newer pages")
        return found + self._domains(decoded.domains)

    def _postings(self, decoded: Decoded) -> list[str]:
        """Keywords that a page declares and the buckets do not hold, and the reverse."""
        ordinals = {name: number for number, name in enumerate(self.files)}
        wanted: dict[tuple[str, str], set[int]] = {}
        there: dict[tuple[str, str], set[int]] = {}
        for page in self.fresh.pages:
            if page.name in ordinals:
                for keyword in page.keywords:
                    for key, entry in forms(keyword):
                        wanted.setdefault((key, entry[0]), set()).add(ordinals[page.name])
        for key, postings in decoded.keywords.items():
            for entry, pages, *_ in postings:
                if pages:
                    there.setdefault((key, entry[0]), set()).update(pages)
        different = sorted(pair for pair in set(wanted) | set(there) if wanted.get(pair) != there.get(pair))
        return [f"the pages of keyword {normal!r}" for _, normal in different]

    def _domains(self, there: list[dict[str, Any]]) -> list[str]:
        if [domain["name"] for domain in there] != [domain.name for domain in self.fresh.domains]:
            return ["the rule domains"]
        return [
            f"the rules of {domain.name}"
            for domain, found in zip(self.fresh.domains, there)
            if found["rules"] != list(domain.rules) or found["state"] != domain.state
        ]


def _spellings(page: Page) -> dict[str, str]:
    """{normal form: keyword as first spelled} of the keywords of ``page`` that can match."""
    first: dict[str, str] = {}
    for keyword in page.keywords:
        for _, entry in forms(keyword):
            first.setdefault(entry[0], keyword)
    return first
