"""Edits of a settings text: what is added, that nothing else changes, and that it can be taken back."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcd_index.install import json_text, settings_files
from abcd_index.install.settings_files import (
    BrokenSettings,
    add,
    command,
    own_command,
    registered,
    remove,
    status_command,
)

COMMANDS = {event: command("/opt/py thon/bin/python3", f"/opt/it's/{script}")
            for event, script in settings_files.SCRIPTS.items()}


def line(own):
    return status_command("/p/python3", "/p/statusline_hook.py", own)


KEYS = st.sampled_from(["a", "model", "permissions", "hooks", "SessionStart", "Stop", "é\n\"", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS.filter(lambda k: k != "hooks"), inner, max_size=3),
    max_leaves=10)
GROUPS = st.lists(st.fixed_dictionaries({"hooks": st.lists(st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["echo", "x # abcd", ""])}), min_size=1, max_size=2)}),
    min_size=1, max_size=2)
HOOKS = st.dictionaries(st.sampled_from(["SessionStart", "Stop", "UserPromptSubmit", "PreCompact"]), GROUPS, min_size=1)


@st.composite
def documents(draw):
    """A settings text in somebody's style: any indentation, any line ends, any spacing."""
    data = draw(st.dictionaries(KEYS.filter(lambda k: k != "hooks"), VALUES, max_size=4))
    if draw(st.booleans()):
        data["hooks"] = draw(HOOKS)
    text = json.dumps(data, indent=draw(st.sampled_from([None, 0, 1, 2, 4, "\t"])), ensure_ascii=draw(st.booleans()),
                      separators=draw(st.sampled_from([None, (",", ":"), (" , ", " : ")])))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return draw(st.sampled_from(["", "\ufeff", "\n "])) + text + draw(st.sampled_from(["", "\n", "  \n\n"]))


def parsed(text):
    return json.loads(text.lstrip("\ufeff"))


@settings(max_examples=100, deadline=None)
@given(documents(), st.booleans())
def test_adds_ours_and_nothing_else(text, with_line):
    after = add(text, COMMANDS, line if with_line else None)
    data, theirs = parsed(after), parsed(text)
    found = registered(after)
    assert {event: found[event] for event in COMMANDS} == COMMANDS
    assert ("statusLine" in found) == with_line
    for event in COMMANDS:
        assert data["hooks"][event][: len(theirs.get("hooks", {}).get(event, []))] == theirs.get("hooks", {}).get(event, [])
        assert len(data["hooks"][event]) == len(theirs.get("hooks", {}).get(event, [])) + 1
    for key in theirs:
        if key != "hooks":
            assert data[key] == theirs[key]
    assert list(data)[: len(theirs)] == list(theirs), "the order stays"
    assert add(after, COMMANDS, line if with_line else None) == after, "once is enough"


@settings(max_examples=100, deadline=None)
@given(documents(), st.booleans())
def test_taking_away_gives_back_the_bytes(text, with_line):
    back = remove(add(text, COMMANDS, line if with_line else None))
    if parsed(text):
        assert back == text
    else:
        assert parsed(back) == {}


@given(documents())
def test_only_the_places_that_change_are_rewritten(text):
    after = add(text, COMMANDS)
    at = 0
    for piece in text.replace("}", "\0").replace("]", "\0").split("\0"):
        at = after.find(piece.rstrip(), at)
        assert at >= 0


@given(st.text(max_size=40))
def test_any_other_text_is_refused_or_is_json(text):
    try:
        json_text.scan(text)
    except ValueError:
        with pytest.raises(BrokenSettings):
            add(text if text.strip() else "x", COMMANDS)


@pytest.mark.parametrize("text", [
    "{", "[]", "1", '{"a": 1,}', '{"a" 1}', '{"hooks": []}', '{"hooks": {"SessionStart": {}}}', '{"a": 1, "a": 2}',
    "{} {}", "{'a': 1}", '{"statusLine": 3}', '{"a": ' + "[" * 5000 + "]" * 5000 + "}"],
    ids=lambda text: text[:25])
def test_what_cannot_be_edited_is_refused(text):
    with pytest.raises(BrokenSettings):
        add(text, COMMANDS, line)


def test_an_older_command_is_brought_up_to_date_where_it_stands():
    old = {event: text.replace("/opt/py thon", "/old") for event, text in COMMANDS.items()}
    text = add('{"a": 1}', old)
    assert add(text, COMMANDS) == text.replace("/old/bin/python3", "'/opt/py thon/bin/python3'").replace(
        "''/opt", "'/opt").replace("3''", "3'")
    twice = json.loads(text)
    twice["hooks"]["PreCompact"] *= 2
    assert json.loads(add(json.dumps(twice), COMMANDS)) == json.loads(add('{"a": 1}', COMMANDS))


def test_a_handler_that_somebody_put_into_our_group_stays():
    data = json.loads(add("{}", COMMANDS))
    data["hooks"]["SessionStart"][0]["hooks"].insert(0, {"type": "command", "command": "mine"})
    assert json.loads(remove(json.dumps(data))) == {
        "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "mine"}]}]}}


@given(st.text(max_size=30).filter(lambda text: "\0" not in text))
def test_the_status_line_that_was_there_comes_back(own):
    text = json.dumps({"statusLine": {"type": "command", "command": own, "padding": 1}})
    after = add(text, {}, line)
    if own:
        assert own_command(json.loads(after)["statusLine"]["command"]) == own
        assert json.loads(remove(after)) == json.loads(text)
        assert add(after, {}, line) == after


def test_the_command_is_stable():
    """Some agents ask a person again when a command changes: no version, nothing temporary in it."""
    from abcd_index import __version__

    made, _ = settings_files.commands()
    again, _ = settings_files.commands()
    assert made == again
    for text in made.values():
        assert __version__ not in text and "tmp" not in text.replace("/tmp/", "")
        assert text.endswith("|| exit 0 # abcd-index")
