"""Which pages answer a query, in which order, and the sum behind each place."""

from abcd_index.artefact.score import Query
from abcd_index.query import signal
from abcd_index.query.words import snippet
from abcd_index.terms.stem import analyse

SIGNAL = "signal"
BM25F = "bm25f"
DAY = 86400
MONTH_DAYS = 365.25 / 12
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

    def __init__(self, entry, sums, touched, months, recalls):
        self.entry = entry
        self.sums = sums
        self.score = sums.score()
        self.touched = touched
        self.months = months
        self.recalls = recalls

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
    """``rows``: [(words of the query, from the text, from the title)], as ``artefact.score`` explains them."""

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
    found = []
    for shelf in shelves:
        entries, sums_of = _candidates(shelf, asked)
        for entry in entries:
            if asked.types and entry.record["type"].casefold() not in asked.types:
                continue
            touched = shelf.dates.touched(entry)
            if asked.since is not None and touched < asked.since:
                continue
            months = months_between(touched, asked.now)
            recalls = shelf.recalls.get(entry.file, 0)
            sums = sums_of(entry, months, recalls)
            if sums is not None:
                result = Result(entry, sums, touched, months, recalls)
                if result.score >= asked.least:
                    found.append(result)
    found.sort(key=lambda result: (-result.score, -result.touched, result.entry.file))
    return found[:max(asked.limit, 0)]


def months_between(then, now):
    """Months from ``then`` to ``now`` (seconds since 1970), counted in whole days of UTC; 0 when it is to come.

    Whole days, because a date in a page's frontmatter knows no hours.
    """
    return max(int(now // DAY) - int(then // DAY), 0) / MONTH_DAYS


def _candidates(shelf, asked):
    """(the pages that may match, a function that gives each its sums or None)."""
    if asked.browsing:
        return shelf.entries(), lambda entry, months, recalls: BrowseSums(
            signal.boost(recalls), signal.recency(months, asked.stale_months))
    if asked.ranking == BM25F:
        stems, spelled = counted(asked.terms)
        query = Query(shelf.artefact, stems)

        def bm25f(entry, months, recalls):
            rows = query.explain(entry.record)
            return Bm25fSums([(" ".join(spelled[stem] for stem in stems.split(" ")), text, title)
                              for stems, text, title in rows]) if rows else None

        return shelf.weighted([sign for _, sign, _, _ in query.terms]), bm25f

    def documented(entry, months, recalls):
        hits = signal.keyword(asked.terms, entry.names, entry.description, entry.body)
        if not hits:
            return None
        return SignalSums(hits, signal.prior(entry.record["type"]), signal.boost(recalls),
                          signal.recency(months, asked.stale_months))

    return shelf.holding(asked.terms), documented


def counted(terms):
    """({stem: how often}, {stem: the word that had it}) of a query, in its order."""
    stems, spelled = {}, {}
    for word in " ".join(terms).split():
        for stem in analyse(word):
            stems[stem] = stems.get(stem, 0.0) + 1.0
            spelled.setdefault(stem, word)
    return stems, spelled
