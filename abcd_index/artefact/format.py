"""The names and numbers of the artefact's format. ``docs/format.md`` is its specification.

Prompt path: the reader imports this. The writer and the reader share these constants and the
small functions below, nothing else.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # A page's record, or a domain's, as the reader gives it: {field: value}.
    Record = dict[str, Any]
    # [entry, ordinals of pages, ordinals of domains]: who declares a keyword.
    Posting = list[Any]

MAGIC = "abcd-index"
FORMAT = 2
OLDEST = 1
# Raise when the same pages give other lines with the same format and tokeniser (a better title, say).
RECORDS_VERSION = 4

# A cell of a table: where a line is (8 digits), how long (6) and its checksum (6), in base 32.
CELL = 20
OFFSET_END = 8
LENGTH_END = 14
DIGITS = 32

# The parts that have a table, in the order in which their tables stand in the file.
PARTS = ("keywords", "terms", "domains", "records", "bodies")

# Checksum and hash of bytes: one big-endian number modulo the largest prime below 2**30, a digit of
# CPython's big integers. Python does it in C without importing anything, and any language can repeat it.
PRIME = 1073741789

# A ranking term that at most so many pages hold lists them: where a prompt finds pages by their text.
LISTED = 12
# The first format in which they do. Of an older artefact only the keywords are read.
LISTING = 2
# And one that at most so many hold is known page by page to the next build: some pages may let go of it before all have
# to be read again.
KNOWN = 32

# A page's own names within the index folder.
CURRENT = "current"
# The name of the artefact that a team keeps in the repository; it is the current one where CURRENT is not there.
TRACKED = "tracked"
SUFFIX = ".idx"
TIMES_SUFFIX = ".times"
PAGES_SUFFIX = ".pages"

# A row of the times sidecar: mtime_ns (16 hex digits), ctime_ns (16), size (8), sha256 (64), a line end.
ROW = 105


def of_another_release(header: "dict[str, Any]") -> bool:
    """Whether other versions than this release's made the artefact of ``header``. The key holds them, so such an
    artefact is never the one of the pages on disk, however old those are."""
    # Where a prompt meets no artefact, nothing of the tokeniser is loaded.
    from abcd_index.text.normalise import TOKENS_VERSION

    return header.get("tokens") != TOKENS_VERSION or header.get("records") != RECORDS_VERSION


def checksum(data: bytes) -> int:
    """The checksum of ``data`` (bytes): 0 .. PRIME - 1."""
    return int.from_bytes(data, "big") % PRIME


def bucket(key: str, count: int) -> int:
    """The bucket, 0 .. count - 1, that a key or term (text) lies in. Writers make ``count`` odd."""
    return int.from_bytes(key.encode("utf-8", "surrogatepass"), "big") % PRIME % count
