"""The names and numbers of the artefact's format. ``docs/format.md`` is its specification.

Prompt path: the reader imports this. The writer and the reader share these constants and the two
small functions below, nothing else.
"""

MAGIC = "abcd-index"
FORMAT = 1
OLDEST = 1

# A cell of a table: where a line is (10 hex digits), how long (7) and its checksum (8).
CELL = 25
OFFSET_END = 10
LENGTH_END = 17

# The parts that have a table, in the order in which their tables stand in the file.
PARTS = ("keywords", "terms", "domains", "records", "bodies")

# Checksum and hash of bytes: one big-endian number modulo the largest prime below 2**30, a digit of
# CPython's big integers. Python does it in C without importing anything, and any language can repeat it.
PRIME = 1073741789

# 64 signs in the order of their codes: they write slots (three of them) and levels (one).
SIGNS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
SLOTS = 262139  # the largest prime below 64 ** 3: a power of two would keep only a term's last letters
LEVELS = 63
WEIGHT = 4  # signs of one weight: slot and level
BITS = 6  # of one sign
# Number of a pair of terms: modulo the largest prime below 2**61, so that products stay small.
PAIR_PRIME = 2305843009213693921
PAIR_FACTOR = 1000003

# A page's own names within the index folder.
CURRENT = "current"
# The name of the artefact that a team keeps in the repository; it is the current one where CURRENT is not there.
TRACKED = "tracked"
SUFFIX = ".idx"
TIMES_SUFFIX = ".times"
PAGES_SUFFIX = ".pages"

# A row of the times sidecar: mtime_ns (16 hex digits), size (8), sha256 (64), a line end.
ROW = 89


def checksum(data):
    """The checksum of ``data`` (bytes): 0 .. PRIME - 1."""
    return int.from_bytes(data, "big") % PRIME


def bucket(key, count):
    """The bucket, 0 .. count - 1, that a key or term (text) lies in. Writers make ``count`` odd."""
    return int.from_bytes(key.encode("utf-8", "surrogatepass"), "big") % PRIME % count


def pair_hash(term):
    """A term's share in the number of a pair: 0 .. PAIR_PRIME - 1."""
    return int.from_bytes(term.encode("utf-8", "surrogatepass"), "big") % PAIR_PRIME


def pair_number(first, second):
    """The number of a pair of terms, from their ``pair_hash``; the order counts."""
    return (first * PAIR_FACTOR + second) % PAIR_PRIME


def places(number, bits):
    """The three bits, 0 .. bits - 1, that stand for a pair's number in a page of ``bits`` bits."""
    return number % bits, number // bits % bits, number // bits // bits % bits


def slot(term):
    """The three signs that stand for a ranking term in a page's weights."""
    n = int.from_bytes(term.encode("utf-8", "surrogatepass"), "big") % SLOTS
    return SIGNS[n >> 12] + SIGNS[n >> 6 & 63] + SIGNS[n & 63]
