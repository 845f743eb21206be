"""What travels: the bytes of the artefact, a line with its terms, exact, and that line's checksum.

The artefact rounds their counts; a build that takes over from it needs them as they are. Everything else that
lies beside an artefact is made afresh where it arrives: times are facts of a machine, and links and names of pages
are read from the pages, so nobody has to be believed about them.

In a folder or an object store a bundle lies packed: gzip, one member. An artefact shrinks to a half so, and every byte
has a checksum on its way. Whoever can write to a place can put anything there under the name of a bundle, so it is
unpacked piece by piece, and what makes much work of little is not unpacked to its end. Its name ends as it did when
it was called a parcel.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import zlib
from typing import Any, BinaryIO, Callable, Iterable, Iterator, Mapping, Sequence

import orjson

from abcd_index import fs
from abcd_index.artefact import writer
from abcd_index.artefact.format import LISTED, bucket, checksum
from abcd_index.artefact.reader import HEAD
from abcd_index.share.place import Damaged
from abcd_index.verify.format import peek
from abcd_index.verify.json_parser import Corrupt

SUFFIX = ".parcel.gz"
NAME = re.compile(r"([0-9a-f]{40})\.parcel\.gz")
# Bytes of a bundle, and of a packed one, that are in memory at a time.
CHUNK = 1 << 20
_PIECE = 1 << 16
# Packed bytes to one that comes out of them, and those in front that give none: a name, an empty block.
_WORTH = 2
_FOREWORD = 1 << 16
_LEVEL = 6
# For each bucket of terms: {stem: Term}.
Counts = Sequence[Mapping[str, writer.Term]]


def write_bundle(artefact: str, counts: Counts, out: BinaryIO) -> None:
    """Write the bundle of ``artefact`` and its exact ``counts`` (of ``writer.terms_by_bucket``) to the file ``out``."""
    with fs.opened(artefact) as source:
        shutil.copyfileobj(source, out, 1 << 20)
    # orjson takes no named tuples.
    terms = [{stem: tuple(term) for stem, term in bucket.items()} for bucket in counts]
    line = orjson.dumps(terms, option=orjson.OPT_SORT_KEYS)
    out.write(b"%s\n%10d\n" % (line, checksum(line)))
    out.flush()


def cut_to_artefact(file: BinaryIO) -> Counts:
    """Cut the bundle in the open ``file`` down to the artefact. Returns the exact terms, not yet checked against it.

    Raises Damaged, and FormatTooNew when a later release wrote it.
    """
    file.flush()
    file.seek(0)
    try:
        header = peek(file.readline(HEAD))  # A longer one no prompt reads.
    except Corrupt as error:
        raise Damaged(f"it is damaged: {error}") from None
    size, whole = header.get("size"), os.fstat(file.fileno()).st_size
    if type(size) is not int or not 0 < size < whole:
        raise Damaged("it is damaged: it is cut")
    file.seek(size)
    line, _, check = file.read().partition(b"\n")
    try:
        if check != b"%10d\n" % checksum(line):
            raise ValueError("their checksum is another one")
        counts = [{stem: _term(values) for stem, values in terms.items()} for terms in orjson.loads(line)]
    except (ValueError, TypeError, AttributeError) as error:
        raise Damaged(f"it is damaged: the exact counts of its terms: {error}") from None
    file.truncate(size)
    return counts


def _term(values: Any) -> writer.Term:
    """The Term of its JSON. Raises ValueError or TypeError when it is none."""
    pages, titles, listed = values
    numbers = [pages, titles, *listed]
    if set(map(type, numbers)) != {int} or not 0 <= titles <= pages or not pages:
        raise ValueError("they are not counts of pages")
    if listed != sorted(set(listed)) or len(listed) not in ((pages,) if pages <= LISTED else (0, pages)):
        raise ValueError("they do not name the pages that they count")
    return writer.Term(pages, titles, listed)


def counts_fit(counts: Counts, lines: Sequence[writer.Line], pages: int) -> bool:
    """Whether exact ``counts`` are what the artefact's ``lines`` of terms (``writer.Line``) say of its ``pages``."""
    if len(counts) != len(lines):
        return False
    for number, (own, line) in enumerate(zip(counts, lines)):
        for stem, term in own.items():
            if bucket(stem, len(lines)) != number or term.listed and not 0 <= term.listed[0] <= term.listed[-1] < pages:
                return False
        made = writer.Line(writer.terms_line(own, pages))
        if (made.length, made.check) != (line.length, line.check):
            return False
    return True


def pack(path: str, out: BinaryIO, check: Callable[[], None]) -> None:
    """gzip the file ``path`` into the open file ``out``; the same bytes whatever the time and the name.

    ``check()`` is called before each piece: what it raises ends the work. So in all functions here.
    """
    with fs.opened(path) as source, gzip.GzipFile("", "wb", _LEVEL, out, mtime=0) as packed:
        for data in iter(lambda: source.read(CHUNK), b""):
            check()
            packed.write(data)


def unpack(file: BinaryIO, out: BinaryIO, most: int, check: Callable[[], None]) -> None:
    """gunzip the open ``file`` into the open file ``out``. Raises Damaged when it cannot be, or holds more than
    ``most`` bytes."""
    size = 0
    for data in _unpacked(file, check):
        size += len(data)
        if size > most:
            raise Damaged(f"it has more than {most:,} bytes, which no artefact of these pages has")
        out.write(data)


def packs(file: BinaryIO, path: str, check: Callable[[], None]) -> bool:
    """Whether the open gzip ``file`` unpacks to the bytes of the file ``path``."""
    with fs.opened(path) as mine:
        try:
            for data in _unpacked(file, check):
                if mine.read(len(data)) != data:
                    return False
        except Damaged:
            return False
        return not mine.read(1)


def to_delete(found: Iterable[tuple[str, float]], keep: int, key: str) -> list[str]:
    """The names to delete: all artefacts but the ``keep`` youngest; ``key`` stays. ``found``: [(name, seconds since
    1970)]."""
    artefacts = sorted([(at, name) for name, at in found if NAME.fullmatch(name) and name != key + SUFFIX])[::-1]
    return [name for _, name in artefacts[max(keep - 1, 0) :]]


def conflict(shown: str) -> Damaged:
    """The error to raise when a key is taken by other bytes."""
    return Damaged(f"{shown} has another artefact under the key of these pages; it was not overwritten")


def _unpacked(file: BinaryIO, check: Callable[[], None]) -> Iterator[bytes]:
    """The bytes in an open gzip ``file`` of one member, CHUNK at most at a time. Raises Damaged."""
    inflate, data, taken, made = zlib.decompressobj(wbits=31), b"", 0, 0
    while not inflate.eof:
        check()
        data = data or file.read(_PIECE)
        if not data:
            raise Damaged("it cannot be unpacked: it is cut")
        try:
            piece = inflate.decompress(data, CHUNK)
        except zlib.error as error:
            raise Damaged(f"it cannot be unpacked: {error}") from None
        taken += len(data) - len(inflate.unconsumed_tail)
        made += len(piece)
        data = inflate.unconsumed_tail
        if taken > _WORTH * made + _FOREWORD:
            raise Damaged("it cannot be unpacked: it is packed so that it holds next to nothing")
        yield piece
    if inflate.unused_data or file.read(1):
        raise Damaged("it cannot be unpacked: something follows its end")
