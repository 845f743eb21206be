"""Each agent's payloads, as the agents really send them: what is answered, in whose envelope, and what the ledger and the
fill are afterwards.

``data/payloads/<agent>-<version>-<event>[-<which>].json`` is what a hook of that agent of that version was given, ids and
paths replaced; ``docs`` in the place of the version: made from its documentation, ``plugin``: what our own plugin sends.
"""

import json

import pytest

from abcd_index.agenthooks import statusline
from abcd_index.agenthooks.fill import read_fill
from abcd_index.agenthooks.io import session_of
from abcd_index.agenthooks.payload import read_call
from tests import hooked_store
from tests.hooked_store import page

hooked = hooked_store.hooked
PAYLOADS = hooked_store.ROOT / "tests" / "data" / "payloads"

# The whole shape of an answer; "..." stands for the context.
CLAUDE = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "..."}}
GEMINI = {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "..."}}
COPILOT = {"additionalContext": "..."}
KIMI = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "message": "..."}}
CURSOR = {"continue": True, "additional_context": "..."}
CLINE = {"cancel": False, "contextModification": "...", "errorMessage": ""}
SILENT = None

# A prompt's payload and its answer.
PROMPTS = {
    "claude-2.1.332-UserPromptSubmit": CLAUDE,
    "claude-2.1.332-UserPromptSubmit-slash": CLAUDE,
    "claude-2.1.332-UserPromptSubmit-mention": CLAUDE,
    "claude-2.1.332-UserPromptSubmit-notification": SILENT,
    "cline-docs-UserPromptSubmit": CLINE,
    "codex-0.171.0-UserPromptSubmit": CLAUDE,
    "codex-0.171.0-UserPromptSubmit-mention": CLAUDE,
    "codex-0.171.0-UserPromptSubmit-subagent": SILENT,
    "copilot-1.0.102-userPromptSubmitted": COPILOT,
    "copilot-1.0.102-userPromptSubmitted-mention": COPILOT,
    "copilot-1.0.102-userPromptSubmitted-subagent": SILENT,
    "copilot-1.0.102-claudesettings-UserPromptSubmit": COPILOT,
    "copilot-1.0.102-claudesettings-UserPromptSubmit-subagent": SILENT,
    "cursor-docs-beforeSubmitPrompt": CURSOR,
    "devin-docs-UserPromptSubmit": CLAUDE,
    "droid-docs-UserPromptSubmit": CLAUDE,
    "gemini-0.61.0-BeforeAgent": GEMINI,
    "gemini-0.61.0-BeforeAgent-mention": GEMINI,
    "kimi-2.1.0-UserPromptSubmit": KIMI,
    "opencode-plugin-UserPromptSubmit": CLAUDE,
    "qwen-0.24.4-UserPromptSubmit": CLAUDE,
    "qwen-0.24.4-UserPromptSubmit-mention": CLAUDE,
    "qwen-0.24.4-UserPromptSubmit-empty": SILENT,
    "tabnine-docs-BeforeAgent": GEMINI,
    # Agents that take no context.
    "antigravity-docs-PreInvocation": SILENT,
    "windsurf-docs-pre_user_prompt": SILENT,
}
# Agents that are told from these by nothing, and need not be.
TAKEN_FOR = {"devin": "claude", "opencode": "claude", "tabnine": "gemini"}
# A payload of the session hook, and whether the session's pages are in its context afterwards.
KEPT, FORGOTTEN = "kept", "forgotten"
SESSIONS = {
    "claude-2.1.332-SessionStart-startup": FORGOTTEN,
    "claude-2.1.332-SessionStart-resume": KEPT,
    "claude-2.1.332-SessionStart-clear": FORGOTTEN,
    "claude-2.1.332-SessionStart-compact": FORGOTTEN,
    "claude-2.1.332-PreCompact-manual": FORGOTTEN,
    "claude-2.1.332-PostCompact-manual": FORGOTTEN,
    "cline-3.0.65-TaskStart": KEPT,
    "codex-0.171.0-SessionStart-startup": FORGOTTEN,
    "codex-0.171.0-SessionStart-resume": KEPT,
    "codex-0.171.0-SessionStart-compact": FORGOTTEN,
    "codex-0.171.0-PreCompact-auto": FORGOTTEN,
    "codex-0.171.0-PostCompact-auto": FORGOTTEN,
    "copilot-1.0.102-sessionStart-new": FORGOTTEN,
    "copilot-1.0.102-sessionStart-resume": KEPT,
    "copilot-1.0.102-preCompact-manual": FORGOTTEN,
    "copilot-1.0.102-claudesettings-SessionStart-new": FORGOTTEN,
    "copilot-1.0.102-claudesettings-SessionStart-resume": KEPT,
    "cursor-docs-sessionStart": FORGOTTEN,
    "droid-0.215.0-SessionStart-startup": FORGOTTEN,
    "gemini-0.61.0-SessionStart-startup": FORGOTTEN,
    "gemini-0.61.0-SessionStart-resume": KEPT,
    "gemini-0.61.0-PreCompress-auto": KEPT,  # It comes before every call of the model.
    "gemini-0.61.0-PreCompress-manual": FORGOTTEN,
    "kimi-2.1.0-SessionStart-startup": FORGOTTEN,
    "kimi-2.1.0-SessionStart-resume": KEPT,
    "qwen-0.24.4-SessionStart-startup": FORGOTTEN,
    "qwen-0.24.4-SessionStart-resume": KEPT,
    "qwen-0.24.4-SessionStart-compact": FORGOTTEN,
    "qwen-0.24.4-PreCompact-manual": FORGOTTEN,
    "qwen-0.24.4-PostCompact-manual": FORGOTTEN,
}
# A payload of the status line, and the percentage of the window that is free; None: not known.
STATUS_LINES = {
    "claude-2.1.332-statusLine": 40,
    "claude-2.1.332-statusLine-unknown": 100,  # Nothing was sent yet.
    "claude-2.1.332-statusLine-zero": 100,  # After /compact.
    "copilot-1.0.102-statusLine": 95,
    "copilot-1.0.102-statusLine-zero": 100,
    "qwen-0.24.4-statusLine-zero": None,
}
# Told apart below, one by one.
OTHERS = {"kiro-docs-userPromptSubmit", "vscode-docs-SessionStart"}


def recorded(name, hooked):
    return json.loads((PAYLOADS / (name + ".json")).read_text().replace("/w/repo", str(hooked.root)))


def agent(name):
    return name.partition("-")[0]


def without_context(value, found):
    if isinstance(value, dict):
        return {key: without_context(inner, found) for key, inner in value.items()}
    if isinstance(value, str) and value.startswith("<abcd-memory"):
        found.append(value)
        return "..."
    return value


def test_every_payload_is_read_by_a_test():
    known = {*PROMPTS, *SESSIONS, *STATUS_LINES, *OTHERS}
    assert {path.stem for path in PAYLOADS.glob("*.json")} == known


@pytest.fixture
def auth(hooked):
    return hooked.pages({"pitfall_auth_retry.md": page(["auth", "login"], "Retries are capped at three."),
                         "howto_x_deploy.md": page(["deploy", "gamma"], "Never on a Friday.")})


def session_of_payload(payload, hooked):
    return session_of(read_call(payload).session, hooked.places)


@pytest.mark.parametrize("name", sorted(PROMPTS))
def test_a_prompt_is_answered_once_in_its_agents_envelope(auth, name):
    # What clients were given to say is about something else than the page; that it comes is what is asked here.
    auth.config(match={"text": "off", "generic": "whole"})
    payload = recorded(name, auth)
    done = auth.sandbox.hook(payload)
    assert (done.returncode, done.stderr) == (0, b"")
    if PROMPTS[name] is SILENT:
        assert done.stdout == b""
        # Nothing but the secret is made for a prompt that is nobody's.
        assert not auth.sessions.exists()
        return
    found = []
    assert without_context(json.loads(done.stdout), found) == PROMPTS[name]
    # A file that a prompt names as @file is not what was typed.
    assert ("pitfall_auth_retry.md" if name.endswith("mention") else "Retries are capped") in found[0]
    assert "howto_x_deploy" not in found[0]
    assert read_call(payload).host == TAKEN_FOR.get(agent(name), agent(name))
    assert auth.sandbox.hook(payload).stdout == b""
    assert read_fill(session_of_payload(payload, auth)).remaining is None


@pytest.mark.parametrize("name", sorted(SESSIONS))
def test_what_the_session_was_given_is_forgotten_when_its_context_is(auth, name):
    payload = recorded(name, auth)
    session = read_call(payload).session
    assert "Retries" in auth.quick("auth", session)
    done = auth.sandbox.hook(payload, script="session_hook.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    again = auth.quick("and what of auth", session)
    assert ("Retries" in again) == (SESSIONS[name] == FORGOTTEN)


@pytest.mark.parametrize("name", sorted(STATUS_LINES))
def test_the_fill_is_what_the_status_line_says(auth, name):
    payload = recorded(name, auth)
    shown = statusline.keep(payload, auth.places)
    assert read_fill(session_of_payload(payload, auth)).remaining == STATUS_LINES[name]
    assert ("%" in shown) == ("unknown" not in name and STATUS_LINES[name] is not None)


def test_kiro_reads_plain_text(auth):
    done = auth.sandbox.hook(recorded("kiro-docs-userPromptSubmit", auth))
    assert done.returncode == 0
    assert done.stdout.startswith(b"<abcd-memory") and done.stdout.endswith(b"</abcd-memory>\n")


def test_copilot_with_both_of_its_files_is_answered_once_by_the_prompt_hook(auth):
    """It runs the hooks of .github/hooks and those of .claude/settings.json; what a session start says, it forgets."""
    for name, script in (("sessionStart-new", "session_hook.py"), ("claudesettings-SessionStart-new", "session_hook.py")):
        assert auth.sandbox.hook(recorded("copilot-1.0.102-" + name, auth), script=script).stdout == b""
    answers = []
    for name in ("userPromptSubmitted", "claudesettings-UserPromptSubmit"):
        payload = {**recorded("copilot-1.0.102-" + name, auth), "prompt": "why does auth fail?"}
        answers.append(auth.sandbox.hook(payload).stdout)
    assert answers[0].startswith(b'{"additionalContext":') and answers[1] == b""


def test_copilot_is_known_by_its_environment_where_its_payload_says_nothing(auth):
    payload = recorded("copilot-1.0.102-claudesettings-UserPromptSubmit", auth)
    del payload["timestamp"]
    assert auth.respond(dict(payload, session_id="other"))[0].startswith(b'{"hookSpecificOutput"')
    auth.sandbox.env["COPILOT_CLI"] = "1"
    assert auth.sandbox.hook(payload).stdout.startswith(b'{"additionalContext"')
    # Another agent that was started from Copilot's shell has the variable too.
    claude = recorded("claude-2.1.332-UserPromptSubmit", auth)
    assert auth.sandbox.hook(dict(claude, session_id="c")).stdout.startswith(b'{"hookSpecificOutput"')


def test_a_prompt_hook_says_nothing_to_events_that_are_no_prompt(auth):
    for name in ("copilot-1.0.102-preCompact-manual", "copilot-1.0.102-sessionStart-new", "cline-3.0.65-TaskStart"):
        assert auth.sandbox.hook(recorded(name, auth)).stdout == b""


def test_clines_first_agent_is_a_persons_and_those_it_starts_are_not(auth):
    payload = dict(recorded("cline-docs-UserPromptSubmit", auth), agent_id="agent_1", parent_agent_id=None)
    assert auth.respond(payload)
    assert auth.respond(dict(payload, taskId="2", parent_agent_id="agent_1")) == []


def test_a_window_of_size_0_is_not_known_whatever_else_is_said_of_it(auth):
    payload = recorded("qwen-0.24.4-statusLine-zero", auth)
    auth.free(20, payload["session_id"])
    payload["context_window"].update(current_usage=70000, used_percentage=50)
    statusline.keep(payload, auth.places)
    assert read_fill(session_of_payload(payload, auth)).remaining == 80 - 60


def test_what_copilot_adds_up_over_the_session_is_not_what_is_in_the_window(auth):
    payload = recorded("copilot-1.0.102-statusLine", auth)
    window = payload["context_window"]
    del window["used_percentage"], window["remaining_percentage"]
    statusline.keep(payload, auth.places)
    assert read_fill(session_of_payload(payload, auth)).remaining == pytest.approx(100 - 12.553)


def test_copilots_old_percentage_does_not_count_after_a_compaction(auth):
    payload = recorded("copilot-1.0.102-statusLine", auth)
    payload["context_window"].update(used_percentage=75, remaining_percentage=25, last_call_input_tokens=75000)
    statusline.keep(payload, auth.places)
    auth.sandbox.hook(recorded("copilot-1.0.102-preCompact-manual", auth), script="session_hook.py")
    payload["context_window"]["current_context_tokens"] = 9000  # This is new at once.
    statusline.keep(payload, auth.places)
    assert read_fill(session_of_payload(payload, auth)).remaining == 100
    payload["context_window"].update(used_percentage=10, remaining_percentage=90, last_call_input_tokens=10000)
    statusline.keep(payload, auth.places)
    assert read_fill(session_of_payload(payload, auth)).remaining == 90


def test_agents_whose_prompts_may_take_no_context_are_told_where_the_pages_are(auth):
    done = auth.sandbox.hook(recorded("vscode-docs-SessionStart", auth), script="session_hook.py")
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == "SessionStart" and ".abcd/memory/" in answer["additionalContext"]


def test_cursor_without_a_folder_takes_it_from_the_environment(auth):
    payload = recorded("cursor-docs-beforeSubmitPrompt", auth)
    payload["workspace_roots"] = []
    auth.sandbox.env["CURSOR_PROJECT_DIR"] = str(auth.root)
    assert b"Retries are capped" in auth.sandbox.hook(payload).stdout


def test_a_host_can_be_named_in_the_command(auth):
    payload = recorded("kiro-docs-userPromptSubmit", auth)
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
    hooked.pages({"a_b_%d.md" % n: page(["auth"], "%d " % n + "\u0434\u043e\u0431\u0440\u043e " * 400) for n in range(4)})
    hooked.free(95)
    sent = hooked.respond({**recorded("codex-0.171.0-UserPromptSubmit", hooked), "prompt": "auth", "session_id": "s1"})
    text = json.loads(sent[0])["hookSpecificOutput"]["additionalContext"]
    assert 5000 < len(text.encode()) <= 10000


def test_a_sub_agents_prompt_is_silent(auth):
    for name in ("agent_id", "agentId"):
        assert auth.respond(dict(recorded("claude-2.1.332-UserPromptSubmit", auth), **{name: "a1"})) == []
    assert not auth.sessions.exists()


def test_the_guide_names_every_host():
    from abcd_index.agenthooks.payload import HOSTS, SILENT

    guide = (hooked_store.ROOT / "docs" / "how-to" / "agents.md").read_text(encoding="utf-8")
    listed = guide.partition("add `--host=NAME` to the command (")[2].partition(")")[0]
    assert {name.strip("` \n") for name in listed.split(",")} == set(HOSTS) - set(SILENT)
