"""Every agent's payload, as recorded, gets its answer in that agent's own envelope, from the real hook process."""

import json

import pytest

from tests import hooked_store
from tests.hooked_store import page

hooked = hooked_store.hooked
PAYLOADS = hooked_store.ROOT / "tests" / "data" / "payloads"

# Where the context is in the answer, and the whole shape around it ("..." stands for the context).
CLAUDE = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "..."}}
GEMINI = {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "..."}}
ANSWERS = {
    "claude": CLAUDE, "codex": CLAUDE, "qwen": CLAUDE, "droid": CLAUDE, "devin": CLAUDE, "opencode": CLAUDE,
    "gemini": GEMINI, "tabnine": GEMINI,
    "copilot": {"additionalContext": "..."},
    "cursor": {"continue": True, "additional_context": "..."},
    "cline": {"cancel": False, "contextModification": "...", "errorMessage": ""},
    "kimi": CLAUDE,
}


def recorded(name, hooked):
    return json.loads((PAYLOADS / (name + ".json")).read_text().replace("/w/repo", str(hooked.root)))


def without_context(value, found):
    if isinstance(value, dict):
        return {key: without_context(inner, found) for key, inner in value.items()}
    if isinstance(value, str) and value.startswith("<abcd-memory"):
        found.append(value)
        return "..."
    return value


@pytest.fixture
def auth(hooked):
    return hooked.pages({"pitfall_auth_retry.md": page(["auth"], "Retries are capped at three."),
                       "howto_x_deploy.md": page(["deploy"], "Never on a Friday.")})


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_each_agent_gets_its_own_envelope(auth, name):
    done = auth.sandbox.hook(recorded(name, auth))
    assert done.returncode == 0 and done.stderr == b""
    found = []
    assert without_context(json.loads(done.stdout), found) == ANSWERS[name]
    assert "Retries are capped" in found[0] and "Friday" not in found[0]


def test_kiro_reads_plain_text(auth):
    done = auth.sandbox.hook(recorded("kiro", auth))
    assert done.returncode == 0
    assert done.stdout.startswith(b"<abcd-memory") and done.stdout.endswith(b"</abcd-memory>\n")


@pytest.mark.parametrize("name", ["windsurf", "antigravity"])
def test_agents_that_take_no_context_get_nothing(auth, name):
    done = auth.sandbox.hook(recorded(name, auth))
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("name, shape", [
    ("copilot_session_start", {"additionalContext": "..."}),
    ("claude", CLAUDE),
])
def test_the_first_prompt_of_a_copilot_session_is_answered_at_its_start(auth, name, shape):
    script = "session_hook.py" if name.endswith("start") else "prompt_router_hook.py"
    done = auth.sandbox.hook(recorded(name, auth), script=script)
    found = []
    assert without_context(json.loads(done.stdout), found) == shape
    assert "Retries are capped" in found[0]


def test_agents_whose_prompts_may_take_no_context_are_told_where_the_pages_are(auth):
    payload = recorded("copilot_session_start", auth)
    del payload["initialPrompt"]
    done = auth.sandbox.hook(payload, script="session_hook.py")
    assert ".abcd/memory/" in json.loads(done.stdout)["additionalContext"]
    done = auth.sandbox.hook(recorded("vscode_session_start", auth), script="session_hook.py")
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == "SessionStart" and ".abcd/memory/" in answer["additionalContext"]


def test_a_session_start_with_nothing_to_say_says_nothing(auth):
    for name in ("claude_session_start", "cursor_session_start"):
        done = auth.sandbox.hook(recorded(name, auth), script="session_hook.py")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_cursor_without_a_folder_takes_it_from_the_environment(auth):
    payload = recorded("cursor", auth)
    payload["workspace_roots"] = []
    auth.sandbox.env["CURSOR_PROJECT_DIR"] = str(auth.root)
    assert b"Retries are capped" in auth.sandbox.hook(payload).stdout


def test_a_host_can_be_named_in_the_command(auth):
    payload = recorded("kiro", auth)
    payload["hook_event_name"] = "UserPromptSubmit"
    sent = auth.respond(payload, forced="kiro")
    assert sent[0].startswith(b"<abcd-memory")
    assert auth.respond(dict(payload, session_id="k2"), forced="nobody")[0].startswith(b'{"hookSpecificOutput"')
    message = json.loads(auth.respond(dict(payload, session_id="k3"), forced="kimi")[0])
    assert message["hookSpecificOutput"]["message"].startswith("<abcd-memory")


def test_kiro_before_1_gives_the_prompt_in_the_environment_and_leaves_stdin_open(auth):
    import subprocess

    auth.sandbox.env["USER_PROMPT"] = "why does auth retry?"
    process = subprocess.Popen(
        [hooked_store.BASE_PYTHON, "-I", "-S", str(hooked_store.ROOT / "hooks" / "prompt_router_hook.py")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=auth.sandbox.env, cwd=str(auth.root))
    try:
        # Not communicate(): that would close stdin.
        assert process.wait(timeout=10) == 0
        assert b"Retries are capped" in process.stdout.read()
    finally:
        process.kill()
        process.stdin.close()
        process.stdout.close()


def test_the_answer_of_codex_stays_within_its_bytes(hooked):
    hooked.pages({"a_b_%d.md" % n: page(["auth"], "\u0434\u043e\u0431\u0440\u043e " * 400) for n in range(4)})
    hooked.free(95)
    sent = hooked.respond(dict(recorded("codex", hooked), session_id="s1"))
    text = json.loads(sent[0])["hookSpecificOutput"]["additionalContext"]
    assert 5000 < len(text.encode()) <= 10000


def test_a_sub_agents_prompt_is_silent(auth):
    for name in ("agent_id", "agentId"):
        assert auth.respond(dict(recorded("claude", auth), **{name: "a1"})) == []
    assert not auth.sessions.exists()


def test_the_guide_names_every_host():
    from abcd_index.agenthooks.payload import HOSTS, SILENT

    guide = (hooked_store.ROOT / "docs" / "how-to" / "agents.md").read_text(encoding="utf-8")
    listed = guide.partition("add `--host=NAME` to the command (")[2].partition(")")[0]
    assert {name.strip("` \n") for name in listed.split(",")} == set(HOSTS) - set(SILENT)
