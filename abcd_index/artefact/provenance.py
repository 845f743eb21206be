"""Which artefacts this machine answers for: those that it built, reproduced or fetched from a place its user named.

Prompt path. A clone can hold any file under any name in a workspace, also an artefact with checksums that agree and a
sidecar that calls it current. So the list is not there but in the user's own folder (``Scope.provenance``): a file for
each index, whose first line is the index folder and whose other lines are ``key size mtime_ns ctime_ns`` of an
artefact's file. A checkout that puts another file under the same name changes its ctime, which nobody can set.
``build/publish.py`` writes it.
"""

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os  # type: ignore[no-redef]  # another module under the same name

from abcd_index.artefact.reader import CAREFUL, open_current

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import stat_result

    from abcd_index.artefact.reader import Artefact
    from abcd_index.scopes import Scope

# A list of the artefacts that are kept (100 at most) is shorter.
LONGEST = 1 << 14


def line(key: str, stat: "stat_result") -> bytes:
    """What the list says of an artefact (bytes). ``stat``: of its file."""
    return b"%s %d %d %d" % (key.encode("ascii"), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


def lines(scope: "Scope") -> "list[bytes]":
    """The lines of a scope's list, [] when there is none or it is another index's."""
    if not scope.provenance:
        return []
    try:
        fd = _os.open(scope.provenance, _os.O_RDONLY | CAREFUL)
    except (OSError, ValueError):
        return []
    try:
        found = _os.read(fd, LONGEST).split(b"\n")
    except OSError:
        return []
    finally:
        _os.close(fd)
    return found[1:] if found[0] == scope.index.encode("utf-8", "surrogateescape") else []


def is_ours(scope: "Scope", key: str, stat: "stat_result") -> bool:
    """Whether this machine answers for the artefact ``key`` of ``scope``. ``stat``: of its open file."""
    return line(key, stat) in lines(scope)


def open_ours(scope: "Scope") -> "Artefact":
    """The current artefact of ``scope``, which is one of ours. Of another one not a byte is read.

    Raises ArtefactMissing, ArtefactUnknown, ArtefactTorn or FormatTooNew.
    """
    return open_current(scope.index, lambda key, stat: is_ours(scope, key, stat))
