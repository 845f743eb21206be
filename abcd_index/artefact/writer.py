"""Writes an artefact: header, tables and lines, as ``docs/format.md`` says. JSON by orjson.

Knows nothing of pages or prompts: it is given finished lines. Bodies are copied through from files so
that a store of any size is written in bounded memory.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol

import orjson

from abcd_index.artefact.format import CELL, FORMAT, LISTED, MAGIC, PARTS, bucket, checksum
from abcd_index.artefact.ranking import COUNTS, EMPTY, FIELDS, ROW_END, SIGNS, counted, expanded, page_width, said

if TYPE_CHECKING:
    from abcd_index.artefact.format import Record

_SORTED = orjson.OPT_SORT_KEYS
# Keys to a bucket; fewer makes lookups cheaper, more makes the table smaller.
KEYS_A_BUCKET = 4
# A term's cell is a handful of signs, so a line of them may hold many.
TERMS_A_BUCKET = 64
# Bits of the filter: every eighth word that is no key passes. A small store affords more, up to a size that is read
# with the header anyway, and then every thirtieth passes: a log has hundreds of words.
FILTER_BITS_A_KEY = 8
FILTER_MOST_BITS_A_KEY, FILTER_SMALL = 32, 1 << 16
_DIGITS = "0123456789abcdefghijklmnopqrstuv"
_TWO_DIGITS = [first + second for first in _DIGITS for second in _DIGITS]


def line(value: object) -> bytes:
    """One JSON value as a line without its end (bytes), keys sorted."""
    return orjson.dumps(value, option=_SORTED)


def record_line(record: Record) -> bytes:
    """A page's record as a line. What goes without saying is left out (``record.whole`` puts it back)."""
    recall = record["recall"]
    name, kind = said(record)
    found = dict(
        record,
        recall=sorted(word for word in recall if recall[word] == word),
        spelled={normal: word for normal, word in recall.items() if normal != word},
        form=_form(record),
    )
    for field, other in (("title", record["name"]), ("name", name), ("type", kind)):
        if found[field] == other:
            found[field] = None
    values = [found[field] for field in FIELDS]
    while values and values[-1] in (EMPTY.get(FIELDS[len(values) - 1], values), []):
        values.pop()
    return line(values)


def _form(record: Record) -> list[str] | str:
    """The catalogue line with names put for the texts that the record holds anyway; in a list, as it is, where
    that would say another line."""
    form: str = record["line"]
    for name in ("file", "title", "summary"):
        if record[name]:
            form = form.replace(record[name], "{%s}" % name)
    written: str = record["line"]
    if len(form) < len(written) and expanded(form, record) == written:
        return form
    return written if expanded(written, record) == written else [written]


class Term(NamedTuple):
    """A ranking term in a store: how many pages hold it, how many titles do, and the pages, ascending, while those
    are few enough to be known one by one."""

    pages: int
    titles: int
    listed: Sequence[int] = ()


def terms_count(terms: int) -> int:
    """How many lines so many terms have."""
    return bucket_count(terms, TERMS_A_BUCKET)


def terms_by_bucket(terms: Mapping[str, Term]) -> list[dict[str, Term]]:
    """``terms``: {stem: Term} -> a dict like it for each line of terms."""
    count = terms_count(len(terms))
    lines_of: list[dict[str, Term]] = [{} for _ in range(count)]
    for stem, term in terms.items():
        lines_of[bucket(stem, count)][stem] = term
    return lines_of


def terms_line(terms: Mapping[str, Term], pages: int) -> bytes:
    """The line (bytes) of one of ``terms_by_bucket`` in a store of ``pages``. Terms that share their two signs share a
    cell: the larger counts and the pages of both."""
    cells: dict[str, Term] = {}
    for stem, term in terms.items():
        sign = counted(stem)
        if term.pages > LISTED:
            term = term._replace(listed=())
        known = cells.get(sign)
        if known is not None:
            listed = set(known.listed).union(term.listed) if known.listed and term.listed else ()
            term = Term(max(known.pages, term.pages), max(known.titles, term.titles), sorted(listed))
        cells[sign] = term
    width = page_width(pages)
    return line(ROW_END.join([sign + _cell(cells[sign], width) for sign in sorted(cells)]))


def _cell(term: Term, width: int) -> str:
    if term.listed:
        return _count_sign(term.titles) + "".join([_ordinal(page, width) for page in term.listed])
    return _count_sign(term.pages) + _count_sign(term.titles)


def _ordinal(page: int, width: int) -> str:
    signs = ""
    for _ in range(width):
        page, digit = divmod(page, len(SIGNS))
        signs = SIGNS[digit] + signs
    return signs


def _count_sign(count: int) -> str:
    return SIGNS[bisect_right(COUNTS, count) - 1]


def bucket_count(keys: int, each: int = KEYS_A_BUCKET) -> int:
    """How many buckets a part of so many keys has, ``each`` in a bucket: an odd number, 0 for none.

    In steps of a thirty-second at most: a few new keys seldom move the others to other buckets.
    """
    count = keys // each
    step = max(0, count.bit_length() - 6)
    return count >> step << step | 1 if keys else 0


def buckets(entries: Mapping[str, object]) -> list[bytes]:
    """``entries``: {key: value} -> the bucket lines (list of bytes), keys sorted in each."""
    count = bucket_count(len(entries))
    lines_of: list[dict[str, object]] = [{} for _ in range(count)]
    for key in sorted(entries):
        lines_of[bucket(key, count)][key] = entries[key]
    return [line(counts) for counts in lines_of]


def key_filter(keys: Collection[str]) -> tuple[int, str]:
    """(bits, hex digits) that say of most keys that are not in the store that they are not."""
    bits = max(len(keys) * FILTER_BITS_A_KEY, min(len(keys) * FILTER_MOST_BITS_A_KEY, FILTER_SMALL))
    bits = (bits | 7) // 4 * 4 + 5
    digits = [0] * ((bits >> 2) + 1)
    for key in keys:
        bit = bucket(key, bits)
        digits[bit >> 2] |= 1 << (bit & 3)
    return bits, "".join("%x" % d for d in digits)


class Line:
    """Where a finished line is to be had from: its length, its checksum, and its bytes or a source."""

    __slots__ = ("length", "check", "data", "source", "offset")

    def __init__(
        self,
        data: bytes | None = None,
        length: int = 0,
        check: int = 0,
        source: IO[bytes] | None = None,
        offset: int = 0,
    ) -> None:
        self.data = data
        self.length = length if data is None else len(data)
        self.check = check if data is None else checksum(data)
        self.source = source
        self.offset = offset


class Sink(Protocol):
    """What an artefact is written to: a binary file, or who compares it with one."""

    def write(self, data: bytes, /) -> object:
        """Take the next bytes."""


Parts = Mapping[str, Sequence[Line]]


def write(
    out: Sink,
    key: str,
    versions: tuple[int, int],
    settings: Mapping[str, object],
    lengths: Sequence[int],
    parts: Parts,
    filters: tuple[int, str],
    newer: Mapping[str, str],
) -> None:
    """Write a whole artefact to the binary file ``out``.

    ``versions``: of the tokeniser and of the records. ``lengths``: (stems in all titles, stems in all bodies).
    ``parts``: {part: list of Line} for every name in PARTS. ``filters``: what ``key_filter`` gave.
    ``newer``: {file: newer file}.
    """
    bits, digits = filters
    newer_data = line(newer)
    newer_line = Line(newer_data)
    filter_line = b'"' + digits.encode("ascii") + b'"'
    header: dict[str, Any] = {
        "magic": MAGIC,
        "format": FORMAT,
        "key": key,
        "tokens": versions[0],
        "records": versions[1],
        "settings": settings,
        "lengths": list(lengths),
        "filter": [0, bits],
        "newer": [0, newer_line.length, newer_line.check],
        "parts": {part: [0, len(parts[part])] for part in PARTS},
        "size": 0,
    }
    head = _place(header, filter_line, newer_line, parts)
    out.write(head)
    out.write(filter_line + b"\n")
    at = header["newer"][0] + newer_line.length + 1
    for part in PARTS:
        at = _write_table(out, parts[part], at)
    out.write(newer_data + b"\n")
    for part in PARTS:
        _write_lines(out, parts[part])


def _place(header: dict[str, Any], filter_line: bytes, newer_line: Line, parts: Parts) -> bytes:
    """Fill in every offset of the header; returns its bytes with the checksum line.

    The header's own length depends on the digits of the offsets, so it is found by trying again.
    """
    lines = sum(sum(entry.length + 1 for entry in parts[part]) for part in PARTS)
    length = 0
    while True:
        at = length
        header["filter"][0] = at
        at += len(filter_line) + 1
        for part in PARTS:
            header["parts"][part][0] = at
            at += _table_length(len(parts[part]))
        header["newer"][0] = at
        header["size"] = at + newer_line.length + 1 + lines
        first = line(header)
        head = first + b"\n%10d\n" % checksum(first)
        if len(head) == length:
            return head
        length = len(head)


def _table_length(count: int) -> int:
    return count * CELL + 3


def _write_table(out: Sink, entries: Sequence[Line], at: int) -> int:
    cells, two = [], _TWO_DIGITS
    for entry in entries:
        length, check = entry.length, entry.check
        cells.append(
            two[at >> 30]
            + two[at >> 20 & 1023]
            + two[at >> 10 & 1023]
            + two[at & 1023]
            + two[length >> 20]
            + two[length >> 10 & 1023]
            + two[length & 1023]
            + two[check >> 20]
            + two[check >> 10 & 1023]
            + two[check & 1023]
        )
        at += entry.length + 1
    out.write(b'"' + "".join(cells).encode("ascii") + b'"\n')
    return at


def _write_lines(out: Sink, entries: Sequence[Line]) -> None:
    """Copies runs of neighbouring lines of one source in one go."""
    source, offset, length = None, 0, 0
    for entry in entries:
        if entry.data is None and entry.source is source and offset + length == entry.offset:
            length += entry.length + 1
            continue
        _copy(out, source, offset, length)
        source, offset, length = entry.source, entry.offset, entry.length + 1
        if entry.data is not None:
            source, length = None, 0
            out.write(entry.data)
            out.write(b"\n")
    _copy(out, source, offset, length)


def _copy(out: Sink, source: IO[bytes] | None, offset: int, left: int) -> None:
    if source is None:
        return
    source.seek(offset)
    while left:
        chunk = source.read(min(left, 1 << 20))
        if not chunk:
            raise OSError("a line's source ended early")
        out.write(chunk)
        left -= len(chunk)
