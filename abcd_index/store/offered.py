"""What a page's author wrote down as other names or tags of it, for other tools: suggestions begin with these.

``aliases`` and ``tags`` (Obsidian, and most site generators), ``keywords``, ``topics``, ``labels``, ``categories``; and
the line ``* Tags: ...`` at the top of a decision record (MADR as log4brains writes it). Nothing of this makes a page
come: only ``recall`` does.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from abcd_index.store.frontmatter import read_frontmatter
from abcd_index.store.loader import Yaml
from abcd_index.store.records import Notes
from abcd_index.store.text import decode

ALIASES = ("aliases", "alias")
TAGS = ("tags", "tag", "keywords", "topics", "topic", "labels", "categories", "category")
_LINE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*)?tags(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*(\S.*)", re.IGNORECASE)
# So many lines of a page are its top.
_TOP = 15


class Offered(NamedTuple):
    """``aliases``: other names of the page; ``tags``: what it is filed under."""

    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def offered(data: bytes) -> Offered:
    """The Offered of a page's bytes. Never raises, and finds no fault: reading the page does that."""
    notes = Notes("")
    text = decode(data, notes)
    front = read_frontmatter(text, notes) if text is not None else None
    if front is None:
        return Offered()
    fields = {key.lower(): value for key, value in front.metadata.items()}
    aliases = [name for key in ALIASES for name in _texts(fields.get(key), ",")]
    tags = [tag for key in TAGS for tag in _texts(fields.get(key), ", ")]
    for line in front.content.lstrip("\n").split("\n")[:_TOP]:
        found = _LINE.match(line)
        if found is not None:
            tags += _texts(found[1], ",")
    return Offered(tuple(dict.fromkeys(aliases)), tuple(dict.fromkeys(map(_bare, filter(_bare, tags)))))


def _texts(value: Yaml, separators: str) -> list[str]:
    """The texts of a field that is a list, or one text with ``separators`` between."""
    if isinstance(value, str):
        for sign in separators:
            value = value.replace(sign, "\n")
        return [" ".join(part.split()) for part in value.split("\n") if part.strip()]
    if isinstance(value, list):
        return [" ".join(item.split()) for item in value if isinstance(item, str) and item.strip()]
    return []


def _bare(tag: str) -> str:
    """A tag without ``#`` and without the tags it is below of ("lang/python")."""
    return tag.strip("#`[]").rpartition("/")[2].strip()
