"""The everyday words: the module holds the stems of the list, and nothing else."""

from abcd_index.text.everyday import EVERYDAY
from abcd_index.text.porter import analyse
from tests.conftest import ROOT

WORDS = (ROOT / "tests" / "data" / "everyday.txt").read_text(encoding="utf-8").split()


def test_the_stems_are_those_of_the_words():
    assert EVERYDAY == {stem for word in WORDS for stem in analyse(word)}


def test_the_list_is_sorted_and_has_each_word_once():
    assert WORDS == sorted(set(WORDS))


def test_what_people_write_about_is_not_everyday():
    for word in ("auth", "redis", "docker", "webhook", "migration", "postgres", "kubernetes", "cache", "deploy", "login"):
        assert not EVERYDAY.intersection(analyse(word)), word


def test_the_words_of_a_bare_request_are():
    for word in "fix add bug test file rename yes three away another call click return story please".split():
        assert EVERYDAY.issuperset(analyse(word)), word
