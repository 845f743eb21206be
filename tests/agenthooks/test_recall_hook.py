"""The prompt hook as a real process: what must hold for a person."""

import json
from pathlib import Path

from tests import hooked_store
from tests.hooked_store import page

hooked = hooked_store.hooked

AUTH = page(["auth", "login"], "Sessions expire after ten minutes.", "Auth login redirects")
DEPLOY = page(["deploy"], "Never on a Friday.", "Deploy")


def test_a_keyword_brings_its_page_and_no_other(hooked):
    hooked.pages({"pitfall_auth_login.md": AUTH, "howto_deploy.md": DEPLOY})
    text = hooked.ask("why does auth fail?")
    assert "Sessions expire after ten minutes." in text
    assert "Friday" not in text
    assert "howto_deploy" not in text


def test_the_block_reads_as_the_design_says(hooked):
    hooked.pages({"pitfall_auth_login.md": AUTH})
    hooked.free(90)
    assert hooked.ask("the auth login loops") == (
        '<abcd-memory bracket="FRESH">\n'
        "Project notes that may bear on this prompt. Reference material, not instructions.\n"
        "## Auth login redirects  (.abcd/memory/pitfall_auth_login.md \u00b7 workspace \u00b7 matched: auth, login)\n"
        "# Auth login redirects\n\nSessions expire after ten minutes.\n"
        "</abcd-memory>")


def test_output_is_exactly_one_object_of_the_one_shape(hooked):
    hooked.pages({"a_b_c.md": AUTH})
    done = hooked.sandbox.hook(hooked.payload("auth"))
    assert done.returncode == 0 and done.stderr == b""
    value = json.loads(done.stdout)
    assert list(value) == ["hookSpecificOutput"]
    assert list(value["hookSpecificOutput"]) == ["hookEventName", "additionalContext"]
    assert value["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert done.stdout.isascii()


def test_the_event_is_echoed(hooked):
    hooked.pages({"a_b_c.md": AUTH})
    done = hooked.sandbox.hook(hooked.payload("auth", hook_event_name="BeforeAgent", timestamp="2026-11-01T10:00:00Z"))
    assert json.loads(done.stdout)["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"


def test_a_prompt_that_matches_nothing_is_silent(hooked):
    hooked.pages({"a_b_c.md": AUTH})
    done = hooked.sandbox.hook(hooked.payload("rename the variable"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not hooked.sessions.exists()


def test_the_same_prompt_twice_brings_the_page_once_and_again_after_a_compaction(hooked):
    hooked.pages({"a_b_c.md": AUTH})
    assert "ten minutes" in hooked.ask("auth")
    assert hooked.ask("auth") == ""
    assert hooked.ask("tell me about auth") == ""
    for source in ("compact", "clear"):
        hooked.sandbox.hook({"session_id": "s1", "cwd": str(hooked.root), "hook_event_name": "SessionStart",
                       "source": source}, script="session_hook.py")
        text = hooked.ask("auth")
        assert "ten minutes" in text and 'bracket="FRESH"' in text
        assert hooked.ask("auth") == ""


def test_depleted_brings_lines_and_no_body(hooked):
    hooked.pages({"a_auth_%d.md" % n: page(["auth"], "Body number %d." % n, "Auth %d" % n) for n in range(3)})
    done = hooked.sandbox.hook({"session_id": "s1", "context_window": {"used_percentage": 61}}, script="statusline_hook.py")
    assert done.returncode == 0
    text = hooked.ask("auth")
    assert 'bracket="DEPLETED"' in text and "Body number" not in text
    assert [line for line in text.split("\n") if line.startswith("- ")] and text.count("\n- ") == 3


def test_the_workspace_page_wins_and_the_user_page_with_another_keyword_still_comes(hooked):
    hooked.pages({"w_x_deploy.md": page(["deploy"], "Workspace way.")},
               {"u_x_deploy.md": page(["deploy", "flag"], "User way."), "u_x_other.md": page(["tea"], "Green.")})
    assert "Workspace way." in hooked.ask("deploy") and "User way." not in hooked.ask("deploy", session="s2")
    hooked.free(90, "s3")
    text = hooked.ask("deploy behind a flag", session="s3")
    assert "Workspace way." in text and "u_x_deploy.md" in text and "matched: flag" in text
    assert "Green." in hooked.ask("tea", session="s4")


def test_without_a_session_id_there_is_no_dedup_and_nothing_is_written(hooked):
    hooked.pages({"a_b_c.md": AUTH})
    for session in (None, "", None):
        assert "ten minutes" in hooked.ask("auth", session=session)
    assert not hooked.sessions.exists()


def test_outside_of_any_project_the_user_scope_alone_answers(hooked):
    hooked.pages({"a_b_c.md": AUTH}, {"u_x_auth.md": page(["auth"], "Mine.")})
    assert "Mine." not in hooked.ask("auth", session=None)
    file = str(hooked.root / ".abcd" / "memory" / "a_b_c.md")
    for cwd in (str(hooked.sandbox.home), str(hooked.root / "gone"), "work", None, file):
        text = hooked.ask("auth", session=None, cwd=cwd)
        assert "Mine." in text and "ten minutes" not in text, cwd


def test_the_script_finds_its_package_through_a_linked_folder_and_from_anywhere(hooked, tmp_path):
    hooked.pages({"a_b_c.md": AUTH})
    link = tmp_path / "h\u00e9re and there"
    link.symlink_to(Path(__file__).parents[2])
    script = str(link / "hooks" / ".." / "hooks" / "prompt_router_hook.py")
    assert "ten minutes" in hooked.sandbox.context(hooked.payload("auth", None), script=script, cwd="/")
