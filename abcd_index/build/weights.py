"""A page's text -> the ranking figures that the artefact holds of it.

The level of a term is its saturated count, as in BM25F with a title weight (Robertson, Zaragoza,
Taylor, CIKM 2004); ``artefact/bm25f.py`` multiplies it by the term's rarity when a prompt asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from math import exp, log
from typing import TypeVar

from abcd_index.artefact.format import PRIME
from abcd_index.artefact.ranking import BITS, FINGERPRINTS, LEVELS, LOWS, ROW_END, SIGNS, pair_hash, pair_number

T = TypeVar("T")

K1 = 1.5
B_BODY = 0.75
B_TITLE = 0.75
TITLE_WEIGHT = 3.0
# Mean lengths are rounded to a geometric grid: one edited page then seldom moves the mean, and the
# other pages' levels, and so their bytes, stay what they were.
STEP = 0.02
# See ``ranking.ROW_END``.
TERMS_A_ROW = 5
# Bits of a page's pairs: 3 for each and three places make one "yes" in four wrong.
PAIR_BITS = 3
# Of a page longer than this only the pairs that come first are kept.
MOST_PAIRS = 800


class Figures:
    """What ranking needs of one page: term counts of ``title`` and ``body`` ({stem: count})."""

    def __init__(self, title: list[str], body: list[str]) -> None:
        """``title`` and ``body``: stems in order."""
        self.title: Mapping[str, int] = Counter(title)
        self.body: Mapping[str, int] = Counter(body)
        self.title_length = len(title)
        self.body_length = len(body)

    @property
    def lengths(self) -> tuple[int, int]:
        """(stems in the title, stems in the text)."""
        return self.title_length, self.body_length

    def terms(self) -> list[str]:
        """The distinct stems of the whole page."""
        return list(self.body.keys() | self.title.keys())

    @classmethod
    def of_counts(
        cls, title: Mapping[str, int], body: Mapping[str, int], title_length: int, body_length: int
    ) -> Figures:
        """Figures of counts that were taken before."""
        figures = cls([], [])
        figures.title, figures.body = title, body
        figures.title_length, figures.body_length = title_length, body_length
        return figures


def mean(total: int, pages: int) -> float:
    """The mean length of ``pages`` fields with ``total`` stems, on the grid; 1.0 when there are none."""
    if not pages or not total:
        return 1.0
    return round(exp(round(log(total / pages) / STEP) * STEP), 6)


class _Known(dict[str, T]):
    """{stem: what ``function`` makes of it}, bounded; a builder meets the same stems over and over."""

    MOST = 300000

    def __init__(self, function: Callable[[str], T]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, stem: str) -> T:
        if len(self) > self.MOST:
            self.clear()
        found = self[stem] = self.function(stem)
        return found


# A weight's two signs, by LEVELS times the mark plus the level.
_CELLS = [
    SIGNS[found // LOWS] + SIGNS[found % LOWS * LEVELS + level]
    for found in range(FINGERPRINTS)
    for level in range(LEVELS)
]
# The sign of six flags, the lowest bit first.
_SIGN_OF = {bytes([number >> bit & 1 for bit in range(BITS)]): sign for number, sign in enumerate(SIGNS[: 1 << BITS])}


def _fingerprint(stem: str) -> tuple[int, int]:
    number = int.from_bytes(stem.encode("utf-8", "surrogatepass"), "big")
    return number % PRIME, number % FINGERPRINTS


_fingerprints = _Known(_fingerprint)
_hashes: _Known[int] = _Known(pair_hash)


def shares(figures: Figures, title_mean: float, body_mean: float) -> tuple[dict[str, float], dict[str, float]]:
    """({term: share} of the title, {term: share} of the whole page): how much it says each, 0 .. 1."""
    title_norm = 1 - B_TITLE + B_TITLE * figures.title_length / title_mean
    body_norm = 1 - B_BODY + B_BODY * figures.body_length / body_mean
    body = figures.body
    titles: dict[str, float] = {}
    # Most terms of a page share a handful of counts.
    known = {count: _share(count / body_norm) for count in set(body.values())}
    found = {term: known[count] for term, count in body.items()}
    for term, count in figures.title.items():
        titles[term] = _share(count / title_norm)
        found[term] = _share(body.get(term, 0) / body_norm + TITLE_WEIGHT * count / title_norm)
    return titles, found


def weights(figures: Figures, title_mean: float, body_mean: float) -> tuple[str, str]:
    """The two strings of weights, (of the whole page, of the title): rows of two signs a term."""
    titles, body = shares(figures, title_mean, body_mean)
    return _written(body), _written(titles)


def pair_numbers(*texts: Iterable[str]) -> dict[int, None]:
    """{number: ...} of the pairs of stems that stand side by side in one of ``texts`` (lists of stems), as
    ``ranking.pair_number`` has them: in their order, at most MOST_PAIRS."""
    found: dict[int, None] = {}
    for text in texts:
        hashes = [_hashes[stem] for stem in text]
        found.update(dict.fromkeys(map(pair_number, hashes, hashes[1:])))
    return found if len(found) <= MOST_PAIRS else dict.fromkeys(islice(found, MOST_PAIRS))


def pairs(*texts: Iterable[str]) -> str:
    """The string of bits that answers whether two stems stand side by side in one of ``texts`` (lists of stems).

    It depends on the page alone, so one edited page never changes another's bytes.
    """
    found = pair_numbers(*texts)
    if not found:
        return ""
    bits = (len(found) * PAIR_BITS // BITS + 1) * BITS
    flags = bytearray(bits)
    for number in found:  # as ``ranking.places``, spelled out: this is the inmost loop of a build
        flags[number % bits] = 1
        number //= bits
        flags[number % bits] = 1
        flags[number // bits % bits] = 1
    found_flags = bytes(flags)
    return "".join([_SIGN_OF[found_flags[at : at + BITS]] for at in range(0, bits, BITS)])


def _share(count: float) -> float:
    return count / (count + K1)


def _written(shares: Mapping[str, float]) -> str:
    """The rows of weights of ``shares`` ({term: share})."""
    count = max(1, len(shares) // TERMS_A_ROW)
    rows: list[dict[int, int]] = [{} for _ in range(count)]
    levels = {share: int(share * LEVELS) for share in set(shares.values())}
    for term, share in shares.items():
        number, found = _fingerprints[term]
        row, level = rows[number % count], levels[share]
        if row.get(found, -1) < level:
            row[found] = level
    return ROW_END.join(["".join([_CELLS[found * LEVELS + row[found]] for found in sorted(row)]) for row in rows])
