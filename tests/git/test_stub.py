"""The hooks' stub: what it starts and what it does not, and that nothing it meets ever reaches git."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import os
import re
import shutil
import subprocess
import sys

import pytest
from git_ground import Ground, artefact_state, page, template, without_hooks  # noqa: F401

from abcd_index.githooks.files import HOOKS, TRACKED_HOOKS, VERSION, HookFile, stub
from tests.conftest import ROOT

SHELLS = [shell for shell in ("dash", "bash", "ksh", "mksh", "busybox", "zsh") if shutil.which(shell)]


@pytest.fixture
def ground(template, tmp_path):
    return template.copy(tmp_path / "hooked", "plain", True)


@pytest.fixture
def starts(ground):
    """A list of the times a hook started Python, read from a file that a stand-in interpreter writes."""
    return Starts(ground)


class Starts:
    def __init__(self, ground):
        self.log = ground.folder / "starts"
        fake = ground.folder / "python"
        fake.write_text(f'#!/bin/sh\necho x >>"{self.log}"\nexec "{sys.executable}" "$@"\n')
        fake.chmod(0o755)
        for name in HOOKS:
            path = ground.root / ".git" / "hooks" / name
            path.write_bytes(stub(name, str(fake)))
        # The ground is a copy, so its inodes are new; the first hook looks once, as after any copy.
        ground.git("commit", "-q", "--allow-empty", "-m", "settle")
        self.count()

    def count(self):
        """How often since the last call."""
        try:
            found = len(self.log.read_text().splitlines())
            self.log.unlink()
        except FileNotFoundError:
            found = 0
        return found


class TestFiles:
    def test_four_that_differ_in_their_name_only(self):
        texts = {name: (ROOT / ".githooks" / name).read_text() for name in HOOKS}
        assert len({text.replace(f"abcd-index {name} ", "").replace(f"={name}\n", "") for name, text in texts.items()}) == 1
        assert all(text.count("\n") <= 10 for text in texts.values()), "what they do stands in common.sh"
        for name, text in texts.items():
            assert f"# >>> abcd-index {name} {VERSION} >>>\n" in text and f"\nabcd_hook={name}\n" in text

    def test_each_is_of_this_version_and_says_so(self):
        for name in (*HOOKS, *TRACKED_HOOKS):
            text = stub(name, "/bin/python3").decode()
            assert f"# >>> abcd-index {name} {VERSION} >>>\n" in text
            said = subprocess.run(["sh", "-c", text], env={**os.environ, "ABCD_INDEX": "ping"}, capture_output=True, text=True)
            assert said.stdout == f"abcd-index {name} {VERSION} /bin/python3\n", said

    def test_one_that_is_installed_needs_no_other_file(self):
        for name in HOOKS:
            text = stub(name, "/bin/python3").decode()
            assert "common.sh" not in text and "abcd_index()" in text

    def test_modes_and_line_ends_are_in_git(self):
        listed = subprocess.run(["git", "ls-files", "-s", "--eol", ".githooks"], cwd=ROOT, capture_output=True, text=True)
        if listed.returncode or not listed.stdout:
            pytest.skip("not a git checkout")
        for line in listed.stdout.splitlines():
            assert line.startswith("100755 ") or "100755" in line, line
            assert "i/lf" in line and "eol=lf" in line, line
        for name in HOOKS:
            assert b"\r" not in (ROOT / ".githooks" / name).read_bytes()

    def test_no_path_but_the_interpreters(self, ground):
        for name in HOOKS:
            text = (ground.root / ".git" / "hooks" / name).read_text()
            paths = set(re.findall(r"(?<![\w.$}\])*])/[A-Za-z][\w./-]*", text)) - {"/dev/null"}
            assert {path for path in paths if str(ground.folder) in path} == set()
            assert f"abcd_python='{sys.executable}'" in text

    @pytest.mark.parametrize("shell", SHELLS)
    def test_any_shell_reads_it(self, shell, tmp_path):
        for name in HOOKS + TRACKED_HOOKS:
            path = tmp_path / name
            path.write_bytes(stub(name, "/usr/bin/it's python"))
            done = subprocess.run([shell, *(["sh"] if shell == "busybox" else []), "-n", str(path)], capture_output=True)
            assert (done.returncode, done.stderr) == (0, b"")

    @pytest.mark.parametrize("shell", [shell for shell in SHELLS if shell != "zsh"])
    def test_any_shell_runs_it(self, ground, shell):
        path = ground.root / ".git" / "hooks" / "post-commit"
        text = path.read_text()
        path.unlink()
        (ground.folder / "hook").write_text(text)
        ground.commit("changed", "a")
        assert ground.state() == "stale"
        run = [shell, *(["sh"] if shell == "busybox" else []), str(ground.folder / "hook")]
        done = subprocess.run(run, cwd=ground.root, env=ground.box.env, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert ground.state() == "current"

    def test_one_that_was_checked_out_with_crlf_is_named(self, ground, tmp_path):
        path = tmp_path / "post-commit"
        path.write_bytes(stub("post-commit", "x").replace(b"\n", b"\r\n"))
        assert HookFile("post-commit", str(path)).crlf


class TestStartsNothing:
    def test_when_no_page_changed(self, ground, starts):
        ground.git("commit", "-q", "--allow-empty", "-m", "x")
        ground.git("checkout", "-q", "-b", "y")
        ground.git("commit", "-q", "--amend", "--allow-empty", "-m", "z")
        ground.git("checkout", "-q", "plain")
        ground.git("checkout", "-q", "--", ".")
        (ground.root / "sub" / "dir" / "file.txt").write_text("other\n")
        ground.git("commit", "-qam", "no page")
        ground.git("merge", "-q", "--no-edit", "y")
        ground.git("rebase", "-q", "main")
        assert starts.count() == 0
        assert ground.state() == "current"

    def test_on_the_second_switch(self, ground, starts):
        ground.git("checkout", "-q", "other")
        assert starts.count() == 1
        ground.git("checkout", "-q", "main")
        assert starts.count() <= 1
        artefacts = ground.artefacts()
        for branch in ("other", "main", "other", "main"):
            ground.git("checkout", "-q", branch)
            assert ground.state() == "current"
            ground.git("commit", "-q", "--allow-empty", "-m", "nothing")
        assert starts.count() == 0
        assert ground.artefacts() == artefacts

    def test_when_a_known_tree_has_a_new_commit(self, ground, starts):
        for branch in ("other", "main", "other"):
            ground.git("checkout", "-q", branch)
        ground.git("checkout", "-q", "-b", "later", "other")
        ground.git("commit", "-q", "--allow-empty", "-m", "same pages, new commit")
        ground.git("checkout", "-q", "main")
        starts.count()
        ground.git("checkout", "-q", "later")
        assert starts.count() == 0
        assert ground.state() == "current"

    def test_when_pages_are_again_what_they_were(self, ground, starts):
        for branch in ("other", "main", "other", "main"):
            ground.git("checkout", "-q", branch)
        starts.count()
        ground.git("merge", "-q", "--no-edit", "plain")
        ground.git("checkout", "-q", "other", "--", ".abcd")
        assert starts.count() == 1
        ground.git("checkout", "-q", "HEAD", "--", ".abcd")
        ground.git("rm", "-qf", ".abcd/memory/c.md")
        starts.count()
        ground.git("reset", "-q", "--hard")
        ground.git("commit", "-q", "--allow-empty", "-m", "x")
        ground.git("checkout", "-q", "-b", "side", "other")
        ground.git("commit", "-q", "--allow-empty", "-m", "x")
        ground.git("rebase", "-q", "--onto", "plain", "main")
        assert ground.state() == "current"
        assert starts.count() <= 1

    def test_per_commit_of_a_rebase(self, ground, starts):
        ground.git("checkout", "-q", "feature")
        starts.count()
        ground.git("rebase", "-q", "other")
        assert starts.count() == 2, "one for where it starts, one for where it ends"
        assert ground.state() == "current"

    def test_in_a_repository_without_a_store(self, ground, starts):
        ground.git("checkout", "-q", "bare")
        shutil.rmtree(ground.root / ".abcd")
        (ground.root / ".git" / "abcd-index" / "stores").unlink()
        starts.count()
        ground.git("commit", "-q", "--allow-empty", "-m", "x")
        ground.git("checkout", "-q", "-b", "n")
        ground.git("worktree", "add", "-q", "../n", "-b", "m")
        assert starts.count() == 0
        assert sorted(os.listdir(ground.root)) == [".git", "readme"]
        assert sorted(os.listdir(ground.folder / "n")) == [".git", "readme"]

    @pytest.mark.parametrize("change", ["commit", "checkout", "merge", "rebase"])
    def test_when_it_is_switched_off(self, ground, starts, change):
        off = {"ABCD_INDEX": "0"}
        ground.write("a", "changed")
        if change == "commit":
            ground.git("commit", "-qam", "x", **off)
        elif change == "checkout":
            ground.git("stash", "-q")
            ground.git("checkout", "-q", "other", **off)
        elif change == "merge":
            ground.git("stash", "-q")
            ground.git("merge", "-q", "--no-edit", "other", **off)
        else:
            ground.git("commit", "-qam", "x", **off)
            ground.git("rebase", "-q", "feature", **off)
        assert starts.count() == 0
        assert ground.state() == "stale"

    def test_of_the_heavy_libraries(self):
        """twenty bare interpreter starts between typer and GitPython"""
        code = "import sys, abcd_index.githooks.run, abcd_index.build.run; print([m for m in ('typer', 'git') if m in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
        assert done.stdout == "[]\n", done.stderr


class TestStillCurrent:
    """What could fool the short cuts."""

    def test_an_edit_that_is_carried_through_a_known_switch(self, ground):
        for branch in ("plain", "main", "plain", "main"):
            ground.git("checkout", "-q", branch)
        ground.write("a", "edited")
        ground.git("checkout", "-q", "plain")
        assert ground.state() == "current"
        ground.git("checkout", "-q", "main")
        assert ground.state() == "current"
        ground.git("checkout", "-q", "--", ".")
        assert ground.state() == "current"

    def test_a_page_that_git_ignores(self, ground):
        (ground.root / ".git" / "info" / "exclude").write_text("secret*.md\n")
        for branch in ("other", "main", "other", "main"):
            ground.git("checkout", "-q", branch)
        ground.write("secret", "ignored")
        ground.git("checkout", "-q", "other")
        assert ground.state() == "current"

    def test_a_staged_edit(self, ground):
        for branch in ("plain", "main", "plain", "main"):
            ground.git("checkout", "-q", branch)
        ground.write("a", "staged")
        ground.git("add", "-A")
        ground.git("checkout", "-q", "plain")
        assert ground.state() == "current"

    def test_an_edit_with_old_times(self, ground):
        """rsync and tar keep times; a new name or a changed folder still shows."""
        ground.write("old", "old")
        os.utime(ground.store / "old.md", (1, 1))
        ground.git("commit", "-q", "--allow-empty", "-m", "x")
        assert ground.state() == "current"

    def test_an_edit_in_place_with_an_old_time(self, ground):
        """`cp -p` over a page and `rsync --inplace -t`: neither the page's time nor the folder's moves."""
        ground.git("commit", "-q", "--allow-empty", "-m", "settle")
        path = ground.store / "a.md"
        path.write_text(path.read_text() + "copied over\n")
        os.utime(path, (1, 1))
        ground.git("commit", "-qam", "x")
        assert ground.state() == "current"

    def test_two_edits_in_the_same_second(self, ground):
        for number in range(4):
            ground.write("a", f"edit {number}")
            ground.git("commit", "-qam", "x")
            assert ground.state() == "current"

    def test_sparse_checkouts(self, ground):
        for branch in ("other", "main", "other", "main"):
            ground.git("checkout", "-q", branch)
        ground.git("sparse-checkout", "set", "--no-cone", "/*", "!/.abcd/memory/b.md")
        assert not (ground.store / "b.md").exists()
        ground.git("checkout", "-q", "other")
        assert ground.state() == "current"
        ground.git("sparse-checkout", "disable")
        assert ground.state() == "stale"
        ground.git("checkout", "-q", "main")
        assert ground.state() == "current"

    def test_an_artefact_that_is_gone(self, ground):
        for branch in ("other", "main"):
            ground.git("checkout", "-q", branch)
        for path in ground.index.glob("*.idx"):
            path.unlink()
        ground.git("checkout", "-q", "other")
        assert ground.state() == "current"
        ground.git("clean", "-fdxq")
        assert ground.state() == "missing"
        ground.git("checkout", "-q", "main")
        assert ground.state() == "current"

    @pytest.mark.parametrize("wound", [b"", b"../../x\n", b"\x00\xff"])
    def test_damaged_notes(self, ground, wound):
        for branch in ("other", "main", "other"):
            ground.git("checkout", "-q", branch)
        notes = [ground.index / name for name in ("current", "git-stamp", "files.json")]
        for branch, path in zip(("main", "other", "main"), notes):
            path.write_bytes(wound)
            ground.git("checkout", "-q", branch)
            assert ground.state() == "current", path.name
        for path in (ground.index / "seen").iterdir():
            path.write_bytes(wound)
        ground.git("checkout", "-q", "other")
        assert ground.state() == "current"

    def test_a_build_by_hand_in_between(self, ground):
        for branch in ("other", "main", "other", "main"):
            ground.git("checkout", "-q", branch)
        ground.write("a", "by hand")
        assert ground.box.cli("build", cwd=ground.root).returncode == 0
        ground.git("commit", "-q", "--allow-empty", "-m", "x")
        assert ground.state() == "current"
        ground.git("checkout", "-q", "--", ".")
        assert ground.state() == "current"

    def test_killed_between_its_two_writes(self, ground):
        for branch in ("other", "main", "other"):
            ground.git("checkout", "-q", branch)
        was = (ground.index / "current").read_text()
        ground.git("-c", "core.hooksPath=/dev/null", "checkout", "-q", "main")
        other = next(p.stem for p in ground.index.glob("*.idx") if p.stem != was.strip())
        (ground.index / "git-stamp").write_text(other + "\n")
        ground.git("commit", "-q", "--allow-empty", "-m", "x")
        assert ground.state() == "current"

    def test_an_edit_that_a_broken_tool_could_not_build(self, ground):
        """What the short cut wrote down before it saw the edit must not hide it afterwards."""
        for branch in ("plain", "main", "plain", "main"):
            ground.git("checkout", "-q", branch)
        ground.write("a", "edited")
        hook = ground.root / ".git" / "hooks" / "post-checkout"
        text = hook.read_text()
        hook.write_text(text.replace("from abcd_index.githooks.run import main", "raise SystemExit(3)"))
        bare = {"ABCD_HOME": str(ground.folder / "no"), "PATH": "/usr/bin:/bin"}
        ground.git("checkout", "-q", "plain", **bare)
        assert ground.state() == "stale"
        hook.write_text(text)
        ground.git("commit", "-q", "--allow-empty", "-m", "x")
        assert ground.state() == "current"

    def test_amending_makes_no_new_artefact(self, ground):
        before = ground.artefacts()
        ground.git("commit", "-q", "--amend", "-m", "other words")
        assert ground.artefacts() == before
