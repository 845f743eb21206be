"""Reads an artefact strictly as ``docs/format.md`` says, with a parser of its own.

It shares no code with ``artefact/writer.py`` or ``artefact/reader.py``: a writer that reads itself back
only agrees with itself. Every line, offset, checksum and order is checked, so it reads the whole file.
"""

import json

from abcd_index.errors import FormatTooNew

MAGIC = "abcd-index"
FORMAT = 1
MODULUS = 2**32 - 5
CELL = 25
TABLES = ("keywords", "terms", "domains", "records", "bodies")
FIXED_LINES = 9
SIGNS = set("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
LEAST = "-"
RECORD_FIELDS = {
    "file": str, "title": str, "name": str, "type": str, "line": str, "summary": str, "updated": str,
    "recall": dict, "exclude": list, "size": int, "weights": str, "titles": str,
}
DOMAIN_FIELDS = {"name": str, "state": str, "aliases": list, "rules": list, "exclude": list, "recall": dict}


class Torn(Exception):
    """The bytes are not what their own checksums and counts say."""


class Wrong(Exception):
    """Whole, but not as the specification says."""


class Decoded:
    """Everything an artefact holds.

    ``header`` (dict); ``keywords`` {key: postings}; ``terms`` {term: (pages, titles)}; ``domains``,
    ``records`` (lists of dicts); ``bodies`` (list of str); ``newer`` {file: file}.
    """

    def __init__(self, header, newer):
        self.header = header
        self.newer = newer
        self.keywords = {}
        self.terms = {}
        self.domains = []
        self.records = []
        self.bodies = []


def peek(data):
    """The header of an artefact's bytes, unchecked but for what makes it one. Raises Torn, FormatTooNew.

    The magic and the format number come first: of a newer format nothing else may be assumed.
    """
    line = data.partition(b"\n")[0]
    try:
        header = json.loads(line.decode("utf-8"))
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


def decode(data):
    """The Decoded of an artefact's bytes. Raises Torn, Wrong or FormatTooNew."""
    header = peek(data)
    lines = _lines(data)
    _check_header(header, lines, data)
    starts = _starts(lines)
    filters = _text(lines[2], "line 3")
    _need(header["filter"][0] == starts[2], "header: filter does not point at line 3")
    newer = _object(lines[8], "line 9")
    _need(header["newer"] == [starts[8], len(lines[8]), checksum(lines[8])], "header: newer does not point at line 9")
    parts = _parts(header, lines, starts)
    decoded = Decoded(header, newer)
    _keywords(decoded, parts)
    _terms(decoded, parts["terms"])
    decoded.domains = [_fields(line, DOMAIN_FIELDS, f"domain {n}") for n, line in enumerate(parts["domains"])]
    decoded.records = [_record(line, n) for n, line in enumerate(parts["records"])]
    decoded.bodies = [_text(line, f"body {n}") for n, line in enumerate(parts["bodies"])]
    _check_filter(filters, header["filter"][1], decoded.keywords)
    _check_pages(decoded)
    return decoded


def checksum(line):
    """A line's bytes as one big-endian number, modulo the largest prime below 2**32."""
    return int.from_bytes(line, "big") % MODULUS


def hash_of(text):
    """The same number of a key's or term's UTF-8 bytes."""
    return checksum(text.encode("utf-8", "surrogatepass"))


def _lines(data):
    if not data.endswith(b"\n"):
        raise Torn("it does not end with a line end: it is cut")
    lines = data[:-1].split(b"\n")
    if len(lines) < FIXED_LINES:
        raise Torn(f"it has {len(lines)} lines, at least {FIXED_LINES} are needed: it is cut")
    return lines


def _starts(lines):
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    return starts


def _check_header(header, lines, data):
    if not (len(lines[1]) == 10 and lines[1].strip().isdigit() and int(lines[1]) == checksum(lines[0])):
        raise Torn("the header's checksum in line 2 does not fit line 1")
    _canonical(header, lines[0], "header")
    if header.get("size") != len(data):
        raise Torn(f"the header says {header.get('size')} bytes, the file has {len(data)}")
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


def _parts(header, lines, starts):
    """{part: its lines}, after the tables were held against the lines they speak of."""
    counts = {name: header["parts"][name][1] for name in TABLES}
    wanted = FIXED_LINES + sum(counts.values())
    if len(lines) != wanted:
        raise Torn(f"the header's counts make {wanted} lines, the file has {len(lines)}")
    parts, at = {}, FIXED_LINES
    for number, name in enumerate(TABLES):
        line = 3 + number
        _need(header["parts"][name][0] == starts[line], f"header: parts.{name} does not point at line {line + 1}")
        table = _text(lines[line], f"line {line + 1}")
        if len(table) != CELL * counts[name]:
            raise Torn(f"the table of {name} has {len(table)} signs, not {CELL} times {counts[name]}")
        parts[name] = lines[at:at + counts[name]]
        for cell in range(counts[name]):
            _check_cell(table[cell * CELL:(cell + 1) * CELL], lines[at + cell], starts[at + cell], f"{name} {cell}")
        at += counts[name]
    return parts


def _check_cell(cell, line, start, where):
    if cell != "%010x%07x%08x" % (start, len(line), checksum(line)):
        raise Torn(f"{where}: the line is not what its cell says (place, length or checksum)")


def _keywords(decoded, parts):
    pages, domains = len(parts["records"]), len(parts["domains"])
    _need(len(parts["bodies"]) == pages, "there are not as many bodies as records")
    for number, line in enumerate(parts["keywords"]):
        where = f"keyword bucket {number}"
        for key, postings in _bucket(line, number, len(parts["keywords"]), where):
            _need(isinstance(postings, list) and postings, f"{where}: {key!r} has no postings")
            for posting in postings:
                _check_posting(posting, pages, domains, f"{where}: {key!r}")
            decoded.keywords[key] = postings


def _check_posting(posting, pages, domains, where):
    _need(isinstance(posting, list) and len(posting) == 3, f"{where}: a posting is not [entry, pages, domains]")
    entry, of_pages, of_domains = posting
    _need(isinstance(entry, list) and entry and isinstance(entry[0], str), f"{where}: an entry has no normal form")
    for ordinals, most in ((of_pages, pages), (of_domains, domains)):
        _need(_wholes(ordinals), f"{where}: ordinals are not numbers")
        _need(all(a < b for a, b in zip(ordinals, ordinals[1:])), f"{where}: ordinals do not ascend")
        _need(not ordinals or ordinals[-1] < most, f"{where}: an ordinal is beyond the end")
    _need(bool(of_pages or of_domains), f"{where}: a posting of nothing")


def _terms(decoded, lines):
    for number, line in enumerate(lines):
        where = f"term bucket {number}"
        for term, value in _bucket(line, number, len(lines), where):
            pair = (value, 0) if _whole(value) else tuple(value) if _wholes(value, 2) else None
            _need(pair is not None and 0 < pair[0] and pair[1] <= pair[0], f"{where}: the counts of {term!r}")
            decoded.terms[term] = pair


def _bucket(line, number, count, where):
    for key, value in _object(line, where).items():
        _need(hash_of(key) % count == number, f"{where}: {key!r} belongs into another bucket")
        yield key, value


def _record(line, number):
    record = _fields(line, RECORD_FIELDS, f"record {number}")
    where = f"record of {record['file']!r}"
    for name in ("weights", "titles"):
        text = record[name]
        slots = [text[at:at + 3] for at in range(0, len(text), 4)]
        _need(len(text) % 4 == 0, f"{where}: {name} is not made of four signs each")
        _need(slots == sorted(set(slots)), f"{where}: {name} are not in the order of their slots")
        _need(not set(text) - SIGNS, f"{where}: {name} has a sign that is not in the alphabet")
        _need(LEAST not in text[3::4], f"{where}: {name} has a level of 0")
    _need(all(isinstance(v, str) for v in record["recall"].values()), f"{where}: recall")
    return record


def _check_filter(digits, bits, keywords):
    _need(bits > 0 and len(digits) * 4 >= bits, "the filter has fewer digits than bits")
    wanted = [0] * len(digits)
    for key in keywords:
        bit = hash_of(key) % bits
        wanted[bit // 4] |= 1 << bit % 4
    _need(digits == "".join("%x" % digit for digit in wanted), "the filter is not that of the keys")


def _check_pages(decoded):
    files = [record["file"] for record in decoded.records]
    _need(all(a < b for a, b in zip(files, files[1:])), "the records are not in the order of their file names")
    names = [domain["name"] for domain in decoded.domains]
    _need(all(a < b for a, b in zip(names, names[1:])), "the domains are not in the order of their names")
    for record, body in zip(decoded.records, decoded.bodies):
        _need(record["size"] == len(body), f"record of {record['file']!r}: size is not that of its body")
    for old, new in decoded.newer.items():
        _need(old in files and new in files, f"newer: {old!r} or {new!r} is not a page")


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
        return json.loads(line.decode("utf-8"))
    except ValueError:
        raise Torn(f"{where} is not JSON in UTF-8") from None


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
