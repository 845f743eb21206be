"""Starts git: short functions, each named by the question that it answers.

Where the repository is, is asked once with the environment as it is (``GIT_DIR`` may be the only way to it); every
later question names the git folder and the work tree, without the variables that git exports into hooks. git takes
no lock and refreshes no index for us.

Whoever made a repository's ``.git/config`` can name programs in it. None of them runs because somebody looks:
what watches files, fetches missing objects or hooks into the index is switched off for every question, the
filters of the repository's own configuration for those that compare content. `docs/explanation/trust.md` says
which questions are left (a commit, a merge, ``push`` and ``fetch``, where git itself runs them).
"""

from __future__ import annotations

import os
import subprocess
from typing import Iterable, Mapping, NamedTuple, Sequence

from abcd_index.errors import AbcdError, CannotTell
from abcd_index.scopes import repository

# These name another command's repository, index or objects. What carries configuration or credentials
# (GIT_CONFIG_*, GIT_SSH*, GIT_EXEC_PATH) stays.
SCRUBBED = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_NAMESPACE",
)
# An embedded bare repository is none for us, and no program of the repository's watches its files.
OPTIONS = ("core.fsmonitor=false", "safe.bareRepository=explicit")
_GIT = ("git", *(arg for option in OPTIONS for arg in ("-c", option)))
# No lock for a look, no question to a person, messages in one language.
QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LANGUAGE": "C", "LC_ALL": "C"}
# No connection for an object that a partial clone lacks.
LOCAL = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
# For commands that write an index: they would run ``post-index-change``.
_NO_HOOKS = "core.hooksPath=" + os.devnull

if os.name == "nt":  # pragma: no cover - Windows
    # Else a `git.exe` in the folder that somebody is in would be started.
    os.environ["NoDefaultCurrentDirectoryInExePath"] = "1"


class Worktree(NamedTuple):
    """A work tree: ``top``, its own ``git_dir`` and the ``common_dir`` that linked worktrees share (all
    absolute, links followed as git does)."""

    top: str
    git_dir: str
    common_dir: str

    @property
    def linked(self) -> bool:
        """Whether this is a linked worktree."""
        return self.git_dir != self.common_dir


class HooksPath(NamedTuple):
    """A setting of ``core.hooksPath``. ``scope``: system, global, local, worktree or command."""

    scope: str
    origin: str
    value: str


class Entry(NamedTuple):
    """What git has under a name: the mode (``100644``) and the object's name."""

    mode: str
    oid: str


class Answer(NamedTuple):
    """How a git command ended and what it wrote."""

    status: int
    out: bytes
    error: str


def find_worktree(cwd: str) -> Worktree | None:
    """The work tree around ``cwd``, or None outside of one (also in a bare repository, and where the repository's own
    settings name a work tree elsewhere).

    Raises CannotTell when git is not there or does not trust the repository's owner.
    """
    answer = _run(cwd, [*_GIT, "rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"], os.environ)
    if answer.status:
        if "dubious ownership" in answer.error or "safe.directory" in answer.error:
            raise CannotTell(
                f"git does not trust the owner of the repository around {cwd}",
                "if you do, add its path to git's safe.directory yourself",
            )
        return None
    top, git_dir, common = (os.fsdecode(line) for line in answer.out.split(b"\n")[:3])
    if _redirected(os.path.realpath(cwd), top, git_dir):
        return None
    return Worktree(top, git_dir, os.path.normpath(os.path.join(os.path.abspath(cwd), common)))


def _redirected(cwd: str, top: str, git_dir: str) -> bool:
    """Whether ``core.worktree`` of the repository around ``cwd`` names another folder than the one that it lies in."""
    found = None if "GIT_DIR" in os.environ or "GIT_WORK_TREE" in os.environ else repository(cwd)
    try:
        return found is not None and os.path.samefile(found[1], git_dir) and not os.path.samefile(found[0], top)
    except OSError:
        return True


def version() -> tuple[int, ...]:
    """git's version. Raises CannotTell when git is not there."""
    numbers = []
    words = _run(os.getcwd(), ["git", "version"], os.environ).out.decode("ascii", "replace").split()
    for part in words[2].split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def hooks_dir(worktree: Worktree) -> str:
    """The folder that git takes the hooks of this work tree from, absolute."""
    return own_path(worktree, "hooks")


def own_path(worktree: Worktree, name: str) -> str:
    """The absolute path of ``name`` in the work tree's own git folder."""
    return os.path.normpath(os.path.join(worktree.top, _line(worktree, "rev-parse", "--git-path", name)))


def head(worktree: Worktree) -> str:
    """The commit that HEAD names; '' before the first one."""
    answer = query(worktree, "rev-parse", "-q", "--verify", "HEAD^{commit}")
    return answer.out.decode("ascii").strip() if answer.status == 0 else ""


def is_ancestor(worktree: Worktree, commit: str) -> bool:
    """Whether HEAD descends from ``commit``."""
    return query(worktree, "merge-base", "--is-ancestor", commit, "HEAD").status == 0


def hooks_path_settings(worktree: Worktree) -> list[HooksPath]:
    """Every ``core.hooksPath``, the one that holds last."""
    fields = _names(query(worktree, "config", "--show-scope", "--show-origin", "-z", "--get-all", "core.hooksPath"))
    return [HooksPath(*fields[at : at + 3]) for at in range(0, len(fields) - 2, 3)]


def setting(worktree: Worktree, name: str) -> str | None:
    """The value of a setting, or None."""
    values = _names(query(worktree, "config", "-z", "--get", name))
    return values[0] if values else None


def change_setting(worktree: Worktree, name: str, value: str | None) -> bool:
    """Set a setting of the repository, or with None remove its whole section. Whether it worked."""
    change = ["--remove-section", name.rpartition(".")[0]] if value is None else [name, value]
    return query(worktree, "config", "--local", *change).status == 0


def is_shallow(worktree: Worktree) -> bool:
    """Whether history is cut off, so that the oldest commit seems to have made everything."""
    return _line(worktree, "rev-parse", "--is-shallow-repository") == "true"


def is_sparse(worktree: Worktree) -> bool:
    """Whether only a part of the tree is checked out."""
    return setting(worktree, "core.sparseCheckout") == "true"


def tracked(worktree: Worktree, *paths: str) -> list[str]:
    """The names (relative to the top) of the tracked files that ``paths`` name or contain."""
    return _names(query(worktree, "ls-files", "-z", "--", *paths))


def differing(worktree: Worktree, *paths: str) -> list[str]:
    """The names (relative to the top) of the tracked files that ``paths`` name or contain and that are not on disk and
    in the index as HEAD has them. The index is not refreshed, which ``git diff`` would do."""
    return [
        name[3:]
        for name in _names(
            query(
                worktree,
                *_without_filters(worktree),
                "status",
                "--porcelain",
                "-z",
                "--untracked-files=no",
                "--no-renames",
                "--ignore-submodules=all",
                "--",
                *paths,
            )
        )
    ]


def mode_in_index(worktree: Worktree, path: str) -> str:
    """The mode of a tracked file as git has it (``100755``), or ''."""
    return next((entry.mode for entry in entries(worktree, path).values()), "")


def store_files(worktree: Worktree) -> list[str]:
    """Names of the tracked pages and rules of every store in the repository."""
    return tracked(worktree, ":(top,glob)**/.abcd/memory/*.md", ":(top,glob)**/.abcd/rules.json")


def run_hook(worktree: Worktree, name: str, args: Sequence[str], **environ: str) -> tuple[int, str] | None:
    """(exit status, output) of the hook that git would run under ``name``. Older gits cannot be asked:
    None then."""
    if version() < (2, 36):
        return None
    answer = _run(
        worktree.top,
        [*command(worktree), "hook", "run", "--ignore-missing", name, "--", *args],
        {**scrubbed(), **environ},
    )
    return answer.status, answer.out.decode("utf-8", "replace") + answer.error


def run_file(worktree: Worktree, path: str, args: Sequence[str], **environ: str) -> tuple[int, str]:
    """(exit status, output) of a hook file, run as git runs one. For gits that cannot be asked."""
    done = subprocess.run(
        [path, *args],
        cwd=worktree.top,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        env={**scrubbed(), **environ},
    )
    return done.returncode, done.stdout.decode("utf-8", "replace")


def worktrees(worktree: Worktree) -> list[str]:
    """The tops of all worktrees of the repository."""
    lines = query(worktree, "worktree", "list", "--porcelain").out.split(b"\n")
    return [os.fsdecode(line[9:]) for line in lines if line.startswith(b"worktree ")]


def commit_index(worktree: Worktree) -> str:
    """The index that the running git command commits from (``GIT_INDEX_FILE``), absolute."""
    return os.path.join(worktree.top, os.environ.get("GIT_INDEX_FILE") or own_path(worktree, "index"))


def differs_from_disk(worktree: Worktree, index: str, *paths: str) -> bool:
    """Whether a file below ``paths`` is not on disk as it is in ``index``, or is not in it at all."""
    return bool(_with_index(worktree, index, "ls-files", "-z", "-m", "-d", "-o", "--", *paths))


def check_out(worktree: Worktree, index: str, names: Sequence[str], folder: str, filters: bool = True) -> None:
    """Write the files ``names`` as they are in ``index`` below ``folder``. ``filters``: whether those of the
    repository's own configuration may run: they do for a commit, where git runs them too."""
    without = [] if filters else _without_filters(worktree)
    for start in range(0, len(names), 500):
        _with_index(
            worktree,
            index,
            *without,
            "checkout-index",
            "-q",
            f"--prefix={folder.rstrip('/')}/",
            "--",
            *names[start : start + 500],
        )


def store_blob(worktree: Worktree, path: str) -> str:
    """Put the bytes of the file ``path`` among git's objects, as they are. The object's name."""
    return (
        _with_index(worktree, own_path(worktree, "index"), "hash-object", "-w", "--no-filters", "--", path)
        .decode("ascii")
        .strip()
    )


def update_index(worktree: Worktree, wanted: Mapping[str, Entry | None], index: str | None = None) -> None:
    """Let the index, or ``index`` (a file), say of each name what ``wanted`` says; None: there is no such file.

    Raises CannotTell when git would not.
    """
    index = index or own_path(worktree, "index")
    gone = [name for name, entry in wanted.items() if entry is None]
    given = [f"{entry.mode},{entry.oid},{name}" for name, entry in wanted.items() if entry]
    if gone:
        _with_index(worktree, index, "update-index", "--force-remove", "--", *gone)
    if given:
        _with_index(worktree, index, "update-index", "--add", *(arg for each in given for arg in ("--cacheinfo", each)))


def merged_tree(worktree: Worktree, ours: str, theirs: str, **environ: str) -> str | None:
    """The tree that merging two commits makes, or None when they conflict or git is too old to say."""
    answer = _run(
        worktree.top, [*command(worktree), "merge-tree", "--write-tree", ours, theirs], {**scrubbed(), **environ}
    )
    return answer.out.split(b"\n")[0].decode("ascii") if answer.status == 0 else None


def read_tree(worktree: Worktree, index: str, tree: str) -> None:
    """Make ``index``, a file, the index of ``tree``."""
    _with_index(worktree, index, "read-tree", tree)


def entries(worktree: Worktree, *paths: str, index: str | None = None) -> dict[str, Entry]:
    """The files that ``paths`` name or contain, in the index, or in ``index`` (a file). Names are relative to the
    top. Raises CannotTell."""
    out = _with_index(worktree, index or own_path(worktree, "index"), "ls-files", "-s", "-z", "--", *paths)
    return {name: Entry(words[0], words[1]) for name, words in _rows(out)}


def entries_of_head(worktree: Worktree, *names: str) -> dict[str, Entry]:
    """Those files ``names`` that the last commit has."""
    answer = query(worktree, "ls-tree", "-z", "--full-tree", "HEAD", "--", *names)
    return {name: Entry(words[0], words[2]) for name, words in _rows(answer.out if answer.status == 0 else b"")}


def blob(worktree: Worktree, oid: str) -> bytes:
    """The bytes of a blob as git has it. Raises CannotTell."""
    answer = query(worktree, "cat-file", "blob", oid)
    if answer.status:
        raise CannotTell(f"git cat-file: {answer.error.strip()}")
    return answer.out


def scrubbed() -> dict[str, str]:
    """The environment without the variables that would turn a question to another repository."""
    return {name: value for name, value in os.environ.items() if name not in SCRUBBED}


def pinned(worktree: Worktree) -> dict[str, str]:
    """The variables that have the effect of ``scrubbed``, for a caller that can add variables and remove none: those
    that would turn the question to another repository name ``worktree``."""
    right = {
        "GIT_DIR": worktree.git_dir,
        "GIT_WORK_TREE": worktree.top,
        "GIT_COMMON_DIR": worktree.common_dir,
        "GIT_INDEX_FILE": os.path.join(worktree.git_dir, "index"),
        "GIT_IMPLICIT_WORK_TREE": "1",
        "GIT_OBJECT_DIRECTORY": os.path.join(worktree.common_dir, "objects"),
    }
    return {name: right.get(name, "") for name in SCRUBBED if name in os.environ}


def query(worktree: Worktree, *args: str) -> Answer:
    """The answer of a git command about ``worktree`` and nothing else."""
    return _run(worktree.top, [*command(worktree), *args], scrubbed())


def command(worktree: Worktree, *settings: str) -> list[str]:
    """How a git command begins that is about ``worktree``; with ``settings`` (``name=value``) for this command."""
    return [
        *_GIT,
        *(arg for setting in settings for arg in ("-c", setting)),
        f"--git-dir={worktree.git_dir}",
        f"--work-tree={worktree.top}",
    ]


def _without_filters(worktree: Worktree) -> list[str]:
    """Arguments that switch off the filters of the repository's own configuration; those of the person and of the
    machine stay. Raises CannotTell when one has a name that cannot be given."""
    fields = _names(
        query(worktree, "config", "--show-scope", "-z", "--get-regexp", r"^filter\..*\.(clean|smudge|process)$")
    )
    names = {
        key.partition("\n")[0].rpartition(".")[0]
        for scope, key in zip(fields[::2], fields[1::2])
        if scope in ("local", "worktree")
    }
    if any("=" in name for name in names):
        raise CannotTell("the repository's settings name a filter with = in its name")
    return [
        arg
        for name in sorted(names)
        for what in ("clean=", "smudge=", "process=", "required=false")
        for arg in ("-c", f"{name}.{what}")
    ]


def _with_index(worktree: Worktree, index: str, *args: str) -> bytes:
    answer = _run(worktree.top, [*command(worktree, _NO_HOOKS), *args], {**scrubbed(), "GIT_INDEX_FILE": index})
    if answer.status:
        raise CannotTell(f"git {next(arg for arg in args if arg != '-c' and '=' not in arg)}: {answer.error.strip()}")
    return answer.out


def _line(worktree: Worktree, *args: str) -> str:
    answer = query(worktree, *args)
    if answer.status:
        raise CannotTell(f"git {' '.join(args)}: {answer.error.strip()}")
    return os.fsdecode(answer.out).rstrip("\n")


def _names(answer: Answer) -> list[str]:
    """The NUL-separated fields of an answer; none where the command failed."""
    return [os.fsdecode(name) for name in answer.out.split(b"\0")[:-1]] if answer.status == 0 else []


def _rows(out: bytes) -> Iterable[tuple[str, list[str]]]:
    """(name, the words in front of it) of each row of ``ls-files -s`` and ``ls-tree``."""
    for row in out.split(b"\0")[:-1]:
        words, _, name = row.partition(b"\t")
        yield os.fsdecode(name), os.fsdecode(words).split(" ")


def _run(cwd: str, args: Sequence[str], environ: Mapping[str, str]) -> Answer:
    try:
        done = subprocess.run(
            args,
            cwd=cwd,
            env={**environ, **QUIET, **LOCAL},
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except (FileNotFoundError, PermissionError) as error:
        raise CannotTell("git is not on PATH", "install git, or add it to PATH") from error
    except OSError as error:
        # Not an answer: what is outside of a repository must not be told from it.
        raise AbcdError(f"git could not be run: {error.strerror or error}", "try again") from error
    return Answer(done.returncode, done.stdout, os.fsdecode(done.stderr))
