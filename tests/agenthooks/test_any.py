"""Any payload, any artefact: the hook's own code never raises, and what it sends is valid or nothing."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcd_index.agenthooks import io, prompt_hook, session_hook
from abcd_index.agenthooks.io import Session, marked
from abcd_index.agenthooks.prompt import HEAD, TAIL, Prompt
from tests import hooked_store
from tests.hooked_store import page, said

hooked = hooked_store.hooked
RELAXED = settings(max_examples=150, deadline=None)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12)
    | st.sampled_from(["auth", "why does auth fail", "SessionStart", "compact", "UserPromptSubmit", "/"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3), max_leaves=5)
FIELDS = st.sampled_from([
    "session_id", "sessionId", "cwd", "prompt", "hook_event_name", "hookEventName", "hookName", "prompt_id", "turn_id", "agent_id",
    "source", "timestamp", "cursor_version", "conversation_id", "generation_id", "workspace_roots", "workspaceRoots",
    "userPromptSubmit", "clineVersion", "initialPrompt", "submitted_prompt", "permission_mode", "taskId", "trigger"])


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    from tests.conftest import Sandbox

    patch = pytest.MonkeyPatch()
    hooked = hooked_store.HookedStore(Sandbox(tmp_path_factory.mktemp("any")))
    patch.setattr("abcd_index.agenthooks.rebuild.start", lambda command, note: True)
    yield hooked.pages({"a_auth.md": page(["auth"], "Body A.")}, {"u_tea.md": page(["tea"], "Tea.")})
    patch.undo()


@RELAXED
@given(st.dictionaries(FIELDS, VALUES, max_size=8))
def test_any_object_is_a_payload(store, payload):
    payload.setdefault("cwd", str(store.root))
    for module in (prompt_hook, session_hook):
        sent = store.respond(payload, module=module)
        assert len(sent) <= 1
        for data in sent:
            assert io.payload_of(data) is not None or data.startswith(b"<abcd-memory") or b"abcd" in data


@RELAXED
@given(st.text(max_size=200))
def test_any_text_is_a_prompt(store, text):
    answer = said(store.respond(store.payload(text + " auth", None)))
    assert answer == "" or "Body A." in answer or "a_auth.md" in answer


@RELAXED
@given(st.binary(max_size=300))
def test_any_bytes_on_stdin_are_a_payload_or_none(data):
    found = io.payload_of(data)
    assert found is None or type(found) is dict
    try:
        strict = json.loads(data.decode("utf-8"), parse_constant=lambda name: 1 / 0)
    except (ValueError, ZeroDivisionError, RecursionError):
        strict = None
    if type(strict) is dict:
        assert found == strict


LONG = 120_000
LINES = st.sampled_from(["2026-07-01 12:00:00 auth failed\n", "\tat a.B(B.java:3)\n", "\u0434\u0435\u043f\u043b\u043e\u0439 auth\n", "x" * 90,
                         '{"auth": "x"}\n', "\u90e8\u7f72 auth, ", "c:\\auth\\x \r\n", "\x7f\x7f\x7f \x7f", "a\u2028 b "])


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=3), st.booleans(), st.sampled_from(["prompt", "other", "both"]), st.integers(1, 40))
def test_of_a_long_prompt_only_what_is_not_looked_at_is_left_out(lines, ascii_only, where, at):
    assert (io.PROMPT_HEAD, io.PROMPT_TAIL) == (HEAD, TAIL)
    text = "auth? " * at + "".join(lines) * (LONG // len("".join(lines))) + " auth?" * at
    payload = {"cwd": "/", "prompt": "short", "other": "short", "prompt_id": "x"}
    payload.update(dict.fromkeys(["prompt", "other"] if where == "both" else [where], text))
    found = io.payload_of(json.dumps(payload, ensure_ascii=ascii_only).encode("utf-8"))
    own = found.pop("prompt"), payload.pop("prompt")
    assert found == payload
    mine, whole = map(Prompt, own)
    assert (mine.typed, mine.pasted, mine.run) == (whole.typed, whole.pasted, whole.run)
    here = Session("/", "s", b"k" * 32)
    assert marked(here, "", own[0]) == marked(here, "", own[1])


def test_the_middle_of_a_long_log_is_not_even_parsed():
    text = "why?\n" + "2026-07-01 12:00:00 auth failed\n" * 6000
    for payload in ({"prompt": text, "cwd": "/"}, {"cwd": "/", "prompt": text}):
        assert len(io.payload_of(json.dumps(payload).encode())["prompt"]) < 40_000
        assert io.payload_of(json.dumps(payload).encode()[:-1]) is None
    assert io.payload_of(json.dumps({"prompt": text, "cwd": "/"}).replace("failed", 'fai"ed').encode()) is None


@RELAXED
@given(st.data())
def test_any_bytes_are_an_artefact(store, data):
    idx = next(store.index.glob("*.idx"))
    good = store.__dict__.setdefault("good", idx.read_bytes())
    kind = data.draw(st.sampled_from(["bytes", "cut", "patch", "header"]))
    if kind == "bytes":
        damage = data.draw(st.binary(max_size=200))
    elif kind == "cut":
        damage = good[: data.draw(st.integers(0, len(good) - 1))]
    elif kind == "patch":
        at = data.draw(st.integers(0, len(good) - 1))
        piece = data.draw(st.binary(min_size=1, max_size=20))
        damage = good[:at] + piece + good[at + len(piece):]
    else:
        # A header whose checksum holds, with forged values: only the reader's own checks are left.
        from abcd_index.artefact.format import checksum

        line, _, rest = good.partition(b"\n")
        header = json.loads(line)
        header[data.draw(st.sampled_from(sorted(header)))] = data.draw(VALUES)
        head = json.dumps(header).encode()
        damage = head + b"\n%10d\n" % checksum(head) + rest.partition(b"\n")[2]
    try:
        store.damage(damage, idx)
        for prompt in ("why does auth fail?", "tea", "*x"):
            answer = said(store.respond(store.payload(prompt, None)))
            assert "Body" not in answer.replace("Body A.", "")
    finally:
        store.damage(good, idx)


def test_thousands_of_files_in_the_sessions_folder_cost_a_prompt_nothing(store):
    os.makedirs(store.sessions, exist_ok=True)
    for n in range(3000):
        (store.sessions / ("%039x.ledger" % n)).touch()
    listed = []
    original = os.listdir
    patch = pytest.MonkeyPatch()
    patch.setattr("abcd_index.agenthooks.ledger._os.listdir", lambda path: listed.append(path) or original(path), raising=False)
    for n in range(40):
        assert store.quick("auth", "many%d" % n)
    patch.undo()
    assert len(listed) < 12
