"""Keeping the artefact in the repository, for teams that ask for it (``"artefact": {"track": true}``).

What is committed is the artefact of the pages *as they are committed*, whatever else is on disk: the
``pre-commit`` hook builds it from git's index and stages it as ``.index/tracked.idx``. The artefact that people
work with lies beside it as ever, out of git, so builds never touch what git keeps; only a clone that has not
built yet reads the tracked one. When two branches both changed pages, a merge driver builds the artefact of
the merged pages instead of a conflict.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Sequence

from abcd_index import fs
from abcd_index.build.tracked import FILE, build_from, build_wanted, scope_of, sources
from abcd_index.errors import AbcdError
from abcd_index.git import run as git
from abcd_index.git.run import Entry, Worktree
from abcd_index.githooks import stores
from abcd_index.githooks.files import quoted

if TYPE_CHECKING:
    from abcd_index.build.run import Built

ATTRIBUTES = ".gitattributes"
# Line ends must stay as they are, and a diff of it helps nobody.
ATTRIBUTES_TEXT = f"{FILE} -text -diff merge=abcd-index\n"
DRIVER = "merge.abcd-index.driver"
NAME = "merge.abcd-index.name"
# Notes in the work tree's own git folder: the real index is to be put right, the artefact in git renewed.
RESTAGE = "restage"
RENEW = "renew"
# Set while the driver lets git merge the pages: it must not start itself again.
INSIDE = "ABCD_INDEX_MERGING"


def main(argv: Sequence[str]) -> None:
    """What the ``pre-commit`` stub (``argv``: its name) and the merge driver (``merge``, the file to write,
    its name in the repository) start. Neither fails a commit or a merge: says at most one line."""
    try:
        where = git.find_worktree(os.getcwd())
        if where is not None and argv[0] == "merge":
            merge(where, argv[1], argv[2])
        elif where is not None:
            commit(where)
    except Exception as error:  # What is missing then, verify finds.
        line = " ".join(f"abcd-index: the artefact in git was not renewed: {error}".split())
        sys.stderr.write(line.encode("ascii", "backslashreplace").decode() + "\n")


def commit(where: Worktree) -> None:
    """Build and stage the artefact of every store whose settings ask for it, as it is in the index that
    is about to be committed."""
    index = git.commit_index(where)
    # The commit may yet be given up, and one of named files has an index of its own: the hooks put right what is left.
    _touch(git.own_path(where, f"{stores.FOLDER}/{RESTAGE}"))
    for home in _homes(where):
        names = list(git.entries(where, *sources(home), index=index))
        if names:
            _commit_store(where, index, home, names)
    fs.remove(git.own_path(where, f"{stores.FOLDER}/{RENEW}"))


def after_commit(where: Worktree) -> None:
    """Let index and disk hold the artefact that HEAD holds, when a commit was made or given up, see ``commit``."""
    for home in _homes(where):
        inside = f"{home}/.index"
        staged = git.entries(where, f":(top,literal){inside}")
        committed = git.entries_of_head(where, *{*staged, *(f"{inside}/{name}" for name in (FILE, ATTRIBUTES))})
        wanted: dict[str, Entry | None] = {
            name: committed.get(name) for name in {*staged, *committed} if staged.get(name) != committed.get(name)
        }
        git.update_index(where, wanted)
        scope = scope_of(where, home)
        if scope is None:
            continue
        for name, entry in committed.items():
            path = os.path.join(scope.index, os.path.basename(name))
            # A plain `git reset` lets the index agree with HEAD and leaves the given-up artefact on disk alone.
            other = os.path.basename(name) == FILE and _is_other(path, git.blob(where, entry.oid))
            if other or name in wanted and os.path.basename(name) in (FILE, ATTRIBUTES):
                fs.make_folder(scope.index)
                fs.replace(path, git.blob(where, entry.oid))
    fs.remove(git.own_path(where, f"{stores.FOLDER}/{RESTAGE}"))


def renewal_noted(where: Worktree) -> bool:
    """Whether the next commit renews the artefact in git in any case."""
    return os.path.exists(os.path.join(where.git_dir, stores.FOLDER, RENEW))


def note_renewal(git_dir: str) -> None:
    """Let the next commit renew the artefact in git though it changes no page."""
    _touch(os.path.join(git_dir, stores.FOLDER, RENEW))


def merge(where: Worktree, target: str, name: str) -> None:
    """Write the artefact of the merged pages to ``target``. Ours stays when git does not say what is
    merged (a cherry-pick, a rebase) or the pages themselves conflict: then a commit follows that renews it."""
    theirs = [variable[len("GITHEAD_") :] for variable in os.environ if variable.startswith("GITHEAD_")]
    if len(theirs) != 1 or os.environ.get(INSIDE):
        return
    tree = git.merged_tree(where, "HEAD", theirs[0], **{INSIDE: "1"})
    home = name[: -len(f"/.index/{FILE}")]
    if tree is None or name != f"{home}/.index/{FILE}":
        return
    with fs.scratch() as folder:
        index = os.path.join(folder, "index")
        git.read_tree(where, index, tree)
        built = build_from(where, index, home, list(git.entries(where, *sources(home), index=index)), folder)
        if built is not None:
            fs.replace(os.path.join(where.top, target), fs.read(built.path))


def set_driver(where: Worktree, line: str) -> None:
    """Tell git about the merge driver. Raises AbcdError."""
    if not (
        git.change_setting(where, NAME, "abcd-index: the artefact of the merged pages")
        and git.change_setting(where, DRIVER, line)
    ):
        raise AbcdError("git would not set the merge driver")


def driver(python: str) -> str:
    """The shell line of the merge driver. It ends well whatever happens: ours is kept then."""
    return f"{quoted(python)} -E -c '{_START}' merge %A %P 2>/dev/null || :"


def _homes(where: Worktree) -> list[str]:
    return [stores.TOP, *(stores.listed(where.common_dir) or [])]


def _commit_store(where: Worktree, index: str, home: str, names: list[str]) -> None:
    scope = scope_of(where, home)
    if scope is None:
        return
    with fs.scratch() as folder:
        if git.differs_from_disk(where, index, *sources(home)):
            built = build_from(where, index, home, names, folder)
        else:
            built = build_wanted(scope)
        if built is None:
            return
        files = _write(scope.index, built)
    inside = f"{home}/.index"
    wanted: dict[str, Entry | None] = dict.fromkeys(git.entries(where, f":(top,literal){inside}", index=index))
    wanted.update((f"{inside}/{name}", Entry("100644", git.store_blob(where, path))) for name, path in files.items())
    git.update_index(where, wanted, index)


def _write(index: str, built: Built) -> dict[str, str]:
    """Put the artefact to track and its attributes into the index folder. {name: path}."""
    from abcd_index.build import publish

    publish.prepare(index)
    fs.replace(os.path.join(index, FILE), fs.read(built.path))
    fs.replace(os.path.join(index, ATTRIBUTES), ATTRIBUTES_TEXT.encode("ascii"))
    return {name: os.path.join(index, name) for name in (FILE, ATTRIBUTES)}


def _is_other(path: str, data: bytes) -> bool:
    """Whether a regular file is at ``path`` and holds something else than ``data``."""
    try:
        return fs.read(path) != data
    except OSError:
        return False


def _touch(path: str) -> None:
    fs.make_folder(os.path.dirname(path))
    fs.replace(path, b"")


_START = (
    "import sys; sys.path[:] = [p for p in sys.path if p]; "
    "from abcd_index.githooks.tracked import main; main(sys.argv[1:])"
)
