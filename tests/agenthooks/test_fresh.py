"""A page that changed is not shown with its old body, a deleted one does not come, and a rebuild is started."""

import os
import shutil
import subprocess
import sys
import time

import pytest

from tests import hooked_store
from tests.hooked_store import older, page

hooked = hooked_store.hooked


@pytest.fixture
def aged(hooked):
    """A store whose files were all written a minute before the build, as they mostly are."""
    pages = {"a_auth_x.md": page(["auth"], "Body A."), "b_auth_y.md": page(["auth"], "Body B."),
             "c_tea.md": page(["tea"], "Body C.")}
    hooked.sandbox.pages(hooked.root, pages)
    for path in list(hooked.store.iterdir()):
        older(path)
    older(hooked.store)
    time.sleep(0.03)  # The change times cannot be set back.
    hooked.build()
    hooked.free(95)
    return hooked


def scopes(hooked):
    """The scopes that were to be rebuilt."""
    names = [command[command.index("--scope") + 1] for command in hooked.started]
    hooked.started.clear()
    return names


def test_an_untouched_store_starts_nothing(aged):
    assert "Body A." in aged.quick("auth") and aged.quick("rename it") == ""
    assert aged.start("startup", "s2") is None
    assert scopes(aged) == []


def test_a_changed_page_comes_as_a_marked_line(aged):
    (aged.store / "a_auth_x.md").write_text(page(["auth"], "Body A, edited."))
    text = aged.quick("auth")
    assert "Body A" not in text and "Body B." in text
    assert "(changed since it was indexed)" in text
    assert scopes(aged) == ["workspace"]
    aged.build()
    assert "Body A, edited." in aged.quick("auth again")


def test_a_touched_page_with_the_same_content_is_the_same(aged):
    (aged.store / "a_auth_x.md").touch()
    assert "Body A." in aged.quick("auth") and scopes(aged) == []


def test_other_line_ends_are_no_change(aged):
    path = aged.store / "a_auth_x.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert "Body A." in aged.quick("auth") and scopes(aged) == []


def test_a_deleted_or_renamed_page_does_not_come(aged):
    (aged.store / "a_auth_x.md").unlink()
    (aged.store / "b_auth_y.md").rename(aged.store / "b_auth_z.md")
    assert aged.quick("auth") == ""
    assert scopes(aged) == ["workspace"]


def test_a_page_that_became_something_else_does_not_come(aged):
    path = aged.store / "a_auth_x.md"
    path.unlink()
    path.mkdir()
    (aged.store / "b_auth_y.md").unlink()
    os.mkfifo(aged.store / "b_auth_y.md")
    assert aged.quick("auth") == ""


def test_a_new_page_calls_for_a_rebuild_even_when_nothing_matched(aged):
    (aged.store / "d_new.md").write_text(page(["novel"], "Body D."))
    assert aged.quick("a novel thing") == ""
    assert scopes(aged) == ["workspace"]


def test_pages_written_just_before_the_build_are_compared_by_content(hooked):
    hooked.pages({"a_auth_x.md": page(["auth"], "Body A.")})
    assert "Body A." in hooked.quick("auth")
    stat = os.stat(hooked.store / "a_auth_x.md")
    (hooked.store / "a_auth_x.md").write_text(page(["auth"], "Body Z."))
    os.utime(hooked.store / "a_auth_x.md", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert "Body A." not in hooked.quick("auth", "s2")


@pytest.mark.parametrize("damage", [None, b"", b"{}\n", b'{"folder":1}\n', b"\0" * 300])
def test_without_times_no_body_comes_until_a_build_wrote_them(aged, damage):
    path = next(aged.index.glob("*.times"))
    path.unlink()
    if damage is not None:
        path.write_bytes(damage)
    text = aged.quick("auth")
    assert "(changed since it was indexed)" in text and "Body A" not in text
    assert scopes(aged) == ["workspace"]
    aged.build()
    assert "Body A." in aged.quick("auth", "s2")


def test_names_in_another_normalisation_are_found(hooked):
    hooked.pages({"a_auth_cafe\u0301.md": page(["auth"], "Body A.")})
    assert "Body A." in hooked.quick("auth")


def test_a_link_within_the_store_is_followed(hooked):
    hooked.sandbox.pages(hooked.root, {"sub/x.md": b""} if False else {"z_other.md": page(["auth"], "Body A.")})
    (hooked.store / "a_auth_x.md").symlink_to("z_other.md")
    hooked.build()
    assert "Body A." in hooked.quick("auth")


def test_rebuilds_are_not_started_at_every_prompt(aged):
    (aged.store / "a_auth_x.md").write_text(page(["auth"], "Edited."))
    for n in range(5):
        aged.quick("auth", "s%d" % n)
    assert scopes(aged) == ["workspace"]
    older(next(aged.sessions.parent.glob("rebuild-*")), 11)
    aged.quick("auth", "s9")
    assert scopes(aged) == ["workspace"]


def test_the_session_start_looks_at_every_page_and_all_else_that_shapes_the_artefact(aged):
    def stale():
        for path in aged.sessions.parent.glob("rebuild-*"):
            path.unlink()
        assert aged.start("startup", "s5") is None
        return scopes(aged) == ["workspace"]

    (aged.store / "c_tea.md").write_text(page(["tea"], "Body C, edited."))
    assert stale()
    aged.build()
    for path in aged.store.iterdir():
        older(path)
    older(aged.store)
    time.sleep(0.03)
    aged.build()
    assert not stale()
    for name in ("rules.json", "config.json"):
        (aged.root / ".abcd" / name).write_text("{}")
        assert stale()
        (aged.root / ".abcd" / name).unlink()
        assert not stale()
    (aged.store / "index.md").write_text("- `c_tea.md` \u2014 tea\n")
    assert stale()


def forget_rebuilds(hooked):
    for path in hooked.sessions.parent.glob("rebuild-*"):
        path.unlink()


def test_a_prompt_that_meets_a_damaged_artefact_starts_a_rebuild(aged):
    idx = next(aged.index.glob("*.idx"))
    good = idx.read_bytes()
    aged.damage(good.replace(b"Body A", b"Body X"))
    assert aged.quick("auth") == ""
    # Without force a build would find that key there and leave it.
    assert "--force" in aged.started[-1] and scopes(aged) == ["workspace"]
    forget_rebuilds(aged)
    aged.damage(good[:-1])
    assert aged.quick("auth", "s2") == "" and aged.quick("nothing of ours", "s3") == ""
    assert scopes(aged) == ["workspace"]
    forget_rebuilds(aged)
    # One of a later release is not for this one to replace.
    header, _, rest = good.partition(b"\n")
    aged.damage(header.replace(b'"format":2', b'"format":9') + b"\n" + rest)
    assert aged.quick("auth", "s4") == ""
    assert scopes(aged) == []


@pytest.mark.parametrize("kind", ["artefact gone", "index gone", "current names nothing", "current is no key", "unknown"])
def test_a_prompt_that_meets_no_artefact_starts_a_build_where_there_are_pages(aged, kind):
    idx = next(aged.index.glob("*.idx"))
    if kind == "index gone":
        shutil.rmtree(aged.index)
    elif kind == "artefact gone":
        idx.unlink()
    elif kind == "unknown":
        os.utime(idx)
    else:
        (aged.index / "current").write_text("0" * 40 if kind == "current names nothing" else "../x")
    for n in range(3):
        assert aged.quick("auth", "s%d" % n) == "" and aged.quick("nothing of ours", "t%d" % n) == ""
    assert "--force" not in aged.started[-1] and scopes(aged) == ["workspace"]
    forget_rebuilds(aged)
    for path in aged.store.iterdir():
        path.unlink()
    assert aged.quick("auth", "s9") == "" and scopes(aged) == []
    (aged.store / "README.md").write_text("# What is here\n")
    assert aged.quick("auth", "s9") == "" and scopes(aged) == []
    (aged.root / ".abcd" / "rules.json").write_text("{}")
    assert aged.quick("auth", "s9") == "" and scopes(aged) == ["workspace"]


def test_the_session_start_says_what_keeps_pages_from_being_recalled(aged):
    def said():
        answer = aged.start("startup", "s5")
        return answer["hookSpecificOutput"]["additionalContext"] if answer else ""

    idx = next(aged.index.glob("*.idx"))
    good = idx.read_bytes()
    aged.damage(good[: len(good) // 2])
    assert "damaged" in said() and "\n" not in said()
    assert "--force" in aged.started[-1]
    header, _, rest = good.partition(b"\n")
    newer = header.replace(b'"format":2', b'"format":9')
    aged.damage(newer + b"\n" + rest)
    assert "format 9" in said()
    os.utime(idx)
    assert "not built yet" in said()
    idx.unlink()
    assert "not built yet" in said()
    for path in aged.store.iterdir():
        path.unlink()
    assert said() == ""


def test_a_missing_broken_or_newer_artefact_is_silent_at_a_prompt(aged):
    idx = next(aged.index.glob("*.idx"))
    good = idx.read_bytes()
    for damage in (b"", b"{}\n", good[:40], good[: len(good) // 2], good[:-1], good + b"x", b"\0" * len(good),
                  good.replace(b'"format":2', b'"format":9')):
        aged.damage(damage, idx)
        done = aged.sandbox.hook(aged.payload("auth"))
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    idx.unlink()
    assert aged.ask("auth") == ""
    for current in (b"", b"../../etc/passwd\n", b"\xff", b"abc\n"):
        (aged.index / "current").write_bytes(current)
        assert aged.ask("auth") == ""


def test_one_broken_scope_leaves_the_other_alone(hooked):
    hooked.pages({"a_auth_x.md": page(["auth"], "Body A.")}, {"u_auth.md": page(["auth"], "Mine.")})
    for index, left, gone in ((hooked.index, "Mine.", "Body A."), ):
        idx = next(index.glob("*.idx"))
        hooked.damage(idx.read_bytes()[:-5], idx)
        text = hooked.ask("auth")
        assert left in text and gone not in text


def test_flipped_bytes_never_show_other_text(aged):
    import random

    idx = next(aged.index.glob("*.idx"))
    good = idx.read_bytes()
    chance = random.Random(7)
    for _ in range(150):
        at = chance.randrange(len(good))
        damage = bytearray(good)
        damage[at] ^= 1 << chance.randrange(8)
        aged.damage(bytes(damage), idx)
        text = aged.quick("auth", None)
        rest = text.replace("Body A.", "").replace("Body B.", "")
        assert "Body" not in rest


def test_the_background_build_is_a_process_of_its_own(aged):
    """The real hook, the real build: the prompt does not wait, the next prompt has the new page."""
    record = aged.sandbox.user / ".index"
    record.mkdir(parents=True, exist_ok=True)
    (record / "interpreter").write_text(sys.executable + "\n")
    (aged.store / "a_auth_x.md").write_text(page(["auth"], "Body A, edited."))
    process = subprocess.Popen(
        [hooked_store.BASE_PYTHON, "-I", "-S", str(hooked_store.ROOT / "hooks" / "prompt_router_hook.py")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=aged.sandbox.env, cwd=str(aged.root))
    import json

    # communicate() waits for the pipes to close: a build that held them would be waited for.
    out, _ = process.communicate(json.dumps(aged.payload("auth", "s7")).encode(), timeout=20)
    assert b"changed since it was indexed" in out and process.returncode == 0
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if "Body A, edited." in aged.quick("auth", None):
            break
        time.sleep(0.1)
    else:
        pytest.fail("the page was never rebuilt")


def test_without_an_interpreter_that_can_build_nothing_is_started(aged, monkeypatch):
    from abcd_index.agenthooks import rebuild

    monkeypatch.setattr(rebuild.sys, "prefix", str(aged.sandbox.tmp))
    (aged.store / "a_auth_x.md").write_text(page(["auth"], "Edited."))
    aged.quick("auth")
    assert scopes(aged) == []
    record = aged.sandbox.user / ".index"
    (record / "interpreter").write_text("/no/such/python\n")
    aged.quick("auth", "s2")
    assert scopes(aged) == []


def test_readers_during_fifty_builds_miss_nothing(hooked):
    hooked.pages({"a_auth_x.md": page(["auth"], "Body A 0.")})
    for n in range(50):
        (hooked.store / "b_other.md").write_text(page(["tea%d" % n], "Tea %d." % n))
        before = hooked.quick("auth", None)
        hooked.build()
        assert "Body A 0." in before and "Body A 0." in hooked.quick("auth", None)


def test_a_keyword_whose_pages_are_all_gone_is_the_wider_scopes(hooked):
    """The workspace no longer holds it, so the user's page comes at once, not only after the rebuild."""
    hooked.pages({"note_x_one.md": page(["roll"], title="Workspace one"), "note_x_two.md": page(["roll"])},
               {"mine.md": page(["roll"], title="My own")})
    assert "My own" not in hooked.quick("roll it", session="a")
    (hooked.store / "note_x_one.md").unlink()
    assert "My own" not in hooked.quick("roll it", session="b")
    (hooked.store / "note_x_two.md").unlink()
    assert "My own" in hooked.quick("roll it", session="c")
    assert hooked.started
