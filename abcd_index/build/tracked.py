"""The artefact that a repository holds: of the pages as git has them, whatever else is on disk.

For teams that ask for it (``"artefact": {"track": true}``): ``FILE`` in the index folder is committed, the artefact
that people work with lies beside it. What git hooks do with it is in ``githooks/tracked.py``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Sequence

from abcd_index import fs
from abcd_index.artefact import provenance
from abcd_index.artefact.format import CURRENT, PAGES_SUFFIX, SUFFIX, TIMES_SUFFIX, TRACKED
from abcd_index.artefact.reader import Artefact
from abcd_index.build import publish
from abcd_index.errors import ArtefactError, ArtefactMissing, Forbidden, Outside
from abcd_index.git import run as git
from abcd_index.git.run import Worktree
from abcd_index.scopes import Places, Scope, workspace_at

if TYPE_CHECKING:
    from abcd_index.build.run import Built

FILE = TRACKED + SUFFIX


def wanted(scope: Scope) -> bool:
    """Whether the scope's settings ask for a tracked artefact."""
    from abcd_index.settings import read_settings

    try:
        settings, _ = read_settings(fs.read(os.path.join(scope.home, "config.json")))
    except OSError:
        return False
    return settings["artefact"]["track"]


def committed_fault(where: Worktree, scope: Scope, key: str) -> str:
    """What is wrong with the artefact that the last commit holds, which is what a clone gets; '' when nothing is.

    ``key``: that of the pages on disk. Raises CannotTell where git or the pages of the commit cannot be read.
    """
    home = os.path.relpath(scope.home, os.path.realpath(where.top)).replace(os.sep, "/")
    own = git.own_path(where, "index")
    with fs.scratch() as folder:
        index = os.path.join(folder, "index")
        if not git.head(where):
            return ""  # No commit yet.
        git.read_tree(where, index, "HEAD")
        names = list(git.entries(where, *sources(home), index=index))
        held = git.entries_of_head(where, f"{home}/.index/{FILE}").get(f"{home}/.index/{FILE}")
        if not names or held is None:
            return "the last commit holds no artefact of its pages" if names else ""
        kept = os.path.join(scope.index, key + SUFFIX)
        if (
            git.differing(where, *sources(home))
            or git.differs_from_disk(where, own, *sources(home))
            or not os.path.exists(kept)
        ):
            built = build_from(where, index, home, names, folder, filters=False)
            if built is None:
                return ""  # The settings that are committed do not ask for one.
            kept = built.path
        return (
            ""
            if fs.read(kept) == git.blob(where, held.oid)
            else "the last commit holds an artefact that is not that of its pages"
        )


def is_of(index: str, key: str) -> bool:
    """Whether the artefact in git, if there is one in this index folder, has ``key``."""
    try:
        artefact = Artefact.open(os.path.join(index, FILE))
    except ArtefactMissing:
        return True
    except ArtefactError:
        return False
    artefact.close()
    return bool(artefact.header.get("key") == key)


def is_kept(index: str, key: str) -> bool:
    """Whether this index folder has the artefact in git, and that is the one of ``key``."""
    return os.path.exists(os.path.join(index, FILE)) and is_of(index, key)


def scope_of(where: Worktree, home: str) -> Scope | None:
    """The scope of a store of the work tree itself; None where links lead to it or out of it."""
    root = os.path.join(os.path.realpath(where.top), os.path.dirname(home)).rstrip(os.sep)
    try:
        scope = workspace_at(root, Places())
        return scope if scope.root == root.replace(os.sep, "/") else None
    except (Forbidden, Outside, OSError):
        return None


def build_from(
    where: Worktree, index: str, home: str, names: Sequence[str], folder: str, filters: bool = True
) -> Built | None:
    """Build the store as it is in ``index``, below ``folder``. None when it does not ask to be tracked."""
    pages = os.path.join(folder, "pages")
    fs.make_private(pages)
    git.check_out(where, index, names, pages, filters)
    scope = workspace_at(os.path.join(pages, os.path.dirname(home)).rstrip(os.sep), Places())
    # What is built here goes with the folder, and so does the note of it.
    scope.provenance = os.path.join(folder, "provenance", "list")
    borrow(scope_of(where, home), scope)
    return build_wanted(scope)


def build_wanted(scope: Scope) -> Built | None:
    from abcd_index.build.run import build

    return build(scope) if wanted(scope) else None


def sources(home: str) -> list[str]:
    return [
        f":(top,glob){_literal(home)}/memory/*.md",
        f":(top,literal){home}/rules.json",
        f":(top,literal){home}/config.json",
    ]


def borrow(source: Scope | None, target: Scope) -> None:
    """Give a build of the scope ``target`` what the last one of ``source`` (a scope, or None) knows, so that it
    compiles only what differs. Nothing happens where there is nothing that this machine answers for."""
    if source is None:
        return
    try:
        key = fs.read(os.path.join(source.index, CURRENT), 200).decode("ascii").strip()
        artefact = os.path.join(source.index, key + SUFFIX)
        if not key.isalnum() or not provenance.is_ours(source, key, os.lstat(artefact)):
            return
        publish.prepare(target.index)
        # The file that names the others comes last: a half copy is then no artefact.
        for name in (key + SUFFIX, key + PAGES_SUFFIX, key + TIMES_SUFFIX, CURRENT):
            path = os.path.join(target.index, name)
            fs.replace(path, fs.read(os.path.join(source.index, name)))
            if name == key + SUFFIX:
                publish.record_provenance(target, key, os.lstat(path).st_ino)
    except (OSError, ValueError):
        pass


def _literal(text: str) -> str:
    return "".join("\\" + sign if sign in "*?[\\" else sign for sign in text)
