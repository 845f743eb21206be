"""Where a session's scopes are, and what is never looked at."""

import os

import pytest

from abcd_index import scopes
from abcd_index.errors import Forbidden, Outside
from abcd_index.scopes import Places, find_scopes, guard, repository, resolve, workspace_at, workspace_scope


@pytest.fixture
def places(sandbox, tmp_path):
    # The boxes live under a temp root, so the temp roots of the places are this test's own.
    return Places({"HOME": str(sandbox.home), "ABCD_HOME": str(sandbox.user), "TMPDIR": "/var/tmp"})


def store(root, name="a.md"):
    folder = root / ".abcd" / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("x\n")
    return root


def names(cwd, places):
    return [(scope.name, scope.root) for scope in find_scopes(str(cwd), places)]


def test_nearest_ancestor_with_a_store(sandbox, places):
    root = sandbox.repo("r")
    store(root)
    deep = root / "src" / "deep"
    deep.mkdir(parents=True)
    for cwd in (root, deep):
        assert names(cwd, places) == [("workspace", str(root))]
    inner = store(root / "src")
    assert names(deep, places) == [("workspace", str(inner))]


def test_rules_alone_make_a_workspace(sandbox, places):
    root = sandbox.repo("r")
    (root / ".abcd").mkdir()
    (root / ".abcd" / "rules.json").write_text("{}")
    assert names(root, places) == [("workspace", str(root))]


def test_not_above_the_repository(sandbox, places):
    store(sandbox.tmp)
    root = sandbox.repo("r")
    assert names(root, places) == []


def test_both_scopes_narrow_to_wide(sandbox, places):
    root = store(sandbox.repo("r"))
    sandbox.user_pages({"u.md": "x\n"})
    assert names(root, places) == [("workspace", str(root)), ("user", str(sandbox.user))]
    assert names(sandbox.home, places) == [("user", str(sandbox.user))]


def test_never_home_a_temp_root_or_the_root(sandbox):
    store(sandbox.home)
    places = Places({"HOME": str(sandbox.home), "TMPDIR": str(sandbox.tmp)})
    store(sandbox.tmp)
    below = sandbox.home / "notes"
    below.mkdir()
    plain = sandbox.tmp / "plain"
    plain.mkdir()
    for cwd in (sandbox.home, below, sandbox.tmp, plain, "/"):
        assert names(cwd, places) == []


@pytest.mark.parametrize("cwd", ["", "relative", "/no/such/folder", "/a\0b", None, 3, ["x"], {}])
def test_a_useless_cwd_leaves_the_user_scope(sandbox, places, cwd):
    sandbox.user_pages({"u.md": "x\n"})
    assert [s.name for s in find_scopes(cwd, places)] == ["user"]


def test_a_file_or_a_loop_as_cwd(sandbox, places):
    root = store(sandbox.repo("r"))
    (root / "loop").symlink_to(root / "loop")
    assert names(root / "README.md", places) == []
    assert names(root / "loop", places) == []


def test_a_linked_worktree_has_its_own_or_the_main_checkouts(sandbox, places):
    root = store(sandbox.repo("r"))
    sandbox.git("worktree", "add", "-q", "../w", "-b", "w", cwd=root)  # .abcd is not committed here
    assert names(sandbox.tmp / "w", places) == [("workspace", str(root))]
    store(sandbox.tmp / "w")
    assert names(sandbox.tmp / "w", places) == [("workspace", str(sandbox.tmp / "w"))]


def test_a_submodule_has_its_own_or_the_superprojects(sandbox, places):
    lib = sandbox.repo("lib")
    root = store(sandbox.repo("r"))
    sandbox.git("submodule", "add", "-q", str(lib), "lib", cwd=root)
    assert names(root / "lib", places) == [("workspace", str(root))]
    store(root / "lib")
    assert names(root / "lib", places) == [("workspace", str(root / "lib"))]


def test_a_linked_folder_finds_the_real_project(sandbox, places):
    root = store(sandbox.repo("r"))
    (sandbox.tmp / "link").symlink_to(root / ".abcd" / "memory")
    assert names(sandbox.tmp / "link", places) == [("workspace", str(root))]


class TestGuard:
    @pytest.fixture
    def claude(self, sandbox):
        folder = sandbox.home / ".claude"
        store(folder)
        return folder

    def test_a_folder_in_it(self, claude, places):
        assert find_scopes(str(claude), places) == []
        with pytest.raises(Forbidden):
            workspace_scope(str(claude), places)
        with pytest.raises(Forbidden):
            workspace_at(str(claude / "projects"), places)

    def test_every_link_on_the_way(self, sandbox, claude, places):
        root = sandbox.repo("r")
        (root / ".abcd").symlink_to(claude / ".abcd")
        assert find_scopes(str(root), places) == []
        other = sandbox.repo("s")
        (other / ".abcd").mkdir()
        (other / ".abcd" / "memory").symlink_to(claude / ".abcd" / "memory")
        assert find_scopes(str(other), places) == []
        (sandbox.tmp / "hop").symlink_to(claude)
        third = store(sandbox.repo("t"))
        (third / ".abcd" / ".index").symlink_to(sandbox.tmp / "hop" / "x")
        assert find_scopes(str(third), places) == []

    def test_the_config_folder_and_its_case(self, sandbox):
        places = Places({"HOME": str(sandbox.home), "CLAUDE_CONFIG_DIR": str(sandbox.tmp / "cfg")})
        (sandbox.tmp / "cfg" / "x").mkdir(parents=True)
        with pytest.raises(Forbidden):
            guard(str(sandbox.tmp / "cfg" / "x"), places)
        with pytest.raises(Forbidden):
            guard(str(sandbox.home / ".Claude" / "x"), places)
        assert guard(str(sandbox.home / ".claude-not"), places) == str(sandbox.home / ".claude-not")

    def test_a_linked_home(self, sandbox, claude):
        (sandbox.tmp / "h").symlink_to(sandbox.home)
        places = Places({"HOME": str(sandbox.tmp / "h")})
        with pytest.raises(Forbidden):
            guard(str(claude / "x"), places)

    def test_the_place_that_it_leads_to(self, sandbox, claude, monkeypatch):
        real = sandbox.tmp / "dotfiles" / "claude"
        real.parent.mkdir()
        claude.rename(real)
        claude.symlink_to(real)
        root = sandbox.repo("r")
        (root / ".abcd").symlink_to(real / ".abcd")
        done = sandbox.cli("build", "--scope", "workspace", cwd=root)
        assert done.returncode == 2 and "never opens" in done.stderr
        monkeypatch.setattr(scopes, "follow_forbidden", True)
        with pytest.raises(Forbidden):
            guard(str(real / "x"), Places({"HOME": str(sandbox.home)}))

    def test_a_relative_config_folder(self, sandbox, monkeypatch):
        (sandbox.tmp / "cfg" / "x").mkdir(parents=True)
        monkeypatch.chdir(sandbox.tmp)
        with pytest.raises(Forbidden):
            guard(str(sandbox.tmp / "cfg" / "x"), Places({"HOME": str(sandbox.home), "CLAUDE_CONFIG_DIR": "cfg"}))

    def test_the_user_scope_there_is_ignored(self, sandbox, claude):
        places = Places({"HOME": str(sandbox.home), "ABCD_HOME": str(claude / ".abcd")})
        assert find_scopes(str(sandbox.tmp), places) == []


def test_resolve_agrees_with_realpath(sandbox):
    root = sandbox.tmp / "a" / "b"
    root.mkdir(parents=True)
    (sandbox.tmp / "l").symlink_to("a/b/../b")
    (root / "up").symlink_to("../..")
    for path in (f"{sandbox.tmp}/l/up/./l/x/../y", f"{sandbox.tmp}//a/b/up/a", "/", f"{root}/up/up/nothing"):
        assert resolve(path) == os.path.realpath(path)


def test_display(sandbox, places):
    sandbox.user_pages({"u.md": "x\n"})
    scope = find_scopes(None, places)[0]
    assert scope.display("memory/u.md") == "~/.abcd.noindex/memory/u.md"


class TestOutside:
    """A clone keeps links: none of them decides where pages come from or where an index is written."""

    @pytest.fixture
    def root(self, sandbox):
        return sandbox.repo("r", {"a.md": "x\n"})

    def lead(self, root, name, target):
        path = root / ".abcd" / name if name else root / ".abcd"
        if path.exists():
            path.rename(root.parent / ("moved" + (name or "abcd")))
        path.symlink_to(target)

    @pytest.mark.parametrize("name", ["", "memory", ".index"])
    @pytest.mark.parametrize("where", ["beside", "git", "pack", "user", "relative"])
    def test_links_out_of_the_root_are_refused(self, sandbox, places, root, name, where):
        sandbox.user_pages({"u.md": "x\n"})
        target = {"beside": root.parent / "other", "git": root / ".git", "pack": root / ".git" / "objects" / "pack",
                  "user": sandbox.user, "relative": "../.." if name else ".."}[where]
        (root.parent / "other" / "memory").mkdir(parents=True)
        for folder in ("memory", ".abcd"):
            (root / ".git" / folder).mkdir(exist_ok=True)
            (root / ".git" / "objects" / "pack" / folder).mkdir(exist_ok=True)
        self.lead(root, name, target)
        assert names(root, places) in ([], [("user", str(sandbox.user))])
        with pytest.raises(Outside):
            workspace_scope(str(root), places)
        with pytest.raises(Outside):
            workspace_at(str(root), places)

    def test_links_inside_the_root_are_fine_but_for_the_index(self, sandbox, places, root):
        (root / "notes").mkdir()
        self.lead(root, "memory", "../notes")
        assert workspace_scope(str(root), places).store == str(root / "notes")
        self.lead(root, ".index", "../notes")
        with pytest.raises(Outside):
            workspace_scope(str(root), places)

    def test_the_user_names_a_place_elsewhere(self, sandbox, places, root):
        elsewhere = sandbox.tmp / "shared notes" / "r"
        elsewhere.mkdir(parents=True)
        self.lead(root, "memory", elsewhere)
        (root / ".abcd" / "config.json").write_text('{"stores": ["%s"]}' % elsewhere.parent)
        with pytest.raises(Outside):
            workspace_scope(str(root), places)
        sandbox.user.mkdir()
        (sandbox.user / "config.json").write_text('{"stores": ["%s"]}' % elsewhere.parent)
        assert workspace_scope(str(root), places).store == str(elsewhere)

    def test_nobody_names_the_users_own_folder(self, sandbox, places, root):
        sandbox.user_pages({"u.md": "x\n"})
        (sandbox.user / "config.json").write_text('{"stores": ["%s"]}' % sandbox.user)
        self.lead(root, "memory", sandbox.user / "memory")
        with pytest.raises(Outside):
            workspace_scope(str(root), places)

    @pytest.mark.parametrize("spelling", ["cfg", "cfg/", "cfg/.", "cfg/./", "cfg//.", "cfg/x/..", "./../d/cfg/.",
                                          "cfg/no/..", "link", "link/.", "link/x/.."])
    def test_every_spelling_of_the_config_folder(self, sandbox, spelling, monkeypatch):
        folder = sandbox.tmp / "d"
        (folder / "cfg" / "x").mkdir(parents=True)
        (folder / "link").symlink_to("cfg")
        monkeypatch.chdir(folder)
        for named in {spelling, f"{folder}/{spelling}"}:
            monkeypatch.setattr(scopes, "follow_forbidden", True)
            places = Places({"HOME": str(sandbox.home), "CLAUDE_CONFIG_DIR": named})
            with pytest.raises(Forbidden):
                guard(str(folder / "cfg" / "x"), places)


class TestRepository:
    def test_plain_linked_submodule_and_separate(self, sandbox):
        above = sandbox.repo("above", pages={"a.md": "# a\n"})
        sub = above / "deep" / "er"
        sub.mkdir(parents=True)
        git = str(above / ".git")
        assert repository(str(sub)) == repository(str(above)) == (str(above), git, git)
        sandbox.git("worktree", "add", "-q", "../linked", "-b", "w", cwd=above)
        linked = sandbox.tmp / "linked"
        assert repository(str(linked / ".abcd")) == (str(linked), git + "/worktrees/linked", git)
        sandbox.run("git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", above, "lib", cwd=above)
        lib = str(above / "lib")
        assert repository(lib) == (lib, git + "/modules/lib", git + "/modules/lib")
        sandbox.run("git", "init", "-q", "--separate-git-dir", sandbox.tmp / "sep", sandbox.tmp / "modules" / "x", cwd=sandbox.tmp)
        assert repository(str(sandbox.tmp / "modules" / "x"))[1] == str(sandbox.tmp / "sep")

    def test_what_names_no_repository(self, tmp_path):
        (tmp_path / "a" / "b").mkdir(parents=True)
        (tmp_path / "a" / ".git").write_bytes(b"\xff\0 not a gitdir")
        assert repository(str(tmp_path / "a" / "b")) is None
        (tmp_path / "a" / ".git").write_bytes(b"gitdir: ../g\xff \r\n")
        assert repository(str(tmp_path / "a" / "b"))[1] == str(tmp_path) + "/g\udcff "

    def test_agrees_with_git_under_a_folder_named_modules(self, sandbox):
        root = sandbox.repo("modules/plain", pages={"a.md": "# a\n"})
        assert repository(str(root))[0] == str(root)
        assert workspace_scope(str(root / ".abcd"), Places(sandbox.env)).root == str(root)
