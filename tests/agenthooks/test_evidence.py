"""What brings a page beside a typed keyword, and what a keyword brings that nothing supports: `docs/explanation/matching.md`."""

import json

import pytest

from tests import hooked_store
from tests.hooked_store import page

hooked = hooked_store.hooked

BODIES = {
    "cookie": (["auth", "login"], "The session cookie is dropped when the proxy ends TLS.", "Cookies behind the proxy"),
    "prisma": (["prisma"], "Run the generator after each change of the schema, or the client is stale.", "Prisma client"),
    "push": (["push to main"], "Nobody does it by hand; the merge queue does.", "The merge queue"),
    "pods": (["kubernetes"], "A pod that is evicted leaves its volume behind.", "Evicted pods"),
    "none": ([], "Invoices of a quarter are archived by the nightly ledger export.", "Ledger export"),
}


def store(**more):
    return {"note_x_%s.md" % name: page(*values) for name, values in {**BODIES, **more}.items()}


def fillers(count, word="gizmo"):
    """Pages that share no word with a prompt, but for ``word``."""
    return {"f%02d" % n: (["filler%02d" % n], "Of %s and number%02d." % (word, n), "Filler %02d" % n) for n in range(count)}


def came(hooked, prompt, session=None, free=90):
    """{name: whether it came whole}."""
    hooked.free(free, session or prompt)
    text = hooked.ask(prompt, session=session or prompt)
    found = {}
    for line in text.split("\n"):
        for name in BODIES:
            if "note_x_%s.md" % name in line and line.startswith(("## ", "- ")):
                found[name] = line.startswith("## ")
    return found


@pytest.mark.parametrize("prompt, whole", [
    ("auth", True),
    ("fix the auth bug", True),
    ("auth?", True),
    ("please rename the prisma file and test it", True),  # nothing else is said
    ("prisma setup", True),  # little but the keyword
    ("prisma upgrade", True),  # one other word is not another subject
    ("add the prisma logo to the customer wall", False),  # logo, customer, wall
    ("add the prisma logo to the stale client wall", True),  # the page says two of them
    ("why is the cookie of the auth proxy gone?", True),
])
def test_a_keyword_alone_in_a_prompt_about_something_else_is_a_line(hooked, prompt, whole):
    hooked.pages(store())
    name = "prisma" if "prisma" in prompt else "cookie"
    assert came(hooked, prompt)[name] is whole


def test_two_keywords_or_a_phrase_come_whole_whatever_else_is_said(hooked):
    hooked.pages(store())
    assert came(hooked, "the auth logo on the login wall of customers") == {"cookie": True}
    assert came(hooked, "who may push to main while the customer wall is painted?") == {"push": True}


@pytest.mark.parametrize("pages, whole", [(19, True), (30, False)])
def test_a_keyword_that_many_pages_say_is_a_line_unless_the_store_is_too_small_to_tell(hooked, pages, whole):
    hooked.pages(store(**fillers(pages - len(BODIES), "auth")))
    assert came(hooked, "fix auth")["cookie"] is whole
    assert came(hooked, "fix auth behind the proxy, the cookie is dropped")["cookie"] is True


def test_two_keywords_support_each_other(hooked):
    hooked.pages(store(**fillers(30, "auth and login")))
    assert came(hooked, "auth") == {"cookie": False} and came(hooked, "fix login") == {"cookie": False}
    assert came(hooked, "fix auth and login") == {"cookie": True}


def test_an_everyday_keyword_is_a_line_without_support(hooked):
    hooked.pages(store(cookie=(["review"], *BODIES["cookie"][1:])))
    assert came(hooked, "review it") == {"cookie": False}
    assert came(hooked, "review the proxy cookie") == {"cookie": True}


@pytest.mark.parametrize("prompt, pages", [
    ("the ledger export of invoices failed", {"none": False}),
    ("archived ledger invoices", {"none": False}),
    ("invoices", {}),  # one word is not enough
    ("the volume of an evicted pod", {"pods": False}),
    ("nothing of all this", {}),
    ("paint the customer wall blue", {}),
])
def test_the_text_of_a_page_brings_its_line(hooked, prompt, pages):
    hooked.pages(store())
    assert came(hooked, prompt) == pages


def test_beside_a_page_that_comes_whole_text_brings_nothing(hooked):
    hooked.pages(store())
    assert came(hooked, "auth, login and the ledger export of invoices") == {"cookie": True}
    assert came(hooked, "auth and the ledger export of invoices") == {"cookie": False, "none": False}


def test_a_line_that_text_brought_says_so(hooked):
    hooked.pages(store())
    hooked.free(90, "s")
    assert "Ledger export  (matched: text)\n" in hooked.ask("the ledger export of invoices", session="s")


def test_a_store_without_keywords_helps_from_its_first_day(hooked):
    hooked.pages({"note_x_none.md": page(*BODIES["none"]), "note_x_pods.md": page([], *BODIES["pods"][1:])})
    assert came(hooked, "the ledger export of invoices failed") == {"none": False}


def test_text_of_what_was_pasted_brings_nothing(hooked):
    hooked.pages(store())
    assert came(hooked, "```\nthe ledger export of invoices\n```") == {}
    assert came(hooked, "why?\n```\nthe ledger export of invoices, archived nightly\n```") == {}


def test_the_figure_does_not_depend_on_the_size_of_the_store(hooked):
    for count in (0, 20, 120):
        hooked.pages(store(**fillers(count)))
        assert came(hooked, "the ledger export of invoices failed", "s%d" % count) == {"none": False}
        assert came(hooked, "the nightly customer wall", "t%d" % count) == {}


def test_at_most_three_lines_by_text(hooked):
    hooked.pages(store(**fillers(60), **{"none%d" % n: ([], *BODIES["none"][1:]) for n in range(5)}))
    hooked.free(90, "s")
    assert hooked.ask("the ledger export of invoices", session="s").count("matched: text") == 3


@pytest.mark.parametrize("prompt, pages", [
    ("push everything to main", {"push": False}),
    ("is main where I push this to?", {"push": False}),
    ("push the customer wall of paint, main street", {}),  # about something else
    ("push it", {}),
])
def test_the_words_of_a_phrase_apart_are_a_line(hooked, prompt, pages):
    hooked.pages(store())
    assert came(hooked, prompt) == pages


@pytest.mark.parametrize("keyword, prompt", [
    ("kubernetes", "restart k8s"), ("k8s", "restart kubernetes"), ("pull request", "open a PR"), ("pr", "open a pull request"),
    ("database", "copy the db"), ("repo", "clone the repository"), ("authentication", "fix auth"), ("env", "which environment?"),
])
def test_another_name_of_a_keyword_is_a_line(hooked, keyword, prompt):
    hooked.pages({"note_x_pods.md": page([keyword], *BODIES["pods"][1:]), "note_x_none.md": page(*BODIES["none"])})
    assert came(hooked, prompt).get("pods") is False
    assert came(hooked, keyword).get("pods") is True


def test_weaker_evidence_of_a_wider_scope_yields_to_a_declared_page(hooked):
    other = {"note_x_none.md": page(*BODIES["none"])}
    hooked.pages({"note_x_cookie.md": page(*BODIES["cookie"])}, other)
    assert came(hooked, "the ledger export of invoices") == {"none": False}
    assert came(hooked, "auth for the ledger export of invoices") == {"cookie": False}


def test_settings_give_exactly_the_keyword_rule(hooked):
    hooked.pages(store())
    hooked.config(match={"text": "off", "generic": "whole"})
    hooked.build()
    assert came(hooked, "add the prisma logo to the customer wall") == {"prisma": True}
    assert came(hooked, "the ledger export of invoices") == {} == came(hooked, "push everything to main")


@pytest.mark.parametrize("match, prisma, ledger", [
    ({"text": "off"}, False, {}), ({"generic": "whole"}, True, {"none": False}),
])
def test_each_setting_by_itself(hooked, match, prisma, ledger):
    hooked.pages(store())
    hooked.config(match=match)
    hooked.build()
    assert came(hooked, "add the prisma logo to the customer wall") == {"prisma": prisma}
    assert came(hooked, "the ledger export of invoices") == ledger


def test_a_line_that_text_brought_does_not_come_again(hooked):
    hooked.pages(store())
    assert came(hooked, "the ledger export of invoices", "s") == {"none": False}
    assert came(hooked, "and the ledger export of archived invoices", "s") == {}


def test_rules_stay_on_typed_keywords(hooked):
    hooked.pages(store())
    hooked.rules({"MONEY": {"state": "active", "recall": ["ledger books"], "rules": ["Count twice."]}})
    assert "Count twice." not in hooked.ask("the ledger has books", session="s")
    assert "Count twice." in hooked.ask("the ledger books", session="s")


def test_recall_says_what_nearly_came(hooked):
    hooked.pages(store())
    done = hooked.sandbox.cli("recall", "--prompt", "the nightly export", "--json", cwd=hooked.root)
    rows = {row["file"].rpartition("/")[2]: row for row in json.loads(done.stdout)["pages"]}
    row = rows["note_x_none.md"]
    assert (row["evidence"], row["threshold"]) == ("text", 0.72) and row["support"] > 0
    done = hooked.sandbox.cli("recall", "--prompt", "add the prisma logo to the customer wall", "--json", cwd=hooked.root)
    row, = json.loads(done.stdout)["pages"]
    assert (row["evidence"], row["form"], row["threshold"]) == ("keyword", "line", 0.38)
    assert "other words are none of the page's" in row["reason"]
