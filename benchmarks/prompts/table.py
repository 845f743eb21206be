"""The figures as tables: on the terminal, and as a section of docs/benchmarks.md."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.prompts.peers import INSTALL
from benchmarks.prompts.scoring import Answer, Chats, Scores, scores
from benchmarks.prompts.sets import Asked

RESULTS = Path(__file__).with_name("results.json")
TITLE = "The right page for a prompt"
LABELS = {
    "hook": "**abcd-index**",
    "substring": "a substring hook",
    "bm25": "BM25 (bm25s), threshold",
    "minilm": "MiniLM embeddings, threshold",
}
KEYWORDS = {"author": "the author's", "suggested": "suggested ones, accepted", "none": "none"}
Figures = Mapping[str, object]
# Heading, and what stands below it.
SHARES = (
    ("P", "precision"),
    ("R", "recall"),
    ("F1", "f1"),
    ("best came", "best_came"),
    ("whole", "best_whole"),
    ("first", "best_first"),
    ("silent", "silent"),
    ("no whole", "no_whole"),
    ("P whole", "precision_whole"),
)
COUNTS = (("wrong whole", "wrong_whole"), ("wrong lines", "wrong_lines"), ("characters", "characters"))

TEXT = """\
Does a prompt bring the page that helps? The set has {notes} notes of two made-up projects and {prompts} prompts as
developers type them: {wanting} want a page, {unwanting} want nothing. It is hard on purpose: {otherwords} ask in other
words than the page's keywords, {homographs} use a keyword in another sense. The notes have their author's keywords, or
those that `keywords --write` adds, or none. Each prompt is the first of a session with a free window.

Taken {taken} at commit `{commit}` with `{command}`. What BM25 and the embeddings need is installed by

```
{install}
```

and they are left out without it. Other uses:

```
python -m benchmarks.prompts --kinds                           # each kind of prompt
python -m benchmarks.prompts --set FOLDER --keywords author    # a set of your own, see benchmarks/prompts/sets.py
python -m benchmarks.prompts --set FOLDER --chats              # its whole chats, each as one session
```

"""
READING = """

**P**, **R**, **F1**: of the pages that came, those that were wanted; of the wanted, those that came; the two as one
figure, with the 95 % interval of the bootstrap. **Best came**: of the prompts that want a page, those for which the
best one came, in any form; **whole**: with its text; **first**: before any other. **Silent**: of the prompts that want
nothing, those that brought nothing; **no whole**: those that brought no whole page. **P whole**: of the pages that came
whole, those that were wanted. **Wrong whole**, **wrong lines**: pages that came without being wanted. **Characters**:
what the hook adds to a prompt, on average. Only the hook tells whole pages from lines.

The substring hook brings each page of which a keyword stands in the prompt. BM25 and the embeddings bring the best
three pages above a threshold that the other half of the prompts has chosen; the hook has one setting for everybody. The
set was written by people who know the package, so a figure on it says less than one on prompts of yours."""


def of_systems(keywords: str, rows: Mapping[str, Figures]) -> str:
    """The table of one kind of keywords, for the terminal."""
    head = [f"keywords: {keywords}", *_headings()]
    return _plain(head, [[name, *_cells(row, name == "hook")] for name, row in rows.items()])


def of_kinds(prompts: Sequence[Asked], answers: Mapping[str, Answer]) -> str:
    """The hook's figures for each kind of prompt."""
    rows = []
    for kind in sorted({prompt.kind for prompt in prompts}):
        mine = [prompt for prompt in prompts if prompt.kind == kind]
        rows.append([f"{kind} ({len(mine)})", *_cells(scores(mine, answers)._asdict(), True)])
    return _plain(["kind", *_headings()], rows)


def of_chats(keywords: str, found: Chats, judged: Scores | None) -> str:
    """What whole chats brought, in lines."""
    repeats = "-" if found.repeats is None else f"{found.repeats:.3f}"
    lines = [
        f"keywords: {keywords}, {found.turns} turns: {found.characters:.0f} characters a prompt, "
        f"{found.arrivals} pages, repeats {repeats}"
    ]
    if judged is not None:
        lines.append(
            "judged turns among them: "
            + ", ".join(f"{head} {cell}" for head, cell in zip(_headings(), _cells(judged._asdict(), True)) if cell)
        )
    return "\n".join(lines) + "\n"


def section(markdown: Callable[[list[str], list[list[str]]], str]) -> str:
    """The section of docs/benchmarks.md, '' where no figures are kept. ``markdown(head, rows)`` draws a table."""
    if not RESULTS.exists():
        return ""
    data = json.loads(RESULTS.read_text(encoding="utf-8"))
    rows = [
        [LABELS[name], KEYWORDS[keywords], *_cells(row, name == "hook")]
        for keywords, systems in data["figures"].items()
        for name, row in systems.items()
        if name != "substring" or keywords != "none"
    ]
    said = TEXT.format(wanting=data["prompts"] - data["unwanting"], install=INSTALL.replace("; ", "\n"), **data)
    return said + markdown(["system", "keywords", *_headings()], rows) + READING


def _headings() -> list[str]:
    return [head for head, _ in SHARES[:3]] + ["95 %"] + [head for head, _ in (*SHARES[3:], *COUNTS)]


def _cells(row: Figures, forms: bool) -> list[str]:
    """The cells of a row. ``forms``: the system has whole pages and lines, and a text of some length."""
    shown = ["" if row[name] is None or not forms and "whole" in name else _share(row[name]) for _, name in SHARES]
    low_high = row.get("f1_interval")
    span = "-".join(map(_share, low_high)) if isinstance(low_high, (list, tuple)) else ""
    counts = [f"{row[name]:.0f}" if forms else "" for _, name in COUNTS]
    return [*shown[:3], span, *shown[3:], *counts]


def _share(value: object) -> str:
    return f"{value:.3f}".lstrip("0") if isinstance(value, float) and 0 < value < 1 else f"{value:.0f}"


def _plain(head: list[str], rows: list[list[str]]) -> str:
    widths = [max(len(row[at]) for row in [head, *rows]) for at in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = [cell.rjust(width) for cell, width in zip(row, widths)]
        lines.append("  ".join([row[0].ljust(widths[0]), *cells[1:]]).rstrip())
    return "\n".join(lines) + "\n"
