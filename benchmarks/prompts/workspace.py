"""A store of a set's notes in a workspace of its own, and the hook asked about prompts there.

The store is made with the package's own commands, under a home of its own. A prompt is put to the hook's own function,
``prompt_hook.respond``, in this process; ``in_processes`` puts it to the hook's scripts instead, which an agent runs.
Each prompt is the first of a session, unless it is a turn of a chat.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from abcd_index.agenthooks import prompt_hook, statusline
from abcd_index.scopes import Places
from abcd_index.store.page import read_page
from benchmarks.prompts.scoring import LINE, WHOLE, Answer
from benchmarks.prompts.sets import Asked, Note

ROOT = Path(__file__).resolve().parents[2]
Payload = dict[str, object]
AUTHOR, SUGGESTED, NONE = KEYWORDS = "author", "suggested", "none"
# Percent of the window that is free: each prompt stands in a fresh session.
FREE = 95
_FILE = re.compile(r"[^/`(\[\"'<>]+?\.md\b")
_SETTINGS = ("GIT_", "ABCD_", "CLAUDE_", "XDG_", "PYTHON")


class Workspace:
    """One store, built. ``keywords``: whose the pages have, one of KEYWORDS."""

    def __init__(self, root: Path, notes: list[Note], keywords: str = AUTHOR) -> None:
        self.folder = root / "workspace"
        self.memory = self.folder / ".abcd" / "memory"
        self.memory.mkdir(parents=True)
        (root / "home").mkdir()
        self.env = _environment(root / "home")
        self.places = Places(self.env)
        self.ids = {note.file: note.id for note in notes}
        for note in notes:
            (self.memory / note.file).write_bytes(note.text(keywords == AUTHOR).encode())
        self._build(keywords == SUGGESTED)

    def _build(self, suggest: bool) -> None:
        self._run("git", "init", "-q", "-b", "main")
        self._abcd("catalogue", "--write")
        if suggest:
            self._abcd("build")
            # Status 1: there are pages for which nothing is suggested, or which it will not write to.
            self._abcd("keywords", "--write", fine=(0, 1))
        self._run("git", "add", "-A")
        self._run("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "store")
        self._abcd("build")

    def pages(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """{page id: (title, summary and text, keywords)} as the files have them now."""
        found = {}
        for file, name in self.ids.items():
            page, _ = read_page(file, (self.memory / file).read_bytes())
            found[name] = "\n".join([page.title, page.summary, page.body]), tuple(page.keywords)
        return found

    def ask(self, prompt: Asked, in_processes: bool = False) -> Answer:
        """What the hook gives for one prompt."""
        session = prompt.chat or prompt.id
        fill: Payload = {
            "session_id": session,
            "cwd": str(self.folder),
            "context_window": {
                "used_percentage": 100 - FREE,
                "remaining_percentage": FREE,
                "context_window_size": 200000,
            },
        }
        # With an id of its own a second "yes" is no second delivery of the first.
        asked: Payload = {
            "session_id": session,
            "cwd": str(self.folder),
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt.text,
            "prompt_id": prompt.id,
            "transcript_path": "/nowhere/t.jsonl",
            "permission_mode": "default",
        }
        out = self._scripts(fill, asked) if in_processes else self._functions(fill, asked)
        return self.answer(json.loads(out)["hookSpecificOutput"]["additionalContext"] if out.strip() else "")

    def answer(self, text: str) -> Answer:
        """The pages that are named in a block: those with their text, and those as a line."""
        came: dict[str, str] = {}
        for row in text.splitlines():
            form = WHOLE if row.startswith("## ") and " · " in row else LINE if row.startswith("- ") else ""
            named = (self.ids.get(found.group().strip()) for found in _FILE.finditer(row)) if form else ()
            page = next(filter(None, named), None)
            if page:
                came.setdefault(page, form)
        return Answer(tuple(came.items()), len(text))

    def _functions(self, fill: Payload, asked: Payload) -> bytes:
        sent = bytearray()

        def send(data: bytes) -> bool:
            sent.extend(data)
            return True

        statusline.keep(fill, self.places)
        prompt_hook.respond(asked, self.places, send=send)
        return bytes(sent)

    def _scripts(self, fill: Payload, asked: Payload) -> bytes:
        hook = [sys.executable, "-I", "-S", str(ROOT / "hooks" / "statusline_hook.py")]
        self._run(*hook, data=json.dumps(fill).encode())
        hook[-1] = str(ROOT / "hooks" / "prompt_router_hook.py")
        return self._run(*hook, data=json.dumps(asked).encode())

    def _abcd(self, *args: str, fine: tuple[int, ...] = (0,)) -> None:
        self._run(sys.executable, "-m", "abcd_index", *args, fine=fine)

    def _run(self, *args: str, data: bytes = b"", fine: tuple[int, ...] = (0,)) -> bytes:
        done = subprocess.run(args, cwd=self.folder, env=self.env, input=data, capture_output=True, timeout=300)
        if done.returncode not in fine:
            raise RuntimeError(f"{args} ended with {done.returncode}: {done.stderr.decode()}")
        return done.stdout


def _environment(home: Path) -> dict[str, str]:
    """The environment of a person who has nothing set but this home."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(_SETTINGS)}
    return {
        **env,
        "HOME": str(home),
        "ABCD_HOME": str(home / ".abcd.noindex"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "ABCD_DEADLINE": "30",
        "PYTHONPATH": str(ROOT),
    }
