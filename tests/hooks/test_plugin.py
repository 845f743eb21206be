"""The plugin's hooks run the installed program and nothing of the plugin's own folder; both may be registered."""

import json
import re
import shutil
import subprocess

import pytest

import abcd_index
from tests import hooked_store
from tests.hooked_store import page

hooked = hooked_store.hooked
ROOT = hooked_store.ROOT


def manifest(name):
    return json.loads((ROOT / name).read_text(encoding="utf-8"))


def commands():
    """{event: command} of the plugin."""
    found = {}
    for event, groups in manifest("hooks/hooks.json")["hooks"].items():
        (group,) = groups
        (handler,) = group["hooks"]
        assert handler["type"] == "command" and handler["timeout"] <= 30
        assert "if" not in handler and "matcher" not in group
        found[event] = handler["command"]
    return found


def run(hooked, event, payload):
    done = subprocess.run(["/bin/sh", "-c", commands()[event]], input=json.dumps(payload).encode(), env=hooked.sandbox.env,
                          cwd=str(hooked.root), capture_output=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout) if done.stdout else None


@pytest.fixture
def built(hooked):
    hooked.pages({"a_auth.md": page(["auth"], "Body A.")})
    assert hooked.sandbox.cli("build", cwd=hooked.root).returncode == 0
    return hooked


def test_the_manifests_agree_with_the_package():
    plugin, market = manifest(".claude-plugin/plugin.json"), manifest(".claude-plugin/marketplace.json")
    assert plugin["version"] == abcd_index.__version__
    assert market["plugins"][0]["name"] == plugin["name"] == "abcd-index"
    assert market["plugins"][0]["source"] == "./"
    assert market["description"]  # `claude plugin validate --strict` wants one.
    # Claude Code shows a person the command of a PreCompact hook; a session start after it says the same.
    assert set(commands()) == {"UserPromptSubmit", "SessionStart"}


def test_the_plugin_names_no_path_of_its_own_folder():
    for command in commands().values():
        assert "CLAUDE_PLUGIN" not in command and ".claude" not in command


def test_the_plugin_answers_through_the_installed_program(built):
    answer = run(built, "UserPromptSubmit", built.payload("auth"))
    assert "Body A." in answer["hookSpecificOutput"]["additionalContext"]
    assert run(built, "SessionStart", {"session_id": "s1", "cwd": str(built.root), "hook_event_name": "SessionStart",
                                       "source": "compact"}) is None
    assert run(built, "UserPromptSubmit", built.payload("auth"))


def test_plugin_and_settings_together_answer_once(built):
    assert run(built, "UserPromptSubmit", built.payload("auth", prompt_id="p1"))
    assert built.ask("auth", prompt_id="p1") == ""


def test_without_the_program_prompts_go_through_and_the_session_start_says_what_to_do(built):
    shutil.rmtree(built.sandbox.user)
    assert run(built, "UserPromptSubmit", built.payload("auth")) is None
    said = run(built, "SessionStart", {"session_id": "s1", "cwd": "/", "hook_event_name": "SessionStart"})
    assert list(said) == ["systemMessage"] and "abcd-index build" in said["systemMessage"]
    index = built.sandbox.user / ".index"
    index.mkdir(parents=True)
    (index / "interpreter").write_text("/no/such/python\n")
    (index / "hooks").write_text("/no/such/folder\n")
    assert run(built, "UserPromptSubmit", built.payload("auth")) is None


NODE = shutil.which("node")
DRIVER = """
import {AbcdIndex} from %s
const get = async ({path}) => {
  if (path.id === "ses_gone") throw new Error("no such session")
  return {data: path.id === "ses_of_agent" ? {id: path.id, parentID: "ses_1"} : {id: path.id}}
}
const plugin = await AbcdIndex({client: {session: {get}}, directory: process.argv[2]})
const ask = async (text, sessionID = "ses_1") => {
  const output = {message: {id: "msg_" + text.length}, parts: [{type: "text", text}]}
  await plugin["chat.message"]({sessionID}, output)
  return output.parts.slice(1)
}
const first = await ask("why does auth fail?")
const second = await ask("auth, once more")
await plugin.event({event: {type: "session.compacted", properties: {sessionID: "ses_1"}}})
await plugin.event({event: {type: "session.created", properties: {info: {id: "ses_2", parentID: "ses_1"}}}})
console.log(JSON.stringify([first, second, await ask("and auth after that?"), await ask("nothing"),
  await ask("auth", "ses_of_agent"), await ask("auth!", "ses_2"), await ask("auth", "ses_gone")]))
"""


def without_types(text):
    """The plugin as plain JavaScript: its annotations are few and simple."""
    text = re.sub(r": (any|string|object|Promise<\w+>|\{ (?:client: any; )?\w+: (?:any|string) \})(?=[,)} ])", "", text)
    return text.replace("Map<string, boolean>", "Map")


@pytest.mark.skipif(not NODE, reason="needs node")
def test_the_opencode_plugin_adds_a_synthetic_part(built, tmp_path):
    plugin = without_types((ROOT / "hooks" / "opencode-plugin.ts").read_text(encoding="utf-8"))
    (tmp_path / "plugin.mjs").write_text(plugin)
    (tmp_path / "driver.mjs").write_text(DRIVER % '"./plugin.mjs"')
    done = subprocess.run([NODE, str(tmp_path / "driver.mjs"), str(built.root)], env=built.sandbox.env, capture_output=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    first, second, third, nothing, of_agent, of_another, of_nobody = json.loads(done.stdout)
    assert len(first) == 1 and first[0]["synthetic"] and "Body A." in first[0]["text"]
    assert second == [] and len(third) == 1 and nothing == []
    # What a sub-agent is told no person typed; where opencode cannot say whose a session is, it is a person's.
    assert of_agent == of_another == [] and len(of_nobody) == 1
