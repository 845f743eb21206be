"""The hooks' stub: what it starts and what it does not, and that nothing it meets ever reaches git."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import os
import re
import shutil
import subprocess
import sys

import pytest
from git_repositories import Repository, artefact_state, page, template, without_hooks  # noqa: F401

from abcd_index.agenthooks.freshness import CONFIG, RULES
from abcd_index.build.scan import observe
from abcd_index.githooks.files import HOOKS, TRACKED_HOOKS, VERSION, HookFile, stub
from abcd_index.scopes import Places, workspace_at
from tests.conftest import ROOT

SHELLS = [shell for shell in ("dash", "bash", "ksh", "mksh", "busybox", "zsh") if shutil.which(shell)]


@pytest.fixture
def repo(template, tmp_path):
    return template.copy(tmp_path / "hooked", "plain", True)


@pytest.fixture
def starts(repo):
    """A list of the times a hook started Python, read from a file that a stand-in interpreter writes."""
    return Starts(repo)


class Starts:
    def __init__(self, repo):
        self.log = repo.folder / "starts"
        fake = repo.folder / "python"
        fake.write_text(f'#!/bin/sh\necho x >>"{self.log}"\nexec "{sys.executable}" "$@"\n')
        fake.chmod(0o755)
        for name in HOOKS:
            path = repo.root / ".git" / "hooks" / name
            path.write_bytes(stub(name, str(fake)))
        # The repo is a copy, so its inodes are new; the first hook looks once, as after any copy.
        repo.git("commit", "-q", "--allow-empty", "-m", "settle")
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
        for name in HOOKS + TRACKED_HOOKS:
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

    def test_no_path_but_the_interpreters(self, repo):
        for name in HOOKS:
            text = (repo.root / ".git" / "hooks" / name).read_text()
            paths = set(re.findall(r"(?<![\w.$}\])*])/[A-Za-z][\w./-]*", text)) - {"/dev/null"}
            assert {path for path in paths if str(repo.folder) in path} == set()
            assert f"abcd_python='{sys.executable}'" in text

    @pytest.mark.parametrize("shell", SHELLS)
    def test_any_shell_reads_it(self, shell, tmp_path):
        for name in HOOKS + TRACKED_HOOKS:
            path = tmp_path / name
            path.write_bytes(stub(name, "/usr/bin/it's python"))
            done = subprocess.run([shell, *(["sh"] if shell == "busybox" else []), "-n", str(path)], capture_output=True)
            assert (done.returncode, done.stderr) == (0, b"")

    @pytest.mark.parametrize("shell", [shell for shell in SHELLS if shell != "zsh"])
    def test_any_shell_runs_it(self, repo, shell):
        path = repo.root / ".git" / "hooks" / "post-commit"
        text = path.read_text()
        path.unlink()
        (repo.folder / "hook").write_text(text)
        repo.commit("changed", "a")
        assert repo.state() == "stale"
        run = [shell, *(["sh"] if shell == "busybox" else []), str(repo.folder / "hook")]
        done = subprocess.run(run, cwd=repo.root, env=repo.sandbox.env, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert repo.state() == "current"

    def test_one_that_was_checked_out_with_crlf_is_named(self, repo, tmp_path):
        path = tmp_path / "post-commit"
        path.write_bytes(stub("post-commit", "x").replace(b"\n", b"\r\n"))
        assert HookFile("post-commit", str(path)).crlf


class TestStartsNothing:
    def test_when_no_page_changed(self, repo, starts):
        repo.git("commit", "-q", "--allow-empty", "-m", "x")
        repo.git("checkout", "-q", "-b", "y")
        repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "z")
        repo.git("checkout", "-q", "plain")
        repo.git("checkout", "-q", "--", ".")
        (repo.root / "sub" / "dir" / "file.txt").write_text("other\n")
        repo.git("commit", "-qam", "no page")
        repo.git("merge", "-q", "--no-edit", "y")
        repo.git("rebase", "-q", "main")
        assert starts.count() == 0
        assert repo.state() == "current"

    def test_on_the_second_switch(self, repo, starts):
        repo.git("checkout", "-q", "other")
        assert starts.count() == 1
        repo.git("checkout", "-q", "main")
        assert starts.count() <= 1
        artefacts = repo.artefacts()
        for branch in ("other", "main", "other", "main"):
            repo.git("checkout", "-q", branch)
            assert repo.state() == "current"
            repo.git("commit", "-q", "--allow-empty", "-m", "nothing")
        assert starts.count() == 0
        assert repo.artefacts() == artefacts

    def test_when_a_known_tree_has_a_new_commit(self, repo, starts):
        for branch in ("other", "main", "other"):
            repo.git("checkout", "-q", branch)
        repo.git("checkout", "-q", "-b", "later", "other")
        repo.git("commit", "-q", "--allow-empty", "-m", "same pages, new commit")
        repo.git("checkout", "-q", "main")
        starts.count()
        repo.git("checkout", "-q", "later")
        assert starts.count() == 0
        assert repo.state() == "current"

    def test_when_pages_are_again_what_they_were(self, repo, starts):
        for branch in ("other", "main", "other", "main"):
            repo.git("checkout", "-q", branch)
        starts.count()
        repo.git("merge", "-q", "--no-edit", "plain")
        repo.git("checkout", "-q", "other", "--", ".abcd")
        assert starts.count() == 1
        repo.git("checkout", "-q", "HEAD", "--", ".abcd")
        repo.git("rm", "-qf", ".abcd/memory/c.md")
        starts.count()
        repo.git("reset", "-q", "--hard")
        repo.git("commit", "-q", "--allow-empty", "-m", "x")
        repo.git("checkout", "-q", "-b", "side", "other")
        repo.git("commit", "-q", "--allow-empty", "-m", "x")
        repo.git("rebase", "-q", "--onto", "plain", "main")
        assert repo.state() == "current"
        assert starts.count() <= 1

    def test_per_commit_of_a_rebase(self, repo, starts):
        repo.git("checkout", "-q", "feature")
        starts.count()
        repo.git("rebase", "-q", "other")
        assert starts.count() == 2, "one for where it starts, one for where it ends"
        assert repo.state() == "current"

    def test_in_a_repository_without_a_store(self, repo, starts):
        repo.git("checkout", "-q", "bare")
        shutil.rmtree(repo.root / ".abcd")
        (repo.root / ".git" / "abcd-index" / "stores").unlink()
        starts.count()
        repo.git("commit", "-q", "--allow-empty", "-m", "x")
        repo.git("checkout", "-q", "-b", "n")
        repo.git("worktree", "add", "-q", "../n", "-b", "m")
        assert starts.count() == 0
        assert sorted(os.listdir(repo.root)) == [".git", "readme"]
        assert sorted(os.listdir(repo.folder / "n")) == [".git", "readme"]

    @pytest.mark.parametrize("change", ["commit", "checkout", "merge", "rebase"])
    def test_when_it_is_switched_off(self, repo, starts, change):
        off = {"ABCD_INDEX": "0"}
        repo.write("a", "changed")
        if change == "commit":
            repo.git("commit", "-qam", "x", **off)
        elif change == "checkout":
            repo.git("stash", "-q")
            repo.git("checkout", "-q", "other", **off)
        elif change == "merge":
            repo.git("stash", "-q")
            repo.git("merge", "-q", "--no-edit", "other", **off)
        else:
            repo.git("commit", "-qam", "x", **off)
            repo.git("rebase", "-q", "feature", **off)
        assert starts.count() == 0
        assert repo.state() == "stale"

    def test_of_the_heavy_libraries(self):
        """twenty bare interpreter starts between typer and GitPython"""
        code = "import sys, abcd_index.githooks.run, abcd_index.build.run; print([m for m in ('typer', 'git') if m in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
        assert done.stdout == "[]\n", done.stderr


class TestStillCurrent:
    """What could fool the short cuts."""

    def test_the_script_looks_at_what_a_build_reads(self, repo):
        """Whether the artefact is current is asked of the same files in the shell and in Python."""
        for name in (RULES, CONFIG):
            (repo.root / ".abcd" / name).write_text("{}")
        read = {name.partition("/")[0] for name in observe(workspace_at(str(repo.root), Places(repo.sandbox.env))).sources}
        assert read == {"memory", RULES, CONFIG}
        script = (ROOT / ".githooks" / "common.sh").read_text()
        for function, variable in (("unchanged", "abcd_home"), ("clean", "1")):
            body = script[script.index(f"\nabcd_{function}() {{"):]
            body = body[:body.index("\n}")]
            assert set(re.findall(rf'"\${variable}/(\w+(?:\.json)?)(?:/\.)?"', body)) == read, function

    @pytest.mark.parametrize("name", ["memory/index.md", "rules.json", "config.json"])
    def test_a_file_beside_the_pages(self, repo, starts, name):
        path = repo.root / ".abcd" / name
        for text in ("{}", "{ }"):
            path.write_text(text)
            repo.git("commit", "-q", "--allow-empty", "-m", "x")
            assert starts.count() == 1, text

    def test_an_edit_that_is_carried_through_a_known_switch(self, repo):
        for branch in ("plain", "main", "plain", "main"):
            repo.git("checkout", "-q", branch)
        repo.write("a", "edited")
        repo.git("checkout", "-q", "plain")
        assert repo.state() == "current"
        repo.git("checkout", "-q", "main")
        assert repo.state() == "current"
        repo.git("checkout", "-q", "--", ".")
        assert repo.state() == "current"

    def test_a_page_that_git_ignores(self, repo):
        (repo.root / ".git" / "info" / "exclude").write_text("secret*.md\n")
        for branch in ("other", "main", "other", "main"):
            repo.git("checkout", "-q", branch)
        repo.write("secret", "ignored")
        repo.git("checkout", "-q", "other")
        assert repo.state() == "current"

    def test_a_staged_edit(self, repo):
        for branch in ("plain", "main", "plain", "main"):
            repo.git("checkout", "-q", branch)
        repo.write("a", "staged")
        repo.git("add", "-A")
        repo.git("checkout", "-q", "plain")
        assert repo.state() == "current"

    def test_an_edit_with_old_times(self, repo):
        """rsync and tar keep times; a new name or a changed folder still shows."""
        repo.write("old", "old")
        os.utime(repo.store / "old.md", (1, 1))
        repo.git("commit", "-q", "--allow-empty", "-m", "x")
        assert repo.state() == "current"

    def test_an_edit_in_place_with_an_old_time(self, repo):
        """`cp -p` over a page and `rsync --inplace -t`: neither the page's time nor the folder's moves."""
        repo.git("commit", "-q", "--allow-empty", "-m", "settle")
        path = repo.store / "a.md"
        path.write_text(path.read_text() + "copied over\n")
        os.utime(path, (1, 1))
        repo.git("commit", "-qam", "x")
        assert repo.state() == "current"

    def test_two_edits_in_the_same_second(self, repo):
        for number in range(4):
            repo.write("a", f"edit {number}")
            repo.git("commit", "-qam", "x")
            assert repo.state() == "current"

    def test_sparse_checkouts(self, repo):
        for branch in ("other", "main", "other", "main"):
            repo.git("checkout", "-q", branch)
        repo.git("sparse-checkout", "set", "--no-cone", "/*", "!/.abcd/memory/b.md")
        assert not (repo.store / "b.md").exists()
        repo.git("checkout", "-q", "other")
        assert repo.state() == "current"
        repo.git("sparse-checkout", "disable")
        assert repo.state() == "stale"
        repo.git("checkout", "-q", "main")
        assert repo.state() == "current"

    def test_an_artefact_that_is_gone(self, repo):
        for branch in ("other", "main"):
            repo.git("checkout", "-q", branch)
        for path in repo.index.glob("*.idx"):
            path.unlink()
        repo.git("checkout", "-q", "other")
        assert repo.state() == "current"
        repo.git("clean", "-fdxq")
        assert repo.state() == "missing"
        repo.git("checkout", "-q", "main")
        assert repo.state() == "current"

    @pytest.mark.parametrize("damage", [b"", b"../../x\n", b"\x00\xff"])
    def test_damaged_notes(self, repo, damage):
        for branch in ("other", "main", "other"):
            repo.git("checkout", "-q", branch)
        notes = [repo.index / name for name in ("current", "git-stamp", "files.json")]
        for branch, path in zip(("main", "other", "main"), notes):
            path.write_bytes(damage)
            repo.git("checkout", "-q", branch)
            assert repo.state() == "current", path.name
        for path in (repo.index / "seen").iterdir():
            path.write_bytes(damage)
        repo.git("checkout", "-q", "other")
        assert repo.state() == "current"

    def test_a_build_by_hand_in_between(self, repo):
        for branch in ("other", "main", "other", "main"):
            repo.git("checkout", "-q", branch)
        repo.write("a", "by hand")
        assert repo.sandbox.cli("build", cwd=repo.root).returncode == 0
        repo.git("commit", "-q", "--allow-empty", "-m", "x")
        assert repo.state() == "current"
        repo.git("checkout", "-q", "--", ".")
        assert repo.state() == "current"

    def test_killed_between_its_two_writes(self, repo):
        for branch in ("other", "main", "other"):
            repo.git("checkout", "-q", branch)
        was = (repo.index / "current").read_text()
        repo.git("-c", "core.hooksPath=/dev/null", "checkout", "-q", "main")
        other = next(p.stem for p in repo.index.glob("*.idx") if p.stem != was.strip())
        (repo.index / "git-stamp").write_text(other + "\n")
        repo.git("commit", "-q", "--allow-empty", "-m", "x")
        assert repo.state() == "current"

    def test_an_edit_that_a_broken_tool_could_not_build(self, repo):
        """What the short cut wrote down before it saw the edit must not hide it afterwards."""
        for branch in ("plain", "main", "plain", "main"):
            repo.git("checkout", "-q", branch)
        repo.write("a", "edited")
        hook = repo.root / ".git" / "hooks" / "post-checkout"
        text = hook.read_text()
        hook.write_text(text.replace("from abcd_index.githooks.run import main", "raise SystemExit(3)"))
        bare = {"ABCD_HOME": str(repo.folder / "no"), "PATH": "/usr/bin:/bin"}
        repo.git("checkout", "-q", "plain", **bare)
        assert repo.state() == "stale"
        hook.write_text(text)
        repo.git("commit", "-q", "--allow-empty", "-m", "x")
        assert repo.state() == "current"

    def test_amending_makes_no_new_artefact(self, repo):
        before = repo.artefacts()
        repo.git("commit", "-q", "--amend", "-m", "other words")
        assert repo.artefacts() == before
