"""The signs in which an artefact writes what ranking needs: marks of terms, counts, pairs. ``docs/format.md`` is
their specification.

Prompt path, loaded only when a keyword matched.
"""

from abcd_index.artefact.format import PRIME

# The signs of ranking figures, in the order of their codes: all of printable ASCII that JSON writes as they are.
SIGNS = "!#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"
# A weight is two signs. The first and a part of the second stand for the term's remainder by MARKS (the largest
# prime that fits), the rest of the second for one of LEVELS levels.
LEVELS = 8
LOWS = len(SIGNS) // LEVELS
MARKS = 1009
WEIGHT = 2
# Weights lie in rows, by the term's number: more of them in a row make the string shorter, fewer make it seldomer
# that one term is taken for another.
ROW_END = " "
# A term's counts: two signs for its remainder by COUNTED (the largest prime below len(SIGNS) ** 2), one for the
# pages that hold it, and one for the titles, where there are any.
COUNTED = 8461
# What the sign of a count stands for: up to 32 the count itself, then steps of a quarter, rounded down.
COUNTS = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
    29, 30, 31, 32, 40, 50, 62, 77, 96, 120, 150, 187, 233, 291, 363, 453, 566, 707, 883, 1103, 1378, 1722,
    2152, 2690, 3362, 4202, 5252, 6565, 8206, 10257, 12821, 16026, 20032, 25040, 31300, 39125, 48906, 61132,
    76415, 95518, 119397, 149246, 186557, 233196, 291495, 364368, 455460, 569325, 711656, 889570, 1111962,
    1389952, 1737440, 2171800, 2714750, 3393437, 4241796, 5302245, 6627806, 8284757, 10355946, 12944932,
    16181165,
)
BITS = 6  # of one sign of pairs: the first 64 signs
# Number of a pair of terms: modulo the largest prime below 2**61, so that products stay small.
PAIR_PRIME = 2305843009213693921
PAIR_FACTOR = 1000003


def mark(term):
    """Where a ranking term stands in any page's weights: (number that picks the row, first sign, the least and the
    greatest second sign)."""
    number = int.from_bytes(term.encode("utf-8", "surrogatepass"), "big")
    high, low = divmod(number % MARKS, LOWS)
    return number % PRIME, SIGNS[high], SIGNS[low * LEVELS], SIGNS[low * LEVELS + LEVELS - 1]


def counted(term):
    """The two signs that stand for a ranking term in the line of its counts."""
    high, low = divmod(int.from_bytes(term.encode("utf-8", "surrogatepass"), "big") % COUNTED, len(SIGNS))
    return SIGNS[high] + SIGNS[low]


def pair_hash(term):
    """A term's share in the number of a pair: 0 .. PAIR_PRIME - 1."""
    return int.from_bytes(term.encode("utf-8", "surrogatepass"), "big") % PAIR_PRIME


def pair_number(first, second):
    """The number of a pair of terms, from their ``pair_hash``; the order counts."""
    return (first * PAIR_FACTOR + second) % PAIR_PRIME


def places(number, bits):
    """The three bits, 0 .. bits - 1, that stand for a pair's number in a page of ``bits`` bits."""
    return number % bits, number // bits % bits, number // bits // bits % bits
