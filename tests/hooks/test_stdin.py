"""Whatever arrives on stdin, and however: exit status 0, one valid object or nothing, within about a second."""

import json
import os
import subprocess
import time

import pytest

from tests import hooked_store
from tests.hooked_store import page

hooked = hooked_store.hooked
HOOKS = hooked_store.ROOT / "hooks"


@pytest.fixture
def auth(hooked):
    return hooked.pages({"pitfall_auth_x.md": page(["auth"], "Retries are capped at three.")})


def start(hooked, script="prompt_router_hook.py", **kw):
    kw.setdefault("stdout", subprocess.PIPE)
    return subprocess.Popen([hooked_store.BASE_PYTHON, "-I", "-S", str(HOOKS / script)], env=hooked.sandbox.env,
                            cwd=str(hooked.root), stderr=subprocess.PIPE, **kw)


def end(process, seconds=8):
    """Wait for the process alone (not for its io); (status, stdout, stderr, seconds it took)."""
    begun = time.monotonic()
    try:
        status = process.wait(timeout=seconds)
    finally:
        process.kill()
    took = time.monotonic() - begun
    out = process.stdout.read() if process.stdout else b""
    err = process.stderr.read()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()
    return status, out, err, took


def test_a_host_that_never_closes_stdin_gets_its_answer_at_once(auth):
    process = start(auth, stdin=subprocess.PIPE)
    process.stdin.write(json.dumps(auth.payload("auth")).encode())
    process.stdin.flush()
    status, out, err, took = end(process)
    assert (status, err) == (0, b"") and b"Retries are capped" in out
    # It did not sit the deadline out: the payload was complete.
    assert took < 5


def test_a_payload_in_pieces_is_put_together(auth):
    process = start(auth, stdin=subprocess.PIPE)
    data = json.dumps(auth.payload("what of {this}? auth {or} that}")).encode()
    for at in range(0, len(data), 7):
        process.stdin.write(data[at:at + 7])
        process.stdin.flush()
        time.sleep(0.001)
    status, out, err, _ = end(process)
    assert (status, err) == (0, b"") and b"Retries are capped" in out


def test_half_a_payload_and_silence_end_at_the_deadline(auth):
    del auth.sandbox.env["ABCD_DEADLINE"]
    process = start(auth, stdin=subprocess.PIPE)
    process.stdin.write(b'{"prompt": "auth')
    process.stdin.flush()
    assert end(process)[:3] == (0, b"", b"")


@pytest.mark.parametrize("said", [None, "1", "0", "-5", "x", "\u0663", "1e9", ""])
def test_a_deadline_is_never_shorter_nor_longer_than_it_may_be(auth, said):
    from abcd_index.agenthooks import io
    from abcd_index.scopes import Places

    assert 1.0 <= io.deadline(Places({"ABCD_DEADLINE": said} if said is not None else {})) <= 60
    assert io.deadline(Places({"ABCD_DEADLINE": "9" * 30})) == 60 and io.deadline(Places({})) == io.DEADLINE == 1.0


def test_a_pipe_that_nobody_writes_to_ends_at_the_deadline(auth):
    del auth.sandbox.env["ABCD_DEADLINE"]
    for script in ("prompt_router_hook.py", "session_hook.py", "statusline_hook.py"):
        assert end(start(auth, script, stdin=subprocess.PIPE))[:3] == (0, b"", b"")


def test_stdin_closed_and_stdin_a_terminal(auth):
    del auth.sandbox.env["ABCD_DEADLINE"]
    import pty

    command = [hooked_store.BASE_PYTHON, "-I", "-S", str(HOOKS / "prompt_router_hook.py")]
    done = subprocess.run(["/bin/sh", "-c", '"$@" <&-', "sh", *command], env=auth.sandbox.env, capture_output=True, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    ours, theirs = pty.openpty()
    try:
        assert end(start(auth, stdin=theirs))[:3] == (0, b"", b"")
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_reader_that_is_gone_and_a_full_disk(auth):
    read, write = os.pipe()
    os.close(read)
    process = start(auth, stdin=subprocess.PIPE, stdout=write)
    os.close(write)
    process.stdin.write(json.dumps(auth.payload("auth")).encode())
    process.stdin.close()
    process.stdin = None
    assert end(process)[0] == 0
    command = [hooked_store.BASE_PYTHON, "-I", "-S", str(HOOKS / "prompt_router_hook.py")]
    data = json.dumps(auth.payload("auth")).encode()
    for redirect in (">/dev/full", ">&-"):
        done = subprocess.run(["/bin/sh", "-c", '"$@" ' + redirect, "sh", *command], env=auth.sandbox.env, input=data,
                              capture_output=True, timeout=20)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), redirect
    # Nothing went out, so nothing counts as seen.
    assert "Retries are capped" in auth.ask("auth")


@pytest.mark.parametrize("data", [
    b"", b" ", b"null", b"[]", b"0", b'"auth"', b"{", b"}", b"{}", b'{"prompt":null}', b'{"prompt":{}}', b'{"prompt":7}',
    b'{"prompt":""}', b'{"prompt":" \\n"}', b'{"prompt":"auth"', b'{"prompt":"auth"} {"prompt":"auth"}',
    b"\xff\xfe{\x00}\x00", b"\x00" * 100, b"[" * 100000, b'{"a":' * 100000, b'{"prompt":"auth","n":' + b"9" * 100000 + b"}",
    b'{"prompt":NaN}', b"prompt=auth", b'{"prompt":"auth\n"}',
], ids=lambda data: repr(data[:24]))
def test_what_is_no_payload_is_silent(auth, data):
    for script in ("prompt_router_hook.py", "session_hook.py", "statusline_hook.py"):
        done = auth.sandbox.hook(data, script=script, cwd=auth.root)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_byte_order_marks_and_bytes_that_are_no_utf8_are_borne(auth):
    data = json.dumps(auth.payload("auth")).encode()
    for marks in (b"\xef\xbb\xbf", b"\xef\xbb\xbf" * 2):
        assert b"Retries are capped" in auth.sandbox.hook(marks + data).stdout
        auth.start("clear")
    broken = data.replace(b'"auth"', b'"caf\xe9 auth \xf0\x9f"')
    assert b"Retries are capped" in auth.sandbox.hook(broken).stdout


def test_odd_values_beside_the_prompt_do_no_harm(auth):
    odd = {"transcript_path": 5, "permission_mode": ["x"], "hook_event_name": None, "prompt_id": {}, "timestamp": [],
           "source": 3, "conversation_id": 1, "session_id": {"a": 1}}
    assert "Retries are capped" in auth.ask("auth", None, **odd)
    deep = {}
    for _ in range(400):
        deep = {"d": deep}
    assert "Retries are capped" in auth.ask("auth", None, extra=deep)


def test_unknown_arguments_and_warnings_change_nothing(auth):
    data = json.dumps(auth.payload("auth")).encode()
    command = [hooked_store.BASE_PYTHON, "-W", "always", "-X", "dev", str(HOOKS / "prompt_router_hook.py"), "--what", "-h"]
    done = subprocess.run(command, input=data, env=dict(auth.sandbox.env, PYTHONIOENCODING="cp1252", PYTHONUTF8="0"),
                          capture_output=True, timeout=20)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Retries are capped" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def test_a_pasted_megabyte_is_read_and_its_head_and_tail_count(auth):
    log = "\n".join("2026-01-01 12:00:00 INFO worker handled request %d" % n for n in range(20000))
    assert "Retries are capped" in auth.ask("why does auth fail?\n" + log, "s1")
    assert "Retries are capped" in auth.ask(log + "\nwhy does auth fail?", "s2")


def test_the_switch_turns_the_hook_off(auth):
    auth.sandbox.env["ABCD_INDEX"] = "0"
    assert auth.ask("auth") == ""


def test_a_broken_package_lets_the_prompt_through(auth, tmp_path):
    import shutil

    shutil.copytree(HOOKS, tmp_path / "alone" / "hooks")
    for script in ("prompt_router_hook.py", "session_hook.py", "statusline_hook.py"):
        done = auth.sandbox.hook(auth.payload("auth"), script=str(tmp_path / "alone" / "hooks" / script))
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    package = tmp_path / "alone" / "abcd_index" / "agenthooks"
    package.mkdir(parents=True)
    (package / "prompt_hook.py").write_text("def main(:\n")
    done = auth.sandbox.hook(auth.payload("auth"), script=str(tmp_path / "alone" / "hooks" / "prompt_router_hook.py"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
