"""In which form pages come: budgets, lines, heads, rules, and what a block never does."""

import pytest

from abcd_index.agenthooks import render
from abcd_index.agenthooks.decide import decide
from abcd_index.agenthooks.render import page_head
from tests import hooked_store
from tests.hooked_store import page

hooked = hooked_store.hooked


def auth_pages(count, size=300, **fields):
    return {"a_auth_%02d.md" % n: page(["auth"], "Body number %02d. " % n + "word " * (size // 5), "Auth %02d" % n, **fields)
            for n in range(count)}


def ask(hooked, prompt="auth", free=None, **kw):
    return decide(prompt, hooked.scopes(), free, **kw)


def lines(text):
    return [line for line in text.split("\n") if line.startswith("- ")]


def test_fresh_brings_all_that_fit_and_lines_for_the_rest(hooked):
    hooked.pages(auth_pages(6, 2400))
    text = ask(hooked, free=90).text
    assert text.count("Body number") == 3 and len(lines(text)) == 3
    assert len(text) <= 9000
    # Whole ones first, lines after them.
    assert text.index("- `a_auth") > text.rindex("Body number")


def test_moderate_brings_the_best_whole_within_its_budget(hooked):
    hooked.pages(auth_pages(5, 400))
    text = ask(hooked, free=50).text
    assert 1 <= text.count("Body number") <= 2 and text.count("Body number") + len(lines(text)) == 5
    assert len(text) <= 3000


def test_a_single_match_comes_whole_in_moderate(hooked):
    hooked.pages(auth_pages(1, 1500))
    assert "Body number 00" in ask(hooked, free=50).text


def test_depleted_brings_lines_within_its_budget_and_says_how_many_are_left(hooked):
    hooked.pages(auth_pages(60, 100))
    text = ask(hooked, free=10).text
    assert "Body number" not in text and len(lines(text)) >= 10
    assert len(text) <= 2000
    assert "(%d more pages match)" % (60 - len(lines(text))) in text


def test_every_line_is_the_catalogues_own(hooked):
    hooked.pages(auth_pages(2))
    (hooked.store / "index.md").write_text("# Index\n\n- `a_auth_00.md` \u2014 note | auth | The first, of **two**\n")
    hooked.build()
    assert "\n- `a_auth_00.md` \u2014 note | auth | The first, of **two**\n" in ask(hooked, free=10).text


def test_never_nothing_whatever_the_budget_and_the_line(hooked):
    hooked.pages({"a_auth_x.md": page(["auth"], "Body. " * 50)})
    (hooked.store / "index.md").write_text("- `a_auth_x.md` \u2014 " + "long " * 400 + "\n")
    hooked.config(limits={"depleted": 200, "moderate": 200})
    for free in (90, 50, 10):
        outcome = ask(hooked, free=free)
        assert "a_auth_x" in outcome.text, free
        assert outcome.marks


@pytest.mark.parametrize("free", [95, 55, 15])
@pytest.mark.parametrize("sign", ["x", "\u0434", "\u6f22", "\U0001f680", "<", "\x07"])
def test_no_text_exceeds_the_limits(hooked, free, sign):
    hooked.pages({"a_auth_%02d.md" % n: page(["auth"], "Body %d.\n\n" % n + (sign * 60 + "\n\n") * 60) for n in range(4)})
    for by_bytes in (False, True):
        text = ask(hooked, free=free, by_bytes=by_bytes).text
        assert len(text) <= {95: 9000, 55: 3000, 15: 2000}[free]
        assert len(text.encode("utf-16-le")) // 2 <= 10000
        if by_bytes:
            assert len(text.encode()) <= 10000


def test_a_page_longer_than_the_limit_comes_as_its_head_with_what_was_left_out(hooked):
    body = "\n\n".join("## Part %d\n\n%s" % (n, "word " * 120) for n in range(30))
    hooked.pages({"a_auth_long.md": page(["auth"], body, "Long")})
    outcome = ask(hooked, free=90)
    text = outcome.text
    assert 6000 < len(text) <= 9000
    assert "; left out: Part 1" in text and "and " in text and ".abcd/memory/a_auth_long.md" in text
    assert outcome.pages[0].form == "head"
    # Cut at a paragraph, and no heading is left alone at the end.
    shown = text.partition("\n(first ")[0]
    assert shown.endswith("word")


def test_a_head_that_was_seen_does_not_come_again(hooked):
    hooked.pages({"a_auth_long.md": page(["auth"], "word word.\n\n" * 2000)})
    hooked.free(90)
    assert hooked.quick("auth") and not hooked.quick("what of auth")


def test_a_cut_closes_the_code_fence(hooked):
    hooked.pages({"a_auth_long.md": page(["auth"], "Intro.\n\n```python\n" + "call(1)\n" * 3000 + "```\n\nEnd.")})
    text = ask(hooked, free=90).text
    assert text.count("```") == 2 and "call(1)\n```\n(first " in text


def test_a_cut_parts_no_character():
    for sign in ("e\u0301", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f44d\U0001f3fd", "\u0e01\u0e33"):
        body = sign * 400
        for room in range(900, 920):
            text = page_head(body, "x.md", room)
            shown = text.partition("\n(first ")[0]
            assert shown and body.startswith(shown) and len(shown) % len(sign) in (0, 1 if sign[0] == "\u0e01" else 0)
            assert len(text) <= room


@pytest.mark.parametrize("body", [
    "<" * 3000000, "a\n" * 1500000, "# h\nb\n" * 800000, "<b>x</b> " * 300000, " \n" * 9 + "# a\n\nb\n\n" * 99999,
])
def test_the_head_of_a_huge_page_looks_at_little_of_it(body, monkeypatch):
    looked = []
    clean = render.clean
    monkeypatch.setattr(render, "clean", lambda text: looked.append(len(text)) or clean(text))
    text = page_head(body, "x.md", 6000)
    assert 200 < len(text) <= 6000 and sum(looked) < 100000
    assert ", among others" in text or "# " not in body


def test_the_end_of_what_a_cut_looks_at_is_no_paragraph():
    body = "word\n" * 5000
    for room in range(1000, 1010):
        shown = page_head(body, "x.md", room).partition("\n(first ")[0]
        assert body.startswith(shown) and len(shown) > room - 150


def test_heads_say_how_much_they_hold():
    body = "One two three.\n\n" * 200
    text = page_head(body, ".abcd/memory/x.md", 1000)
    shown, _, note = text.partition("\n(first ")
    assert note.startswith("%d of %d characters" % (len(shown), len(body.rstrip()))) and len(text) <= 1000


def test_the_header_names_file_scope_words_and_age(hooked):
    hooked.pages({"a_auth_x.md": page(["Auth Flow", "login"], "Body.", "Title", updated="2026-07-01")},
               {"u_tea.md": page(["tea"], "Green.")})
    text = ask(hooked, "the auth flow", 90).text + ask(hooked, "tea", 90).text
    assert "## Title  (.abcd/memory/a_auth_x.md \u00b7 workspace \u00b7 matched: Auth Flow \u00b7 updated 2026-07-01)\n" in text
    assert "(~/.abcd.noindex/memory/u_tea.md \u00b7 user \u00b7 matched: tea)" in text
    text = ask(hooked, "tea", 10).text
    assert lines(text)[0].endswith("  (user \u00b7 ~/.abcd.noindex/memory/)")


def test_a_superseded_page_is_a_marked_line_and_ranks_below_the_newer_one(hooked):
    hooked.pages({"a_auth_old.md": page(["auth", "login", "auth login"], "Old way: auth login auth.", "Auth login"),
                "a_auth_new.md": page(["auth"], "New way.", "Other", contradicts=["a_auth_old.md"])})
    for free in (90, 50):
        text = ask(hooked, "auth login", free).text
        assert "New way." in text and "Old way" not in text
        assert "a newer page speaks against it: a_auth_new.md" in text
    found = lines(ask(hooked, "auth login", 10).text)
    assert "a_auth_new" in found[0] and "a_auth_old" in found[1]
    assert "a_auth_new.md" in ask(hooked, "login", 90).text and "Old way" not in ask(hooked, "login", 90).text


def test_specific_keywords_beat_generic_ones(hooked):
    pages = {"z_generic_%02d.md" % n: page(["deploy"], "deploy deploy deploy", "Deploy") for n in range(10)}
    pages["y_phrase.md"] = page(["deploy queue"], "Text.", "Q")
    pages["x_rare.md"] = page(["helm"], "Text.", "H")
    pages["w_two.md"] = page(["deploy", "canary"], "Text.", "C")
    hooked.pages(pages)
    order = [candidate.record["file"] for candidate in ask(hooked, "the deploy queue with helm and canary", 90).pages]
    assert set(order[:3]) == {"y_phrase.md", "x_rare.md", "w_two.md"}


def test_a_longer_phrase_ranks_above_the_keyword_inside_it_and_does_not_silence_it(hooked):
    hooked.pages({"a_limit.md": page(["limit"], "limit limit limit", "Limit"), "b_rate.md": page(["rate limit"], "Text.", "R")})
    files = [candidate.record["file"] for candidate in ask(hooked, "what is the rate limit?", 90).pages]
    assert files == ["b_rate.md", "a_limit.md"]


def test_the_same_prompt_gives_the_same_bytes(hooked):
    hooked.pages(auth_pages(40, 100))
    assert len({ask(hooked, free=10).text for _ in range(4)}) == 1
    assert [c.record["file"] for c in ask(hooked, free=10).pages] == ["a_auth_%02d.md" % n for n in range(24)]


def test_pasted_words_bring_a_line_and_typed_ones_the_page(hooked):
    hooked.pages({"a_deploy.md": page(["deploy"], "Body D."), "a_auth.md": page(["auth"], "Body A."),
                **{"f_%d.md" % n: page(["filler%d" % n], "x") for n in range(60)}})
    log = "```\n2026-01-01 12:00:00 ERROR deploy failed\n```"
    text = ask(hooked, "why?\n" + log, 90).text
    assert "Body D." not in text and "a_deploy.md" in text
    text = ask(hooked, "why does auth fail?\n" + log, 90).text
    assert "Body A." in text and "Body D." not in text


def test_several_rare_pasted_words_bring_the_page(hooked):
    hooked.pages({"a_deploy.md": page(["canary rollout", "argo sync"], "Body D."),
                **{"f_%d.md" % n: page(["filler%d" % n], "x") for n in range(120)}})
    text = ask(hooked, "why?\n```\nERROR canary rollout stopped: argo sync failed\n```", 90).text
    assert "Body D." in text


def test_an_excluded_word_keeps_a_page_out(hooked):
    hooked.pages({"a_auth.md": page(["auth"], "Body A.", exclude=["mock"])})
    assert "Body A." in ask(hooked, "auth", 90).text
    outcome = ask(hooked, "mock the auth", 90)
    assert outcome.text == "" and "mock" in outcome.pages[0].why


def test_rules_come_first_and_once(hooked):
    hooked.pages({"a_auth.md": page(["auth"], "Body A.")})
    hooked.rules({"AUTH": {"state": "active", "recall": ["auth"], "rules": ["Never log a token.", "Rotate\nkeys."]}})
    text = hooked.quick("auth")
    assert "## Rules: AUTH  (.abcd/rules.json \u00b7 workspace \u00b7 matched: auth)\n- Never log a token.\n- Rotate keys.\n" in text
    assert text.index("Never log") < text.index("Body A.")
    assert hooked.quick("auth?") == ""


@pytest.mark.parametrize("state", ["dormant", "active"])
def test_a_star_brings_a_domain_whatever_its_state(hooked, state):
    hooked.pages({"a_auth.md": page(["tea"], "Body A.")})
    hooked.rules({"SHIP": {"state": state, "recall": ["deploy"], "rules": ["Tag it."]}})
    assert ("Tag it." in ask(hooked, "deploy", 90).text) == (state == "active")
    assert "matched: *SHIP)" in ask(hooked, "go *ship now", 90).text
    assert "Tag it." not in ask(hooked, "a*ship", 90).text and "Tag it." not in ask(hooked, "*shipping", 90).text


def test_rules_have_their_own_share_and_leave_the_pages_theirs(hooked):
    hooked.pages(auth_pages(2))
    hooked.rules({"AUTH": {"state": "active", "recall": ["auth"],
                         "rules": ["Rule %02d: %s" % (n, "word " * 40) for n in range(40)]}})
    for free, most in ((90, 9000), (50, 3000), (10, 2000)):
        text = ask(hooked, free=free).text
        assert "Rule 00" in text and "a_auth_00" in text and len(text) <= most
        assert " more in .abcd/rules.json)" in text
        assert text.index("a_auth_00") < 2700


def test_rules_alone_are_answered_without_any_page(hooked):
    hooked.rules({"AUTH": {"state": "active", "recall": ["auth"], "rules": ["Never log a token."], "exclude": ["mock"]}})
    assert "Never log a token." in ask(hooked, free=10).text
    assert ask(hooked, "mock auth").text == ""


def test_a_keyword_of_thousands_of_pages_costs_a_few_records(hooked, monkeypatch):
    from abcd_index.artefact.reader import Artefact

    hooked.pages({"a_%04d.md" % n: page(["common", "rare%d" % n], "x") for n in range(700)})
    read = []
    record = Artefact.record
    monkeypatch.setattr(Artefact, "record", lambda self, page: read.append(page) or record(self, page))
    outcome = ask(hooked, "a common thing with rare650", 90)
    assert outcome.pages[0].record["file"] == "a_0650.md"
    assert len(read) < 60 and outcome.more > 600


def test_settings_in_an_artefact_are_taken_within_bounds():
    from abcd_index.agenthooks.decide import DEFAULTS, settings_of

    assert settings_of({}) == settings_of({"settings": 5}) == DEFAULTS
    wild = {"settings": {"refresh_every": -1, "limits": {"context": 10 ** 9, "rules": "x"}, "brackets": None}}
    assert settings_of(wild) == DEFAULTS
    assert settings_of({"settings": {"limits": {"context": 700}}})["limits"]["context"] == 700


def test_cost_holds_both_limits():
    assert render.cost("abc") == 3 and render.cost("\u0434" * 9, True) == 17 and render.cost("\U0001f680" * 9) == 17
