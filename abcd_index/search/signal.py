"""The relevance signal: four documented inputs and one sum, nothing learnt and nothing hidden.

    score = (keyword + type_prior + usage_boost) × recency_factor

It is kept exactly as its document writes it, because people check it by hand. It knows no rarity and no
stop words; ``--ranking bm25f`` does (``docs/explanation/ranking.md`` has the distance in figures).
"""

from __future__ import annotations

from math import log2
from typing import Iterable, List, NamedTuple, Tuple

from abcd_index.search.words import fold

NAME = 5
DESCRIPTION = 3
BODY = 1
BODY_CAP = 3

PRIORS = {"feedback": 1.0, "user": 0.75, "project": 0.5, "reference": 0.25}

RECENCY_TOP = 1.5
RECENCY_FLOOR = 0.5


class TermHits(NamedTuple):
    """The points of one query term in one page: for its name, its description and its body."""

    term: str
    name: int
    description: int
    body: int

    def points(self) -> int:
        """The three together."""
        return self.name + self.description + self.body


def keyword(terms: Iterable[str], names: Iterable[str], description: str, body: str) -> List[TermHits]:
    """The TermHits of every term that is in the page.

    ``terms``: folded. ``names``: every text that counts as the page's name (slug, title). Matching is by
    substring, whatever the case; hyphens and underscores of a name are spaces.
    """
    spellings = [spelling for name in names for spelling in _spellings(name)]
    description, body = fold(description), fold(body)
    hits = [
        TermHits(
            term,
            NAME if any(term in spelling for spelling in spellings) else 0,
            DESCRIPTION if term in description else 0,
            min(body.count(term) * BODY, BODY_CAP),
        )
        for term in terms
    ]
    return [hit for hit in hits if hit.points()]


def prior(type: str) -> float:
    """What a page's type adds; 0 for a type that is not one of the four."""
    return PRIORS.get(type.casefold(), 0.0)


def boost(recalls: int) -> float:
    """What ``recalls`` earlier recalls of a page add."""
    return log2(1 + max(recalls, 0)) * 0.5


def recency(months: float, stale_months: float) -> float:
    """The factor of a page last touched ``months`` ago: 1.5 at once, 0.5 from ``stale_months`` on."""
    return min(max(RECENCY_TOP - months / stale_months, RECENCY_FLOOR), RECENCY_TOP)


def _spellings(name: str) -> Tuple[str, ...]:
    folded = fold(name)
    spaced = folded.replace("-", " ").replace("_", " ")
    return (folded,) if spaced == folded else (spaced, folded)
