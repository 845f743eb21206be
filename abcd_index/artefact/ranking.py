"""What ranking figures an artefact holds and how they are written: signs, a page's record, a term's cell, rarity.
``docs/format.md`` is the specification.

Prompt path. The builder saturates term counts into one level per term and page; a reader adds the rarity, which changes
with every page of the store and therefore is not in the record.
"""

from abcd_index.artefact.format import LISTED, PRIME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from abcd_index.artefact.format import Record

# The signs of ranking figures, in the order of their codes: all of printable ASCII that JSON writes as they are.
SIGNS = "!#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"
# A weight is two signs. The first and a part of the second stand for the term's remainder by MARKS (the largest
# prime that fits), the rest of the second for one of LEVELS levels.
LEVELS = 8
LOWS = len(SIGNS) // LEVELS
FINGERPRINTS = 1009
WEIGHT = 2
# Weights lie in rows, by the term's number: more of them in a row make the string shorter, fewer make it seldomer
# that one term is taken for another.
ROW_END = " "
# A term's cell: two signs for its remainder by COUNTED (the largest prime below len(SIGNS) ** 2); then for the pages
# that hold it and the titles that do, one each; or, of a rare term, one for the titles, and its pages.
COUNTED = 8461
# What the sign of a count stands for: up to 32 the count itself, then steps of a quarter, rounded down.
COUNTS = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
    30,
    31,
    32,
    40,
    50,
    62,
    77,
    96,
    120,
    150,
    187,
    233,
    291,
    363,
    453,
    566,
    707,
    883,
    1103,
    1378,
    1722,
    2152,
    2690,
    3362,
    4202,
    5252,
    6565,
    8206,
    10257,
    12821,
    16026,
    20032,
    25040,
    31300,
    39125,
    48906,
    61132,
    76415,
    95518,
    119397,
    149246,
    186557,
    233196,
    291495,
    364368,
    455460,
    569325,
    711656,
    889570,
    1111962,
    1389952,
    1737440,
    2171800,
    2714750,
    3393437,
    4241796,
    5302245,
    6627806,
    8284757,
    10355946,
    12944932,
    16181165,
)
BITS = 6  # of one sign of pairs: the first 64 signs
# Number of a pair of terms: modulo the largest prime below 2**61, so that products stay small.
PAIR_PRIME = 2305843009213693921
PAIR_FACTOR = 1000003

# What a record's line lists, in this order. It ends where nothing more has to be said.
FIELDS = (
    "weights",
    "file",
    "title",
    "size",
    "titles",
    "pairs",
    "recall",
    "form",
    "summary",
    "dialect",
    "type",
    "updated",
    "name",
    "spelled",
    "exclude",
)
# What the fields are that it does not reach. ``title``, ``type`` and ``name`` may be None where another one says them.
EMPTY: "Record" = {
    "titles": "",
    "pairs": "",
    "recall": (),
    "form": "- [{title}]({file}) \u2014 {summary}",
    "summary": "",
    "dialect": "abcd",
    "type": None,
    "updated": "",
    "name": None,
    "spelled": {},
    "exclude": (),
}
# The fields of a whole record that are text.
TEXTS = ("weights", "file", "title", "titles", "pairs", "summary", "dialect", "type", "updated", "name", "line")

_LN2 = 0.6931471805599453


def fingerprint(term: str) -> "tuple[int, str, str, str]":
    """Where a ranking term stands in any page's weights: (number that picks the row, first sign, the least and the
    greatest second sign)."""
    number = int.from_bytes(term.encode("utf-8", "surrogatepass"), "big")
    high, low = divmod(number % FINGERPRINTS, LOWS)
    return number % PRIME, SIGNS[high], SIGNS[low * LEVELS], SIGNS[low * LEVELS + LEVELS - 1]


def counted(term: str) -> str:
    """The two signs that stand for a ranking term in the line of its counts."""
    high, low = divmod(int.from_bytes(term.encode("utf-8", "surrogatepass"), "big") % COUNTED, len(SIGNS))
    return SIGNS[high] + SIGNS[low]


def page_width(pages: int) -> int:
    """How many signs an ordinal takes in a store of so many pages."""
    width, most = 1, len(SIGNS)
    while most < pages:
        width, most = width + 1, most * len(SIGNS)
    return width


def term_of(cell: str, pages: int) -> "tuple[int, int, list[int]]":
    """What the cell of a term in a store of ``pages`` says: (pages that hold it, titles that do, both about; the
    pages, ascending, [] of a term that many hold). Raises ValueError or IndexError."""
    first = SIGNS.index(cell[2])
    if first > LISTED:
        return COUNTS[first], COUNTS[SIGNS.index(cell[3])], []
    width, signs = page_width(pages), len(SIGNS)
    listed = []
    for at in range(3, len(cell), width):
        page = 0
        for sign in cell[at : at + width]:
            page = page * signs + SIGNS.index(sign)
        if page >= pages:
            raise ValueError("a page beyond the last one")
        listed.append(page)
    return len(listed), first, listed


def pair_hash(term: str) -> int:
    """A term's share in the number of a pair: 0 .. PAIR_PRIME - 1."""
    return int.from_bytes(term.encode("utf-8", "surrogatepass"), "big") % PAIR_PRIME


def pair_number(first: int, second: int) -> int:
    """The number of a pair of terms, from their ``pair_hash``; the order counts."""
    return (first * PAIR_FACTOR + second) % PAIR_PRIME


def places(number: int, bits: int) -> "tuple[int, int, int]":
    """The three bits, 0 .. bits - 1, that stand for a pair's number in a page of ``bits`` bits."""
    return number % bits, number // bits % bits, number // bits // bits % bits


def whole(values: object) -> "Record":
    """A page's record (dict) from the values of its line. Raises TypeError, ValueError, LookupError or
    AttributeError for what is no record."""
    if type(values) is not list:
        raise ValueError("a record is a list")
    record = EMPTY.copy()
    record.update(zip(FIELDS, values))
    recall = record["recall"] = {word: word for word in record["recall"]}
    recall.update(record.pop("spelled"))
    if record["name"] is None or record["type"] is None:
        name, kind = said(record)
        if record["name"] is None:
            record["name"] = name
        if record["type"] is None:
            record["type"] = kind
    if record["title"] is None:
        record["title"] = record["name"]
    form = record.pop("form")
    record["line"] = expanded(form, record) if type(form) is str else form[0]
    # Raises TypeError unless they are all text.
    "".join([*map(record.__getitem__, TEXTS), *recall, *recall.values()])
    if type(record["size"]) is not int or type(record["exclude"]) not in (list, tuple):
        raise ValueError("a size is a number and what excludes a page a list")
    return record


def said(record: "Record") -> "tuple[str, str]":
    """(name, type) as the file's name says them: of ``type_domain_slug.md`` slug and type, else a name."""
    stem = record["file"].rpartition(".")[0]
    if record["dialect"] != "abcd":
        return stem.replace("_", "-"), ""
    kind, _, rest = stem.partition("_")
    return rest.partition("_")[2], kind


def expanded(form: str, record: "Record") -> str:
    """The catalogue line that ``form`` stands for."""
    return (
        form.replace("{file}", record["file"])
        .replace("{title}", record["title"])
        .replace("{summary}", record["summary"])
    )


def idf(pages: int, holding: int) -> float:
    """How rare a term is: ln(1 + (N - n + 0.5) / (n + 0.5)), never negative."""
    return ln(1 + (pages - holding + 0.5) / (holding + 0.5))


def ln(x: float) -> float:
    """The natural logarithm of ``x`` >= 1, to eight digits. math is a shared object on many builds, and loading
    it takes longer than ranking a prompt's pages."""
    exponent = int(x).bit_length() - 1
    x /= 1 << exponent
    t = (x - 1) / (x + 1)
    s = t * t
    return exponent * _LN2 + 2 * t * (1 + s * (1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * (1 / 11 + s / 13))))))


def level_of(rows: "list[str]", where: "tuple[int, str, str, str]") -> float:
    """How much a page says a term, 0 .. 1; 0.0 when it does not. ``rows``: the page's weights, split at ROW_END;
    ``where``: the term's ``fingerprint``."""
    number, first, least, greatest = where
    row = rows[number % len(rows)]
    at = row.find(first)
    while at >= 0:
        if not at % WEIGHT and least <= row[at + 1] <= greatest:
            return (SIGNS.index(row[at + 1]) % LEVELS + 0.5) / LEVELS
        at = row.find(first, at + 1)
    return 0.0
