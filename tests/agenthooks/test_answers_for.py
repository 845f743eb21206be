"""Who may speak to the agent: artefacts of this machine alone, and what is still what they were built from."""

import json
import os
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from abcd_index.agenthooks import io, ledger, rebuild
from abcd_index.artefact.format import checksum
from tests import hooked_store
from tests.hooked_store import older, page

hooked = hooked_store.hooked
RULES = {"SHIP": {"state": "active", "recall": ["deploy"], "rules": ["Tag it first."]}}


@pytest.fixture
def aged(hooked):
    hooked.sandbox.pages(hooked.root, {"a_auth_x.md": page(["auth"], "Body A."), "b_tea.md": page(["tea"], "Body B.")})
    (hooked.root / ".abcd" / "rules.json").write_text(json.dumps({"schema_version": 1, "domains": RULES}))
    for path in [*hooked.store.iterdir(), hooked.store, hooked.root / ".abcd" / "rules.json"]:
        older(path)
    time.sleep(0.06)
    hooked.build()
    hooked.free(95)
    return hooked


def forged(data, old, new):
    """An artefact in which ``old`` is ``new`` (of the same length), with all checksums mended."""
    assert len(old) == len(new) and old in data
    at = data.index(old)
    start, end = data.rfind(b"\n", 0, at) + 1, data.index(b"\n", at)
    line = data[start:end]
    changed = line.replace(old, new)

    def digits(number, width):
        signs = "0123456789abcdefghijklmnopqrstuv"
        return "".join(signs[number >> 5 * place & 31] for place in reversed(range(width))).encode()

    cell = digits(start, 8) + digits(len(line), 6) + digits(checksum(line), 6)
    if cell not in data:
        return data.replace(line, changed)  # The header names it, or nothing does.
    return data.replace(cell, cell[:14] + digits(checksum(changed), 6)).replace(line, changed)


@pytest.mark.parametrize("name", ["under its key", "tracked"])
@pytest.mark.parametrize("old, new", [(b"Body A.", b"Evil A."), (b"Tag it first.", b"Evil it first"),
                                      (b'"context":9000', b'"context":8999')])
def test_a_forged_artefact_says_nothing(aged, name, old, new):
    idx = next(aged.index.glob("*.idx"))
    data = forged(idx.read_bytes(), old, new)
    if name == "tracked":
        times = next(aged.index.glob("*.times"))
        beside = times.read_bytes()
        shutil.rmtree(aged.index)
        aged.index.mkdir()
        (aged.index / "tracked.idx").write_bytes(data)
        times.write_bytes(beside)
    else:
        idx.write_bytes(data)
    for prompt in ("auth", "deploy", "auth deploy *ship"):
        assert aged.quick(prompt, "s-" + prompt) == ""
    assert aged.started
    # And the forgery is a good one: vouched for, its text would come.
    aged.vouch()
    if b"Evil" in new:
        assert "Evil" in aged.quick("auth deploy", "s2")


def test_of_an_unknown_artefact_not_a_byte_is_read(aged, monkeypatch):
    read = []
    monkeypatch.setattr("abcd_index.artefact.reader.Artefact.__init__", lambda self, *a: read.append(a) or 1 / 0)
    os.utime(next(aged.index.glob("*.idx")))
    assert aged.quick("auth") == "" and aged.start("startup", "s2") and read == []


def test_a_damaged_table_cannot_ask_for_gigabytes(aged):
    from abcd_index.artefact.reader import Artefact
    from abcd_index.errors import ArtefactTorn

    artefact = Artefact.open(str(next(aged.index.glob("*.idx"))))
    for at, length in ((0, 1 << 40), (-5, 10), (10, -1), (1 << 50, 1), (0, artefact.header["size"] + 1)):
        with pytest.raises(ArtefactTorn) as caught:
            artefact._bytes(at, length)
        assert caught.value.artefact is artefact
    artefact.close()


@pytest.mark.parametrize("change", ["removed", "edited", "same size and time", "folder", "fifo", "link"])
def test_old_rules_do_not_come(aged, change):
    assert "Tag it first." in aged.quick("deploy", "s0")
    path = aged.root / ".abcd" / "rules.json"
    stat, text = os.stat(path), path.read_text()
    path.unlink()
    if change == "edited":
        path.write_text(text.replace("Tag it first.", "Tag it twice, and then some."))
    elif change == "same size and time":
        path.write_text(text.replace("Tag it first.", "Tag it later."))
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    elif change == "folder":
        path.mkdir()
    elif change == "fifo":
        os.mkfifo(path)
    elif change == "link":
        (aged.root / "other").write_text(text)
        path.symlink_to(aged.root / "other")
    assert aged.quick("deploy", "s1") == "" and aged.quick("*ship", "s2") == ""
    assert aged.started
    assert "Body A." in aged.quick("auth", "s3")


def test_rules_that_were_only_touched_come(aged):
    (aged.root / ".abcd" / "rules.json").touch()
    assert "Tag it first." in aged.quick("deploy") and not aged.started


@pytest.mark.parametrize("prompt", ["auth", "nothing of ours"])
def test_a_page_that_is_added_under_an_old_folder_time_is_noticed(aged, prompt):
    (aged.store / "c_new.md").write_text(page(["novel"], "Body C."))
    older(aged.store / "c_new.md", 9999)
    os.utime(aged.store, (978307200, 978307200))
    aged.quick(prompt)
    assert aged.started
    aged.started.clear()
    for note in (aged.sandbox.user / ".index").glob("rebuild-*"):
        note.unlink()
    aged.start("startup", "s2")
    assert aged.started


def test_an_edit_with_the_old_size_and_time_is_noticed(aged):
    path = aged.store / "a_auth_x.md"
    stat = os.stat(path)
    path.write_text(page(["auth"], "Body Z."))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    text = aged.quick("auth")
    assert "Body A." not in text and "(changed since it was indexed)" in text and aged.started


def test_files_of_which_only_the_change_time_is_new_are_the_same(aged):
    for path in [*aged.store.iterdir(), aged.root / ".abcd" / "rules.json"]:
        os.chmod(path, 0o600)
        os.chmod(path, 0o644)
    text = aged.quick("auth deploy")
    assert "Body A." in text and "Tag it first." in text and "changed" not in text


@pytest.mark.parametrize("when", ["a record is torn", "a bug of ours"])
def test_only_the_artefact_that_is_torn_is_blamed(aged, when, monkeypatch):
    aged.pages({}, {"u_auth.md": page(["auth", "mine"], "Mine.")})
    idx = next(aged.index.glob("*.idx"))
    if when == "a bug of ours":
        monkeypatch.setattr("abcd_index.agenthooks.budget.candidates", lambda *a: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            aged.quick("auth mine")
        assert not aged.started and idx.exists()
        return
    data = idx.read_bytes()
    aged.damage(re.sub(rb"Body A", b"Body X", data).replace(b'"a_auth_x.md"', b'"a_auth_y.md"'), idx)
    text = aged.quick("auth mine")
    assert "Mine." in text and "Body" not in text
    assert [command[command.index("--scope") + 1] for command in aged.started] == ["workspace"]
    assert "--force" in aged.started[0]


def test_no_build_is_started_while_one_runs_and_a_failed_one_is_not_tried_at_once(aged, monkeypatch):
    monkeypatch.undo()
    notes = str(aged.sandbox.user / ".index")
    scope = aged.scopes()[0]

    def wait(there):
        end = time.monotonic() + 20
        while os.path.exists(note) != there and time.monotonic() < end:
            time.sleep(0.01)
        return os.path.exists(note) == there

    note = rebuild._turn(scope, notes)
    assert note and not rebuild._turn(scope, notes)
    assert rebuild.start(["/bin/sh", "-c", "exit 0"], note) and wait(False)
    # One that ended well leaves no pause.
    assert rebuild._turn(scope, notes) == note
    assert rebuild.start(["/bin/sh", "-c", "sleep 3; exit 1"], note)
    end = time.monotonic() + 20
    while not io.locked(note) and time.monotonic() < end:
        time.sleep(0.01)
    # It runs for long by now: its note is old, and still nobody else begins.
    older(note, 60)
    assert io.locked(note) and not rebuild._turn(scope, notes)
    while io.locked(note) and time.monotonic() < end:
        time.sleep(0.01)
    # It failed: the pause begins.
    assert os.path.exists(note) and not rebuild._turn(scope, notes)
    older(note, 11)
    assert rebuild._turn(scope, notes) == note


def test_two_hooks_at_the_first_prompt_agree_on_the_secret_and_lose_nothing(aged):
    for n in range(4):
        with ThreadPoolExecutor(4) as pool:
            asked = [("auth", "p1"), ("tea", "p2"), ("deploy", "p3")]
            answers = list(pool.map(lambda a: aged.ask(a[0], "t%d" % n, prompt_id=a[1]), asked))  # noqa: B023
        assert all(answers)
        assert not any(aged.quick(prompt + "?", "t%d" % n) for prompt, _ in asked)
    assert len((aged.sandbox.user / ".index" / "key").read_bytes()) == 32
    assert (aged.sandbox.user / ".index" / "key").stat().st_mode & 0o777 == 0o600
    assert not list((aged.sandbox.user / ".index").glob("*.tmp"))


def test_short_prompts_cannot_be_guessed_from_the_files(aged):
    import hashlib

    from abcd_index.scopes import fingerprint

    aged.ask("auth", "session-1")
    aged.ask("nothing", "session-1")
    said = " ".join(path.name + " " + path.read_text("latin-1") for path in aged.sessions.iterdir())
    for text in ("auth", "nothing", "session-1", "\n4 auth", "\n7 nothing", "\n4 auth\nFRESH"):
        raw = text.encode()
        guesses = [fingerprint(raw)] + [hashlib.new(name, raw).hexdigest() for name in ("sha256", "sha1", "md5")]
        guesses += [hashlib.blake2b(raw, digest_size=20).hexdigest(), hashlib.blake2b(raw).hexdigest()]
        assert not [guess for guess in guesses if guess[:12] in said], text
    # With another secret everything has another name.
    (aged.sandbox.user / ".index" / "key").write_bytes(b"x" * 32)
    assert io.session_of("session-1", aged.places).path not in {str(p).rpartition(".")[0] for p in aged.sessions.iterdir()}


@pytest.mark.parametrize("prompt_id", [None, "given"])
def test_a_hook_that_is_registered_twice_counts_a_prompt_once(aged, prompt_id):
    aged.config(refresh_every=5)
    ids = iter(range(100))

    def twice(prompt):
        turn = prompt_id and str(next(ids))
        return [bool(aged.quick(prompt, prompt_id=turn)) for _ in range(2)]

    assert twice("auth") == [True, False]
    for n in range(4):
        assert twice("auth number %d" % n if n % 2 else "nothing %d" % n) == [False, False]
    assert twice("auth at last") == [True, False]
    assert ledger.read_ledger(io.session_of("s1", aged.places)).prompts == 6


@pytest.mark.parametrize("script", ["prompt_router_hook.py", "session_hook.py", "statusline_hook.py"])
@pytest.mark.parametrize("gone", ["abcd_index/agenthooks/payload.py", "abcd_index/agenthooks/io.py", "abcd_index/scopes.py",
                                  "hooks/abcd_loader.py", "abcd_index"])
def test_abcd_debug_says_why_loading_fails(aged, tmp_path, script, gone):
    copy = tmp_path / "copy"
    for name in ("abcd_index", "hooks"):
        shutil.copytree(hooked_store.ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    target = copy / gone
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    for debug in ("", "1"):
        env = dict(aged.sandbox.env, ABCD_DEBUG=debug)
        done = aged.sandbox.hook(aged.payload("auth"), script=str(copy / "hooks" / script), env=env)
        assert (done.returncode, done.stdout) == (0, b"")
        assert (b"Error" in done.stderr) == bool(debug)


@pytest.mark.parametrize("kind", ["fifo", "folder", "link to a device"])
@pytest.mark.parametrize("name", ["current", "*.idx", "*.times", "rules.json", "a_auth_x.md", "provenance/*", "key",
                                  "sessions/*.ledger", "sessions/*.fill"])
def test_nothing_under_our_names_makes_a_hook_wait(aged, name, kind):
    aged.ask("tea")
    folder = {"rules.json": aged.root / ".abcd", "a_auth_x.md": aged.store}.get(
        name, aged.sandbox.user / ".index" if "/" in name or name == "key" else aged.index)
    for path in list(folder.glob(name)):
        path.unlink()
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        else:
            path.symlink_to("/dev/zero")
    assert path
    # A hook that waited would be ended by its deadline, which is far off here.
    begun = time.monotonic()
    for payload, script in ((aged.payload("auth deploy"), "prompt_router_hook.py"),
                            (aged.payload("", hook_event_name="SessionStart", source="startup"), "session_hook.py"),
                            ({"session_id": "s1", "context_window": {"used_percentage": 5}}, "statusline_hook.py")):
        done = aged.sandbox.hook(payload, script=script)
        assert done.returncode == 0 and done.stderr == b"", done.stderr
    assert time.monotonic() - begun < 15
