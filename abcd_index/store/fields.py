"""One frontmatter field -> a clean value, and what to tell its author.

Nothing is guessed from a value's look: keywords are text, a date is a date only in a date field.
"""

from __future__ import annotations

import re
from datetime import date as Day
from datetime import datetime, timedelta
from typing import NamedTuple

from abcd_index.store.loader import Mapping, Sequence, Yaml
from abcd_index.store.records import Notes
from abcd_index.store.text import BIDI, control, quoted, visible_form

MOMENT = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})"
    r"(?:(?:[Tt]|[ \t]+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?[ \t]*(?:(Z|UTC|GMT)|([+-])(\d{2}):?(\d{2})?)?)?",
    re.IGNORECASE,
)
DRIVE = re.compile(r"(?:^|\W)[A-Za-z]:[\n\t]")
# What a keyword may start with that needs a closer look; also no character at all.
ODD = ("", " ", "#")
EMPTY_FIX = "delete the empty item, or write the keyword"


class Reading(NamedTuple):
    """Where a page's fields were found: ``first`` is the file's line of the block's line 0, ``commented``
    the file's lines on which a comment swallowed a value."""

    notes: Notes
    first: int
    commented: set[int]

    def add(self, code: str, at: int, message: str, fix: str) -> None:
        """Note a finding on a 0-based line of the block."""
        self.notes.add(code, self.first + at, message, fix)


def text(name: str, value: Yaml, at: int, reading: Reading, lines: bool = False) -> str:
    """A field that is text, stripped; runs of white space are one blank unless ``lines`` is set."""
    if value is None:
        return ""
    if not isinstance(value, str):
        reading.add("value-type", at, f"`{name}` is not text", "write it as one quoted text")
        return ""
    if not value.isprintable():
        _controls(name, value, at, reading, "\n" if lines else "")
    return value.strip() if lines else " ".join(value.split())


def _controls(name: str, value: str, at: int, reading: Reading, allowed: str) -> None:
    char = control(value, allowed) or ("\n" if DRIVE.search(value) else "")
    if char:
        reading.add(
            "value-control",
            at,
            f"`{name}` holds the control character U+{ord(char):04X}: {quoted(value)}",
            "use single quotes for backslashes, or delete the character",
        )
    _bidi(name, value, at, reading)


def _bidi(name: str, value: str, at: int, reading: Reading) -> None:
    for char in value:
        if char in BIDI and char not in "\u200e\u200f\u061c":
            reading.add(
                "bidi-character",
                at,
                f"`{name}` holds the bidirectional control U+{ord(char):04X}: {quoted(value)}",
                "delete it",
            )
            return


def keywords(name: str, value: Yaml, at: int, reading: Reading) -> tuple[str, ...]:
    """The keywords of ``recall`` or ``exclude``: cleaned, without repeats, as first spelled.

    A text is split at commas only, so that ``git add`` stays one keyword. Every item is text: NFKC,
    format characters dropped, odd spaces made plain, one leading ``#`` of a hashtag dropped.
    """
    found: dict[str, str] = {}
    if isinstance(value, Sequence):
        for item, where in zip(value, value.lines):
            if (
                item.__class__ is str
                and item.isprintable()
                and item.isascii()
                and item[:1] not in ODD
                and item[-1:] != " "
                and '"' not in item
                and "  " not in item
            ):
                found.setdefault(item.lower(), item)  # As nearly all keywords are; the rest is for the others.
                continue
            for raw, line in _texts(name, item, where, reading):
                keyword = _clean(name, raw, line, reading)
                if keyword:
                    found.setdefault(keyword.casefold(), keyword)
    elif isinstance(value, str):
        for raw in _from_text(name, value, at, reading):
            keyword = _clean(name, raw, at, reading)
            if keyword:
                found.setdefault(keyword.casefold(), keyword)
    elif value is None:
        if reading.first + at not in reading.commented:
            reading.add("keyword-empty", at, f"`{name}` is empty", "write `[]`, or keywords")
    else:
        reading.add("recall-not-list", at, f"`{name}` is a mapping", f"write a list: {name}: [word, phrase]")
    return tuple(found.values())


def _texts(name: str, item: Yaml, where: int, reading: Reading) -> list[tuple[str, int]]:
    """[(text, line)] of one item of any kind."""
    if isinstance(item, str):
        return [(item, where)]
    if item is None:
        if reading.first + where not in reading.commented:
            reading.add("keyword-empty", where, f"`{name}` holds an empty item", EMPTY_FIX)
        return []
    if isinstance(item, Mapping):
        words = [f"{key}: {value}" if isinstance(value, str) else key for key, value in item.items()]
        reading.add(
            "keyword-mapping", where, f"`{name}` holds a mapping: {quoted(', '.join(words))}", "quote the keyword"
        )
        return [(word, where) for word in words]
    reading.add("keyword-nested", where, f"`{name}` holds a list inside the list", "use one list")
    return [text for inner, line in zip(item, item.lines) for text in _texts(name, inner, line, reading)]


def _from_text(name: str, value: str, at: int, reading: Reading) -> list[str]:
    parts = [part for part in value.split(",") if part.strip()]
    if not parts:
        reading.add("keyword-empty", at, f"`{name}` is empty", "write `[]`, or keywords")
    elif len(parts) > 1 or " " in parts[0].strip():
        several = "split at commas" if len(parts) > 1 else "read as one keyword"
        reading.add(
            "recall-is-text",
            at,
            f"`{name}` is one text, {several}: {quoted(value)}",
            f"write a list: {name}: [word, two words]",
        )
    return parts


def _clean(name: str, raw: str, at: int, reading: Reading) -> str:
    if not (raw.isascii() and raw.isprintable()):
        _controls(name, raw, at, reading, "")
        raw = visible_form(raw)
    keyword = " ".join(raw.split())
    if keyword.startswith("#") and keyword[1:2].isalnum():
        keyword = keyword[1:]
    if not keyword:
        reading.add("keyword-empty", at, f"`{name}` holds an empty item", EMPTY_FIX)
    elif '"' in keyword and keyword.count('"') % 2:
        reading.add(
            "keyword-quote",
            at,
            f"`{name}` holds an odd number of double quotes: {quoted(keyword)}",
            "quote the whole keyword with single quotes",
        )
    return keyword


def links(name: str, value: Yaml, at: int, reading: Reading) -> tuple[str, ...]:
    """The links of ``contradicts``, ``supersedes`` or ``superseded_by``, as written."""
    if isinstance(value, str):
        items: list[Yaml] = [*value.split(",")]
        lines = [at] * len(items)
    elif isinstance(value, Sequence):
        items, lines = value, value.lines
    else:
        if value is not None:
            reading.add("value-type", at, f"`{name}` is not a list of pages", f"write a list: {name}: [page.md]")
        return ()
    return tuple(dict.fromkeys(link for item, line in zip(items, lines) for link in _links(name, item, line, reading)))


def _links(name: str, item: Yaml, at: int, reading: Reading) -> list[str]:
    """The links in one item of any kind."""
    if isinstance(item, str):
        return [item.strip()] if item.strip() else []
    if isinstance(item, Sequence):
        inner = [part for one in item for part in (one if isinstance(one, Sequence) else [one])]
        names = [part.strip() for part in inner if isinstance(part, str) and part.strip()]
        reading.add(
            "wikilink-unquoted",
            at,
            f"`{name}` holds an unquoted [[link]]: {quoted(', '.join(names))}",
            'quote it: "[[' + quoted(names[0] if names else "page") + ']]"',
        )
        return names
    if item is not None:
        reading.add("value-type", at, f"`{name}` holds a mapping", f"write a list: {name}: [page.md]")
    return []


def date(name: str, value: Yaml, at: int, reading: Reading) -> str | None:
    """``YYYY-MM-DD`` of a date field, or None. A moment with an offset is its day in UTC."""
    if value is None:
        return None
    found = day(value) if isinstance(value, str) else None
    if found is None:
        shown = quoted(value) if isinstance(value, str) else "a list or a mapping"
        reading.add("date-invalid", at, f"`{name}` is no date: {shown}", "write YYYY-MM-DD")
    return found


def day(value: str) -> str | None:
    """The day in ``value`` as ``YYYY-MM-DD``, or None when there is no such day."""
    if len(value) == 10 and value[4] == value[7] == "-":
        try:
            return Day.fromisoformat(value).isoformat()
        except ValueError:
            return None
    found = MOMENT.fullmatch(value.strip())
    if found is None:
        return None
    year, month, number, hour, minute, second, _, sign, hours, minutes = found.groups()
    try:
        moment = datetime(int(year), int(month), int(number), int(hour or 0), int(minute or 0), int(second or 0))
        if sign:
            offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
            moment = moment - offset if sign == "+" else moment + offset
    except (ValueError, OverflowError):
        return None
    return moment.date().isoformat()
