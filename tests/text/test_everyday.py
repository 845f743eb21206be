"""The words that say nothing of a page: what the prompt path holds is what the lists of words say."""

import pytest

from abcd_index.text.everyday import CHORES, EVERYDAY, NAMES, is_chore, is_everyday, other_names
from abcd_index.text.porter import analyse
from tests.conftest import ROOT

WORKED_ON = ("auth", "redis", "docker", "webhook", "migration", "postgres", "kubernetes", "cache", "deploy", "login")


def words_of(name):
    return (ROOT / "tests" / "data" / f"{name}.txt").read_text(encoding="utf-8").split()


@pytest.mark.parametrize("texts", [EVERYDAY, CHORES])
def test_each_word_stands_between_spaces_under_its_first_letter(texts):
    for letter, text in texts.items():
        words = text.split()
        assert text == " " + " ".join(words) + " " and words == sorted(set(words))
        assert {word[0] for word in words} == {letter}


@pytest.mark.parametrize("name", ["everyday", "chores"])
def test_the_lists_are_sorted_and_have_each_word_once(name):
    assert words_of(name) == sorted(set(words_of(name)))


def test_the_everyday_terms_are_those_of_the_words():
    assert set("".join(EVERYDAY.values()).split()) == {stem for word in words_of("everyday") for stem in analyse(word)}


def test_the_chores_are_the_words_and_forms_of_them():
    chores, words = set("".join(CHORES.values()).split()), words_of("chores")
    assert chores.issuperset(words)
    stems = {tuple(analyse(word)) for word in words}
    assert [word for word in chores.difference(words) if tuple(analyse(word)) not in stems] == []


def test_what_people_write_about_is_in_none():
    for word in WORKED_ON:
        assert not is_chore(word) and not any(map(is_everyday, analyse(word))), word


def test_no_subject_shares_its_stem_with_an_everyday_word():
    for word in "staging container validation dependency exception provider production locale translation".split():
        assert not any(map(is_everyday, analyse(word))), word


def test_the_words_of_a_bare_request_are_in_both():
    for word in "fix add bug test file rename yes three another call please".split():
        assert is_chore(word) and all(map(is_everyday, analyse(word))), word
    assert not is_chore("") and not is_everyday("") and not is_chore("fi") and not is_chore("x add")


def test_every_abbreviation_leads_both_ways():
    pairs = [tuple(pair.replace("_", " ").split("=")) for pair in NAMES.split()]
    assert ("k8s", "kubernetes") in pairs and ("pr", "pull request") in pairs
    for pair in pairs:
        for name, other in (pair, pair[::-1]):
            assert (name, other) in other_names(name.split()[0])
            assert all(found.split()[0] == name.split()[0] for found, _ in other_names(name.split()[0]))
    assert other_names("data") == other_names("8s") == []
