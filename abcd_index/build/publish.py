"""What a build puts into an index folder, and what it takes away there.

Artefacts never change under their name; ``current`` is swapped last. Killed at any moment, the old
answer still stands, and what a dead builder left is swept up by a later one. Deleted is nothing but what has a name
and a beginning that only a build gives.
"""

from __future__ import annotations

import os
import re
import time
import zlib

from abcd_index import fs
from abcd_index.artefact import provenance
from abcd_index.artefact.format import CURRENT, MAGIC, PAGES_SUFFIX, SUFFIX, TIMES_SUFFIX, of_another_release
from abcd_index.artefact.reader import Artefact
from abcd_index.errors import ArtefactError, ArtefactMissing
from abcd_index.scopes import Scope

# Seconds: more than a file's times lag behind the clock.
_SETTLED = 0.03
_ARTEFACT = re.compile(r"([0-9a-f]{40})" + re.escape(SUFFIX), re.ASCII)
# How every header begins: the first of its fields by name.
HEADER = b'{"filter":['
_IGNORE = b"# Made by abcd-index from the pages; never committed.\n*\n"
# Folders in the index folder for what is on its way to or from a place of `push` and `fetch`.
ON_ITS_WAY = ".tmp-share-"


def sealed(data: bytes) -> bytes:
    """``data`` (bytes, whole lines) with a line behind it that tells whether they are still what they were."""
    return b"%s%08x\n" % (data, zlib.crc32(data))


def unsealed(data: bytes) -> bytes:
    """What ``sealed`` was given. Raises ValueError when one byte of it is another or missing.

    What a build takes from a sidecar without looking at the pages goes into an artefact under a key of other
    pages, where only ``verify`` would notice.
    """
    lines, seal = data[:-9], data[-9:]
    if seal != b"%08x\n" % zlib.crc32(lines):
        raise ValueError("a sidecar is damaged")
    return lines


def prepare(index: str, private: bool = False) -> None:
    """Make the index folder, with the ``.gitignore`` that hides it on every branch. ``private``: for its owner alone.

    Raises OSError.
    """
    (fs.make_private if private else fs.make_folder)(index)
    ignore = os.path.join(index, ".gitignore")
    if os.path.islink(ignore):
        fs.remove(ignore)
    # Never under another name first: nothing would hide what a writer that is killed leaves of it from `git add`.
    if not os.path.lexists(ignore):
        fs.create_unnamed(ignore, _IGNORE)
    known = fs.read(ignore) if os.path.lexists(ignore) else b""
    if _IGNORE.startswith(known) and known != _IGNORE:
        fs.append(ignore, _IGNORE[len(known) :], fs.mode_for(index))


def first_look(index: str) -> None:
    """Make the index folder well before a build looks at the clock: to the git hooks' `find` a new folder is
    a change of the folder that it is in."""
    if not os.path.isdir(index):
        prepare(index)
        time.sleep(_SETTLED)


def swap_current(index: str, key: str) -> None:
    """Let ``current`` name ``key``."""
    fs.replace(os.path.join(index, CURRENT), key.encode("ascii") + b"\n")


def record_provenance(scope: Scope, key: str, inode: int) -> bool:
    """Let the prompt hook and later builds use the artefact ``key`` of ``scope``: this machine built, reproduced or
    fetched it (``artefact/provenance.py``).

    ``inode``: of the file that was written. Another one that has its name by now is not noted: whoever made it does
    that. Returns whether the list can be written. Two builders at once may lose each other's line, which costs a build.
    """
    if not scope.provenance:
        return False
    try:
        found = os.lstat(os.path.join(scope.index, key + SUFFIX))
        if found.st_ino != inode:
            return True
        new, known = provenance.line(key, found), provenance.lines(scope)
        if new in known:
            return True
        kept = [
            line
            for line in known
            if line
            and not line.startswith(key.encode("ascii") + b" ")
            and os.path.exists(os.path.join(scope.index, line.split(b" ")[0].decode("ascii", "replace") + SUFFIX))
        ]
        fs.make_private(os.path.dirname(scope.provenance))
        first = scope.index.encode("utf-8", "surrogateescape")
        fs.replace(scope.provenance, b"\n".join([first, *kept, new]) + b"\n", 0o600)
        return True
    except OSError:
        return False  # A home that cannot be written: `build` and `status` say so.


def prune(index: str, keep: int, key: str) -> None:
    """Remove all but the ``keep`` artefacts that were current last, and what dead builders left.

    Those of another release go too. No build here would make one current again, but the stubs of the git hooks
    would, which know a commit's artefact by its name alone.
    """
    fs.remove_leftovers(index)
    fs.remove_leftovers(index, ON_ITS_WAY, folders=True)
    with os.scandir(index) as entries:
        named = [found.group(1) for found in map(_ARTEFACT.fullmatch, [entry.name for entry in entries]) if found]
    others = sorted(((_used(index, name), name) for name in named if name != key), reverse=True)
    for place, (_, name) in enumerate(others):
        path = os.path.join(index, name + SUFFIX)
        if not _is_artefact(path) or place < keep - 1 and not _of_no_use(path):
            continue
        for suffix in (SUFFIX, TIMES_SUFFIX, PAGES_SUFFIX):
            fs.remove(os.path.join(index, name + suffix))


def _is_artefact(path: str) -> bool:
    """Whether a file names our magic in its header, of whatever release, or is what a power cut left of one. Anything
    else under such a name is somebody else's."""
    try:
        start = fs.read(path, 4096)
    except OSError:
        return False
    return (
        b'"magic":"%s"' % MAGIC.encode("ascii") in start
        or b"\n" not in start
        and (start.startswith(HEADER) or HEADER.startswith(start))
    )


def _of_no_use(path: str) -> bool:
    """Whether this release makes no such artefact and reads it badly or not at all."""
    try:
        artefact = Artefact.open(path)
    except ArtefactMissing:
        return False  # Somebody may be about to take it away; what cannot be opened is not judged.
    except ArtefactError:
        return True
    artefact.close()
    return bool(of_another_release(artefact.header))


def touch(index: str, key: str) -> None:
    """Mark an artefact as in use until now, for ``prune``: the git hooks switch to one without a build. Its own
    times tell whether it is the file that was built, and those of the times sidecar when: so it is the third."""
    try:
        fs.set_time(os.path.join(index, key + PAGES_SUFFIX))
    except OSError:
        pass


def _used(index: str, name: str) -> float:
    """When an artefact was last in use: its times sidecar is written anew each time it becomes current."""
    last = 0.0
    for suffix in (TIMES_SUFFIX, SUFFIX, PAGES_SUFFIX):
        try:
            last = max(last, os.stat(os.path.join(index, name + suffix)).st_mtime)
        except OSError:
            continue
    return last
