"""install --agent: each agent's own file, with --dry-run, status and uninstall alike."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import json
import os
import subprocess

import pytest
from git_repositories import page, sealed  # noqa: F401
from install_project import project, snapshot  # noqa: F401

from abcd_index.agenthooks.payload import HOSTS
from abcd_index.install import entries
from abcd_index.install.agents import registered
from abcd_index.install.project import find
from abcd_index.scopes import Places

AGENTS = entries.agents()


def files_of(name, project):
    of = entries.agent(name)
    written = [of.file.replace("EVENT", event) for event in of.events] if of.form == "script" else [of.file]
    home = project.sandbox.home if hasattr(project.sandbox, "home") else None
    return [(home / path[2:] if path.startswith("~/") else project.root / path) for path in written]


def test_the_table_names_the_agents_that_hooks_know():
    assert set(entries.table()) == {*HOSTS}
    from abcd_index import cli

    said = subprocess.run([os.sys.executable, "-m", "abcd_index", "install", "--help"], capture_output=True, text=True,
                          env={**os.environ, "COLUMNS": "200"}).stdout
    assert cli and all(name in said for name in AGENTS)
    for row in entries.table().values():
        assert ("seen in" in row and "seen on" in row) != ("from" in row)


@pytest.mark.parametrize("name", AGENTS)
def test_an_agents_file_is_written_tried_and_given_back(project, name):
    project.sandbox.pages(project.root, {"deploy.md": page("deploy")})
    project.install(git_only=True)
    before = snapshot(project.root)
    code, said = project.install(name, dry_run=True)
    assert code == 0 and os.path.basename(entries.agent(name).file.replace("EVENT", "UserPromptSubmit")) in said
    assert snapshot(project.root) == before
    assert project.install(name)[0] == 0
    for file in files_of(name, project):
        assert file.exists(), file
    assert project.install(name)[1].splitlines()[-1].startswith("everything is in place") or entries.agent(name).then
    found = {one.agent: one.commands for one in registered(find(str(project.root), Places()), Places())}
    of = entries.agent(name)
    assert set(found) == {name} and set(found[name]) <= set(of.events)
    assert project.uninstall(name)[0] == 0
    assert snapshot(project.root) == before
    assert not any(file.exists() for file in files_of(name, project))


def test_an_agent_that_writes_its_own_number_into_the_file(project):
    """Qwen does: what was there before a second installation holds ours, and must not come back."""
    file = project.root / ".qwen/settings.json"
    project.install("qwen")
    file.write_text(json.dumps({**json.loads(file.read_text()), "$version": 4}))
    project.install("qwen", status_line=True)
    assert set(json.loads(file.read_text())) == {"hooks", "$version", "ui"}
    project.uninstall("qwen")
    assert json.loads(file.read_text()) == {"$version": 4}


def test_several_at_once_and_one_taken_away(project):
    assert project.install("codex", "copilot", "claude")[0] == 0
    assert (project.root / ".codex/hooks.json").exists() and project.settings.exists()
    project.uninstall("codex")
    assert not (project.root / ".codex").exists() and project.settings.exists()
    assert (project.hooks / "post-commit").exists(), "git's hooks serve the other agents"
    project.uninstall()
    assert not project.settings.parent.exists() and not (project.root / ".github").exists()


def test_an_agent_that_nobody_knows(project):
    from abcd_index.errors import AbcdError

    with pytest.raises(AbcdError, match="no agent 'nobody'"):
        project.install("nobody")
    with pytest.raises(AbcdError, match="no agent 'windsurf'"):
        project.uninstall("windsurf")


def test_events_stand_where_each_agent_looks_for_them(project):
    project.install("droid", "kiro", "cursor", "cline", "opencode", "gemini")
    assert set(json.loads((project.root / ".factory/hooks.json").read_text())) == {"UserPromptSubmit", "SessionStart"}
    kiro = json.loads((project.root / ".kiro/hooks/abcd-index.json").read_text())
    assert kiro["version"] == "v1" and kiro["hooks"][0]["trigger"] == "UserPromptSubmit"
    assert kiro["hooks"][0]["timeout"] == 5 and "--host=kiro" in kiro["hooks"][0]["action"]["command"]
    assert json.loads((project.root / ".cursor/hooks.json").read_text())["version"] == 1
    assert os.access(project.root / ".clinerules/hooks/UserPromptSubmit", os.X_OK)
    gemini = json.loads((project.root / ".gemini/settings.json").read_text())["hooks"]
    assert gemini["BeforeAgent"][0]["hooks"][0]["timeout"] == 5000
    assert (project.root / ".opencode/plugins/abcd-index.ts").read_text().startswith(entries.PLUGIN_MARK)


def test_what_is_somebody_elses_stays(project):
    theirs = {".clinerules/hooks/UserPromptSubmit": "#!/bin/sh\necho mine\n", ".opencode/plugins/abcd-index.ts": "mine\n"}
    for path, text in theirs.items():
        (project.root / path).parent.mkdir(parents=True)
        (project.root / path).write_text(text)
    code, said = project.install("cline", "opencode")
    assert code == 1 and "let it run this line" in said and "somebody else's file" in said
    project.uninstall()
    for path, text in theirs.items():
        assert (project.root / path).read_text() == text


def test_kimis_file_is_the_persons_own_and_serves_all_projects(project):
    project.install("kimi")
    (file,) = files_of("kimi", project)
    text = file.read_text()
    assert text.count("[[hooks]]") == 3
    _, said = project.uninstall()
    assert file.read_text() == text and "uninstall --agent kimi" in said
    project.uninstall("kimi")
    assert not file.exists()


def status(root):
    from abcd_index.commands.status import gather

    return gather(str(root), True, Places())


@pytest.mark.parametrize("name", AGENTS)
def test_status_asks_each_agents_hook_and_says_that_it_answers(project, name):
    project.sandbox.pages(project.root, {"deploy.md": page("deploy")})
    project.install(name)
    report = status(project.root)
    tried = [entry for entry in report["agent"] if entry["agent"] == name]
    assert [entry["event"] for entry in tried] == list(entries.agent(name).events)
    assert all(entry["answers"] for entry in tried) and not report["problems"]
    prompts = [entry for entry in tried if entries.agent(name).events[entry["event"]] == "prompt"]
    assert all("<abcd-memory" in entry["said"] for entry in prompts)


@pytest.mark.parametrize("name, reads", [("claude", False), ("gemini", False), ("codex", True), ("opencode", True)])
def test_status_says_when_an_agent_that_is_started_here_finds_no_hook(project, name, reads):
    project.install(name)
    (project.root / "deep").mkdir()
    assert not [one for one in status(project.root)["next"] if "fires no hook" in one]
    (said,) = [one for one in status(project.root / "deep")["next"] if "fires no hook" in one] or [""]
    assert (entries.agent(name).title in said and str(project.root) in said) != reads
    assert ("install --local" in said) == (name == "claude")


def test_a_worktree_is_served_by_the_main_checkouts_local_file(project):
    project.git("worktree", "add", "-q", "../wt")
    project.install()
    report = status(project.root.parent / "wt")
    assert {entry["file"] for entry in report["agent"]} == {str(project.root / ".claude" / "settings.local.json")}
    assert not [one for one in report["next"] if "fires no hook" in one or "abcd-index install" in one and "--" not in one]


class TestWhereClaudeCodeLooks:
    def test_at_the_root_the_shared_file_and_a_word_on_the_rest(self, project):
        _, said = project.install()
        assert project.settings.exists() and "`abcd-index install --local`" in said

    def test_from_a_sub_directory_the_local_one(self, project):
        (project.root / "deep").mkdir()
        _, said = project.install(root=project.root / "deep")
        assert not project.settings.exists() and project.settings.with_name("settings.local.json").exists()
        assert "settings.local.json rather than" in said and "sub-directories" in said

    def test_with_worktrees_the_local_one(self, project):
        project.git("worktree", "add", "-q", "../wt")
        _, said = project.install()
        assert not project.settings.exists() and "worktrees" in said
        # In the worktree itself the local file of the main checkout is read, not one of its own.
        project.install(root=project.root.parent / "wt")
        assert (project.root.parent / "wt" / ".claude" / "settings.json").exists()

    def test_where_ours_is_it_stays(self, project):
        project.install()
        (project.root / "deep").mkdir()
        project.install(root=project.root / "deep")
        assert project.settings.exists() and not project.settings.with_name("settings.local.json").exists()

    def test_local_is_claude_codes_alone(self, project):
        code, said = project.install("codex", local=True)
        assert code == 1 and "Codex CLI has no such file" in said
