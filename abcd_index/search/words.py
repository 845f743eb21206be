"""Words of a query, and where they stand in a text."""

from __future__ import annotations

import re
import unicodedata
from typing import Iterable, List, Sequence, Tuple

# Where a piece of a text begins and ends.
Span = Tuple[int, int]

_HEADING = re.compile(r"^#{1,6}\s+", re.MULTILINE)


def fold(text: str) -> str:
    """``text`` for comparing: composed (NFC), whatever the case."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text).casefold()


def read_terms(words: Iterable[str]) -> List[str]:
    """The query's terms, folded, each once, in order.

    A leading ``query`` is part of the command when more follows. An argument with spaces in it is one
    term: that is how a shell hands over a quoted phrase.
    """
    found = [" ".join(word.split()) for word in words if word.strip()]
    if len(found) > 1 and found[0] == "query":
        found = found[1:]
    return list(dict.fromkeys(map(fold, found)))


def excerpt(body: str, terms: Sequence[str], width: int = 160) -> Tuple[str, List[Span]]:
    """(text, [(start, end), ...]): a piece of ``body`` around the first hit, and the hits in it.

    Its white space is folded into single spaces and cut ends are marked with an ellipsis. Without a hit it
    is the beginning.
    """
    plain = " ".join(_HEADING.sub("", body).split())
    at = _first(plain, terms)
    start = 0 if at < width // 2 else _word_start(plain, at - width // 3)
    end = min(len(plain), start + width)
    if end < len(plain):
        end = max(plain.rfind(" ", start, end), start + width // 2) if " " in plain[start + width // 2 : end] else end
    piece = plain[start:end].strip()
    piece = ("…" if start else "") + piece + ("…" if end < len(plain) else "")
    return piece, hits(piece, terms)


def hits(text: str, terms: Iterable[str]) -> List[Span]:
    """Where ``terms`` stand in ``text``: [(start, end), ...], ascending, none overlapping."""
    folded = _folded_alike(text)
    found: List[Span] = []
    for term in terms:
        at = folded.find(term)
        while at >= 0:
            found.append((at, at + len(term)))
            at = folded.find(term, at + len(term))
    found.sort(key=lambda span: (span[0], -span[1]))
    apart: List[Span] = []
    last = 0
    for start, end in found:
        if start >= last:
            apart.append((start, end))
            last = end
    return apart


def _first(text: str, terms: Iterable[str]) -> int:
    folded = _folded_alike(text)
    return min((at for at in (folded.find(term) for term in terms) if at >= 0), default=0)


def _folded_alike(text: str) -> str:
    """``text`` folded as far as every character keeps its place (the sharp s stays)."""
    folded = fold(text)
    if len(folded) == len(text):
        return folded
    return "".join(low if len(low) == 1 else char for char, low in ((char, char.casefold()) for char in text))


def _word_start(text: str, at: int) -> int:
    space = text.find(" ", at)
    return at if space < 0 or space - at > 30 else space + 1
