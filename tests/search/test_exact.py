"""A search by bm25f finds what reading every page would find, in the same order."""

import os
import random
import re

import pytest
from stores import placed

from abcd_index.artefact.format import CELL
from abcd_index.artefact.ranking import FINGERPRINTS
from abcd_index.build.run import build
from abcd_index.errors import ArtefactTorn
from abcd_index.scopes import Places, Scope
from abcd_index.search.bm25f import Exact
from abcd_index.search.corpus import open_corpus
from abcd_index.search.rank import BM25F, Bm25fSums, Query, Result, counted, search
from abcd_index.search.words import read_terms

NOW = 1.8e9


def alike(count):
    """Words that have one mark: in a page of five terms the artefact cannot tell them apart."""
    words = (f"{first}{second}{third}" for first in "bcdfgklmnprt" for second in "aou" for third in "bdgkmnpt")
    pick = {}
    for word in (one + two for one in list(words) for two in ("rom", "lak", "dun")):
        pick.setdefault(int.from_bytes(word.encode(), "big") % FINGERPRINTS, []).append(word)
    return max(pick.values(), key=len)[:count]


WORDS = ("auth login token tokens retry limit é étude 日本 useSession a_b deploy running the 42 straße").split() + alike(4)


def text(pick, words, most):
    return " ".join(pick.choices(words, k=pick.randint(0, most)))


def page(pick, words):
    title = "# " + text(pick, words, 4) + "\n\n" if pick.random() < 0.8 else ""
    body = title + text(pick, words, pick.choice((0, 3, 30, 200)))
    recall = pick.choice(words)
    if pick.random() < 0.6:
        return f"---\nsource: {{class: note}}\nrecall: [{recall}]\n---\n{body}\n"
    return (f"---\nname: n {text(pick, words, 2)}\ndescription: d {text(pick, words, 4)}\n"
            f"type: {pick.choice(('user', 'project'))}\nrecall: [{recall}]\n---\n{body}\n")


def corpora(sandbox, pick, words, sizes):
    made = []
    places = Places(dict(sandbox.env))
    for name, size in zip(("workspace", "user"), sizes):
        home = sandbox.tmp / name
        store = home / "memory"
        store.mkdir(parents=True)
        for number in range(size):
            kind = pick.choice(("pitfall", "decision"))
            (store / f"{kind}_x_{number}.md").write_text(page(pick, words), encoding="utf-8")
        scope = Scope(name, str(home), str(home), str(store), str(home / ".index"), "memory/")
        build(scope)
        made.append(open_corpus(scope, places))
    return made


def wanted(corpora, query):
    """The results of reading every page, and that no page's score is above what its record promises."""
    stems, _ = counted(query.terms)
    found = []
    for corpus in corpora:
        exact = Exact(corpus.artefact, stems)
        for document in corpus.documents():
            touched = document.touched
            if query.types and document.record["type"] not in query.types:
                continue
            if query.since is not None and touched < query.since:
                continue
            rows = exact.rows(document)
            sums = Bm25fSums(rows)
            assert sums.score() <= exact.bound(document.record) + 1e-9
            if rows:
                found.append(Result(document, touched, 0).summed(sums))
    found.sort(key=lambda result: (-result.score, -result.touched, result.document.file))
    return told(found[:max(query.limit, 0)])


def told(results):
    return [(round(one.score, 9), one.document.corpus.scope.name, one.document.file) for one in results]


@pytest.mark.parametrize("seed", range(8))
def test_the_same_as_reading_every_page(sandbox, seed):
    pick = random.Random(seed)
    words = WORDS + [f"w{number}" for number in range(pick.choice((0, 40, 2000)))]
    with placed(sandbox, sandbox.tmp):
        opened = corpora(sandbox, pick, words, pick.choice([(60,), (1,), (0,), (40, 20), (3, 90)]))
    several = 0
    for _ in range(25):
        terms = read_terms([text(pick, WORDS if pick.random() < 0.7 else words, 8) or "auth",
                            pick.choice(WORDS)][:pick.randint(1, 2)])
        query = Query(terms, pick.choice(([], [], ["pitfall"], ["project"])), pick.choice((0, 1, 2, 5, 10 ** 9, -1)),
                      ranking=BM25F, since=pick.choice((None, None, 0.0, 1e12)), now=NOW)
        right = wanted(opened, query)
        assert told(search(opened, query)) == right
        several += len(right) > 1
    assert several or sum(corpus.artefact.pages for corpus in opened) < 2
    for corpus in opened:
        corpus.close()


def test_equal_scores_come_in_the_order_that_is_promised(sandbox):
    """More pages of one score than are query for: the names decide, not what was read first."""
    store = sandbox.tmp / "same" / "memory"
    store.mkdir(parents=True)
    for number in range(30):
        path = store / f"note_x_{number:02}.md"
        path.write_text("---\nsource: {class: note}\nrecall: [auth]\n---\n# Auth\n\nThe login.\n")
        os.utime(path, (NOW - 1e6, NOW - 1e6))
    home = str(store.parent)
    scope = Scope("workspace", home, home, str(store), home + "/.index", "memory/")
    with placed(sandbox, sandbox.tmp):
        build(scope)
        corpus = open_corpus(scope, Places(dict(sandbox.env)))
    found = search([corpus], Query(["auth", "login"], limit=4, ranking=BM25F, now=NOW))
    assert [result.document.file for result in found] == [f"note_x_{number:02}.md" for number in range(4)]
    corpus.close()


def test_there_are_words_of_one_mark():
    assert len(alike(4)) == 4
    assert all(re.fullmatch("[a-z]{6}", word) for word in alike(4))


@pytest.mark.parametrize("digit", [b" ", b"+", b"-", b"z"])
def test_a_table_that_is_none_is_called_damaged(sandbox, digit):
    with placed(sandbox, sandbox.tmp):
        corpus, = corpora(sandbox, random.Random(1), WORDS, (5,))
    at, _ = corpus.artefact.header["parts"]["records"]
    with open(corpus.artefact.path, "r+b") as file:
        file.seek(at + 1 + 2 * CELL + 3)
        file.write(digit)
    with pytest.raises(ArtefactTorn):
        search([corpus], Query(["auth"], ranking=BM25F, now=NOW))
    corpus.close()
