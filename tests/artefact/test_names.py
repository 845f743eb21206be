"""Which files are pages is decided once; who lists a store by another rule would start a build for ever."""

import ast
import os
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from abcd_index.artefact.names import NOT_PAGES, is_page
from abcd_index.scopes import Places, workspace_at
from abcd_index.store.read import list_store
from tests.test_imports import PACKAGE, modules


def cased(word):
    return st.tuples(*[st.sampled_from(sorted({c.lower(), c.upper()})) for c in word]).map("".join)


SPECIAL = st.sampled_from(sorted(NOT_PAGES)).flatmap(cased)
OTHER = st.tuples(st.sampled_from(["a", "a.b", ".a", "", "x.md", "readme", "README.txt", "é"]), cased(".md")).map("".join)


@given(SPECIAL)
def test_the_special_names_are_no_pages_in_any_case(name):
    assert not is_page(name)


@given(st.sets(SPECIAL | OTHER | st.sampled_from(["note.txt", "x.markdown", "md", ".md"]), max_size=8))
def test_the_build_lists_what_is_a_page(tmp_path_factory, names):
    root = tmp_path_factory.mktemp("names")
    store = root / ".abcd" / "memory"
    os.makedirs(store)
    for name in names:
        (store / name).write_bytes(b"# A\n")
    listing = list_store(workspace_at(str(root), Places({"HOME": str(root)})))
    assert [name for name, _ in listing.pages] == sorted(
        unicodedata.normalize("NFC", name) for name in names if is_page(name))


def test_no_second_list():
    """No other module of the package spells these names as a list of its own."""
    for path in modules():
        if path.relative_to(PACKAGE).as_posix() == "artefact/names.py":
            continue
        words = {n.value.lower() for n in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                 if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        assert not words & {"contradictions.md", "log.md", "readme.md"}, path
