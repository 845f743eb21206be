"""BM25F over the figures that an artefact holds of its pages.

Prompt path, loaded only when a page may come. Robertson, Zaragoza, Taylor, "Simple BM25 extension to multiple
weighted fields", CIKM 2004, with a title part and a bonus for neighbours beside it (what each is worth:
``docs/explanation/ranking.md``).
"""

from abcd_index.artefact.ranking import BITS, ROW_END, SIGNS, fingerprint, idf, level_of, pair_hash, pair_number, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from abcd_index.artefact.format import Record
    from abcd_index.artefact.reader import Artefact

# What a term in the title adds, as a share of its rarity among titles.
TITLE_SHARE = 0.5
# What two neighbours of the prompt add that are neighbours in the page as well (pasted ones, less).
NEIGHBOURS = 0.4
# A term that the prompt says again and again counts up to this many times as much, plus one (BM25's k3).
REPEATS = 8.0
# A long paste has thousands of words; those beyond the weightiest add time and no order.
MOST_TERMS = 200
MOST_PAIRS = 60


class Query:
    """A prompt's ranking terms against one artefact.

    ``stems``: {stem: how often, a float}, in the order in which the prompt first says them, which is
    what makes two of them neighbours.
    """

    __slots__ = ("terms", "pairs")

    def __init__(self, artefact: "Artefact", stems: "dict[str, float]") -> None:
        pages = artefact.pages
        self.terms: list[tuple[str, tuple[int, str, str, str], float, float]] = []
        self.pairs: list[tuple[str, str, int, float]] = []
        terms, pairs = self.terms, self.pairs
        before = None
        for stem in _weightiest(stems):
            holding, titled, _ = artefact.term(stem)
            if not holding:
                before = None
                continue
            weight = (REPEATS + 1) * stems[stem] / (REPEATS + stems[stem])
            terms.append(
                (
                    stem,
                    fingerprint(stem),
                    weight * idf(pages, holding),
                    weight * TITLE_SHARE * idf(pages, titled) if titled else 0.0,
                )
            )
            if before is not None and len(pairs) < MOST_PAIRS:
                pairs.append(
                    (
                        before,
                        stem,
                        pair_number(pair_hash(before), pair_hash(stem)),
                        NEIGHBOURS * min(stems[before], stems[stem], 1.0),
                    )
                )
            before = stem

    def score(self, record: "Record") -> float:
        """The score of a page's record: a float, 0.0 when no term is in the page."""
        total = 0.0
        for _, text, title in self.explain(record):
            total += text + title
        return total

    def explain(self, record: "Record") -> "list[tuple[str, float, float]]":
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


def beside(pairs: str, number: int) -> bool:
    """Whether a page's string of pairs holds the pair with this number (one "yes" in four is wrong)."""
    if not pairs:
        return False
    for place in places(number, len(pairs) * BITS):
        if not SIGNS.index(pairs[place // BITS]) >> place % BITS & 1:
            return False
    return True


def _weightiest(stems: "dict[str, float]") -> "list[str]":
    """The stems that count, in their own order: all, or of very many those with the greatest weights."""
    if len(stems) <= MOST_TERMS:
        return list(stems)
    order = {stem: at for at, stem in enumerate(stems)}
    best = sorted(stems, key=lambda stem: (-stems[stem], order[stem]))[:MOST_TERMS]
    return sorted(best, key=order.__getitem__)
