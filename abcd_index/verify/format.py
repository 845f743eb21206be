"""Reads an artefact strictly as ``docs/format.md`` says, with a parser of its own.

It shares no code with ``artefact/writer.py`` or ``artefact/reader.py``: a writer that reads itself back
only agrees with itself. Every line, offset, checksum and order is checked, so it reads the whole file.
"""

import json

from abcd_index.errors import FormatTooNew

MAGIC = "abcd-index"
FORMAT = 1
MODULUS = 2**30 - 35
CELL, OFFSET, LENGTH = 20, 8, 14
TABLES = ("keywords", "terms", "domains", "records", "bodies")
SIGNS = [chr(code) for code in range(33, 127) if chr(code) not in '"\\']
CODES = {sign: number for number, sign in enumerate(SIGNS)}
LEVELS, LOWS, MARKS, COUNTED = 8, 11, 1009, 8461
# What a record lists, and what the fields are that it does not reach (no value: it has to).
RECORD_FIELDS = (
    ("weights", str), ("file", str), ("title", (str, None)), ("size", int), ("titles", str, ""), ("pairs", str, ""),
    ("recall", list, []), ("form", (str, list), "- [{title}]({file}) \u2014 {summary}"), ("summary", str, ""),
    ("dialect", str, "abcd"), ("type", (str, None), None), ("updated", str, ""), ("name", (str, None), None),
    ("spelled", dict, {}), ("exclude", list, []),
)
DOMAIN_FIELDS = {"name": str, "state": str, "aliases": list, "rules": list, "exclude": list, "recall": dict}


class Torn(Exception):
    """The bytes are not what their own checksums and counts say."""


class Wrong(Exception):
    """Whole, but not as the specification says."""


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


class Visitor:
    """Is shown every record, then every body. This one looks away."""

    def record(self, number, record):
        """``record``: a dict, checked, with every field."""

    def body(self, number, body):
        """``body``: the text of the page whose record had that number."""


def peek(first_line):
    """The header in an artefact's first line. Raises Torn or FormatTooNew.

    The magic and the format number come first: of a newer format nothing else may be assumed.
    """
    try:
        header = _parse(first_line)
    except ValueError:
        raise Torn("its first line is not JSON") from None
    if not isinstance(header, dict) or header.get("magic") != MAGIC:
        raise Torn("its first line is not the header of an artefact")
    number = header.get("format")
    if not _whole(number) or number < 1:
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
    _need(header["filter"][0] == lines.at, "header: filter does not point at line 3")
    digits = _text(lines.next(), "line 3")
    tables = {name: _table(header["parts"][name], name, lines) for name in TABLES}
    start, line = lines.at, lines.next()
    decoded.newer = _object(line, "line 9")
    _need(header["newer"] == [start, len(line), checksum(line)], "header: newer does not point at line 9")
    _parts(decoded, tables, lines, visitor)
    lines.end()
    _check_filter(digits, header["filter"][1], decoded.keywords)
    _check_pages(decoded)
    return decoded


def checksum(line):
    """A line's bytes as one big-endian number, modulo the largest prime below 2**30."""
    return int.from_bytes(line, "big") % MODULUS


def hash_of(text):
    """The same number of a key's or term's UTF-8 bytes."""
    return checksum(text.encode("utf-8", "surrogatepass"))


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
    _canonical(header, line, "header")
    if header.get("size") != size:
        raise Torn(f"the header says {header.get('size')} bytes, the file has {size}")
    key = header.get("key")
    _need(isinstance(key, str) and len(key) == 40 and not set(key) - set("0123456789abcdef"), "header: key")
    _need(_whole(header.get("tokens")), "header: tokens")
    _need(isinstance(header.get("settings"), dict), "header: settings")
    for name, length in (("lengths", 2), ("filter", 2), ("newer", 3)):
        _need(_wholes(header.get(name), length), f"header: {name}")
    parts = header.get("parts")
    _need(isinstance(parts, dict) and set(TABLES) <= set(parts), "header: parts")
    for name in TABLES:
        _need(_wholes(parts[name], 2), f"header: parts.{name}")


def _table(part, name, lines):
    """The cells of a part's table."""
    _need(part[0] == lines.at, f"header: parts.{name} does not point at its table")
    table = _text(lines.next(), f"table of {name}")
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
    _need(len(tables["bodies"]) == pages, "there are not as many bodies as records")
    sizes = []
    for name in TABLES:
        for number, cell in enumerate(tables[name]):
            start, line = lines.at, lines.next()
            if _cell(cell) != (start, len(line), checksum(line)):
                raise Torn(f"{name} {number}: the line is not what its cell says (place, length or checksum)")
            where = f"{name} {number}"
            if name == "keywords":
                _keywords(decoded, _bucket(line, number, len(tables[name]), where), pages, domains, where)
            elif name == "terms":
                _terms(decoded, _text(line, where), where)
            elif name == "domains":
                decoded.domains.append(_fields(line, DOMAIN_FIELDS, where))
            elif name == "records":
                record = _record(line, where)
                decoded.files.append(record["file"])
                sizes.append(record["size"])
                visitor.record(number, record)
            else:
                body = _text(line, where)
                _need(sizes[number] == len(body), f"the record of {decoded.files[number]!r} has not its body's size")
                visitor.body(number, body)


def _keywords(decoded, bucket, pages, domains, where):
    for key, postings in bucket:
        _need(isinstance(postings, list) and postings, f"{where}: {key!r} has no postings")
        for posting in postings:
            _check_posting(posting, pages, domains, f"{where}: {key!r}")
        decoded.keywords[key] = postings


def _check_posting(posting, pages, domains, where):
    _need(isinstance(posting, list) and (len(posting) == 2 or len(posting) == 3 and posting[2]),
          f"{where}: a posting is not [entry, pages] or [entry, pages, domains]")
    entry, of_pages, of_domains = [*posting, []][:3]
    _need(isinstance(entry, list) and entry and isinstance(entry[0], str), f"{where}: an entry has no normal form")
    for ordinals, most in ((of_pages, pages), (of_domains, domains)):
        _need(_wholes(ordinals), f"{where}: ordinals are not numbers")
        _need(all(a < b for a, b in zip(ordinals, ordinals[1:])), f"{where}: ordinals do not ascend")
        _need(not ordinals or ordinals[-1] < most, f"{where}: an ordinal is beyond the end")
    _need(bool(of_pages or of_domains), f"{where}: a posting of nothing")


def _terms(decoded, text, where):
    halves = text.split(" ")
    _need(len(halves) == 2, f"{where}: not two runs of counts with a space in between")
    seen = set()
    for cells, width in zip(halves, (3, 4)):
        _need(len(cells) % width == 0 and not set(cells) - CODES.keys(), f"{where}: not counts of {width} signs each")
        signs = [cells[at:at + 2] for at in range(0, len(cells), width)]
        _need(signs == sorted(set(signs)) and not seen.intersection(signs), f"{where}: counts are not in order")
        _need(all(CODES[sign[0]] * len(SIGNS) + CODES[sign[1]] < COUNTED for sign in signs), f"{where}: no remainder")
        _need(SIGNS[0] not in cells[2::width] and (width == 3 or SIGNS[0] not in cells[3::width]),
              f"{where}: a count of 0")
        seen.update(signs)
    decoded.terms += len(seen)


def _bucket(line, number, count, where):
    for key, value in _object(line, where).items():
        _need(hash_of(key) % count == number, f"{where}: {key!r} belongs into another bucket")
        yield key, value


def _record(line, where):
    record = _listed(line, where)
    where = f"record of {record['file']!r}"
    recall = record.pop("recall")
    spelled = record.pop("spelled")
    _need(all(isinstance(word, str) for word in [*recall, *spelled.values()]), f"{where}: recall")
    _need(recall == sorted(set(recall)) and not spelled.keys() & set(recall), f"{where}: a keyword stands there twice")
    record["recall"] = {**dict(zip(recall, recall)), **spelled}
    _imply(record, where)
    for name in ("weights", "titles"):
        for row in record[name].split(" "):
            _check_row(row, f"{where}: {name}")
    _need(not set(record["pairs"]) - set(SIGNS[:64]), f"{where}: pairs has a sign that is not among the first 64")
    return record


def _listed(line, where):
    """The fields of a record as its line lists them."""
    values = _json(line, where)
    _need(isinstance(values, list), f"{where} is not a list of a record's fields")
    _canonical(values, line, where)
    record = {}
    for at, (name, kind, *implied) in enumerate(RECORD_FIELDS):
        _need(at < len(values) or implied, f"{where}: {name} is missing")
        value = values[at] if at < len(values) else implied[0]
        kinds = kind if isinstance(kind, tuple) else (kind,)
        _need(_whole(value) if kind is int else value is None and None in kinds or type(value) in kinds,
              f"{where}: {name} is of another type")
        record[name] = value
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
        _need(len(form) == 1 and isinstance(form[0], str), f"{where}: form")
        record["line"] = form[0]
        return
    for name in ("file", "title", "summary"):
        form = form.replace("{" + name + "}", record[name])
    record["line"] = form


def _check_row(row, where):
    _need(len(row) % 2 == 0, f"{where}: a row is not made of two signs each")
    _need(not set(row) - CODES.keys(), f"{where} has a sign that is not in the alphabet")
    codes = [(CODES[row[at]], CODES[row[at + 1]]) for at in range(0, len(row), 2)]
    marks = [first * LOWS + second // LEVELS for first, second in codes]
    _need(all(second < LOWS * LEVELS for _, second in codes) and (not marks or marks[-1] < MARKS),
          f"{where}: not a mark and a level")
    _need(marks == sorted(set(marks)), f"{where}: a row is not in the order of its marks")


def _check_filter(digits, bits, keywords):
    _need(bits > 0 and len(digits) * 4 >= bits, "the filter has fewer digits than bits")
    wanted = [0] * len(digits)
    for key in keywords:
        bit = hash_of(key) % bits
        wanted[bit // 4] |= 1 << bit % 4
    _need(digits == "".join("%x" % digit for digit in wanted), "the filter is not that of the keys")


def _check_pages(decoded):
    files = decoded.files
    _need(all(a < b for a, b in zip(files, files[1:])), "the records are not in the order of their file names")
    names = [domain["name"] for domain in decoded.domains]
    _need(all(a < b for a, b in zip(names, names[1:])), "the domains are not in the order of their names")
    known = set(files)
    for old, new in decoded.newer.items():
        _need(old in known and new in known, f"newer: {old!r} or {new!r} is not a page")


def _fields(line, fields, where):
    value = _object(line, where)
    for name, kind in fields.items():
        right = _whole(value.get(name)) if kind is int else isinstance(value.get(name), kind)
        _need(right, f"{where}: {name} is missing or of another type")
    return value


def _object(line, where):
    value = _json(line, where)
    _need(isinstance(value, dict), f"{where} is not an object")
    _canonical(value, line, where)
    return value


def _text(line, where):
    value = _json(line, where)
    _need(isinstance(value, str), f"{where} is not a string")
    return value


def _json(line, where):
    try:
        return _parse(line)
    except ValueError:
        raise Torn(f"{where} is not JSON in UTF-8") from None


def _parse(line):
    """A line's value by the letter of JSON. Raises ValueError, also for what is nested out of all reason."""
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_constant(name):
    raise ValueError(f"{name} is not JSON")


def _canonical(value, line, where):
    # Also finds a key that stands there twice, which a JSON parser passes over.
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    _need(text.encode("utf-8", "surrogatepass") == line,
          f"{where}: its keys are not sorted or stand twice, or there is white space")


def _whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _wholes(value, length=None):
    return isinstance(value, list) and all(map(_whole, value)) and length in (None, len(value))


def _need(condition, sentence):
    if not condition:
        raise Wrong(sentence)
