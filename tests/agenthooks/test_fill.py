"""How full the window is: what the status line says, what voids it, and which bracket follows."""

import json
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abcd_index import settings
from abcd_index.agenthooks import fill, io, statusline
from abcd_index.agenthooks.decide import DEFAULTS, SETTINGS, settings_of
from tests import hooked_store
from tests.hooked_store import older, page

hooked = hooked_store.hooked


@pytest.fixture
def auth(hooked):
    return hooked.pages({"a_auth_%d.md" % n: page(["auth"], "Body number %d." % n) for n in range(3)})


def bracket(hooked, prompt="auth", session="s1"):
    """The bracket that a prompt comes in; the ledger's own memory is cleared."""
    text = hooked.quick(prompt, session)
    for name in hooked.sessions.iterdir():
        if ".fill" not in name.name:
            name.unlink()
    return text.partition('bracket="')[2].partition('"')[0]


def test_the_hooks_defaults_are_the_settings_defaults():
    assert {name: settings.DEFAULTS[name] for name in DEFAULTS} == DEFAULTS
    assert settings.written_settings(settings.defaults()) == DEFAULTS


def test_the_hooks_bounds_are_the_settings_bounds():
    for path, allowed in SETTINGS.items():
        setting = settings.TABLE[path]
        if isinstance(setting, settings.Number):
            assert allowed == (setting.default, setting.low, setting.high)
        else:
            assert allowed == setting.options


@pytest.mark.parametrize("path", SETTINGS)
def test_what_is_out_of_bounds_in_a_header_is_the_default(path):
    allowed = SETTINGS[path]
    group, _, name = path.rpartition(".")

    def read(value):
        found = settings_of({"settings": {group: {name: value}} if group else {name: value}})
        return (found[group] if group else found)[name]

    good = allowed if type(allowed[0]) is str else allowed[1:]
    assert [read(value) for value in good] == list(good)
    bad = [None, True, [], {}, 1.5, "x", allowed[-1] + 1 if type(allowed[0]) is int else 1]
    assert [read(value) for value in bad] == [allowed[0]] * len(bad)


@pytest.mark.parametrize("free, wanted", [
    (100, "FRESH"), (70, "FRESH"), (69.99, "MODERATE"), (40, "MODERATE"), (39.99, "DEPLETED"), (0, "DEPLETED"),
])
def test_the_brackets_borders(auth, free, wanted):
    auth.free(free)
    assert bracket(auth) == wanted


def test_thresholds_are_settings(auth):
    auth.config(brackets={"fresh": 90, "moderate": 10})
    auth.free(85)
    assert bracket(auth) == "MODERATE"
    auth.free(20)
    assert bracket(auth) == "MODERATE"
    auth.free(9)
    assert bracket(auth) == "DEPLETED"


def test_no_figure_ever_is_moderate_and_a_null_figure_is_fresh(auth):
    assert bracket(auth) == "MODERATE"
    auth.free(None, current_usage=None)
    assert bracket(auth) == "FRESH"
    # The figure of another session is not this one's.
    auth.free(10, "s2")
    assert bracket(auth) == "FRESH"
    assert bracket(auth, session="s3") == "MODERATE"


def test_once_depleted_it_stays_so_until_the_context_is_emptied(auth):
    auth.free(30)
    assert bracket(auth) == "DEPLETED"
    for free in (55, 90, None):
        auth.free(free)
        assert bracket(auth) == "DEPLETED"
    for source in ("resume", "fork"):
        auth.start(source)
        assert bracket(auth) == "DEPLETED"
    for source in ("compact", "clear", "startup"):
        auth.start(source)
        assert bracket(auth) == "FRESH"
        auth.free(20, context_window_size=len(source))
        assert bracket(auth) == "DEPLETED"
    for number, event in enumerate(("PreCompact", "PostCompact", "PreCompress", "preCompact")):
        auth.start(None, event=event, trigger="manual")
        assert bracket(auth) == "FRESH"
        auth.free(20, context_window_size=100 + number)
        assert bracket(auth) == "DEPLETED"


def test_the_ledger_remembers_depleted_when_the_record_is_lost(auth):
    auth.free(30)
    assert 'bracket="DEPLETED"' in auth.quick("auth")
    for path in auth.sessions.glob("*.fill"):
        path.unlink()
    auth.pages({"b_login.md": page(["login"], "Login body.")})
    assert 'bracket="DEPLETED"' in auth.quick("login")


def test_a_figure_of_before_the_compaction_does_not_count_when_it_is_sent_again(auth):
    auth.free(10)
    auth.start("compact")
    assert bracket(auth) == "FRESH"
    auth.free(10)
    auth.free(10)
    assert bracket(auth) == "FRESH"
    # Nor when a null figure came in between.
    auth.free(None)
    auth.free(10)
    assert bracket(auth) == "FRESH"
    # A second event for the same compaction does not bring it back.
    auth.start(None, event="PostCompact")
    auth.free(10)
    assert bracket(auth) == "FRESH"
    auth.free(74)
    assert bracket(auth) == "FRESH"
    auth.free(10)
    assert bracket(auth) == "DEPLETED"


def test_a_compaction_without_any_status_line_means_an_emptied_window(auth):
    auth.start("compact")
    assert bracket(auth) == "FRESH"
    auth.start("startup", "s9")
    assert bracket(auth, session="s9") == "MODERATE"


def test_a_figure_of_two_days_ago_does_not_count(auth, monkeypatch):
    auth.free(90)
    assert bracket(auth) == "FRESH"
    now = fill.time.time()
    monkeypatch.setattr(fill.time, "time", lambda: now + 2 * 86400)
    assert bracket(auth) == "MODERATE"
    monkeypatch.setattr(fill.time, "time", lambda: now - 2 * 86400)
    assert bracket(auth) == "MODERATE"


@pytest.mark.parametrize("damage", [b"", b"\0\0", b"abcd-fill 1 x\n1 2 3 4 5\n", b"abcd-fill 2\n", b"{}", b"x" * 9000])
def test_a_record_that_is_none_is_no_figure(auth, damage):
    auth.free(90)
    path = next(auth.sessions.glob("*.fill"))
    path.write_bytes(damage)
    assert bracket(auth) == "MODERATE"
    auth.free(90)
    assert bracket(auth) == "FRESH"
    path.write_bytes(path.read_bytes().replace(b"90.0000", b"nan"))
    assert bracket(auth) in ("MODERATE", "FRESH", "DEPLETED")


@pytest.mark.parametrize("window, remaining", [
    ({"used_percentage": 8}, 92),
    ({"used_percentage": 8.5, "current_usage": None}, 91.5),
    ({"used_percentage": 0}, 100),
    ({"used_percentage": 130}, 0),
    ({"used_percentage": None, "current_usage": None, "context_window_size": 200000}, None),
    ({"remaining_percentage": 30}, 30),
    ({"current_usage": 32768, "context_window_size": 131072}, 75),
    ({"used_percentage": None, "context_window_size": 200000, "current_usage": {
        "input_tokens": 8500, "output_tokens": 90000, "cache_creation_input_tokens": 5000,
        "cache_read_input_tokens": 6500}}, 90),
    ({"context_window_size": 200000, "current_usage": {"input_tokens": 20000}}, 90),
    # More tokens than the window is said to hold: the size is the small model's.
    ({"context_window_size": 200000, "current_usage": 250000}, 75),
    ({"used_percentage": 31.5, "remaining_tokens": 87680}, 68.5),
    ({"used_percentage": True, "current_usage": "many", "context_window_size": []}, None),
    ({"used_percentage": float("nan")}, None),
    ({"used_percentage": -3}, None),
    ({}, None),
])
def test_the_figures_that_agents_send(window, remaining):
    found, said = statusline.figures(window)
    assert found == (None if remaining is None else pytest.approx(remaining))
    assert said and said.isascii() and " " not in said


@pytest.mark.parametrize("window", [None, 5, [], "x"])
def test_a_status_line_without_a_window_writes_nothing(hooked, window):
    statusline.keep({"session_id": "s1", "context_window": window}, hooked.places)
    assert not hooked.sessions.exists()


JSON = st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
                    max_leaves=6)
FIELDS = ("used_percentage", "remaining_percentage", "current_usage", "context_window_size")


@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_any_window_gives_a_percentage_or_none(window):
    remaining, said = statusline.figures(window)
    assert remaining is None or 0 <= remaining <= 100
    assert said.isascii() and " " not in said


@given(st.lists(st.tuples(st.sampled_from(["note", "reset"]), st.floats(0, 100)), max_size=12))
def test_the_least_figure_since_the_last_reset_is_kept(tmp_path_factory, steps):
    session = io.Session(str(tmp_path_factory.getbasetemp() / "fills"), "s", b"k" * 32)
    io.remove(session.path + io.FILL)
    least, stale, last = None, "-", "-"
    for step, free in steps:
        said = "%.6g/x" % free
        if step == "note":
            assert fill.note(session, free, said)
            if said != stale:
                stale = "-"
                least = free if least is None else min(least, free)
                last = said
        else:
            fill.reset(session)
            if last != "-":
                stale = last
            least, last = None, "-"
    found = fill.read_fill(session).least
    assert (found is None) == (least is None) and (found is None or abs(found - least) < 0.001)


def statusline_process(hooked, payload, *command, **kw):
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return subprocess.run(
        [hooked_store.BASE_PYTHON, "-I", "-S", str(hooked_store.ROOT / "hooks" / "statusline_hook.py"), *command],
        input=data, env=hooked.sandbox.env, cwd=str(hooked.root), capture_output=True, timeout=20, **kw)


PAYLOAD = {"session_id": "s1", "model": {"display_name": "Opus"}, "context_window": {"used_percentage": 8}}


def test_the_wrapped_command_gets_the_same_bytes_and_its_output_and_status_pass_through(auth):
    data = b"  " + json.dumps(PAYLOAD).encode() + b"\n"
    done = statusline_process(auth, data, "--", "cat; echo to-stderr >&2; exit 3")
    assert (done.returncode, done.stdout, done.stderr) == (3, data, b"to-stderr\n")
    assert bracket(auth) == "FRESH"
    done = statusline_process(auth, data, "--", "wc", "-c")
    assert int(done.stdout) == len(data)


def test_a_large_payload_reaches_the_wrapped_command_whole(auth):
    payload = dict(PAYLOAD, padding="x" * 300000)
    done = statusline_process(auth, payload, "--", "wc -c")
    assert int(done.stdout) == len(json.dumps(payload))
    # And one that does not read it does not hang.
    assert statusline_process(auth, payload, "--", "echo hello").stdout == b"hello\n"


def test_the_figure_is_written_before_the_command_runs(auth):
    done = statusline_process(auth, PAYLOAD, "--", f"cat '{auth.sessions}'/*.fill")
    assert b"92.0000" in done.stdout


def test_a_wrapped_command_that_is_missing_or_killed(auth):
    assert statusline_process(auth, PAYLOAD, "--", "/no/such/program", "x").returncode == 127
    assert statusline_process(auth, PAYLOAD, "--", "kill -9 $$").returncode == -9
    # A reader that leaves early kills a writer, as it would without us.
    done = statusline_process(auth, PAYLOAD, "--", "yes | head -n 1")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"y\n", b"")


def test_without_a_wrapped_command_a_short_line_is_shown(auth):
    done = statusline_process(auth, PAYLOAD)
    assert done.stdout.decode() == "Opus \u00b7 92 % of the context window free\n"
    assert statusline_process(auth, b"nonsense").stdout == b""
    assert statusline_process(auth, b"nonsense", "--", "echo hello").stdout == b"hello\n"


def test_the_line_shows_what_the_last_prompt_brought(auth):
    def line(free):
        return auth.free(free)

    assert line(90) == "90 % of the context window free"
    auth.quick("auth")
    assert line(82) == "3 pages, FRESH 82 %" and line(60) == "3 pages, FRESH 60 %"
    auth.quick("auth")  # The same prompt, given to a second hook.
    assert line(60) == "3 pages, FRESH 60 %"
    auth.quick("nothing that is known")
    assert line(59) == "no page \u00b7 59 % of the context window free"
    auth.start("compact")
    assert line(95) == "95 % of the context window free"
    auth.quick("one more of auth")
    window = {"session_id": "s1", "context_window": None, "model": {"display_name": "Opus"}}
    assert statusline.keep(window, auth.places) == "Opus \u00b7 3 pages, FRESH"
    # Another session's ledger, or no ledger at all, is not shown.
    (ledger,) = auth.sessions.glob("*.ledger")
    for data in (b"", b"nonsense\n+ FRESH a b c:3\n", b"abcd-ledger 2 4 0000\n+ FRESH a b c:3\n"):
        ledger.write_bytes(data)
        assert statusline.keep(window, auth.places) == "Opus"


def test_an_old_file_time_alone_voids_nothing(auth):
    auth.free(90)
    older(next(auth.sessions.glob("*.fill")), 3 * 86400)
    assert bracket(auth) == "FRESH"
