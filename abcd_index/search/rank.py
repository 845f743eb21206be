"""Which pages answer a query, in which order, and the sum behind each place."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappush, heappushpop
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Sequence, Tuple, Union

from abcd_index.search import signal
from abcd_index.search.bm25f import Exact, Row
from abcd_index.search.corpus import Corpus, Document
from abcd_index.search.words import Span, excerpt
from abcd_index.text.porter import analyse

SIGNAL = "signal"
BM25F = "bm25f"
DAY = 86400
MONTH_DAYS = 365.25 / 12
# Pages that BM25F reads at most, once it has as many results as were asked for.
MOST_READ = 300
LEAST = {SIGNAL: 0.5, BM25F: 0.0}


@dataclass
class Query:
    """What is looked for. ``terms``: folded; ``types``: the types wanted, folded, none for all; ``now`` and ``since``:
    seconds since 1970; ``least``: the least score that counts, None for the ranking's own."""

    terms: Sequence[str]
    types: Sequence[str] = ()
    limit: int = 5
    least: float | None = None
    stale_months: float = 6.0
    ranking: str = SIGNAL
    since: float | None = None
    now: float = 0.0

    def __post_init__(self) -> None:
        self.types = [type.casefold() for type in self.types]

    @property
    def browsing(self) -> bool:
        """Whether there are no terms: pages are then listed by recency and usage alone."""
        return not self.terms

    @property
    def empty(self) -> bool:
        """Whether nothing says which pages are wanted."""
        return self.browsing and not self.types and self.since is None

    @property
    def threshold(self) -> float:
        """The least score that counts."""
        return LEAST[self.ranking] if self.least is None else self.least


class SignalSums(NamedTuple):
    """``hits``: of each term; ``prior``, ``boost``, ``factor``: the other three inputs."""

    hits: List[signal.TermHits]
    prior: float
    boost: float
    factor: float

    def keyword(self) -> int:
        """The points of all terms."""
        return sum(hit.points() for hit in self.hits)

    def score(self) -> float:
        """The documented sum."""
        return (self.keyword() + self.prior + self.boost) * self.factor

    def values(self) -> Dict[str, Any]:
        """The sum as JSON has it."""
        return {
            "keyword": self.keyword(),
            "type_prior": self.prior,
            "usage_boost": round(self.boost, 4),
            "recency_factor": round(self.factor, 4),
            "terms": [hit._asdict() for hit in self.hits],
        }

    def lines(self, result: Result, query: Query) -> List[str]:
        """The sum line by line, as its document writes it."""
        return [
            f"{hit.term}: name +{hit.name}, description +{hit.description}, body +{hit.body}" for hit in self.hits
        ] + [
            f"(keyword {self.keyword()} + type_prior {self.prior:g} + usage_boost {self.boost:.2f})"
            f" × recency_factor {self.factor:.2f} = {result.score:.2f}",
            f"usage_boost: {result.recalls} recalls; recency_factor: {_age(result, query)}",
        ]


class BrowseSums(NamedTuple):
    """A browse has nothing to match: recency and usage alone."""

    boost: float
    factor: float

    def score(self) -> float:
        """At least the recency floor, so that nothing vanishes from a browse."""
        return self.boost + self.factor

    def values(self) -> Dict[str, Any]:
        """The sum as JSON has it."""
        return {"usage_boost": round(self.boost, 4), "recency_factor": round(self.factor, 4)}

    def lines(self, result: Result, query: Query) -> List[str]:
        """The sum in one line."""
        return [
            f"usage_boost {self.boost:.2f} ({result.recalls} recalls) + recency_factor {self.factor:.2f} "
            f"({_age(result, query)}) = {result.score:.2f}"
        ]


class Bm25fSums(NamedTuple):
    """``rows``: what each word of the query, or two side by side, adds."""

    rows: List[Row]

    def score(self) -> float:
        """The sum of all rows."""
        return sum(row.text + row.title for row in self.rows)

    def values(self) -> Dict[str, Any]:
        """The sum as JSON has it."""
        return {
            "terms": [
                {"term": term, "text": round(text, 4), "title": round(title, 4)} for term, text, title in self.rows
            ]
        }

    def lines(self, result: Result, query: Query) -> List[str]:
        """The sum line by line."""
        return [
            f"{term}: {text:.2f} "
            + ("side by side" if " " in term else "text")
            + (f" + {title:.2f} title" if title else "")
            for term, text, title in self.rows
        ] + [f"sum = {result.score:.2f}"]


Sums = Union[SignalSums, BrowseSums, Bm25fSums]


class Result:
    """One answer. ``touched``: seconds since 1970; ``months`` since then; ``sums``: what made its ``score``."""

    __slots__ = ("document", "touched", "months", "recalls", "sums", "score")

    def __init__(self, document: Document, touched: float, months: float) -> None:
        self.document = document
        self.touched = touched
        self.months = months
        self.recalls = document.corpus.recalls.get(document.file, 0)
        self.sums: Sums = BrowseSums(0.0, 0.0)
        self.score = 0.0

    def summed(self, sums: Sums) -> Result:
        """The Result itself, with its ``sums``."""
        self.sums, self.score = sums, sums.score()
        return self

    def excerpt(self, terms: Sequence[str], width: int = 160) -> Tuple[str, List[Span]]:
        """(text, where the hits in it are) around the first hit in the page's text."""
        return excerpt(self.document.body, terms, width)

    def values(self, query: Query, explain: bool = False) -> Dict[str, Any]:
        """The answer as JSON has it."""
        document = self.document
        row: Dict[str, Any] = {
            "name": document.name,
            "type": document.type or "unknown",
            "description": document.description,
            "path": document.path,
            "score": round(self.score, 4),
            "recency_months": round(self.months, 2),
            "usage_count": self.recalls,
            "snippet": self.excerpt(query.terms)[0],
        }
        if explain:
            row["breakdown"] = self.sums.values()
        return row


def search(corpora: Sequence[Corpus], query: Query) -> List[Result]:
    """The best Results over all ``corpora``, at most ``query.limit``.

    Equal scores: the page touched last comes first, then by file name and in the order of the corpora, so
    the same question gets the same answer.
    """
    find = _by_text if query.ranking == BM25F and not query.browsing else _by_sums
    found = [result for result in find(corpora, query) if result.score >= query.threshold]
    found.sort(key=lambda result: (-result.score, -result.touched, result.document.file))
    return found[: max(query.limit, 0)]


def months_between(then: float, now: float) -> float:
    """Months from ``then`` to ``now`` (seconds since 1970), counted in whole days of UTC; 0 when it is to come.

    Whole days, because a date in a page's frontmatter knows no hours.
    """
    return max(int(now // DAY) - int(then // DAY), 0) / MONTH_DAYS


def counted(terms: Iterable[str]) -> Tuple[Dict[str, float], Dict[str, str]]:
    """({stem: how often}, {stem: the word that had it}) of a query, in its order."""
    stems: Dict[str, float] = {}
    spelled: Dict[str, str] = {}
    for word in " ".join(terms).split():
        for stem in analyse(word):
            stems[stem] = stems.get(stem, 0.0) + 1.0
            spelled.setdefault(stem, word)
    return stems, spelled


def _by_sums(corpora: Sequence[Corpus], query: Query) -> Iterator[Result]:
    """The Results of a browse or of the documented signal."""
    for corpus in corpora:
        for document in corpus.documents() if query.browsing else corpus.holding(query.terms):
            result = _result(document, query)
            if result is None:
                continue
            boost, factor = signal.boost(result.recalls), signal.recency(result.months, query.stale_months)
            if query.browsing:
                yield result.summed(BrowseSums(boost, factor))
                continue
            hits = signal.keyword(query.terms, document.names, document.description, document.body)
            if hits:
                yield result.summed(SignalSums(hits, signal.prior(document.type), boost, factor))


def _by_text(corpora: Sequence[Corpus], query: Query) -> Iterator[Result]:
    """The Results of BM25F that can be among the best ``query.limit``."""
    stems, spelled = counted(query.terms)
    pool = []
    for order, corpus in enumerate(corpora):
        exact = Exact(corpus.artefact, stems)
        for document in corpus.weighted(exact.fingerprints):
            result = _result(document, query)
            if result is not None:
                pool.append((-exact.bound(document.record), order, document.number, result, exact))
    pool.sort()
    best: List[float] = []
    for place, (bound, _, _, result, exact) in enumerate(pool):
        if len(best) >= max(query.limit, 1) and (best[0] > -bound or place >= MOST_READ):
            return
        rows = [
            Row(" ".join(spelled[stem] for stem in row.term.split(" ")), row.text, row.title)
            for row in exact.rows(result.document)
        ]
        if rows:
            result.summed(Bm25fSums(rows))
            (heappush if len(best) < query.limit else heappushpop)(best, result.score)
            yield result


def _result(document: Document, query: Query) -> Result | None:
    """The page's Result, without its sums; None when the query wants no such page."""
    if query.types and document.type.casefold() not in query.types:
        return None
    touched = document.touched
    if query.since is not None and touched < query.since:
        return None
    return Result(document, touched, months_between(touched, query.now))


def _age(result: Result, query: Query) -> str:
    return f"{result.months:.1f} months, span {query.stale_months:g}"
