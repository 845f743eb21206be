"""The stage of ``abcd-index demo``: a folder with its own home, real processes, and what each one costs.

Nothing of this machine's git, agent or user settings is seen, and nothing outside the folder is written.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import abcd_index
from abcd_index import fs
from abcd_index.errors import AbcdError

STORE = Path(__file__).resolve().parent / "demo_store"
PATIENCE = 60


class DemoFailed(AbcdError):
    """A step did not do what it says."""

    status = 1
    hint = "run `abcd-index demo --keep` and look into the folder that it names"


class Done:
    """What a process did: ``code``, ``out``, ``err`` (text) and ``took`` (seconds)."""

    __slots__ = ("code", "out", "err", "took")

    def __init__(self, code, out, err, took):
        self.code = code
        self.out = out
        self.err = err
        self.took = took


class Stage:
    """``home``, ``user`` (``$ABCD_HOME``) and ``work`` (a repository) below one temporary folder."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.home = self.folder / "home"
        self.user = self.home / ".abcd.noindex"
        self.work = self.folder / "harbour"
        self.env = sealed(self.home, self.user)
        fs.make_folder(str(self.home))

    def furnish(self):
        """Copy the demo's pages into both scopes."""
        for source, home in ((STORE / "user", self.user), (STORE / "workspace", self.work / ".abcd")):
            for path in filter(Path.is_file, source.rglob("*")):
                target = home / path.relative_to(source)
                fs.make_folder(str(target.parent))
                fs.replace(str(target), path.read_bytes())

    def run(self, *args, data=None):
        """Run a process in the repository and wait for it."""
        start = time.perf_counter()
        try:
            done = subprocess.run([str(a) for a in args], cwd=str(self.work), env=self.env, input=data,
                                  stdin=subprocess.DEVNULL if data is None else None,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
        except FileNotFoundError as error:
            raise DemoFailed(f"{args[0]} is not installed", "the demo needs git") from error
        except subprocess.TimeoutExpired as error:
            raise DemoFailed(f"{args[0]} did not end within {PATIENCE} seconds") from error
        return Done(done.returncode, _text(done.stdout), _text(done.stderr), time.perf_counter() - start)

    def git(self, *args):
        """Run git; a failure ends the demo."""
        done = self.run("git", *args)
        if done.code:
            raise DemoFailed(f"git {args[0]} failed: {done.err.strip() or done.out.strip()}")
        return done

    def cli(self, *args):
        """Run ``abcd-index ARGS`` as a process of its own."""
        return self.run(sys.executable, "-m", "abcd_index", *args)

    def hook(self, script, payload):
        """Run one of the real hook scripts, with a bare interpreter as agents do."""
        return self.run(bare_python(), "-I", "-S", hooks() / script, data=json.dumps(payload).encode())

    def prompt(self, session, text):
        """(what the prompt hook injects or '', seconds)."""
        done = self.hook("prompt_router_hook.py", {
            "session_id": session, "cwd": str(self.work), "hook_event_name": "UserPromptSubmit", "prompt": text})
        if done.code or done.err:
            raise DemoFailed(f"the prompt hook ended with {done.code}: {done.err.strip()}")
        if not done.out:
            return "", done.took
        try:
            return json.loads(done.out)["hookSpecificOutput"]["additionalContext"], done.took
        except (ValueError, KeyError, TypeError) as error:
            raise DemoFailed(f"the prompt hook printed {done.out[:200]!r}") from error

    def fill(self, session, free):
        """Tell the status line hook how much of the window is free, as the agent's status line does."""
        return self.hook("statusline_hook.py", {
            "session_id": session, "cwd": str(self.work), "hook_event_name": "Status",
            "context_window": {"used_percentage": 100 - free, "remaining_percentage": free}})

    def artefact(self, home):
        """(key, size in bytes) of the current artefact below ``home``, or ('', 0)."""
        index = Path(home) / ".index"
        try:
            key = (index / "current").read_text().strip()
            return key, (index / f"{key}.idx").stat().st_size
        except OSError:
            return "", 0


def sealed(home, user):
    """The environment of the demo's processes."""
    dropped = ("GIT_", "ABCD_", "CLAUDE_", "XDG_", "PYTHON", "PRE_COMMIT")
    env = {k: v for k, v in os.environ.items() if not k.upper().startswith(dropped)}
    env.update(
        HOME=str(home), USERPROFILE=str(home), ABCD_HOME=str(user), NO_COLOR="1", PYTHONIOENCODING="utf-8",
        GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1", GIT_TERMINAL_PROMPT="0",
        GIT_AUTHOR_NAME="Demo", GIT_AUTHOR_EMAIL="demo@example.org",
        GIT_COMMITTER_NAME="Demo", GIT_COMMITTER_EMAIL="demo@example.org",
        # The package may be a checkout that only this interpreter's environment knows.
        PYTHONPATH=str(Path(abcd_index.__file__).resolve().parent.parent),
    )
    return env


def hooks():
    """The folder of the hook scripts: beside the package in a checkout, inside it in a wheel."""
    package = Path(abcd_index.__file__).resolve().parent
    for folder in (package.parent / "hooks", package / "_hooks"):
        if (folder / "prompt_router_hook.py").is_file():
            return folder
    raise DemoFailed("the hook scripts are missing from this installation")


def bare_python():
    """The interpreter without a virtual environment around it, which starts fastest."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def _text(data):
    return data.decode("utf-8", "replace")
