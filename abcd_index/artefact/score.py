"""BM25F over the marks in the artefact: the order of the hook's candidates, and the sum of ``recall --ranking bm25f``.

Prompt path; imports only the signs. Robertson, Zaragoza, Taylor, "Simple BM25 extension to multiple
weighted fields", CIKM 2004, with a title part and a bonus for neighbours beside it (what each is worth:
``docs/explanation/ranking.md``). The builder saturates term counts into one level per term and page;
this module adds the rarity, which changes with every page of the store and therefore is not baked in.
"""

from abcd_index.artefact.signs import BITS, LEVELS, ROW_END, SIGNS, WEIGHT, mark, pair_hash, pair_number, places

# What a term in the title adds, as a share of its rarity among titles.
TITLE_SHARE = 0.5
# What two neighbours of the prompt add that are neighbours in the page as well (pasted ones, less).
NEIGHBOURS = 0.4
# A term that the prompt says again and again counts up to this many times as much, plus one (BM25's k3).
REPEATS = 8.0
# A long paste has thousands of words; those beyond the weightiest add time and no order.
MOST_TERMS = 200
MOST_PAIRS = 60

_LN2 = 0.6931471805599453


def idf(pages, holding):
    """How rare a term is: ln(1 + (N - n + 0.5) / (n + 0.5)), never negative."""
    return ln(1 + (pages - holding + 0.5) / (holding + 0.5))


def ln(x):
    """The natural logarithm of ``x`` >= 1, to eight digits. math is a shared object on many builds, and loading
    it takes longer than ranking a prompt's pages."""
    exponent = int(x).bit_length() - 1
    x /= 1 << exponent
    t = (x - 1) / (x + 1)
    s = t * t
    return exponent * _LN2 + 2 * t * (1 + s * (1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * (1 / 11 + s / 13))))))


class Query:
    """A prompt's ranking terms against one artefact.

    ``stems``: {stem: how often, a float}, in the order in which the prompt first says them, which is
    what makes two of them neighbours.
    """

    __slots__ = ("terms", "pairs")

    def __init__(self, artefact, stems):
        pages = artefact.pages
        self.terms = terms = []
        self.pairs = pairs = []
        before = None
        for stem in _weightiest(stems):
            holding, titled = artefact.term(stem)
            if not holding:
                before = None
                continue
            weight = (REPEATS + 1) * stems[stem] / (REPEATS + stems[stem])
            terms.append((stem, mark(stem), weight * idf(pages, holding),
                          weight * TITLE_SHARE * idf(pages, titled) if titled else 0.0))
            if before is not None and len(pairs) < MOST_PAIRS:
                pairs.append((before, stem, pair_number(pair_hash(before), pair_hash(stem)),
                              NEIGHBOURS * min(stems[before], stems[stem], 1.0)))
            before = stem

    def score(self, record):
        """The score of a page's record: a float, 0.0 when no term is in the page."""
        total = 0.0
        for _, text, title in self.explain(record):
            total += text + title
        return total

    def explain(self, record):
        """The addends of the score, those that are not 0: [(stem, from the text, from the title)].

        Two neighbours are written as one stem with a space in between.
        """
        weights, titles = record["weights"].split(ROW_END), record["titles"].split(ROW_END)
        rows = []
        here = set()
        for stem, where, body, title in self.terms:
            level = level_of(weights, where)
            if level:
                # A term of the title is a term of the page, so it has a level here as well.
                here.add(stem)
                rows.append((stem, body * level, title * level_of(titles, where) if title else 0.0))
        near = record["pairs"]
        for first, second, number, bonus in self.pairs:
            if first in here and second in here and beside(near, number):
                rows.append((first + " " + second, bonus, 0.0))
        return rows


def level_of(rows, where):
    """How much a page says a term, 0 .. 1; 0.0 when it does not. ``rows``: the page's weights, split at ROW_END;
    ``where``: the term's ``mark``."""
    number, first, least, greatest = where
    row = rows[number % len(rows)]
    at = row.find(first)
    while at >= 0:
        if not at % WEIGHT and least <= row[at + 1] <= greatest:
            return (SIGNS.index(row[at + 1]) % LEVELS + 0.5) / LEVELS
        at = row.find(first, at + 1)
    return 0.0


def beside(pairs, number):
    """Whether a page's string of pairs holds the pair with this number (one "yes" in four is wrong)."""
    if not pairs:
        return False
    for place in places(number, len(pairs) * BITS):
        if not SIGNS.index(pairs[place // BITS]) >> place % BITS & 1:
            return False
    return True


def _weightiest(stems):
    """The stems that count, in their own order: all, or of very many those with the greatest weights."""
    if len(stems) <= MOST_TERMS:
        return list(stems)
    order = {stem: at for at, stem in enumerate(stems)}
    best = sorted(stems, key=lambda stem: (-stems[stem], order[stem]))[:MOST_TERMS]
    return sorted(best, key=order.get)
