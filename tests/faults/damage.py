"""Artefacts with a byte changed, cut short, or put together from two: the hook's code reads each of them.

Each is written under the name of the current artefact and noted as this machine's own, as it would be if a disk
damaged it. What the hook says then is text that the pages hold, or nothing; ``verify`` finds what differs.
"""

import json
import os

from . import report
from .scenes import ASKED, RULES, USERS, page, settle, store

WORDS = ("login", "deploy", "cache", "queue", "index", "proxy", "tenant", "retry", "backup", "locale", "font", "cron")
PROMPTS = (ASKED + " And the queue, the proxy, the retry? I commit then.", "is there a backup of the tenant, and a font?")
PATTERNS = {"a bit flipped": lambda byte: byte ^ 0x10, "a byte 0x00": lambda byte: 0, "a byte 0xff": lambda byte: 0xff}


def text_of(number, word):
    return page([word, word + " key"], "About %s: the %s number %d is kept for %d days." % (word, word, number, number + 3),
                word.title() + " notes")


class Shelf:
    """A workspace with its artefact and one of other pages, and a user's store that stays sound."""

    def __init__(self, world):
        self.world = world
        world.begin()
        store(world, USERS, "home/.abcd.noindex")
        world.write("work/.abcd/rules.json", RULES)
        # Whole pages are what damage could change.
        for home in ("work/.abcd", "home/.abcd.noindex"):
            world.write(home + "/config.json", json.dumps({"match": {"generic": "whole"}}))
        catalogue = "".join("- `note_%s.md` — session_memory | ops | All about %s\n" % (w, w) for w in WORDS[::2])
        world.write("work/.abcd/memory/index.md", "# Catalogue\n\n" + catalogue)
        self.other = self._built({word: text_of(number + 50, word) for number, word in enumerate(WORDS)})[0]
        self.sound, self.path, self.key = self._built({word: text_of(number, word) for number, word in enumerate(WORDS)})
        from abcd_index.scopes import Places, find_scopes

        os.environ.clear()
        os.environ.update(world.env)
        self.scopes = find_scopes(str(world.root), Places())
        with open(self.scopes[0].provenance, "rb") as file:
            self.noted = file.read().split(b"\n")[0]
        with open(self.path[:-len(".idx")] + ".times", "rb") as file:
            first, _, rest = file.read().partition(b"\n")
        self.times = json.loads(first), rest
        self.put(self.sound)
        self.lines = set()
        said = [self.say(prompt) for prompt in PROMPTS]
        assert all("number" in text for text in said), said
        for text in said:
            self.lines.update(plain(line) for line in text.split("\n"))
        os.rename(self.path, self.path + "-away")
        for prompt in PROMPTS:
            self.lines.update(plain(line) for line in self.say(prompt).split("\n"))
        os.rename(self.path + "-away", self.path)
        # Which pages come whole depends on what else came.
        for number, word in enumerate(WORDS):
            self.lines.update(text_of(number, word).split("---\n")[2].split("\n"))
            self.lines.update(["## %s notes  (.abcd/memory/note_%s.md · workspace" % (word.title(), word)])

    def _built(self, texts):
        for word, text in texts.items():
            self.world.write("work/.abcd/memory/note_%s.md" % word, text)
        settle()
        done = self.world.cli("build", "--json")
        assert done.status == 0, done.err
        key = (self.world.root / ".abcd/.index/current").read_text().strip()
        path = str(self.world.root / ".abcd/.index" / (key + ".idx"))
        with open(path, "rb") as file:
            return file.read(), path, key

    def put(self, data):
        """Let the current artefact be ``data``, and this machine answer for it: its list and its times know the file."""
        from abcd_index.artefact import provenance

        with open(self.path, "r+b") as file:
            file.write(data)
            file.truncate()
        found = os.stat(self.path)
        with open(self.scopes[0].provenance, "wb") as file:
            file.write(self.noted + b"\n" + provenance.line(self.key, found) + b"\n")
        head = dict(self.times[0], artefact=[found.st_size, found.st_mtime_ns, found.st_ctime_ns])
        with open(self.path[:-len(".idx")] + ".times", "wb") as file:
            file.write(json.dumps(head, sort_keys=True, separators=(",", ":")).encode() + b"\n" + self.times[1])

    def say(self, prompt):
        from abcd_index.agenthooks.decide import decide

        return decide(prompt, self.scopes, remaining=90).text

    def read(self):
        """The problems that the artefact as it is now shows to the hook."""
        problems = []
        for prompt in PROMPTS:
            try:
                text = self.say(prompt)
            except Exception as error:
                problems.append("wrong: uncaught %r" % error)
                continue
            strange = [line for line in text.split("\n") if plain(line) not in self.lines]
            if strange:
                problems.append("wrong: text that no page holds: %r" % strange[:2])
        return problems

    def verified(self):
        """Whether ``verify`` finds something."""
        from abcd_index.verify.run import verify

        return any(row.get("severity") == "error" if isinstance(row, dict) else True
                   for row in verify(self.scopes[0]).rows)


def plain(line):
    """A line without what depends on how many pages and words matched."""
    if line.startswith("## "):
        return line.partition(" · matched:")[0]
    if line.startswith("<abcd-memory"):
        return ""
    if line.startswith("(") and line.endswith(("match)", "matches)")):
        return ""
    return line


def damaged(shelf):
    """(kind, data) of each damaged artefact."""
    sound, other = shelf.sound, shelf.other
    for name, change in PATTERNS.items():
        for at in range(len(sound)):
            bent = bytearray(sound)
            bent[at] = change(bent[at])
            if bent != sound:
                yield name, bytes(bent)
    for length in range(len(sound)):
        yield "cut short", sound[:length]
    for at in range(1, min(len(sound), len(other))):
        for bent in (sound[:at] + other[at:], other[:at] + sound[at:]):
            if bent != sound:
                yield "put together from two", bent


def chunk(world, item):
    """[(kind, tried, bad, verified, missed, the first problems)] of every ``step``-th damaged artefact."""
    start, step, checked = json.loads(item.partition("|")[2])
    shelf = Shelf(world)
    found = {}
    for number, (kind, data) in enumerate(damaged(shelf)):
        if number % step != start:
            continue
        counts = found.setdefault(kind, [0, 0, 0, 0, []])
        shelf.put(data)
        problems = shelf.read()
        counts[0] += 1
        if problems:
            counts[1] += 1
            counts[4] = (counts[4] + [[number, "; ".join(problems)]])[:5]
        if number // step % checked == 0:
            counts[2] += 1
            if not shelf.verified():
                counts[3] += 1
                counts[4] = (counts[4] + [[number, "wrong: verify finds nothing"]])[:5]
    return found


def run(folder, options, shared):
    """[(row, failures)]."""
    parts = options.workers * options.sizes["thin"]
    items = ["part %d|%s" % (number, json.dumps([number, parts, options.sizes["checked"]]))
             for number in range(options.workers)]
    total, looked, missed = {}, 0, 0
    bad = {}
    for _, found in shared(folder, options, items, chunk):
        for kind, (tried, wrong, checked, unseen, problems) in found.items():
            counts = total.setdefault(kind, [0, 0])
            counts[0] += tried
            counts[1] += wrong
            looked += checked
            missed += unseen
            bad.setdefault(kind, []).extend(("damage|%s|%d" % (kind, number), problem) for number, problem in problems)
    rows = [(report.row("damaged artefact: " + kind, tried, 0, wrong), bad[kind]) for kind, (tried, wrong) in total.items()]
    return rows + [(report.row("damaged artefact: verify finds it", looked, 0, missed), [])]


