"""Reads an artefact strictly as ``docs/format.md`` says, with a parser of its own.

It shares no code with ``artefact/writer.py`` or ``artefact/reader.py``: a writer that reads itself back
only agrees with itself. Every line, offset, checksum and order is checked, so it reads the whole file.
"""

import sys
from itertools import chain
from operator import lt

from abcd_index.build.workers import mapped
from abcd_index.errors import FormatTooNew
from abcd_index.verify.json_parser import (
    Torn,
    Wrong,
    are_wholes,
    checksum,
    fields_of,
    hash_of,
    is_whole,
    need,
    need_canonical,
    object_of,
    parse,
    text_of,
    value_of,
)

MAGIC = "abcd-index"
FORMAT = 1
CELL, OFFSET, LENGTH = 20, 8, 14
TABLES = ("keywords", "terms", "domains", "records", "bodies")
SIGNS = [chr(code) for code in range(33, 127) if chr(code) not in '"\\']
CODES = {sign: number for number, sign in enumerate(SIGNS)}
LEVELS, LOWS, MARKS, COUNTED = 8, 11, 1009, 8461
# For ``translate``: the second sign of a weight to the one of the least level; and the greatest mark with that.
LEAST = bytes([32 if code == 32 else ord(SIGNS[CODES[chr(code)] // LEVELS * LEVELS])
               if CODES.get(chr(code), LOWS * LEVELS) < LOWS * LEVELS else 0 for code in range(256)])
ALPHABET = "".join(SIGNS).encode() + b" "
SPACED = bytes([code == 32 for code in range(256)])
# Two bytes as one number, as this machine has them: where the lower one is.
LOWER = 0 if sys.byteorder == "little" else 1
PAIRED = "".join(SIGNS[:64]).encode()
TOP = ord(SIGNS[(MARKS - 1) // LOWS])
LAST = 256 * TOP + ord(SIGNS[(MARKS - 1) % LOWS * LEVELS])
# What a record lists, and what the fields are that it does not reach (no value: it has to).
WHOLE, TEXT, NAME = (int,), (str,), (str, type(None))
RECORD_FIELDS = (
    ("weights", TEXT), ("file", TEXT), ("title", NAME), ("size", WHOLE), ("titles", TEXT, ""), ("pairs", TEXT, ""),
    ("recall", (list,), []), ("form", (str, list), "- [{title}]({file}) \u2014 {summary}"), ("summary", TEXT, ""),
    ("dialect", TEXT, "abcd"), ("type", NAME, None), ("updated", TEXT, ""), ("name", NAME, None),
    ("spelled", (dict,), {}), ("exclude", (list,), []),
)
DOMAIN_FIELDS = {"name": str, "state": str, "aliases": list, "rules": list, "exclude": list, "recall": dict}


class Decoded:
    """What an artefact holds, but for records and bodies, which went to the visitor one by one.

    ``header`` (dict); ``newer`` {file: file}; ``keywords`` {key: postings}; ``terms``: how many counts of ranking
    terms there are; ``domains`` (list of dicts); ``files`` (the pages' file names, in order).
    """

    def __init__(self, header):
        self.header = header
        self.newer = {}
        self.keywords = {}
        self.terms = 0
        self.domains = []
        self.files = []


def _whole_of_it(value):
    return value


class Visitor:
    """Is shown every record, then every body. This one looks away.

    ``keep_record`` and ``keep_body``: functions, which can be pickled, of a checked record (a dict with every
    field) and of a body (text): what of them is to be shown. They may run in another process.
    """

    keep_record = staticmethod(_whole_of_it)
    keep_body = staticmethod(_whole_of_it)

    def record(self, number, record):
        """``record``: what ``keep_record`` gave."""

    def body(self, number, body):
        """``body``: what ``keep_body`` gave for the page whose record had that number."""


def peek(first_line):
    """The header in an artefact's first line. Raises Torn or FormatTooNew.

    The magic and the format number come first: of a newer format nothing else may be assumed.
    """
    try:
        header = parse(first_line)
    except ValueError:
        raise Torn("its first line is not JSON") from None
    if not isinstance(header, dict) or header.get("magic") != MAGIC:
        raise Torn("its first line is not the header of an artefact")
    number = header.get("format")
    if not is_whole(number) or number < 1:
        raise Torn("its format is not a number")
    if number > FORMAT:
        raise FormatTooNew(number, FORMAT)
    return header


def decode(file, size, visitor=None):
    """Read a binary ``file`` of ``size`` bytes from its start to its end.

    Returns a Decoded. Raises Torn, Wrong or FormatTooNew.
    """
    visitor = visitor or Visitor()
    lines = _Lines(file)
    first = lines.next()
    header = peek(first)
    _check_header(header, first, lines.next(), size)
    decoded = Decoded(header)
    need(header["filter"][0] == lines.at, "header: filter does not point at line 3")
    digits = text_of(lines.next(), "line 3")
    tables = {name: _table(header["parts"][name], name, lines) for name in TABLES}
    start, line = lines.at, lines.next()
    decoded.newer = object_of(line, "line 9")
    need(header["newer"] == [start, len(line), checksum(line)], "header: newer does not point at line 9")
    _parts(decoded, tables, lines, visitor)
    lines.end()
    _check_filter(digits, header["filter"][1], decoded.keywords)
    _check_pages(decoded)
    return decoded


class _Lines:
    """The lines of a file in turn; ``at`` is where the next one starts."""

    def __init__(self, file):
        self.file = file
        self.at = 0
        self.number = 0

    def next(self):
        line = self.file.readline()
        self.number += 1
        if not line.endswith(b"\n"):
            raise Torn(f"line {self.number} is cut or missing")
        self.at += len(line)
        return line[:-1]

    def end(self):
        if self.file.readline():
            raise Torn(f"there is more after line {self.number}, the last one that the header speaks of")


def _check_header(header, line, second, size):
    if second != b"%10d" % checksum(line):
        raise Torn("the header's checksum in line 2 does not fit line 1")
    need_canonical(header, line, "header")
    if header.get("size") != size:
        raise Torn(f"the header says {header.get('size')} bytes, the file has {size}")
    key = header.get("key")
    need(isinstance(key, str) and len(key) == 40 and not set(key) - set("0123456789abcdef"), "header: key")
    need(is_whole(header.get("tokens")), "header: tokens")
    need(isinstance(header.get("settings"), dict), "header: settings")
    for name, length in (("lengths", 2), ("filter", 2), ("newer", 3)):
        need(are_wholes(header.get(name), length), f"header: {name}")
    parts = header.get("parts")
    need(isinstance(parts, dict) and set(TABLES) <= set(parts), "header: parts")
    for name in TABLES:
        need(are_wholes(parts[name], 2), f"header: parts.{name}")


def _table(part, name, lines):
    """The cells of a part's table."""
    need(part[0] == lines.at, f"header: parts.{name} does not point at its table")
    table = text_of(lines.next(), f"table of {name}")
    if len(table) != CELL * part[1]:
        raise Torn(f"the table of {name} has {len(table)} signs, not {CELL} times {part[1]}")
    return [table[at:at + CELL] for at in range(0, len(table), CELL)]


def _cell(cell):
    """(place, length, checksum) of a line, as a cell says them; None when it is no cell."""
    if set(cell) - set("0123456789abcdefghijklmnopqrstuv"):
        return None
    return int(cell[:OFFSET], 32), int(cell[OFFSET:LENGTH], 32), int(cell[LENGTH:], 32)


def _parts(decoded, tables, lines, visitor):
    """Every line that a table speaks of, in the order of the tables."""
    pages, domains = len(tables["records"]), len(tables["domains"])
    need(len(tables["bodies"]) == pages, "there are not as many bodies as records")
    for name in ("keywords", "terms", "domains"):
        for number, item in enumerate(_items(name, tables, lines)):
            line, where = _sound(item)
            if name == "keywords":
                _keywords(decoded, _bucket(line, number, len(tables[name]), where), pages, domains, where)
            elif name == "terms":
                _terms(decoded, text_of(line, where), where)
            else:
                decoded.domains.append(fields_of(line, DOMAIN_FIELDS, where))
    items = chain(_items("records", tables, lines), _items("bodies", tables, lines))
    sizes = []
    for number, kept in enumerate(mapped(_kept, items, 2 * pages, visitor.keep_record, visitor.keep_body)):
        if isinstance(kept, Exception):
            raise kept
        file, size, value = kept
        if number < pages:
            decoded.files.append(file)
            sizes.append(size)
            visitor.record(number, value)
        else:
            number -= pages
            need(sizes[number] == size, f"the record of {decoded.files[number]!r} has not its body's size")
            visitor.body(number, value)


def _items(name, tables, lines):
    """(where, cell, start, line) of every line of a part; instead of the line the Torn when it is not there, so that
    of all that is wrong what comes first is told, whoever looks at it."""
    for number, cell in enumerate(tables[name]):
        start = lines.at
        try:
            line = lines.next()
        except Torn as error:
            line = error
        yield f"{name} {number}", cell, start, line


def _sound(item):
    """(line, where) of an item. Raises Torn when the line is not what its cell says."""
    where, cell, start, line = item
    if isinstance(line, Torn):
        raise line
    if _cell(cell) != (start, len(line), checksum(line)):
        raise Torn(f"{where}: the line is not what its cell says (place, length or checksum)")
    return line, where


def _kept(item, keep_record, keep_body):
    """(file, size, what is kept) of a record or body, checked; the Torn or Wrong when something is wrong with it, to be
    raised when its turn comes. Runs in any process."""
    try:
        line, where = _sound(item)
        if where.startswith("records"):
            record = _record(line, where)
            return record["file"], record["size"], keep_record(record)
        body = text_of(line, where)
        return "", len(body), keep_body(body)
    except (Torn, Wrong) as error:
        return error


def _keywords(decoded, bucket, pages, domains, where):
    for key, postings in bucket:
        if not (isinstance(postings, list) and postings):
            raise Wrong(f"{where}: {key!r} has no postings")
        for posting in postings:
            fault = _fault(posting, pages, domains)
            if fault:
                raise Wrong(f"{where}: {key!r}: {fault}")
        decoded.keywords[key] = postings


def _fault(posting, pages, domains):
    """What is wrong with a posting, or ''."""
    if not (isinstance(posting, list) and (len(posting) == 2 or len(posting) == 3 and posting[2])):
        return "a posting is not [entry, pages] or [entry, pages, domains]"
    entry, of_pages, of_domains = [*posting, []][:3]
    if not (isinstance(entry, list) and entry and isinstance(entry[0], str)):
        return "an entry has no normal form"
    for ordinals, most in ((of_pages, pages), (of_domains, domains)):
        if not are_wholes(ordinals):
            return "ordinals are not numbers"
        if not all(map(lt, ordinals, ordinals[1:])):
            return "ordinals do not ascend"
        if ordinals and ordinals[-1] >= most:
            return "an ordinal is beyond the end"
    return "" if of_pages or of_domains else "a posting of nothing"


def _terms(decoded, text, where):
    halves = text.split(" ")
    need(len(halves) == 2, where, "not two runs of counts with a space in between")
    seen = set()
    for cells, width in zip(halves, (3, 4)):
        if len(cells) % width or set(cells) - CODES.keys():
            raise Wrong(f"{where}: not counts of {width} signs each")
        signs = [cells[at:at + 2] for at in range(0, len(cells), width)]
        need(signs == sorted(set(signs)) and not seen.intersection(signs), where, "counts are not in order")
        need(not signs or CODES[signs[-1][0]] * len(SIGNS) + CODES[signs[-1][1]] < COUNTED, where, "no remainder")
        need(SIGNS[0] not in cells[2::width] and (width == 3 or SIGNS[0] not in cells[3::width]),
              where, "a count of 0")
        seen.update(signs)
    decoded.terms += len(seen)


def _bucket(line, number, count, where):
    for key, value in object_of(line, where).items():
        if hash_of(key) % count != number:
            raise Wrong(f"{where}: {key!r} belongs into another bucket")
        yield key, value


def _record(line, where):
    record = _listed(line, where)
    where = f"record of {record['file']!r}"
    recall = record.pop("recall")
    spelled = record.pop("spelled")
    need(all(isinstance(word, str) for word in [*recall, *spelled.values()]), where, "recall")
    need(recall == sorted(set(recall)) and not spelled.keys() & set(recall), where, "a keyword stands there twice")
    record["recall"] = {**dict(zip(recall, recall)), **spelled}
    _imply(record, where)
    for name in ("weights", "titles"):
        _check_rows(record[name], f"{where}: {name}")
    need(_made_of(record["pairs"], PAIRED), where, "pairs has a sign that is not among the first 64")
    return record


def _listed(line, where):
    """The fields of a record as its line lists them."""
    values = value_of(line, where)
    need(isinstance(values, list), f"{where} is not a list of a record's fields")
    need_canonical(values, line, where)
    record = {}
    for at, (name, kinds, *implied) in enumerate(RECORD_FIELDS):
        if at < len(values):
            record[name] = values[at]
            if type(values[at]) not in kinds or kinds == WHOLE and values[at] < 0:
                raise Wrong(f"{where}: {name} is of another type")
        elif implied:
            record[name] = implied[0]
        else:
            raise Wrong(f"{where}: {name} is missing")
    return record


def _imply(record, where):
    """Put in the fields that a record's other fields say."""
    stem = record["file"][:record["file"].rfind(".")]
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
        need(len(form) == 1 and isinstance(form[0], str), where, "form")
        record["line"] = form[0]
        return
    for name in ("file", "title", "summary"):
        form = form.replace("{" + name + "}", record[name])
    record["line"] = form


def _made_of(text, signs):
    """Whether ``text`` has no other signs than those (bytes)."""
    return text.isascii() and not text.encode("ascii").translate(None, signs)


def _check_rows(text, where):
    """Check the rows of weights, all of a record's at once: there are a hundred to a page."""
    need(_made_of(text, ALPHABET), f"{where} has a sign that is not in the alphabet")
    # Two spaces for one: a pair of them sorts before every mark, and lies across two pairs after an odd row.
    cells = text.replace(" ", "  ").encode("ascii")
    firsts, seconds = cells[::2], cells[1::2].translate(LEAST)
    need(len(firsts) == len(seconds) and firsts.translate(SPACED) == seconds.translate(SPACED),
         where, "a row is not made of two signs each")
    # Signs sort as their codes do, so marks do as well.
    marks = bytearray(len(cells))
    marks[LOWER::2], marks[1 - LOWER::2] = seconds, firsts
    marks = memoryview(marks).cast("H").tolist()
    need(0 not in seconds and (TOP not in firsts or max(marks) <= LAST), where, "not a mark and a level")
    ascents, ends = sum(map(lt, marks, marks[1:])), text.count(" ") - text.startswith(" ")
    need(ascents + ends >= len(marks) - 1, where, "a row is not in the order of its marks")


def _check_filter(digits, bits, keywords):
    need(bits > 0 and len(digits) * 4 >= bits, "the filter has fewer digits than bits")
    wanted = [0] * len(digits)
    for key in keywords:
        bit = hash_of(key) % bits
        wanted[bit // 4] |= 1 << bit % 4
    need(digits == "".join("%x" % digit for digit in wanted), "the filter is not that of the keys")


def _check_pages(decoded):
    files = decoded.files
    need(all(a < b for a, b in zip(files, files[1:])), "the records are not in the order of their file names")
    names = [domain["name"] for domain in decoded.domains]
    need(all(a < b for a, b in zip(names, names[1:])), "the domains are not in the order of their names")
    known = set(files)
    for old, new in decoded.newer.items():
        need(old in known and isinstance(new, str) and new in known, f"newer: {old!r} or {new!r} is not a page")
