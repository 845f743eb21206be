"""The sandbox of ``abcd-index demo``: a folder with its own home, real processes, and what each one costs.

Nothing of this machine's git, agent or user settings is seen, and nothing outside the folder is written.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, NamedTuple, Tuple

import abcd_index
from abcd_index import fs
from abcd_index.errors import AbcdError
from abcd_index.install.entries import bare_python, scripts_folder

STORE = Path(__file__).resolve().parent / "demo_store"
PATIENCE = 60


class DemoFailed(AbcdError):
    """A step did not do what it says."""

    status = 1
    hint = "run `abcd-index demo --keep` and look into the folder that it names"


class Done(NamedTuple):
    """What a process did: its exit status, what it printed and how many seconds it took."""

    code: int
    out: str
    err: str
    took: float


class Sandbox:
    """``home``, ``user`` (``$ABCD_HOME``) and ``work`` (a repository) below one temporary folder."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.home = self.folder / "home"
        self.user = self.home / ".abcd.noindex"
        self.work = self.folder / "harbour"
        self.env = sealed(self.home, self.user)
        fs.make_folder(str(self.home))

    def write_pages(self) -> None:
        """Copy the demo's pages into both scopes."""
        for source, home in ((STORE / "user", self.user), (STORE / "workspace", self.work / ".abcd")):
            for path in filter(Path.is_file, source.rglob("*")):
                target = home / path.relative_to(source)
                fs.make_folder(str(target.parent))
                fs.replace(str(target), path.read_bytes())

    def run(self, *args: str | Path, data: bytes | None = None) -> Done:
        """Run a process in the repository and wait for it."""
        start = time.perf_counter()
        try:
            done = subprocess.run(
                [str(a) for a in args],
                cwd=str(self.work),
                env=self.env,
                input=data,
                stdin=subprocess.DEVNULL if data is None else None,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                timeout=PATIENCE,
            )
        except FileNotFoundError as error:
            raise DemoFailed(f"{args[0]} is not installed", "the demo needs git") from error
        except subprocess.TimeoutExpired as error:
            raise DemoFailed(f"{args[0]} did not end within {PATIENCE} seconds") from error
        return Done(done.returncode, _text(done.stdout), _text(done.stderr), time.perf_counter() - start)

    def git(self, *args: str) -> Done:
        """Run git; a failure ends the demo."""
        done = self.run("git", *args)
        if done.code:
            raise DemoFailed(f"git {args[0]} failed: {done.err.strip() or done.out.strip()}")
        return done

    def cli(self, *args: str) -> Done:
        """Run ``abcd-index ARGS`` as a process of its own."""
        return self.run(sys.executable, "-m", "abcd_index", *args)

    def hook(self, script: str, payload: Dict[str, Any]) -> Done:
        """Run one of the real hook scripts, with a bare interpreter as agents do."""
        python = os.path.realpath(bare_python())
        return self.run(python, "-I", "-S", scripts() / script, data=json.dumps(payload).encode())

    def prompt(self, session: str, text: str) -> Tuple[str, float]:
        """(what the prompt hook injects or '', seconds)."""
        done = self.hook(
            "prompt_router_hook.py",
            {"session_id": session, "cwd": str(self.work), "hook_event_name": "UserPromptSubmit", "prompt": text},
        )
        if done.code or done.err:
            raise DemoFailed(f"the prompt hook ended with {done.code}: {done.err.strip()}")
        if not done.out:
            return "", done.took
        try:
            return json.loads(done.out)["hookSpecificOutput"]["additionalContext"], done.took
        except (ValueError, KeyError, TypeError) as error:
            raise DemoFailed(f"the prompt hook printed {done.out[:200]!r}") from error

    def fill(self, session: str, free: int) -> Done:
        """Tell the status line hook how much of the window is free, as the agent's status line does."""
        return self.hook(
            "statusline_hook.py",
            {
                "session_id": session,
                "cwd": str(self.work),
                "hook_event_name": "Status",
                "context_window": {"used_percentage": 100 - free, "remaining_percentage": free},
            },
        )

    def artefact(self, home: Path) -> Tuple[str, int]:
        """(key, size in bytes) of the current artefact below ``home``, or ('', 0)."""
        index = home / ".index"
        try:
            key = (index / "current").read_text().strip()
            return key, (index / f"{key}.idx").stat().st_size
        except OSError:
            return "", 0


def sealed(home: Path, user: Path) -> Dict[str, str]:
    """The environment of the demo's processes."""
    dropped = ("GIT_", "ABCD_", "CLAUDE_", "XDG_", "PYTHON", "PRE_COMMIT")
    env = {k: v for k, v in os.environ.items() if not k.upper().startswith(dropped)}
    env.update(
        HOME=str(home),
        USERPROFILE=str(home),
        ABCD_HOME=str(user),
        NO_COLOR="1",
        PYTHONIOENCODING="utf-8",
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_NOSYSTEM="1",
        GIT_TERMINAL_PROMPT="0",
        GIT_AUTHOR_NAME="Demo",
        GIT_AUTHOR_EMAIL="demo@example.org",
        GIT_COMMITTER_NAME="Demo",
        GIT_COMMITTER_EMAIL="demo@example.org",
        # The package may be a checkout that only this interpreter's environment knows.
        PYTHONPATH=str(Path(abcd_index.__file__).resolve().parent.parent),
    )
    return env


def scripts() -> Path:
    """The folder of the hook scripts."""
    folder = scripts_folder()
    if folder is None:
        raise DemoFailed("the hook scripts are missing from this installation")
    return Path(folder)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
