"""Settings: what is written counts, what cannot be used is named and its default taken."""

from typing import get_type_hints

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abcd_index.settings import BOUNDS, CODES, DEFAULTS, Settings, defaults, read_settings, written_settings


def test_no_file_means_the_defaults():
    assert read_settings(None) == (DEFAULTS, [])


def test_what_is_given_counts_and_the_rest_stays():
    settings, findings = read_settings(b'{"refresh_every": 0, "brackets": {"fresh": 80}, "artefact": {"track": true}}')
    assert findings == []
    assert settings["refresh_every"] == 0
    assert settings["brackets"] == {"fresh": 80, "moderate": 40}
    assert settings["artefact"] == {"track": True, "keep": 5}


def test_a_byte_order_mark_does_no_harm():
    assert read_settings(b'\xef\xbb\xbf{"refresh_every": 3}')[0]["refresh_every"] == 3


@pytest.mark.parametrize("text, line, part", [
    ('{"refresh_every": -1}', 1, "refresh_every"),
    ('{"refresh_every": true}', 1, "refresh_every"),
    ('{"refresh_every": 1.5}', 1, "refresh_every"),
    ('{\n "limits": {\n  "context": 90000}}', 3, "limits.context"),
    ('{\n "limits": 3}', 2, "limits"),
    ('{\n\n "artefact": {"track": "yes"}}', 3, "artefact.track"),
    ('{"brackets": {"fresh": 30}}', 1, "above"),
    ('{"colour": 1}', 1, "colour"),
    ('[1]', 1, "object"),
    ('{\n"refresh_every": 15,\n}', 3, "trailing comma"),
    ('', 1, ""),
    ('{"refresh_every": 15,\n "keep": 0}', 2, "keep"),
    ('{"brackets.fresh": 70}', 1, "brackets.fresh"),
    ('{"artefact": {"brackets": {}}}', 1, "artefact.brackets"),
    ('{"stores": ["a"]}', 1, "absolute"),
    ('{"stores": {}}', 1, "absolute"),
    ('{"stores": ["/\\ud800"]}', 1, "absolute"),
    ('{"share": {"place": "a\\nb"}}', 1, "share.place"),
])
def test_a_bad_value_is_named_with_its_line(text, line, part):
    settings, findings = read_settings(text.encode())
    assert settings == DEFAULTS
    assert len(findings) == 1
    assert (findings[0].file, findings[0].line) == ("config.json", line)
    assert part in findings[0].message
    assert findings[0].code in CODES and findings[0].fix


def test_the_line_is_that_of_the_setting_not_of_the_same_word_elsewhere():
    _, findings = read_settings(b'{"share": {"place": "keep"},\n "artefact": {\n  "keep": 0}}')
    assert [(one.line, one.message[:13]) for one in findings] == [(3, "artefact.keep")]


def test_a_file_that_is_not_utf8_is_named_with_its_line():
    settings, findings = read_settings(b'{\n"share": {"place": "\xff"}}')
    assert settings == DEFAULTS
    assert [(one.code, one.line) for one in findings] == [("settings-not-json", 2)]


def test_the_table_has_the_shape_of_the_types():
    hints = get_type_hints(Settings)
    assert set(hints) == set(DEFAULTS)
    for name, kind in hints.items():
        if hasattr(kind, "__annotations__"):
            assert set(get_type_hints(kind)) == set(DEFAULTS[name])


def test_the_good_values_beside_a_bad_one_count():
    settings, findings = read_settings(b'{"refresh_every": "x", "limits": {"moderate": 300, "rules": -3}}')
    assert settings["limits"]["moderate"] == 300
    assert len(findings) == 2


@given(st.binary(max_size=200))
def test_any_bytes_give_usable_settings(data):
    settings, _ = read_settings(data)
    assert settings.keys() == DEFAULTS.keys()


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
                    lambda inner: st.dictionaries(st.sampled_from(
                        ["refresh_every", "brackets", "limits", "fresh", "context", "keep", "artefact"]), inner)))
def test_any_json_gives_settings_within_bounds(value):
    try:
        data = orjson.dumps(value)
    except TypeError:
        return
    settings, _ = read_settings(data)
    for path, (low, high) in BOUNDS.items():
        at = settings
        for name in path.split("."):
            at = at[name]
        assert low <= at <= high


def test_defaults_are_fresh_each_time():
    defaults()["limits"]["context"] = 1
    assert DEFAULTS["limits"]["context"] == 9000


def test_what_is_written_leaves_out_what_shapes_no_prompt():
    assert set(written_settings(defaults())) == {"brackets", "limits", "match", "refresh_every"}
