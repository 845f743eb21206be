"""A parcel as it lies in a folder or an object store: gzip, one member, and nothing that costs more than it holds.

gzip, because an artefact shrinks to a half and every byte then has a checksum on its way. Whoever can write to a place
can put anything there under the name of a parcel, so it is unpacked piece by piece, and what makes much work of
little is not unpacked to its end.
"""

import gzip
import re
import zlib

from abcd_index import fs
from abcd_index.share.errors import Damaged

SUFFIX = ".parcel.gz"
NAME = re.compile(r"([0-9a-f]{40})\.parcel\.gz")
# Bytes of a parcel, and of a packed one, that are in memory at a time.
CHUNK = 1 << 20
_PIECE = 1 << 16
# Packed bytes to one that comes out of them, and those in front that give none: a name, an empty block.
_WORTH = 2
_FOREWORD = 1 << 16
_LEVEL = 6


def pack(path, out, going):
    """gzip the file ``path`` into the open file ``out``; the same bytes whatever the time and the name.

    ``going()`` is called before each piece: what it raises ends the work. So in all functions here.
    """
    with fs.opened(path) as source, gzip.GzipFile("", "wb", _LEVEL, out, mtime=0) as packed:
        for data in iter(lambda: source.read(CHUNK), b""):
            going()
            packed.write(data)


def unpack(file, out, most, going):
    """gunzip the open ``file`` into the open file ``out``. Raises Damaged when it cannot be, or holds more than
    ``most`` bytes."""
    size = 0
    for data in _unpacked(file, going):
        size += len(data)
        if size > most:
            raise Damaged(f"it has more than {most:,} bytes, which no artefact of these pages has")
        out.write(data)


def same(file, path, going):
    """Whether the open gzip ``file`` unpacks to the bytes of the file ``path``."""
    with fs.opened(path) as mine:
        try:
            for data in _unpacked(file, going):
                if mine.read(len(data)) != data:
                    return False
        except Damaged:
            return False
        return not mine.read(1)


def doomed(found, keep, key):
    """The names to delete: all artefacts but the ``keep`` youngest; ``key`` stays. ``found``: [(name, seconds since
    1970)]."""
    artefacts = sorted([(at, name) for name, at in found if NAME.fullmatch(name) and name != key + SUFFIX])[::-1]
    return [name for _, name in artefacts[max(keep - 1, 0):]]


def another(shown):
    """The error to raise when a key is taken by other bytes."""
    return Damaged(f"{shown} has another artefact under the key of these pages; it was not overwritten")


def _unpacked(file, going):
    """The bytes in an open gzip ``file`` of one member, CHUNK at most at a time. Raises Damaged."""
    inflate, data, taken, made = zlib.decompressobj(wbits=31), b"", 0, 0
    while not inflate.eof:
        going()
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
