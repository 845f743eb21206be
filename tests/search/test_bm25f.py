"""The one implementation of bm25f: its figures, its neighbours, and what a prompt's order has to do with it."""

import subprocess
import sys
from collections import Counter

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from abcd_index.agenthooks.prompt import Prompt
from abcd_index.artefact import bm25f as score
from abcd_index.artefact.bm25f import Query
from abcd_index.artefact.ranking import LEVELS, ROW_END, fingerprint, level_of, pair_hash, pair_number
from abcd_index.build import weights
from abcd_index.build.weights import Figures, mean, pairs

WORDS = st.lists(st.sampled_from("alpha beta gamma delta epsilon zeta".split()), max_size=40)


class Terms:
    """An artefact of so many pages that holds these terms: {term: (pages, titles)}."""

    def __init__(self, pages, terms):
        self.pages = pages
        self.terms = terms

    def term(self, stem):
        return (*self.terms.get(stem, (0, 0)), [])


def record(title, body):
    """The record of a page, in a store whose mean lengths are this page's own."""
    figures = Figures(title, body)
    written = weights.weights(figures, max(len(title), 1), max(len(body), 1))
    return {"weights": written[0], "titles": written[1], "pairs": pairs(title, body)}


def beside(near, first, second):
    return score.beside(near, pair_number(pair_hash(first), pair_hash(second)))


@given(title=WORDS, body=WORDS)
def test_a_level_is_the_saturated_count(title, body):
    page = record(title, body)
    heads, texts = Counter(title), Counter(body)
    for word in set(title) | set(body):
        count = texts[word] + weights.TITLE_WEIGHT * heads[word]
        level = level_of(page["weights"].split(ROW_END), fingerprint(word))
        assert level == pytest.approx(count / (count + weights.K1), abs=0.5 / LEVELS + 1e-9)
    assert level_of(page["weights"].split(ROW_END), fingerprint("absent")) == 0


@given(body=WORDS)
def test_neighbours_are_always_found(body):
    near = pairs(body)
    assert all(beside(near, first, second) for first, second in zip(body, body[1:]))


def test_neighbours_are_seldom_found_where_there_are_none():
    words = [f"w{number}" for number in range(400)]
    near = pairs(words)
    wrong = sum(beside(near, first, second) for first in words[::7] for second in words[::7] if first != second)
    assert wrong < 0.3 * len(words[::7]) ** 2
    assert len(near) < 0.55 * len(words)


def test_terms_are_seldom_found_where_there_are_none():
    rows = record([], [f"w{number}" for number in range(400)])["weights"].split(ROW_END)
    assert all(level_of(rows, fingerprint(f"w{number}")) for number in range(400))
    assert sum(1 for number in range(2000) if level_of(rows, fingerprint(f"other{number}"))) < 0.01 * 2000


def test_neighbours_depend_on_the_page_alone_and_have_an_end():
    assert pairs(["a", "b"], ["c"]) == pairs(["a", "b"], ["d"])
    assert pairs([], ["one"]) == ""
    assert not beside("", "a", "b")
    assert len(pairs([f"w{number}" for number in range(20000)])) == weights.MOST_PAIRS * weights.PAIR_BITS // 6 + 1


def test_rare_words_count_more_and_words_of_the_title_more_still():
    page = record(["alpha"], ["alpha", "beta", "gamma"])
    said = {stem: text + title for stem, text, title in Query(
        Terms(100, {"alpha": (10, 10), "beta": (10, 0), "gamma": (90, 0)}), {"gamma": 1, "beta": 1, "alpha": 1}
    ).explain(page)}
    assert said["alpha"] > said["beta"] > said["gamma"] > 0


def test_the_score_is_the_sum_of_its_addends():
    page = record(["alpha", "beta"], ["beta", "gamma"])
    query = Query(Terms(10, {"alpha": (1, 1), "beta": (2, 1), "gamma": (3, 0)}), {"alpha": 2.0, "beta": 1.0, "gamma": 1.0})
    assert query.score(page) == sum(text + title for _, text, title in query.explain(page))
    assert [row[0] for row in query.explain(page)] == ["alpha", "beta", "gamma", "alpha beta", "beta gamma"]


def test_pasted_neighbours_count_less():
    terms = Terms(10, {"alpha": (1, 0), "beta": (2, 0)})
    page = record([], ["alpha", "beta"])
    typed = Query(terms, {"alpha": 1.0, "beta": 1.0}).explain(page)[-1]
    pasted = Query(terms, {"alpha": 1.0, "beta": 0.2}).explain(page)[-1]
    assert typed == ("alpha beta", score.NEIGHBOURS, 0.0)
    assert pasted[1] == pytest.approx(0.2 * score.NEIGHBOURS)


def test_a_word_said_again_counts_more_but_not_twice_as_much():
    terms = Terms(10, {"alpha": (1, 0)})
    page = record([], ["alpha"])
    once, twice, often = (Query(terms, {"alpha": times}).score(page) for times in (1.0, 2.0, 1000.0))
    assert once < twice < 2 * once and often < (score.REPEATS + 1) * once


def test_a_long_paste_is_ranked_by_its_weightiest_words():
    many = {f"w{number}": 0.2 for number in range(5000)}
    many["typed"] = 1.0
    asked = []

    class Asked(Terms):
        def term(self, stem):
            asked.append(stem)
            return (1, 0, [])

    query = Query(Asked(10, {}), many)
    assert len(asked) == score.MOST_TERMS and "typed" in asked
    assert len(query.pairs) == score.MOST_PAIRS


def test_stop_words_between_two_words_do_not_part_them():
    assert list(Prompt("limits of the rate").stems()) == ["limit", "rate"]


def test_the_same_prompt_has_the_same_order_whatever_the_hash_seed():
    code = ("import sys; sys.path.insert(0, sys.argv[1])\nfrom abcd_index.agenthooks.prompt import Prompt\n"
            "print(list(Prompt('why?\\n```\\nalpha beta gamma delta epsilon zeta eta theta\\n```').stems().items()))")
    said = {subprocess.run([sys.executable, "-c", code, str(ROOT)], env={"PYTHONHASHSEED": str(seed)}, text=True,
                           capture_output=True, check=True).stdout for seed in range(4)}
    assert len(said) == 1 and "alpha" in said.pop()


@pytest.mark.parametrize("total, pages, wanted", [(0, 5, 1.0), (5, 0, 1.0), (100, 10, 10.0)])
def test_means_lie_on_a_grid(total, pages, wanted):
    assert mean(total, pages) == pytest.approx(wanted, rel=weights.STEP)
    assert mean(total, pages) == mean(total, pages)


def test_one_more_word_seldom_moves_a_mean():
    assert len({mean(10000 + words, 100) for words in range(100)}) <= 2
