"""Workspaces that the figures are taken in, and the prompts that are asked there."""

import json
import os
import subprocess
import sys
from pathlib import Path

from . import stores
from .timing import BASE_PYTHON, Command

ROOT = Path(__file__).resolve().parent.parent
SESSION = "bench-session-1"

THREE = (
    "After yesterday's change people are sent back to the start page right after they typed their password. The "
    "auth code looks untouched to me, but the login handler now runs before the session token is read. Can you find "
    "out why this is a redirect loop, write a failing test first and then propose the smallest fix? Names stay."
)
AGAIN = "And does the auth change of last week touch the login handler as well? Show me where."
NOTHING = (
    "Please rename the helper that formats money so that its name says which currency it expects, and update "
    "the three places that call it. No behaviour should differ."
)
SHARED = "What do I have to look at before the next deploy of this thing? Give me a short list, most urgent at the top."
FEW = "What do I have to look at before the next rollout of this thing? Give me a short list, most urgent at the top."


def paste(size=200_000):
    """A question with a log of ``size`` characters under it, as people paste them."""
    lines = [THREE, "", "```"]
    total, n = 0, 0
    while total < size:
        n += 1
        line = (
            f"2025-03-{n % 28 + 1:02d}T10:{n % 60:02d}:07.{n % 1000:03d}Z worker-{n % 17} WARN  pool.go:{n % 900} "
            f"retrying upstream=10.0.{n % 256}.{n * 7 % 256} attempt={n % 5} id={n * 2654435761 % 2**32:08x} "
            f"took={n * 37 % 4000}ms"
        )
        lines.append(line)
        total += len(line) + 1
    return "\n".join(lines + ["```"])


class Workspace:
    """A generated store of ``pages`` pages with its own home; ``name`` is how results call it."""

    def __init__(self, work, name, pages, fixed_size=0):
        self.name, self.pages = name, pages
        self.root, self.home = Path(work) / f"store-{name}", Path(work) / f"home-{name}"
        self.user = self.home / ".abcd.noindex"
        self.sessions = self.user / ".index" / "sessions"
        self.home.mkdir(parents=True)
        self.bytes = stores.make(self.root, pages, fixed_size=fixed_size)
        stores.make_user(self.user)
        self.env = {
            "HOME": str(self.home),
            "ABCD_HOME": str(self.user),
            "LANG": "C.UTF-8",
            "PATH": os.environ.get("PATH", ""),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@example.org",
        }
        subprocess.run(["git", "init", "-q"], cwd=self.root, env=self.env, check=True)

    def cli(self, *args):
        """The arguments of ``abcd-index ARGS``."""
        return [sys.executable, "-m", "abcd_index", *args]

    def build(self):
        """Make both scopes' artefacts current."""
        subprocess.run(
            self.cli("build", "--scope", "all"), cwd=self.root, env=self.env, check=True, stdout=subprocess.DEVNULL
        )

    @property
    def artefact(self):
        """Bytes of the workspace's current artefact."""
        index = self.root / ".abcd" / ".index"
        key = (index / "current").read_text().strip()
        return (index / f"{key}.idx").stat().st_size

    def payload(self, case, prompt):
        """The file with what an agent sends for ``prompt``."""
        path = self.home / f"{case}.json"
        path.write_text(
            json.dumps(
                {
                    "session_id": SESSION,
                    "transcript_path": str(self.home / "none.jsonl"),
                    "cwd": str(self.root),
                    "permission_mode": "default",
                    "hook_event_name": "UserPromptSubmit",
                    "prompt": prompt,
                }
            )
        )
        return path

    def fill(self, used):
        """What the session folder holds once the status line has said that ``used`` percent are taken."""
        for path in self.sessions.iterdir() if self.sessions.exists() else ():
            path.unlink()
        said = json.dumps(
            {
                "session_id": SESSION,
                "cwd": str(self.root),
                "hook_event_name": "Status",
                "workspace": {"current_dir": str(self.root), "project_dir": str(self.root)},
                "context_window": {"context_window_size": 200_000, "used_percentage": used},
            }
        )
        subprocess.run(
            [BASE_PYTHON, "-I", "-S", str(ROOT / "hooks" / "statusline_hook.py")],
            input=said.encode(),
            env=self.env,
            cwd=self.root,
            capture_output=True,
            check=True,
        )
        return self._sessions()

    def _sessions(self):
        return {path.name: path.read_bytes() for path in self.sessions.iterdir()} if self.sessions.exists() else {}

    def hook(self, case, prompt, used=10, earlier=None, name="abcd-index"):
        """The prompt hook as an agent runs it: fill known, session ledger on, each run the first of its kind.

        ``earlier``: a prompt already answered in the session, so that the ledger holds its pages.
        """
        files = self.fill(used)
        if earlier:
            first = self.hook(case + "-earlier", earlier, used)
            first.output()
            files = self._sessions()
        return Command(
            name,
            [BASE_PYTHON, "-I", "-S", str(ROOT / "hooks" / "prompt_router_hook.py")],
            env=self.env,
            cwd=self.root,
            stdin=self.payload(case, prompt),
            reset=[(self.sessions, files)],
        )

    def peer(self, peer, case, prompt):
        stdin = self.payload(case, prompt)
        here = ROOT / "benchmarks" / "peers"
        if peer == "node_scan":
            return Command(peer, [which("node"), here / "node_scan.js"], env=self.env, cwd=self.root, stdin=stdin)
        extra = [site_packages()] if peer in ("frontmatter_scan", "json_whole_orjson") else []
        return Command(
            peer, [BASE_PYTHON, "-I", "-S", here / "run.py", peer, *extra], env=self.env, cwd=self.root, stdin=stdin
        )


def which(program):
    import shutil

    return shutil.which(program)


def site_packages():
    """Where the environment keeps third-party packages."""
    import frontmatter

    return str(Path(frontmatter.__file__).resolve().parent.parent)
