"""``build``, ``init`` and ``catalogue`` as processes."""

import json
import os
import stat

import pytest

PAGE = "---\nsource: {class: session_memory}\nrecall: [auth, login]\n---\n# Login\n\nThe body.\n"
LINE = "- `pitfall_auth_login.md` \u2014 session_memory | auth | Login\n"


@pytest.fixture
def root(sandbox):
    return sandbox.repo(pages={"pitfall_auth_login.md": PAGE, "index.md": LINE})


def store(root):
    return root / ".abcd" / "memory"


def test_build_says_what_it_did(sandbox, root):
    done = sandbox.cli("build", cwd=root)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.startswith("workspace  built: 1 page, 1 compiled, ") and "ms" in done.stdout
    assert sandbox.cli("build", cwd=root).stdout.startswith("workspace  current, nothing to do: 1 page, ")
    (store(root) / "pitfall_auth_login.md").write_text(PAGE + "More.\n")
    sandbox.cli("build", cwd=root)
    (store(root) / "pitfall_auth_login.md").write_text(PAGE)
    assert sandbox.cli("build", cwd=root).stdout.startswith("workspace  switched to an artefact that was there: 1 page")
    assert sandbox.cli("build", "--force", cwd=root).stdout.startswith("workspace  built: 1 page, 1 compiled")


def test_build_names_what_it_left_out_on_stderr_and_succeeds(sandbox, root):
    (store(root) / "latin.md").write_bytes("# caf\u00e9".encode("latin-1"))
    done = sandbox.cli("build", cwd=root)
    assert done.returncode == 0 and done.stdout.startswith("workspace  built: 1 page")
    assert ".abcd/memory/latin.md:1: error [not-utf8]" in done.stderr
    assert "1 page left out: .abcd/memory/latin.md\n" in done.stderr
    again = sandbox.cli("build", cwd=root)
    assert "nothing to do" in again.stdout and "left out: .abcd/memory/latin.md" in again.stderr
    quiet = sandbox.cli("build", "--force", "-q", cwd=root)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


def test_build_as_json(sandbox, root):
    sandbox.user_pages({"user_x.md": "---\nname: x\nrecall: [ex]\n---\nX.\n"})
    result = json.loads(sandbox.cli("build", "--json", cwd=root).stdout)
    assert result["ok"] is True and [s["scope"] for s in result["scopes"]] == ["workspace", "user"]
    first = result["scopes"][0]
    assert first["state"] == "built" and first["pages"] == 1 and os.path.isfile(first["path"])
    assert first["path"].endswith(f"/.abcd/.index/{first['key']}.idx") and first["left_out"] == []
    assert not {"findings", "seconds", "recompiled", "size"} - set(first)


def test_build_into_a_folder_that_cannot_be_written(sandbox, root):
    if os.geteuid() == 0:
        (root / ".abcd" / ".index").write_text("in the way")
    else:
        (root / ".abcd").chmod(0o555)
    try:
        done = sandbox.cli("build", cwd=root)
    finally:
        (root / ".abcd").chmod(0o755)
    assert done.returncode == 2 and "cannot be" in done.stderr and "Traceback" not in done.stderr


def test_one_scope_that_fails_does_not_stop_the_other(sandbox, root):
    sandbox.user_pages({"user_x.md": "---\nname: x\nrecall: [ex]\n---\nX.\n"})
    (root / ".abcd" / ".index").write_text("in the way")
    done = sandbox.cli("build", cwd=root)
    assert done.returncode == 2 and "user       built: 1 page" in done.stdout and "workspace" in done.stderr


def test_the_form_for_hook_managers_never_fails(sandbox, root):
    nowhere = sandbox.cli("build", "--git-hook", cwd=sandbox.tmp)
    assert (nowhere.returncode, nowhere.stdout, nowhere.stderr) == (0, "", "")
    done = sandbox.cli("build", "--git-hook", "--scope", "workspace", cwd=root)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (root / ".abcd" / ".index" / "current").exists()
    (store(root) / "new.md").write_text("# New\n")
    for path in (root / ".abcd" / ".index").iterdir():
        path.unlink()
    (root / ".abcd" / ".index").rmdir()
    (root / ".abcd" / ".index").write_text("in the way")
    done = sandbox.cli("build", "--git-hook", cwd=root)
    assert done.returncode == 0 and len(done.stderr.splitlines()) == 1


def test_init_makes_a_store_that_verifies_and_answers(sandbox):
    root = sandbox.repo()
    (root / "deep" / "er").mkdir(parents=True)
    done = sandbox.cli("init", cwd=root / "deep" / "er")
    assert done.returncode == 0 and sorted(os.listdir(store(root))) == ["guide_memory_pages.md", "index.md"]
    assert sandbox.cli("build", cwd=root).returncode == 0
    assert sandbox.cli("verify", "--strict", "--require-artefact", cwd=root).returncode == 0
    payload = {"session_id": "s", "cwd": str(root), "hook_event_name": "UserPromptSubmit",
               "prompt": "how do I choose a recall keyword?"}
    assert "guide_memory_pages.md" in sandbox.context(payload)


def test_init_overwrites_nothing(sandbox, root):
    before = {path: path.read_bytes() for path in store(root).iterdir()}
    done = sandbox.cli("init", cwd=root)
    assert done.returncode == 0 and "nothing was changed" in done.stdout
    assert {path: path.read_bytes() for path in store(root).iterdir()} == before
    (store(root) / "index.md").unlink()
    sandbox.cli("init", cwd=root)
    assert sorted(os.listdir(store(root))) == ["index.md", "pitfall_auth_login.md"]


def test_init_for_the_user_is_private(sandbox):
    done = sandbox.cli("init", "--scope", "user", cwd=sandbox.tmp)
    assert done.returncode == 0 and "~/.abcd.noindex/memory/index.md" in done.stdout
    assert stat.S_IMODE(sandbox.user.stat().st_mode) == 0o700


def test_init_refuses_places_that_are_too_wide(sandbox):
    for place in (sandbox.home, "/"):
        done = sandbox.cli("init", cwd=place)
        assert done.returncode == 2 and "too wide" in done.stderr
    env = {**sandbox.env, "TMPDIR": str(sandbox.tmp)}
    assert sandbox.cli("init", cwd=sandbox.tmp, env=env).returncode == 2
    assert not (sandbox.tmp / ".abcd").exists()


def test_catalogue_shows_and_writes_missing_lines(sandbox, root):
    (store(root) / "project_pay.md").write_text("---\nname: pay\ndescription: Pay once\ntype: project\n---\nBody.\n")
    done = sandbox.cli("catalogue", cwd=root)
    assert done.returncode == 1
    assert done.stdout.splitlines() == ["  " + LINE.rstrip("\n"), "+ - [pay](project_pay.md) \u2014 Pay once"]
    assert "1 missing" in done.stderr
    index = store(root) / "index.md"
    index.chmod(0o640)
    done = sandbox.cli("catalogue", "--write", cwd=root)
    assert done.returncode == 0 and "1 line added" in done.stdout
    assert index.read_text(encoding="utf-8") == LINE + "- [pay](project_pay.md) \u2014 Pay once\n"
    assert stat.S_IMODE(index.stat().st_mode) == 0o640
    assert sandbox.cli("catalogue", cwd=root).returncode == 0
    assert "up to date" in sandbox.cli("catalogue", "--write", cwd=root).stdout


def test_catalogue_keeps_line_ends_and_prunes_only_when_asked(sandbox, root):
    index = store(root) / "index.md"
    gone = "- [Gone](gone.md) \u2014 was here\r\n"
    index.write_bytes(("# Title\r\n\r\n" + gone + LINE.replace("\n", "\r\n") + "Prose.\r\n").encode())
    (store(root) / "new_page.md").write_text("# New\n")
    assert "- - [Gone](gone.md)" in sandbox.cli("catalogue", cwd=root).stdout
    sandbox.cli("catalogue", "--write", cwd=root)
    assert gone.encode() in index.read_bytes() and b"new_page.md" in index.read_bytes()
    done = sandbox.cli("catalogue", "--write", "--prune", cwd=root)
    assert done.returncode == 0 and "1 line dropped" in done.stdout
    data = index.read_bytes()
    assert b"gone.md" not in data and b"# Title\r\n\r\n- `pitfall" in data and b"Prose.\r\n" in data
    assert data.count(b"\n") == data.count(b"\r\n")


def test_catalogue_of_a_store_without_one(sandbox):
    root = sandbox.repo(pages={"pitfall_auth_login.md": PAGE})
    assert sandbox.cli("catalogue", "--write", cwd=root).returncode == 0
    text = (store(root) / "index.md").read_text(encoding="utf-8")
    assert text.endswith(LINE) and sandbox.cli("verify", "--strict", cwd=root).returncode == 0


def test_a_bar_shows_only_while_somebody_watches_a_long_build(monkeypatch):
    import io

    from abcd_index.commands import console as module

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    with module.Console(io.StringIO(), io.StringIO(), {}).progress() as bar:
        assert bar is None
    err = Terminal()
    with module.Console(io.StringIO(), err, {"TERM": "xterm"}).progress() as bar:
        bar(1, 100)
        assert err.getvalue() == ""
        now[0] += 10
        bar(25, 100)
        assert "25/100" in err.getvalue() and "pages" in err.getvalue()
    assert err.getvalue().endswith("\x1b[?25h\r\x1b[1A\x1b[2K") or "\x1b[2K" in err.getvalue()
