"""The door: exit codes, where text goes, what an error looks like, colour."""

import json
import os
import pty
import subprocess
import sys

import pytest

from abcd_index import __version__
from abcd_index.commands.console import wants_colour

PAGE = "---\nsource: {class: session_memory}\nrecall: [auth, login]\n---\n# Login\n\nThe body.\n"
COMMANDS = ("init", "build", "verify", "catalogue", "recall", "status", "install", "uninstall", "demo", "keywords")


@pytest.fixture
def root(sandbox):
    return sandbox.repo(pages={"pitfall_auth_login.md": PAGE, "index.md": "- `pitfall_auth_login.md` \u2014 a | b | c\n"})


def test_version_and_help(sandbox):
    assert sandbox.cli("--version", cwd=sandbox.tmp).stdout == f"abcd-index {__version__}\n"
    for option in ("--help", "-h"):
        done = sandbox.cli(option, cwd=sandbox.tmp)
        assert done.returncode == 0 and all(f"\n  {name} " in done.stdout for name in COMMANDS)
    for name in COMMANDS:
        done = sandbox.cli(name, "--help", cwd=sandbox.tmp)
        assert done.returncode == 0 and f"abcd-index {name}" in done.stdout, done.stderr


def test_the_console_script_is_the_same_program(sandbox, root):
    script = os.path.join(os.path.dirname(sys.executable), "abcd-index")
    if not os.path.exists(script):
        pytest.skip("the package is not installed with its script")
    done = sandbox.run(script, "verify", "--format", "json", cwd=root, check=False)
    assert done.returncode == 0 and json.loads(done.stdout)["ok"] is True


@pytest.mark.parametrize("arguments", [("verify", "--format", "yaml"), ("nonsense",), ("build", "--scope", "x"),
                                       ("verify", "--no-such"), ("recall", "--prompt", "x", "term"),
                                       ("build", "--root", "does/not/exist"), ("catalogue", "--prune")])
def test_what_cannot_be_run_is_status_2_and_one_complaint(sandbox, root, arguments):
    done = sandbox.cli(*arguments, cwd=root)
    assert done.returncode == 2 and done.stdout == "" and done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["build", "verify", "catalogue"])
def test_nothing_to_do_it_with_is_status_1(sandbox, command):
    done = sandbox.cli(command, cwd=sandbox.tmp)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("abcd-index: no .abcd/memory in ") and "hint: run `abcd-index init`" in done.stderr


def test_a_working_directory_that_is_gone(sandbox, root):
    gone = sandbox.tmp / "gone"
    gone.mkdir()
    code = f"import os, sys; os.rmdir({str(gone)!r}); os.execv(sys.executable, [sys.executable, '-m', 'abcd_index', 'build'])"
    done = sandbox.run(sys.executable, "-c", code, cwd=gone, check=False)
    assert done.returncode == 2 and "working directory" in done.stderr and "Traceback" not in done.stderr


def test_a_fault_of_ours_has_a_traceback_and_a_status_of_its_own(sandbox, root):
    code = ("import sys\nfrom abcd_index import cli\nfrom abcd_index.commands import build\n"
            "def run(*a, **k): raise RuntimeError('seven')\nbuild.run = run\nsys.argv = ['abcd-index', 'build']\ncli.main()")
    done = sandbox.run(sys.executable, "-c", code, cwd=root, check=False)
    assert done.returncode == 70 and "RuntimeError: seven" in done.stderr and "report it" in done.stderr


def test_a_reader_that_went_away_is_no_traceback(sandbox, root):
    for number in range(300):
        (root / ".abcd" / "memory" / f"page_{number}.md").write_text("---\nname: x\n")
    process = subprocess.Popen([sys.executable, "-m", "abcd_index", "verify"], cwd=root, env=sandbox.env,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    error = process.stderr.read()
    process.wait(timeout=60)
    assert "Traceback" not in error


def test_a_narrow_encoding_prints_escapes_instead_of_failing(sandbox, root):
    (root / ".abcd" / "memory" / "\u0438_\u00fc.md").write_text("---\nname: \u0438\n", encoding="utf-8")
    env = {**sandbox.env, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = sandbox.cli("verify", cwd=root, env=env)
    assert done.returncode == 1 and r"\u0438_\xfc.md" in done.stdout and "Traceback" not in done.stderr


def on_a_terminal(sandbox, root, **environ):
    """What `verify` prints on a terminal of its own."""
    env = {name: value for name, value in sandbox.env.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    master, slave = pty.openpty()
    subprocess.run([sys.executable, "-m", "abcd_index", "verify"], cwd=root, env={**env, "TERM": "xterm", **environ},
                   stdout=slave, stderr=slave)
    os.close(slave)
    seen = b""
    try:
        for part in iter(lambda: os.read(master, 65536), b""):
            seen += part
    except OSError:  # Linux: the other end is closed.
        pass
    os.close(master)
    return seen


def test_colour_on_a_terminal_only(sandbox, root):
    assert b"\033[" in on_a_terminal(sandbox, root)
    assert b"\033[" not in on_a_terminal(sandbox, root, NO_COLOR="1")
    assert "\033[" not in sandbox.cli("verify", cwd=root).stdout


@pytest.mark.parametrize("environ, on_terminal, in_a_pipe", [
    ({}, True, False), ({"NO_COLOR": "1"}, False, False), ({"NO_COLOR": ""}, True, False),
    ({"TERM": "dumb"}, False, False), ({"FORCE_COLOR": "1"}, True, True), ({"FORCE_COLOR": "0"}, True, False),
    ({"CLICOLOR_FORCE": "1"}, True, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
])
def test_what_decides_about_colour(environ, on_terminal, in_a_pipe):
    class Stream:
        def __init__(self, tty):
            self.isatty = lambda: tty

    assert wants_colour(Stream(True), environ) is on_terminal
    assert wants_colour(Stream(False), environ) is in_a_pipe


@pytest.mark.parametrize("command", [("build",), ("verify",), ("push", "--to", "./place"), ("fetch", "--from", "./place")])
def test_without_a_user_store_it_says_how_to_start_that_one(sandbox, root, command):
    done = sandbox.cli(*command, "--scope", "user", cwd=root)
    assert done.returncode == 1 and "abcd-index init --scope user" in done.stderr
    assert sandbox.cli("init", "--scope", "user", cwd=root).returncode == 0
    assert sandbox.cli("build", "--scope", "user", cwd=root).returncode == 0
