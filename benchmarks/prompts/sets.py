"""A set of notes and prompts: two files of JSON lines in one folder.

``pages.jsonl``: ``id``, ``file``, ``frontmatter``, ``body``, ``author_keywords``; ``prompts.jsonl``: ``id``,
``prompt``, ``kind``, ``rel`` ({page id: grade}). ``store`` in both where the set has several. Grade 3: must come, 2: is
wanted as well, 1: touches it and counts neither way; a page that ``rel`` does not name is wrong. ``prompts-all.jsonl``,
where there is one, holds whole chats (``chat``, ``turn``), of which only the prompts of ``prompts.jsonl`` are judged.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

OWN = Path(__file__).with_name("data")
Row = dict[str, Any]  # A line of JSON.
# From this grade on a page is one that should come.
WANTED = 2


class Note(NamedTuple):
    """One page as its author wrote it. ``keywords`` are the author's and not yet in ``frontmatter``."""

    id: str
    store: str
    file: str
    frontmatter: str
    body: str
    keywords: tuple[str, ...]

    def text(self, with_keywords: bool) -> str:
        """The file's text, with the author's keywords as ``recall`` or without them."""
        front = self.frontmatter.rstrip("\n") + "\n" if self.frontmatter.strip() else ""
        if with_keywords and self.keywords:
            front += f"recall: {json.dumps(self.keywords, ensure_ascii=False)}\n"
        head = f"---\n{front}---\n\n" if front else ""
        return head + self.body.rstrip("\n") + "\n"


class Asked(NamedTuple):
    """One prompt. ``rel``: {page id: grade}, None for a turn of a chat that nobody judged."""

    id: str
    store: str
    kind: str
    text: str
    rel: dict[str, int] | None
    chat: str = ""
    turn: int = 0

    def wanted(self) -> set[str]:
        """The pages that should come."""
        return {page for page, grade in (self.rel or {}).items() if grade >= WANTED}

    def best(self) -> set[str]:
        """The pages of the highest grade."""
        highest = max((self.rel or {}).values(), default=0)
        return {page for page, grade in (self.rel or {}).items() if grade == highest}


class PromptSet(NamedTuple):
    """What one folder holds. ``turns``: every turn of its chats, in their order."""

    name: str
    notes: tuple[Note, ...]
    prompts: tuple[Asked, ...]
    turns: tuple[Asked, ...]

    def stores(self) -> list[str]:
        """The names of its stores."""
        return sorted({note.store for note in self.notes})


def read_set(folder: Path = OWN) -> PromptSet:
    """The set in ``folder``. Raises OSError or ValueError for one that cannot be read."""
    notes = tuple(_note(row) for row in _rows(folder / "pages.jsonl"))
    prompts = tuple(_asked(row) for row in _rows(folder / "prompts.jsonl"))
    rels = {prompt.id: prompt.rel for prompt in prompts}
    chats = folder / "prompts-all.jsonl"
    turns = prompts
    if chats.exists():
        turns = tuple(_asked(row)._replace(rel=rels.get(str(row["id"]))) for row in _rows(chats))
    turns = tuple(sorted((turn for turn in turns if turn.chat), key=lambda turn: (turn.chat, turn.turn)))
    return PromptSet(folder.resolve().name, notes, prompts, turns)


def _rows(path: Path) -> list[Row]:
    lines = path.read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line.strip()]


def _note(row: Row) -> Note:
    return Note(
        row["id"],
        row.get("store", ""),
        row["file"].rpartition("/")[2],
        row.get("frontmatter") or "",
        row["body"],
        tuple(row.get("author_keywords") or ()),
    )


def _asked(row: Row) -> Asked:
    return Asked(
        row["id"],
        row.get("store", ""),
        row.get("kind", ""),
        row["prompt"],
        row.get("rel"),
        row.get("chat", ""),
        row.get("turn", 0),
    )
