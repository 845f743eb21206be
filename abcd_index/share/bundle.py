"""What travels: the bytes of the artefact, a line with the exact counts of its terms, and that line's checksum.

The artefact rounds those counts; a build that takes over from it needs them as they are. Everything else that
lies beside an artefact is made afresh where it arrives: times are facts of a machine, and links and names of pages
are read from the pages, so nobody has to be believed about them.
"""

import os
import shutil

import orjson

from abcd_index import fs
from abcd_index.artefact import writer
from abcd_index.artefact.format import bucket, checksum
from abcd_index.artefact.reader import HEAD
from abcd_index.share.errors import Damaged
from abcd_index.verify.format import Corrupt, peek


def wrap(artefact, counts, out):
    """Write the parcel of ``artefact`` and its exact ``counts`` (as ``writer.shelved``) to the file ``out``."""
    with fs.opened(artefact) as source:
        shutil.copyfileobj(source, out, 1 << 20)
    line = orjson.dumps(counts, option=orjson.OPT_SORT_KEYS)
    out.write(b"%s\n%10d\n" % (line, checksum(line)))
    out.flush()


def unwrap(file):
    """Cut the parcel in the open ``file`` down to the artefact. Returns the counts, not yet checked.

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
        counts = orjson.loads(line)
    except ValueError as error:
        raise Damaged(f"it is damaged: the exact counts of its terms: {error}") from None
    file.truncate(size)
    return counts


def fits(counts, lines):
    """Whether exact ``counts`` are what the artefact's ``lines`` of them (``writer.Line``) round.

    Raises TypeError, ValueError or the like when they are no counts at all.
    """
    if len(counts) != len(lines):
        return False
    for number, (shelf, line) in enumerate(zip(counts, lines)):
        for term, (pages, titles) in shelf.items():
            if type(pages) is not int or type(titles) is not int or not 0 <= titles <= pages or not pages:
                return False
            if bucket(term, len(lines)) != number:
                return False
        made = writer.Line(writer.counts_line(shelf))
        if (made.length, made.check) != (line.length, line.check):
            return False
    return True
