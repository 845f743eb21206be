"""Generated stores: the same pages for the same size and seed on every machine.

Sizes follow what real memory folders show: median 2.2 KB, 95th percentile 11 KB, 3 to 6 keywords a page. A few
keywords are shared by thousands of pages, most by a handful, some by one. Both dialects are mixed half and half.
"""

import json
import math
import os
import random
from pathlib import Path

from .words import sentences, vocabulary

MEDIAN, P95 = 2_200, 11_000
_SIGMA = math.log(P95 / MEDIAN) / 1.645
SHARED_BY = 5_000  # pages that hold the keyword `deploy` (a quarter of the store when it is smaller)
TYPES = ("pitfall", "decision", "convention", "howto", "reference")
DATES = tuple(f"{year}-{month:02d}-{day:02d}" for year in (2024, 2025) for month in range(1, 13) for day in (3, 14, 25))

# The three pages that the usual prompt asks for.
TARGETS = (
    ("auth_login", ["auth", "login", "sign in"], "Auth login redirects"),
    ("auth_tokens", ["auth", "session token"], "Tokens expire in the middle of a request"),
    ("login_loop", ["login", "redirect loop"], "The login page and its redirect loop"),
)
# The three pages that hold `rollout`: what `deploy` with its thousands is compared with.
FEW = ("rollout_plan", "rollout_freeze", "rollout_back")


class Writer:
    """Makes the text of page ``i`` from the seed alone, whatever was made before it."""

    def __init__(self, pages, seed=1, fixed_size=0):
        self.pages, self.seed, self.fixed_size = pages, seed, fixed_size
        self.words = vocabulary(seed)
        self.sentences = sentences(self.words, seed)
        self.topics = max(4, pages // 25)
        self.shared = min(SHARED_BY, pages // 4)

    def page(self, i):
        """(file name, text, catalogue line) of page ``i``."""
        rng = random.Random(f"page {self.seed} {i}")
        if i < len(TARGETS):
            slug, keywords, title = TARGETS[i]
            return self._written(rng, slug, keywords, title, i, self.fixed_size or MEDIAN)
        if i < len(TARGETS) + len(FEW):
            slug = FEW[i - len(TARGETS)]
            return self._written(
                rng,
                slug,
                ["rollout", rng.choice(self.words[300:])],
                slug.replace("_", " "),
                i,
                self.fixed_size or MEDIAN,
            )
        own = rng.sample(range(300, len(self.words)), 3)
        slug = "_".join(self.words[w] for w in own[:2]) + f"_{i}"
        size = self.fixed_size or min(60_000, max(250, int(rng.lognormvariate(math.log(MEDIAN), _SIGMA))))
        title = " ".join(self.words[w] for w in own).capitalize()
        return self._written(rng, slug, self._keywords(rng, i, own), title, i, size)

    def _keywords(self, rng, i, own):
        """3 to 6 keywords: one of the page's own, a phrase, topics that about 25 pages share, common ones."""
        topic = rng.randrange(self.topics)
        keywords = [
            self.words[own[0]],
            f"{self.words[own[1]]} {self.words[own[2]]}",
            self.words[200 + topic % (len(self.words) - 200)],
        ]
        if (i - len(TARGETS) - len(FEW)) < self.shared:
            keywords.append("deploy")
        for _ in range(rng.randrange(3)):
            keywords.append(self.words[len(self.words) - 1 - rng.randrange(self.topics)])
        if rng.random() < 0.3:
            keywords.append(f"area {rng.randrange(8)}")  # eight keywords that together hold a third of the store
        return keywords[:6]

    def _written(self, rng, slug, keywords, title, i, size):
        paragraphs, length = [], 0
        while length < size - 260:
            text = " ".join(rng.choices(self.sentences, k=rng.randint(2, 5)))
            text = text[: max(40, size - 260 - length)]
            paragraphs.append(text)
            length += len(text) + 2
        paragraphs.append(f"See `{slug}_{i:x}` and `{slug.title().replace('_', '')}Handler`.")
        body = "\n\n".join(paragraphs)
        recall = ", ".join(keywords)
        summary = rng.choice(self.sentences)[:90]
        if i % 2:
            name = f"{slug}.md"
            kind = rng.choice(("user", "feedback", "project", "reference"))
            head = (
                f"---\nname: {slug.replace('_', '-')}\ndescription: {summary}\nmetadata:\n  type: {kind}\n"
                f"  updated: {rng.choice(DATES)}\nrecall: [{recall}]\n---\n"
            )
            line = f"- [{title}]({name}) — {summary}"
        else:
            name = f"{rng.choice(TYPES)}_core_{slug}.md"
            head = f"---\nsource:\n  class: session_memory\n  recall: [{recall}]\n---\n# {title}\n\n"
            line = f"- `{name}` — session_memory | core | {summary}"
        return name, head + body + "\n", line


RULES = {
    "schema_version": 1,
    "disabled": False,
    "domains": {
        name: {
            "state": "active",
            "recall": [f"{name.lower()} rule", f"{name.lower()} policy"],
            "aliases": [],
            "rules": [f"Keep the {name.lower()} short.", f"Ask before changing a {name.lower()}."],
        }
        for name in ("SCHEMA", "LICENCE", "CHANGELOG", "INVOICE", "TRANSLATION", "PRIVACY")
    },
}


def make(root, pages, seed=1, fixed_size=0):
    """Write a workspace of ``pages`` pages below ``root``; return the bytes of its pages (catalogue not counted).

    ``fixed_size``: every page about that many bytes, instead of the realistic spread.
    """
    store = Path(root) / ".abcd" / "memory"
    store.mkdir(parents=True)
    writer = Writer(pages, seed, fixed_size)
    lines, total = [], 0
    prefix = str(store) + os.sep
    for i in range(pages):
        name, text, line = writer.page(i)
        data = text.encode()
        with open(prefix + name, "wb", 0) as out:
            out.write(data)
        lines.append(line)
        total += len(data)
    (store / "index.md").write_text("# Memory\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    (store.parent / "rules.json").write_text(json.dumps(RULES, indent=1) + "\n")
    return total


def make_user(home, pages=40, seed=2):
    """Write a user store below ``home`` (the ABCD_HOME of a run); one of its pages also holds `login`."""
    store = Path(home) / "memory"
    store.mkdir(parents=True)
    writer = Writer(pages + 6, seed)
    lines = []
    for i in range(6, pages + 6):
        name, text, line = writer.page(i)
        if i == 6:
            text = text.replace("recall: [", "recall: [login, ", 1)
        (store / name).write_bytes(text.encode())
        lines.append(line)
    (store / "index.md").write_text("# Memory\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
