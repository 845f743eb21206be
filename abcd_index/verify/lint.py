"""Keywords that will disappoint and pages that cannot come whole: what only the store as a whole shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from abcd_index.agenthooks import render
from abcd_index.agenthooks.evidence import MANY, TELLING_STORE
from abcd_index.scopes import Scope
from abcd_index.settings import Settings
from abcd_index.store.records import Finding, Page
from abcd_index.store.without_keywords import without_keywords
from abcd_index.text.patterns import weakness
from abcd_index.text.porter import analyse
from abcd_index.verify.codes import PAGES

# A keyword sets nothing apart when more than a fifth of a store, and not just a few pages, shares it;
# in a store of any size, when more pages share it than a person would ever look through.
COMMON_SHARE = 0.2
COMMON_LEAST = 8
COMMON_MOST = 500
MOST_KEYWORDS = 30


# Gives the entries of a keyword, as ``text`` makes them.
Forms = Callable[[str], tuple[tuple[str, tuple[str, ...]], ...]]


def keyword_findings(pages: Sequence[Page], forms: Forms, saying: Mapping[str, int]) -> list[Finding]:
    """Findings about the keywords of all ``pages``. ``saying``: {stem: how many pages say it}, {} where that was not
    counted."""
    holding: Counter[str] = Counter()
    for page in pages:
        holding.update({_normal(keyword, forms) for keyword in page.keywords})
    found: list[Finding] = []
    for page in pages:
        found += _keywords(page, _Store(len(pages), holding, saying), forms)
    return found + without_keywords([page.name for page in pages if not page.keywords], len(pages))


class _Store(NamedTuple):
    """What decides how much a keyword tells in a store: how many ``pages`` it has, how many have a keyword ({normal
    form: pages}), and how many say a word ({stem: pages})."""

    pages: int
    holding: Mapping[str, int]
    saying: Mapping[str, int]

    def pages_that_say(self, normal: str) -> int:
        """How many pages say a keyword of one word, where that is so many that it tells little; else 0. The prompt path
        judges alike (``agenthooks.evidence``)."""
        stems = analyse(normal)
        if self.pages < TELLING_STORE or " " in normal or not stems:
            return 0
        least = min(self.saying.get(stem, 0) for stem in stems)
        return least if least > MANY * self.pages else 0


def _normal(keyword: str, forms: Forms) -> str:
    """The keyword's normal form, '' when it can never match."""
    known = forms(keyword)
    return known[0][1][0] if known else ""


def _keywords(page: Page, store: _Store, forms: Forms) -> list[Finding]:
    found = []
    useful = 0
    for keyword in page.keywords:
        normal, reason = _normal(keyword, forms), _weakness(keyword)
        useful += bool(normal)
        if not normal:
            found.append(
                _finding(
                    "keyword-never",
                    page,
                    f"{keyword!r} {reason or 'never matches'}",
                    "replace it by a word that people type, or drop it",
                )
            )
        elif _is_common(store.holding[normal], store.pages):
            found.append(
                _finding(
                    "keyword-common",
                    page,
                    f"{keyword!r} is shared by {store.holding[normal]:,} of {store.pages:,} pages",
                    "use a more specific word or a phrase of two words",
                )
            )
        elif reason:
            found.append(
                _finding(
                    "keyword-weak", page, f"{keyword!r} {reason}", "use a more specific word or a phrase of two words"
                )
            )
        elif store.pages_that_say(normal):
            found.append(
                _finding(
                    "keyword-generic",
                    page,
                    f"{keyword!r} stands in {store.pages_that_say(normal):,} of {store.pages:,} pages; alone it brings "
                    "only a line",
                    "add a word that only this page is about, or a phrase of two words",
                )
            )
    if page.keywords and not useful:
        found.append(
            _finding(
                "keywords-useless",
                page,
                "no keyword can bring the page: none of them ever matches",
                "write words that people type",
            )
        )
    if len(page.keywords) > MOST_KEYWORDS:
        found.append(
            _finding(
                "keywords-many",
                page,
                f"the page has {len(page.keywords)} keywords",
                f"keep the best; up to {MOST_KEYWORDS} are in order",
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
