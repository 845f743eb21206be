"""Keywords that will disappoint and pages that cannot come whole: what only the store as a whole shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from abcd_index.agenthooks import render
from abcd_index.scopes import Scope
from abcd_index.settings import Settings
from abcd_index.store.records import Finding, Page
from abcd_index.text.patterns import weakness
from abcd_index.verify.codes import PAGES

# A keyword sets nothing apart when more than a fifth of a store, and not just a few pages, shares it;
# in a store of any size, when more pages share it than a person would ever look through.
COMMON_SHARE = 0.2
COMMON_LEAST = 8
COMMON_MOST = 500
MANY = 30


# Gives the entries of a keyword, as ``text`` makes them.
Forms = Callable[[str], tuple[tuple[str, tuple[str, ...]], ...]]


def keyword_findings(pages: Sequence[Page], forms: Forms) -> list[Finding]:
    """Findings about the keywords of all ``pages``."""
    holding: Counter[str] = Counter()
    for page in pages:
        holding.update({_normal(keyword, forms) for keyword in page.keywords})
    found: list[Finding] = []
    for page in pages:
        found += _keywords(page, holding, len(pages), forms)
    return found


def _normal(keyword: str, forms: Forms) -> str:
    """The keyword's normal form, '' when it can never match."""
    known = forms(keyword)
    return known[0][1][0] if known else ""


def _keywords(page: Page, holding: Counter[str], pages: int, forms: Forms) -> list[Finding]:
    found = []
    for keyword in page.keywords:
        normal, reason = _normal(keyword, forms), _weakness(keyword)
        if not normal:
            found.append(
                _finding(
                    "keyword-never",
                    page,
                    f"{keyword!r} {reason or 'never matches'}",
                    "replace it by a word that people type, or drop it",
                )
            )
        elif _is_common(holding[normal], pages):
            found.append(
                _finding(
                    "keyword-common",
                    page,
                    f"{keyword!r} is shared by {holding[normal]:,} of {pages:,} pages",
                    "use a more specific word or a phrase of two words",
                )
            )
        elif reason:
            found.append(
                _finding(
                    "keyword-weak", page, f"{keyword!r} {reason}", "use a more specific word or a phrase of two words"
                )
            )
    if len(page.keywords) > MANY:
        found.append(
            _finding(
                "keywords-many",
                page,
                f"the page has {len(page.keywords)} keywords",
                f"keep the best; up to {MANY} are in order",
            )
        )
    return found


# Pages share keywords, and verify asks of each page.
_weakness = lru_cache(maxsize=1 << 16)(weakness)


def length_findings(scope: Scope, page: Page, settings: Settings) -> list[Finding]:
    """Whether a page can come whole, measured with the prompt path's own words: what stands around a body,
    and what a host may count."""
    if not page.keywords:
        return []  # Never injected, so its length does not matter.
    most = min(settings["limits"]["context"], render.MOST)
    head = render.page_header(page.title, scope.shown + page.name, scope.name, page.keywords, page.updated or "")
    room = most - sum(map(render.cost, (render.OPEN % "FRESH", render.INTRO, render.CLOSE, head)))
    size = max(len(page.body), render.cost(render.page_body(page.body)))
    if size <= room:
        return []
    message = f"{size:,} characters, {room:,} fit into a prompt: only its head will ever come"
    return [_finding("page-too-long", page, message, "split it into pages of one thing each", page.body_line)]


def _is_common(count: int, pages: int) -> bool:
    return count > COMMON_MOST or (count >= COMMON_LEAST and count > COMMON_SHARE * pages)


def _finding(code: str, page: Page, message: str, fix: str, line: int | None = None) -> Finding:
    line = line or page.lines.get("recall")
    return Finding(code, PAGES[code].severity, f"memory/{page.name}", line, message, fix)
