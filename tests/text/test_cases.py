"""Every case of tests/data/match_cases.txt: what a keyword finds, how well, and what it does not find."""

import collections

import pytest

from abcd_index.agenthooks.match import excluded, match
from abcd_index.agenthooks.prompt import PASTED, Prompt
from abcd_index.text.patterns import entries
from benchmarks import matching
from benchmarks.matching import cases, spelt


def verdict(keyword, text):
    """What ``keyword`` does in ``text``, in the words of the table."""
    prompt = Prompt(text)
    if keyword.startswith("*") and keyword != "*":
        return "yes" if keyword[1:].casefold() in prompt.starred else "no"
    found = collections.defaultdict(list)
    for key, entry in entries(keyword):
        found[key].append([entry, [0], []])
    hits = match(prompt, lambda key: found.get(key, []))
    assert len(hits) <= 1
    assert bool(excluded(prompt, entries(keyword))) == bool(hits), "exclude and recall disagree"
    if not hits:
        return "no"
    hit = hits[0]
    assert 0 < hit.weight <= 1 and hit.length >= 1 and hit.pages == [0] and hit.seen
    if hit.zone == PASTED:
        return "paste"
    return "yes" if hit.weight == 1 else "weak"


@pytest.mark.parametrize("kind", list(dict.fromkeys(case.kind for case in cases())))
def test_every_case_of_a_kind(kind):
    wrong = []
    for case in cases():
        if case.kind == kind:
            found = verdict(case.keyword, case.prompt)
            if found != case.verdict:
                wrong.append(f"line {case.line}: {case.keyword!r} in {case.prompt!r} is {found}, not {case.verdict}")
    assert not wrong, "\n".join(wrong)


def test_the_table_is_well_formed():
    table = cases()
    assert len(table) >= 330
    assert {case.verdict for case in table} == {"yes", "weak", "paste", "no"}
    asked = [(case.kind, case.keyword, case.prompt) for case in table]
    twice = [case for case, count in collections.Counter(asked).items() if count > 1]
    assert not twice, twice
    kinds = collections.defaultdict(set)
    for case in table:
        kinds[case.kind].add(case.verdict != "no")
    only_found = {kind for kind, seen in kinds.items() if seen != {True, False}}
    assert not only_found, "a kind needs cases that are found and cases that are not"


def test_escapes_of_the_table():
    assert spelt(r"a\nb\tc\\d\xe9\u4e2d\U0001f680 \d+") == "a\nb\tc\\d\xe9\u4e2d\U0001f680 \\d+"


def test_the_table_of_the_docs_is_that_of_the_cases():
    made = matching.markdown(matching.table())
    assert matching.DOCS.read_text(encoding="utf-8") == matching.page(made), "run: python -m benchmarks.matching --write"
