"""The questions to git, asked of real repositories; and dates, in one walk."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import os
import subprocess

import pytest
from git_repositories import page, sealed, template  # noqa: F401

from abcd_index.errors import CannotTell
from abcd_index.git import log, remote
from abcd_index.git import run as git
from abcd_index.githooks import stores


class TestPlace:
    def test_everywhere(self, sealed, template, tmp_path):
        plain = template.copy(tmp_path / "p", "subdir", True)
        found = git.find_worktree(str(plain.cwd))
        assert (found.top, found.git_dir, found.common_dir, found.linked) == (
            str(plain.root), str(plain.root / ".git"), str(plain.root / ".git"), False)
        linked = template.copy(tmp_path / "l", "linked", True)
        found = git.find_worktree(str(linked.root))
        common = linked.folder / "r" / ".git"
        assert (found.top, found.git_dir, found.common_dir) == (
            str(linked.root), str(common / "worktrees" / "w"), str(common))
        assert found.linked and git.hooks_dir(found) == str(common / "hooks")
        assert sorted(git.worktrees(found)) == sorted([str(linked.folder / "r"), str(linked.root)])
        lib = template.copy(tmp_path / "s", "submodule", True)
        found = git.find_worktree(str(lib.root))
        assert (found.top, found.common_dir) == (str(lib.root), str(lib.folder / "super" / ".git" / "modules" / "lib"))

    def test_nowhere(self, sealed, tmp_path):
        sealed.run("git", "init", "-q", "--bare", tmp_path / "b.git")
        for folder in (tmp_path, tmp_path / "b.git"):
            assert git.find_worktree(str(folder)) is None

    def test_under_the_variables_of_a_hook(self, sealed, template, tmp_path, monkeypatch):
        """A linked worktree, asked from within a hook of it, about itself and about another repository."""
        linked = template.copy(tmp_path / "l", "linked", True)
        other = sealed.repo("other", {"o.md": page("o")})
        git_dir = linked.folder / "r" / ".git" / "worktrees" / "w"
        here = git.find_worktree(str(linked.root))
        there = git.find_worktree(str(other))
        monkeypatch.setenv("GIT_DIR", str(git_dir))
        monkeypatch.setenv("GIT_INDEX_FILE", str(git_dir / "index"))
        assert git.find_worktree(str(linked.root)).git_dir == here.git_dir
        assert git.tracked(there) == [".abcd/memory/o.md", "README.md"]
        assert git.store_files(here) == [".abcd/memory/a.md", ".abcd/memory/b.md"]

    def test_under_variables_that_lead_elsewhere(self, sealed, template, tmp_path, monkeypatch):
        """git itself and GitPython are shielded alike from what another command left in the environment."""
        linked = template.copy(tmp_path / "l", "linked", True)
        where = git.find_worktree(str(linked.root))
        store = str(linked.root / ".abcd" / "memory")
        sealed.git("remote", "add", "up", "nowhere", cwd=linked.root)

        def answers():
            return (git.head(where), git.tracked(where), git.entries(where), log.last_commit_dates(where, store),
                    log.gone_paths(where), remote.names(where))

        before = answers()
        assert before[3] and before[5] == ["origin", "up"]
        for name in git.SCRUBBED:
            monkeypatch.setenv(name, str(tmp_path / "nowhere"))
        assert answers() == before
        assert all(os.environ[name] == str(tmp_path / "nowhere") for name in git.SCRUBBED), "the environment is left alone"

    def test_ownership_and_absence_are_not_an_answer(self, sealed, tmp_path, monkeypatch):
        root = sealed.repo()
        monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        with pytest.raises(CannotTell, match="does not trust"):
            git.find_worktree(str(root))
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(CannotTell, match="not on PATH"):
            git.find_worktree(str(root))

    def test_leaves_no_process_and_no_lock(self, sealed):
        root = sealed.repo(pages={"a.md": page("a")})
        where = git.find_worktree(str(root))
        before = (root / ".git" / "index").stat().st_mtime_ns
        os.utime(root / "README.md")
        git.tracked(where)
        git.is_shallow(where)
        log.gone_paths(where)
        log.last_commit_dates(where, str(root / ".abcd" / "memory"))
        assert (root / ".git" / "index").stat().st_mtime_ns == before
        listed = subprocess.run(["ps", "-o", "comm=", "--ppid", str(os.getpid())], capture_output=True, text=True)
        assert "git" not in listed.stdout.split()


def test_every_scope_of_hooks_path(sealed):
    root = sealed.repo()
    where = git.find_worktree(str(root))
    assert git.hooks_path_settings(where) == []
    sealed.git("config", "--global", "core.hooksPath", "/g\n h", cwd=root)
    sealed.git("config", "core.hooksPath", "mine", cwd=root)
    sealed.git("config", "extensions.worktreeConfig", "true", cwd=root)
    sealed.git("config", "--worktree", "core.hooksPath", "../w", cwd=root)
    found = git.hooks_path_settings(where)
    assert [(scope, value) for scope, _, value in found] == [("global", "/g\n h"), ("local", "mine"), ("worktree", "../w")]
    assert found[0][1].startswith("file:")
    assert git.hooks_dir(where) == str(root.parent / "w")


def test_small_questions(sealed):
    root = sealed.repo(pages={"a.md": page("a"), "ünï \"q\"\n.md": page("b")})
    where = git.find_worktree(str(root))
    assert git.tracked(where, ".abcd") == sorted([".abcd/memory/a.md", '.abcd/memory/ünï "q"\n.md'])
    assert git.head(where) == sealed.git("rev-parse", "HEAD", cwd=root).stdout.strip()
    assert (git.is_shallow(where), git.is_sparse(where)) == (False, False)
    assert git.mode_in_index(where, "README.md") == "100644" and git.mode_in_index(where, "no") == ""
    assert git.setting(where, "user.none") is None
    assert git.version() >= (2,)


class TestDates:
    def repository(self, sandbox):
        self.sandbox, self.root = sandbox, sandbox.repo(pages={"a.md": page("a"), "b.md": page("b")})
        self.day = 1
        self.commit_all()
        return self

    def commit_all(self):
        self.day += 1
        when = f"2024-03-{self.day:02d}T12:00:00+02:00"
        self.sandbox.git("add", "-A", cwd=self.root)
        self.sandbox.git("commit", "-q", "--allow-empty", "-m", "x", cwd=self.root,
                     env={**self.sandbox.env, "GIT_COMMITTER_DATE": when, "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z"})
        return when

    def write(self, name, text):
        self.sandbox.pages(self.root, {f"{name}.md": page(name, text)})
        return self.commit_all()

    def dates(self, root=None):
        root = root or self.root
        return log.last_commit_dates(git.find_worktree(str(root)), str(root / ".abcd" / "memory"))

    def test_each_page_its_own(self, sealed):
        r = self.repository(sealed)
        a = r.write("a", "later")
        new = r.write("new", "new")
        (r.root / ".abcd" / "memory" / "loose.md").write_text("not committed")
        found = r.dates()
        assert found["a.md"] == a and found["new.md"] == new
        assert set(found) == {"a.md", "b.md", "new.md"}

    def test_a_rename_alone_changes_nothing(self, sealed):
        r = self.repository(sealed)
        a = r.write("a", "content " * 30)
        self.sandbox.git("mv", ".abcd/memory/a.md", ".abcd/memory/c.md", cwd=r.root)
        r.commit_all()
        assert r.dates()["c.md"] == a
        self.sandbox.git("mv", ".abcd/memory/c.md", ".abcd/memory/d.md", cwd=r.root)
        with open(r.root / ".abcd" / "memory" / "d.md", "a") as handle:
            handle.write("and one line more\n")
        later = r.commit_all()
        assert r.dates()["d.md"] == later

    def test_merges(self, sealed):
        r = self.repository(sealed)
        git = lambda *args, **kw: sealed.git(*args, cwd=r.root, **kw)  # noqa: E731
        git("checkout", "-q", "-b", "side")
        side = r.write("b", "from the side")
        git("checkout", "-q", "main")
        r.write("a", "on main")
        git("merge", "-q", "--no-edit", "side")
        assert r.dates()["b.md"] == side, "the merge itself changed nothing"
        git("checkout", "-q", "side")
        r.write("a", "on the side")
        git("checkout", "-q", "main")
        git("merge", "-q", "side", check=False)
        settled = r.write("a", "settled in the merge")
        assert r.dates()["a.md"] == settled

    def test_a_shallow_clone_does_not_make_it_up(self, sealed, tmp_path):
        r = self.repository(sealed)
        a = r.write("a", "later")
        for depth, known in (("1", {}), ("2", {"a.md": a})):
            target = tmp_path / f"shallow{depth}"
            sealed.run("git", "clone", "-q", "--depth", depth, f"file://{r.root}", target)
            if depth == "1":
                assert self.dates(target) == known
            else:
                assert self.dates(target) == known

    def test_where_there_is_nothing_to_ask(self, sealed, tmp_path, monkeypatch):
        root = tmp_path / "unborn"
        sealed.run("git", "init", "-q", root)
        sealed.pages(root, {"a.md": page("a")})
        assert self.dates(root) == {}
        r = self.repository(sealed)
        worktree = git.find_worktree(str(r.root))
        assert log.last_commit_dates(worktree, str(r.root / "nowhere")) == {}
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(CannotTell, match="not on PATH"):
            log.last_commit_dates(worktree, str(r.root / ".abcd" / "memory"))

    def test_odd_names_and_pages_below(self, sealed):
        r = self.repository(sealed)
        when = r.write("ünï \"q\"\nx", "odd")
        (r.root / ".abcd" / "memory" / "deep").mkdir()
        (r.root / ".abcd" / "memory" / "deep" / "z.md").write_text("not of this store")
        r.commit_all()
        found = r.dates()
        assert found["ünï \"q\"\nx.md"] == when and "z.md" not in found

    def test_in_a_linked_worktree_and_below(self, sealed, tmp_path):
        r = self.repository(sealed)
        a = r.write("a", "later")
        sealed.git("worktree", "add", "-q", str(tmp_path / "w"), cwd=r.root)
        (tmp_path / "w" / "sub").mkdir()
        where = git.find_worktree(str(tmp_path / "w" / "sub"))
        assert log.last_commit_dates(where, str(tmp_path / "w" / ".abcd" / "memory"))["a.md"] == a


class TestStores:
    def test_homes_from_names(self):
        names = [".abcd/memory/a.md", "x/.abcd/memory/a.md", "x/.abcd/memory/deep/b.md", "y z/.abcd/rules.json",
                 "-z/.abcd/rules.json", "x/.abcd/other/rules.json", "q/.abcd/memory/.abcd/memory/c.md", "abcd/memory/a.md"]
        assert stores.homes_of(names) == ["q/.abcd/memory/.abcd", "x/.abcd", "y z/.abcd"]

    def test_one_that_is_built_by_hand_is_noted_where_hooks_are(self, sealed):
        root = sealed.repo(pages={"a.md": page("a")})
        sealed.pages(root / "pkg", {"a.md": page("a")})
        assert not stores.note_built(str(root / "pkg")), "no hooks here"
        stores.note(str(root / ".git"), [])
        assert stores.note_built(str(root / "pkg")) and not stores.note_built(str(root / "pkg"))
        assert not stores.note_built(str(root))
        assert stores.listed(str(root / ".git")) == ["pkg/.abcd"]
        sealed.git("worktree", "add", "-q", "../w", cwd=root)
        sealed.pages(root.parent / "w" / "other", {"a.md": page("a")})
        assert stores.note_built(str(root.parent / "w" / "other"))
        assert stores.listed(str(root / ".git")) == ["other/.abcd", "pkg/.abcd"]
        assert not stores.note_built("/")
