"""What a decision record's status says of other pages: "superseded by ADR-0003", "supersedes 0002-use-mysql.md".

Read where the usual forms keep it: ``status:`` in the frontmatter (MADR), ``* Status: ...`` in the list at the top
(MADR before 3), and the section "## Status" (Nygard).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from abcd_index.store.markdown import Lines, atx

_SAID = re.compile(r"\bsupersede(d[ \t]+by|s)\b[ \t]*:?[ \t]*(.*?)(?=\bsupersede|$)", re.IGNORECASE)
# What such a sentence names: a link in markdown, a wikilink, a record's number, a file.
_NAMED = re.compile(
    r"\[[^\]\n]*\]\(([^)\s]+)[^)]*\)|(\[\[[^\]\n]+\]\])|\b((?:madr|adr|rfc)[-_ #]?\d+)\b|([\w.-]+\.md)\b"
    r"|(?<![\w.-])#?(\d{1,6})\b",
    re.IGNORECASE,
)
_FIELD = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*)?status(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*(.*)", re.IGNORECASE)


class StatusLinks(NamedTuple):
    """The links of a status: ``supersedes`` and ``superseded_by``."""

    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()


def status_links(status: str, body: str) -> StatusLinks:
    """The StatusLinks of a page. ``status``: its field, '' for none."""
    if "upersede" not in status and "upersede" not in body:
        return StatusLinks()
    older: dict[str, None] = {}
    newer: dict[str, None] = {}
    for text in (status, *_said(body)):
        for said in _SAID.finditer(text):
            into = older if said[1].lower() == "s" else newer
            into.update(dict.fromkeys(_link(found) for found in _NAMED.finditer(said[2])))
    return StatusLinks(tuple(older), tuple(newer))


def _link(found: re.Match[str]) -> str:
    target = next(part for part in found.groups() if part)
    # A link leads from folder to folder, with a heading behind it; the store knows the file.
    return target.partition("#")[0].rpartition("/")[2] if found[1] else target


def _said(body: str) -> Iterator[str]:
    """The texts in which a body says its status."""
    top, inside = True, False
    for _, line in Lines(body).visible():
        heading = atx(line)
        if heading is not None:
            inside = heading.text.strip(" :").casefold() == "status"
            # The first heading is the title; from the next one on it is the record itself.
            top = top and heading.level == 1
        elif inside:
            yield line
        elif top:
            field = _FIELD.match(line)
            if field is not None:
                yield field[1]
