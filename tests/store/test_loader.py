"""The YAML loader: scalars as written, nothing dangerous, and the same with and without libyaml."""

import ast
from pathlib import Path

import frontmatter
import pytest
import yaml

from abcd_index.store import loader as module
from abcd_index.store.broken_yaml import explain, salvage
from abcd_index.store.frontmatter import PageHandler, PagePost, cut, read_frontmatter
from abcd_index.store.loader import PageLoader, PlainLoader, Refused, load
from abcd_index.store.records import Notes

LOADERS = [PageLoader, PlainLoader]

SCALARS = [
    ("[no, 3.10, 12:30, 0123, 404]", ["no", "3.10", "12:30", "0123", "404"]),
    ("[2026-07-01, 2026-02-30]", ["2026-07-01", "2026-02-30"]),
    ("[=, ==]", ["=", "=="]),
    ("[~, null, 'null', x]", [None, None, "null", "x"]),
    ("x:", {"x": None}),
    ("{<<: {a: 1}, b: 2}", {"<<": {"a": "1"}, "b": "2"}),
    ("1: one", {"1": "one"}),
    ("null: one", {"null": "one"}),
    ("a: 1\na: 2", {"a": "2"}),
    ("a: [1]\na: [2]", {"a": ["1", "2"]}),
    ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
    ("", None),
]


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("text, value", SCALARS)
def test_scalars_stay_as_written(text, value, loader):
    assert load(text, loader).value == value


REFUSED = [
    ("a: !todo fix", "yaml-tag", 0),
    ("b: x\na: !!binary aGk=", "yaml-tag", 1),
    ("!x b: y", "yaml-tag", 0),
    ("b: &a fix", "yaml-alias", 0),
    ("b: &a [x]\nc: *a", "yaml-alias", 0),
    ("c: [d,\n  &a e]", "yaml-alias", 1),
    ("[a]: b", "yaml-key", 0),
    ("a: " + "[" * 40 + "]" * 40, "frontmatter-too-deep", 0),
    ("a:\n" + "- " * 30000 + "x", "frontmatter-too-deep", 1),
    ("a:\n" + " -" * 30000 + " x", "frontmatter-too-deep", 1),
    ("a:\n" + "? " * 30000 + "x", "frontmatter-too-deep", 1),
    ("a:\n" + "- - -  ?   " * 5000 + "x", "frontmatter-too-deep", 1),
    ("a: " + "{a: " * 15000, "frontmatter-too-deep", 0),
    ("a: " + "[[" * 30000, "frontmatter-too-deep", 0),
    ("\n".join(" " * n + "a:" for n in range(300)), "frontmatter-too-deep", 32),
    ("a: {" + ", ".join(f"k{n}: v" for n in range(6000)) + "}", "frontmatter-too-deep", 0),
    ("a: " + "b" * 70000, "frontmatter-too-large", 0),
]


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("text, code, line", REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused(text, code, line, loader):
    with pytest.raises(Refused) as caught:
        load(text, loader)
    assert (caught.value.code, caught.value.line) == (code, line)


@pytest.mark.parametrize("loader", LOADERS)
def test_an_alias_is_refused_even_where_the_anchor_was_not_seen(loader, monkeypatch):
    monkeypatch.setattr(module, "_no_anchor", lambda block: None)
    for text in ("a: &x [b]\nc: *x", "a: &x [b, *x]", "a: &x b\nc: *x"):
        with pytest.raises(Refused) as caught:
            load(text, loader)
        assert caught.value.code == "yaml-alias"


@pytest.mark.parametrize("loader", LOADERS)
def test_a_duplicate_key_names_both_lines(loader):
    [(code, line, what, _, first)] = load("a: 1\nb:\n  c: 2\n  d: 3\n  c: 4\n", loader).notes
    assert (code, line, what, first) == ("duplicate-key", 4, "c", 2)


@pytest.mark.parametrize("loader", LOADERS)
def test_lines_of_keys_and_items(loader):
    value = load("# c\na: 1\n\u00e9\u2028x:\n  - b\n\n  - [c]\n", loader).value
    assert value.lines == {"a": 1, "\u00e9 x": 2}
    assert value["\u00e9 x"].lines == [3, 5]


BROKEN = {
    "yaml-tab": ["a:\n\t- b"],
    "yaml-colon": ["a: b: c", "a: b\n  c: d"],
    "yaml-start": ["a: @b", "a: `b`", "a: %b", "%b: c", "a: |text\nb: c", "a: - b"],
    "yaml-alias": ["a: *", "a: **b**", "a: *b"],
    "yaml-backslash": [r'a: "\q"', r'a: "\Users"'],
    "yaml-comment": ["a: [b, #c]\nd: e", "a: [b, #c]"],
    "yaml-quote": ["a: 'b", 'a: "b" c', "a: 'don't'"],
    "yaml-brackets": ["a: [b", "a: [[b]], [[c]]", "a: [b[0], c]", "a: ]"],
    "yaml-indent": ["a: b\nc\nd: e", "a: b\n- c"],
    "yaml-space": ["a:\xa0[b]\nc: d", "a: b\nc:\xa0d"],
    "yaml-control": ["a: b\x01c"],
}


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("code, text", [(code, text) for code, texts in BROKEN.items() for text in texts])
def test_what_an_error_means(code, text, loader):
    with pytest.raises(yaml.YAMLError) as caught:
        load(text, loader)
    assert explain(caught.value, text).code == code


def test_a_page_is_a_post_of_python_frontmatter():
    """Its handler has our fences and our loader; the body keeps the blanks that ``frontmatter.parse`` strips."""
    text = "---\nname: no\n---\n\n    body\n"
    post = read_frontmatter(text, Notes("memory/a.md"))
    assert isinstance(post, frontmatter.Post) and isinstance(post, PagePost)
    assert (post.metadata, post["name"], post.content) == ({"name": "no"}, "no", "\n    body\n")
    assert frontmatter.parse(text, handler=PageHandler(cut(text))) == ({"name": "no"}, "body")


def test_salvage_keeps_its_lines():
    found = salvage("name: a: b\nx: 1\nmetadata:\n  type: user\n  y: z: 1\nrecall: [c, @d]\n")
    assert found == {"name": "a: b", "metadata": {"type": "user"}, "recall": ["c", "@d"]}
    assert found.lines == {"name": 0, "metadata": 2, "recall": 5}
    assert found["metadata"].lines == {"type": 2}


def test_the_room_reads_nothing_above_it():
    """store/ knows errors, files, names of pages and itself."""
    allowed = {"abcd_index", "abcd_index.errors", "abcd_index.artefact.names", "abcd_index.fs",
               "abcd_index.scopes"}
    folder = Path(module.__file__).parent
    for file in folder.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = {node.module or ""} if isinstance(node, ast.ImportFrom) else set()
            if isinstance(node, ast.Import):
                names = {alias.name for alias in node.names}
            names = {name for name in names if name.partition(".")[0] == "abcd_index"}
            assert {name for name in names if not name.startswith("abcd_index.store.")} <= allowed, (file.name, names)
