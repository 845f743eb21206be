"""Files appear whole or not at all: written beside the target, flushed, synced, renamed.

Artefacts never change under their name; ``current`` is swapped last. Killed at any moment, the old
answer still stands, and what a dead builder left is swept up by a later one.
"""

import os
import time
import zlib

from abcd_index import fs
from abcd_index.artefact import provenance
from abcd_index.artefact.format import CURRENT, PAGES_SUFFIX, SUFFIX, TIMES_SUFFIX, TRACKED, of_another_release
from abcd_index.artefact.reader import CAREFUL, Artefact
from abcd_index.errors import ArtefactError, ArtefactMissing
from abcd_index.fs import adopt, replace, whole

# Seconds: more than a file's times lag behind the clock.
_SETTLED = 0.03


def opened(path):
    """A file beside the artefact, open for reading bytes. Raises OSError, also for a link: it may lead anywhere."""
    return os.fdopen(os.open(path, os.O_RDONLY | CAREFUL), "rb")


def sealed(data):
    """``data`` (bytes, whole lines) with a line behind it that tells whether they are still what they were."""
    return b"%s%08x\n" % (data, zlib.crc32(data))


def unsealed(data):
    """What ``sealed`` was given. Raises ValueError when one byte of it is another or missing.

    What a build takes from a sidecar without looking at the pages goes into an artefact under a key of other
    pages, where only ``verify`` would notice.
    """
    lines, seal = data[:-9], data[-9:]
    if seal != b"%08x\n" % zlib.crc32(lines):
        raise ValueError("a sidecar is damaged")
    return lines


def prepare(index):
    """Make the index folder, with the ``.gitignore`` that hides it on every branch."""
    fs.make_folder(index)
    ignore = os.path.join(index, ".gitignore")
    if not os.path.lexists(ignore):
        fs.create(ignore, b"# Made by abcd-index from the pages; never committed.\n*\n")


def first_look(index):
    """Make the index folder well before a build looks at the clock: to the git hooks' `find` a new folder is
    a change of the folder that it is in."""
    if not os.path.isdir(index):
        prepare(index)
        time.sleep(_SETTLED)


def swap_current(index, key):
    """Let ``current`` name ``key``."""
    replace(os.path.join(index, CURRENT), key.encode("ascii") + b"\n")


def record_provenance(scope, key):
    """Let the prompt hook use the artefact ``key`` of ``scope``: this machine built, reproduced or fetched it.

    Without it the hook stays silent about the artefact (``artefact/provenance.py``). Whether it could be noted.
    """
    if not scope.provenance:
        return False
    try:
        new = provenance.line(key, os.lstat(os.path.join(scope.index, key + SUFFIX)))
        known = provenance.lines(scope)
        if new in known:
            return True
        kept = [line for line in known if line and not line.startswith(key.encode("ascii") + b" ") and os.path.exists(
            os.path.join(scope.index, line.split(b" ")[0].decode("ascii", "replace") + SUFFIX))]
        fs.make_private(os.path.dirname(scope.provenance))
        first = scope.index.encode("utf-8", "surrogateescape")
        fs.replace(scope.provenance, b"\n".join([first, *kept, new]) + b"\n", 0o600)
        return True
    except OSError:
        return False  # A home that cannot be written: `build` and `status` say so.


def prune(index, keep, key):
    """Remove all but the ``keep`` artefacts that were current last, and what dead builders left.

    Those of another release go too. No build here would make one current again, but the stubs of the git hooks
    would, which know a commit's artefact by its name alone.
    """
    fs.sweep(index)
    artefacts = []
    with os.scandir(index) as entries:
        for entry in entries:
            try:
                if entry.name.endswith(SUFFIX) and not entry.name.startswith("."):
                    name = entry.name[: -len(SUFFIX)]
                    artefacts.append((_used(index, name), name))
            except OSError:
                continue
    artefacts.sort(reverse=True)
    held = (key, TRACKED)
    others = [name for _, name in artefacts if name not in held]
    for place, name in enumerate(others):
        if place < keep - 1 and not _of_no_use(os.path.join(index, name + SUFFIX)):
            continue
        for suffix in (SUFFIX, TIMES_SUFFIX, PAGES_SUFFIX):
            try:
                os.unlink(os.path.join(index, name + suffix))
            except OSError:
                pass


def _of_no_use(path):
    """Whether this release makes no such artefact and reads it badly or not at all."""
    try:
        artefact = Artefact.open(path)
    except ArtefactMissing:
        return False  # Somebody may be about to take it away; what cannot be opened is not judged.
    except ArtefactError:
        return True
    artefact.close()
    return of_another_release(artefact.header)


def touch(index, key):
    """Mark an artefact as in use until now, for ``prune``: the git hooks switch to one without a build. Its own
    times tell whether it is the file that was built, and those of the times sidecar when: so it is the third."""
    try:
        os.utime(os.path.join(index, key + PAGES_SUFFIX))
    except OSError:
        pass


def _used(index, name):
    """When an artefact was last in use: its times sidecar is written anew each time it becomes current."""
    last = 0.0
    for suffix in (TIMES_SUFFIX, SUFFIX, PAGES_SUFFIX):
        try:
            last = max(last, os.stat(os.path.join(index, name + suffix)).st_mtime)
        except OSError:
            continue
    return last
