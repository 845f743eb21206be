"""`keywords`: what it suggests, what it writes, and that nothing else in the file changes."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import PAGES, placed

from abcd_index.commands import keywords
from abcd_index.commands.console import Console
from abcd_index.errors import AbcdError
from abcd_index.store.edit import CannotAdd, add_keywords
from abcd_index.store.page import read_page

# (frontmatter and body before, after), `WORDS` added.
WORDS = ["new word", "@x/y"]
CASES = {
    "flow": ("---\nrecall: [a, b]\n---\nx\n", "---\nrecall: [a, b, new word, \"@x/y\"]\n---\nx\n"),
    "flow, comment": ("---\nrecall: [a, 'b]'] # ]\n---\nx\n", "---\nrecall: [a, 'b]', new word, \"@x/y\"] # ]\n---\nx\n"),
    "flow, spaces": ("---\nrecall: [ a , b ]\n---\n", "---\nrecall: [ a , b, new word, \"@x/y\" ]\n---\n"),
    "flow, comma at the end": ("---\nrecall: [a, b,]\n---\n", "---\nrecall: [a, b, new word, \"@x/y\"]\n---\n"),
    "flow, empty": ("---\nrecall: []\n---\nx", "---\nrecall: [new word, \"@x/y\"]\n---\nx"),
    "flow, lines": ("---\nrecall: [\n  a,\n  b  # last\n]\nname: n\n---\nx\n",
                    "---\nrecall: [\n  a,\n  b, new word, \"@x/y\"  # last\n]\nname: n\n---\nx\n"),
    "block": ("---\nrecall:\n  - a\n  - b\nname: n\n---\nx\n",
              "---\nrecall:\n  - a\n  - b\n  - new word\n  - \"@x/y\"\nname: n\n---\nx\n"),
    "block, no margin": ("---\nrecall:\n- a\nname: n\n---\nx\n", "---\nrecall:\n- a\n- new word\n- \"@x/y\"\nname: n\n---\nx\n"),
    "block, comments": ("---\nrecall: # list\n  - a\n\n  # and\n  - b # c\n---\nx\n",
                        "---\nrecall: # list\n  - a\n\n  # and\n  - b # c\n  - new word\n  - \"@x/y\"\n---\nx\n"),
    "nothing yet": ("---\nrecall:\nname: n\n---\nx\n", "---\nrecall: [new word, \"@x/y\"]\nname: n\n---\nx\n"),
    "absent": ("---\nname: n\n# keep\n---\nx\n", "---\nname: n\n# keep\nrecall: [new word, \"@x/y\"]\n---\nx\n"),
    "no frontmatter": ("# Title\n\nx\n", "---\nrecall: [new word, \"@x/y\"]\n---\n# Title\n\nx\n"),
    "in source": ("---\nsource:\n  class: s\n  recall: [a]\n---\nx\n",
                  "---\nsource:\n  class: s\n  recall: [a, new word, \"@x/y\"]\n---\nx\n"),
    "in source, block": ("---\nsource:\n  recall:\n    - a\n  class: s\n---\nx\n",
                         "---\nsource:\n  recall:\n    - a\n    - new word\n    - \"@x/y\"\n  class: s\n---\nx\n"),
    "CRLF": ("---\r\nrecall:\r\n- a\r\n---\r\nx\r\n", "---\r\nrecall:\r\n- a\r\n- new word\r\n- \"@x/y\"\r\n---\r\nx\r\n"),
    "CR": ("---\rname: n\r---\rx\r", "---\rname: n\rrecall: [new word, \"@x/y\"]\r---\rx\r"),
    "byte order mark": ("\ufeff---\nrecall: [a]\n---\nx\n", "\ufeff---\nrecall: [a, new word, \"@x/y\"]\n---\nx\n"),
    "byte order mark, no frontmatter": ("\ufeff# T\r\n", "\ufeff---\r\nrecall: [new word, \"@x/y\"]\r\n---\r\n# T\r\n"),
    "blank lines before": ("\n\n---\nrecall: [a]\n---\nx\n", "\n\n---\nrecall: [a, new word, \"@x/y\"]\n---\nx\n"),
    "quoted key": ("---\n\"recall\": [a]\n---\nx\n", "---\n\"recall\": [a, new word, \"@x/y\"]\n---\nx\n"),
    "long dashes": ("-----\nname: n\n----- \nx\n", "-----\nname: n\nrecall: [new word, \"@x/y\"]\n----- \nx\n"),
}


@pytest.mark.parametrize("case", CASES)
def test_added_and_nothing_else(case):
    before, after = CASES[case]
    assert add_keywords("user_x.md", before.encode(), WORDS).decode() == after


def test_one_text_is_extended_as_it_is_written():
    assert add_keywords("x.md", b"---\nrecall: git, docker  # c\n---\n", ["new"]) == \
        b"---\nrecall: git, docker, new  # c\n---\n"
    assert add_keywords("x.md", b"---\nrecall: 'git, docker'\n---\n", ["new"]) == b"---\nrecall: 'git, docker, new'\n---\n"


@pytest.mark.parametrize("text", [
    "---\nrecall: &a [x]\n---\n", "---\nrecall: {a: b}\n---\n", "---\nname: [\n---\nx\n", "---\nname: n\n",
    "---\nrecall: |\n  a\n---\n", "{\"recall\": [\"a\"]}\n---\n"])
def test_what_cannot_be_edited_is_left_alone_and_told(text):
    try:
        done = add_keywords("x.md", text.encode(), ["new"])
    except CannotAdd as refused:
        assert "add by hand: recall: [new]" in refused.hint
    else:
        assert read_page("x.md", done)[0].keywords[-1] == "new"


@pytest.mark.parametrize("name, before, words, after", [
    ("vpn.md", "---\nrecall: [WireGuard]\n---\nx\n", ["wireguard", "VPN", "vpn"], "---\nrecall: [WireGuard, VPN]\n---\nx\n"),
    ("vpn.md", "---\nrecall: [WireGuard]\n---\nx\n", ["wireguard"], "---\nrecall: [WireGuard]\n---\nx\n"),
    ("creating_a_release.md", "# Creating a release\n", ["release"], "---\nrecall: [release]\n---\n# Creating a release\n"),
    ("idea.md", "---\ntype: [note, idea]\n---\nx\n", ["sourdough"], "---\ntype: [note, idea]\nrecall: [sourdough]\n---\nx\n"),
    ("idea_of_mine.md", "---\ntype:\n  - note\ntags: [a]\n---\nx\n", ["yeast"],
     "---\ntype:\n  - note\ntags: [a]\nrecall: [yeast]\n---\nx\n"),
])
def test_keywords_are_added_to_pages_of_every_kind(name, before, words, after):
    assert add_keywords(name, before.encode(), words).decode() == after
    old, new = read_page(name, before.encode())[0], read_page(name, after.encode())[0]
    assert (new.dialect, new.type, new.slug) == (old.dialect, old.type, old.slug)


@pytest.mark.parametrize("word", ["no", "null", "404", "3.10", "a: b", "it's", 'say "x"', "[x]", "@scope/pkg",
                                  "back\\slash", "-x", "日本", "/plan", "node.js", "%x", "*x"])
def test_every_keyword_is_read_back_as_it_is(word):
    done = add_keywords("x.md", b"---\nname: n\n---\nx\n", [word])
    assert read_page("x.md", done)[0].keywords == (word,)


@settings(max_examples=200, deadline=None)
@given(text=st.one_of(st.text(), st.builds("---\n{}\n---\n{}".format, st.text(), st.text()),
                      st.builds("---\nrecall:{}\nname: n\n---\nx".format, st.text(alphabet=" \n[]-,#'\"ab:\r", max_size=30))))
def test_any_page_is_extended_truly_or_not_at_all(text):
    data = text.encode("utf-8", "replace")
    try:
        done = add_keywords("user_x.md", data, ["added"])
    except CannotAdd:
        return
    before, after = read_page("user_x.md", data)[0], read_page("user_x.md", done)[0]
    assert after.keywords == before.keywords + ("added",)
    assert (after.body, after.title, after.summary) == (before.body, before.title, before.summary)
    assert len(done) > len(data) and done.endswith(data[-1:] or b"\n")


@pytest.fixture
def root(sandbox):
    return sandbox.repo(pages=PAGES)


def ask(sandbox, cwd, *args, **options):
    """(exit status, stdout, stderr) of the command."""
    out, err = io.StringIO(), io.StringIO()
    with placed(sandbox, cwd):
        status = keywords.run(*args, console=Console(out, err, sandbox.env), **options)
    return status, out.getvalue(), err.getvalue()


def suggested(sandbox, cwd, page, **options):
    """{keyword: row} for one page."""
    _, out, _ = ask(sandbox, cwd, page, as_json=True, **options)
    return {row["keyword"]: row for row in json.loads(out)["pages"][0]["suggestions"]}


def test_pages_without_keywords_or_with_weak_ones_are_asked_about(sandbox, root):
    sandbox.pages(root, {"user_weak.md": "---\nname: weak\ndescription: Sourdough hydration\nrecall: [new, x]\n---\nx\n"})
    _, out, _ = ask(sandbox, root, as_json=True)
    rows = {row["file"]: row["wants"] for row in json.loads(out)["pages"]}
    assert sorted(rows) == ["reference_ports.md", "user_editor.md", "user_weak.md"]
    assert "no keywords" in rows["user_editor.md"] and "weak" in rows["user_weak.md"]


def test_suggestions_set_the_page_apart(sandbox, root):
    found = suggested(sandbox, root, "service-ports")
    assert {"gateway", "ledger"} <= set(found)
    assert not {"the", "on", "each"} & set(found)


def test_a_keyword_says_which_other_pages_it_would_surface(sandbox, root):
    sandbox.pages(root, {"project_gate.md": "---\nname: gate\ndescription: d\nrecall: [gateway]\n---\nx\n"})
    assert suggested(sandbox, root, "service-ports", limit=20)["gateway"]["also_surfaces"] == ["project_gate.md"]


def test_what_a_page_answers_to_already_is_not_suggested(sandbox, root):
    found = suggested(sandbox, root, "pitfall_auth_login.md", limit=20)
    assert found and not any("login" in keyword or "auth" in keyword for keyword in found)


def test_a_page_by_file_name_stem_name_or_slug(sandbox, root):
    for page in ("user_editor.md", "user_editor", "editor_setup", ".abcd/memory/user_editor.md"):
        assert "vim" in suggested(sandbox, root, page)
    assert suggested(sandbox, root, "login")
    with pytest.raises(AbcdError, match="no page answers"):
        ask(sandbox, root, "nobody")


def test_write_adds_them_and_the_hook_then_brings_the_page(sandbox, root):
    assert sandbox.context({"session_id": "s", "cwd": str(root), "prompt": "which port does the gateway use?",
                        "hook_event_name": "UserPromptSubmit"}) == ""
    status, out, _ = ask(sandbox, root, "service-ports", write=True)
    assert status == 0 and "added to its frontmatter" in out
    changed = sandbox.git("diff", "--numstat", cwd=root).stdout.split()
    assert changed == ["1", "0", ".abcd/memory/reference_ports.md"]
    sandbox.cli("build", cwd=root)
    assert "listens on 8443" in sandbox.context({"session_id": "s", "cwd": str(root), "hook_event_name": "UserPromptSubmit",
                                             "prompt": "which port does the gateway use?"})


def test_write_keeps_mode_and_leaves_no_file_behind(sandbox, root):
    path = root / ".abcd" / "memory" / "user_editor.md"
    path.chmod(0o640)
    before = sorted(one.name for one in path.parent.iterdir())
    ask(sandbox, root, "editor_setup", write=True)
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(one.name for one in path.parent.iterdir()) == before


def test_write_says_what_it_could_not_write(sandbox, root):
    sandbox.pages(root, {"user_odd.md": "---\nrecall: {a: b}\nname: odd\n---\nSourdough hydration tables\n"})
    status, out, err = ask(sandbox, root, "odd", write=True)
    assert status == 1 and "add by hand" in err and "added" not in out
    assert (root / ".abcd" / "memory" / "user_odd.md").read_text().startswith("---\nrecall: {a: b}\n")


def test_nothing_wanting(sandbox):
    root = sandbox.repo(pages={"feedback_commits.md": PAGES["feedback_commits.md"]})
    assert ask(sandbox, root)[:2] == (0, "Every page has keywords that are not weak.\n")


def test_a_keyword_of_many_pages_is_said_to_be_one(sandbox):
    pages = {f"n{number:02}.md": f"---\nrecall: [unique{number}]\n---\n# N{number}\n\nWe deploy on Mondays.\n" for number in range(24)}
    root = sandbox.repo(pages={**pages, "d.md": "---\nrecall: [deploy, canary]\n---\n# D\n\nA canary deploy.\n",
                               "e.md": "---\nrecall: [deploy]\n---\n# E\n\nEdge workers.\n"})
    _, out, _ = ask(sandbox, root, "d.md")
    assert "d.md  D; has weak keywords: deploy stands in 26 of 26 pages; alone it brings only a line" in out.replace("\n", " ")
    _, out, _ = ask(sandbox, root, as_json=True)
    rows = {row["file"]: row["wants"] for row in json.loads(out)["pages"]}
    assert list(rows) == ["e.md"] and "only weak keywords: deploy stands in 26 of 26 pages" in rows["e.md"]


def test_build_says_once_that_no_page_has_keywords(sandbox):
    root = sandbox.repo(pages={"a.md": "# A\n\nx\n", "b.md": "# B\n\ny\n"})
    first = sandbox.cli("build", cwd=root).stderr
    assert "[keywords-missing] no page of this store has keywords" in first and "`abcd-index keywords` suggests some" in first
    assert "keywords-missing" not in sandbox.cli("build", cwd=root).stderr
    sandbox.pages(root, {"a.md": "# A\n\nedited\n"})
    sandbox.pages(root, {"c.md": "---\nrecall: [sourdough]\n---\n# C\n"})
    assert "keywords-missing" not in sandbox.cli("build", cwd=root).stderr
