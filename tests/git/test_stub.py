"""The hooks' stub: what it starts and what it does not, and that nothing it meets ever reaches git."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import os
import re
import shutil
import subprocess
import sys

import pytest
from git_ground import Ground, artefact_state, page, template, without_hooks  # noqa: F401

from abcd_index.git.hooks import HOOKS, TRACKED_HOOKS, VERSION, HookFile, stub
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
        fake.write_text(f'#!/bin/sh\necho x >>{self.log}\nexec {sys.executable} "$@"\n')
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
        for name, text in texts.items():
            assert f"# >>> abcd-index {name} {VERSION} >>>\n" in text and f"\nabcd_hook={name}\n" in text

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
        code = "import sys, abcd_index.git_hook, abcd_index.build.run; print([m for m in ('typer', 'git') if m in sys.modules])"
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
        hook.write_text(text.replace("from abcd_index.git_hook import main", "raise SystemExit(3)"))
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


class TestNothingReachesGit:
    BREAK = {
        "no interpreter": lambda g: None,
        "an interpreter that cannot start": lambda g: "#!/bin/sh\necho one >&2\necho two >&2\nexit 1\n",
        "an interpreter that is killed": lambda g: "#!/bin/sh\nkill -9 $$\n",
        "another python": lambda g: f"#!/bin/sh\nshift 3\nexec {sys.executable} -S -E -c 'import abcd_index_gone'\n",
    }

    @pytest.mark.parametrize("kind", BREAK)
    def test_broken_tools(self, ground, kind):
        self.broken(ground, self.BREAK[kind](ground))
        ground.write("a", "changed")
        outs = [ground.git("commit", "-qam", "x"), ground.git("checkout", "-q", "-b", "q"),
                ground.git("checkout", "-q", "other"), ground.git("worktree", "add", "-q", "../w2"),
                ground.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../origin.git", "sub2")]
        for done in outs:
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert not (ground.folder / "w2" / ".abcd" / ".index").exists()

    def broken(self, ground, text):
        shutil.rmtree(ground.box.user, ignore_errors=True)
        path = ground.folder / "broken-python"
        if text is not None:
            path.write_text(text)
            path.chmod(0o755)
        ground.box.env = {**ground.box.env, "PATH": "/usr/bin:/bin"}
        for name in HOOKS:
            (ground.root / ".git" / "hooks" / name).write_bytes(stub(name, str(path)))

    def test_a_page_that_cannot_be_read(self, ground):
        (ground.store / "bad.md").write_text('---\nname: "unclosed\nrecall: [x\n---\nbody\n')
        ground.git("add", "-A")
        for done in (ground.git("commit", "-qm", "x"), ground.git("checkout", "-q", "-b", "q"),
                     ground.git("worktree", "add", "-q", "../w2"), ground.git("checkout", "-q", "main")):
            assert done.returncode == 0 and len(done.stderr.splitlines()) <= 1
        assert ground.state() == "current"

    def test_an_index_folder_that_cannot_be_made(self, ground):
        shutil.rmtree(ground.index)
        ground.index.write_text("in the way")
        ground.write("a", "changed")
        done = ground.git("commit", "-qam", "x")
        assert done.returncode == 0 and len(done.stderr.splitlines()) == 1
        done = ground.git("checkout", "-q", "-b", "q")
        assert done.returncode == 0 and len(done.stderr.splitlines()) <= 1

    def test_a_bare_environment(self, ground):
        """GUI clients: a short PATH, nothing else, not even HOME."""
        ground.write("a", "changed")
        names = {k: v for k, v in ground.box.env.items() if k.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))}
        env = {"PATH": "/usr/bin:/bin", **names}
        done = subprocess.run(["git", "commit", "-qam", "x"], cwd=ground.root, env=env, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert ground.state() == "current"

    def test_the_recorded_interpreter_is_gone(self, ground):
        """A deleted environment: the one noted in the user's folder takes over."""
        for name in HOOKS:
            (ground.root / ".git" / "hooks" / name).write_bytes(stub(name, "/gone/bin/python"))
        ground.box.env = {**ground.box.env, "PATH": "/usr/bin:/bin"}
        noted = ground.box.user / ".index" / "interpreter"
        noted.parent.mkdir(parents=True, exist_ok=True)
        noted.write_bytes(sys.executable.encode() + b"\r\n")
        ground.commit("changed", "a")
        assert ground.state() == "current"

    def test_the_files_of_a_checkout_used_as_they_are(self, ground):
        """core.hooksPath may name .githooks itself, in which no interpreter is written down."""
        noted = ground.box.user / ".index" / "interpreter"
        noted.parent.mkdir(parents=True, exist_ok=True)
        noted.write_text(sys.executable + "\n")
        ground.git("config", "core.hooksPath", str(ROOT / ".githooks"))
        ground.commit("changed", "a")
        assert ground.state() == "current"

    def test_the_program_on_path(self, ground):
        if not shutil.which("abcd-index", path=os.path.dirname(sys.executable)):
            pytest.skip("abcd-index is not installed beside this interpreter")
        for name in HOOKS:
            (ground.root / ".git" / "hooks" / name).write_bytes(stub(name, ""))
        shutil.rmtree(ground.box.user, ignore_errors=True)
        ground.commit("changed", "a")
        assert ground.state() == "current"

    def test_nothing_a_branch_brings_is_run(self, ground):
        """A checked-out branch must not be able to have its code run by our hook."""
        ground.git("checkout", "-q", "-b", "evil")
        mark = ground.folder / "pwned"
        evil = f"open({str(mark)!r}, 'w')\n"
        for name in ("abcd_index/__init__.py", "abcd_index/git_hook.py", "orjson.py", "frontmatter.py", "yaml.py",
                     "sitecustomize.py", "os.py", "json.py", ".abcd/memory/abcd_index.py"):
            path = ground.root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(evil)
        (ground.root / ".githooks").mkdir()
        hook = ground.root / ".githooks" / "post-checkout"
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
        ground.commit("evil", "e")
        ground.git("checkout", "-q", "main")
        ground.git("checkout", "-q", "evil", PYTHONPATH=".")
        assert ground.state() == "current"
        assert not mark.exists()

    def test_git_waits_for_nothing(self, ground):
        """A child that keeps stderr open would make `out=$(git commit 2>&1)` wait for it."""
        ground.write("a", "changed")
        script = 'out=$(git commit -qam x 2>&1); printf "[%s]" "$out"'
        done = subprocess.run(["sh", "-c", script], cwd=ground.root, env=ground.box.env, capture_output=True, text=True)
        assert done.stdout == "[]"
        assert ground.state() == "current"


class TestEnvironment:
    """Kind A of the reports: what git exports into hooks."""

    def test_a_linked_worktree_from_a_sub_directory(self, template, tmp_path):
        g = template.copy(tmp_path / "t", "linked", True)
        (g.root / "d").mkdir()
        main = (g.folder / "r" / ".abcd" / ".index" / "current").read_text()
        g.write("a", "of the worktree")
        git_dir = g.out("rev-parse", "--absolute-git-dir")
        done = g.box.cli("build", cwd=g.root / "d", env={**g.box.env, "GIT_DIR": git_dir})
        assert done.returncode == 0 and g.state() == "current"
        assert (g.folder / "r" / ".abcd" / ".index" / "current").read_text() == main

    def test_the_shared_configuration_and_both_indexes_stay(self, template, tmp_path):
        g = template.copy(tmp_path / "t", "linked", True)
        config = g.folder / "r" / ".git" / "config"
        index = g.folder / "r" / ".git" / "index"
        before = config.read_bytes(), index.read_bytes()
        g.write("a", "changed")
        g.git("commit", "-qam", "x")
        g.git("checkout", "-q", "-b", "z")
        assert (config.read_bytes(), index.read_bytes()) == before
        assert g.out("status", "--short") == "" and g.state() == "current"

    def test_a_foreign_index(self, template, tmp_path):
        g = template.copy(tmp_path / "t", "linked", True)
        foreign = g.folder / "r" / ".git" / "index"
        own = g.folder / "r" / ".git" / "worktrees" / "w" / "index"
        before = foreign.read_bytes(), own.read_bytes()
        for command in ("build", "verify", "status"):
            done = g.box.cli(command, cwd=g.root, env={**g.box.env, "GIT_INDEX_FILE": str(foreign)})
            assert done.returncode in (0, 1), done.stderr
        assert (foreign.read_bytes(), own.read_bytes()) == before
        assert g.state() == "current"

    def test_a_commit_from_a_temporary_index(self, ground):
        temporary = ground.folder / "tmp-index"
        shutil.copy(ground.root / ".git" / "index", temporary)
        ground.write("a", "changed")
        ground.git("add", "-A", GIT_INDEX_FILE=str(temporary))
        ground.git("commit", "-qm", "x", GIT_INDEX_FILE=str(temporary))
        assert ground.state() == "current"
        ground.git("reset", "-q")
        ground.git("checkout", "-q", "other")
        ground.git("checkout", "-q", "main")
        assert ground.state() == "current"

    def test_a_work_tree_away_from_its_repository(self, template, tmp_path):
        box = template.box
        home, bare = tmp_path / "h", tmp_path / "d.git"
        box.run("git", "init", "-q", "--bare", bare, cwd=tmp_path)
        box.run("git", "config", "core.bare", "false", cwd=bare)
        box.pages(home, {"a.md": page("a")})
        env = {**box.env, "GIT_DIR": str(bare), "GIT_WORK_TREE": str(home)}
        assert box.cli("install", cwd=home, env=env).returncode == 0
        box.pages(home, {"a.md": page("a", "changed")})
        box.run("git", "add", "-A", cwd=home, env=env)
        done = box.run("git", "commit", "-qm", "x", cwd=home, env=env)
        assert done.stderr == "" and artefact_state(home, box.env) == "current"
        assert box.cli("verify", "--require-artefact", "--scope", "workspace", cwd=home, env=env).returncode == 0

    def test_configuration_that_comes_with_the_command(self, ground):
        ground.write("a", "changed")
        ground.git("-c", f"safe.directory={ground.root}", "commit", "-qam", "x", GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
        assert ground.state() == "current"

    def test_a_git_dir_given_by_a_relative_path(self, ground):
        ground.write("a", "changed")
        ground.git("--git-dir=.git", "commit", "-qam", "x")
        assert ground.state() == "current"
        ground.git("--git-dir=.git", "--work-tree=.", "checkout", "-q", "other")
        assert ground.state() == "current"

    def test_an_index_that_is_locked(self, ground):
        lock = ground.root / ".git" / "index.lock"
        lock.write_text("")
        ground.write("a", "changed")
        done = ground.box.cli("build", cwd=ground.root)
        assert done.returncode == 0 and ground.state() == "current"
        before = (ground.root / ".git" / "index").stat()
        for path in ground.store.iterdir():
            os.utime(path)
        lock.unlink()
        assert ground.box.cli("verify", cwd=ground.root).returncode in (0, 1)
        after = (ground.root / ".git" / "index").stat()
        assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)

    def test_rebasing_is_asked_from_git(self, template, tmp_path):
        """Where .git is a file the state of a rebase is elsewhere."""
        for kind in ("linked", "submodule"):
            g = template.copy(tmp_path / kind, kind, True)
            g.git("checkout", "-q", "feature")
            before = len(g.artefacts())
            g.git("rebase", "-q", "other")
            assert g.state() == "current"
            assert len(g.artefacts()) == before + 2


class TestNested:
    """A checkout within a commit: a framework parks what is not staged, then puts it back."""

    def park(self, ground, extra=""):
        hook = ground.root / ".git" / "hooks" / "pre-commit"
        hook.write_text(f"#!/bin/sh\ngit diff >p\n{extra}git checkout -q -- .\ngit apply p\nexit 1\n")
        hook.chmod(0o755)
        ground.write("a", "not staged")
        (ground.root / "sub" / "dir" / "file.txt").write_text("staged")
        ground.git("add", "sub")
        assert ground.box.cli("build", cwd=ground.root).returncode == 0
        done = ground.git("commit", "-qm", "x", check=False)
        assert done.returncode == 1 and done.stderr == ""

    @pytest.mark.parametrize("extra", ["", "export _PRE_COMMIT_SKIP_POST_CHECKOUT=1; unset GIT_INDEX_FILE\n"])
    def test_the_parked_state_is_not_left_as_current(self, ground, extra):
        self.park(ground, extra)
        assert ground.state() == "current"


class TestKindsOfRepositories:
    def install(self, box, root):
        done = box.cli("install", "--root", root, cwd=root)
        assert done.returncode == 0, done.stdout + done.stderr

    def test_sha256(self, box):
        root = box.tmp / "r"
        done = box.run("git", "init", "-q", "--object-format=sha256", root, check=False)
        if done.returncode:
            pytest.skip(f"this git has no sha256 repositories: {done.stderr}")
        box.pages(root, {"a.md": page("a")})
        self.install(box, root)
        g = Ground(box, box.tmp, root)
        g.commit("first", "b")
        g.git("checkout", "-q", "-b", "x")
        g.commit("second", "c")
        for branch in ("main", "x", "main", "x"):
            g.git("checkout", "-q", branch)
            assert g.state() == "current"

    @pytest.mark.parametrize("index", [("--index-version", "4"), ("--split-index",), ("--untracked-cache",)])
    def test_forms_of_the_index(self, ground, index):
        ground.git("update-index", *index)
        ground.commit("changed", "a")
        assert ground.state() == "current"
        assert ground.box.cli("status", cwd=ground.root).returncode == 0

    def test_unborn(self, box):
        root = box.tmp / "r"
        box.run("git", "init", "-q", root)
        box.pages(root, {"a.md": page("a")})
        self.install(box, root)
        g = Ground(box, box.tmp, root)
        g.commit("root", "b")
        assert g.state() == "current"
        for command in ("verify", "status", "build"):
            assert "Traceback" not in box.cli(command, cwd=root).stderr

    def test_a_bare_repository_with_worktrees(self, template, tmp_path):
        box = template.box
        bare = tmp_path / "b.git"
        box.run("git", "clone", "-q", "--bare", template.folder / "origin.git", bare, cwd=tmp_path)
        box.run("git", "worktree", "add", "-q", tmp_path / "w", "other", cwd=bare)
        self.install(box, tmp_path / "w")
        assert box.run("git", "config", "core.bare", cwd=bare).stdout == "true\n"
        box.run("git", "worktree", "add", "-q", tmp_path / "w2", "feature", cwd=bare)
        assert artefact_state(tmp_path / "w2", box.env) == "current"
        assert sorted(os.listdir(bare)) == sorted({*os.listdir(bare)} - {".abcd"})

    def test_a_clone_with_a_template(self, template, tmp_path):
        box = template.box
        hooks = tmp_path / "t" / "hooks"
        hooks.mkdir(parents=True)
        for name in HOOKS:
            (hooks / name).write_bytes(stub(name, sys.executable))
            (hooks / name).chmod(0o755)
        for options in ((), ("--depth", "1"), ("-b", "other"), ("--recurse-submodules",)):
            target = tmp_path / "-".join(("c", *options)).replace("--", "")
            done = box.run("git", "clone", "-q", f"--template={tmp_path / 't'}", *options,
                           f"file://{template.folder / 'origin.git'}", target, cwd=tmp_path)
            assert done.stderr == ""
            assert artefact_state(target, box.env) == "current", options
            assert box.run("git", "status", "--short", cwd=target).stdout == ""

    def test_new_worktrees(self, ground):
        for options in (("-b", "n1"), ("--detach",), ("-b", "n2", "other")):
            target = ground.folder / "-".join(options).strip("-")
            ground.git("worktree", "add", "-q", str(target), *options[:2], *options[2:])
            assert ground.state(target) == "current"
            ground.git("worktree", "remove", str(target))
            assert not target.exists(), "what we wrote does not keep a worktree from being removed"

    def test_the_index_folder_is_never_seen(self, ground):
        ground.git("stash", "-q", "-u", check=False)
        ground.git("checkout", "-q", "other")
        ground.git("add", "-A")
        assert ground.out("status", "--short") == ""
        assert ground.out("clean", "-nd") == ""
        ground.git("checkout", "-q", "bare")
        assert ground.out("status", "--short") == ""

    def test_with_the_hooks_gone_nothing_is_left_to_do(self, template, tmp_path):
        g = template.copy(tmp_path / "t", "plain", False)
        without_hooks(g.root / ".git")
        g.commit("changed", "a")
        assert g.state() == "stale"
