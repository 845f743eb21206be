"""BM25F over the weights in the artefact: the one ranking of the hook and of ``recall --ranking bm25f``.

Prompt path; imports only the format. Robertson, Zaragoza, Taylor, "Simple BM25 extension to multiple
weighted fields", CIKM 2004, with a title part beside it (see ``docs/explanation/ranking.md``): the
builder saturates term counts into one level per term and page, this module adds the rarity, which
changes with every page of the store and therefore is not baked in.
"""

from abcd_index.artefact.format import LEVELS, SIGNS, WEIGHT, slot

TITLE_SHARE = 0.5

_log = None


def idf(pages, holding):
    """How rare a term is: ln(1 + (N - n + 0.5) / (n + 0.5)), never negative."""
    global _log
    if _log is None:
        # math is a shared object on many builds: loaded when there is something to rank.
        from math import log as _log
    return _log(1 + (pages - holding + 0.5) / (holding + 0.5))


class Query:
    """A prompt's ranking terms against one artefact. ``stems``: {stem: weight in the prompt}."""

    __slots__ = ("terms",)

    def __init__(self, artefact, stems):
        pages = artefact.pages
        terms = []
        for stem in sorted(stems):
            holding, titled = artefact.term(stem)
            if holding or titled:
                terms.append((stem, slot(stem), stems[stem] * idf(pages, holding),
                              stems[stem] * TITLE_SHARE * idf(pages, titled) if titled else 0.0))
        self.terms = terms

    def score(self, record):
        """The score of a page's record: a float, 0.0 when no term is in the page."""
        weights, titles = record["weights"], record["titles"]
        total = 0.0
        for _, sign, body, title in self.terms:
            level = level_of(weights, sign)
            if level:
                total += body * level
            if title:
                level = level_of(titles, sign)
                if level:
                    total += title * level
        return total / LEVELS

    def explain(self, record):
        """The addends of the score: [(stem, from the text, from the title)], those that are not 0."""
        rows = []
        for stem, sign, body, title in self.terms:
            text = body * level_of(record["weights"], sign) / LEVELS
            head = title * level_of(record["titles"], sign) / LEVELS
            if text or head:
                rows.append((stem, text, head))
        return rows


def level_of(weights, sign):
    """The level, 0 .. 63, of a slot in a string of weights; 0 when the slot is not there."""
    at = weights.find(sign)
    while at >= 0 and at % WEIGHT:
        at = weights.find(sign, at + 1)
    return 0 if at < 0 else SIGNS.index(weights[at + 3])
