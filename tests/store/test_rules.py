"""rules.json: strict, with the line of every fault, and a fault takes down the smallest thing it can."""

import json

import pytest

from abcd_index.store.rules import read_rules

GOOD = {"schema_version": 1, "disabled": False, "domains": {
    "GIT_FLOW": {"state": "active", "recall": ["commit", "push"], "aliases": ["pull request"],
                 "exclude": ["git book"], "rules": ["Small commits.", "Never force-push."]},
    "AUTH": {"state": "dormant", "rules": ["Ask first."]}}}


def read(data):
    if isinstance(data, dict):
        data = json.dumps(data)
    return read_rules(data.encode() if isinstance(data, str) else data)


def codes(findings):
    return [(finding.code, finding.line) for finding in findings]


def wrap(domain):
    return f'{{"schema_version": 1, "domains": {{\n"OK": {{"rules": ["r"]}},\n"D": {domain}\n}}}}'


def test_domains_are_read_and_sorted():
    (auth, flow), findings = read(GOOD)
    assert findings == []
    assert (auth.name, auth.state, auth.recall, auth.rules) == ("AUTH", "dormant", (), ("Ask first.",))
    assert (flow.name, flow.state) == ("GIT_FLOW", "active")
    assert (flow.recall, flow.aliases, flow.exclude) == (("commit", "push"), ("pull request",), ("git book",))
    assert flow.rules == ("Small commits.", "Never force-push.")


def test_disabled_switches_all_off():
    assert read(dict(GOOD, disabled=True)) == ((), [])
    domains, findings = read('{"schema_version": 1,\n"disabled": "yes", "domains": {}}')
    assert (domains, codes(findings)) == ((), [("rules-wrong-type", 2)])


def test_a_missing_or_empty_state_is_active():
    for state in ("", '"state": "", '):
        domains, findings = read(wrap('{%s"rules": ["r"]}' % state))
        assert [domain.state for domain in domains] == ["active", "active"]
        assert findings == []


@pytest.mark.parametrize("text, line, words", [
    ('{"schema_version": 1,\n"domains": {},\n}', 3, "trailing comma"),
    ('{"domains": {"A": {"rules": ["x",\n]}}}', 2, "trailing comma"),
    ('{\n"disabled": NaN}', 2, "`NaN`"),
    ('{\n"disabled": Infinity}', 2, "`Infinity`"),
    ("{\n'a': 1}", 2, "double quotes"),
    ('{\n"a": \'b\'}', 2, "single quotes"),
    ("{\n// note\n}", 2, "comment"),
    ('{"a": 1\n"b": 2}', 2, "`,` or `}` expected"),
    ('{"a": "b\nc"}', 1, "control character"),
    ('{"a": "\\q"}', 1, "escape"),
    ('{"a": "b', 1, "unterminated"),
    ('{"a": 01}', 1, "`01`"),
    ('{"a": tru}', 1, "`tru`"),
    ('{"a"\n1}', 2, "no `:`"),
    ('{"a": 1}\n{}', 2, "text follows"),
    ("", 1, "ends in the middle"),
    ("[" * 50, 1, "levels"),
    ("[" * 100_000, 1, "levels"),
])
def test_what_is_no_json(text, line, words):
    domains, [finding] = read(text)
    assert domains == ()
    assert (finding.code, finding.line) == ("rules-not-json", line)
    assert words in finding.message + finding.fix


@pytest.mark.parametrize("data, wanted", [
    (b"\xff{}", [("not-utf8", 1)]),
    (b"[]", [("rules-wrong-type", 1)]),
    (b'{"schema_version": 2, "domains": {}}', [("rules-schema-version", 1)]),
    (b'{"schema_version": "1"}', [("rules-schema-version", 1)]),
    (b'{"schema_version": true}', [("rules-schema-version", 1)]),
    (b'{"schema_version": 1, "domains": []}', [("rules-wrong-type", 1)]),
    (b" " * (256 * 1024 + 1), [("rules-too-large", None)]),
])
def test_what_yields_no_domain(data, wanted):
    domains, findings = read(data)
    assert (domains, codes(findings)) == ((), wanted)


def test_a_byte_order_mark_is_read_and_named():
    domains, findings = read(b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    assert (len(domains), codes(findings)) == (2, [("rules-bom", 1)])


def test_crlf_lines_are_counted():
    _, findings = read('{"schema_version": 1,\r\n"domains": {\r\n"bad": {}}}')
    assert codes(findings) == [("rules-domain-name", 3)]


@pytest.mark.parametrize("domain, code", [
    ("[]", "rules-wrong-type"),
    ("null", "rules-wrong-type"),
    ('{"state": "off", "rules": ["r"]}', "rules-domain-state"),
    ('{"state": true, "rules": ["r"]}', "rules-domain-state"),
])
def test_a_bad_domain_does_not_take_down_the_others(domain, code):
    domains, findings = read(wrap(domain))
    assert [domain.name for domain in domains] == ["OK"]
    assert codes(findings) == [(code, 3)]


def test_a_bad_name_does_not_take_down_the_others():
    domains, findings = read(wrap("{}").replace('"D"', '"../x"'))
    assert [domain.name for domain in domains] == ["OK"]
    assert codes(findings) == [("rules-domain-name", 3)]


@pytest.mark.parametrize("domain, kept, wanted", [
    ('{"recall": "git", "rules": ["r"]}', (), [("rules-wrong-type", 3)]),
    ('{"recall": ["git", null, ["x"], {}, true], "rules": ["r"]}', ("git",), [("rules-wrong-type", 3)] * 4),
    ('{"recall": [404, "", " ", "Git", "git", "a\\u00a0b"], "rules": ["r"]}', ("404", "Git", "a b"),
     [("rules-empty", 3)] * 2),
    ('{"recall": ["git\\ud800"], "rules": ["r"]}', ("git?",), []),
    ('{"recall": ["git"], "recal": [], "$note": 1, "_x": 2, "rules": ["r"]}', ("git",), [("rules-unknown-key", 3)]),
    ('{"recall": ["a"],\n"recall": ["b"], "rules": ["r"]}', ("b",), [("rules-duplicate-key", 4)]),
    ('{"recall": ["a"], "rules": []}', ("a",), [("rules-empty", 3)]),
    ('{"recall": ["a"], "state": "dormant"}', ("a",), []),
    ('{"recall": ["\\u202egit"], "rules": ["r"]}', ("git",), [("bidi-character", 3)]),
])
def test_a_bad_item_does_not_take_down_its_domain(domain, kept, wanted):
    (found, _), findings = read(wrap(domain))
    assert found.recall == kept
    assert codes(findings) == wanted


def test_a_domain_given_twice_names_both_lines():
    domains, [finding] = read('{"schema_version": 1, "domains": {\n"A": {"rules": ["x"]},\n"A": {"rules": ["y"]}}}')
    assert [domain.rules for domain in domains] == [("y",)]
    assert (finding.code, finding.line) == ("rules-duplicate-key", 3)
    assert "on lines 2 and 3" in finding.message


def test_a_missing_version_is_assumed():
    domains, findings = read('{"domains": {"A": {"rules": ["x"]}}}')
    assert (len(domains), codes(findings)) == (1, [("rules-unknown-key", 1)])
