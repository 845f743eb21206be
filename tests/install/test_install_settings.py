"""install and uninstall in an agent's settings: what is registered, and that it never blocks a prompt."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import json
import subprocess

import pytest
from git_repositories import artefact_state, page, sealed  # noqa: F401
from install_project import FOREIGN_SETTINGS, project, snapshot  # noqa: F401


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
            "SessionStart": 2, "PostToolUse": 1, "UserPromptSubmit": 1}
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
        project.sandbox.pages(project.root, {"deploy.md": page("deploy")})
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
