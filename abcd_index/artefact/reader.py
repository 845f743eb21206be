"""Reads an artefact in parts: the header, the buckets a prompt's words hash to, the lines it will show.

Prompt path: standard library only. Cost grows with what is asked for, never with the store (the idea
is D. J. Bernstein's cdb, https://cr.yp.to/cdb.html, with JSON values). Every line is checked against
its checksum when it is read; a damaged line raises ArtefactTorn and never yields other text.
"""

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os  # type: ignore[no-redef]  # another module under the same name

from abcd_index.artefact.format import (
    CELL,
    CURRENT,
    DIGITS,
    FORMAT,
    LENGTH_END,
    LISTING,
    MAGIC,
    OFFSET_END,
    OLDEST,
    PARTS,
    PRIME,
    SUFFIX,
    TRACKED,
    bucket,
    checksum,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from os import stat_result
    from typing import Any

    from abcd_index.artefact.format import Posting, Record
    from abcd_index.errors import ArtefactMissing, ArtefactTorn, ArtefactUnknown

# Loaded with the first page or term: most prompts ask for none.
ranking: "Any" = None
whole: "Any" = None

# One read of this size brings the keyword side of a store of a hundred pages or two; a larger one takes longer than it
# saves.
HEAD = 32768
# A longer line is not read, so that a damaged table cannot make a prompt ask for gigabytes. A keyword that a million
# pages share takes a quarter of it.
LONGEST_LINE = 1 << 25
# A planted link or pipe under the name of one of our own files is not followed and not waited for.
CAREFUL = getattr(_os, "O_NOFOLLOW", 0) | getattr(_os, "O_NONBLOCK", 0) | getattr(_os, "O_CLOEXEC", 0)

# The hexadecimal digits, as bytes, in which each of the four bits is set.
HOLDING = b"13579bdf", b"2367abef", b"4567cdef", b"89abcdef"

try:
    from _json import make_scanner as _make_scanner

    # What json.JSONDecoder hands to the C scanner, without importing json (7 ms). A module holds names for less
    # than a class of our own does.
    _decoder: "Any" = type(_os)("decoder")
    _decoder.strict = True
    _decoder.object_hook = _decoder.object_pairs_hook = _decoder.parse_constant = None
    _decoder.parse_float, _decoder.parse_int = float, int
    _decoder.memo = {}
    _scan: "Callable[[str, int], tuple[Any, int]] | None" = _make_scanner(_decoder)
except Exception:  # pragma: no cover - not CPython: json's own parser does the same
    _scan = None


def parse(text: str) -> "Any":
    """The JSON value that ``text`` (str) is. Raises ValueError on anything else.

    CPython's private scanner raises other errors on some bad input (SystemError on 3.10 and 3.11,
    StopIteration at the end), hence the wide net.
    """
    if _scan is None:  # pragma: no cover - not CPython
        import json

        return json.loads(text)
    text = text.strip(" \t\n\r")
    try:
        value, end = _scan(text, 0)
    except Exception as error:
        raise ValueError(f"not JSON: {error!r}") from None
    if end != len(text):
        raise ValueError("text after the JSON value")
    return value


def hashes(keys: "Collection[str]") -> "list[int]":
    """The number of each key, which says where it is in any artefact: see ``format.bucket``."""
    try:
        numbers: Iterable[int] = map(int.from_bytes, map(str.encode, keys), ["big"] * len(keys))  # type: ignore[arg-type]  # int.from_bytes(bytes, "big")
        return [number % PRIME for number in numbers]
    except UnicodeEncodeError:
        return [int.from_bytes(key.encode("utf-8", "surrogatepass"), "big") % PRIME for key in keys]


def torn(message: str, artefact: "Artefact | None" = None) -> "ArtefactTorn":
    """The ArtefactTorn to raise, with the Artefact that it is about. Errors are loaded when there is one: a class
    takes a process longer than a lookup."""
    from abcd_index.errors import ArtefactTorn

    error = ArtefactTorn(message)
    error.artefact = artefact
    return error


def unknown(path: str) -> "ArtefactUnknown":
    """The ArtefactUnknown to raise."""
    from abcd_index.errors import ArtefactUnknown

    return ArtefactUnknown(f"{path} was neither built nor checked on this machine")


def missing(message: str) -> "ArtefactMissing":
    """The ArtefactMissing to raise."""
    from abcd_index.errors import ArtefactMissing

    return ArtefactMissing(message)


class Artefact:
    """An open artefact. ``header``: the parsed header line; ``pages`` and ``domains``: counts."""

    __slots__ = ("path", "header", "pages", "domains", "_fd", "_head", "_size", "_parts", "_buckets", "_newer")

    def __init__(self, fd: int, path: str, stat: "stat_result | None" = None) -> None:
        self._fd = fd
        self.path = path
        self._buckets: dict[object, Any] = {}
        self._newer: dict[str, str] | None = None
        self._head = _os.read(fd, HEAD)
        self._size = (stat or _os.fstat(fd)).st_size
        self.header = self._read_header()
        self._parts = self.header["parts"]
        self.pages = self._parts["records"][1]
        self.domains = self._parts["domains"][1]

    @classmethod
    def open(cls, path: str, ours: "Callable[[stat_result], bool] | None" = None) -> "Artefact":
        """Open ``path``. ``ours``: stat of the open file -> whether to read it at all. Raises ArtefactMissing,
        ArtefactUnknown where it is not ours, ArtefactTorn or FormatTooNew."""
        try:
            fd = _os.open(path, _os.O_RDONLY | CAREFUL | getattr(_os, "O_BINARY", 0))
        except (OSError, ValueError):
            raise missing(f"no artefact at {path}") from None
        try:
            stat = _os.fstat(fd)
            if ours is not None and not ours(stat):
                raise unknown(path)
            return cls(fd, path, stat)
        except BaseException as error:
            _os.close(fd)
            if isinstance(error, (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError)):
                raise torn(f"{path} is not a whole artefact") from None
            raise

    def close(self) -> None:
        """Close the file. Harmless when it is closed already."""
        if self._fd >= 0:
            _os.close(self._fd)
            self._fd = -1

    def fileno(self) -> int:
        """The descriptor of the open file, for who reads the lines in other ways."""
        return self._fd

    def keyword(self, key: str) -> "list[Posting]":
        """The postings under ``key``: a list of [entry, pages, domains], [] when there is none.

        ``entry`` belongs to ``terms``; ``pages`` and ``domains`` are ascending ordinals.
        """
        for _, postings in self.keywords((key,)):
            return postings
        return []

    def keywords(self, keys: "Collection[str]", hashed: "list[int] | None" = None) -> "list[tuple[str, list[Posting]]]":
        """The keys that have postings, each with them: [(key, postings)]. One pass over the filter for all.

        ``hashed``: ``hashes(keys)``, for who asks several artefacts.
        """
        found = []
        for key in self._present(keys, hashes(keys) if hashed is None else hashed):
            postings = self._bucket("keywords", key)
            if postings:
                for posting in postings:
                    if len(posting) == 2:
                        posting.append([])
                found.append((key, postings))
        return found

    def _present(self, keys: "Collection[str]", hashed: "list[int]") -> "list[str]":
        """The keys that the filter does not deny (a few of them are in no bucket all the same)."""
        at, bits = self.header["filter"]
        at += 1
        digits, far = self._head, at + (bits >> 2) >= len(self._head)
        if far and len(keys) > 50:
            digits, at, far = self._bytes(at, (bits >> 2) + 1), 0, False
        try:
            asked = zip(keys, [number % bits for number in hashed])
            if far:
                return [key for key, bit in asked if self._bytes(at + (bit >> 2), 1)[0] in HOLDING[bit & 3]]
            return [key for key, bit in asked if digits[at + (bit >> 2)] in HOLDING[bit & 3]]
        except (IndexError, ValueError, ZeroDivisionError):
            raise torn("the filter is damaged", self) from None

    def term(self, term: str) -> "tuple[int, int, list[int]]":
        """(pages whose text holds ``term``, pages whose title does, both about; the pages themselves, ascending,
        while they are few); (0, 0, []) when the store never says it.

        One term in a hundred that the store never says is taken for one that it does.
        """
        global ranking
        if ranking is None:
            from abcd_index.artefact import ranking as ranking
        cells = self._terms(term)
        at = cells.find(" " + ranking.counted(term)) + 1
        if not at:
            return 0, 0, []
        end = cells.find(" ", at)
        try:
            found: tuple[int, int, list[int]] = ranking.term_of(cells[at : end if end > 0 else None], self.pages)
            return found
        except (ValueError, IndexError):
            raise torn("the ranking terms are damaged", self) from None

    def record(self, page: int) -> "Record":
        """The record (dict) of a page by its ordinal; ``docs/format.md`` lists its fields."""
        global whole
        if whole is None:
            from abcd_index.artefact.ranking import whole
        values = self.entry("records", page)
        try:
            record: Record = whole(values)
            return record
        except (TypeError, ValueError, LookupError, AttributeError):
            raise torn(f"record {page} is not what a page's record is", self) from None

    def body(self, page: int) -> str:
        """The text of a page by its ordinal."""
        body = self.entry("bodies", page)
        if type(body) is not str:
            raise torn(f"body {page} is not text", self)
        return body

    def domain(self, number: int) -> "Record":
        """The record (dict) of a rule domain by its ordinal."""
        domain = self.entry("domains", number)
        if type(domain) is not dict:
            raise torn(f"domain {number} is not an object", self)
        return domain

    def newer(self, file: str) -> str:
        """The page that contradicts or supersedes ``file``, or ''."""
        if self._newer is None:
            at, length, check = self.header["newer"]
            newer = self._line(at, length, check)
            if type(newer) is not dict:
                raise torn("the list of newer pages is not an object", self)
            self._newer = newer
        newer = self._newer.get(file, "")
        if type(newer) is not str:
            raise torn("the list of newer pages names none", self)
        return newer

    def _read_header(self) -> "dict[str, Any]":
        end = self._head.find(b"\n")
        second = self._head.find(b"\n", end + 1)
        if end < 0 or second < 0:
            raise torn("the header is cut", self)
        header: dict[str, Any] = parse(self._head[:end].decode("utf-8"))
        if header["magic"] != MAGIC:
            raise torn("not an artefact", self)
        if header["format"] > FORMAT or header["format"] < OLDEST:
            from abcd_index.errors import FormatTooNew

            raise FormatTooNew(header["format"], FORMAT)
        if int(self._head[end + 1 : second]) != checksum(self._head[:end]):
            raise torn("the header is damaged", self)
        if header["size"] != self._size:
            raise torn("the file is cut", self)
        numbers = [*header["newer"], *header["filter"], *header["lengths"]]
        for part in PARTS:
            at, count = header["parts"][part]
            if not 0 <= at <= self._size or not 0 <= count <= self._size:
                raise torn("the header is damaged", self)
            numbers += at, count
        if set(map(type, numbers)) != {int}:
            raise torn("the header is damaged", self)
        return header

    def _bucket(self, part: str, key: str) -> "Any":
        count = self._parts[part][1]
        if not count:
            return None
        number = bucket(key, count)
        found = self._buckets.get((part, number))
        if found is None:
            found = self.entry(part, number)
            if type(found) is not dict:
                raise torn(f"a bucket of {part} is not an object", self)
            self._buckets[part, number] = found
        return found.get(key)

    def _terms(self, term: str) -> str:
        """The cells of the terms in the bucket of ``term``, a space before each."""
        count = self._parts["terms"][1]
        if not count or self.header["format"] < LISTING:
            return ""
        number = bucket(term, count)
        found = self._buckets.get(number)
        if found is None:
            found = self.entry("terms", number)
            if type(found) is not str:
                raise torn("the ranking terms are damaged", self)
            found = self._buckets[number] = " " + found
        cells: str = found
        return cells

    def stamp(self, part: str, number: int) -> bytes:
        """Length and checksum of a line as 12 digits (bytes): another text, another stamp."""
        return self._cell(part, number)[OFFSET_END:]

    def _cell(self, part: str, number: int) -> bytes:
        at, count = self._parts[part]
        if not 0 <= number < count:
            raise torn(f"{part} has no entry {number}", self)
        return self._bytes(at + 1 + number * CELL, CELL)

    def entry(self, part: str, number: int) -> "Any":
        """The value of an entry of a part (a bucket, domain, record or body). Raises ArtefactTorn."""
        cell = self._cell(part, number)
        try:
            return self._line(
                int(cell[:OFFSET_END], DIGITS), int(cell[OFFSET_END:LENGTH_END], DIGITS), int(cell[LENGTH_END:], DIGITS)
            )
        except ValueError:
            raise torn(f"the table of {part} is damaged", self) from None

    def _line(self, at: int, length: int, check: int) -> "Any":
        data = self._bytes(at, length)
        if checksum(data) != check:
            raise torn("a line is damaged", self)
        try:
            return parse(data.decode("utf-8"))
        except ValueError:
            raise torn("a line is not JSON", self) from None

    def _bytes(self, at: int, length: int) -> bytes:
        if 0 <= at <= at + length <= len(self._head):
            return self._head[at : at + length]
        data = self._read(length, at) if 0 <= length <= min(LONGEST_LINE, self._size - at) else b""
        if len(data) != length:
            raise torn("the file is cut", self)
        return data

    def _read(self, length: int, at: int) -> bytes:
        read: Callable[[int, int, int], bytes] | None = getattr(_os, "pread", None)
        try:
            if read is not None:
                return read(self._fd, length, at)
            _os.lseek(self._fd, at, 0)  # pragma: no cover - Windows
            return _os.read(self._fd, length)  # pragma: no cover - Windows
        except (OSError, OverflowError):
            raise torn("the file cannot be read", self) from None


def current_key(index: str) -> str:
    """The key that ``current`` in the index folder names. Where it is not there, but an artefact that came
    with the clone is, that one's name: TRACKED. Raises ArtefactMissing."""
    try:
        fd = _os.open(index + "/" + CURRENT, _os.O_RDONLY | CAREFUL)
    except (OSError, ValueError):
        try:
            _os.lstat(index + "/" + TRACKED + SUFFIX)
            return TRACKED
        except (OSError, ValueError):
            raise missing(f"no artefact in {index}") from None
    try:
        key = _os.read(fd, 200).decode("ascii", "replace").strip()
    except OSError:
        raise missing(f"no artefact in {index}") from None
    finally:
        _os.close(fd)
    if not key.isalnum() or not key.isascii():
        # Anything else could name a file outside the index folder.
        raise missing(f"{index}/{CURRENT} does not name a key")
    return key


def open_current(index: str, ours: "Callable[[str, stat_result], bool] | None" = None) -> "Artefact":
    """The artefact that is current in ``index``. ``ours``: (key, stat of its open file) -> whether it may be used.
    Raises ArtefactMissing, ArtefactUnknown, ArtefactTorn, FormatTooNew."""
    key = current_key(index)
    artefact = Artefact.open(index + "/" + key + SUFFIX, ours and (lambda stat: ours(key, stat)))
    if artefact.header.get("key") != key != TRACKED:
        artefact.close()
        raise torn("the artefact has another key than its name says")
    return artefact
