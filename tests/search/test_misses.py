"""`keywords --missed`: the words that were typed and brought nothing."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stores import PAGES, placed
from test_keywords import ask

from abcd_index import fs
from abcd_index.scopes import Places, workspace_at
from abcd_index.search import misses


@pytest.fixture
def root(sandbox):
    return sandbox.repo(pages=PAGES)


def note(sandbox, root, text, on=True):
    """Put counts where the hook puts them."""
    places = Places(sandbox.env)
    path = misses.place(workspace_at(str(root), places), places)
    fs.make_private(os.path.dirname(path))
    fs.replace(path, text.encode(), 0o600)
    if on:
        fs.replace(os.path.join(places.real_user(), "config.json"), b'{"misses": true}')
    return path


def test_missed_words_are_offered_to_the_pages_that_say_them(sandbox, root):
    note(sandbox, root, "vim 2\ngateway 4\nlogin 7\nnobody 3\nfix 9\n")
    status, out, _ = ask(sandbox, root, missed=True)
    # `login` is a keyword by now, no page says `nobody`, and `fix` is an everyday word.
    assert status == 1 and "typed 4 times and brought nothing; its words are in 1 page" in out
    status, out, _ = ask(sandbox, root, missed=True, as_json=True)
    rows = {row["file"]: [one["keyword"] for one in row["suggestions"]] for row in json.loads(out)["pages"]}
    assert rows == {"reference_ports.md": ["gateway"], "user_editor.md": ["vim"]}
    _, out, _ = ask(sandbox, root, "user_editor.md", missed=True, as_json=True)
    assert [row["file"] for row in json.loads(out)["pages"]] == ["user_editor.md"]


def test_write_adds_them_and_they_are_missed_no_more(sandbox, root):
    note(sandbox, root, "gateway 4\n")
    assert ask(sandbox, root, missed=True, write=True)[0] == 0
    assert "recall: [gateway]" in (root / ".abcd" / "memory" / "reference_ports.md").read_text()
    assert ask(sandbox, root, missed=True)[:2] == (0, "No typed word that a page says brought nothing.\n")


def test_where_nothing_is_counted_it_says_how_to_begin(sandbox, root):
    status, out, err = ask(sandbox, root, missed=True)
    assert status == 0 and "not counted" in out and '"misses": true' in err
    assert json.loads(ask(sandbox, root, missed=True, as_json=True)[1]) == {"pages": []}


def test_a_repository_cannot_switch_it_on(sandbox, root):
    (root / ".abcd" / "config.json").write_text('{"misses": true}')
    with placed(sandbox, root):
        assert not misses.switched_on(Places(sandbox.env))


@given(st.binary(max_size=300))
def test_any_file_is_read(data):
    assert all(word and times < 1000 and "\n" not in word for word, times in misses.read(data).items())


def test_lines_that_are_none_are_passed_over(sandbox, root):
    note(sandbox, root, "ok 3\nno\n 4\nlong" + "g" * 50 + " 1\nx -1\ny 1e3\nz 12345\n\x00 1\ntwo words 3\nlast 9")
    places = Places(sandbox.env)
    assert misses.misses(workspace_at(str(root), places), places) == {"ok": 3, "last": 9}
