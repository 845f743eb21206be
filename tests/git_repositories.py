"""Repositories to run git in, each twice: with our hooks and without, so that the two can be compared.

One template is made per test session and copied for every test; dates are fixed, so that the same
commands make the same commits in both.
"""

import copy
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from abcd_index.build.scan import observe
from abcd_index.githooks.files import HOOKS
from abcd_index.scopes import Places, workspace_at
from tests.conftest import Sandbox

PAGE = "---\nname: {0}\nrecall: [{0}]\n---\n# {0}\n\n{1}\n"


def page(name, text="text"):
    """The bytes of a page."""
    return PAGE.format(name, text)


class Repository:
    """A work tree: ``root`` is its top, ``cwd`` where git is run, ``env`` sealed."""

    def __init__(self, sandbox, folder, root, cwd=None):
        self.sandbox = sandbox
        self.folder = folder
        self.root = root
        self.cwd = cwd or root
        self.store = root / ".abcd" / "memory"
        self.index = root / ".abcd" / ".index"
        self.said = []

    def git(self, *args, check=True, data=None, **env):
        """Run git; what it printed and its status go to ``said``."""
        done = subprocess.run(["git", *args], cwd=self.cwd, env={**self.sandbox.env, **env}, input=data,
                              capture_output=True, timeout=60, text=True)
        self.said.append((args, done.returncode, self.plain(done.stdout), self.plain(done.stderr)))
        if check and done.returncode:
            raise AssertionError(f"git {args} -> {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def out(self, *args):
        """What git prints, without a trace in ``said``."""
        return self.sandbox.run("git", *args, cwd=self.cwd).stdout.strip()

    def plain(self, text):
        """``text`` without the folder that differs between the twins."""
        return text.replace(os.path.realpath(self.folder), "<F>").replace(str(self.folder), "<F>")

    def write(self, name, text):
        """Write a page; ``name`` without ``.md``."""
        self.store.mkdir(parents=True, exist_ok=True)
        (self.store / f"{name}.md").write_text(page(name, text), encoding="utf-8")

    def commit(self, message, *names, text=None):
        """Write pages and commit them."""
        for name in names:
            self.write(name, text or message)
        self.git("add", "-A", ":/")
        self.git("commit", "-qm", message)

    def state(self, root=None):
        """current, stale or missing: the artefact against what is on disk, recomputed."""
        return artefact_state(root or self.root, self.sandbox.env)

    def artefacts(self):
        """The names of the artefacts that are there."""
        return sorted(path.name for path in self.index.glob("*.idx"))

    def facts(self):
        """What must not depend on our hooks: commits, index, work tree, configuration."""
        config = Path(self.out("rev-parse", "--git-common-dir"))
        config = (self.cwd / config / "config").read_text()
        head = self.sandbox.run("git", "rev-parse", "HEAD", cwd=self.cwd, check=False).stdout
        return {
            "head": head,
            "branches": self.out("for-each-ref", "--format=%(refname) %(objectname)"),
            "status": self.out("status", "--porcelain", "-uall"),
            "index": self.out("ls-files", "-s"),
            "stash": self.out("stash", "list"),
            "config": self.plain(config),
        }


def artefact_state(root, env):
    """current, stale or missing. Hashes every file anew and believes no sidecar."""
    scope = workspace_at(str(root), Places(env))
    observed = observe(scope, trust=False)
    settings, _ = observed.settings()
    key = observed.key(settings)
    try:
        current = (Path(scope.index) / "current").read_text().strip()
    except OSError:
        return "missing"
    if not (Path(scope.index) / f"{current}.idx").exists():
        return "missing"
    return "current" if current == key else "stale"


def without_hooks(git_dir):
    """Take our hooks out of a copied repository."""
    for name in HOOKS:
        for path in (git_dir / "hooks" / name, git_dir / "abcd-index" / name):
            if path.exists():
                path.unlink()


class Template:
    """The repository that every test starts from, a bare one beside it to pull from, and a superproject."""

    def __init__(self, folder):
        self.sandbox = Sandbox(folder)
        self.sandbox.env.update(GIT_AUTHOR_DATE="2024-01-02T03:04:05Z", GIT_COMMITTER_DATE="2024-01-02T03:04:05Z")
        self.folder = self.sandbox.tmp / "template"
        self.folder.mkdir()
        self._repository()
        self._superproject()

    def _repository(self):
        root = self.folder / "r"
        root.mkdir()
        repo = Repository(self.sandbox, self.folder, root)
        repo.git("init", "-q")
        (root / "sub" / "dir").mkdir(parents=True)
        (root / "sub" / "dir" / "file.txt").write_text("1\n")
        repo.commit("base", "a", "b")
        repo.git("tag", "v1")
        for branch, steps in {
            "other": [("other one", "a", "c")],
            "clash": [("clash one", "a")],
            "feature": [("f1", "p1"), ("f2", "p2"), ("f3", "p3")],
        }.items():
            repo.git("checkout", "-q", "-b", branch, "main")
            for step in steps:
                repo.commit(*step)
        repo.git("checkout", "-q", "-b", "plain", "main")
        (root / "sub" / "dir" / "file.txt").write_text("2\n")
        repo.git("commit", "-qam", "plain")
        repo.git("checkout", "-q", "--orphan", "bare")
        repo.git("rm", "-qrf", ".")
        (root / "readme").write_text("nothing here\n")
        repo.git("add", "readme")
        repo.git("commit", "-qm", "no store")
        repo.git("checkout", "-q", "main")
        repo.git("branch", "ahead")
        repo.git("checkout", "-q", "ahead")
        repo.commit("ahead", "ahead")
        repo.git("checkout", "-q", "main")
        self.sandbox.run("git", "clone", "-q", "--bare", str(root), str(self.folder / "origin.git"), cwd=self.folder)
        repo.git("remote", "add", "origin", "../origin.git")
        repo.git("fetch", "-q")
        repo.git("branch", "-q", "--set-upstream-to=origin/ahead", "main")
        (root / "sub" / "dir" / "more").mkdir()
        (root / "sub" / "dir" / "more" / "x").write_text("x\n")
        repo.git("add", "-A")
        repo.git("commit", "-qm", "main moves on")
        self._install(root)

    def _superproject(self):
        above = self.folder / "super"
        above.mkdir()
        self.sandbox.run("git", "init", "-q", cwd=above)
        self.sandbox.run("git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../r", "lib", cwd=above)
        self.sandbox.run("git", "commit", "-qm", "super", cwd=above)
        lib = above / "lib"
        for branch in ("other", "clash", "feature", "plain", "bare", "ahead"):
            self.sandbox.run("git", "branch", "-q", branch, f"origin/{branch}", cwd=lib)
        self.sandbox.run("git", "remote", "set-url", "origin", "../../origin.git", cwd=lib)
        self.sandbox.run("git", "fetch", "-q", cwd=lib)
        self.sandbox.run("git", "branch", "-q", "--set-upstream-to=origin/ahead", "main", cwd=lib)
        self._install(lib)

    def _install(self, root):
        done = self.sandbox.cli("install", "--root", root, cwd=self.folder)
        assert done.returncode == 0, done.stdout + done.stderr
        shutil.rmtree(root / ".claude")
        assert artefact_state(root, self.sandbox.env) == "current"

    def copy(self, folder, kind, hooked):
        """A Repository of ``kind`` (plain, linked, submodule or subdir) below ``folder``."""
        shutil.copytree(self.folder, folder, symlinks=True)
        sandbox = copy.copy(self.sandbox)
        sandbox.user = folder / "user"
        shutil.copytree(self.sandbox.user, sandbox.user)
        sandbox.env = {**self.sandbox.env, "ABCD_HOME": str(sandbox.user)}
        root, cwd, git_dir = folder / "r", None, folder / "r" / ".git"
        if kind == "submodule":
            root, git_dir = folder / "super" / "lib", folder / "super" / ".git" / "modules" / "lib"
        if not hooked:
            without_hooks(git_dir)
        # A copy has other inodes: let git look once, as it would have long since.
        self.sandbox.run("git", "status", cwd=root)
        if kind == "linked":
            self.sandbox.run("git", "-c", "core.hooksPath=/dev/null", "worktree", "add", "-q", "../w", "-b", "work", "main",
                         cwd=root)
            self.sandbox.run("git", "branch", "-q", "--set-upstream-to=origin/ahead", "work", cwd=root)
            root = folder / "w"
        if kind == "subdir":
            cwd = root / "sub" / "dir" / "more"
        return Repository(sandbox, folder, root, cwd)


@pytest.fixture
def sealed(sandbox, monkeypatch):
    """The sandbox, with this very process in its environment too."""
    for name in list(os.environ):
        if name not in sandbox.env:
            monkeypatch.delenv(name)
    for name, value in sandbox.env.items():
        monkeypatch.setenv(name, value)
    return sandbox


_TEMPLATES = []


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """The template, made once."""
    if not _TEMPLATES:
        _TEMPLATES.append(Template(tmp_path_factory.mktemp("git")))
    return _TEMPLATES[0]


@pytest.fixture
def repo(template, tmp_path):
    """A plain repository with our hooks."""
    return template.copy(tmp_path / "hooked", "plain", True)
