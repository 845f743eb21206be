"""Keeping the artefact in the repository, for teams that ask for it (``"artefact": {"track": true}``).

What is committed is the artefact of the pages *as they are committed*, whatever else is on disk: the
``pre-commit`` and ``pre-merge-commit`` hooks build it from git's index and stage it. ``current`` stays out of
git, because builds move it while people work; a file ``tracked`` names the committed artefact, and a clone
that has no ``current`` yet is read through it. Two branches conflict on that one line only: a merge driver
keeps ours, and the hook that runs before the merge is committed writes the right one.
"""

import os
import shutil
import sys
import tempfile

from abcd_index.artefact.format import CURRENT, SUFFIX, TRACKED
from abcd_index.errors import AbcdError
from abcd_index.git import ask, stores

ATTRIBUTES = ".gitattributes"
# Line ends must stay as they are, and a diff of it helps nobody.
ATTRIBUTES_TEXT = f"*{SUFFIX} -text -diff\n{TRACKED} -text merge=abcd-index\n"
DRIVER = "merge.abcd-index.driver"
NAME = "merge.abcd-index.name"
RESTAGE = "restage"


def wanted(scope):
    """Whether the scope's settings ask for a tracked artefact."""
    from abcd_index.settings import read_settings

    try:
        with open(os.path.join(scope.home, "config.json"), "rb") as handle:
            settings, _ = read_settings(handle.read())
    except OSError:
        return False
    return settings["artefact"]["track"]


def main(argv):
    """What the ``pre-commit`` stub starts. Never fails a commit: says at most one line."""
    try:
        where = ask.place(os.getcwd())
        if where is not None:
            commit(where)
    except Exception as error:  # A commit must never fail because of us; verify finds what is missing.
        line = " ".join(f"abcd-index: the artefact was not staged: {error}".split())
        sys.stderr.write(line.encode("ascii", "backslashreplace").decode() + "\n")


def commit(where):
    """Build and stage the artefact of every store whose settings ask for it, as it is in the index that
    is about to be committed."""
    index = ask.commit_index(where)
    for home in [stores.TOP, *(stores.listed(where.common_dir) or [])]:
        names = ask.staged(where, index, *_sources(home))
        if names:
            _commit_store(where, index, home, names)
    if os.path.basename(index).startswith("next-index"):
        # A commit of named files works on an index of its own; the real one is put right afterwards.
        _touch(ask.own_path(where, f"{stores.FOLDER}/{RESTAGE}"))


def after_commit(where):
    """What ``post-commit`` has to put right, see ``commit``."""
    marker = ask.own_path(where, f"{stores.FOLDER}/{RESTAGE}")
    if os.path.exists(marker):
        os.unlink(marker)
        homes = [stores.TOP, *(stores.listed(where.common_dir) or [])]
        ask.take_from_head(where, *(f":(top,literal){home}/.index" for home in homes))


def plan_driver(where, plan):
    """Add the step that tells git about the merge driver."""
    if ask.setting(where, DRIVER) != "true":
        plan.step("set", DRIVER, lambda: _set_driver(where))


def away_with_driver(where, plan):
    """Add the step that takes it back."""
    if ask.setting(where, DRIVER) is not None:
        plan.step("unset", DRIVER, lambda: ask.change_setting(where, DRIVER, None))


def stub(name, python):
    """The bytes of ``pre-commit`` and ``pre-merge-commit``: nothing is started while no page is staged."""
    quoted = "'" + python.replace("\\", "/").replace("'", "'\\''") + "'"
    return _STUB.replace("NAME", name).replace("PYTHON", quoted).encode("utf-8", "surrogateescape")


def _commit_store(where, index, home, names):
    with tempfile.TemporaryDirectory(prefix="abcd-index-") as folder:
        if ask.differs_from_disk(where, index, *_sources(home)):
            ask.check_out(where, index, names, folder)
            root = os.path.join(folder, os.path.dirname(home))
            _borrow(os.path.join(where.top, home, ".index"), os.path.join(root, stores.TOP, ".index"))
        else:
            root = os.path.join(where.top, os.path.dirname(home))
        scope = _scope(root)
        if not wanted(scope):
            return
        from abcd_index.build.run import build

        built = build(scope)
        files = _write(os.path.join(where.top, home, ".index"), built)
    inside = f"{home}/.index"
    gone = set(ask.staged(where, index, f":(top,literal){inside}")) - {f"{inside}/{name}" for name in files}
    ask.stage(where, index, {f"{inside}/{name}": path for name, path in files.items()}, sorted(gone))


def _scope(root):
    from abcd_index.scopes import Places, workspace_at

    return workspace_at(os.path.abspath(root), Places())


def _sources(home):
    return [f":(top,glob){_plain(home)}/memory/*.md", f":(top,literal){home}/rules.json",
            f":(top,literal){home}/config.json"]


def _plain(text):
    return "".join("\\" + sign if sign in "*?[\\" else sign for sign in text)


def _borrow(source, target):
    """Give the build in the temporary folder the artefact that is there, so that it compiles only what differs."""
    try:
        with open(os.path.join(source, CURRENT), encoding="ascii") as handle:
            key = handle.read().strip()
        os.makedirs(target)
        for name in (key + SUFFIX, CURRENT):
            shutil.copyfile(os.path.join(source, name), os.path.join(target, name))
    except (OSError, ValueError):
        pass


def _write(index, built):
    """Put the artefact, its name and the attributes into the index folder. {name: path}."""
    from abcd_index.build import publish

    publish.prepare(index)
    name = built.key + SUFFIX
    path = os.path.join(index, name)
    if not os.path.exists(path):
        with open(built.path, "rb") as handle:
            publish.replace(path, handle.read())
    files = {name: path}
    for name, text in ((TRACKED, built.key + "\n"), (ATTRIBUTES, ATTRIBUTES_TEXT)):
        files[name] = os.path.join(index, name)
        publish.replace(files[name], text.encode("ascii"))
    return files


def _set_driver(where):
    if not (ask.change_setting(where, NAME, "abcd-index: the artefact is built anew")
            and ask.change_setting(where, DRIVER, "true")):
        raise AbcdError("git would not set the merge driver")


def _touch(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii"):
        pass


_STUB = """#!/bin/sh
# >>> abcd-index NAME 1 >>>
# Before a commit that changes pages, this builds their artefact and stages it, because the settings ask
# for a tracked one. Never keeps a commit from being made. ABCD_INDEX=0 switches it off.
# `abcd-index install` wrote it, `abcd-index uninstall` takes it away; text outside the two marks is yours.
abcd_stage() {
    [ -d .abcd ] || [ -f "$(git rev-parse --git-common-dir)/abcd-index/stores" ] || return 0
    GIT_LITERAL_PATHSPECS=0 git diff --cached --quiet -- ':(glob)**/.abcd/memory/*.md' \\
        ':(glob)**/.abcd/rules.json' ':(glob)**/.abcd/config.json' 2>/dev/null && return 0
    abcd_user=${ABCD_HOME:-${HOME:+$HOME/.abcd.noindex}}
    abcd_other=
    { IFS= read -r abcd_other <"$abcd_user/.index/interpreter"; } 2>/dev/null
    for abcd_python in PYTHON "$abcd_other"; do
        [ -x "$abcd_python" ] || continue
        abcd_said=$("$abcd_python" -E -c 'import sys
sys.path[:] = [p for p in sys.path if p]
from abcd_index.git.tracked import main
main(sys.argv[1:])' NAME 2>&1 >/dev/null </dev/null) || continue
        [ -z "$abcd_said" ] || printf '%s\\n' "$abcd_said" >&2
        return 0
    done
}

case ${ABCD_INDEX-} in
0) ;;
ping) echo "abcd-index NAME 1 "PYTHON; exit 0 ;;
*) abcd_stage || : ;;
esac
# <<< abcd-index <<<
"""
