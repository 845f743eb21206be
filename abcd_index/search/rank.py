"""Which pages answer a query, in which order, and the sum behind each place."""

from heapq import heappush, heappushpop

from abcd_index.search import signal
from abcd_index.search.bm25f import Exact
from abcd_index.search.words import snippet
from abcd_index.text.porter import analyse

SIGNAL = "signal"
BM25F = "bm25f"
DAY = 86400
MONTH_DAYS = 365.25 / 12
# Pages that BM25F reads at most, once it has as many results as were asked for.
MOST_READ = 300
LEAST = {SIGNAL: 0.5, BM25F: 0.0}


class Asked:
    """A query. ``terms``: folded; ``types``: the types wanted, folded, [] for all; ``now`` and ``since``:
    seconds since 1970; ``least``: the least score that counts, None for the ranking's own."""

    def __init__(self, terms, types=(), limit=5, least=None, stale_months=6.0, ranking=SIGNAL, since=None, now=0.0):
        self.terms = list(terms)
        self.types = [type.casefold() for type in types]
        self.limit = limit
        self.ranking = ranking
        self.least = LEAST[ranking] if least is None else least
        self.stale_months = stale_months
        self.since = since
        self.now = now

    @property
    def browsing(self):
        """Whether there are no terms: pages are then listed by recency and usage alone."""
        return not self.terms


class Result:
    """One answer. ``sums``: a Sums; ``touched``: seconds since 1970; ``months`` since then."""

    __slots__ = ("entry", "score", "sums", "touched", "months", "recalls")

    def __init__(self, entry, touched, months, recalls):
        self.entry = entry
        self.sums = None
        self.score = 0.0
        self.touched = touched
        self.months = months
        self.recalls = recalls

    def summed(self, sums):
        """The Result itself, with its ``sums``."""
        self.sums, self.score = sums, sums.score()
        return self

    def snippet(self, terms, width=160):
        """(text, spans of the hits) around the first hit in the page's text."""
        return snippet(self.entry.body, terms, width)


class SignalSums:
    """``hits``: [TermHits]; ``prior``, ``boost``, ``factor``: the other three inputs."""

    __slots__ = ("hits", "prior", "boost", "factor")

    def __init__(self, hits, prior, boost, factor):
        self.hits = hits
        self.prior = prior
        self.boost = boost
        self.factor = factor

    def keyword(self):
        """The points of all terms."""
        return sum(hit.points() for hit in self.hits)

    def score(self):
        """The documented sum."""
        return (self.keyword() + self.prior + self.boost) * self.factor


class BrowseSums:
    """A browse has nothing to match: recency and usage alone."""

    __slots__ = ("boost", "factor")

    def __init__(self, boost, factor):
        self.boost = boost
        self.factor = factor

    def score(self):
        """At least the recency floor, so that nothing vanishes from a browse."""
        return self.boost + self.factor


class Bm25fSums:
    """``rows``: [(words of the query, from the text, from the title)], see ``exact.Exact.rows``."""

    __slots__ = ("rows",)

    def __init__(self, rows):
        self.rows = rows

    def score(self):
        """The sum of all rows."""
        return sum(text + title for _, text, title in self.rows)


def search(shelves, asked):
    """The best Results over all ``shelves``, at most ``asked.limit``.

    Equal scores: the page touched last comes first, then by file name and in the order of the shelves, so
    the same question gets the same answer.
    """
    find = _by_text if asked.ranking == BM25F and not asked.browsing else _by_sums
    found = [result for result in find(shelves, asked) if result.score >= asked.least]
    found.sort(key=lambda result: (-result.score, -result.touched, result.entry.file))
    return found[:max(asked.limit, 0)]


def months_between(then, now):
    """Months from ``then`` to ``now`` (seconds since 1970), counted in whole days of UTC; 0 when it is to come.

    Whole days, because a date in a page's frontmatter knows no hours.
    """
    return max(int(now // DAY) - int(then // DAY), 0) / MONTH_DAYS


def _by_sums(shelves, asked):
    """The Results of a browse or of the documented signal."""
    for shelf in shelves:
        for entry in shelf.entries() if asked.browsing else shelf.holding(asked.terms):
            result = _result(entry, asked)
            if result is None:
                continue
            boost, factor = signal.boost(result.recalls), signal.recency(result.months, asked.stale_months)
            if asked.browsing:
                yield result.summed(BrowseSums(boost, factor))
                continue
            hits = signal.keyword(asked.terms, entry.names, entry.description, entry.body)
            if hits:
                yield result.summed(SignalSums(hits, signal.prior(entry.record["type"]), boost, factor))


def _by_text(shelves, asked):
    """The Results of BM25F that can be among the best ``asked.limit``."""
    stems, spelled = counted(asked.terms)
    pool = []
    for order, shelf in enumerate(shelves):
        exact = Exact(shelf.artefact, stems)
        for entry in shelf.weighted(exact.marks):
            result = _result(entry, asked)
            if result is not None:
                pool.append((-exact.bound(entry.record), order, entry.number, result, exact))
    pool.sort()
    best = []
    for place, (bound, _, _, result, exact) in enumerate(pool):
        if len(best) >= max(asked.limit, 1) and (best[0] > -bound or place >= MOST_READ):
            return
        rows = exact.rows(result.entry)
        if rows:
            result.summed(Bm25fSums([(" ".join(spelled[stem] for stem in pair.split(" ")), text, title)
                                     for pair, text, title in rows]))
            (heappush if len(best) < asked.limit else heappushpop)(best, result.score)
            yield result


def _result(entry, asked):
    """The page's Result, without its sums; None when the query wants no such page."""
    if asked.types and entry.record["type"].casefold() not in asked.types:
        return None
    touched = entry.shelf.dates.touched(entry)
    if asked.since is not None and touched < asked.since:
        return None
    return Result(entry, touched, months_between(touched, asked.now), entry.shelf.recalls.get(entry.file, 0))


def counted(terms):
    """({stem: how often}, {stem: the word that had it}) of a query, in its order."""
    stems, spelled = {}, {}
    for word in " ".join(terms).split():
        for stem in analyse(word):
            stems[stem] = stems.get(stem, 0.0) + 1.0
            spelled.setdefault(stem, word)
    return stems, spelled
