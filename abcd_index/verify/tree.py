"""What git says about the index folder and the store: tracked when it must not be, or the reverse."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from abcd_index.artefact.format import SUFFIX, TRACKED, of_another_release
from abcd_index.artefact.reader import Artefact
from abcd_index.errors import ArtefactError, CannotTell, FormatTooNew
from abcd_index.scopes import WORKSPACE, Scope
from abcd_index.store.records import Finding
from abcd_index.verify.codes import ARTEFACT

if TYPE_CHECKING:
    from abcd_index.git.run import Worktree

NOT_TRACKED = "commit the pages that changed: the pre-commit hook that `abcd-index install` makes stages their artefact"
ANOTHERS = "an artefact that another version of abcd-index built"


def top_of(root: str) -> str:
    """The top of the repository around ``root``, or ''."""
    where = _place(root)
    return where.top if where else ""


def tree_findings(scope: Scope, track: bool, key: str) -> list[Finding]:
    """Findings about a workspace's repository; none for the user scope or outside of git.

    ``track``: the settings ask for a tracked artefact, ``key``: the one these pages have. Raises
    CannotTell when git will not speak of the repository (ownership).
    """
    if scope.name != WORKSPACE:
        return []
    try:
        where = _place(scope.root)
    except CannotTell:
        if shutil.which("git") is None and not track:
            return []  # Without git nothing can have been tracked from here, and pages need no git.
        raise
    if where is None:
        return []
    found = _partial(where, scope)
    tracked = {os.path.basename(name) for name in _tracked(where, scope.index)}
    if track:
        name = TRACKED + SUFFIX
        if name not in tracked:
            found.append(_finding("artefact-untracked", f".index/{name}", "git tracks no artefact", NOT_TRACKED))
        else:
            from abcd_index.build.tracked import committed_fault

            wrong = _wrong(os.path.join(scope.index, name), key)
            # What a clone gets is not on disk alone.
            wrong = f"git tracks {wrong}" if wrong else committed_fault(where, scope, key)
            if wrong:
                found.append(_finding("artefact-untracked", f".index/{name}", wrong, NOT_TRACKED))
    elif tracked:
        found.append(
            _finding(
                "index-tracked",
                f".index/{min(tracked)}",
                f"git tracks {len(tracked)} of the index folder's files",
                f"run `git rm -r --cached {scope.display('.index')}`, or set artefact.track in config.json",
            )
        )
    return found


def _wrong(path: str, key: str) -> str:
    """What the artefact at ``path`` is if it is not the one of ``key``; else ''."""
    try:
        artefact = Artefact.open(path)
    except FormatTooNew:
        return ANOTHERS
    except ArtefactError:
        return "an artefact that cannot be read"
    artefact.close()
    if of_another_release(artefact.header):
        return ANOTHERS
    return "" if artefact.header.get("key") == key else "the artefact of other pages"


def _partial(where: Worktree, scope: Scope) -> list[Finding]:
    from abcd_index.git import run as git

    if not git.is_sparse(where):
        return []
    gone = [name for name in _tracked(where, scope.store) if not os.path.lexists(os.path.join(where.top, name))]
    if not gone:
        return []
    return [
        _finding(
            "store-partial",
            "memory/" + os.path.basename(gone[0]),
            f"a sparse checkout leaves {len(gone):,} files of the store out; only the others were checked",
            "run `git sparse-checkout add` with the store's folder",
        )
    ]


def _tracked(where: Worktree, folder: str) -> list[str]:
    from abcd_index.git import run as git

    inside = os.path.relpath(folder, os.path.realpath(where.top)).replace(os.sep, "/")
    return [] if inside.startswith("../") else git.tracked(where, f":(top,literal){inside}")


def _place(root: str) -> Worktree | None:
    # A repository without .git above it is only known by git's own variables.
    folder = root
    while not os.path.lexists(os.path.join(folder, ".git")) and "GIT_DIR" not in os.environ:
        up = os.path.dirname(folder)
        if up == folder:
            return None
        folder = up
    from abcd_index.git import run as git

    return git.find_worktree(root)


def _finding(code: str, file: str, message: str, fix: str) -> Finding:
    return Finding(code, ARTEFACT[code].severity, file, None, message, fix)
