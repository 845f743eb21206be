"""One page's bytes -> a Page, in either dialect or a mix of them.

* abcd: ``<type>_<domain>_<slug>.md`` with ``source: {class: ...}``; ``recall`` at the top or inside ``source``
* agent: ``name``, ``description``, ``type`` at the top or inside ``metadata``
* plain: no frontmatter, or none that is read

The title is the page's first heading when that is of level 1 or stands at the top of the body; a lower
heading further down ("Evidence", "How to apply") names a part of the page, not the page. Then ``title:``,
``name:``, the file's stem.
"""

from __future__ import annotations

import re

from abcd_index.store.fields import Reading, date, day, keywords, links, text
from abcd_index.store.frontmatter import PagePost, read_frontmatter
from abcd_index.store.links import stem
from abcd_index.store.loader import Mapping
from abcd_index.store.markdown import conflict_line, first_heading, history_dates
from abcd_index.store.records import Finding, Notes, Page
from abcd_index.store.status import status_links
from abcd_index.store.text import decode, invisible, quoted

FOLDER = "memory/"
ABCD_NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]*)_([A-Za-z0-9][A-Za-z0-9-]*)_(.+)\.md$", re.IGNORECASE)
DATES = ("updated", "modified", "date")
TOP = frozenset(
    (
        "name",
        "title",
        "description",
        "summary",
        "type",
        "metadata",
        "source",
        "recall",
        "exclude",
        "contradicts",
        "supersedes",
        "superseded_by",
        "id",
        *DATES,
    )
)
# Fields that say when a page comes and nothing of what it is.
KEYWORDS = frozenset(("recall", "exclude"))
NOTHING = Mapping()
# What another YAML reader would not read as text.
NOT_TEXT = re.compile(r"(?:[-+]?[\d.][\d._,:eExXa-fA-F+-]*|yes|no|on|off|true|false|null|y|n|~)$", re.IGNORECASE)


def read_page(name: str, data: bytes) -> tuple[Page | None, list[Finding]]:
    """(Page or None, [Finding]) of a page's bytes; None when it has to be left out.

    ``name``: the file's name in NFC. Pure, and never raises: findings are on ``memory/<name>`` with the
    file's own lines.
    """
    notes = Notes(FOLDER + name)
    page = None
    try:
        page = _read(name, data, notes)
    except Exception as error:  # One page never takes another down, whatever a library does.
        notes.add(
            "page-failed", None, f"the page cannot be read: {type(error).__name__}", "please report it with the page"
        )
    return page, notes.sorted() if notes.found else []


def _read(name: str, data: bytes, notes: Notes) -> Page | None:
    content = decode(data, notes)
    if content is None:
        return None
    front = read_frontmatter(content, notes)
    if front is None:
        return None
    if not front.present and not content.strip() and not notes.found:
        notes.add("page-empty", None, "the page is empty", "write the page, or delete the file")
    line = conflict_line(front.content)
    if line is not None:
        notes.add("conflict-markers", front.body_line + line, "an unresolved merge conflict", "resolve the conflict")
    fields = _Fields(front.metadata, Reading(notes, front.block_line, front.comments))
    return _page(name, front, fields)


def _page(name: str, front: PagePost, fields: _Fields) -> Page:
    top, body = fields.top, front.content
    own = fields.text("name", top) if "name" in top else ""
    title = fields.text("title", top) if "title" in top else ""
    parts = ABCD_NAME.match(name)
    dialect = _dialect(fields, parts)
    if dialect != "abcd":
        parts = None
    supersedes, superseded_by = _status_links(fields, body)
    return Page(
        name=name,
        title=_title(body, title, own, name),
        summary=fields.text("description", top, True) or fields.text("summary", top, True),
        type=_type(fields) or (parts.group(1) if parts else ""),
        dialect=dialect,
        slug=parts.group(3) if parts else own or stem(name),
        keywords=fields.keywords("recall"),
        exclude=fields.keywords("exclude"),
        contradicts=fields.links("contradicts"),
        supersedes=supersedes,
        superseded_by=superseded_by,
        updated=_updated(body, fields),
        body=body,
        body_line=front.body_line,
        description_name=own,
        ident=fields.text("id", top),
        source_class=_source_class(fields.source) if fields.source else "",
        domain=parts.group(2) if parts else "",
        lines=fields.lines(),
    )


class _Fields:
    """The fields of a page: those at the ``top``, and those inside ``source`` and ``metadata``."""

    def __init__(self, top: Mapping, reading: Reading) -> None:
        self.top = top
        self.reading = reading
        if not TOP.issuperset(top):
            _check_keys(top, reading)
        self.source = self._nested("source")
        self.metadata = self._nested("metadata")
        self.places = [place for place in (top, self.source, self.metadata) if place]

    def _nested(self, key: str) -> Mapping:
        value = self.top.get(key)
        if isinstance(value, Mapping):
            return value
        if key == "metadata" and value is not None:
            self.reading.add(
                "metadata-not-mapping",
                self.top.lines[key],
                "`metadata:` is not a mapping",
                "put `type: ...` on a line of its own below it, indented",
            )
        return NOTHING

    def text(self, key: str, place: Mapping, lines: bool = False) -> str:
        """A field that is text; '' when it is not there."""
        return text(key, place[key], place.lines[key], self.reading, lines) if key in place else ""

    def keywords(self, key: str) -> tuple[str, ...]:
        """The keywords of a field, from the top, ``source`` and ``metadata`` in this order, no repeats."""
        found: dict[str, str] = {}
        for place in self.places:
            if key in place:
                for word in keywords(key, place[key], place.lines[key], self.reading):
                    found.setdefault(word.casefold(), word)
        return tuple(found.values())

    def links(self, key: str) -> tuple[str, ...]:
        """The links of a field, in the same way."""
        found = [
            link
            for place in self.places
            if key in place
            for link in links(key, place[key], place.lines[key], self.reading)
        ]
        return tuple(dict.fromkeys(found)) if found else ()

    def lines(self) -> dict[str, int]:
        """The file's line of every field that was read; a field at the top before one inside another."""
        first = self.reading.first
        return {key: first + line for place in reversed(self.places) for key, line in place.lines.items() if key in TOP}


def _dialect(fields: _Fields, parts: re.Match[str] | None) -> str:
    top = fields.top
    if fields.source:
        return "abcd"
    if "name" in top or "description" in top or "metadata" in top:
        return "agent"
    # Never by its keywords: adding some makes no other page of it.
    if parts is not None and any(key not in KEYWORDS for key in top):
        return "abcd"
    return "agent" if "type" in top else "plain"


def _title(body: str, title: str, name: str, file: str) -> str:
    heading = first_heading(body)
    if heading is not None and (heading.level == 1 or heading.top):
        return heading.text
    return title or name or stem(file)


def _type(fields: _Fields) -> str:
    top, below = _type_in(fields, fields.top), _type_in(fields, fields.metadata)
    if top and below and top.casefold() != below.casefold():
        fields.reading.add(
            "type-conflict",
            fields.top.lines["type"],
            f"`type` is {quoted(top)} at the top and {quoted(below)} under `metadata`; the top counts",
            "keep one of them",
        )
    return top or below


def _type_in(fields: _Fields, place: Mapping) -> str:
    """The ``type`` of a place. Obsidian keeps every property that may have several values as a list: the first one."""
    value = place.get("type")
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return " ".join(str(value[0]).split())
    return fields.text("type", place)


def _source_class(source: Mapping) -> str:
    """``class``, or the ``classes`` of a page with several sources, joined by ``+`` as abcd shows them."""
    value = source.get("class")
    if isinstance(value, str):
        return " ".join(value.split())
    several = source.get("classes")
    if isinstance(several, list):
        return "+".join(" ".join(one.split()) for one in several if isinstance(one, str) and one.strip())
    return ""


def _updated(body: str, fields: _Fields) -> str | None:
    days = [
        date(key, place[key], place.lines[key], fields.reading)
        for place in (fields.top, fields.metadata)
        for key in DATES
        if key in place
    ]
    if "ingested_at" in fields.source:
        days.append(
            date("ingested_at", fields.source["ingested_at"], fields.source.lines["ingested_at"], fields.reading)
        )
    if "#" in body and ("istory" in body or "ISTORY" in body):
        days += [day(one) for one in history_dates(body)]
    return max((one for one in days if one), default=None)


def _status_links(fields: _Fields, body: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(pages it supersedes, pages that supersede it): by its fields and by its status as a decision record."""
    status = fields.top.get("status")
    said = status_links(status if isinstance(status, str) else "", body)
    older = dict.fromkeys(fields.links("supersedes") + said.supersedes)
    newer = dict.fromkeys(fields.links("superseded_by") + said.superseded_by)
    return tuple(older), tuple(newer)


def _check_keys(fields: Mapping, reading: Reading) -> None:
    """Keys that are not read and look as if they were meant to be."""
    for key in [key for key in fields if key not in TOP]:
        at = fields.lines[key]
        odd = invisible(key)
        if odd:
            reading.add(
                "key-invisible",
                at,
                f"unknown key with invisible character U+{ord(odd):04X}: {quoted(key)}",
                "type the key again",
            )
        elif key.lower() in TOP:
            _other_case(key, fields, reading)
        elif NOT_TEXT.match(key):
            reading.add(
                "key-not-text",
                at,
                f"the key `{quoted(key)}` is a number, boolean or date to other readers",
                "quote the key",
            )
        elif "recall" not in fields and _like_recall(key.lower()):
            reading.add("key-misspelt", at, f"`{quoted(key)}` is not read; did you mean `recall`?", "write `recall:`")


def _other_case(key: str, fields: Mapping, reading: Reading) -> None:
    """``Recall:`` counts as ``recall:`` where that is not there as well."""
    known = key.lower()
    if known in fields:
        reading.add(
            "key-case",
            fields.lines[key],
            f"`{key}` and `{known}` differ only in case; `{known}` on line "
            f"{reading.first + fields.lines[known]} counts",
            "keep one of them",
        )
        return
    reading.add("key-case", fields.lines[key], f"`{key}` is read as `{known}`", f"write `{known}:`")
    fields[known] = fields[key]
    fields.lines[known] = fields.lines[key]


def _like_recall(key: str) -> bool:
    """Whether a lower-case key is ``recall`` with a slip or with a word added."""
    return key.strip("_-") in ("recal", "reccall", "re-call", "rcall", "recll", "racall") or (
        key.startswith("recall") and key[6:].strip("_-s") in ("", "word", "keyword", "on", "when")
    )
