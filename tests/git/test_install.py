"""install and uninstall beside what others have: hooks, core.hooksPath, settings. In real repositories."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import io
import json
import os
import stat
import subprocess
import sys

import pytest
from git_ground import artefact_state, page, sealed  # noqa: F401

from abcd_index.commands import install
from abcd_index.commands.say import Out
from abcd_index.errors import AbcdError
from abcd_index.git.hooks import HOOKS, LINE
from abcd_index.scopes import Places


class Project:
    """A repository with a store, and install in this very process."""

    def __init__(self, box, root):
        self.box = box
        self.root = root
        self.hooks = root / ".git" / "hooks"
        self.settings = root / ".claude" / "settings.json"

    def install(self, *, root=None, **options):
        return self._call(install.run, root, options)

    def uninstall(self, *, root=None, **options):
        return self._call(install.uninstall, root, options)

    def _call(self, function, root, options):
        out = io.StringIO()
        code = function(str(root or self.root), out=Out(out, out, {}), places=Places(), **options)
        return code, out.getvalue()

    def git(self, *args, cwd=None, **kw):
        return self.box.git(*args, cwd=cwd or self.root, **kw)

    def hook(self, name, text, mode=0o755):
        path = self.hooks / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(mode)
        return path

    def edit(self, text="changed"):
        (self.root / ".abcd" / "memory" / "a.md").write_text(page("a", text))

    def commit(self, text="changed"):
        self.edit(text)
        return self.git("commit", "-qam", text)

    def state(self, root=None):
        return artefact_state(root or self.root, self.box.env)


@pytest.fixture
def project(sealed):
    return Project(sealed, sealed.repo(pages={"a.md": page("a")}))


def snapshot(root):
    """Every file, link and folder below ``root`` with its mode and content; git's own bookkeeping aside."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith((".git/objects", ".git/logs")) or name in (".git/index", ".git/COMMIT_EDITMSG"):
            continue
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
        else:
            found[name] = "folder"
    return found


FOREIGN_SETTINGS = """{
   "permissions": {"allow": ["Bash(ls:*)"],
      "deny": []},
   "hooks": {
      "SessionStart": [
         {"hooks": [{"type": "command", "command": "echo theirs"}]}
      ],
      "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "lint"}]}]
   },
   "model": "x"
}
"""


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
        done = project.git("hook", "run", "--ignore-missing", name, "--", env={**project.box.env, "ABCD_INDEX": "ping"})
        assert f"abcd-index {name} 1 " in done.stdout + done.stderr
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


@pytest.mark.parametrize("first", ["#!/bin/sh\n", "#!/bin/bash -e\n", f"#!{sys.executable}\n"], ids=["sh", "bash", "python"])
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
    old = text.replace("post-commit 1 >>>", "post-commit 0 >>>").replace("abcd_index()", "abcd_old()")
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


class TestSettings:
    def test_others_entries_keep_their_bytes(self, project):
        project.settings.parent.mkdir()
        project.settings.write_text(FOREIGN_SETTINGS)
        project.install()
        project.install()
        text = project.settings.read_text()
        theirs = json.loads(FOREIGN_SETTINGS)
        ours = json.loads(text)
        assert [line for line in FOREIGN_SETTINGS.splitlines() if line.rstrip(",") not in text] == []
        assert ours["hooks"]["SessionStart"][:1] == theirs["hooks"]["SessionStart"]
        assert ours["hooks"]["PostToolUse"] == theirs["hooks"]["PostToolUse"]
        assert {event: len(groups) for event, groups in ours["hooks"].items()} == {
            "SessionStart": 2, "PostToolUse": 1, "UserPromptSubmit": 1, "PreCompact": 1}
        project.uninstall()
        assert project.settings.read_text() == FOREIGN_SETTINGS

    def test_edited_after_the_installation(self, project):
        project.install()
        data = json.loads(project.settings.read_text())
        data["model"] = "later"
        project.settings.write_text(json.dumps(data))
        project.uninstall()
        assert json.loads(project.settings.read_text()) == {"model": "later"}

    @pytest.mark.parametrize("text", ["{", "[]", '{"a": 1,}', '{"hooks": []}', "\x00", "// x\n{}"])
    def test_what_is_broken_is_refused(self, project, text):
        project.settings.parent.mkdir()
        project.settings.write_text(text)
        code, said = project.install()
        assert code == 1 and ".claude/settings.json" in said
        assert project.settings.read_text() == text
        assert (project.hooks / "post-commit").exists(), "the hooks are still installed"

    def test_local_ones(self, project):
        project.install(local=True)
        assert not project.settings.exists() and project.settings.with_name("settings.local.json").exists()
        project.uninstall()
        assert not project.settings.parent.exists()

    def test_the_registered_command_never_blocks_a_prompt(self, project, tmp_path):
        """A missing script makes Python exit with 2, which means "reject the prompt" to the agent."""
        project.install()
        hooks = json.loads(project.settings.read_text())["hooks"]
        for event, groups in hooks.items():
            command = groups[0]["hooks"][0]["command"]
            assert " -I -S " in command and "|| exit 0" in command
            for broken in (command.replace("_hook.py", "_gone.py"), command.replace(" -I -S ", " -I -S --no-such "),
                           command.replace("/bin/python", "/bin/nowhere")):
                assert broken != command
                done = subprocess.run(["/bin/sh", "-c", broken], input=b"{}", capture_output=True, timeout=20)
                assert (done.returncode, done.stdout) == (0, b""), (event, broken)

    def test_the_registered_command_answers(self, project):
        project.box.pages(project.root, {"deploy.md": page("deploy")})
        project.install()
        command = json.loads(project.settings.read_text())["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]
        payload = {"cwd": str(project.root), "hook_event_name": "UserPromptSubmit", "prompt": "how do we deploy?"}
        done = subprocess.run(["/bin/sh", "-c", command], input=json.dumps(payload).encode(), capture_output=True)
        assert done.returncode == 0 and b"hookSpecificOutput" in done.stdout

    def test_a_status_line_keeps_the_one_that_was_there(self, project, tmp_path):
        own = "printf '%s' \"$(cat | wc -c)\" | tr -d ' '; echo \" it's mine\""
        project.settings.parent.mkdir()
        project.settings.write_text(json.dumps({"statusLine": {"type": "command", "command": own, "padding": 0}}))
        before = project.settings.read_bytes()
        project.install(status_line=True)
        line = json.loads(project.settings.read_text())["statusLine"]
        assert line["padding"] == 0 and " -- " in line["command"]
        payload = b'{"session_id": "s", "context_window": {"used_percentage": 10}}'
        for command in (line["command"], line["command"].replace("statusline_hook.py", "gone.py")):
            done = subprocess.run(["/bin/sh", "-c", command], input=payload, capture_output=True, timeout=20)
            assert done.stdout == f"{len(payload)} it's mine\n".encode()
        project.uninstall()
        assert project.settings.read_bytes() == before

    def test_no_status_line_unless_asked(self, project):
        project.install()
        assert "statusLine" not in json.loads(project.settings.read_text())


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
        above = project.box.repo("super")
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
        project.box.pages(other, {"a.md": page("a")})
        (other / "deep").mkdir()
        assert project.install(root=other / "deep")[0] == 0
        assert (other / ".claude" / "settings.json").exists()
        project.git("add", "-A", cwd=other)
        project.git("commit", "-qm", "n", cwd=other)
        assert project.state(other) == "current"

    def test_a_store_below_the_top(self, project):
        nested = project.root / "pkg" / "api"
        project.install()
        project.box.pages(nested, {"x.md": page("x")})
        project.git("add", "-A")
        project.git("commit", "-qm", "nested")
        assert project.state(nested) == "current", "one that a commit brings"
        (nested / ".abcd" / "memory" / "x.md").write_text(page("x", "changed"))
        project.git("commit", "-qam", "nested again")
        assert project.state(nested) == "current"
        project.git("checkout", "-q", "HEAD~1")
        assert project.state(nested) == "current"

    def test_only_a_store_below_the_top(self, box, project):
        root = box.repo("mono")
        nested = root / "pkg"
        box.pages(nested, {"x.md": page("x")})
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
        project.box.pages(folder, {"a.md": page("a")})
        before = snapshot(folder)
        code, said = project.install(root=folder)
        assert code == 1 and "not a git work tree" in said
        assert project.state(folder) == "current"
        assert project.uninstall(root=folder)[0] == 0
        assert snapshot(folder) == before

    def test_without_a_store(self, project, box):
        root = box.repo("empty")
        code, said = project.install(root=root)
        assert code == 0 and "abcd-index init" in said

    def test_home_is_refused(self, project):
        project.box.pages(project.box.home, {"a.md": page("a")})
        with pytest.raises(AbcdError, match="home folder"):
            project.install(root=project.box.home)
        done = project.box.cli("install", cwd=project.box.home)
        assert done.returncode == 2 and "home folder" in done.stderr

    def test_settings_that_lead_into_the_agents_own_folder(self, project):
        (project.box.home / ".claude").mkdir()
        (project.root / ".claude").symlink_to(project.box.home / ".claude")
        code, said = project.install()
        assert code == 1 and "never opens" in said
        assert os.listdir(project.box.home / ".claude") == []

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


def test_hooks_that_cannot_run_are_said(project, monkeypatch):
    """The self-test: what is written is not yet what runs."""
    from abcd_index.git import ask

    monkeypatch.setattr(ask, "run_hook", lambda where, name, args, **environ: (0, ""))
    code, said = project.install()
    assert code == 1 and "post-commit did not answer" in said


def test_the_self_test_runs_nobody_elses_hook(project):
    project.hook("post-commit", "#!/bin/sh\ntouch ran\n")
    project.hook("post-merge", f"#!{sys.executable}\nopen('ran', 'w')\n")
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


def test_a_bare_repository_is_refused_and_left_as_it_was(project, box):
    bare = box.tmp / "x.git"
    box.git("init", "-q", "--bare", str(bare), cwd=box.tmp)
    before = sorted(path.relative_to(bare) for path in bare.rglob("*"))
    for folder in (bare, bare / "objects"):
        with pytest.raises(AbcdError, match="bare repository"):
            project.install(root=folder)
    assert sorted(path.relative_to(bare) for path in bare.rglob("*")) == before


@pytest.mark.parametrize("value", ["", "."])
def test_hooks_never_land_at_the_top_of_the_work_tree(project, value):
    project.box.git("config", "core.hooksPath", value, cwd=project.root)
    code, said = project.install(hooks_path=True)
    assert code == 1 and "where git runs no hooks" in said
    assert not (project.root / "post-commit").exists()
