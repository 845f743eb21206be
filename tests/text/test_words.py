"""Folding, inflection, identifiers: the single functions that build and prompt share."""

import pytest

from abcd_index.text import normalise as words
from abcd_index.text import porter as stem
from abcd_index.text.normalise import bare, bases, camel, composed, fold, keyword_forms, pieces, prompt_forms, singulars


@pytest.mark.parametrize("word, wanted", [
    ("commits", ["commit"]), ("retries", ["retry", "retrie"]), ("pushes", ["push", "pushe"]), ("boxes", ["box", "boxe"]),
    ("classes", ["class", "classe"]), ("caches", ["cach", "cache"]), ("types", ["type"]), ("cookies", ["cooky", "cookie"]),
    ("quizzes", ["quiz", "quizz"]), ("indices", ["index"]), ("axes", ["axis"]), ("ties", ["tie"]), ("prs", ["pr"]), ("apis", ["api"]), ("cpus", ["cpu"]), ("uses", ["use"]),
    ("aws", []), ("news", []), ("redis", []), ("kubernetes", []), ("status", []), ("process", []), ("analysis", []),
    ("basis", []), ("virus", []), ("class", []), ("us", []), ("s", []), ("", []), ("x1s", []), ("cafés", []),
])
def test_singulars(word, wanted):
    assert list(singulars(word)) == wanted


@pytest.mark.parametrize("word, wanted", [
    ("committing", ["committ", "commit"]), ("committed", ["committ", "commit"]), ("merging", ["merg", "merge"]),
    ("retried", ["retry"]), ("caching", ["cach", "cache"]), ("panicked", ["panick", "panic"]), ("picking", ["pick", "picke"]),
    ("added", ["add"]), ("adding", ["add"]), ("testing", ["test", "teste"]), ("cancelled", ["cancell", "cancel"]),
    ("calling", ["call"]), ("passing", ["pass"]), ("staffing", ["staff"]), ("controlled", ["controll", "control"]),
    ("string", []), ("thing", []), ("embed", []), ("speed", []), ("agreed", []), ("red", []), ("sing", []), ("pwning", []),
    ("using", []), ("", []), ("d", []),
])
def test_bases(word, wanted):
    assert list(bases(word)) == wanted


def test_no_word_that_must_stay_whole_is_cut():
    assert [word for word in words.WHOLE if len(prompt_forms(word)) > 1 or len(keyword_forms(word)) > 1] == []


def test_forms_begin_with_the_word():
    for word in ("commits", "committing", "aws", "a", "ns", "déploiements"):
        assert prompt_forms(word)[0] == keyword_forms(word)[0] == word


@pytest.mark.parametrize("text, wanted", [
    ("ABC", "abc"), ("Straße", "strasse"), ("ＤＥＰＬＯＹ", "deploy"), ("cafe\u0301", "café"), ("de\xadploy", "deploy"),
    ("g\u200bit", "git"), ("user\u2019s", "user's"), ("❤\ufe0f", "❤"), ("ﬁle", "file"), ("ΟΔΟΣ", "οδοσ"), ("नि\u200dयम", "नियम"),
    ("\ufe77", "\u064e"), ("ﾃﾞ", "デ"),
])
def test_fold(text, wanted):
    assert fold(text) == wanted
    assert fold(wanted) == wanted


def test_composed_keeps_case():
    assert composed("Cafe\u0301 Straße \uff21") == "Café Straße A"


@pytest.mark.parametrize("token, wanted", [
    ("café", "cafe"), ("déjà", "deja"), ("łódź", "lodz"), ("smørgås", "smorgas"), ("cœur", "coeur"), ("οδός", "οδος"),
    ("ё", "е"), ("й", "й"), ("їжак", "їжак"), ("デプ", "デプ"), ("नियम", "नियम"), ("أحمد", "احمد"), ("مُحَمَّد", "محمد"),
    ("مؤمن", "مؤمن"), ("שָׁלוֹם", "שלום"), ("배포", "배포"), ("x\u0302\u0323", "x"), ("abc", "abc"), ("q\u0302y", "qy"),
])
def test_bare(token, wanted):
    assert bare(token) == wanted


@pytest.mark.parametrize("word, wanted", [
    ("AuthLoginHandler", "Auth Login Handler"), ("useSession", "use Session"), ("HTTPServer", "HTTP Server"),
    ("getHTTPResponse", "get HTTP Response"), ("userIDs", "user IDs"), ("listPRsForRepo", "list PRs For Repo"),
    ("PRs", "PRs"), ("GitHub", "GitHub"), ("GitHubActions", "GitHub Actions"), ("MyGraphQLClient", "My GraphQL Client"),
    ("JavaScript", "JavaScript"), ("iPhone", "iPhone"), ("OAuth2", "OAuth2"), ("useHTTP2", "use HTTP2"),
    ("auth", "auth"), ("Auth", "Auth"), ("AUTH", "AUTH"), ("aB", "aB"), ("", ""), ("aGVsbG8gd29ybGQ", "aGVsbG8gd29ybGQ"),
    ("x9F2Ab7C1d", "x9F2Ab7C1d"), ("A" * 61, "A" * 61), ("étéHiver", "étéHiver"),
])
def test_camel(word, wanted):
    assert " ".join(camel(word)) == wanted


def test_names_are_written_folded():
    assert [name for name in words.NAMES.split() if name != fold(name) or not name.isalnum()] == []


def test_pieces():
    assert pieces("a-b") == [(0, 1, 1), (2, 3, 1)]
    assert pieces("用git提交🚀") == [(0, 1, 2), (1, 4, 1), (4, 6, 2), (6, 7, 3)]
    assert pieces("...") == []


def test_stop_words_are_folded_and_about_150():
    assert all(word == fold(word) for word in stem.STOP)
    assert 140 <= len(stem.STOP) <= 200
    # A stop list that eats names of things is worse than none.
    assert stem.STOP.isdisjoint("go ci db pr ui api test fix new error build back work make need get run".split())
