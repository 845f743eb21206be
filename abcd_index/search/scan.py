"""Which pages can hold a word at all, told from the artefact's bytes as they lie.

A query over a whole store would check and parse every line of it. Most lines do not hold the query's words,
and that shows in their bytes: only the others are then read in earnest, with their checksums. A page that
may match is never passed over.
"""

from __future__ import annotations

import mmap
import re
from typing import Iterable, Iterator, List, Sequence, Tuple

from abcd_index.artefact.format import CELL, DIGITS, LENGTH_END, OFFSET_END
from abcd_index.artefact.ranking import ROW_END, level_of
from abcd_index.artefact.reader import Artefact, torn

# Where a term stands in any page's weights (``artefact.ranking.mark``).
Fingerprint = Tuple[int, str, str, str]

# Every character outside ASCII whose folded form holds ASCII (sharp s, Kelvin sign, ligatures, ...). A line with
# one of them is always read.
ODD = (
    "\u00df\u0130\u0149\u017f\u01f0\u037e\u1e96\u1e97\u1e98\u1e99\u1e9a\u1e9e\u1fef\u212a"
    "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06"
)
_ODD = re.compile("|".join(ODD).encode("utf-8"))
# What JSON writes in another way than the text has it.
_ESCAPED = re.compile(r'["\\\x00-\x1f\x7f]')


class Scan:
    """The lines of an open artefact as bytes."""

    def __init__(self, artefact: Artefact) -> None:
        self._map = mmap.mmap(artefact.fileno(), 0, access=mmap.ACCESS_READ)
        self._cells = {part: self._table(artefact, part) for part in ("records", "bodies")}
        self.pages = artefact.pages

    def close(self) -> None:
        """Let go of the file."""
        self._map.close()

    def holding(self, terms: Iterable[str]) -> Iterator[int]:
        """Ordinals of the pages of which record or body may hold one of ``terms`` (folded), whatever the case."""
        words = []
        for term in terms:
            word = _plain_word(term)
            if word is None:
                yield from range(self.pages)
                return
            words.append(word)
        for page in range(self.pages):
            if any(_may_hold(self._line(part, page), words) for part in ("bodies", "records")):
                yield page

    def weighted(self, fingerprints: Sequence[Fingerprint]) -> Iterator[int]:
        """Ordinals of the pages of which the record has a weight of one of these fingerprints of terms.

        A record's line begins with its weights, which hold no quotation mark.
        """
        for page in range(self.pages):
            line = self._line("records", page)
            rows = line[2 : line.find(b'"', 2)].decode("ascii", "replace").split(ROW_END)
            try:
                found = any(level_of(rows, fingerprint) for fingerprint in fingerprints)
            except (ValueError, IndexError):  # No weights, whatever else: its checksum or its kind will tell.
                found = True
            if found:
                yield page

    def _table(self, artefact: Artefact, part: str) -> List[Tuple[int, int]]:
        at, count = artefact.header["parts"][part]
        table = self._map[at + 1 : at + 1 + count * CELL]
        try:
            return [
                (int(table[at : at + OFFSET_END], DIGITS), int(table[at + OFFSET_END : at + LENGTH_END], DIGITS))
                for at in range(0, len(table), CELL)
            ]
        except ValueError:
            raise torn(f"the table of {part} is damaged") from None

    def _line(self, part: str, page: int) -> bytes:
        at, length = self._cells[part][page]
        return self._map[at : at + length]


def _may_hold(line: bytes, words: Sequence[bytes]) -> bool:
    low = line.lower()
    return any(word in low for word in words) or (not line.isascii() and _ODD.search(line) is not None)


def _plain_word(term: str) -> bytes | None:
    """A piece of ``term`` that the bytes of every line that holds the term have; None when there is none."""
    if not term.isascii():
        return None
    words = [word for word in re.split(r"[\s_-]+", term) if word and not _ESCAPED.search(word)]
    return max(words, key=len).encode("ascii") if words else None
