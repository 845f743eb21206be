"""Reads a scope's files once more, page by page, and keeps of each only what ``verify`` compares.

The bodies are not kept, so that a store of any size is verified in bounded memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from abcd_index.build.assemble import Assembly
from abcd_index.build.compile import Compiled, compile_page
from abcd_index.build.run import page_of, source_of
from abcd_index.build.scan import Observed, Source, SourceChanged, observe
from abcd_index.build.workers import mapped
from abcd_index.errors import AbcdError
from abcd_index.scopes import Scope
from abcd_index.settings import Settings
from abcd_index.store.catalogue import made_line
from abcd_index.store.copies import copy_findings
from abcd_index.store.links import alike, newer
from abcd_index.store.read import read_beside
from abcd_index.store.records import Domain, Finding, Page
from abcd_index.text.patterns import entries
from abcd_index.verify.lint import keyword_findings, length_findings

# A page may be saved while we read; more often than this it is not chance.
ROUNDS = 3


@dataclass
class Fresh:
    """What the files of a scope say now.

    ``key`` of the artefact that they make; ``hashes`` {source file: content hash}; ``pages``
    (without their bodies) and ``domains`` by name; ``lines`` {page: catalogue line}; ``bodies`` {page:
    digest}; ``newer`` {page: newer page}; ``left_out``: how many pages could not be compiled;
    ``assembly``: the artefact that they make, to be written and closed, None when not asked for.
    """

    settings: Settings
    key: str
    hashes: dict[str, str]
    findings: list[Finding]
    left_out: int
    assembly: Assembly | None
    pages: list[Page] = field(default_factory=list)
    domains: list[Domain] = field(default_factory=list)
    lines: dict[str, str] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)
    newer: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, observed: Observed, compiled: bool) -> Fresh:
        """One to which no page was added yet. ``compiled``: with an assembly."""
        settings, findings = observed.settings()
        return cls(
            settings,
            observed.key(settings),
            observed.hashes(),
            findings + observed.listing.findings + copy_findings(observed.copies),
            len(observed.listing.left_out) + len(observed.copies),
            Assembly() if compiled else None,
        )

    def close(self) -> None:
        """Let go of the assembly."""
        if self.assembly is not None:
            self.assembly.close()
            self.assembly = None


def gather(scope: Scope, compiled: bool = True) -> Fresh:
    """The Fresh of ``scope``. ``compiled``: also make the artefact anew. Raises AbcdError when the store
    cannot be read, or never comes to rest."""
    for _ in range(ROUNDS):
        observed = observe(scope, trust=False)
        fresh = Fresh.of(observed, compiled)
        try:
            _read(scope, observed, fresh)
            return fresh
        except SourceChanged as moved:
            fresh.close()
            name = str(moved)
        except BaseException:
            fresh.close()
            raise
    raise AbcdError(f"{scope.display(name)} keeps changing while it is read", "verify again when it has settled")


def _read(scope: Scope, observed: Observed, fresh: Fresh) -> None:
    beside = read_beside(observed.listing, observed.read)
    fresh.findings += beside.findings
    items = [(source_of(observed, name), beside.catalogue.lines.get(name)) for name, _ in observed.pages()]
    for read, findings in mapped(_page, items, len(items), scope, fresh.settings, fresh.assembly is not None):
        fresh.findings += findings
        if read is None:
            fresh.left_out += 1
            continue
        fresh.lines[read.page.name] = read.line
        fresh.bodies[read.page.name] = read.body
        if fresh.assembly is not None and read.compiled is not None:
            fresh.assembly.add_page(read.compiled)
        fresh.pages.append(read.page)
    fresh.domains = sorted(beside.domains, key=lambda domain: domain.name)
    fresh.newer, findings = newer(fresh.pages)
    saying = fresh.assembly.terms.holding if fresh.assembly is not None else {}
    fresh.findings += findings + alike(fresh.pages) + keyword_findings(fresh.pages, forms, saying)
    if fresh.assembly is not None:
        fresh.assembly.add_domains(fresh.domains)
        fresh.assembly.newer = fresh.newer


class _Read(NamedTuple):
    """A page without its body, its line, the digest of its body, and what a build makes of it, if that was asked."""

    page: Page
    line: str
    body: bytes
    compiled: Compiled | None


def _page(
    item: tuple[Source, str | None], scope: Scope, settings: Settings, compiled: bool
) -> tuple[_Read | None, list[Finding]]:
    """What is read of a page's Source and catalogue line; None when it cannot be compiled. Runs in any process."""
    source, line = item
    page, found = page_of(source)
    source.data = None
    if page is None:
        return None, found
    line = line or made_line(page)
    return (
        _Read(replace(page, body=""), line, digest(page.body), compile_page(page, line) if compiled else None),
        found + length_findings(scope, page, settings),
    )


def digest(text: str) -> bytes:
    """What stands for a body in a comparison."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@lru_cache(maxsize=1 << 16)
def forms(keyword: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The entries of a keyword; the same few thousand are asked for again and again."""
    return tuple((key, tuple(entry)) for key, entry in entries(keyword))
