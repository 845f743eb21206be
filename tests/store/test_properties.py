"""Whatever the bytes are: no exception, and every finding lies inside the file."""

import json
import re
import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from abcd_index.store.catalogue import NOT_PAGES, completed, read_catalogue
from abcd_index.store.codes import CODES
from abcd_index.store.json_positions import JsonError, parse
from abcd_index.store.links import Links, newer
from abcd_index.store.page import read_page
from abcd_index.store.records import Page
from abcd_index.store.rules import read_rules

SETTINGS = settings(max_examples=150, deadline=None)

PIECES = ["---", "---\n", "\n", "\r\n", "\r", "...\n", "name: ", "recall: ", "metadata:", "source:", "  type: ",
          "- ", "[", "]", "{", "}", "[[a]]", "a", "b, c", ": ", ":", "#", " # ", "# ", "## History\n",
          "2026-01-01", "2026-02-30", "'", "\"", "\\", "\\U", "@", "`", "```\n", "~~~", "*", "*a", "&a ", "!t ",
          "|", "> ", "\t", " ", "  ", "%", "?", "<!--", "-->", "\ufeff", "\xa0", "\u200b", "\u202e", "\u2028",
          "\x85", "\x00", "\x07", "\xe9", "[x](a.md)", "- `a.md` \u2014 x | y | z", "](", ")", "===",
          "<<<<<<< a\n", "=======\n", ">>>>>>> b\n", "+++\n", "{\n", "updated: ", "contradicts: ", "null", "~",
          "Recall: ", "1: ", "<<: "]
markdown = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
bytes_of_pages = st.one_of(
    st.binary(max_size=200),
    markdown.map(lambda text: text.encode("utf-8")),
    markdown.map(lambda text: ("---\n" + text + "\n---\n" + text).encode("utf-8")),
    st.builds(lambda head, tail: head.encode("utf-8") + tail, markdown, st.binary(max_size=10)),
    st.text(max_size=100).map(lambda text: ("---\nname: a\n" + text).encode("utf-8", "replace")),
)


def lines_of(data):
    return len(re.split(b"\r\n|\r|\n", data))


def check(findings, data):
    for finding in findings:
        assert finding.severity == CODES[finding.code].severity
        assert finding.line is None or 1 <= finding.line <= lines_of(data), finding
        assert finding.message.isprintable() and finding.fix
        assert len(finding.message) < 600


@SETTINGS
@given(bytes_of_pages)
@example(b"---\n<<: *a\n---\n")
@example("---\nname: \u2028: x\n---\n".encode())
def test_any_bytes_as_a_page(data):
    page, findings = read_page("pitfall_auth_x.md", data)
    check(findings, data)
    assert "page-failed" not in [finding.code for finding in findings]
    if page is None:
        assert [finding for finding in findings if finding.severity == "error"]
        return
    for text in (page.title, page.summary, page.type, page.slug, *page.keywords, *page.exclude, page.body):
        text.encode("utf-8")
    assert "\r" not in page.body
    for keyword in page.keywords + page.exclude:
        assert keyword == keyword.strip() and "\n" not in keyword and keyword
    assert page.updated is None or re.fullmatch(r"\d{4}-\d{2}-\d{2}", page.updated)
    text = data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    assert text.endswith(page.body)
    if page.body:
        assert text.split("\n")[page.body_line - 1:] == page.body.split("\n") or page.body_line == 1
    assert all(1 <= line <= lines_of(data) for line in page.lines.values())


@SETTINGS
@given(bytes_of_pages, st.lists(st.sampled_from(["a.md", "b.md", "\u00e9.md"]), max_size=3))
def test_any_bytes_as_a_catalogue(data, names):
    catalogue, findings = read_catalogue("index.md", data, names)
    check(findings, data)
    for name, line in catalogue.lines.items():
        assert name in names and "\n" not in line and line in data.decode("utf-8").replace("\r", "\n")


FILE_NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="/"), min_size=1,
                     max_size=12).map(lambda stem: stem + ".md").filter(lambda name: name.lower() not in NOT_PAGES)


@SETTINGS
@given(bytes_of_pages, FILE_NAMES, st.sampled_from(["abcd", "agent"]), st.text(max_size=20))
@example(b"", "a#b%?.md", "agent", "")
@example(b"```", "a)(b<>\\.md", "agent", "[")
@example(b"<!-- `", " a`.md", "abcd", "`")
@example(b"> ```\n> x", "a.md", "agent", "")
def test_a_completed_catalogue_names_every_page(data, name, dialect, title):
    page = Page(name=unicodedata.normalize("NFC", name), title=title, dialect=dialect)
    after = completed("index.md", data, [page])
    assert after.startswith(data)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return
    if b"\0" not in data:
        assert page.name in read_catalogue("index.md", after, [page.name])[0].lines
        assert completed("index.md", after, [page]) == after


JSON_PIECES = ["{", "}", "[", "]", ":", ",", '"a"', '"domains"', '"schema_version": 1', '"rules"', '"A"', "1", "null",
               "true", "NaN", "-", " ", "\n", "\r\n", '"', "\\u", "\ud83d\ude00", "//", "'"]
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(
        st.sampled_from(["domains", "schema_version", "disabled", "A", "recall", "rules", "state", "x"]), inner,
        max_size=4)), max_leaves=12)
bytes_of_rules = st.one_of(
    st.binary(max_size=100),
    st.lists(st.sampled_from(JSON_PIECES), max_size=30).map(lambda pieces: "".join(pieces).encode("utf-8", "replace")),
    json_values.map(lambda value: json.dumps(value).encode()),
    json_values.map(lambda value: json.dumps({"schema_version": 1, "domains": {"A": value, "OK": {
        "rules": ["r"]}}}, indent=1).encode()),
)


@SETTINGS
@given(bytes_of_rules)
def test_any_bytes_as_rules(data):
    domains, findings = read_rules(data)
    check(findings, data)
    for domain in domains:
        assert domain.state in ("active", "dormant")
        for text in domain.recall + domain.aliases + domain.exclude + domain.rules:
            assert isinstance(text, str) and text.strip()
            text.encode("utf-8")


@SETTINGS
@given(json_values.filter(lambda value: "N" not in json.dumps(value) and "I" not in json.dumps(value)))
def test_a_domain_never_takes_down_another(value):
    data = json.dumps({"schema_version": 1, "domains": {"A": value, "OK": {"rules": ["r"]}}}).encode()
    assert "OK" in [domain.name for domain in read_rules(data)[0]]


@SETTINGS
@given(json_values)
def test_the_json_reader_agrees_with_the_standard_one(value):
    text = json.dumps(value)
    if "NaN" in text or "Infinity" in text:
        try:
            parse(text)
        except JsonError:
            return
        # Only inside of a text.
    assert plain(parse(text)) == json.loads(text)


def plain(value):
    """The value as the standard library's parser has it."""
    if value.kind == "object":
        return {key: plain(member) for key, member in value.members.items()}
    if value.kind == "list":
        return [plain(item) for item in value.items]
    return json.loads(value.scalar) if value.kind == "number" else value.scalar


pages = st.lists(st.builds(
    lambda name, own, updated, contradicts, by: Page(
        name=name + ".md", title=name, description_name=own, updated=updated, contradicts=tuple(contradicts),
        superseded_by=tuple(by)),
    st.sampled_from("abcdef"), st.sampled_from(["", "a", "B", "x"]),
    st.sampled_from([None, "2026-01-01", "2026-01-02"]),
    st.lists(st.sampled_from(["a", "b.md", "[[c]]", "D", "e", "f", "zz"]), max_size=3),
    st.lists(st.sampled_from(["a", "b", "c"]), max_size=1)), max_size=6, unique_by=lambda page: page.name)


@SETTINGS
@given(pages)
def test_following_the_newer_page_always_ends(found):
    chosen, _ = newer(found)
    names = {page.name for page in found}
    assert chosen.keys() | set(chosen.values()) <= names
    for start in chosen:
        seen, at = set(), start
        while at in chosen:
            assert at not in seen
            seen.add(at)
            at = chosen[at]
    links = Links(found)
    assert all(links.resolve(name) == name for name in names)
