"""Edits of a settings text: what is added, that nothing else changes, and that it can be taken back."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcd_index.install import entries, json_text
from abcd_index.install.entries import BrokenSettings, command, own_command, status_command

CLAUDE = entries.agent("claude")
COMMANDS = {event: command("/opt/py thon/bin/python3", f"/opt/it's/{entries.SCRIPTS[kind]}")
            for event, kind in CLAUDE.events.items()}


def add(text, commands, status_line=None, of=CLAUDE):
    return entries.add(text, of, commands, status_line)


def remove(text, of=CLAUDE):
    return entries.remove(text, of)


def registered(text, of=CLAUDE):
    return entries.registered(text, of)


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


@settings(max_examples=60, deadline=None)
@given(documents(), st.sampled_from([name for name in entries.agents() if entries.agent(name).form == "json"]))
def test_each_agents_entries_come_and_go(text, name):
    of = entries.agent(name)
    if name in ("kiro",) and "hooks" in parsed(text):
        return  # There it is a list.
    if not of.under:
        text = json.dumps({key: value for key, value in parsed(text).items() if key not in of.events})
    wanted = {event: command("/p/python3", "/p/it's.py", name) for event in of.events}
    after = add(text, wanted, of=of)
    assert registered(after, of) == wanted and add(after, wanted, of=of) == after
    found = parsed(after)
    assert {key: found[key] for key in of.base} == {**of.base, **{k: v for k, v in parsed(text).items() if k in of.base}}
    back = remove(after, of)
    assert {key: value for key, value in parsed(back).items() if key not in of.base} == {
        key: value for key, value in parsed(text).items() if key not in of.base}


COMMENTED = """\
// mine
{
  "a": 1, // of a
  /* over b */ "b": {"c": "// no comment"}, // of b
  // before the hooks
  "hooks": { // of hooks
    "Stop": [] // last of hooks
  } // after hooks
  // the end
}
"""


def test_comments_and_order_stay_where_the_agent_reads_comments():
    gemini = entries.agent("gemini")
    wanted = {event: command("/p/python3", "/p/x.py") for event in gemini.events}
    after = add(COMMENTED, wanted, of=gemini)
    for number, said in enumerate(COMMENTED.splitlines()):
        assert said in after.replace("[],", "[]"), number
    assert '"Stop": [], // last of hooks' in after
    assert registered(after, gemini) == wanted
    assert remove(after, gemini) == COMMENTED
    with_line = add('{\n  "ui": {"theme": "x"} // of ui\n}\n', {}, line, entries.agent("qwen"))
    assert json_text.scan(with_line, comments=True).get("ui", "statusLine", "command").text.endswith(entries.MARK)
    assert remove(with_line, entries.agent("qwen")) == '{\n  "ui": {"theme": "x"} // of ui\n}\n'


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["// x", "/* y */", "", "//", "/* a\n b */", '// "q" {']), min_size=8, max_size=8), st.data())
def test_ours_come_and_go_between_any_comments(said, data):
    gap = ["\n%s\n" % one for one in said]
    text = gap[0] + '{' + gap[1] + '"a": 1' + gap[2] + ',' + gap[3] + '"hooks": {' + gap[4]
    text += data.draw(st.sampled_from(['"Stop": []', ""])) + gap[5] + "}" + gap[6] + "}" + gap[7]
    gemini = entries.agent("gemini")
    wanted = {event: command("/p/python3", "/p/x.py") for event in gemini.events}
    after = add(text, wanted, of=gemini)
    assert registered(after, gemini) == wanted
    back = remove(after, gemini)
    for one in said:
        assert back.count(one) >= said.count(one)
    plain, back = (json.loads(json_text.without_comments(one)) for one in (text, back))
    assert back["a"] == 1 and back.get("hooks", {}) == plain["hooks"]


def test_a_comment_is_named_where_the_agent_reads_none():
    with pytest.raises(BrokenSettings, match="Claude Code reads no comments there, line 2: a comment"):
        add('{"a": 1,\n // x\n "b": 2}', COMMANDS)


KIMI = """\
default_model = "fake"   # mine
[[hooks]]
event = "Stop"
command = "mine"

# the end
[providers.fake]
type = "openai"
"""


@pytest.mark.parametrize("text", ["", KIMI, KIMI + "a = 1", "a = 1\n"])
def test_kimis_toml_keeps_all_that_is_there(text):
    kimi = entries.agent("kimi")
    wanted = {event: command("/p/pyth\u00f6n", "/it's/x.py", "kimi") for event in kimi.events}
    after = add(text, wanted, of=kimi)
    assert registered(after, kimi) == wanted and add(after, wanted, of=kimi) == after
    assert after.startswith(text) and remove(after, kimi) in (text, text + "\n")
    newer = {event: said.replace("/p/", "/q/") for event, said in wanted.items()}
    assert registered(add(after, newer, of=kimi), kimi) == newer
    tomllib = pytest.importorskip("tomllib")
    ours = [table["command"] for table in tomllib.loads(after)["hooks"] if entries.is_ours(table["command"])]
    assert ours == list(wanted.values())
    assert tomllib.loads(remove(after, kimi)) == tomllib.loads(text)


def test_kimis_hooks_in_another_form_are_refused():
    with pytest.raises(BrokenSettings):
        add('hooks = [{event = "Stop", command = "x"}]\n', {"SessionStart": "x # abcd-index"}, of=entries.agent("kimi"))


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
    twice["hooks"]["SessionStart"] *= 2
    # Of an earlier release: an event that is not asked for any more.
    twice["hooks"]["PreCompact"] = [{"hooks": [{"type": "command", "command": COMMANDS["SessionStart"]}]}]
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

    for name in entries.agents():
        made = entries.commands(entries.agent(name))
        assert made == entries.commands(entries.agent(name))
        for text in made.values():
            assert __version__ not in text and "tmp" not in text.replace("/tmp/", "")
            assert text.endswith("|| exit 0 # abcd-index")
            assert entries.python_of(text) == entries.bare_python()
