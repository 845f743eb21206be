"""What history knows: when each page's content was last committed, and which paths went; each in one walk.

The walk is git's own, read through GitPython, which is imported when the first walk begins: walking its commit objects
would start a process for each of them. Where HEAD points is read from the git folder's own files when that can be
done, because a recall that needs no walk shall not pay for the import.
"""

from __future__ import annotations

import os
import re
from contextlib import closing
from typing import AbstractSet, Generator, NamedTuple

from abcd_index.errors import CannotTell
from abcd_index.git import run
from abcd_index.git.run import Worktree

_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_COMMIT = b"\x02"
_BREAK = b"\x03"
_NAMES = ("--name-status", "-z", "-M")
_DATES = ("--format=%x02%H%x03%cI", *_NAMES, "-c")


class Gone(NamedTuple):
    """A path that history knows and HEAD does not. ``commit``: the one that removed it (short), ``date``: its
    day, ``moved``: where it went when it was renamed, else ''."""

    commit: str
    date: str
    moved: str = ""


class Dates(NamedTuple):
    """``changed``: {name: ISO date and time of the newest commit walked that changed its content}; ``unchanged``:
    {name: its name before these commits} of the others. Names are relative to the top."""

    changed: dict[str, str]
    unchanged: dict[str, str]


class Change(NamedTuple):
    """What a commit did to a path. ``kind``: git's letter, for a rename with the likeness in per cent (``R100``);
    ``old``: the path before a rename or copy, else ``path``."""

    commit: bytes
    date: bytes
    kind: bytes
    path: bytes
    old: bytes


def head(repository: tuple[str, str, str]) -> str | None:
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
        if loose:
            return loose if _OID.fullmatch(loose) else None
    for line in _text(os.path.join(common, "packed-refs")).splitlines():
        oid, _, name = line.partition(" ")
        if name == ref and _OID.fullmatch(oid):
            return oid
    return ""


def last_commit_dates(worktree: Worktree, folder: str) -> dict[str, str]:
    """{file name in ``folder`` (absolute): ISO date and time of the last commit that changed its content}.

    A commit that only renames a page does not count. Pages that are not committed are missing, and in a shallow clone
    so are those that nothing but its cut end explains. Raises CannotTell.
    """
    inside = os.path.relpath(os.path.realpath(folder), os.path.realpath(worktree.top)).replace(os.sep, "/")
    pathspec = f":(top,literal){inside}"
    inside = "" if inside == "." else inside
    names = [name for name in run.tracked(worktree, pathspec) if os.path.dirname(name) == inside]
    found = _dates(worktree, names, _cut_commits(worktree), "HEAD", "--", pathspec)
    return {os.path.basename(name): date for name, date in found.changed.items()}


def dates_since(worktree: Worktree, commit: str, folder: str) -> Dates | None:
    """What the commits after ``commit`` did to the tracked files of ``folder`` (absolute), or None when HEAD does
    not descend from it."""
    if not _OID.fullmatch(commit) or not run.is_ancestor(worktree, commit):
        return None
    return _dates(worktree, run.tracked(worktree, folder), frozenset(), f"{commit}..HEAD", "--", folder)


def gone_paths(worktree: Worktree) -> dict[str, Gone]:
    """Every path that a commit removed or renamed and that HEAD does not have again."""
    found: dict[str, Gone] = {}
    with closing(_changes(worktree, "--format=%x02%h%x03%cs", *_NAMES, "--diff-filter=DR", "HEAD")) as changes:
        for change in changes:
            moved = os.fsdecode(change.path) if change.kind != b"D" else ""
            found.setdefault(os.fsdecode(change.old), Gone(os.fsdecode(change.commit), os.fsdecode(change.date), moved))
    for name in run.tracked(worktree):
        found.pop(name, None)
    return found


def _dates(worktree: Worktree, names: list[str], cut: AbstractSet[bytes], *args: str) -> Dates:
    """Newest commit first; a page is done with at the first commit that changed it. ``cut``: commits whose changes
    are unknown."""
    today = {os.fsencode(name): name for name in names}  # What a page was called at this point of history: name now.
    found: dict[str, str] = {}
    with closing(_changes(worktree, *_DATES, *args)) as changes:
        for change in changes if today else ():
            name = today.pop(change.path, None)
            if name is not None and change.commit not in cut:
                if change.kind == b"R100":
                    today[change.old] = name
                else:
                    found[name] = change.date.decode("ascii")
            if not today:
                break
    return Dates(found, {name: os.fsdecode(old) for old, name in today.items()})


def _cut_commits(worktree: Worktree) -> AbstractSet[bytes]:
    """The commits whose parents a shallow clone does not have."""
    if not run.is_shallow(worktree):
        return frozenset()
    try:
        with open(os.path.join(worktree.common_dir, "shallow"), "rb") as handle:
            return frozenset(handle.read().split())
    except OSError:
        raise CannotTell("where this shallow clone is cut off cannot be read") from None


def _changes(worktree: Worktree, *args: str) -> Generator[Change, None, None]:
    """What the commits of ``git log ARGS`` did, newest first; ``args``: a format of %x02, commit, %x03, date, and
    ``--name-status -z``."""
    commit = date = b""
    with closing(_fields(worktree, *args)) as fields:
        for field in fields:
            field = field.lstrip(b"\n")
            if field.startswith(_COMMIT):
                commit, _, date = field[1:].partition(_BREAK)
            elif field:
                old = path = next(fields, b"")
                if field[:1] in b"RC" and field[1:].isdigit():
                    path = next(fields, b"")
                yield Change(commit, date, field, path, old)


def _fields(worktree: Worktree, *args: str) -> Generator[bytes, None, None]:
    """The NUL-separated fields of ``git log ARGS``, one by one; git ends when the caller stops asking."""
    from git.cmd import Git

    git = Git(worktree.top)
    git.set_persistent_git_options(
        git_dir=worktree.git_dir, work_tree=worktree.top, c=[*run.OPTIONS, "log.showSignature=false"]
    )
    git.update_environment(**run.pinned(worktree), **run.QUIET, **run.LOCAL)
    process = git.log("--no-ext-diff", "--no-textconv", *args, as_process=True)
    try:
        rest = b""
        for chunk in iter(lambda: process.stdout.read(1 << 16), b""):
            fields = (rest + chunk).split(b"\0")
            rest = fields.pop()
            yield from fields
    finally:
        process.stdout.close()
        process.kill()
        process.proc.wait()


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as handle:
            return handle.read(1 << 22)
    except OSError:
        return ""
