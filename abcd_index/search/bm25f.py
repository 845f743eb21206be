"""BM25F from the pages' own text, for the few pages that can be among the best.

The marks in the artefact never miss a term, but they round its level and take one term for another now and then
(``docs/format.md``). That does for the order of a prompt's few candidates, not for a search of a whole store. So
each page's score is bounded from its marks, and pages are read from the greatest bound downwards until no other
can come among the best: what is shown is what the text says (the filter and refine of A. Broder et al., "Efficient
query evaluation using a two-level retrieval process", CIKM 2003).
"""

from abcd_index.artefact.ranking import LEVELS, ROW_END, Query, beside, level_of
from abcd_index.artefact.reader import torn
from abcd_index.build.assemble import Assembly
from abcd_index.build.compile import keywords_of, stems_of
from abcd_index.build.weights import Figures, pair_numbers, shares

# A level stands for a share that is at most this much larger.
_ABOVE = 0.5 / LEVELS


class Exact:
    """A query against one artefact. ``stems``: as ``score.Query`` takes them."""

    def __init__(self, artefact, stems):
        self.query = Query(artefact, stems)
        self.marks = [mark for _, mark, _, _ in self.query.terms]
        self._means = Assembly.mean_lengths(artefact.header["lengths"], artefact.pages)

    def bound(self, record):
        """What the score of a page is at most, from its record; 0.0 when no term is in it.

        Raises ArtefactTorn when its figures are none.
        """
        try:
            return self._bound(record)
        except (ValueError, IndexError):
            raise torn(f"the figures of {record['file']} are not what a page's figures are") from None

    def _bound(self, record):
        weights, titles = record["weights"].split(ROW_END), record["titles"].split(ROW_END)
        total, here = 0.0, set()
        for stem, mark, body, title in self.query.terms:
            level = level_of(weights, mark)
            if level:
                here.add(stem)
                total += body * (level + _ABOVE)
                head = level_of(titles, mark)
                if head:
                    total += title * (head + _ABOVE)
        for first, second, number, bonus in self.query.pairs:
            if first in here and second in here and beside(record["pairs"], number):
                total += bonus
        return total

    def rows(self, entry):
        """The addends of a page's score from its text, as ``score.Query.explain`` gives them from its marks."""
        record = entry.record
        title, text = stems_of(record["title"], record["summary"], keywords_of(record["recall"]), entry.body)
        heads, texts = shares(Figures(title, text), *self._means)
        rows = [(stem, body * texts[stem], head * heads.get(stem, 0.0))
                for stem, _, body, head in self.query.terms if stem in texts]
        near = pair_numbers(title, text) if self.query.pairs else ()
        return rows + [(first + " " + second, bonus, 0.0)
                       for first, second, number, bonus in self.query.pairs if number in near]
