"""``recall --prompt`` shows what the hook does: the same text, with reasons, and leaves no trace."""

import io
import json

import pytest

from abcd_index.commands import recall
from abcd_index.commands.console import Console
from abcd_index.scopes import Places

PAGES = {
    "pitfall_auth_login.md": "---\nsource: {class: session_memory}\nrecall: [auth, login]\n---\n# Login loops\n\nThe cookie.\n",
    "pitfall_auth_token.md": "---\nsource: {class: session_memory}\nrecall: [auth, token]\nexclude: [bearer]\n---\n"
                             "# Tokens\n\nThey expire.\n",
    "decision_auth.md": "---\nsource: {class: decision}\nrecall: [auth]\ncontradicts: [pitfall_auth_token]\n---\n"
                        "# One provider\n\nText.\n",
    "howto_deploy.md": "---\nsource: {class: howto}\nrecall: [deploy]\n---\n# Deploy\n\n" + "Step by step. " * 900,
}
USER = {"user_deploy.md": "---\nname: d\ndescription: Mine\nrecall: [deploy, feature flag]\n---\nMine alone.\n"}
RULES = '{"schema_version": 1, "domains": {"DB": {"state": "active", "recall": ["migration"], "rules": ["Only add."]}}}'


@pytest.fixture
def root(sandbox):
    root = sandbox.repo(pages=PAGES)
    (root / ".abcd" / "rules.json").write_text(RULES)
    sandbox.user_pages(USER)
    assert sandbox.cli("build", cwd=root).returncode == 0
    return root


def ask(sandbox, root, prompt, *options):
    """``abcd-index recall --prompt --json`` without the process around it."""
    out, err = io.StringIO(), io.StringIO()
    given = dict(zip(options[::2], options[1::2]))
    free = given.get("--remaining")
    status = recall.prompt(prompt, str(root), remaining=None if free is None else float(free),
                               session=given.get("--session"), as_json=True, console=Console(out, err, sandbox.env),
                               places=Places(sandbox.env))
    assert status == 0, err.getvalue()
    return json.loads(out.getvalue())


def hook(sandbox, root, prompt, session=None, **fields):
    payload = {"cwd": str(root), "hook_event_name": "UserPromptSubmit", "prompt": prompt, **fields}
    if session:
        payload["session_id"] = session
    return sandbox.context(payload)


def fill(sandbox, root, session, free):
    done = sandbox.hook({"session_id": session, "cwd": str(root), "hook_event_name": "Status",
                     "context_window": {"used_percentage": 100 - free}}, script="statusline_hook.py")
    assert done.returncode == 0, done.stderr


PROMPTS = ["why does auth fail?", "auth login token migration", "deploy with a feature flag", "*DB please", "hello there",
           "the bearer token for auth", "```\nauth login\n```\nwhy?", "D\u00e9ploy the AuthLoginHandler", "", "/help",
           "<task-notification>auth</task-notification>", "auth " * 3000]


@pytest.mark.parametrize("number", range(len(PROMPTS)))
def test_the_text_is_the_hooks(sandbox, root, number):
    for free in (None, 90, 55, 20):
        session = f"s-{number}-{free}"
        options = ()
        if free is not None:
            fill(sandbox, root, session, free)
            options = ("--remaining", str(free))
        mine = ask(sandbox, root, PROMPTS[number], *options)
        assert mine["text"] == hook(sandbox, root, PROMPTS[number], session)
        if mine["text"]:
            assert f'bracket="{mine["bracket"]}"' in mine["text"]


def test_a_session_is_seen_as_the_hook_sees_it_and_left_alone(sandbox, root):
    fill(sandbox, root, "s", 90)
    first = ask(sandbox, root, "why does auth fail?", "--session", "s")
    assert first["bracket"] == "FRESH" and "status line" in first["why"]
    assert first["text"] == hook(sandbox, root, "why does auth fail?", "s")
    sessions = sandbox.user / ".index" / "sessions"
    before = {path: path.read_bytes() for path in sessions.iterdir()}
    again = ask(sandbox, root, "auth again, and login", "--session", "s")
    assert {path: path.read_bytes() for path in sessions.iterdir()} == before
    assert again["text"] == hook(sandbox, root, "auth again, and login", "s") == again["text"]
    reasons = {page["file"].rpartition("/")[2]: page["reason"] for page in again["pages"]}
    assert "session has" in reasons["pitfall_auth_login.md"]


def test_why_each_page_did_or_did_not_come(sandbox, root):
    result = ask(sandbox, root, "deploy auth with the bearer", "--remaining", "90")
    pages = {page["file"]: page for page in result["pages"]}
    assert {"bracket", "why", "text", "pages", "rules", "more", "problems"} <= set(result)
    login = pages[".abcd/memory/pitfall_auth_login.md"]
    assert login["form"] == "line" and "other words" in login["reason"] and login["score"] == pytest.approx(login["keywords"] + login["text"], abs=0.002)
    assert [word["keyword"] for word in login["words"]] == ["auth"] and login["scope"] == "workspace"
    token = pages[".abcd/memory/pitfall_auth_token.md"]
    assert token["form"] == "none" and "bearer" in token["reason"]
    assert pages[".abcd/memory/howto_deploy.md"]["form"] in ("head", "line")
    mine = {page["file"]: page for page in ask(sandbox, root, "a feature flag", "--remaining", "90")["pages"]}
    assert mine["~/.abcd.noindex/memory/user_deploy.md"]["form"] == "full"
    held = {page["file"]: page for page in ask(sandbox, root, "deploy it", "--remaining", "90")["pages"]}
    assert held["~/.abcd.noindex/memory/user_deploy.md"]["form"] == "none"
    assert "workspace" in held["~/.abcd.noindex/memory/user_deploy.md"]["reason"]


def test_for_a_person(sandbox, root):
    done = sandbox.cli("recall", "--prompt", "auth login migration", "--remaining", "55", cwd=root)
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "MODERATE: 55 % free was given" and '<abcd-memory bracket="MODERATE">' in lines
    assert "full  .abcd/rules.json *DB" in lines
    assert any(line.startswith("full  .abcd/memory/pitfall_auth_login.md  ") and " keywords + " in line for line in lines)
    assert any("'login' (typed, 1 page" in line for line in lines)
    nothing = sandbox.cli("recall", "--prompt", "hello", cwd=root)
    assert nothing.stdout == "Nothing comes: no keyword is in the prompt\n"


def test_from_standard_input(sandbox, root):
    done = sandbox.run("abcd-index", "recall", "--prompt", "-", "--json", cwd=root, input="why does auth fail?\n")
    assert json.loads(done.stdout)["prompt"] == "why does auth fail?\n" and json.loads(done.stdout)["text"]


def test_without_an_artefact_it_says_what_to_do(sandbox):
    root = sandbox.repo(pages=PAGES)
    done = sandbox.cli("recall", "--prompt", "auth", cwd=root)
    assert done.returncode == 1 and "abcd-index build" in done.stderr and "Nothing comes" in done.stdout


def test_a_figure_that_is_none(sandbox, root):
    assert sandbox.cli("recall", "--prompt", "auth", "--remaining", "120", cwd=root).returncode == 2
    assert sandbox.cli("recall", "--prompt", "auth", "--remaining", "many", cwd=root).returncode == 2
