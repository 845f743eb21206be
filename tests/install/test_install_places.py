"""install and uninstall in worktrees, submodules, sub-directories, and where they must not."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import os

import pytest
from git_repositories import artefact_state, page, sealed  # noqa: F401
from install_project import FOREIGN_SETTINGS, project, snapshot  # noqa: F401

from abcd_index.errors import AbcdError


class TestPlaces:
    def test_linked_worktree(self, project):
        linked = project.root.parent / "w"
        project.git("worktree", "add", "-q", str(linked), "-b", "w")
        before = snapshot(project.root)
        code, said = project.install(root=linked)
        assert code == 0, said
        assert (project.hooks / "post-commit").exists(), "hooks are shared"
        assert (linked / ".claude" / "settings.json").exists() and not project.settings.exists()
        assert str(linked) not in (project.hooks / "post-commit").read_text()
        (linked / ".abcd" / "memory" / "n.md").write_text(page("n"))
        project.git("add", "-A", cwd=linked)
        project.git("commit", "-qm", "n", cwd=linked)
        project.commit()
        assert project.state() == "current" and project.state(linked) == "current"
        code, said = project.uninstall(root=linked)
        assert code == 0 and f"the hooks also served {project.root}" in said
        assert set(snapshot(project.root / ".git" / "hooks")) == {
            name[len(".git/hooks/"):] for name in before if name.startswith(".git/hooks/")}

    def test_removing_the_worktree_it_was_installed_from(self, project):
        linked = project.root.parent / "w"
        project.git("worktree", "add", "-q", str(linked), "-b", "w")
        project.install(root=linked)
        project.git("worktree", "remove", "--force", str(linked))
        assert project.commit().stderr == ""
        assert project.state() == "current"

    def test_uninstalling_in_a_linked_worktree_keeps_the_others_receipt(self, project):
        linked = project.root.parent / "w"
        project.git("worktree", "add", "-q", str(linked), "-b", "w")
        project.settings.parent.mkdir()
        project.settings.write_text('{ }\n')
        project.install()
        project.install(root=linked)
        project.uninstall(root=linked)
        project.uninstall()
        assert project.settings.read_text() == "{ }\n"

    def test_submodule(self, project):
        above = project.sandbox.repo("super")
        project.git("submodule", "--quiet", "add", "../repo", "lib", cwd=above)
        lib = above / "lib"
        assert project.install(root=lib)[0] == 0
        assert (above / ".git" / "modules" / "lib" / "hooks" / "post-commit").exists()
        (lib / ".abcd" / "memory" / "n.md").write_text(page("n"))
        project.git("add", "-A", cwd=lib)
        project.git("commit", "-qm", "n", cwd=lib)
        assert project.state(lib) == "current"

    def test_sub_directory_and_separate_git_dir(self, project):
        other = project.root.parent / "sep"
        project.git("init", "-q", "--separate-git-dir", str(project.root.parent / "sep.git"), str(other))
        project.sandbox.pages(other, {"a.md": page("a")})
        (other / "deep").mkdir()
        assert project.install(root=other / "deep")[0] == 0
        assert (other / ".claude" / "settings.local.json").exists(), "Claude Code reads the other one only where it is started"
        project.git("add", "-A", cwd=other)
        project.git("commit", "-qm", "n", cwd=other)
        assert project.state(other) == "current"

    def test_a_store_below_the_top(self, project):
        nested = project.root / "pkg" / "api"
        project.install()
        project.sandbox.pages(nested, {"x.md": page("x")})
        project.git("add", "-A")
        project.git("commit", "-qm", "nested")
        assert project.state(nested) == "current", "one that a commit brings"
        (nested / ".abcd" / "memory" / "x.md").write_text(page("x", "changed"))
        project.git("commit", "-qam", "nested again")
        assert project.state(nested) == "current"
        project.git("checkout", "-q", "HEAD~1")
        assert project.state(nested) == "current"

    def test_only_a_store_below_the_top(self, sandbox, project):
        root = sandbox.repo("mono")
        nested = root / "pkg"
        sandbox.pages(nested, {"x.md": page("x")})
        project.git("add", "-A", cwd=root)
        project.git("commit", "-qm", "nested", cwd=root)
        assert project.install(root=nested)[0] == 0
        assert (nested / ".claude" / "settings.json").exists()
        (nested / ".abcd" / "memory" / "x.md").write_text(page("x", "changed"))
        project.git("commit", "-qam", "again", cwd=root)
        assert project.state(nested) == "current"
        assert not (root / ".abcd").exists()

    def test_outside_of_git(self, project, tmp_path):
        folder = tmp_path / "loose"
        project.sandbox.pages(folder, {"a.md": page("a")})
        before = snapshot(folder)
        code, said = project.install(root=folder)
        assert code == 1 and "not a git work tree" in said
        assert project.state(folder) == "current"
        assert project.uninstall(root=folder)[0] == 0
        assert snapshot(folder) == before

    def test_without_a_store(self, project, sandbox):
        root = sandbox.repo("empty")
        code, said = project.install(root=root)
        assert code == 0 and "abcd-index init" in said

    def test_home_is_refused(self, project):
        project.sandbox.pages(project.sandbox.home, {"a.md": page("a")})
        with pytest.raises(AbcdError, match="home folder"):
            project.install(root=project.sandbox.home)
        done = project.sandbox.cli("install", cwd=project.sandbox.home)
        assert done.returncode == 2 and "home folder" in done.stderr

    def test_settings_that_lead_into_the_agents_own_folder(self, project):
        (project.sandbox.home / ".claude").mkdir()
        (project.root / ".claude").symlink_to(project.sandbox.home / ".claude")
        code, said = project.install()
        assert code == 1 and "never opens" in said
        assert os.listdir(project.sandbox.home / ".claude") == []

    def test_git_is_absent(self, project, monkeypatch):
        monkeypatch.setenv("PATH", "/nowhere")
        code, said = project.install()
        assert code == 1 and "git is not on PATH" in said
        assert project.settings.exists()

    def test_somebody_elses_repository(self, project, monkeypatch):
        monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        code, said = project.install()
        assert code == 1 and "safe.directory" in said
        assert not (project.hooks / "post-commit").exists()
