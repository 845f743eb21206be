"""``abcd-index demo``: the main job, step by step, in a temporary folder, through the real processes.

Each step says what it does, shows what came of it and checks it; the first one that does not hold ends
the demo with status 1.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Iterator, Tuple

from abcd_index import fs
from abcd_index.commands.console import OK, Console, count, seconds
from abcd_index.commands.demo_sandbox import DemoFailed, Done, Sandbox

QUESTION = "Why does the auth login fail?"
BRACKETS = (
    (90, "FRESH", "three pages whole"),
    (55, "MODERATE", "the best whole, lines for the rest"),
    (20, "DEPLETED", "three lines, no body"),
)


def run(keep: bool = False, console: Console | None = None) -> int:
    """Run the demo. ``keep``: leave the folder and name it. Raises DemoFailed at the first broken step."""
    show = Show(console or Console())
    folder = fs.new_folder("abcd-index-demo-")
    start = time.perf_counter()
    try:
        sandbox = Sandbox(folder)
        for step in (_store, _commit, _brackets, _silence, _compaction, _scopes, _rule, _switch, _verify):
            step(sandbox, show)
        show.end(f"All of it held, in {seconds(time.perf_counter() - start)}. In your own project:")
        for command in ("abcd-index init", "abcd-index install"):
            show.command(command)
    finally:
        if keep:
            show.remark(f"left for a look: {folder}")
        else:
            fs.remove_folder(folder)
    return OK


def _store(sandbox: Sandbox, show: Show) -> None:
    show.title(
        "A store of pages", "Markdown with a few recall words. One scope travels with the project, one is yours."
    )
    show.command("git init && abcd-index install")
    fs.make_folder(str(sandbox.work))
    sandbox.git("init", "-q", "-b", "main")
    done = sandbox.cli("install")
    show.holds(done.code == 0, "the hooks of git and of the agent are in place", done)
    sandbox.write_pages()
    for home, shown in ((sandbox.work / ".abcd", ".abcd/memory/"), (sandbox.user, "~/.abcd.noindex/memory/")):
        pages = sorted(p for p in (home / "memory").glob("*.md") if p.name not in ("index.md", "MEMORY.md"))
        show.text(f"{shown}  {count(len(pages), 'page')}", "bold")
        for page in pages:
            show.pair(page.name, _recall_words(page))
    rules = sandbox.work / ".abcd" / "rules.json"
    show.holds(rules.is_file(), "and .abcd/rules.json with the rules of one domain, MIGRATIONS")


def _commit(sandbox: Sandbox, show: Show) -> None:
    show.title("A commit builds the artefact", "The git hooks compile what changed; nobody has to think of it.")
    show.holds(not sandbox.artefact(sandbox.work / ".abcd")[0], "so far there is none")
    show.command('git add -A && git commit -m "Two years of notes"')
    sandbox.git("add", "-A")
    done = sandbox.git("commit", "-q", "-m", "Two years of notes")
    key, size = _wait_for(sandbox, sandbox.work / ".abcd")
    there = f"{seconds(done.took)} later there is .abcd/.index/{key}.idx, {size:,} bytes"
    show.holds(bool(key), there if key else "the commit leaves an artefact behind", done)
    status = sandbox.git("status", "--porcelain").out
    show.holds(not status, "git status is clean: the index folder ignores itself", status)
    show.command("abcd-index build --scope user")
    done = sandbox.cli("build", "--scope", "user")
    show.holds(
        done.code == 0 and bool(sandbox.artefact(sandbox.user)[0]), "the user scope has an artefact of its own", done
    )


def _brackets(sandbox: Sandbox, show: Show) -> None:
    show.title("One prompt, three brackets", "The emptier the context window, the more of a page comes.")
    show.prompt(QUESTION)
    for free, bracket, wanted in BRACKETS:
        session = f"demo-{bracket}"
        sandbox.fill(session, free)
        text, took = sandbox.prompt(session, QUESTION)
        show.block(f"{free} % free", text, took)
        whole, lines = text.count("\n## "), text.count("\n- ")
        right = {
            "FRESH": whole == 3 and not lines,
            "MODERATE": 0 < whole < 3 and whole + lines == 3,
            "DEPLETED": not whole and lines == 3,
        }[bracket]
        show.holds(
            f'bracket="{bracket}"' in text and right and "pitfall_auth_login.md" in text, f"{bracket}: {wanted}", text
        )


def _silence(sandbox: Sandbox, show: Show) -> None:
    show.title("Silence", "What the session has seen does not come twice, and no page comes for no reason.")
    show.prompt(QUESTION)
    text, took = sandbox.prompt("demo-FRESH", QUESTION)
    show.holds(not text, f"the same prompt again: nothing ({seconds(took)})", text)
    stranger = "Rename the variable in the for loop, please."
    show.prompt(stranger)
    text, took = sandbox.prompt("demo-FRESH", stranger)
    show.holds(not text, f"a prompt that matches nothing: nothing ({seconds(took)})", text)


def _compaction(sandbox: Sandbox, show: Show) -> None:
    show.title("After a compaction", "The agent has forgotten the pages, so they may come again.")
    sandbox.hook(
        "session_hook.py",
        {"session_id": "demo-FRESH", "cwd": str(sandbox.work), "hook_event_name": "SessionStart", "source": "compact"},
    )
    again = "So what was it with the login and the session cookie?"
    show.prompt(again)
    text, took = sandbox.prompt("demo-FRESH", again)
    show.block("after the compaction", text, took)
    show.holds("## Login redirects in a circle" in text, "the page comes again, whole", text)


def _scopes(sandbox: Sandbox, show: Show) -> None:
    show.title("The narrower scope wins", "Both scopes know the word deploy; the project's page is the one that comes.")
    question = "Can I deploy this tonight?"
    show.prompt(question)
    text, took = sandbox.prompt("demo-scopes", question)
    show.block("", text, took)
    show.holds(
        "howto_release_deploy.md" in text and "user_deploy_habits.md" not in text,
        "the workspace page came, the user page was held back",
        text,
    )
    question = "Put the new berths behind a feature flag."
    show.prompt(question)
    text, _ = sandbox.prompt("demo-scopes", question)
    show.holds("user_deploy_habits.md" in text, "a word that only the user page has still brings it", text)


def _rule(sandbox: Sandbox, show: Show) -> None:
    show.title("Rules come first", "A domain of rules.json matches like a page and stands before the pages.")
    question = "Write the migration for the new berth table."
    show.prompt(question)
    text, took = sandbox.prompt("demo-rules", question)
    show.block("", text, took)
    rule, page = text.find("A migration only adds"), text.find("decision_db_migrations.md")
    show.holds(0 <= rule < page, "the rules of MIGRATIONS, then the page", text)


def _switch(sandbox: Sandbox, show: Show) -> None:
    show.title(
        "A branch, there and back", "An artefact is keyed by content: what was built once is there when you return."
    )
    main, _ = sandbox.artefact(sandbox.work / ".abcd")
    sandbox.git("switch", "-q", "-c", "other")
    page = sandbox.work / ".abcd" / "memory" / "pitfall_ci_flaky.md"
    fs.replace(str(page), page.read_bytes() + b"\nSeen again in spring.\n")
    sandbox.git("commit", "-q", "-a", "-m", "Add a line")
    other, _ = _wait_for(sandbox, sandbox.work / ".abcd", main)
    index = sandbox.work / ".abcd" / ".index"
    built = {path.name: path.stat().st_ino for path in index.glob("*.idx")}
    show.command("git switch main")
    done = sandbox.git("switch", "-q", "main")
    back, _ = _wait_for(sandbox, sandbox.work / ".abcd", other)
    same = built == {path.name: path.stat().st_ino for path in index.glob("*.idx")}
    show.holds(bool(other) and back == main, f"current again in {seconds(done.took)}: {back[:12]}...", done)
    show.holds(same, "and nothing was built for it")


def _verify(sandbox: Sandbox, show: Show) -> None:
    show.title("Verify", "Everything is computed anew from the pages and compared.")
    show.command("abcd-index verify --require-artefact")
    done = sandbox.cli("verify", "--require-artefact")
    show.output(done)
    show.holds(done.code == 0, "status 0: what is on disk is what the pages say", done)
    page = sandbox.work / ".abcd" / "memory" / "howto_release_deploy.md"
    fs.replace(str(page), page.read_bytes().replace(b"15:40", b"16:10"))
    show.text("Somebody moves the ferry in howto_release_deploy.md, and no git hook sees it.", "bold")
    show.command("abcd-index verify --require-artefact")
    done = sandbox.cli("verify", "--require-artefact")
    show.output(done)
    show.holds(done.code == 1 and "howto_release_deploy.md" in done.out, "status 1, and it names the page", done)


def _recall_words(page: Path) -> str:
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("recall:"):
            return line[len("recall:") :].strip(" []")
    return "(no recall words: only found when asked for)"


def _wait_for(sandbox: Sandbox, home: Path, before: str = "") -> Tuple[str, int]:
    """The current artefact once it is another than ``before``; hooks may build after git has returned."""
    end = time.perf_counter() + 10
    while True:
        found = sandbox.artefact(home)
        if (found[0] and found[0] != before) or time.perf_counter() > end:
            return found
        time.sleep(0.02)


class Show:
    """Prints the demo: titles, prompts, blocks and what held."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.step = 0
        try:
            "\u2500\u2502\u2713\u2717\u22ee".encode(getattr(console.out, "encoding", None) or "ascii")
            self.rule, self.bar, self.tick, self.cross, self.dots = "\u2500", "\u2502", "\u2713", "\u2717", "\u22ee"
        except (UnicodeEncodeError, LookupError):
            self.rule, self.bar, self.tick, self.cross, self.dots = "-", "|", "ok", "NOT", ":"

    def title(self, name: str, why: str) -> None:
        """A step's headline and the sentence that says what it is about."""
        self.step += 1
        self.console.line()
        self.console.line((f"{self.rule * 2} {self.step}  {name} {self.rule * 2}", "bold cyan"))
        self.console.text((why, "dim"))
        self.console.line()
        self.console.out.flush()

    def text(self, text: str, style: str = "") -> None:
        """A line of prose."""
        self.console.line("  ", (text, style))

    def pair(self, left: str, right: str) -> None:
        """A page and its recall words."""
        self.console.line(f"    {left:<28} ", (right, "dim"))

    def command(self, text: str) -> None:
        """A command as typed."""
        self.console.line("  ", ("$ ", "dim"), (text, "bold"))

    def prompt(self, text: str) -> None:
        """A prompt as typed."""
        self.console.line("  ", ("> ", "bold yellow"), (text, "bold"))

    def block(self, label: str, text: str, took: float) -> None:
        """What the hook injected, shortened for the eye."""
        facts = [label] if label else []
        facts += [f"{len(text):,} characters", f"{seconds(took)}, process start included"]
        self.text(" - ".join(facts), "dim")
        self._lines("\n".join(excerpt(text, self.dots)))

    def output(self, done: Done) -> None:
        """What a command printed."""
        self._lines(done.out + done.err)

    def holds(self, condition: bool, sentence: str, seen: str | Done = "") -> None:
        """Tick ``sentence`` off, or show what was ``seen`` and raise DemoFailed."""
        if condition:
            self.console.line("  ", (self.tick, "bold green"), f" {sentence}")
            self.console.out.flush()
            return
        self.console.line("  ", (self.cross, "bold red"), f" {sentence}")
        self._lines(seen if isinstance(seen, str) else f"status {seen.code}\n{seen.out}{seen.err}")
        raise DemoFailed(f"this step did not hold: {sentence}")

    def end(self, text: str) -> None:
        """The last sentence."""
        self.console.line()
        self.console.line((text, "bold green"))

    def remark(self, text: str) -> None:
        """A line beside the result."""
        self.console.note(text)

    def _lines(self, text: str) -> None:
        """Somebody else's output, behind a bar."""
        for line in text.splitlines():
            self.console.text(line, first=f"    {self.bar} ", rest=f"    {self.bar}   ")


def excerpt(text: str, dots: str, body: int = 2) -> Iterator[str]:
    """The block's own lines, and of each page only the first ``body`` lines that say something."""
    left, skipped = 0, False
    for line in text.splitlines():
        if line.startswith(("<", "## ", "- `", "- [", "Project notes")):
            left = body
        elif not line.strip():
            continue
        elif left:
            left -= 1
        else:
            if not skipped:
                yield dots
            skipped = True
            continue
        skipped = False
        yield line
