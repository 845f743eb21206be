"""A store with an artefact and the hooks over it: as real processes (``ask``), or in this one (``quick``)."""

import json
import os
import sys
from pathlib import Path

import pytest

from abcd_index.agenthooks import prompt_hook as router
from abcd_index.agenthooks import session_hook as session
from abcd_index.agenthooks import statusline
from abcd_index.agenthooks.io import payload_of
from abcd_index.build.manifest import stamp
from abcd_index.build.publish import record_provenance
from abcd_index.build.run import build
from abcd_index.scopes import Places, find_scopes

ROOT = Path(__file__).resolve().parent.parent
# The interpreter that a hook is run with: the base one, as users' agents do.
BASE_PYTHON = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def page(recall, body="Some text.", title="", **fields):
    """A page of the abcd dialect; ``recall``: a list of keywords."""
    head = ["---", "source: {class: session_memory}", "recall: " + json.dumps(recall, ensure_ascii=False)]
    head += ["%s: %s" % (name, json.dumps(value, ensure_ascii=False)) for name, value in fields.items()]
    return "\n".join(head + ["---"] + (["# " + title, ""] if title else []) + [body, ""])


class HookedStore:
    """``root``: a workspace without git. Everything goes through the sandbox's sealed environment."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.root = sandbox.tmp / "work"
        self.root.mkdir()
        self.places = Places(dict(sandbox.env))
        self.started = []

    @property
    def store(self):
        return self.root / ".abcd" / "memory"

    @property
    def index(self):
        return self.root / ".abcd" / ".index"

    @property
    def sessions(self):
        return self.sandbox.user / ".index" / "sessions"

    def pages(self, pages, user=None):
        """Write pages of both scopes and build."""
        self.sandbox.pages(self.root, pages)
        if user:
            self.sandbox.user_pages(user)
        return self.build()

    def rules(self, domains, **more):
        self.store.mkdir(parents=True, exist_ok=True)
        (self.root / ".abcd" / "rules.json").write_text(
            json.dumps({"schema_version": 1, "domains": domains, **more}), encoding="utf-8")
        return self.build()

    def config(self, **settings):
        (self.root / ".abcd").mkdir(parents=True, exist_ok=True)
        (self.root / ".abcd" / "config.json").write_text(json.dumps(settings))
        return self.build()

    def build(self):
        for scope in self.scopes():
            build(scope)
        return self

    def vouch(self):
        """Let the machine answer for the artefacts as they are now: as if a disk had damaged what it built."""
        for scope in self.scopes():
            for path in Path(scope.index).glob("*.idx"):
                assert record_provenance(scope, path.stem, path.stat().st_ino)
                key = path.stem
                if key == "tracked":
                    key = json.loads(path.read_bytes().partition(b"\n")[0])["key"]
                times = path.with_name(key + ".times")
                if times.exists():
                    first, _, rows = times.read_bytes().partition(b"\n")
                    was, head = times.stat(), {**json.loads(first), "artefact": stamp(path)}
                    times.write_bytes(json.dumps(head).encode() + b"\n" + rows)
                    os.utime(times, ns=(was.st_atime_ns, was.st_mtime_ns))

    def damage(self, data, idx=None):
        """Put ``data`` in the place of the workspace's artefact, as a damaged disk would."""
        (idx or next(self.index.glob("*.idx"))).write_bytes(data)
        self.vouch()

    def scopes(self):
        return find_scopes(str(self.root), self.places)

    def payload(self, prompt, session="s1", **more):
        payload = {"session_id": session, "cwd": str(self.root), "prompt": prompt,
                   "hook_event_name": "UserPromptSubmit"}
        payload.update(more)
        return {name: value for name, value in payload.items() if value is not None}

    def ask(self, prompt, session="s1", **more):
        """What the real prompt hook adds for ``prompt``, '' for nothing."""
        return self.sandbox.context(self.payload(prompt, session, **more))

    def quick(self, prompt, session="s1", **more):
        """The same without starting a process."""
        return said(self.respond(self.payload(prompt, session, **more)))

    def respond(self, payload, forced="", module=router):
        """What a hook sends for ``payload`` (dict): the list of its writes."""
        sent = []
        module.respond(payload, self.places, forced, lambda data: sent.append(data) or True)
        return sent

    def start(self, source, session_id="s1", event="SessionStart", **more):
        """Run the session hook; returns what it sends, parsed, or None."""
        payload = {"session_id": session_id, "cwd": str(self.root), "hook_event_name": event, "source": source}
        payload.update(more)
        sent = self.respond(payload, module=session)
        return json.loads(sent[0]) if sent else None

    def free(self, percent, session_id="s1", **window):
        """Tell the status line hook how much of the window is free."""
        window.setdefault("used_percentage", None if percent is None else 100 - percent)
        return statusline.keep({"session_id": session_id, "context_window": window}, self.places)


def said(sent):
    """The context in what a hook sent."""
    assert len(sent) <= 1, "more than one write"
    if not sent:
        return ""
    assert payload_of(sent[0]) is not None
    return json.loads(sent[0])["hookSpecificOutput"]["additionalContext"]


@pytest.fixture
def hooked(sandbox, monkeypatch):
    """A HookedStore; ``started``: the commands that hooks in this process would have started in the background."""
    hooked = HookedStore(sandbox)
    monkeypatch.setattr("abcd_index.agenthooks.rebuild.start", lambda command, note: hooked.started.append(command) or True)
    return hooked


def older(path, seconds=60):
    """Let a file look ``seconds`` older than it is."""
    stat = os.stat(path)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns - int(seconds * 1e9)))
