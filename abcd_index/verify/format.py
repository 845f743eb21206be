"""Reads an artefact strictly as ``docs/format.md`` says, with a parser of its own.

It shares no code with ``artefact/writer.py`` or ``artefact/reader.py``: a writer that reads itself back
only agrees with itself. Every line, offset, checksum and order is checked, so it reads the whole file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from operator import lt
from typing import Any, BinaryIO, NamedTuple

from abcd_index.build.workers import mapped
from abcd_index.errors import FormatTooNew
from abcd_index.verify.json_parser import (
    Corrupt,
    Wrong,
    are_wholes,
    checksum,
    fields_of,
    hash_of,
    is_whole,
    object_of,
    parse,
    require,
    require_canonical,
    text_of,
    value_of,
)

MAGIC = "abcd-index"
FORMAT = 2
CELL, OFFSET, LENGTH = 20, 8, 14
TABLES = ("keywords", "terms", "domains", "records", "bodies")
SIGNS = [chr(code) for code in range(33, 127) if chr(code) not in '"\\']
CODES = {sign: number for number, sign in enumerate(SIGNS)}
LEVELS, LOWS, FINGERPRINTS, COUNTED = 8, 11, 1009, 8461
LISTED = 12
PAIRED = frozenset(SIGNS[:64])
# What a record lists, and what the fields are that it does not reach (no value: it has to).
WHOLE, TEXT, NAME = (int,), (str,), (str, type(None))


class Field(NamedTuple):
    """A field of a record: the types that it can have, and what it is where a record does not reach it (nothing: every
    record has it)."""

    name: str
    kinds: tuple[type, ...]
    implied: tuple[Any, ...] = ()


RECORD_FIELDS = (
    Field("weights", TEXT),
    Field("file", TEXT),
    Field("title", NAME),
    Field("size", WHOLE),
    Field("titles", TEXT, ("",)),
    Field("pairs", TEXT, ("",)),
    Field("recall", (list,), ([],)),
    Field("form", (str, list), ("- [{title}]({file}) \u2014 {summary}",)),
    Field("summary", TEXT, ("",)),
    Field("dialect", TEXT, ("abcd",)),
    Field("type", NAME, (None,)),
    Field("updated", TEXT, ("",)),
    Field("name", NAME, (None,)),
    Field("spelled", (dict,), ({},)),
    Field("exclude", (list,), ([],)),
)
DOMAIN_FIELDS = {"name": str, "state": str, "aliases": list, "rules": list, "exclude": list, "recall": dict}


class Decoded:
    """What an artefact holds, but for records and bodies, which went to the visitor one by one.

    ``terms``: how many counts of ranking terms there are; ``files``: the pages' file names, in order.
    """

    def __init__(self, header: dict[str, Any]) -> None:
        self.header = header
        self.newer: dict[str, Any] = {}
        self.keywords: dict[str, list[Any]] = {}
        self.terms = 0
        self.domains: list[dict[str, Any]] = []
        self.files: list[str] = []


def _whole_of_it(value: Any) -> Any:
    return value


class Visitor:
    """Is shown every record, then every body. This one looks away.

    ``keep_record`` and ``keep_body``: functions, which can be pickled, of a checked record (a dict with every
    field) and of a body (text): what of them is to be shown. They may run in another process.
    """

    keep_record: Callable[[dict[str, Any]], Any] = staticmethod(_whole_of_it)
    keep_body: Callable[[str], Any] = staticmethod(_whole_of_it)

    def record(self, number: int, record: Any) -> None:
        """``record``: what ``keep_record`` gave."""

    def body(self, number: int, body: Any) -> None:
        """``body``: what ``keep_body`` gave for the page whose record had that number."""


def peek(first_line: bytes) -> dict[str, Any]:
    """The header in an artefact's first line. Raises Corrupt or FormatTooNew.

    The magic and the format number come first: of a newer format nothing else may be assumed.
    """
    try:
        header = parse(first_line)
    except ValueError:
        raise Corrupt("its first line is not JSON") from None
    if not isinstance(header, dict) or header.get("magic") != MAGIC:
        raise Corrupt("its first line is not the header of an artefact")
    number = header.get("format")
    if not isinstance(number, int) or not is_whole(number) or number < 1:
        raise Corrupt("its format is not a number")
    if number > FORMAT:
        raise FormatTooNew(number, FORMAT)
    return header


def decode(file: BinaryIO, size: int, visitor: Visitor | None = None) -> Decoded:
    """Read a binary ``file`` of ``size`` bytes from its start to its end.

    Returns a Decoded. Raises Corrupt, Wrong or FormatTooNew.
    """
    visitor = visitor or Visitor()
    lines = _Lines(file)
    first = lines.next()
    header = peek(first)
    _check_header(header, first, lines.next(), size)
    decoded = Decoded(header)
    require(header["filter"][0] == lines.at, "header: filter does not point at line 3")
    digits = text_of(lines.next(), "line 3")
    tables = {name: _table(header["parts"][name], name, lines) for name in TABLES}
    start, line = lines.at, lines.next()
    decoded.newer = object_of(line, "line 9")
    require(header["newer"] == [start, len(line), checksum(line)], "header: newer does not point at line 9")
    _parts(decoded, tables, lines, visitor)
    lines.end()
    _check_filter(digits, header["filter"][1], decoded.keywords)
    _check_pages(decoded)
    return decoded


class _Lines:
    """The lines of a file in turn; ``at`` is where the next one starts."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.at = 0
        self.number = 0

    def next(self) -> bytes:
        line = self.file.readline()
        self.number += 1
        if not line.endswith(b"\n"):
            raise Corrupt(f"line {self.number} is cut or missing")
        self.at += len(line)
        return line[:-1]

    def end(self) -> None:
        if self.file.readline():
            raise Corrupt(f"there is more after line {self.number}, the last one that the header speaks of")


def _check_header(header: dict[str, Any], line: bytes, second: bytes, size: int) -> None:
    if second != b"%10d" % checksum(line):
        raise Corrupt("the header's checksum in line 2 does not fit line 1")
    require_canonical(header, line, "header")
    if header.get("size") != size:
        raise Corrupt(f"the header says {header.get('size')} bytes, the file has {size}")
    key = header.get("key")
    require(isinstance(key, str) and len(key) == 40 and not set(key) - set("0123456789abcdef"), "header: key")
    require(is_whole(header.get("tokens")), "header: tokens")
    require(isinstance(header.get("settings"), dict), "header: settings")
    for name, length in (("lengths", 2), ("filter", 2), ("newer", 3)):
        require(are_wholes(header.get(name), length), f"header: {name}")
    parts = header.get("parts")
    if not isinstance(parts, dict) or not set(TABLES) <= set(parts):
        raise Wrong("header: parts")
    for name in TABLES:
        require(are_wholes(parts[name], 2), f"header: parts.{name}")


def _table(part: list[int], name: str, lines: _Lines) -> list[str]:
    """The cells of a part's table."""
    require(part[0] == lines.at, f"header: parts.{name} does not point at its table")
    table = text_of(lines.next(), f"table of {name}")
    if len(table) != CELL * part[1]:
        raise Corrupt(f"the table of {name} has {len(table)} signs, not {CELL} times {part[1]}")
    return [table[at : at + CELL] for at in range(0, len(table), CELL)]


def _cell(cell: str) -> tuple[int, int, int] | None:
    """(place, length, checksum) of a line, as a cell says them; None when it is no cell."""
    if set(cell) - set("0123456789abcdefghijklmnopqrstuv"):
        return None
    return int(cell[:OFFSET], 32), int(cell[OFFSET:LENGTH], 32), int(cell[LENGTH:], 32)


def _parts(decoded: Decoded, tables: Mapping[str, list[str]], lines: _Lines, visitor: Visitor) -> None:
    """Every line that a table speaks of, in the order of the tables."""
    pages, domains = len(tables["records"]), len(tables["domains"])
    require(len(tables["bodies"]) == pages, "there are not as many bodies as records")
    for name in ("keywords", "terms", "domains"):
        for number, item in enumerate(_items(name, tables, lines)):
            line, where = _sound(item), item.where
            if name == "keywords":
                _keywords(decoded, _bucket(line, number, len(tables[name]), where), (pages, domains), where)
            elif name == "terms":
                if decoded.header["format"] > 1:
                    _terms(decoded, text_of(line, where), pages, where)
            else:
                decoded.domains.append(fields_of(line, DOMAIN_FIELDS, where))
    items = chain(_items("records", tables, lines), _items("bodies", tables, lines))
    sizes: list[int] = []
    for number, kept in enumerate(mapped(_kept, items, 2 * pages, visitor.keep_record, visitor.keep_body)):
        if isinstance(kept, Exception):
            raise kept
        if number < pages:
            decoded.files.append(kept.file)
            sizes.append(kept.size)
            visitor.record(number, kept.value)
        else:
            number -= pages
            require(sizes[number] == kept.size, f"the record of {decoded.files[number]!r} has not its body's size")
            visitor.body(number, kept.value)


class _Item(NamedTuple):
    """A line of a part, with what its cell says of it. The line is a Corrupt when it is not there, so that of all
    that is wrong what comes first is told, whoever looks at it."""

    where: str
    cell: str
    start: int
    line: bytes | Corrupt


def _items(name: str, tables: Mapping[str, list[str]], lines: _Lines) -> Iterator[_Item]:
    """Every line of a part."""
    for number, cell in enumerate(tables[name]):
        start = lines.at
        try:
            line: bytes | Corrupt = lines.next()
        except Corrupt as error:
            line = error
        yield _Item(f"{name} {number}", cell, start, line)


def _sound(item: _Item) -> bytes:
    """The line of an item. Raises Corrupt when it is not what its cell says."""
    where, cell, start, line = item
    if isinstance(line, Corrupt):
        raise line
    if _cell(cell) != (start, len(line), checksum(line)):
        raise Corrupt(f"{where}: the line is not what its cell says (place, length or checksum)")
    return line


class _Kept(NamedTuple):
    """Of a record or body: the file (of a record), the size of the body, and what the visitor keeps of it."""

    file: str
    size: int
    value: Any


def _kept(
    item: _Item, keep_record: Callable[[dict[str, Any]], Any], keep_body: Callable[[str], Any]
) -> _Kept | Corrupt | Wrong:
    """What is kept of a record or body, checked; the Corrupt or Wrong when something is wrong with it, to be
    raised when its turn comes. Runs in any process."""
    try:
        line = _sound(item)
        if item.where.startswith("records"):
            record = _record(line, item.where)
            return _Kept(record["file"], record["size"], keep_record(record))
        body = text_of(line, item.where)
        return _Kept("", len(body), keep_body(body))
    except (Corrupt, Wrong) as error:
        return error


def _keywords(decoded: Decoded, bucket: Iterable[tuple[str, Any]], most: tuple[int, int], where: str) -> None:
    for key, postings in bucket:
        if not (isinstance(postings, list) and postings):
            raise Wrong(f"{where}: {key!r} has no postings")
        for posting in postings:
            fault = _fault(posting, most)
            if fault:
                raise Wrong(f"{where}: {key!r}: {fault}")
        decoded.keywords[key] = postings


def _fault(posting: Any, counts: tuple[int, int]) -> str:
    """What is wrong with a posting, or ''. ``counts``: how many pages and domains there are."""
    if not (isinstance(posting, list) and (len(posting) == 2 or len(posting) == 3 and posting[2])):
        return "a posting is not [entry, pages] or [entry, pages, domains]"
    entry, of_pages, of_domains = [*posting, []][:3]
    if not (isinstance(entry, list) and entry and isinstance(entry[0], str)):
        return "an entry has no normal form"
    for ordinals, most in zip((of_pages, of_domains), counts):
        if not are_wholes(ordinals):
            return "ordinals are not numbers"
        if not all(map(lt, ordinals, ordinals[1:])):
            return "ordinals do not ascend"
        if ordinals and ordinals[-1] >= most:
            return "an ordinal is beyond the end"
    return "" if of_pages or of_domains else "a posting of nothing"


def _terms(decoded: Decoded, text: str, pages: int, where: str) -> None:
    cells = text.split(" ") if text else []
    width = 1
    while len(SIGNS) ** width < pages:
        width += 1
    for cell in cells:
        codes = [CODES.get(sign, -1) for sign in cell]
        require(-1 not in codes, where, "a sign that stands for nothing")
        require(len(cell) >= 4, where, "a term's cell is cut")
        require(codes[0] * len(SIGNS) + codes[1] < COUNTED, where, "no remainder")
        if codes[2] > LISTED:
            require(len(cell) == 4, where, "a term of many pages lists some")
            continue
        require(not (len(cell) - 3) % width, where, "a term's cell is cut")
        listed = [cell[at : at + width] for at in range(3, len(cell), width)]
        require(listed == sorted(set(listed)), where, "a term's pages do not ascend")
        require(len(listed) >= codes[2], where, "a term is in more titles than pages")
        last = 0
        for sign in listed[-1]:
            last = last * len(SIGNS) + CODES[sign]
        require(last < pages, where, "a page beyond the end")
    require([cell[:2] for cell in cells] == sorted({cell[:2] for cell in cells}), where, "terms are not in order")
    decoded.terms += len(cells)


def _bucket(line: bytes, number: int, count: int, where: str) -> Iterator[tuple[str, Any]]:
    for key, value in object_of(line, where).items():
        if hash_of(key) % count != number:
            raise Wrong(f"{where}: {key!r} belongs into another bucket")
        yield key, value


def _record(line: bytes, where: str) -> dict[str, Any]:
    record = _listed(line, where)
    where = f"record of {record['file']!r}"
    recall = record.pop("recall")
    spelled = record.pop("spelled")
    require(all(isinstance(word, str) for word in [*recall, *spelled.values()]), where, "recall")
    require(recall == sorted(set(recall)) and not spelled.keys() & set(recall), where, "a keyword stands there twice")
    record["recall"] = {**dict(zip(recall, recall)), **spelled}
    _imply(record, where)
    for name in ("weights", "titles"):
        _check_rows(record[name], f"{where}: {name}")
    require(PAIRED.issuperset(record["pairs"]), where, "pairs has a sign that is not among the first 64")
    return record


def _listed(line: bytes, where: str) -> dict[str, Any]:
    """The fields of a record as its line lists them."""
    values = value_of(line, where)
    require(isinstance(values, list), f"{where} is not a list of a record's fields")
    require_canonical(values, line, where)
    record: dict[str, Any] = {}
    for at, (name, kinds, implied) in enumerate(RECORD_FIELDS):
        if at < len(values):
            record[name] = values[at]
            if type(values[at]) not in kinds or kinds == WHOLE and values[at] < 0:
                raise Wrong(f"{where}: {name} is of another type")
        elif implied:
            record[name] = implied[0]
        else:
            raise Wrong(f"{where}: {name} is missing")
    return record


def _imply(record: dict[str, Any], where: str) -> None:
    """Put in the fields that a record's other fields say."""
    stem = record["file"][: record["file"].rfind(".")]
    parts = stem.split("_", 2)
    abcd = record["dialect"] == "abcd"
    if record["name"] is None:
        record["name"] = (parts[2] if len(parts) == 3 else "") if abcd else stem.replace("_", "-")
    if record["type"] is None:
        record["type"] = parts[0] if abcd else ""
    if record["title"] is None:
        record["title"] = record["name"]
    form = record.pop("form")
    if isinstance(form, list):
        require(len(form) == 1 and isinstance(form[0], str), where, "form")
        record["line"] = form[0]
        return
    for name in ("file", "title", "summary"):
        form = form.replace("{" + name + "}", record[name])
    record["line"] = form


def _check_rows(text: str, where: str) -> None:
    """Check the rows of weights: terms of two signs each, in the order of their marks, rows apart by a space."""
    for row in text.split(" "):
        if len(row) % 2:
            raise Wrong(f"{where}: a row is not made of two signs each")
        last = -1
        for at in range(0, len(row), 2):
            first, second = CODES.get(row[at], -1), CODES.get(row[at + 1], -1)
            if first < 0 or second < 0:
                raise Wrong(f"{where} has a sign that is not in the alphabet")
            fingerprint = first * LOWS + second // LEVELS
            if second >= LOWS * LEVELS or fingerprint >= FINGERPRINTS:
                raise Wrong(f"{where}: not a mark and a level")
            if fingerprint <= last:
                raise Wrong(f"{where}: a row is not in the order of its marks")
            last = fingerprint


def _check_filter(digits: str, bits: int, keywords: Iterable[str]) -> None:
    require(bits > 0 and len(digits) * 4 >= bits, "the filter has fewer digits than bits")
    wanted = [0] * len(digits)
    for key in keywords:
        bit = hash_of(key) % bits
        wanted[bit // 4] |= 1 << bit % 4
    require(digits == "".join("%x" % digit for digit in wanted), "the filter is not that of the keys")


def _check_pages(decoded: Decoded) -> None:
    files = decoded.files
    require(all(a < b for a, b in zip(files, files[1:])), "the records are not in the order of their file names")
    names = [domain["name"] for domain in decoded.domains]
    require(all(a < b for a, b in zip(names, names[1:])), "the domains are not in the order of their names")
    known = set(files)
    for old, new in decoded.newer.items():
        require(old in known and isinstance(new, str) and new in known, f"newer: {old!r} or {new!r} is not a page")
