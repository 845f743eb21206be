"""Lines that are passed over by their bytes never hold what is looked for."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import placed

from abcd_index.scopes import Places
from abcd_index.search.corpus import open_corpus
from abcd_index.search.rank import Query, search
from abcd_index.search.scan import ODD
from abcd_index.search.words import fold, read_terms
from abcd_index.selector import folder_scope


def test_every_character_that_folds_into_ascii_is_known():
    folding = {char for char in map(chr, range(128, 0x110000)) if not unicodedata.category(char) == "Cs"
               and any(one.isascii() for one in fold(char))}
    assert folding == set(ODD)


TEXTS = ["Straße und Fuß", "ﬁle and oﬃce", "say \"quoted\" \\ back", "tab\there", "KELVIN \u212a9", "rate_limit-er",
         "nothing", "Ünïcode e\u0301", "日本語のメモ", "C:\\temp\\new"]
WORDS = ["strasse", "file", "office", "quoted", '"quoted"', "\\", "k9", "rate limit", "rate-limit", "er", "é", "メモ",
         "temp\\new", "C:\\temp", "here", "Ü", "ﬁ"]


@pytest.fixture
def corpus(sandbox):
    folder = sandbox.tmp / "pages"
    folder.mkdir()
    for number, text in enumerate(TEXTS):
        (folder / f"user_{number}.md").write_text(
            f"---\nname: n{number}\ndescription: {'x' if number % 2 else text!r}\ntype: user\n---\n{text}\n",
            encoding="utf-8")
    (folder / "user_rate_limit-er.md").write_text("no frontmatter\n")
    with placed(sandbox, sandbox.tmp):
        places = Places()
        corpus = open_corpus(folder_scope(str(folder), places), places, writing=False)
    yield corpus
    corpus.close()


@pytest.mark.parametrize("ranking", ["signal", "bm25f"])
@pytest.mark.parametrize("word", WORDS)
def test_the_same_with_and_without_passing_over(corpus, monkeypatch, word, ranking):
    query = Query(read_terms([word]), limit=99, least=0, ranking=ranking)
    found = [(result.document.file, result.score) for result in search([corpus], query)]
    monkeypatch.setattr(type(corpus), "holding", lambda self, terms: self.documents())
    monkeypatch.setattr(type(corpus), "weighted", lambda self, marks: self.documents())
    assert found == [(result.document.file, result.score) for result in search([corpus], query)]
    if ranking == "signal" and word in ("strasse", "file", "office", "k9", "rate limit", "é", "メモ", "\\"):
        assert found


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=30), word=st.text(min_size=1, max_size=4))
def test_any_text_and_any_word(tmp_path_factory, text, word):
    folder = tmp_path_factory.mktemp("pages")
    (folder / "user_a.md").write_bytes(("# t\n\n" + text + "\n").encode("utf-8", "replace"))
    places = Places({"HOME": str(folder / "home"), "ABCD_HOME": str(folder / "home" / ".abcd.noindex")})
    corpus = open_corpus(folder_scope(str(folder), places), places, writing=False)
    try:
        terms = read_terms([word])
        if terms:
            found = search([corpus], Query(terms, limit=9, least=0))
            body = "".join(document.body for document in corpus.documents())
            if any(term in fold(body) for term in terms):
                assert found
    finally:
        corpus.close()
