"""Keeping the artefact in the repository, for teams that ask for it (``"artefact": {"track": true}``).

What is committed is the artefact of the pages *as they are committed*, whatever else is on disk: the
``pre-commit`` hook builds it from git's index and stages it as ``.index/tracked.idx``. The artefact that people
work with lies beside it as ever, out of git, so builds never touch what git keeps; only a clone that has not
built yet reads the tracked one. When two branches both changed pages, a merge driver builds the artefact of
the merged pages instead of a conflict.
"""

import os
import sys

from abcd_index import fs
from abcd_index.build.tracked import FILE, build_from, build_wanted, scope_of, sources
from abcd_index.errors import AbcdError
from abcd_index.git import run as ask
from abcd_index.githooks import stores

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


def main(argv):
    """What the ``pre-commit`` stub (``argv``: its name) and the merge driver (``merge``, the file to write,
    its name in the repository) start. Neither fails a commit or a merge: says at most one line."""
    try:
        where = ask.place(os.getcwd())
        if where is not None and argv[0] == "merge":
            merge(where, argv[1], argv[2])
        elif where is not None:
            commit(where)
    except Exception as error:  # What is missing then, verify finds.
        line = " ".join(f"abcd-index: the artefact in git was not renewed: {error}".split())
        sys.stderr.write(line.encode("ascii", "backslashreplace").decode() + "\n")


def commit(where):
    """Build and stage the artefact of every store whose settings ask for it, as it is in the index that
    is about to be committed."""
    index = ask.commit_index(where)
    # The commit may yet be given up, and one of named files has an index of its own: the hooks put right what is left.
    _touch(ask.own_path(where, f"{stores.FOLDER}/{RESTAGE}"))
    for home in _homes(where):
        names = ask.staged(where, index, *sources(home))
        if names:
            _commit_store(where, index, home, names)
    fs.remove(ask.own_path(where, f"{stores.FOLDER}/{RENEW}"))


def after_commit(where):
    """Let index and disk hold the artefact that HEAD holds, when a commit was made or given up, see ``commit``."""
    for home in _homes(where):
        inside = f"{home}/.index"
        staged = ask.entries(where, f":(top,literal){inside}")
        committed = ask.of_head(where, *{*staged, *(f"{inside}/{name}" for name in (FILE, ATTRIBUTES))})
        wanted = {name: committed.get(name) for name in {*staged, *committed}
                  if staged.get(name) != committed.get(name)}
        ask.take(where, wanted)
        scope = scope_of(where, home)
        for name, entry in committed.items() if scope is not None else ():
            path = os.path.join(scope.index, os.path.basename(name))
            # A plain `git reset` lets the index agree with HEAD and leaves the given-up artefact on disk alone.
            other = os.path.basename(name) == FILE and _is_other(path, ask.content(where, entry[1]))
            if other or name in wanted and os.path.basename(name) in (FILE, ATTRIBUTES):
                fs.make_folder(scope.index)
                fs.replace(path, ask.content(where, entry[1]))
    fs.remove(ask.own_path(where, f"{stores.FOLDER}/{RESTAGE}"))


def renewal_noted(where):
    """Whether the next commit renews the artefact in git in any case."""
    return os.path.exists(os.path.join(where.git_dir, stores.FOLDER, RENEW))


def note_renewal(git_dir):
    """Let the next commit renew the artefact in git though it changes no page."""
    _touch(os.path.join(git_dir, stores.FOLDER, RENEW))


def merge(where, target, name):
    """Write the artefact of the merged pages to ``target``. Ours stays when git does not say what is
    merged (a cherry-pick, a rebase) or the pages themselves conflict: then a commit follows that renews it."""
    theirs = [variable[len("GITHEAD_"):] for variable in os.environ if variable.startswith("GITHEAD_")]
    if len(theirs) != 1 or os.environ.get(INSIDE):
        return
    tree = ask.merged_tree(where, "HEAD", theirs[0], **{INSIDE: "1"})
    home = name[: -len(f"/.index/{FILE}")]
    if tree is None or name != f"{home}/.index/{FILE}":
        return
    with fs.scratch() as folder:
        index = os.path.join(folder, "index")
        ask.read_tree(where, index, tree)
        built = build_from(where, index, home, ask.staged(where, index, *sources(home)), folder)
        if built is not None:
            fs.replace(os.path.join(where.top, target), fs.read(built.path))


def plan_driver(where, plan, python):
    """Add the step that tells git about the merge driver."""
    line = driver(python)
    if ask.setting(where, DRIVER) != line:
        plan.step("set", DRIVER, lambda: _set_driver(where, line))


def away_with_driver(where, plan):
    """Add the step that takes it back."""
    if ask.setting(where, DRIVER) is not None:
        plan.step("unset", DRIVER, lambda: ask.change_setting(where, DRIVER, None))


def driver(python):
    """The shell line of the merge driver. It ends well whatever happens: ours is kept then."""
    return f"{_quoted(python)} -E -c '{_START}' merge %A %P 2>/dev/null || :"


def stub(name, version, python):
    """The bytes of the ``pre-commit`` hook: nothing is started while no page is staged."""
    text = _STUB.replace("VERSION", str(version)).replace("NAME", name)
    text = text.replace("PYTHON", _quoted(python)).replace("START", _START)
    return text.encode("utf-8", "surrogateescape")


def _homes(where):
    return [stores.TOP, *(stores.listed(where.common_dir) or [])]


def _commit_store(where, index, home, names):
    scope = scope_of(where, home)
    if scope is None:
        return
    with fs.scratch() as folder:
        if ask.differs_from_disk(where, index, *sources(home)):
            built = build_from(where, index, home, names, folder)
        else:
            built = build_wanted(scope)
        if built is None:
            return
        files = _write(scope.index, built)
    inside = f"{home}/.index"
    gone = set(ask.staged(where, index, f":(top,literal){inside}")) - {f"{inside}/{name}" for name in files}
    ask.stage(where, index, {f"{inside}/{name}": path for name, path in files.items()}, sorted(gone))


def _write(index, built):
    """Put the artefact to track and its attributes into the index folder. {name: path}."""
    from abcd_index.build import publish

    publish.prepare(index)
    fs.replace(os.path.join(index, FILE), fs.read(built.path))
    fs.replace(os.path.join(index, ATTRIBUTES), ATTRIBUTES_TEXT.encode("ascii"))
    return {name: os.path.join(index, name) for name in (FILE, ATTRIBUTES)}


def _set_driver(where, line):
    if not (ask.change_setting(where, NAME, "abcd-index: the artefact of the merged pages")
            and ask.change_setting(where, DRIVER, line)):
        raise AbcdError("git would not set the merge driver")


def _is_other(path, data):
    """Whether a regular file is at ``path`` and holds something else than ``data``."""
    try:
        return fs.read(path) != data
    except OSError:
        return False


def _touch(path):
    fs.make_folder(os.path.dirname(path))
    fs.replace(path, b"")


def _quoted(python):
    return "'" + python.replace("\\", "/").replace("'", "'\\''") + "'"


_START = ("import sys; sys.path[:] = [p for p in sys.path if p]; "
          "from abcd_index.githooks.tracked import main; main(sys.argv[1:])")

_STUB = """#!/bin/sh
# >>> abcd-index NAME VERSION >>>
# Before a commit that changes pages, this builds their artefact and stages it, because the settings ask
# for a tracked one. Never keeps a commit from being made. ABCD_INDEX=0 switches it off.
# `abcd-index install` wrote it, `abcd-index uninstall` takes it away; text outside the two marks is yours.
abcd_python=PYTHON
abcd_stage() {
    [ -d .abcd ] || [ -f "$(git rev-parse --git-common-dir)/abcd-index/stores" ] || return 0
    abcd_stale || return 0
    abcd_user=${ABCD_HOME:-${HOME:+$HOME/.abcd.noindex}}
    abcd_other=
    { IFS= read -r abcd_other <"$abcd_user/.index/interpreter"; } 2>/dev/null
    for abcd_python in "$abcd_python" "$abcd_other"; do
        [ -x "$abcd_python" ] || continue
        { abcd_said=$("$abcd_python" -E -c 'START' NAME 2>&1 >/dev/null </dev/null); } 2>/dev/null || continue
        [ -z "$abcd_said" ] || printf '%s\\n' "$abcd_said" >&2
        return 0
    done
}

# Whether what is staged changes a page or the artefact (a commit that was given up left it), or the artefact in git
# is not theirs (after a rebase or an upgrade).
abcd_stale() {
    ! git -c core.fsmonitor=false diff-index --cached --quiet HEAD -- ':(top,glob)**/.abcd/memory/*.md' \\
        ':(top,glob)**/.abcd/rules.json' ':(top,glob)**/.abcd/config.json' ':(top,glob)**/.abcd/.index/**' \\
        2>/dev/null || [ -f "$(git rev-parse --git-path abcd-index/renew)" ]
}

case ${ABCD_INDEX-} in
0) ;;
ping) echo "abcd-index NAME VERSION $abcd_python"; exit 0 ;;
*) abcd_stage || : ;;
esac
# <<< abcd-index <<<
"""
