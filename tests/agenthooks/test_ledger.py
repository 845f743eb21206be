"""What a session has seen: once, in which form, forgotten when; files that hold anything; forty hooks at once."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcd_index.agenthooks import io, ledger
from abcd_index.agenthooks.ledger import KEPT
from tests import hooked_store
from tests.hooked_store import older, page

hooked = hooked_store.hooked


@pytest.fixture
def auth(hooked):
    return hooked.pages({"pitfall_auth_x.md": page(["auth"], "Retries are capped at three."),
                       "howto_x_deploy.md": page(["deploy"], "Never on a Friday.")})


def files(hooked):
    return sorted(os.listdir(hooked.sessions)) if hooked.sessions.exists() else []


def session(hooked, name="s1"):
    return io.session_of(name, hooked.places, make=True)


def test_sessions_do_not_see_each_other(auth):
    assert auth.quick("auth", "s1") and auth.quick("auth", "s2")
    assert not auth.quick("auth", "s1") and not auth.quick("auth", "s2")
    assert auth.quick("deploy", "s1")


def test_the_refresh_counts_a_persons_prompts(auth):
    auth.config(refresh_every=3)
    came = [bool(auth.quick("auth again", prompt_id=str(n))) for n in range(9)]
    assert came == [True, False, False, True, False, False, True, False, False]


@pytest.mark.parametrize("large", [1, 1 << 14])
def test_each_page_is_refreshed_by_itself(auth, monkeypatch, large):
    monkeypatch.setattr(ledger, "LARGE", large)
    auth.config(refresh_every=3)
    said = ["auth", "nothing", "deploy", "auth and deploy", "auth and deploy", "auth and deploy", "auth and deploy"]
    texts = [auth.quick(prompt, prompt_id=str(n)) for n, prompt in enumerate(said)]
    came = [("pitfall_auth_x.md" in text, "howto_x_deploy" in text) for text in texts]
    assert came == [(True, False), (False, False), (False, True), (True, False), (False, False), (False, True), (True, False)]


def test_prompts_that_match_nothing_count_and_machine_prompts_do_not(auth):
    auth.config(refresh_every=3)
    assert auth.quick("auth")
    assert not auth.quick("rename the variable")
    for prompt in ("<task-notification>auth</task-notification>", "[SYSTEM NOTIFICATION] auth", "/compact", "",
                   "<system-reminder>auth</system-reminder>", "<local-command-stdout>auth</local-command-stdout>"):
        assert not auth.quick(prompt)
    assert not auth.quick("auth", agent_id="a1")
    assert not auth.quick("auth, please")
    assert auth.quick("auth, then")


def test_refresh_every_1_is_no_dedup_and_0_is_no_refresh(auth):
    auth.config(refresh_every=1)
    assert all(auth.quick("auth", prompt_id=str(n)) for n in range(4))
    auth.config(refresh_every=0)
    assert auth.quick("auth", "s2") and not any(auth.quick("auth", "s2", prompt_id=str(n)) for n in range(40))


def test_a_word_about_the_tag_is_no_block(auth):
    assert auth.quick("what does <abcd-memory> mean, and auth?")


def test_an_edited_page_comes_again(auth):
    assert auth.quick("auth")
    auth.pages({"pitfall_auth_x.md": page(["auth"], "Retries are capped at five.")})
    assert "capped at five" in auth.quick("auth")
    assert not auth.quick("auth")


def test_the_same_file_in_both_scopes_are_two_pages(auth):
    auth.pages({}, {"pitfall_auth_x.md": page(["login"], "Retries are capped at three.")})
    assert auth.quick("auth")
    assert "user" in auth.quick("login")


def test_a_page_seen_as_a_line_may_still_come_in_full(auth):
    auth.free(20)
    assert "- `pitfall_auth_x.md`" in auth.quick("auth")
    assert not auth.quick("tell me of auth")
    auth.start("compact")
    auth.quick("deploy")
    auth.free(20, context_window_size=100)
    again = auth.quick("and auth?")
    assert "- `pitfall_auth_x.md`" in again and "capped" not in again


def test_a_line_becomes_full_when_the_bracket_allows(hooked):
    hooked.pages({"a_auth_%d.md" % n: page(["auth"], "Body number %d." % n) for n in range(4)})
    hooked.free(50)
    first = hooked.quick("auth")
    assert first.count("Body number") < 4
    hooked.free(90)
    second = hooked.quick("auth")
    assert second.count("Body number") == 4 - first.count("Body number") and "\n- " not in second
    assert not hooked.quick("auth, once more")


def test_only_what_was_sent_is_marked(auth):
    payload = auth.payload("auth")
    from abcd_index.agenthooks import prompt_hook as router

    router.respond(payload, auth.places, "", lambda data: False)
    assert files(auth) == []
    assert auth.quick("auth")


def test_already_seen_pages_do_not_take_the_place_of_others(hooked):
    hooked.pages({"a_auth_%02d.md" % n: page(["auth"], "Body %02d. " % n + "word " * 700) for n in range(12)})
    hooked.free(95)
    seen = set()
    for turn in range(8):
        text = hooked.quick("auth", prompt_id=str(turn))
        bodies = {n for n in range(12) if "Body %02d." % n in text}
        assert not bodies & seen
        seen |= bodies
    assert len(seen) == 12


def test_the_same_prompt_delivered_twice_is_answered_once(hooked):
    hooked.pages({"a_auth_%02d.md" % n: page(["auth"], "Body %02d. " % n + "word " * 900) for n in range(6)})
    assert hooked.quick("auth", prompt_id="p1")
    # There is more to send, but not to the second delivery of one prompt.
    assert not hooked.quick("auth", prompt_id="p1")
    assert hooked.quick("auth", prompt_id="p2")


def test_two_deliveries_at_the_same_moment(hooked):
    hooked.pages({"a_auth_%02d.md" % n: page(["auth"], "Body %02d. " % n + "word " * 900) for n in range(6)})
    with ThreadPoolExecutor(6) as pool:
        for turn in range(3):
            answers = list(pool.map(lambda _: hooked.ask("auth", "t%d" % turn), range(6)))  # noqa: B023
            assert sum(map(bool, answers)) == 1


def test_after_ten_seconds_the_same_prompt_is_another_one(hooked):
    hooked.pages({"a_auth_%02d.md" % n: page(["auth"], "Body %02d. " % n + "word " * 900) for n in range(6)})
    assert hooked.quick("auth") and not hooked.quick("auth")
    marker = next(hooked.sessions / name for name in files(hooked) if ".once-" in name)
    older(marker, 11)
    assert hooked.quick("auth")


def test_no_session_without_something_sent_leaves_a_file(auth):
    for n in range(20):
        auth.quick("rename it", "idle%d" % n)
    assert files(auth) == []
    auth.quick("auth", "s1")
    assert len(files(auth)) == 2


@pytest.mark.parametrize("first, second", [
    ("../../x", "../../y"), ("a/b", "a_b"), ("C:\\x", "C:/x"), ("a\0b", "a b"), ("x" * 5000, "x" * 5001),
    ("CON", "con"), ("\ud800", "\ud801"), ("1", "01"),
])
def test_ids_of_every_kind_stay_in_the_folder_and_apart(auth, first, second):
    assert auth.quick("auth", first) and auth.quick("auth", second)
    assert not auth.quick("auth", first) and not auth.quick("auth", second)
    for name in files(auth):
        assert name.replace(".", "").replace("-", "").isalnum() and name.isascii()
        assert len(first) < 3 or first[:50] not in name
    assert sorted(os.listdir(auth.sandbox.user)) == [".index"]
    assert sorted(os.listdir(auth.sandbox.user / ".index")) == ["key", "provenance", "sessions"]


def test_a_number_is_an_id(auth):
    assert auth.quick("auth", 123) and not auth.quick("auth", 123) and not auth.quick("auth", "123")


def test_files_and_folder_are_the_persons_own(auth):
    auth.quick("auth")
    auth.free(50)
    assert auth.sessions.stat().st_mode & 0o777 == 0o700
    assert {(auth.sessions / name).stat().st_mode & 0o777 for name in files(auth)} == {0o600}


@pytest.mark.parametrize("damage", [
    b'{"a":1}}', b"", b"\0" * 64, b"abcd-ledger 2 2 other\n+ FRESH - - x:3\n", b"abcd-ledger 9\n", b"\xff" * 300000,
    b"abcd-ledger 2", b"+ FRESH", b"+ FRESH - a:b\n", "folder", "link", "fifo",
], ids=lambda damage: repr(damage[:20]))
def test_whatever_is_in_the_file_is_an_empty_ledger_and_is_mended(auth, damage):
    assert auth.ask("auth")
    path = next(auth.sessions / name for name in files(auth) if name.endswith(".ledger"))
    path.unlink()
    if damage == "folder":
        path.mkdir()
    elif damage == "link":
        path.symlink_to(auth.root / "elsewhere")
    elif damage == "fifo":
        os.mkfifo(path)
    else:
        path.write_bytes(damage)
    assert "capped" in auth.ask("auth, please")
    assert not auth.ask("auth, please!")
    assert not (auth.root / "elsewhere").exists()


def test_forty_hooks_at_once(hooked):
    hooked.pages({"a_x_%02d.md" % n: page(["word%02d" % n], "Body %02d." % n) for n in range(20)})
    hooked.config(refresh_every=0)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: hooked.ask("tell me of word%02d" % (n % 20), prompt_id=str(n)), range(40)))
    assert all("Body %02d." % n in answers[n] or "Body %02d." % n in answers[n + 20] for n in range(20))
    # Nothing was lost: none comes again.
    assert not any(hooked.quick("word%02d" % n) for n in range(20))
    assert not [name for name in files(hooked) if name.endswith(".tmp")]


@pytest.mark.parametrize("home", ["a file", "unset", "relative", "gone"])
def test_without_a_home_nothing_says_which_artefacts_are_this_machines(auth, home):
    env = auth.sandbox.env
    if home == "a file":
        env["ABCD_HOME"] = str(auth.sandbox.home / ".gitconfig")
    elif home == "unset":
        del env["ABCD_HOME"], env["HOME"]
    elif home == "relative":
        env["ABCD_HOME"] = "somewhere"
    else:
        env["ABCD_HOME"] = str(auth.sandbox.tmp / "no" / "such" / "folder")
    for _ in range(2):
        done = auth.sandbox.hook(auth.payload("auth"))
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not (auth.sandbox.tmp / "no").exists() and not os.path.exists("somewhere")


@pytest.mark.parametrize("what", ["sessions", "key"])
@pytest.mark.parametrize("kind", ["file", "folder", "link", "fifo", "empty"])
def test_where_nothing_can_be_remembered_the_page_comes_all_the_same(auth, what, kind):
    if what == "sessions" and kind in ("folder", "empty"):
        pytest.skip("that is how it should be")
    path = auth.sandbox.user / ".index" / what
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(auth.root / "elsewhere")
    else:
        path.write_bytes(b"" if kind == "empty" else b"another thing than what is wanted there")
    for _ in range(2):
        done = auth.sandbox.hook(auth.payload("auth"))
        assert done.returncode == 0 and done.stderr == b"" and b"capped" in done.stdout
    assert files(auth) == [] if what == "key" else True
    assert not (auth.root / "elsewhere").exists()


def test_old_sessions_are_swept_up_and_the_own_one_is_not(auth):
    auth.quick("auth", "mine")
    mine = files(auth)
    for n in range(300):
        path = auth.sessions / ("%039x.ledger" % n)
        path.write_bytes(b"x")
        older(path, KEPT + 60)
    for name in mine:
        older(auth.sessions / name, KEPT + 60)
    young = auth.sessions / ("f" * 39 + ".ledger")
    young.write_bytes(b"x")
    auth.start("resume", "mine")
    left = files(auth)
    assert set(mine) <= set(left) and young.name in left and len(left) < 120
    auth.start("resume", "mine")
    assert files(auth) == sorted([*mine, young.name])


def test_sessions_without_a_session_hook_are_swept_up_too(auth):
    auth.quick("auth", "first")
    for n in range(40):
        path = auth.sessions / ("%039x.fill" % n)
        path.write_bytes(b"x")
        older(path, KEPT + 60)
    # One session in sixteen does it, by a name that nobody can tell beforehand.
    for n in range(600):
        auth.quick("auth", "next%d" % n)
        if n % 20 == 19 and not [name for name in files(auth) if name.endswith(".fill")]:
            break
    assert not [name for name in files(auth) if name.endswith(".fill")]


def test_the_ledger_does_not_grow_without_end(auth):
    auth.config(refresh_every=1)
    here = session(auth)
    auth.quick("auth")
    marks = [("w%x" % n, ledger.FULL) for n in range(300)]
    for n in range(10):
        ledger.note(here, ledger.read_ledger(here, 1), "DEPLETED", "m", "p@%d" % n, marks)
    assert len(io.load(here, io.LEDGER, 1 << 20)) < 60000
    assert ledger.read_ledger(here, 0).depleted


BEFORE = st.lists(st.one_of(
    st.just(b".\n"), st.just(b". ab@12\n"), st.just(b". @\n"), st.just(b"!\n"), st.binary(max_size=12),
    st.just(b"+ FRESH - ab@12 wabc.1:3\n"), st.just(b"+ DEPLETED 12 \n"), st.just(b"abcd-ledger 2 2 0\n"),
), max_size=12)


@settings(max_examples=60, deadline=None)
@given(parts=BEFORE)
def test_any_bytes_are_a_ledger(tmp_path, parts):
    here = io.Session(str(tmp_path), "s%d" % time.monotonic_ns(), b"k" * 32)
    io.create(here, io.LEDGER, b"".join(parts))
    found = ledger.read_ledger(here, 15)
    ledger.note(here, found, "FRESH", "m", "p@1", [("wnew.1", ledger.FULL)])
    again = ledger.read_ledger(here, 0)
    assert not again.bad and again.seen["wnew.1"][0] == ledger.FULL


def test_a_process_that_dies_between_sending_and_writing_only_repeats_the_page(auth):
    code = ("import sys; sys.path.insert(0, %r)\nfrom abcd_index.agenthooks import prompt_hook, ledger, io\n"
            "ledger.note = lambda *a: io.leave(9)\nprompt_hook.main()" % str(hooked_store.ROOT))
    import json

    done = subprocess.run([sys.executable, "-c", code], input=json.dumps(auth.payload("auth")).encode(),
                          env=auth.sandbox.env, capture_output=True, timeout=20)
    assert done.returncode == 9 and b"capped" in done.stdout
    assert "capped" in auth.quick("auth?")
