"""The words that say nothing of a page: what the prompt path holds is what the lists of words say."""

import pytest

from abcd_index.text.everyday import ABBREVIATIONS, CHORES, EVERYDAY
from abcd_index.text.porter import analyse
from tests.conftest import ROOT

STEMS = {"everyday": EVERYDAY, "chores": CHORES}


def words_of(name):
    return (ROOT / "tests" / "data" / f"{name}.txt").read_text(encoding="utf-8").split()


@pytest.mark.parametrize("name", STEMS)
def test_the_stems_are_those_of_the_words(name):
    assert STEMS[name] == {stem for word in words_of(name) for stem in analyse(word)}


@pytest.mark.parametrize("name", STEMS)
def test_the_lists_are_sorted_and_have_each_word_once(name):
    assert words_of(name) == sorted(set(words_of(name)))


@pytest.mark.parametrize("name", STEMS)
def test_what_people_write_about_is_in_none(name):
    for word in ("auth", "redis", "docker", "webhook", "migration", "postgres", "kubernetes", "cache", "deploy", "login"):
        assert not STEMS[name].intersection(analyse(word)), word


def test_no_subject_shares_its_stem_with_an_everyday_word():
    for word in "staging container validation dependency exception provider production locale translation".split():
        assert not EVERYDAY.intersection(analyse(word)), word


def test_the_words_of_a_bare_request_are_everyday():
    for word in "fix add bug test file rename yes three away another call click return story please".split():
        assert EVERYDAY.issuperset(analyse(word)), word


def test_every_abbreviation_leads_both_ways():
    pairs = {(name, other) for names in ABBREVIATIONS.values() for name, others in names for other in others}
    assert ("k8s", "kubernetes") in pairs and ("pr", "pull request") in pairs
    assert pairs == {(other, name) for name, other in pairs}
    assert all(name.split()[0] == first for first, names in ABBREVIATIONS.items() for name, _ in names)
