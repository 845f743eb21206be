"""The relevance signal as its document writes it: weights, relevance only, types, recency, usage, parsing."""

from math import log2

import pytest

from abcd_index.errors import AbcdError
from abcd_index.search import signal
from abcd_index.search.dates import read_since
from abcd_index.search.rank import SignalSums, months_between
from abcd_index.search.words import excerpt, fold, hits, read_terms

DAY = 86400


def points(terms, name="", description="", body=""):
    """{term: (name, description, body)} of one page."""
    found = signal.keyword(read_terms(terms), (name,), description, body)
    return {hit.term: (hit.name, hit.description, hit.body) for hit in found}


def test_a_hit_in_the_name_counts_five():
    assert points(["commit"], name="commit-style") == {"commit": (5, 0, 0)}


def test_a_hit_in_the_name_counts_once_however_often_it_is_there():
    assert points(["a"], name="banana") == {"a": (5, 0, 0)}


def test_a_hit_in_the_description_counts_three():
    assert points(["commit"], description="How to commit a commit") == {"commit": (0, 3, 0)}


@pytest.mark.parametrize("times, counted", [(1, 1), (2, 2), (3, 3), (4, 3), (40, 3)])
def test_a_hit_in_the_body_counts_one_each_up_to_three(times, counted):
    assert points(["git"], body="git " * times) == {"git": (0, 0, counted)}


def test_the_cap_holds_for_each_term_of_its_own():
    assert points(["git", "push"], body="git git git git push push push push") == {"git": (0, 0, 3), "push": (0, 0, 3)}


def test_name_description_and_body_add_up():
    assert points(["git"], "git", "git", "git") == {"git": (5, 3, 1)}


def test_matching_is_by_substring():
    assert points(["commit"], name="uncommitted", description="committed", body="commits") == {"commit": (5, 3, 1)}


def test_matching_ignores_case_on_both_sides():
    assert points(["CoMMit"], name="COMMIT", description="Commit", body="commit COMMIT") == {"commit": (5, 3, 2)}


def test_matching_ignores_case_and_composition_beyond_ascii():
    assert points(["É"], body="e\u0301 é É") == {"é": (0, 0, 3)}
    assert points(["strasse"], body="Straße") == {"strasse": (0, 0, 1)}


@pytest.mark.parametrize("name", ["rate-limit", "rate_limit", "api-rate_limit-notes"])
def test_hyphens_and_underscores_of_the_slug_are_spaces(name):
    assert points(["rate limit"], name=name) == {"rate limit": (5, 0, 0)}


def test_a_term_with_a_hyphen_still_finds_the_slug_as_written():
    assert points(["rate-limit"], name="rate-limit") == {"rate-limit": (5, 0, 0)}


def test_hyphens_stay_hyphens_outside_the_name():
    assert points(["rate limit"], description="rate-limit", body="rate-limit") == {}


def test_every_text_that_counts_as_the_name_is_looked_at_once():
    found = signal.keyword(["login"], ("login", "Login redirects"), "", "")
    assert [hit.points() for hit in found] == [5]


def test_a_page_without_a_hit_has_no_points():
    assert points(["kubernetes"], "commit", "git", "push") == {}


@pytest.mark.parametrize("type, prior", [
    ("feedback", 1.0), ("user", 0.75), ("project", 0.5), ("reference", 0.25), ("pitfall", 0.0), ("", 0.0),
    ("Feedback", 1.0)])
def test_type_priors(type, prior):
    assert signal.prior(type) == prior


@pytest.mark.parametrize("recalls, boost", [(0, 0.0), (1, 0.5), (3, 1.0), (7, 1.5), (10, log2(11) * 0.5)])
def test_usage_boost(recalls, boost):
    assert signal.boost(recalls) == pytest.approx(boost)


@pytest.mark.parametrize("months, factor", [(0, 1.5), (3, 1.0), (6, 0.5), (1.5, 1.25)])
def test_recency_factor(months, factor):
    assert signal.recency(months, 6) == pytest.approx(factor)


def test_recency_sinks_to_a_floor_and_never_below():
    assert signal.recency(600, 6) == 0.5


def test_recency_span_is_settable():
    assert signal.recency(6, 12) == pytest.approx(1.0)


def test_a_date_to_come_is_as_fresh_as_today():
    assert months_between(100 * DAY, 10 * DAY) == 0
    assert signal.recency(-5, 6) == 1.5


def test_months_are_counted_in_whole_days_of_utc():
    assert months_between(10 * DAY + 1, 10 * DAY + DAY - 1) == 0
    assert months_between(0, 365.25 * DAY) == pytest.approx(12, abs=0.01)


def test_the_sum_is_the_documented_one():
    sums = SignalSums(signal.keyword(["git"], ("git",), "git", "git git"), prior=1.0, boost=0.5, factor=1.25)
    assert sums.score() == (10 + 1.0 + 0.5) * 1.25


@pytest.mark.parametrize("words, terms", [
    (["commit", "git"], ["commit", "git"]),
    (["query", "commit", "git"], ["commit", "git"]),
    (["query"], ["query"]),
    (["Git", "git", "GIT"], ["git"]),
    (["  rate   limit "], ["rate limit"]),
    (["", "  "], []),
])
def test_terms_as_they_come_from_the_command_line(words, terms):
    assert read_terms(words) == terms


def test_a_snippet_is_anchored_at_the_first_match():
    body = "# Heading\n\n" + "nothing here. " * 40 + "The needle is here.\n" + "and more. " * 40
    text, spans = excerpt(body, ["needle"], 80)
    assert text.startswith("…") and text.endswith("…") and len(text) <= 82
    assert [text[start:end] for start, end in spans] == ["needle"]


def test_a_snippet_without_a_match_is_the_beginning():
    assert excerpt("# One\n\ntwo  three", ["nothing"]) == ("One two three", [])


def test_a_snippet_of_nothing():
    assert excerpt("", ["x"]) == ("", [])


@pytest.mark.parametrize("text", ["İstanbul needle", "ﬁle needle", "needle ß needle"])
def test_hits_stand_where_they_are_said_to_stand(text):
    assert {text[start:end] for start, end in hits(text, [fold("needle")])} == {"needle"}


@pytest.mark.parametrize("text, seconds", [
    ("1970-01-02", DAY), ("1970-01-02T00:00:00Z", DAY), ("1970-01-02T02:00+02:00", DAY),
    ("10d", 990 * DAY), ("2 weeks", 986 * DAY), ("1y", 634.75 * DAY), ("12 months", 634.75 * DAY)])
def test_since(text, seconds):
    assert read_since(text, 1000.0 * DAY) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-02-30", "d", "-3d"])
def test_since_says_what_it_understands(text):
    with pytest.raises(AbcdError, match="--since"):
        read_since(text, 0.0)
