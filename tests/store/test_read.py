"""Which files are pages, and that nothing in a folder makes the store hang, crash or look elsewhere."""

import os
import unicodedata

import pytest

from abcd_index.errors import AbcdError
from abcd_index.store.catalogue import line_of
from abcd_index.store.read import list_store, read_store


def codes(store):
    return [(finding.code, finding.file) for finding in store.findings if not finding.code.startswith("catalogue-")]


def names(store):
    return [page.name for page in store.pages]


def test_only_pages_of_the_folder_itself(home):
    for name in ("b.md", "A.MD", "README.md", "readme.md", "Index.md", "MEMORY.md", "LOG.md", "contradictions.md",
                 ".hidden.md", "notes.txt", "x.md~", "md"):
        home.page(name)
    (home.store / "sub").mkdir()
    (home.store / "sub" / "c.md").write_text("x")
    store = read_store(home.scope)
    assert names(store) == ["A.MD", "b.md"]
    assert store.left_out == ()


def test_no_store_folder_is_an_empty_store(home):
    home.store.rmdir()
    store = read_store(home.scope)
    assert (store.pages, store.findings) == ((), ())
    assert list_store(home.scope).exists is False


def test_a_store_that_cannot_be_listed_is_no_empty_store(home):
    home.store.rmdir()
    home.store.write_text("a file")
    with pytest.raises(AbcdError):
        read_store(home.scope)


def test_what_is_named_like_a_page_and_is_none(home):
    (home.store / "folder.md").mkdir()
    os.mkfifo(home.store / "pipe.md")
    home.page("a.md")
    store = read_store(home.scope)
    assert names(store) == ["a.md"]
    assert codes(store) == [("page-not-a-file", "memory/folder.md"), ("page-not-a-file", "memory/pipe.md")]
    assert store.left_out == ("folder.md", "pipe.md")


def test_a_pipe_put_in_a_page_s_place_does_not_hang(home):
    path = home.page("a.md")
    listing = list_store(home.scope)
    path.unlink()
    os.mkfifo(path)
    assert codes(read_store(home.scope, listing=listing)) == [("page-unreadable", "memory/a.md")]


def test_a_link_put_in_a_page_s_place_is_not_followed(home):
    path = home.page("a.md")
    listing = list_store(home.scope)
    path.unlink()
    (home.path / "secret.txt").write_text("secret")
    path.symlink_to(home.path / "secret.txt")
    store = read_store(home.scope, listing=listing)
    assert (store.pages, codes(store)) == ((), [("page-unreadable", "memory/a.md")])


def test_a_page_that_is_gone_is_no_finding(home):
    path = home.page("a.md")
    listing = list_store(home.scope)
    path.unlink()
    store = read_store(home.scope, listing=listing)
    assert (store.pages, codes(store), store.left_out) == ((), [], ())


def test_a_page_without_read_permission(home, monkeypatch):
    """Refused by hand, since the superuser reads everything."""
    home.page("a.md")
    home.page("b.md")
    real = os.open

    def refuse(path, *args, **kw):
        if str(path).endswith("a.md"):
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **kw)

    monkeypatch.setattr(os, "open", refuse)
    store = read_store(home.scope)
    assert (names(store), store.left_out) == (["b.md"], ("a.md",))
    assert codes(store) == [("page-unreadable", "memory/a.md")]


def test_a_huge_page_is_left_out(home):
    with open(home.page("a.md"), "r+b") as file:
        file.truncate(5 << 20)
    store = read_store(home.scope)
    assert (codes(store), store.left_out) == ([("page-too-large", "memory/a.md")], ("a.md",))


def test_links_inside_the_store_count_once_under_the_first_name(home):
    home.page("b.md")
    (home.store / "a.md").symlink_to("b.md")
    (home.store / "c.md").symlink_to(home.store / "b.md")
    (home.store / "d.md").symlink_to("../memory/c.md")
    (home.store / "sub").mkdir()
    (home.store / "sub" / "deep.md").write_text("---\nname: deep\n---\n")
    (home.store / "e.md").symlink_to("sub/deep.md")
    store = read_store(home.scope)
    assert names(store) == ["a.md", "e.md"]
    assert codes(store)[:3] == [("page-twice", "memory/b.md"), ("page-twice", "memory/c.md"),
                                ("page-twice", "memory/d.md")]


@pytest.mark.parametrize("target", ["../outside.md", "/etc/passwd", "gone.md", "loop.md", "out/x.md", "../memory"])
def test_links_out_of_the_store_are_not_followed(home, target):
    (home.path / "outside.md").write_text("x")
    (home.path / "elsewhere").mkdir()
    (home.path / "elsewhere" / "x.md").write_text("x")
    (home.store / "out").symlink_to(home.path / "elsewhere")
    (home.store / "loop.md").symlink_to("a.md")
    (home.store / "a.md").symlink_to(target)
    store = read_store(home.scope)
    assert ("link-outside", "memory/a.md") in codes(store)
    assert "a.md" in store.left_out and names(store) == []


def test_a_link_into_the_agent_s_own_folder_is_never_touched(home, monkeypatch):
    """No call of ours names anything below it, not even to look whether it is there."""
    claude = home.path.parent.parent / ".claude"
    claude.mkdir()
    (claude / "x.md").write_text("secret")
    for number, target in enumerate([claude / "x.md", "../../../.claude/x.md", claude]):
        (home.store / f"{number}.md").symlink_to(target)
    (home.store / "dir").symlink_to(claude)
    (home.store / "via.md").symlink_to("dir/x.md")
    (home.path / "rules.json").symlink_to(claude / "x.md")
    (home.path / "config.json").symlink_to(claude / "x.md")
    (home.store / "index.md").symlink_to(claude / "x.md")
    touched = []
    for name in ("stat", "lstat", "open", "scandir", "listdir"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda path, *args, _real=real, **kw: touched.append(str(path)) or _real(
            path, *args, **kw))
    store = read_store(home.scope)
    assert len(touched) > 3
    assert [path for path in touched if ".claude" in path or "/dir/" in path] == []
    assert (store.pages, store.domains, store.catalogue.lines) == ((), (), {})
    assert ("rules-unreadable", "rules.json") in codes(store)


def test_a_name_that_is_not_utf8(home):
    with open(os.path.join(os.fsencode(home.store), b"caf\xe9.md"), "wb") as file:
        file.write(b"x")
    store = read_store(home.scope)
    assert codes(store) == [("name-not-utf8", "memory/caf\\xe9.md")]
    assert store.left_out == ("caf\\xe9.md",)


def test_a_name_with_a_line_break(home):
    home.page("a\nb.md")
    store = read_store(home.scope)
    assert codes(store) == [("name-control", "memory/a\\u000ab.md")]


def test_names_that_differ_only_in_composition(home):
    first, second = sorted([unicodedata.normalize("NFC", "\u00fc.md"), unicodedata.normalize("NFD", "\u00fc.md")],
                           key=os.fsencode)
    home.page(first, "first\n")
    home.page(second, "second\n")
    store = read_store(home.scope)
    assert [(page.name, page.body) for page in store.pages] == [("\u00fc.md", "first\n")]
    assert codes(store) == [("names-alike", "memory/\u00fc.md")]


def test_names_that_differ_only_in_case(home):
    home.page("alpha.md", "x\n")
    home.page("Alpha.md", "x\n")
    store = read_store(home.scope)
    assert names(store) == ["Alpha.md", "alpha.md"]
    assert codes(store) == [("names-alike", "memory/alpha.md")]


def test_the_catalogue_is_index_md_before_memory_md(home):
    home.page("a.md")
    home.page("MEMORY.md", "- [from memory](a.md)\n")
    store = read_store(home.scope)
    assert line_of(store.pages[0], store) == "- [from memory](a.md)"
    home.page("index.md", "- [from index](a.md)\n")
    store = read_store(home.scope)
    assert store.catalogue.file == "memory/index.md"
    assert line_of(store.pages[0], store) == "- [from index](a.md)"


def test_a_missing_catalogue_is_one_finding_and_lines_are_made(home):
    home.page("a.md", "---\nname: A\ndescription: d\n---\n")
    home.page("b.md", "x\n")
    store = read_store(home.scope)
    assert [finding.code for finding in store.findings] == ["catalogue-missing"]
    assert line_of(store.pages[0], store) == "- [A](a.md) \u2014 d"


def test_a_page_that_is_left_out_is_not_dangling(home):
    home.page("a.md", b"\xff")
    home.page("index.md", "- [A](a.md)\n")
    store = read_store(home.scope)
    assert [finding.code for finding in store.findings] == ["not-utf8"]
    assert store.left_out == ("a.md",)


def test_everything_together(home):
    home.page("a.md", "---\nname: a\nrecall: [x]\ncontradicts: [b, gone]\n---\nx\n")
    home.page("b.md", "---\nname: b: c\nrecall: [y]\n---\ny\n")
    home.page("index.md", "- [A](a.md)\n- [B](b.md)\n")
    (home.path / "rules.json").write_text('{"schema_version": 1, "domains": {"B": {"rules": ["r"]}, "A": []}}')
    store = read_store(home.scope)
    assert names(store) == ["a.md", "b.md"]
    assert store.newer == {"b.md": "a.md"}
    assert [domain.name for domain in store.domains] == ["B"]
    assert [(f.code, f.file, f.line) for f in store.findings] == [
        ("link-unknown", "memory/a.md", 4), ("yaml-colon", "memory/b.md", 2), ("rules-wrong-type", "rules.json", 1)]


def test_some_pages_only(home):
    home.page("a.md")
    home.page("b.md", "---\ncontradicts: [gone]\n---\n")
    store = read_store(home.scope, only={"b.md"})
    assert names(store) == ["b.md"]
    assert [finding.code for finding in store.findings] == ["catalogue-missing"]


def test_two_readings_are_equal(home):
    for name in ("b.md", "a.md", "c.md"):
        home.page(name)
    home.page("d.md", b"\xff")
    assert read_store(home.scope) == read_store(home.scope)
