"""Keywords: the entries under which the artefact holds them, and what is said of weak ones."""

import pytest

from abcd_index.agenthooks.match import match
from abcd_index.agenthooks.prompt import Prompt
from abcd_index.text.patterns import LONGEST, entries, normal_form, weakness


@pytest.mark.parametrize("keyword, wanted", [
    ("auth", [("auth", ["auth"])]),
    ("Code Review", [("code", ["code review", "review"])]),
    ("code-review", [("code", ["code review", "review"])]),
    ("retries", [("retries", ["retries"]), ("retry", ["retries"]), ("retrie", ["retries"])]),
    ("useSession", [("usesession", ["usesession"]), ("use", ["usesession", "session"])]),
    ("GitHub", [("github", ["github"])]),
    ("C++", [("c", ["c++", ""])]),
    (".NET", [("net", [".net", ""])]),
    ("@scope/pkg", [("scope", ["@scope/pkg", ""])]),
    ("发布流程", [("发布", ["发布流程", ""])]),
    ("用git", [("用", ["用git", ""])]),
    ("🚀", [("🚀", ["🚀", ""])]),
    ("déploiement", [("deploiement", ["déploiement"])]),
    ("", []), ("   ", []), ("-", []), ("...", []), ("the", []), ("to be", []), ("don't", []), ("\u200b", []),
    ("x" * (LONGEST + 1), []),
], ids=lambda value: value if isinstance(value, str) and len(value) < 20 else "")
def test_entries(keyword, wanted):
    assert entries(keyword) == wanted


@pytest.mark.parametrize("one, other", [
    ("Code-Review", "code  review"), ("code_review", "CODE REVIEW"), ("cafe\u0301", "Café"), ("g\u200bit", "git"),
    ("C++", "c++"), ("node.js", "Node.JS"), ("user\u2019s guide", "user's guide"),
])
def test_spellings_with_one_normal_form(one, other):
    assert normal_form(one) == normal_form(other)


@pytest.mark.parametrize("one, other", [("auth", "auths"), ("cafe", "café"), ("c", "c++"), ("code review", "codereview")])
def test_spellings_with_two_normal_forms(one, other):
    assert normal_form(one) != normal_form(other)


@pytest.mark.parametrize("keyword, reason", [
    ("", "is blank and never matches"),
    (" \u200b ", "is blank and never matches"),
    ("x" * 201, "is longer than 200 characters and never matches"),
    ("the", "is made of stop words only and never matches"),
    ("to-be", "is made of stop words only and never matches"),
    ("don't", "is made of stop words only and never matches"),
    ("=>", "has no letter or digit and never matches"),
    ("--", "has no letter or digit and never matches"),
    ("c", "is one letter: it matches wherever that stands alone"),
    ("7", "is one digit: it matches wherever that stands alone"),
    ("é", "is one letter: it matches wherever that stands alone"),
    ("的", "is one character, which is in many words"),
    ("new", "is an everyday word: alone it brings only a line"),
    ("Fix", "is an everyday word: alone it brings only a line"),
    ("files", "is an everyday word: alone it brings only a line"),
    ("error codes", ""), ("auth", ""), ("C++", ""), ("C#", ""), ("发布", ""), ("🚀", ""), ("ci", ""), ("404", ""),
    ("--force", ""), ("the auth module", ""),
], ids=lambda value: value[:20])
def test_weakness(keyword, reason):
    assert weakness(keyword) == reason
    assert reason.endswith("never matches") == (not entries(keyword))


@pytest.mark.parametrize("keyword, prompt, wanted", [
    ("5.3.2", "upgrade to v5.3.2", True), ("v5.3.2", "upgrade to 5.3.2", True), ("5.3.2", "5.3.2 broke", True),
    ("v5.3.2", "v5.3.2, please", True), ("5.3.2", "v5.3.21", False), ("5.3", "what of v15.3", False), ("v2.0", "2.0", True),
])
def test_a_version_is_found_with_and_without_its_v(keyword, prompt, wanted):
    found = {}
    for key, entry in entries(keyword):
        found.setdefault(key, []).append((entry, [0], []))
    assert bool(match(Prompt(prompt), lambda key: found.get(key, []))) is wanted
