"""Keeping the artefact in the repository, for teams that ask for it (``"artefact": {"track": true}``).

What is committed is the artefact of the pages *as they are committed*, whatever else is on disk: the
``pre-commit`` hook builds it from git's index and stages it as ``.index/tracked.idx``. The artefact that people
work with lies beside it as ever, out of git, so builds never touch what git keeps; only a clone that has not
built yet reads the tracked one. When two branches both changed pages, a merge driver builds the artefact of
the merged pages instead of a conflict.
"""

import os
import shutil
import sys
import tempfile

from abcd_index import fs
from abcd_index.artefact.format import SUFFIX, TRACKED
from abcd_index.artefact.reader import Artefact
from abcd_index.errors import AbcdError, ArtefactError, ArtefactMissing, Forbidden
from abcd_index.git import ask, stores

FILE = TRACKED + SUFFIX
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


def wanted(scope):
    """Whether the scope's settings ask for a tracked artefact."""
    from abcd_index.scopes import Places, guard
    from abcd_index.settings import read_settings

    try:
        with open(guard(os.path.join(scope.home, "config.json"), Places()), "rb") as handle:
            settings, _ = read_settings(handle.read())
    except (OSError, Forbidden):
        return False
    return settings["artefact"]["track"]


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
    for home in _homes(where):
        names = ask.staged(where, index, *_sources(home))
        if names:
            _commit_store(where, index, home, names)
    renew = ask.own_path(where, f"{stores.FOLDER}/{RENEW}")
    if os.path.exists(renew):
        os.unlink(renew)
    if os.path.basename(index).startswith("next-index"):
        # A commit of named files works on an index of its own; the real one is put right afterwards.
        _touch(ask.own_path(where, f"{stores.FOLDER}/{RESTAGE}"))


def after_commit(where):
    """What ``post-commit`` has to put right, see ``commit``."""
    marker = ask.own_path(where, f"{stores.FOLDER}/{RESTAGE}")
    if os.path.exists(marker):
        os.unlink(marker)
        ask.take_from_head(where, *(f":(top,literal){home}/.index" for home in _homes(where)))


def is_of(index, key):
    """Whether the artefact in git, if there is one in this index folder, has ``key``."""
    try:
        artefact = Artefact.open(os.path.join(index, FILE))
    except ArtefactMissing:
        return True
    except ArtefactError:
        return False
    artefact.close()
    return artefact.header.get("key") == key


def is_kept(index, key):
    """Whether this index folder has the artefact in git, and that is the one of ``key``."""
    return os.path.exists(os.path.join(index, FILE)) and is_of(index, key)


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
    with tempfile.TemporaryDirectory(prefix="abcd-index-") as folder:
        index = os.path.join(folder, "index")
        ask.read_tree(where, index, tree)
        built = _build_from(where, index, home, ask.staged(where, index, *_sources(home)), folder)
        shutil.copyfile(built.path, os.path.join(where.top, target))


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


def stub(name, python):
    """The bytes of the ``pre-commit`` hook: nothing is started while no page is staged."""
    text = _STUB.replace("NAME", name).replace("PYTHON", _quoted(python)).replace("START", _START)
    return text.encode("utf-8", "surrogateescape")


def _homes(where):
    return [stores.TOP, *(stores.listed(where.common_dir) or [])]


def _commit_store(where, index, home, names):
    with tempfile.TemporaryDirectory(prefix="abcd-index-") as folder:
        if ask.differs_from_disk(where, index, *_sources(home)):
            built = _build_from(where, index, home, names, folder)
        else:
            built = _build(os.path.join(where.top, os.path.dirname(home)))
        if built is None:
            return
        files = _write(os.path.join(where.top, home, ".index"), built)
    inside = f"{home}/.index"
    gone = set(ask.staged(where, index, f":(top,literal){inside}")) - {f"{inside}/{name}" for name in files}
    ask.stage(where, index, {f"{inside}/{name}": path for name, path in files.items()}, sorted(gone))


def _build_from(where, index, home, names, folder):
    """Build the store as it is in ``index``, below ``folder``. None when it does not ask to be tracked."""
    ask.check_out(where, index, names, folder)
    root = os.path.join(folder, os.path.dirname(home))
    stores.borrow(os.path.join(where.top, home, ".index"), os.path.join(root, stores.TOP, ".index"))
    return _build(root)


def _build(root):
    from abcd_index.build.run import build
    from abcd_index.scopes import Places, workspace_at

    scope = workspace_at(os.path.abspath(root), Places())
    return build(scope) if wanted(scope) else None


def _sources(home):
    return [f":(top,glob){_plain(home)}/memory/*.md", f":(top,literal){home}/rules.json",
            f":(top,literal){home}/config.json"]


def _plain(text):
    return "".join("\\" + sign if sign in "*?[\\" else sign for sign in text)


def _write(index, built):
    """Put the artefact to track and its attributes into the index folder. {name: path}."""
    from abcd_index.build import publish

    publish.prepare(index)
    with open(built.path, "rb") as handle:
        fs.replace(os.path.join(index, FILE), handle.read())
    fs.replace(os.path.join(index, ATTRIBUTES), ATTRIBUTES_TEXT.encode("ascii"))
    return {name: os.path.join(index, name) for name in (FILE, ATTRIBUTES)}


def _set_driver(where, line):
    if not (ask.change_setting(where, NAME, "abcd-index: the artefact of the merged pages")
            and ask.change_setting(where, DRIVER, line)):
        raise AbcdError("git would not set the merge driver")


def _touch(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii"):
        pass


def _quoted(python):
    return "'" + python.replace("\\", "/").replace("'", "'\\''") + "'"


_START = ("import sys; sys.path[:] = [p for p in sys.path if p]; "
          "from abcd_index.git.tracked import main; main(sys.argv[1:])")

_STUB = """#!/bin/sh
# >>> abcd-index NAME 1 >>>
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

# Whether what is staged changes a page, or the artefact in git is not theirs (after a rebase or an upgrade).
abcd_stale() {
    ! git diff --cached --quiet -- ':(glob)**/.abcd/memory/*.md' ':(glob)**/.abcd/rules.json' \\
        ':(glob)**/.abcd/config.json' 2>/dev/null || [ -f "$(git rev-parse --git-path abcd-index/renew)" ]
}

case ${ABCD_INDEX-} in
0) ;;
ping) echo "abcd-index NAME 1 $abcd_python"; exit 0 ;;
*) abcd_stage || : ;;
esac
# <<< abcd-index <<<
"""
