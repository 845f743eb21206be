"""Fences, comments and headings as our line-wise readers see them, beside a CommonMark parser.

Documents are made of lines with one meaning each. Where the readers differ from CommonMark on purpose, the difference
is in a table with its reason, and the made documents leave it out.
"""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcd_index.store.markdown import Lines, atx, first_heading
from abcd_index.text.segment import sections

markdown_it = pytest.importorskip("markdown_it")
PARSER = markdown_it.MarkdownIt("commonmark")

WORDS = st.text("abcdefgh", min_size=1, max_size=3)
INDENT = st.sampled_from(["", "", "", " ", "  ", "   "])
FENCES = st.sampled_from(["```", "````", "`````", "~~~", "~~~~", "```py", "``` py x", "~~~py", "~~~ a`b", "``` a`b", "``",
                          "~~", "``` ", "~~~~  ", "```~", "~~~`", "`` `", "```\t"])
HEADINGS = st.builds("{}{}{}{}".format, st.sampled_from(["#", "##", "###", "######", "#######"]),
                     st.sampled_from([" ", "  ", "\t", "", " \t"]), WORDS,
                     st.sampled_from(["", " #", " ##", "#", " # ", "  ", " \\#", " a#", " <!-- a --> b"]))
COMMENTS = st.sampled_from(["<!-- a -->", "<!-- a", "<!-- # a", "<!--", "-->", "a -->", "<!-- ``` -->"])
TEXT = st.one_of(WORDS, st.just(""), st.just(""), st.sampled_from(["`<!--`", "`a`", "a <!-- b --> c", "#"]))


def over(*lines):
    """Run a test over documents of up to nine lines of these kinds."""
    made = st.lists(st.one_of(*lines), max_size=9).map("\n".join)
    return lambda test: settings(deadline=None)(given(made)(test))


def tokens(text):
    """The parser's block tokens that have lines."""
    return [token for token in PARSER.parse(text) if token.map]


def fenced(text):
    """The numbers of the lines that are in fences, the fences' own among them."""
    return {line for token in tokens(text) if token.type == "fence" for line in range(*token.map)}


def shown(content):
    """A heading's text without comments, white space made one."""
    return " ".join(re.sub(r"<!--.*?-->", "", content).split())


def headings(text):
    """[(line, level, text)] of the ATX headings, comments cut out."""
    found, opened = [], None
    for token in PARSER.parse(text):
        if token.type == "heading_open" and token.markup[0] == "#":
            opened = token
        elif token.type == "inline" and opened is not None:
            found.append((opened.map[0], int(opened.tag[1]), shown(token.content)))
            opened = None
    return found


def our_headings(text):
    seen = [(number, atx(line)) for number, line in Lines(text).visible()]
    return [(number, found.level, found.text) for number, found in seen if found]


def typed_lines(text):
    """The lines of a prompt that count as typed."""
    return [line for line in sections(text)[0].split("\n") if line.strip()]


@over(st.builds("{}{}".format, INDENT, FENCES), TEXT, WORDS)
def test_fences_of_a_page(text):
    lines = text.split("\n")
    hidden = set(range(len(lines))) - {number for number, _ in Lines(text).visible()}
    # Lines that only hold a comment or nothing are left out as well.
    assert {n for n in hidden if lines[n].strip()} == {n for n in fenced(text) if lines[n].strip()}


@over(st.builds("{}{}".format, INDENT, FENCES), WORDS, st.just(""))
def test_fences_of_a_prompt(text):
    lines = text.split("\n")
    inside = fenced(text)
    assert typed_lines(text) == [line for n, line in enumerate(lines) if n not in inside and line.strip()]


@over(st.builds("{}{}".format, INDENT, HEADINGS), st.builds("{}{}".format, INDENT, FENCES), TEXT)
def test_headings_of_a_page(text):
    assert our_headings(text) == headings(text)


@over(COMMENTS, WORDS, st.just(""), HEADINGS)
def test_comments_of_a_page(text):
    assert our_headings(text) == headings(text)


# (document, headings or lines that we see, those that CommonMark sees, why). What is rendered is what counts for us:
# a reader of the page sees what a browser makes of the HTML, and CommonMark ends there where it hands over HTML.
STATED = [
    ("<!-- a --><!-- b\n# c", [], [(1, 1, "c")], "a comment that is open hides what follows, also behind another"),
    ("a <!-- b\n# c\n-->", [], [(1, 1, "c")], "so it does when it opens inside of a paragraph"),
    ("<!-- a\n# b", [], [], "and to the end where nothing closes it"),
    ("<!-- a --># b", [(0, 1, "b")], [], "behind a comment at the start of a line markdown goes on"),
    ("- # a", [], [(0, 1, "a")], "headings in lists and quotes are no titles of a page"),
    ("> # a", [], [(0, 1, "a")], "headings in lists and quotes are no titles of a page"),
    ("- b\n\n  # a", [(2, 1, "a")], [(2, 1, "a")], "how far a list reaches is not followed"),
    ("- b\n\n      # a", [], [], "four blanks make code, as outside of a list"),
    ("\t```\n# a\n\t```", [], [(1, 1, "a")], "a fence may stand at any depth: in a list of lists it does"),
    ("- ```\n# a\n```", [], [(1, 1, "a")], "and is closed by a fence only, where a list would end earlier"),
    ("> ```\n# a", [(1, 1, "a")], [(1, 1, "a")], "a quote ends with the first line that has no mark"),
    ("<pre>\n# a\n</pre>", [(1, 1, "a")], [], "HTML other than comments is not read"),
    ("# a `<!-- b", [(0, 1, "a `<!-- b")], [(0, 1, "a `<!-- b")], "a comment that inline code begins with is text"),
]


@pytest.mark.parametrize("text, ours, theirs, why", STATED)
def test_headings_that_are_seen_otherwise_on_purpose(text, ours, theirs, why):
    assert (our_headings(text), headings(text)) == (ours, theirs), why


@pytest.mark.parametrize("line", ["~~~ a`b", "~~~`"])
def test_a_backtick_behind_tildes_is_no_inline_code(line):
    assert typed_lines(line + "\na\n~~~\nb") == ["b"] and fenced(line + "\na\n~~~\nb") == {0, 1, 2}


@pytest.mark.parametrize("text", ["``<!--``\n# a", "a ``b <!-- ` c`` d\n# a"])
def test_code_spans_that_more_than_one_backtick_begins(text):
    assert our_headings(text) == headings(text) == [(1, 1, "a")]


@pytest.mark.parametrize("text", ["---\n==", "a\n\n---\n===\nb", "***\n---"])
def test_a_line_across_the_page_is_no_title(text):
    assert first_heading(text) is None and pairs(text) == []


@over(st.builds("{}{}".format, INDENT, HEADINGS), st.sampled_from(["==", "--", "===", "---", "= =", " --"]),
                 WORDS, st.just(""), st.just(""))
def test_the_heading_that_becomes_the_title(text):
    """The first one that has text, as the parser sees it. Of setext headings we ask that one line of text stands
    between a blank line and two or more signs; the parser takes more."""
    theirs = [(int(token.tag[1]), shown(inline.content)) for token, inline in pairs(text)]
    found = first_heading(text)
    if found is not None:
        assert (found.level, found.text) in theirs
    first_atx = next((heading for heading in headings(text) if heading[2]), None)
    if first_atx is not None:
        assert found is not None
        before = [number for number, _ in enumerate(text.split("\n")[:first_atx[0]])]
        assert (found.level, found.text) == first_atx[1:] or before


def pairs(text):
    """(heading_open, its inline token) of all headings."""
    parsed = PARSER.parse(text)
    return [(one, other) for one, other in zip(parsed, parsed[1:]) if one.type == "heading_open"]
