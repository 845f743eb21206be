"""What a git hook's stub starts when pages changed: makes the artefact of each named store current.

It asks git nothing: the stub has done that, and the answers are its arguments. So neither typer nor
GitPython is imported here (twenty bare interpreter starts between them), and nothing depends on the
``GIT_*`` variables that git exports into hooks. Never fails: says at most one line, on stderr.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Iterable, Iterator, Sequence

from abcd_index import fs, scopes
from abcd_index.errors import AbcdError, Forbidden, Outside
from abcd_index.scopes import Places, Scope

SEEN = "seen"
STAMP = "git-stamp"
# Commits and trees whose artefact is remembered, per store.
MOST_SEEN = 500
_OID = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")


def main(argv: Sequence[str]) -> None:
    """``argv``: hook, git folder, common git folder, pages of stores that nobody listed yet (one a
    line), then for each store its home below the top and the commit and tree it is equal to (or '')."""
    said: list[str] = []
    scopes.follow_forbidden = True
    try:
        hook, git, common, found = argv[:4]
        if hook == "pre-commit":
            from abcd_index.githooks import tracked

            tracked.main(argv)
            return
        homes = dict(zip(argv[4::2], argv[5::2]))
        for home in _note(common, found):
            homes.setdefault(home, "")
        for home, ids in homes.items():
            said.extend(_store(hook, home, git, common, ids.split()))
        if os.path.exists(os.path.join(git, "abcd-index", "restage")):
            _restage()
    except Exception as error:  # A hook's status becomes git's: nothing of ours may ever reach it.
        said.append(f"the artefact was not built: {error}")
    if said:
        line = " ".join(f"abcd-index: {said[0]}".split())
        sys.stderr.write(line.encode("ascii", "backslashreplace").decode() + "\n")


def _restage() -> None:
    from abcd_index.git import run as git
    from abcd_index.githooks import tracked

    where = git.find_worktree(os.getcwd())
    if where is not None:
        tracked.after_commit(where)


def _note(common: str, found: str) -> list[str]:
    if not found:
        return []
    from abcd_index.githooks.stores import homes_of, note

    homes = homes_of(found.splitlines())
    note(common, homes)
    return homes


def _store(hook: str, home: str, git: str, common: str, ids: Sequence[str]) -> Iterator[str]:
    """Make the artefact of one store current; yields what there is to say about it."""
    places = Places()
    # git starts hooks at the top of the work tree; a branch may hold links below it, and they lead nowhere for us.
    root = os.path.join(os.path.realpath(os.getcwd()), os.path.dirname(home)).rstrip(os.sep)
    scope = _scope_at(root, places)
    if scope is None:
        return
    from abcd_index import workspaces as registry
    from abcd_index.build import publish
    from abcd_index.build.run import build
    from abcd_index.build.tracked import borrow, is_of
    from abcd_index.githooks import tracked

    registry.add(places, scope.root)
    try:
        if not os.path.isdir(scope.index):
            publish.first_look(scope.index)
            if common != git:  # A new worktree's pages are mostly those of the main one.
                main = os.path.dirname(os.path.abspath(common))
                borrow(_scope_at(os.path.join(main, os.path.dirname(home)).rstrip(os.sep), places), scope)
        before = _content(os.path.join(scope.index, "current")).strip()
        if before:
            publish.touch(scope.index, before)
        from abcd_index.share.hook import fetch_first

        sentence = fetch_first(scope, places)
        if sentence:
            yield sentence
        built = build(scope)
    except (AbcdError, OSError) as error:
        yield f"the artefact was not built: {error}"
        return
    gone = sorted({finding.file for finding in built.findings if finding.severity == "error"})
    if gone:
        yield (
            f"{gone[0]}{f' and {len(gone) - 1} more' if gone[1:] else ''} left out or incomplete; "
            "`abcd-index verify` tells why"
        )
    if not ids or _written_since(scope, os.path.join(git, "index")):
        return
    _remember(scope.index, built.key, ids)
    if hook != "post-checkout" and not is_of(scope.index, built.key):
        # The commits of a rebase or a cherry-pick are made without pre-commit, and another release built it otherwise.
        tracked.note_renewal(git)
        yield "the artefact in git is not that of these pages; `git commit --amend --no-edit` renews it"


def _scope_at(root: str, places: Places) -> Scope | None:
    """The scope of the store at ``root`` itself, or None: where there is none, or links lead out of it or to it."""
    try:
        scope = scopes.workspace_scope(root, places)
        return scope if scope is not None and scope.root == root.replace(os.sep, "/") else None
    except (Forbidden, Outside, OSError):
        return None


def _written_since(scope: Scope, reference: str) -> bool:
    """Whether a file of the store may have changed after ``reference`` was written.

    git wrote its index after the pages, and the stub compared the two: pages that are not newer are
    those of the commit, and the build has read those.
    """
    try:
        limit = os.stat(reference).st_mtime_ns
        names = ["rules.json", "config.json"]
        if os.path.isdir(scope.store):
            names += [os.path.join("memory", entry) for entry in os.listdir(scope.store)]
        for name in names:
            try:
                if os.stat(os.path.join(scope.home, name)).st_mtime_ns > limit:
                    return True
            except FileNotFoundError:
                continue
    except OSError:
        return True
    return False


def _remember(index: str, key: str, ids: Iterable[str]) -> None:
    """Note that the pages of these commits and trees have the artefact ``key``: switching back to one
    of them then needs no build."""
    folder = os.path.join(index, SEEN)
    try:
        fs.make_folder(folder)
        for oid in ids:
            if _OID.fullmatch(oid):
                fs.replace(os.path.join(folder, oid), key.encode("ascii") + b"\n")
        _forget(index, folder)
    except OSError:
        pass  # Only slower next time.


def _forget(index: str, folder: str) -> None:
    """Drop what names an artefact that is gone, and the oldest beyond MOST_SEEN."""
    names = [name for name in os.listdir(folder) if _OID.fullmatch(name)]
    if len(names) <= MOST_SEEN:
        return
    kept = []
    for name in names:
        path = os.path.join(folder, name)
        if os.path.exists(os.path.join(index, _content(path).strip() + ".idx")):
            kept.append((os.lstat(path).st_mtime_ns, path))
        else:
            fs.remove(path)
    for _, path in sorted(kept, reverse=True)[MOST_SEEN // 2 :]:
        fs.remove(path)


def _content(path: str) -> str:
    try:
        return fs.read(path, 200).decode("ascii")
    except (OSError, ValueError):
        return ""
