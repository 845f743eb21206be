"""The only place that speaks to git: short functions, each named by the question that it answers.

Where the repository is, is asked once with the environment as it is (``GIT_DIR`` may be the only way to
it); every later question names the git folder and the work tree, with the variables that git exports
into hooks out of the way. git takes no lock and refreshes no index for us. GitPython is imported when
the first question is asked: it costs ten interpreter starts.

Whoever made a repository's ``.git/config`` can name programs in it. None of them runs because somebody looks:
what watches files, fetches missing objects or hooks into the index is switched off for every question, the
filters of the repository's own configuration for those that compare content. `docs/explanation/trust.md` says
which questions are left (a commit, a merge, ``push`` and ``fetch``, where git itself runs them).
"""

import os
from contextlib import contextmanager

from abcd_index.errors import CannotTell
from abcd_index.scopes import repository

# These name another command's repository, index or objects. What carries configuration or credentials
# (GIT_CONFIG_*, GIT_SSH*, GIT_EXEC_PATH) stays.
SCRUBBED = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_IMPLICIT_WORK_TREE", "GIT_NAMESPACE",
)
# An embedded bare repository is none for us, and no program of the repository's watches its files.
SHIELD = ("-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit")
# No lock for a look, no question to a person, no connection for an object that a partial clone lacks.
QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
_LOCAL = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
# For commands that write an index: they would run ``post-index-change``.
_NO_HOOKS = ("-c", "core.hooksPath=" + os.devnull)


class Place:
    """A work tree: ``top``, its own ``git_dir`` and the ``common_dir`` that linked worktrees share (all
    absolute, links followed as git does)."""

    __slots__ = ("top", "git_dir", "common_dir")

    def __init__(self, top, git_dir, common_dir):
        self.top = top
        self.git_dir = git_dir
        self.common_dir = common_dir

    @property
    def linked(self):
        """Whether this is a linked worktree."""
        return self.git_dir != self.common_dir


def place(cwd):
    """The work tree around ``cwd``, or None outside of one (also in a bare repository, and where the repository's own
    settings name a work tree elsewhere).

    Raises CannotTell when git is not there or does not trust the repository's owner.
    """
    status, out, error = _execute(cwd, ["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"])
    if status:
        if "dubious ownership" in error or "safe.directory" in error:
            raise CannotTell(f"git does not trust the owner of the repository around {cwd}",
                             "if you do, add its path to git's safe.directory yourself")
        return None
    top, git_dir, common = (os.fsdecode(line) for line in out.split(b"\n")[:3])
    if _redirected(os.path.realpath(cwd), top, git_dir):
        return None
    return Place(top, git_dir, os.path.normpath(os.path.join(os.path.abspath(cwd), common)))


def _redirected(cwd, top, git_dir):
    """Whether ``core.worktree`` of the repository around ``cwd`` names another folder than the one that it lies in."""
    found = None if "GIT_DIR" in os.environ or "GIT_WORK_TREE" in os.environ else repository(cwd)
    try:
        return bool(found) and os.path.samefile(found[1], git_dir) and not os.path.samefile(found[0], top)
    except OSError:
        return True


def toplevel(cwd):
    """The top of the work tree around ``cwd``, or None."""
    found = place(cwd)
    return found.top if found else None


def version():
    """git's version as a tuple of integers. Raises CannotTell when git is not there."""
    _, out, _ = _execute(os.getcwd(), ["version"])
    numbers = []
    for part in out.decode("ascii", "replace").split()[2].split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def hooks_dir(where):
    """The folder that git takes the hooks of this work tree from, absolute."""
    return os.path.normpath(os.path.join(where.top, _line(where, "rev-parse", "--git-path", "hooks")))


def own_path(where, name):
    """The absolute path of ``name`` in the work tree's own git folder."""
    return os.path.normpath(os.path.join(where.top, _line(where, "rev-parse", "--git-path", name)))


def hooks_path_settings(where):
    """[(scope, origin, value)] of every ``core.hooksPath``, the one that holds last. ``scope``: system,
    global, local, worktree or command."""
    status, out, _ = _ask(where, "config", "--show-scope", "--show-origin", "-z", "--get-all", "core.hooksPath")
    fields = [os.fsdecode(field) for field in out.split(b"\0")]
    return [tuple(fields[at:at + 3]) for at in range(0, len(fields) - 2, 3)] if status == 0 else []


def setting(where, name):
    """The value of a setting, or None."""
    status, out, _ = _ask(where, "config", "-z", "--get", name)
    return os.fsdecode(out.split(b"\0")[0]) if status == 0 else None


def change_setting(where, name, value):
    """Set a setting of the repository, or with None remove its whole section. Returns whether it worked."""
    if value is None:
        status, _, _ = _ask(where, "config", "--local", "--remove-section", name.rpartition(".")[0])
    else:
        status, _, _ = _ask(where, "config", "--local", name, value)
    return status == 0


def is_shallow(where):
    """Whether history is cut off, so that the oldest commit seems to have made everything."""
    return _line(where, "rev-parse", "--is-shallow-repository") == "true"


def is_sparse(where):
    """Whether only a part of the tree is checked out."""
    return setting(where, "core.sparseCheckout") == "true"


def tracked(where, *paths):
    """The names (relative to the top) of the tracked files that ``paths`` name or contain."""
    status, out, _ = _ask(where, "ls-files", "-z", "--", *paths)
    return _names(out) if status == 0 else []


def differing(where, *paths):
    """The names (relative to the top) of the tracked files that ``paths`` name or contain and that are not on disk and
    in the index as HEAD has them. The index is not refreshed, which ``git diff`` would do."""
    status, out, _ = _ask(where, *_without_filters(where), "status", "--porcelain", "-z", "--untracked-files=no",
                          "--no-renames", "--ignore-submodules=all", "--", *paths)
    return [name[3:] for name in _names(out)] if status == 0 else []


def ignored(where, path):
    """Whether git would not add ``path``."""
    return _ask(where, "check-ignore", "-q", "--", path)[0] == 0


def mode_in_index(where, path):
    """The mode of a tracked file as git has it (``100755``), or ''."""
    status, out, _ = _ask(where, "ls-files", "-s", "-z", "--", path)
    return out.split(b" ")[0].decode("ascii") if status == 0 and out else ""


def store_files(where):
    """Names of the tracked pages and rules of every store in the repository."""
    return tracked(where, ":(top,glob)**/.abcd/memory/*.md", ":(top,glob)**/.abcd/rules.json")


def tree_oid(where, path, revision="HEAD"):
    """The object name of the tree or file ``path`` (relative to the top) in ``revision``, or None."""
    status, out, _ = _ask(where, "rev-parse", "-q", "--verify", f"{revision}:{path}")
    return out.decode("ascii").strip() if status == 0 else None


def attribute(where, name, path):
    """The value of an attribute of ``path``: set, unset, unspecified or its text."""
    status, out, _ = _ask(where, "check-attr", "-z", name, "--", path)
    fields = out.split(b"\0")
    return os.fsdecode(fields[2]) if status == 0 and len(fields) > 2 else "unspecified"


def run_hook(where, name, args, **environ):
    """(exit status, output) of the hook that git would run under ``name``. Older gits cannot be asked:
    None then."""
    if version() < (2, 36):
        return None
    with _environ(**environ):
        status, out, error = _ask(where, "hook", "run", "--ignore-missing", name, "--", *args)
    return status, out.decode("utf-8", "replace") + error


def run_file(where, path, args, **environ):
    """(exit status, output) of a hook file, run as git runs one. For gits that cannot be asked."""
    import subprocess

    with scrubbed(), _environ(**environ):
        done = subprocess.run([path, *args], cwd=where.top, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def worktrees(where):
    """The tops of all worktrees of the repository."""
    status, out, _ = _ask(where, "worktree", "list", "--porcelain")
    return [os.fsdecode(line[9:]) for line in out.split(b"\n") if line.startswith(b"worktree ")] if status == 0 else []


def commit_index(where):
    """The index that the running git command commits from (``GIT_INDEX_FILE``), absolute."""
    return os.path.join(where.top, os.environ.get("GIT_INDEX_FILE") or own_path(where, "index"))


def staged(where, index, *paths):
    """The names of the files in ``index`` that ``paths`` name or contain."""
    return _names(_with_index(where, index, "ls-files", "-z", "--", *paths))


def differs_from_disk(where, index, *paths):
    """Whether a file below ``paths`` is not on disk as it is in ``index``, or is not in it at all."""
    return bool(_with_index(where, index, "ls-files", "-z", "-m", "-d", "-o", "--", *paths))


def check_out(where, index, names, folder, filters=True):
    """Write the files ``names`` as they are in ``index`` below ``folder``. ``filters``: whether those of the
    repository's own configuration may run: they do for a commit, where git runs them too."""
    without = [] if filters else _without_filters(where)
    for start in range(0, len(names), 500):
        _with_index(where, index, *without, "checkout-index", "-q", f"--prefix={folder.rstrip('/')}/", "--",
                    *names[start:start + 500])


def stage(where, index, files, gone=()):
    """Put ``files`` ({name: path of the content}) into ``index`` as they are, and take ``gone`` out.

    Raises CannotTell when git would not.
    """
    entries = []
    for name, path in files.items():
        oid = _with_index(where, index, "hash-object", "-w", "--no-filters", "--", path).decode("ascii").strip()
        entries += ["--cacheinfo", f"100644,{oid},{name}"]
    _with_index(where, index, "update-index", "--add", *entries)
    if gone:
        _with_index(where, index, "update-index", "--force-remove", "--", *gone)


def merged_tree(where, ours, theirs, **environ):
    """The tree that merging two commits makes, or None when they conflict or git is too old to say."""
    with _environ(**environ):
        status, out, _ = _ask(where, "merge-tree", "--write-tree", ours, theirs)
    return out.split(b"\n")[0].decode("ascii") if status == 0 else None


def read_tree(where, index, tree):
    """Make ``index``, a file, the index of ``tree``."""
    _with_index(where, index, "read-tree", tree)


def entries(where, *paths, index=None):
    """{name: (mode, object name)} of the files that ``paths`` name or contain, in the index, or in ``index`` (a file).
    Names are relative to the top."""
    out = _with_index(where, index or own_path(where, "index"), "ls-files", "-s", "-z", "--", *paths)
    rows = (row.partition(b"\t") for row in out.split(b"\0") if row)
    return {os.fsdecode(name): tuple(os.fsdecode(said).split(" ")[:2]) for said, _, name in rows}


def of_head(where, *names):
    """{name: (mode, object name)} of those files ``names`` that the last commit has."""
    status, out, _ = _ask(where, "ls-tree", "-z", "--full-tree", "HEAD", "--", *names)
    rows = (row.partition(b"\t") for row in out.split(b"\0") if row) if status == 0 else ()
    return {os.fsdecode(name): tuple(os.fsdecode(said).split(" ")[::2]) for said, _, name in rows}


def take(where, wanted):
    """Let the index say of each file what ``wanted`` ({name: (mode, object name), or None for no file}) says."""
    index = own_path(where, "index")
    gone = [name for name, entry in wanted.items() if entry is None]
    if gone:
        _with_index(where, index, "update-index", "--force-remove", "--", *gone)
    given = [arg for name, entry in wanted.items() if entry for arg in ("--cacheinfo", f"{entry[0]},{entry[1]},{name}")]
    if given:
        _with_index(where, index, "update-index", "--add", *given)


def content(where, oid):
    """The bytes of a blob as git has it. Raises CannotTell."""
    status, out, error = _ask(where, "cat-file", "blob", oid)
    if status:
        raise CannotTell(f"git cat-file: {error.strip()}")
    return out


def lines_of_log(where, *args):
    """The NUL-separated fields of ``git log ARGS``, one by one, as bytes; the process ends when the
    caller stops asking."""
    with scrubbed():
        process = _git(where.top).execute(
            ["git", *SHIELD, *_fixed(where), "-c", "log.showSignature=false", "log", "--no-ext-diff", "--no-textconv",
             *args], as_process=True, env={**QUIET, **_LOCAL})
    try:
        rest = b""
        for chunk in iter(lambda: process.stdout.read(1 << 16), b""):
            fields = (rest + chunk).split(b"\0")
            rest = fields.pop()
            yield from fields
    finally:
        process.stdout.close()
        process.__del__()  # GitPython's way to end the child and to reap it.


@contextmanager
def scrubbed():
    """The environment without the variables that would turn a question to another repository."""
    gone = {name: os.environ.pop(name) for name in SCRUBBED if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(gone)


@contextmanager
def _environ(**given):
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _ask(where, *args):
    """(status, stdout bytes, stderr text) of a git command about ``where`` and nothing else."""
    with scrubbed():
        return _execute(where.top, [*_fixed(where), *args])


def _without_filters(where):
    """Arguments that switch off the filters of the repository's own configuration; those of the person and of the
    machine stay. Raises CannotTell when one has a name that cannot be given."""
    status, out, _ = _ask(where, "config", "--show-scope", "-z", "--get-regexp",
                          r"^filter\..*\.(clean|smudge|process)$")
    fields = out.split(b"\0") if status == 0 else []
    names = {os.fsdecode(key.partition(b"\n")[0]).rpartition(".")[0] for scope, key in zip(fields[::2], fields[1::2])
             if scope in (b"local", b"worktree")}
    if any("=" in name for name in names):
        raise CannotTell("the repository's settings name a filter with = in its name")
    return [arg for name in sorted(names) for what in ("clean=", "smudge=", "process=", "required=false")
            for arg in ("-c", f"{name}.{what}")]


def _with_index(where, index, *args):
    with scrubbed(), _environ(GIT_INDEX_FILE=index):
        status, out, error = _execute(where.top, [*_NO_HOOKS, *_fixed(where), *args])
    if status:
        raise CannotTell(f"git {next(arg for arg in args if arg != '-c' and '=' not in arg)}: {error.strip()}")
    return out


def _line(where, *args):
    status, out, error = _ask(where, *args)
    if status:
        raise CannotTell(f"git {' '.join(args)}: {error.strip()}")
    return os.fsdecode(out).rstrip("\n")


def _names(out):
    return [os.fsdecode(name) for name in out.split(b"\0") if name]


def _fixed(where):
    return [f"--git-dir={where.git_dir}", f"--work-tree={where.top}"]


def _execute(cwd, args):
    git = _git(cwd)
    from git.exc import GitCommandNotFound

    try:
        status, out, error = git.execute(
            ["git", *SHIELD, *args], with_extended_output=True, with_exceptions=False, stdout_as_string=False,
            strip_newline_in_stdout=False, env={**QUIET, **_LOCAL})
    except GitCommandNotFound as error:
        raise CannotTell("git is not on PATH", "install git, or add it to PATH") from error
    return status, out, error if isinstance(error, str) else os.fsdecode(error)


def _git(cwd):
    # Without this GitPython refuses to be imported where there is no git.
    with _environ(GIT_PYTHON_REFRESH="quiet"):
        from git.cmd import Git

    return Git(cwd)
