"""status: what it sees, and that --check finds what does not work."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import io
import json
import os
import shutil
import sys

import pytest
from git_repositories import page, sealed  # noqa: F401

from abcd_index.commands import install
from abcd_index.commands import status as command
from abcd_index.commands.console import Console
from abcd_index.githooks.files import HOOKS
from abcd_index.scopes import Places


class Status:
    """status and install in this very process."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.root = sandbox.repo(pages={"deploy.md": page("deploy")})
        self.hooks = self.root / ".git" / "hooks"

    def __call__(self, *args):
        code, said = self.run(as_json=True, check="--check" in args)
        return code, json.loads(said)

    def text(self, *args):
        return self.run(check="--check" in args)[1]

    def run(self, **options):
        out = io.StringIO()
        return command.run(str(self.root), console=Console(out, io.StringIO(), {}), places=Places(), **options), out.getvalue()

    def install(self, **options):
        out = io.StringIO()
        assert install.run(str(self.root), install.Choice(**options), Console(out, out, {}), Places()) == 0, out.getvalue()


@pytest.fixture
def status(sealed):
    return Status(sealed)


def test_before_anything(status):
    code, found = status()
    assert code == 0 and found["problems"] == []
    assert [(s["scope"], s["state"]) for s in found["scopes"]] == [("workspace", "missing")]
    assert {hook["state"] for hook in found["git"]["hooks"]} == {"absent"}
    assert any("abcd-index install" in sentence for sentence in found["next"])
    assert any("abcd-index build" in sentence for sentence in found["next"])


def test_after_an_installation_all_answers(status):
    status.sandbox.user_pages({"mine.md": page("mine")})
    status.sandbox.run("chmod", "-R", "go=", status.sandbox.user)
    status.install(status_line=True)
    status.sandbox.cli("build", cwd=status.root)
    code, found = status("--check")
    assert (code, found["problems"], found["next"]) == (0, [], [])
    assert [(s["scope"], s["state"], s["pages"], s["origin"]) for s in found["scopes"]] == [
        ("workspace", "current", 1, "made or checked here"), ("user", "current", 1, "made or checked here")]
    assert {(hook["state"], hook["answers"], hook["python_works"]) for hook in found["git"]["hooks"]} == {("own", True, True)}
    events = {entry["event"]: entry for entry in found["agent"]}
    assert set(events) == {"UserPromptSubmit", "SessionStart", "statusLine"}
    assert "additionalContext" in events["UserPromptSubmit"]["said"]
    for entry in events.values():
        assert entry["answers"] and entry["python_version"].startswith("3.")
    text = status.text("--check")
    assert "next       nothing: all is in place" in text and "answers" in text


def test_stale_is_seen(status):
    status.install()
    status.sandbox.pages(status.root, {"deploy.md": page("deploy", "edited")})
    code, found = status("--check")
    assert code == 1 and found["problems"] == ["the workspace scope's artefact is stale"]


def test_a_torn_artefact_is_seen(status):
    status.install()
    artefact = next((status.root / ".abcd" / ".index").glob("*.idx"))
    artefact.write_bytes(artefact.read_bytes()[:20])
    code, found = status("--check")
    assert code == 1 and found["scopes"][0]["state"] == "torn"


def test_hooks_that_do_not_work_are_named(status):
    status.install()
    (status.hooks / "post-commit").chmod(0o644)
    path = status.hooks / "post-checkout"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n", 1))
    path = status.hooks / "post-merge"
    path.write_text(path.read_text().replace(sys.executable, "/gone/python"))
    path = status.hooks / "post-rewrite"
    path.write_text(path.read_text().replace("post-rewrite 2 >>>", "post-rewrite 0 >>>"))
    code, found = status("--check")
    said = "\n".join(found["problems"])
    assert code == 1
    for part in ("post-commit is not executable", "post-checkout has CRLF line ends", "post-checkout did not answer",
                 "post-merge names an interpreter that is gone: /gone/python", "post-rewrite is of another release"):
        assert part in said
    assert any("abcd-index install" in sentence for sentence in found["next"])


def test_commands_that_do_not_work_are_named(status):
    status.install()
    settings = status.root / ".claude" / "settings.json"
    text = settings.read_text()
    settings.write_text(text.replace("prompt_router_hook.py", "gone.py"))
    code, found = status("--check")
    assert code == 1 and any(p.startswith("UserPromptSubmit did not answer") for p in found["problems"])
    shutil.copy(settings, settings.with_name("settings.local.json"))
    code, found = status("--check")
    assert any("two settings files" in p for p in found["problems"])
    settings.write_text("{")
    code, found = status()
    assert any("settings.json: not JSON" in p for p in found["problems"])


def test_each_scope_of_hooks_path_is_shown(status):
    status.sandbox.git("config", "--global", "core.hooksPath", "/theirs", cwd=status.root)
    code, found = status()
    assert [(e["scope"], e["value"]) for e in found["git"]["hooks_path"]] == [("global", "/theirs")]
    assert "outside this repository" in found["git"]["not_ours"]
    assert any("git rev-parse --git-common-dir" in sentence for sentence in found["next"])
    assert "core.hooksPath (global) = /theirs" in status.text()


def test_modes_that_clones_would_miss(status):
    folder = status.root / ".githooks"
    folder.mkdir()
    for name in HOOKS:
        (folder / name).write_text("#!/bin/sh\ntrue\n")
    status.sandbox.git("add", "-A", cwd=status.root)
    status.sandbox.git("config", "core.hooksPath", ".githooks", cwd=status.root)
    code, found = status("--check")
    assert code == 1 and any("committed with mode 100644" in p for p in found["problems"])


def test_nothing_here(sandbox):
    folder = sandbox.tmp / "empty"
    folder.mkdir()
    done = sandbox.cli("status", "--json", cwd=folder)
    assert done.returncode == 1 and json.loads(done.stdout)["scopes"] == []


@pytest.mark.parametrize("name, value", [("PATH", "/nowhere"), ("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")])
def test_where_git_says_nothing(status, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    code, found = status()
    assert code == 0 and found["git"]["repository"] is None and found["git"]["why"]


def test_the_fill_signal(status):
    status.install()
    sessions = status.sandbox.user / ".index" / "sessions"
    sessions.mkdir(parents=True, exist_ok=True)
    record = sessions / "x.fill"
    record.write_text("{}")
    os.utime(record, (1, 1))
    _, found = status()
    assert found["fill"]["registered"] is False and found["fill"]["heard"] > 10**6
    assert "days ago" in status.text()


def test_changes_nothing(status):
    status.install()
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in status.root.rglob("*") if path.is_file()}
    status()
    after = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in status.root.rglob("*") if path.is_file()}
    assert after == before


def test_as_a_process(status):
    status.install()
    done = status.sandbox.cli("status", "--check", cwd=status.root)
    assert (done.returncode, done.stderr) == (0, "") and "answers" in done.stdout


class TestWhatIsTold:
    """The state of a scope, the folder of the user, and the way out: the same in text and as JSON."""

    def told(self, status, state, *said):
        code, found = status()
        text = " ".join(status.text().split())
        assert code == (2 if state == "refused" else 0) and found["scopes"][0]["state"] == state
        assert found["ok"] == (state == "missing") and (state == "missing" or found["problems"])
        for part in said:
            assert part in text
        for sentence in found["problems"] + found["next"]:
            assert sentence in text
        return found

    def test_an_artefact_of_elsewhere(self, status):
        status.install()
        shutil.rmtree(status.sandbox.user / ".index" / "provenance")
        found = self.told(status, "foreign", "came from elsewhere", "the prompt hook does not use it", "`abcd-index build`")
        assert found["scopes"][0]["origin"] == "came from elsewhere" and found["scopes"][0]["key"] is None
        assert status.sandbox.context({"cwd": str(status.root), "prompt": "deploy", "hook_event_name": "UserPromptSubmit"}) == ""
        status.sandbox.cli("build", cwd=status.root)
        assert status()[1]["scopes"][0]["origin"] == "made or checked here"

    def test_no_artefact_and_a_name_without_one(self, status):
        status.install()
        index = status.root / ".abcd" / ".index"
        next(index.glob("*.idx")).unlink()
        self.told(status, "dangling", "is not there", "`abcd-index build`")
        (index / "current").write_bytes(b"../../x\n")
        self.told(status, "dangling", "does not name a key", "`abcd-index build`")
        (index / "current").unlink()
        os.mkfifo(index / "current")
        self.told(status, "dangling", "`abcd-index build`")
        shutil.rmtree(index)
        self.told(status, "missing", "no artefact yet", "`abcd-index build`")

    def test_damage_is_no_artefact_of_elsewhere(self, status):
        status.install()
        artefact = next((status.root / ".abcd" / ".index").glob("*.idx"))
        for data in (artefact.read_bytes()[:20], b"", b"{}\n"):
            artefact.write_bytes(data)
            assert self.told(status, "torn", "`abcd-index build`")["scopes"][0]["origin"] == "came from elsewhere"

    def test_a_refused_scope_and_the_way_out(self, status):
        elsewhere = status.sandbox.tmp / "notes"
        shutil.move(status.root / ".abcd" / "memory", elsewhere)
        (status.root / ".abcd" / "memory").symlink_to(elsewhere)
        self.told(status, "refused", "leads to", "keep it inside")
        status.sandbox.user.mkdir(mode=0o700)
        (status.sandbox.user / "config.json").write_text(json.dumps({"stores": [str(status.sandbox.tmp)]}))
        found = self.told(status, "missing", f"allowed by {status.sandbox.tmp} under \"stores\"")
        assert found["scopes"][0]["allowed_by"] == str(status.sandbox.tmp)

    def test_modes_of_the_users_folder(self, status):
        page = status.sandbox.user_pages({"mine.md": "x"}) / "mine.md"
        page.chmod(0o640)
        for mode, is_open in ((0o700, False), (0o710, True), (0o777, True)):
            status.sandbox.user.chmod(mode)
            code, found = status()
            assert (found["home"]["open"], found["home"]["files"]) == (is_open, 1)
            assert any("others can look into" in sentence for sentence in found["problems"]) == is_open
            (way,) = [sentence for sentence in found["next"] if "chmod" in sentence]
        status.sandbox.run("/bin/sh", "-c", way.split("`")[1])
        assert status()[1]["home"] == {"path": str(status.sandbox.user), "used": True, "open": False, "files": 0}

    @pytest.mark.parametrize("named", ["file", "/dev/null/x", "relative"])
    def test_no_folder_of_ones_own(self, status, named, monkeypatch):
        (status.sandbox.tmp / "file").write_text("")
        monkeypatch.setenv("ABCD_HOME", str(status.sandbox.tmp / "file") if named == "file" else named)
        code, found = status()
        assert not found["home"]["used"] and any("the prompt hook is silent" in said for said in found["problems"])
        assert any("ABCD_HOME" in sentence for sentence in found["next"])
