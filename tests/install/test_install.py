"""install and uninstall beside the hooks and the core.hooksPath that others have."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import os
import stat

import pytest
from git_repositories import artefact_state, page, sealed  # noqa: F401
from install_project import FOREIGN_SETTINGS, project, snapshot  # noqa: F401

from abcd_index.errors import AbcdError
from abcd_index.githooks import files as hooks
from abcd_index.githooks.files import HOOKS, LINE


def test_gives_back_every_byte(project):
    before = snapshot(project.root)
    code, said = project.install()
    assert code == 0, said
    assert project.state() == "current"
    assert project.git("status", "--porcelain", "--", ".abcd").stdout == ""
    code, said = project.uninstall()
    assert code == 0, said
    assert snapshot(project.root) == before


def test_gives_back_what_others_had(project):
    project.settings.parent.mkdir()
    project.settings.write_text(FOREIGN_SETTINGS)
    project.hook("post-checkout", "#!/bin/sh\necho lfs $3\n")
    project.hook("post-commit", "#!/bin/bash\nset -eu\ntrue", 0o700)
    project.hook("post-merge", "#!/usr/bin/env python3\nprint('merged')\n")
    project.hook("post-rewrite", "#!/bin/sh\nexit 4\n", 0o644)
    before = snapshot(project.root)
    assert project.install()[0] == 0
    assert project.uninstall()[0] == 0
    assert snapshot(project.root) == before


def test_the_second_time_there_is_nothing_to_do(project):
    project.install()
    before = snapshot(project.root)
    code, said = project.install()
    assert (code, said) == (0, "everything is in place\n")
    assert snapshot(project.root) == before


@pytest.mark.parametrize("others", (False, True))
def test_a_dry_run_tells_the_truth(project, others):
    if others:
        project.settings.parent.mkdir()
        project.settings.write_text(FOREIGN_SETTINGS)
        project.hook("post-checkout", "#!/bin/sh\necho lfs $3\n")
        project.hook("post-merge", b"\x7fELF\x00")
    for step in (project.install, project.uninstall):
        before = snapshot(project.root)
        _, said = step(dry_run=True)
        assert snapshot(project.root) == before
        first, *promised = said.splitlines()
        assert first == "would do:" and promised
        _, said = step()
        assert [line for line in said.splitlines() if not line.startswith("installed;")] == promised
        assert snapshot(project.root) != before


def test_git_runs_the_hooks_and_the_configuration_stays(project):
    before = project.git("config", "-l", "--local").stdout
    project.install()
    for name in HOOKS:
        done = project.git("hook", "run", "--ignore-missing", name, "--", env={**project.sandbox.env, "ABCD_INDEX": "ping"})
        assert f"abcd-index {name} {hooks.VERSION} " in done.stdout + done.stderr
    project.commit()
    assert project.state() == "current"
    assert project.git("config", "-l", "--local").stdout == before


@pytest.mark.parametrize("text", [
    "#!/bin/sh\nexec true\n", "#!/bin/sh\nexit 0", "#!/usr/bin/env bash\nset -euo pipefail\ntrue\n", "true\n", "",
], ids=["exec", "exit", "strict bash", "no first line", "empty"])
def test_ours_runs_before_a_hook_that_ends_early(project, text):
    project.hook("post-commit", text)
    assert project.install()[0] == 0
    project.commit()
    assert project.state() == "current"


@pytest.mark.parametrize("first", ["#!/bin/sh\n", "#!/bin/bash -e\n", "#!/usr/bin/env python3\n"], ids=["sh", "bash", "python"])
def test_the_hook_that_was_there_gets_the_same(project, first):
    """Arguments, input, status and what it prints."""
    if "python" in first:
        body = ("import sys\nopen('seen', 'a').write(repr(sys.argv[1:]) + sys.stdin.read() + '|')\n"
                "print('theirs')\nsys.exit(5)\n")
    else:
        body = '{ printf "%s," "$@"; cat; printf "|"; } >>seen\necho theirs\nexit 5\n'
    for name in HOOKS:
        project.hook(name, first + body)

    def drive():
        seen = project.root / "seen"
        seen.unlink(missing_ok=True)
        project.edit(f"text {os.urandom(4).hex()}")
        said = [project.git("commit", "-qam", "x"), project.git("commit", "-q", "--amend", "--no-edit", "--allow-empty"),
                project.git("checkout", "-q", "-B", "other", check=False)]
        text = seen.read_text()
        for oid in project.git("rev-list", "--all", "--reflog").stdout.split():
            text = text.replace(oid, "<oid>")
        return [(done.returncode, done.stdout, done.stderr) for done in said], text

    without = drive()
    assert "theirs" in without[0][0][2] and without[0][2][0] == 1 and "<oid>" in without[1]
    assert project.install()[0] == 0
    assert drive() == without
    assert project.state() == "current"


def test_a_hook_that_was_switched_off_stays_off(project):
    project.hook("post-commit", "#!/bin/sh\necho ran >seen\n", 0o644)
    assert project.install()[0] == 0
    project.commit()
    assert not (project.root / "seen").exists()
    assert project.state() == "current"
    project.uninstall()
    assert stat.S_IMODE((project.hooks / "post-commit").stat().st_mode) == 0o644


@pytest.mark.parametrize("target", ["../../tools/hook", "shared-hook", "/nowhere/at/all"])
def test_a_hook_that_is_a_link(project, target):
    project.hooks.mkdir(exist_ok=True)
    link = project.hooks / "post-commit"
    script = project.hooks / target
    if not target.startswith("/"):
        script.parent.mkdir(exist_ok=True)
        script.write_text("#!/bin/sh\necho ran >seen\n")
        script.chmod(0o755)
    link.symlink_to(target)
    text = None if target.startswith("/") else script.read_bytes()
    assert project.install()[0] == 0
    project.commit()
    assert project.state() == "current"
    if text is not None:
        assert (project.root / "seen").read_text() == "ran\n"
        assert script.read_bytes() == text, "what the link leads to is not ours to edit"
    assert project.uninstall()[0] == 0
    assert os.readlink(link) == target


def test_an_old_block_is_replaced_where_it_stands(project):
    project.install()
    path = project.hooks / "post-commit"
    text = path.read_text()
    old = text.replace("post-commit 2 >>>", "post-commit 1 >>>").replace("abcd_index()", "abcd_old()")
    path.write_text(old + "echo mine >seen\n")
    assert project.install()[0] == 0
    assert path.read_text() == text + "echo mine >seen\n"
    project.commit()
    assert (project.root / "seen").read_text() == "mine\n"
    project.uninstall()
    assert path.read_text() == "#!/bin/sh\necho mine >seen\n"


class TestHooksPath:
    def test_a_global_one_is_never_written(self, project, tmp_path):
        theirs = tmp_path / "gh"
        theirs.mkdir()
        hook = theirs / "post-commit"
        hook.write_text("#!/bin/sh\necho theirs\n")
        hook.chmod(0o755)
        project.git("config", "--global", "core.hooksPath", str(theirs))
        before = snapshot(theirs)
        code, said = project.install()
        assert code == 1
        assert f"core.hooksPath (global) is {theirs}, outside this repository" in said and LINE in said
        assert snapshot(theirs) == before
        assert project.settings.exists(), "the other parts are still done"
        hook.write_text(f"#!/bin/sh\n{LINE}\necho theirs\n")
        for name in HOOKS[1:]:
            (theirs / name).write_text(f"#!/bin/sh\n{LINE}\n")
            (theirs / name).chmod(0o755)
        assert project.install()[0] == 0
        assert "theirs" in project.commit().stderr
        assert project.state() == "current"

    def test_switched_off_on_purpose(self, project):
        project.git("config", "core.hooksPath", "/dev/null")
        code, said = project.install()
        assert code == 1 and "core.hooksPath (local) is /dev/null" in said
        assert project.git("config", "core.hooksPath").stdout == "/dev/null\n"

    def test_tracked_in_the_repository(self, project):
        folder = project.root / ".githooks"
        folder.mkdir()
        (folder / "post-commit").write_text("#!/bin/sh\ntrue\n")
        (folder / "post-commit").chmod(0o755)
        project.git("add", "-A")
        project.git("commit", "-qm", "hooks")
        project.git("config", "core.hooksPath", ".githooks")
        code, said = project.install()
        assert code == 1 and "which the repository tracks" in said and LINE in said
        assert project.git("status", "--porcelain", "--", ".githooks").stdout == ""
        before = snapshot(folder)
        assert project.install(hooks_path=True)[0] == 0
        project.commit()
        assert project.state() == "current"
        project.uninstall()
        assert snapshot(folder) == before

    def test_husky(self, project):
        (project.root / ".husky" / "_").mkdir(parents=True)
        (project.root / ".husky" / "_" / ".gitignore").write_text("*")
        project.git("config", "core.hooksPath", ".husky/_")
        code, said = project.install()
        assert code == 1 and ".husky/post-commit" in said and ".husky/_/" not in said.split("add this line")[1]
        for name in HOOKS:
            (project.root / ".husky" / name).write_text(LINE + "\n")
            shim = project.root / ".husky" / "_" / name
            shim.write_text(f'#!/usr/bin/env sh\nexec sh -e "$(dirname "$0")/../{name}" "$@"\n')
            shim.chmod(0o755)
        assert project.install()[0] == 0
        project.commit()
        assert project.state() == "current"

    def test_set_for_one_worktree_only(self, project):
        project.git("config", "extensions.worktreeConfig", "true")
        project.git("config", "--worktree", "core.hooksPath", "/elsewhere")
        code, said = project.install()
        assert code == 1 and "core.hooksPath (worktree) is /elsewhere" in said


def test_hooks_that_cannot_run_are_said(project, monkeypatch):
    """The self-test: what is written is not yet what runs."""
    from abcd_index.git import run as git

    monkeypatch.setattr(git, "run_hook", lambda where, name, args, **environ: (0, ""))
    code, said = project.install()
    assert code == 1 and "post-commit did not answer" in said


def test_the_self_test_runs_nobody_elses_hook(project):
    project.hook("post-commit", "#!/bin/sh\ntouch ran\n")
    project.hook("post-merge", "#!/usr/bin/env python3\nopen('ran', 'w')\n")
    assert project.install()[0] == 0
    assert not (project.root / "ran").exists()


@pytest.mark.parametrize("text", ["# see ../abcd-index/ for more\n", "cd ~/src/abcd-index/docs\n", f"# {LINE}\n"])
def test_a_hook_that_only_speaks_of_us_does_not_call_us(project, text):
    project.hook("post-commit", "#!/bin/sh\n" + text)
    code, said = project.install()
    assert code == 0 and "add to    .git/hooks/post-commit" in said
    project.commit()
    assert project.state() == "current"


def test_a_hook_that_another_tool_moved_aside_goes_too(project):
    assert project.install()[0] == 0
    (project.hooks / "post-commit").rename(project.hooks / "post-commit.legacy")
    theirs = project.hook("post-commit", '#!/bin/sh\n"$0.legacy" "$@"\n')
    before = theirs.read_bytes()
    assert project.uninstall()[0] == 0
    assert not (project.hooks / "post-commit.legacy").exists() and theirs.read_bytes() == before


def test_hooks_that_uninstalling_cannot_reach_are_said(project, monkeypatch):
    assert project.install()[0] == 0
    with monkeypatch.context() as patch:
        patch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        code, said = project.uninstall()
    assert code == 1 and "safe.directory" in said and (project.hooks / "post-commit").exists()
    assert project.uninstall()[0] == 0 and not (project.hooks / "post-commit").exists()


def test_a_bare_repository_is_refused_and_left_as_it_was(project, sandbox):
    bare = sandbox.tmp / "x.git"
    sandbox.git("init", "-q", "--bare", str(bare), cwd=sandbox.tmp)
    before = sorted(path.relative_to(bare) for path in bare.rglob("*"))
    for folder in (bare, bare / "objects"):
        with pytest.raises(AbcdError, match="bare repository"):
            project.install(root=folder)
    assert sorted(path.relative_to(bare) for path in bare.rglob("*")) == before


@pytest.mark.parametrize("value", ["", "."])
def test_hooks_never_land_at_the_top_of_the_work_tree(project, value):
    project.sandbox.git("config", "core.hooksPath", value, cwd=project.root)
    code, said = project.install(hooks_path=True)
    assert code == 1 and "where git runs no hooks" in said
    assert not (project.root / "post-commit").exists()


@pytest.mark.parametrize("name", ["post-commit", "post-merge"])
def test_a_hook_that_cannot_be_read_is_left_alone(project, monkeypatch, name):
    """It is there; what it holds is not known. To take that for no hook would be to throw somebody's away."""
    theirs = project.hook(name, "#!/usr/bin/env python3\nprint('theirs')\n")
    before = theirs.read_bytes()
    read = hooks._content
    monkeypatch.setattr(hooks, "_content", lambda path: None if str(path) == str(theirs) else read(path))
    code, said = project.install()
    assert code == 1 and f"{name}: " in said and "cannot be read" in said
    assert theirs.read_bytes() == before
    monkeypatch.undo()
    assert project.install()[0] == 0
    assert project.uninstall()[0] == 0
    assert theirs.read_bytes() == before
