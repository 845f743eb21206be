"""The catalogue: whose line is whose, what is wrong with it, and adding the lines that are missing."""

import pytest

from abcd_index.store.catalogue import completed, made_line, read_catalogue
from abcd_index.store.page import read_page
from abcd_index.store.records import Page


def read(text, pages, name="MEMORY.md"):
    return read_catalogue(name, text.encode() if isinstance(text, str) else text, pages)


def codes(findings):
    return [(finding.code, finding.line) for finding in findings]


def test_p50_dangling_orphan_and_lines_without_a_link():
    text = ("# Memory Index\n\n- [Fog](fog.md) \u2014 plan 024 (DONE)\n- [Never written](expo.md) \u2014 see notes\n"
            "A line with no link is the full rule.\n")
    catalogue, findings = read(text, ["fog.md", "new.md"])
    assert catalogue.lines == {"fog.md": "- [Fog](fog.md) \u2014 plan 024 (DONE)"}
    assert catalogue.numbers == {"fog.md": 3}
    assert codes(findings) == [("catalogue-orphan", None), ("catalogue-dangling", 4)]
    assert "`new.md`" in findings[0].message and "`expo.md`" in findings[1].message
    assert findings[1].file == "memory/MEMORY.md"


@pytest.mark.parametrize("text, line", [
    ("x\n" * 200, None),
    ("x\n" * 201, 201),
    ("x\n" * 200 + "x", 201),
])
def test_p50_more_lines_than_are_loaded(text, line):
    _, findings = read(text, [])
    assert codes(findings) == ([("catalogue-too-long", line)] if line else [])
    assert read(text, [], "index.md")[1] == []


def test_p50_more_bytes_than_are_loaded():
    assert codes(read("x" * 25_001, [])[1]) == [("catalogue-too-long", None)]
    assert read("x" * 25_000, [])[1] == []


def test_p52_comments_fences_and_inline_code_do_not_count():
    text = ("<!-- - [Old](old.md) \u2014 gone -->\n```md\n- [Example](example.md) \u2014 hook\n```\n"
            "- [Real](real.md) \u2014 hook `[x](y.md)`\n")
    catalogue, findings = read(text, ["real.md"])
    assert catalogue.lines == {"real.md": "- [Real](real.md) \u2014 hook `[x](y.md)`"}
    assert findings == []
    assert codes(read(text, ["real.md", "old.md", "example.md", "y.md"])[1]) == [("catalogue-orphan", None)] * 3


def test_p46_names_are_compared_in_nfc():
    line = "- [\u00dcbung](project_u\u0308bung.md) \u2014 hook"
    catalogue, findings = read(line + "\n", ["project_\u00fcbung.md"])
    assert catalogue.lines == {"project_\u00fcbung.md": line}
    assert findings == []


@pytest.mark.parametrize("line", [
    "- `a_b_c.md` \u2014 pitfall | auth | Tokens expire",
    "* **`a_b_c.md`** \u2014 pitfall | auth | Tokens expire",
    "  1. [T](a_b_c.md)",
    "| [T](a_b_c.md) | x |",
    "| `a_b_c.md` | x |",
    "See [T](./a_b_c.md#part) first.",
    '- [T](a_b_c.md "title")',
    "- [T](<a_b_c.md>)",
    "- [T](a%5Fb_c.md)",
    "- [[a_b_c]] \u2014 hook",
    "- [[a_b_c|T]]",
    "- [`code`](a_b_c.md) \u2014 `x` <!-- note -->",
    "- [a [nested] text](a_b_c.md)",
])
def test_a_line_is_tied_to_its_page_and_kept_verbatim(line):
    catalogue, findings = read(f"# x\n\n{line}\nmore\n", ["a_b_c.md"])
    assert catalogue.lines == {"a_b_c.md": line}
    assert catalogue.numbers == {"a_b_c.md": 3}
    assert findings == []


@pytest.mark.parametrize("line", [
    "- read `a.md` too",
    "- `see a.md`",
    "- `` `a.md` ``",
    "- \\`a.md and [x](sub/a.md)",
    "- [x](https://example.org/a.md)",
    "- [x](../a.md)",
    "text [[a]]",
    "- [x] (a.md)",
])
def test_what_does_not_name_the_page(line):
    catalogue, findings = read(line + "\n", ["a.md"])
    assert catalogue.lines == {}
    assert codes(findings) == [("catalogue-orphan", None)]


def test_the_first_reference_decides_and_the_others_count_when_nothing_else_does():
    text = ("- [A](a.md), see [B](b.md)\n- [C](c.md) and [B](b.md), [D](d.md)\n"
            "- [B](b.md) \u2014 own\n- [B](b.md) again\n")
    catalogue, findings = read(text, ["a.md", "b.md", "c.md", "d.md"])
    assert catalogue.numbers == {"a.md": 1, "b.md": 3, "c.md": 2, "d.md": 2}
    assert findings == []


def test_files_that_are_no_pages_draw_no_finding():
    assert read("- [x](README.md) [y](memory.md) [z](log.md)\n- `CONTRIBUTING.md` must be kept\n", [])[1] == []
    assert codes(read("- `gone.md` \u2014 a | b | c\n", [])[1]) == [("catalogue-dangling", 1)]


def test_another_case_is_named_and_tied():
    catalogue, findings = read("- [Fog](Fog.md)\n", ["fog.md"])
    assert catalogue.lines == {"fog.md": "- [Fog](Fog.md)"}
    assert codes(findings) == [("catalogue-case", 1)]


def test_line_ends_and_a_byte_order_mark_are_no_part_of_a_line():
    catalogue, findings = read(b"\xef\xbb\xbf- [A](a.md)\r\n- [B](b.md)\r\n", ["a.md", "b.md"])
    assert catalogue.lines == {"a.md": "- [A](a.md)", "b.md": "- [B](b.md)"}
    assert findings == []


def test_a_catalogue_that_is_not_text():
    catalogue, findings = read(b"- [A](a.md)\n\xff\n", ["a.md"])
    assert (catalogue.file, catalogue.lines) == ("", {})
    assert codes(findings) == [("not-utf8", 2)]


def test_many_brackets_take_no_longer_than_their_number():
    """A nested pattern would take hours here; the time limit of the test run is the assertion."""
    text = "- .md " + "[" * 60_000 + "](" * 60_000 + "`" * 3 + "`" * 2 * 30_000 + "<!--" * 20_000 + "\n"
    assert codes(read(text, [], "index.md")[1]) == []


def page(name="pitfall_auth_tokens.md", text="---\nsource: {class: session_memory}\n---\n# Tokens expire\n"):
    return read_page(name, text.encode())[0]


def test_made_lines():
    assert made_line(page()) == "- `pitfall_auth_tokens.md` \u2014 session_memory | auth | Tokens expire"
    assert made_line(page("x.md", "---\nrecall: [a]\ndescription: D\nsource: {x: y}\n---\n")) == (
        "- `x.md` \u2014 (unclassified) | (no domain) | D")
    assert made_line(page("x.md", "---\nname: N [1]\ndescription: >\n  one\n  two\n---\n")) == (
        "- [N \\[1\\]](x.md) \u2014 one two")
    assert made_line(page("x.md", "# T\n\n- First point\n")) == "- [T](x.md) \u2014 First point"
    assert made_line(page("a (b) c.md", "text\n")) == "- [a (b) c](<a (b) c.md>) \u2014 text"


def test_a_made_line_is_one_short_line_whatever_the_page_holds():
    line = made_line(Page(name="x.md", title="a\nb\u202e", summary="word " * 200 + "\x1b[31m"))
    assert line.startswith("- [a b](x.md) \u2014 word word") and line.endswith("\u2026")
    assert len(line) < 250 and line.isprintable()


LATE = Page(name="late.md", title="Late", summary="came later")
ADDED = "- [Late](late.md) \u2014 came later"


@pytest.mark.parametrize("before, between, end", [
    ("- [A](a.md)\n", "", "\n"),
    ("- [A](a.md)\r\n", "", "\r\n"),
    ("- [A](a.md)\r", "", "\r"),
    ("- [A](a.md)", "\n", "\n"),
    ("\ufeff# x\r\n- [A](a.md)\r\n- b", "\r\n", "\r\n"),
    ("- [A](a.md)\n\nprose", "\n\n", "\n"),
    ("- [A](a.md)\n\nprose\n", "\n", "\n"),
    ("- [A](a.md)\n\nprose\n\n", "", "\n"),
    ("- [A](a.md)\n```\ncode\n", "```\n\n", "\n"),
    ("- [A](a.md)\n<!-- open", "\n-->\n\n", "\n"),
])
def test_missing_lines_are_appended_and_nothing_else_changes(before, between, end):
    pages = [Page(name="a.md", title="A"), LATE]
    after = completed("MEMORY.md", before.encode(), pages)
    assert after == (before + between + ADDED + end).encode()
    assert completed("MEMORY.md", after, pages) == after


def test_nothing_missing_changes_nothing():
    data = b"- [A](a.md) \r\n\n\n"
    assert completed("MEMORY.md", data, [Page(name="a.md", title="A")]) is data
    assert completed("MEMORY.md", b"\xff", [LATE]) == b"\xff"


def test_a_new_catalogue():
    assert completed("index.md", None, [LATE]) == f"# Memory index\n\n{ADDED}\n".encode()
