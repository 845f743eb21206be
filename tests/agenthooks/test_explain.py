"""``recall --prompt`` runs the hook's code: the same text, and a true reason for each page."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcd_index.agenthooks import fill, io, ledger
from abcd_index.agenthooks.decide import decide
from tests import hooked_store
from tests.hooked_store import page

hooked = hooked_store.hooked


def fill_store(hooked):
    hooked.pages(
        {"a_auth_login.md": page(["auth", "login"], "Login body. " * 20, "Auth login"),
         "b_auth_token.md": page(["auth", "token"], "Token body. " * 200, "Tokens", exclude=["mock"]),
         "c_rate.md": page(["rate limit"], "Rate body.", "Limits", contradicts=["d_rate_old.md"]),
         "d_rate_old.md": page(["rate limit", "limit"], "Old rate body.", "Old limits"),
         "e_deploy.md": page(["deploy"], "word\n\n" * 4000, "Deploy")},
        {"u_auth.md": page(["auth"], "User auth.", "Mine"), "u_tea.md": page(["tea", "login"], "Tea body.", "Tea")})
    hooked.rules({"SHIP": {"state": "active", "recall": ["deploy"], "rules": ["Tag it."]},
                "REST": {"state": "dormant", "recall": ["auth"], "rules": ["Rest."]}})
    return hooked


@pytest.fixture
def store(hooked):
    return fill_store(hooked)


PROMPTS = ("why does auth login fail?", "mock the auth token", "the rate limit and deploy", "tea", "nothing here",
           "*rest, then deploy", "```\nERROR deploy\n```\nwhy?", "/compact", "<task-notification>auth")


@pytest.mark.parametrize("free", [None, 90, 50, 20])
@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_text_is_the_hooks(store, prompt, free):
    if free is not None:
        store.free(free)
    session = io.session_of("s1", store.places, make=True)
    for turn in range(2):
        before = sorted(path.name for path in store.sessions.iterdir()) if store.sessions.exists() else []
        remembered = ledger.read_ledger(session, 15)
        shown = decide(prompt, store.scopes(), fill.read_fill(session), remembered, explain=True)
        plain = decide(prompt, store.scopes(), fill.read_fill(session), ledger.read_ledger(session, 15))
        after = sorted(path.name for path in store.sessions.iterdir()) if store.sessions.exists() else []
        assert before == after
        hook = store.ask(prompt) if turn == 0 else store.quick(prompt, prompt_id="again")
        assert shown.text == plain.text == hook, turn
        if hook:
            assert 'bracket="%s"' % shown.bracket in hook and shown.why


def rows(store, prompt, free=90, **kw):
    outcome = decide(prompt, store.scopes(), free, explain=True, **kw)
    return {row["file"].rpartition("/")[2] if row["kind"] == "page" else row["title"]: row for row in outcome.decisions}


def test_every_figure_adds_up(store):
    found = rows(store, "why does auth login fail with tokens?")
    for row in found.values():
        if row["kind"] == "page" and row["form"] != "none":
            assert row["score"] == pytest.approx(row["keywords"] + row["text"], abs=0.01)
            assert row["text"] == pytest.approx(sum(t["text"] + t["title"] for t in row["terms"]), abs=0.02)
            assert row["keywords"] == pytest.approx(3 * sum(w["figure"] for w in row["words"]), abs=0.02)
    assert [w["keyword"] for w in found["a_auth_login.md"]["words"]] == ["auth", "login"]


def test_reasons(store):
    found = rows(store, "auth login, the rate limit, deploy")
    assert found["a_auth_login.md"]["form"] == "full" and found["a_auth_login.md"]["why"] == "it fits whole"
    assert "the workspace scope holds the keyword 'auth'" in found["u_auth.md"]["why"]
    assert found["u_tea.md"]["form"] == "none" and "'login'" in found["u_tea.md"]["why"]
    assert found["d_rate_old.md"]["form"] == "line" and "c_rate.md contradicts" in found["d_rate_old.md"]["why"]
    assert found["e_deploy.md"]["form"] in ("line", "head")
    assert found["SHIP"]["form"] == "full"
    assert found["REST"]["form"] == "none" and "*REST brings it" in found["REST"]["why"]
    assert "excludes" in rows(store, "mock auth")["b_auth_token.md"]["why"]
    assert "only lines" in rows(store, "auth", 10)["a_auth_login.md"]["why"]
    assert "pasted" in rows(store, "why?\n```\nERROR login failed\n```")["a_auth_login.md"]["why"]


def test_seen_pages_say_since_when(store):
    store.quick("auth login")
    store.quick("nothing")
    remembered = ledger.read_ledger(io.session_of("s1", store.places), 15)
    found = rows(store, "login", 90, ledger=remembered)
    assert found["a_auth_login.md"]["why"] == "the session has it already, since 2 prompts ago"


def test_pages_beyond_the_best_are_shown_too(hooked):
    hooked.pages({"a_%02d.md" % n: page(["common"], "x") for n in range(40)})
    found = rows(hooked, "common")
    assert len(found) == 40 and sum("beyond the best" in row["why"] for row in found.values()) == 16


def test_a_prompt_that_brings_nothing_says_why(store):
    assert "no keyword" in decide("hello", store.scopes()).why
    assert "no person" in decide("<task-notification>auth", store.scopes()).why


@settings(max_examples=120, deadline=None)
@given(prompt=st.lists(st.sampled_from(["auth", "login", "limit", "rate limit", "deploy", "*ship", "\n```\n", "> ", "tea", "/x",
                                        "mock", "\u200b", "AuthLogin", "a/b/auth.py", "\U0001f680"]) | st.text(max_size=6),
                       max_size=9).map(" ".join), free=st.sampled_from([None, 0, 45, 100]))
def test_any_prompt_is_explained_without_changing_it(explained, prompt, free):
    shown = decide(prompt, explained, free, explain=True)
    plain = decide(prompt, explained, free)
    assert shown.text == plain.text and not shown.problems
    assert shown.marks == plain.marks
    assert bool(shown.text) == any(row["form"] != "none" for row in shown.decisions)


@pytest.fixture(scope="module")
def explained(tmp_path_factory):
    """The scopes of one store, built once."""
    from tests.conftest import Sandbox

    return fill_store(hooked_store.HookedStore(Sandbox(tmp_path_factory.mktemp("explained")))).scopes()
