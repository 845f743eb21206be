"""The hooks' stub among broken tools, odd environments and odd repositories: nothing of it ever reaches git."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import os
import shutil
import subprocess
import sys

import pytest
from git_repositories import Repository, artefact_state, page, template, without_hooks  # noqa: F401

from abcd_index.githooks.files import HOOKS, stub
from tests.conftest import ROOT


@pytest.fixture
def repo(template, tmp_path):
    return template.copy(tmp_path / "hooked", "plain", True)


class TestNothingReachesGit:
    BREAK = {
        "no interpreter": lambda g: None,
        "an interpreter that cannot start": lambda g: "#!/bin/sh\necho one >&2\necho two >&2\nexit 1\n",
        "an interpreter that is killed": lambda g: "#!/bin/sh\nkill -9 $$\n",
        "another python": lambda g: f"#!/bin/sh\nshift 3\nexec {sys.executable} -S -E -c 'import abcd_index_gone'\n",
    }

    @pytest.mark.parametrize("kind", BREAK)
    def test_broken_tools(self, repo, kind):
        self.broken(repo, self.BREAK[kind](repo))
        repo.write("a", "changed")
        outs = [repo.git("commit", "-qam", "x"), repo.git("checkout", "-q", "-b", "q"),
                repo.git("checkout", "-q", "other"), repo.git("worktree", "add", "-q", "../w2"),
                repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../origin.git", "sub2")]
        for done in outs:
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert not (repo.folder / "w2" / ".abcd" / ".index").exists()

    def broken(self, repo, text):
        shutil.rmtree(repo.sandbox.user, ignore_errors=True)
        path = repo.folder / "broken-python"
        if text is not None:
            path.write_text(text)
            path.chmod(0o755)
        repo.sandbox.env = {**repo.sandbox.env, "PATH": "/usr/bin:/bin"}
        for name in HOOKS:
            (repo.root / ".git" / "hooks" / name).write_bytes(stub(name, str(path)))

    def test_a_page_that_cannot_be_read(self, repo):
        (repo.store / "bad.md").write_text('---\nname: "unclosed\nrecall: [x\n---\nbody\n')
        repo.git("add", "-A")
        for done in (repo.git("commit", "-qm", "x"), repo.git("checkout", "-q", "-b", "q"),
                     repo.git("worktree", "add", "-q", "../w2"), repo.git("checkout", "-q", "main")):
            assert done.returncode == 0 and len(done.stderr.splitlines()) <= 1
        assert repo.state() == "current"

    def test_an_index_folder_that_cannot_be_made(self, repo):
        shutil.rmtree(repo.index)
        repo.index.write_text("in the way")
        repo.write("a", "changed")
        done = repo.git("commit", "-qam", "x")
        assert done.returncode == 0 and len(done.stderr.splitlines()) == 1
        done = repo.git("checkout", "-q", "-b", "q")
        assert done.returncode == 0 and len(done.stderr.splitlines()) <= 1

    def test_a_bare_environment(self, repo):
        """GUI clients: a short PATH, nothing else, not even HOME."""
        repo.write("a", "changed")
        names = {k: v for k, v in repo.sandbox.env.items() if k.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))}
        env = {"PATH": "/usr/bin:/bin", **names}
        done = subprocess.run(["git", "commit", "-qam", "x"], cwd=repo.root, env=env, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert repo.state() == "current"

    def test_the_recorded_interpreter_is_gone(self, repo):
        """A deleted environment: the one noted in the user's folder takes over."""
        for name in HOOKS:
            (repo.root / ".git" / "hooks" / name).write_bytes(stub(name, "/gone/bin/python"))
        repo.sandbox.env = {**repo.sandbox.env, "PATH": "/usr/bin:/bin"}
        noted = repo.sandbox.user / ".index" / "interpreter"
        noted.parent.mkdir(parents=True, exist_ok=True)
        noted.write_bytes(sys.executable.encode() + b"\r\n")
        repo.commit("changed", "a")
        assert repo.state() == "current"

    def test_the_files_of_a_checkout_used_as_they_are(self, repo):
        """core.hooksPath may name .githooks itself, in which no interpreter is written down."""
        noted = repo.sandbox.user / ".index" / "interpreter"
        noted.parent.mkdir(parents=True, exist_ok=True)
        noted.write_text(sys.executable + "\n")
        repo.git("config", "core.hooksPath", str(ROOT / ".githooks"))
        repo.commit("changed", "a")
        assert repo.state() == "current"

    def test_the_program_on_path(self, repo):
        if not shutil.which("abcd-index", path=os.path.dirname(sys.executable)):
            pytest.skip("abcd-index is not installed beside this interpreter")
        for name in HOOKS:
            (repo.root / ".git" / "hooks" / name).write_bytes(stub(name, ""))
        shutil.rmtree(repo.sandbox.user, ignore_errors=True)
        repo.commit("changed", "a")
        assert repo.state() == "current"

    def test_nothing_a_branch_brings_is_run(self, repo):
        """A checked-out branch must not be able to have its code run by our hook."""
        repo.git("checkout", "-q", "-b", "evil")
        mark = repo.folder / "pwned"
        evil = f"open({str(mark)!r}, 'w')\n"
        for name in ("abcd_index/__init__.py", "abcd_index/githooks/run.py", "orjson.py", "frontmatter.py", "yaml.py",
                     "sitecustomize.py", "os.py", "json.py", ".abcd/memory/abcd_index.py"):
            path = repo.root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(evil)
        (repo.root / ".githooks").mkdir()
        hook = repo.root / ".githooks" / "post-checkout"
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
        repo.commit("evil", "e")
        repo.git("checkout", "-q", "main")
        repo.git("checkout", "-q", "evil", PYTHONPATH=".")
        assert repo.state() == "current"
        assert not mark.exists()

    def test_git_waits_for_nothing(self, repo):
        """A child that keeps stderr open would make `out=$(git commit 2>&1)` wait for it."""
        repo.write("a", "changed")
        script = 'out=$(git commit -qam x 2>&1); printf "[%s]" "$out"'
        done = subprocess.run(["sh", "-c", script], cwd=repo.root, env=repo.sandbox.env, capture_output=True, text=True)
        assert done.stdout == "[]"
        assert repo.state() == "current"


class TestEnvironment:
    """Kind A of the reports: what git exports into hooks."""

    def test_a_linked_worktree_from_a_sub_directory(self, template, tmp_path):
        g = template.copy(tmp_path / "t", "linked", True)
        (g.root / "d").mkdir()
        main = (g.folder / "r" / ".abcd" / ".index" / "current").read_text()
        g.write("a", "of the worktree")
        git_dir = g.out("rev-parse", "--absolute-git-dir")
        done = g.sandbox.cli("build", cwd=g.root / "d", env={**g.sandbox.env, "GIT_DIR": git_dir})
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
            done = g.sandbox.cli(command, cwd=g.root, env={**g.sandbox.env, "GIT_INDEX_FILE": str(foreign)})
            assert done.returncode in (0, 1), done.stderr
        assert (foreign.read_bytes(), own.read_bytes()) == before
        assert g.state() == "current"

    def test_a_commit_from_a_temporary_index(self, repo):
        temporary = repo.folder / "tmp-index"
        shutil.copy(repo.root / ".git" / "index", temporary)
        repo.write("a", "changed")
        repo.git("add", "-A", GIT_INDEX_FILE=str(temporary))
        repo.git("commit", "-qm", "x", GIT_INDEX_FILE=str(temporary))
        assert repo.state() == "current"
        repo.git("reset", "-q")
        repo.git("checkout", "-q", "other")
        repo.git("checkout", "-q", "main")
        assert repo.state() == "current"

    def test_a_work_tree_away_from_its_repository(self, template, tmp_path):
        sandbox = template.sandbox
        home, bare = tmp_path / "h", tmp_path / "d.git"
        sandbox.run("git", "init", "-q", "--bare", bare, cwd=tmp_path)
        sandbox.run("git", "config", "core.bare", "false", cwd=bare)
        sandbox.pages(home, {"a.md": page("a")})
        env = {**sandbox.env, "GIT_DIR": str(bare), "GIT_WORK_TREE": str(home)}
        assert sandbox.cli("install", cwd=home, env=env).returncode == 0
        sandbox.pages(home, {"a.md": page("a", "changed")})
        sandbox.run("git", "add", "-A", cwd=home, env=env)
        done = sandbox.run("git", "commit", "-qm", "x", cwd=home, env=env)
        assert done.stderr == "" and artefact_state(home, sandbox.env) == "current"
        assert sandbox.cli("verify", "--require-artefact", "--scope", "workspace", cwd=home, env=env).returncode == 0

    def test_configuration_that_comes_with_the_command(self, repo):
        repo.write("a", "changed")
        repo.git("-c", f"safe.directory={repo.root}", "commit", "-qam", "x", GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
        assert repo.state() == "current"

    def test_a_git_dir_given_by_a_relative_path(self, repo):
        repo.write("a", "changed")
        repo.git("--git-dir=.git", "commit", "-qam", "x")
        assert repo.state() == "current"
        repo.git("--git-dir=.git", "--work-tree=.", "checkout", "-q", "other")
        assert repo.state() == "current"

    def test_an_index_that_is_locked(self, repo):
        lock = repo.root / ".git" / "index.lock"
        lock.write_text("")
        repo.write("a", "changed")
        done = repo.sandbox.cli("build", cwd=repo.root)
        assert done.returncode == 0 and repo.state() == "current"
        before = (repo.root / ".git" / "index").stat()
        for path in repo.store.iterdir():
            os.utime(path)
        lock.unlink()
        assert repo.sandbox.cli("verify", cwd=repo.root).returncode in (0, 1)
        after = (repo.root / ".git" / "index").stat()
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

    def park(self, repo, extra=""):
        hook = repo.root / ".git" / "hooks" / "pre-commit"
        hook.write_text(f"#!/bin/sh\ngit diff >p\n{extra}git checkout -q -- .\ngit apply p\nexit 1\n")
        hook.chmod(0o755)
        repo.write("a", "not staged")
        (repo.root / "sub" / "dir" / "file.txt").write_text("staged")
        repo.git("add", "sub")
        assert repo.sandbox.cli("build", cwd=repo.root).returncode == 0
        done = repo.git("commit", "-qm", "x", check=False)
        assert done.returncode == 1 and done.stderr == ""

    @pytest.mark.parametrize("extra", ["", "export _PRE_COMMIT_SKIP_POST_CHECKOUT=1; unset GIT_INDEX_FILE\n"])
    def test_the_parked_state_is_not_left_as_current(self, repo, extra):
        self.park(repo, extra)
        assert repo.state() == "current"


class TestKindsOfRepositories:
    def install(self, sandbox, root):
        done = sandbox.cli("install", "--root", root, cwd=root)
        assert done.returncode == 0, done.stdout + done.stderr

    def test_sha256(self, sandbox):
        root = sandbox.tmp / "r"
        done = sandbox.run("git", "init", "-q", "--object-format=sha256", root, check=False)
        if done.returncode:
            pytest.skip(f"this git has no sha256 repositories: {done.stderr}")
        sandbox.pages(root, {"a.md": page("a")})
        self.install(sandbox, root)
        g = Repository(sandbox, sandbox.tmp, root)
        g.commit("first", "b")
        g.git("checkout", "-q", "-b", "x")
        g.commit("second", "c")
        for branch in ("main", "x", "main", "x"):
            g.git("checkout", "-q", branch)
            assert g.state() == "current"

    @pytest.mark.parametrize("index", [("--index-version", "4"), ("--split-index",), ("--untracked-cache",)])
    def test_forms_of_the_index(self, repo, index):
        repo.git("update-index", *index)
        repo.commit("changed", "a")
        assert repo.state() == "current"
        assert repo.sandbox.cli("status", cwd=repo.root).returncode == 0

    def test_unborn(self, sandbox):
        root = sandbox.tmp / "r"
        sandbox.run("git", "init", "-q", root)
        sandbox.pages(root, {"a.md": page("a")})
        self.install(sandbox, root)
        g = Repository(sandbox, sandbox.tmp, root)
        g.commit("root", "b")
        assert g.state() == "current"
        for command in ("verify", "status", "build"):
            assert "Traceback" not in sandbox.cli(command, cwd=root).stderr

    def test_a_bare_repository_with_worktrees(self, template, tmp_path):
        sandbox = template.sandbox
        bare = tmp_path / "b.git"
        sandbox.run("git", "clone", "-q", "--bare", template.folder / "origin.git", bare, cwd=tmp_path)
        sandbox.run("git", "worktree", "add", "-q", tmp_path / "w", "other", cwd=bare)
        self.install(sandbox, tmp_path / "w")
        assert sandbox.run("git", "config", "core.bare", cwd=bare).stdout == "true\n"
        sandbox.run("git", "worktree", "add", "-q", tmp_path / "w2", "feature", cwd=bare)
        assert artefact_state(tmp_path / "w2", sandbox.env) == "current"
        assert sorted(os.listdir(bare)) == sorted({*os.listdir(bare)} - {".abcd"})

    def test_a_clone_with_a_template(self, template, tmp_path):
        sandbox = template.sandbox
        hooks = tmp_path / "t" / "hooks"
        hooks.mkdir(parents=True)
        for name in HOOKS:
            (hooks / name).write_bytes(stub(name, sys.executable))
            (hooks / name).chmod(0o755)
        for options in ((), ("--depth", "1"), ("-b", "other"), ("--recurse-submodules",)):
            target = tmp_path / "-".join(("c", *options)).replace("--", "")
            done = sandbox.run("git", "clone", "-q", f"--template={tmp_path / 't'}", *options,
                           f"file://{template.folder / 'origin.git'}", target, cwd=tmp_path)
            assert done.stderr == ""
            assert artefact_state(target, sandbox.env) == "current", options
            assert sandbox.run("git", "status", "--short", cwd=target).stdout == ""

    def test_new_worktrees(self, repo):
        for options in (("-b", "n1"), ("--detach",), ("-b", "n2", "other")):
            target = repo.folder / "-".join(options).strip("-")
            repo.git("worktree", "add", "-q", str(target), *options[:2], *options[2:])
            assert repo.state(target) == "current"
            repo.git("worktree", "remove", str(target))
            assert not target.exists(), "what we wrote does not keep a worktree from being removed"

    def test_the_index_folder_is_never_seen(self, repo):
        repo.git("stash", "-q", "-u", check=False)
        repo.git("checkout", "-q", "other")
        repo.git("add", "-A")
        assert repo.out("status", "--short") == ""
        assert repo.out("clean", "-nd") == ""
        repo.git("checkout", "-q", "bare")
        assert repo.out("status", "--short") == ""

    def test_with_the_hooks_gone_nothing_is_left_to_do(self, template, tmp_path):
        g = template.copy(tmp_path / "t", "plain", False)
        without_hooks(g.root / ".git")
        g.commit("changed", "a")
        assert g.state() == "stale"
