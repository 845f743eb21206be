"""BM25F from the pages' own text, for the few pages that can be among the best.

The fingerprints in the artefact never miss a term, but they round its level and take one term for another now and then
(``docs/format.md``). That does for the order of a prompt's few candidates, not for a search of a whole store. So
each page's score is bounded from its fingerprints, and pages are read from the greatest bound downwards until no other
can come among the best: what is shown is what the text says (the filter and refine of A. Broder et al., "Efficient
query evaluation using a two-level retrieval process", CIKM 2003).
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple

from abcd_index.artefact.bm25f import Query as Weights
from abcd_index.artefact.bm25f import beside
from abcd_index.artefact.ranking import LEVELS, ROW_END, level_of
from abcd_index.artefact.reader import Artefact, torn
from abcd_index.build.assemble import Means
from abcd_index.build.compile import keywords_of, stems_of
from abcd_index.build.weights import Figures, pair_numbers, shares
from abcd_index.search.corpus import Document
from abcd_index.search.scan import Fingerprint

# A level stands for a share that is at most this much larger.
_ABOVE = 0.5 / LEVELS


class Row(NamedTuple):
    """What a term, or two side by side with a blank between them, adds to a page's score."""

    term: str
    text: float
    title: float


class Exact:
    """A query against one artefact. ``stems``: {stem: how much it counts}."""

    def __init__(self, artefact: Artefact, stems: Dict[str, float]) -> None:
        self.query = Weights(artefact, stems)
        self.fingerprints: List[Fingerprint] = [fingerprint for _, fingerprint, _, _ in self.query.terms]
        self._means = Means.of(artefact.header["lengths"], artefact.pages)

    def bound(self, record: Dict[str, Any]) -> float:
        """What the score of a page is at most, from its record; 0.0 when no term is in it.

        Raises ArtefactTorn when its figures are none.
        """
        try:
            return self._bound(record)
        except (ValueError, IndexError):
            raise torn(f"the figures of {record['file']} are not what a page's figures are") from None

    def _bound(self, record: Dict[str, Any]) -> float:
        weights, titles = record["weights"].split(ROW_END), record["titles"].split(ROW_END)
        total, present = 0.0, set()
        for stem, fingerprint, body, title in self.query.terms:
            level = level_of(weights, fingerprint)
            if level:
                present.add(stem)
                total += body * (level + _ABOVE)
                level = level_of(titles, fingerprint)
                if level:
                    total += title * (level + _ABOVE)
        for first, second, number, bonus in self.query.pairs:
            if first in present and second in present and beside(record["pairs"], number):
                total += bonus
        return total

    def rows(self, document: Document) -> List[Row]:
        """The addends of a page's score from its text, as ``artefact.bm25f`` gives them from its fingerprints."""
        record = document.record
        title, text = stems_of(record["title"], record["summary"], keywords_of(record["recall"]), document.body)
        in_title, in_text = shares(Figures(title, text), *self._means)
        rows = [
            Row(stem, body * in_text[stem], heading * in_title.get(stem, 0.0))
            for stem, _, body, heading in self.query.terms
            if stem in in_text
        ]
        near = pair_numbers(title, text) if self.query.pairs else ()
        return rows + [
            Row(first + " " + second, bonus, 0.0) for first, second, number, bonus in self.query.pairs if number in near
        ]
