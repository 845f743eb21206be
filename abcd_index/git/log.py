"""What history knows of a store's pages and of the files that they name.

Where HEAD points is read from the git folder's own files when that can be done, because importing
GitPython costs more than a whole recall.
"""

import os
import re

from abcd_index.git import dates
from abcd_index.git import run as ask

_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_HEAD = b"\x02"
_BREAK = b"\x03"


class Gone:
    """A path that history knows and HEAD does not. ``commit``: the one that removed it (short), ``date``: its
    day, ``moved``: where it went when it was renamed, else ''."""

    __slots__ = ("commit", "date", "moved")

    def __init__(self, commit, date, moved=""):
        self.commit = commit
        self.date = date
        self.moved = moved


def head(repository):
    """The commit that HEAD names, '' before the first one; None when only git itself can tell. ``repository``: what
    ``scopes.repository`` found."""
    _, git, common = repository
    if os.path.isdir(os.path.join(common, "reftable")):
        return None
    text = _text(os.path.join(git, "HEAD")).strip()
    if not text.startswith("ref:"):
        return text if _OID.fullmatch(text) else None
    ref = text[4:].strip()
    for base in (git, common):
        loose = _text(os.path.join(base, ref)).strip()
        if _OID.fullmatch(loose):
            return loose
        if loose:
            return None
    for line in _text(os.path.join(common, "packed-refs")).splitlines():
        oid, _, name = line.partition(" ")
        if name == ref and _OID.fullmatch(oid):
            return oid
    return ""


def head_of(where):
    """The commit that HEAD names, asked of git; '' before the first one."""
    status, out, _ = ask._ask(where, "rev-parse", "-q", "--verify", "HEAD^{commit}")
    return out.decode("ascii").strip() if status == 0 else ""


def dates_since(where, commit, folder):
    """What the commits after ``commit`` did to the tracked files of ``folder`` (absolute), or None when HEAD does
    not descend from it.

    ({name: ISO date of the newest of these commits that changed its content}, {name: its name at ``commit``} of
    the others). Names are relative to the top.
    """
    if not _OID.fullmatch(commit) or ask._ask(where, "merge-base", "--is-ancestor", commit, "HEAD")[0] != 0:
        return None
    today = {os.fsencode(name): name for name in ask.tracked(where, folder)}
    found = {}
    fields = ask.lines_of_log(where, "--format=%x02%H%x03%cI", "--name-status", "-z", "-c", "-M",
                              f"{commit}..HEAD", "--", folder)
    try:
        dates.read_log(fields, today, found, frozenset())
    except StopIteration:
        pass
    finally:
        fields.close()
    return found, {name: os.fsdecode(old) for old, name in today.items()}


def gone_paths(where):
    """{path: Gone} of every path that a commit removed or renamed and that HEAD does not have again."""
    found = {}
    fields = ask.lines_of_log(where, "--format=%x02%h%x03%cs", "--name-status", "-z", "--diff-filter=DR", "-M", "HEAD")
    commit = date = ""
    try:
        for field in fields:
            field = field.lstrip(b"\n")
            if field.startswith(_HEAD):
                commit, _, date = os.fsdecode(field[1:]).partition(os.fsdecode(_BREAK))
            elif field[:1] == b"D":
                found.setdefault(os.fsdecode(next(fields)), Gone(commit, date))
            elif field[:1] == b"R":
                old, new = os.fsdecode(next(fields)), os.fsdecode(next(fields))
                found.setdefault(old, Gone(commit, date, new))
    except StopIteration:
        pass
    finally:
        fields.close()
    for name in ask.tracked(where):
        found.pop(name, None)
    return found


def _text(path):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as handle:
            return handle.read(1 << 22)
    except OSError:
        return ""
