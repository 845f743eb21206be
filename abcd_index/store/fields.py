"""One frontmatter field -> a clean value, and what to tell its author.

Nothing is guessed from a value's look: keywords are text, a date is a date only in a date field.
"""

import re
from datetime import date as Day
from datetime import datetime, timedelta

from abcd_index.store.loader import Mapping, Sequence
from abcd_index.store.text import BIDI, control, quoted, visible_form

MOMENT = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})"
    r"(?:(?:[Tt]|[ \t]+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?[ \t]*(?:(Z|UTC|GMT)|([+-])(\d{2}):?(\d{2})?)?)?",
    re.IGNORECASE)
DRIVE = re.compile(r"(?:^|\W)[A-Za-z]:[\n\t]")
# What a keyword may start with that needs a closer look; also no character at all.
ODD = ("", " ", "#")
EMPTY_FIX = "delete the empty item, or write the keyword"


class Reading:
    """Where a page's fields were found: ``first`` is the file's line of the block's line 0, ``commented``
    the file's lines on which a comment swallowed a value."""

    __slots__ = ("notes", "first", "commented")

    def __init__(self, notes, first, commented):
        self.notes = notes
        self.first = first
        self.commented = commented

    def add(self, code, at, message, fix):
        """Note a finding on a 0-based line of the block."""
        self.notes.add(code, self.first + at, message, fix)


def text(name, value, at, reading, lines=False):
    """A field that is text, stripped; runs of white space are one blank unless ``lines`` is set."""
    if value is None:
        return ""
    if not isinstance(value, str):
        reading.add("value-type", at, f"`{name}` is not text", "write it as one quoted text")
        return ""
    if not value.isprintable():
        _controls(name, value, at, reading, "\n" if lines else "")
    return value.strip() if lines else " ".join(value.split())


def _controls(name, value, at, reading, allowed):
    char = control(value, allowed) or ("\n" if DRIVE.search(value) else "")
    if char:
        reading.add("value-control", at, f"`{name}` holds the control character U+{ord(char):04X}: {quoted(value)}",
                    "use single quotes for backslashes, or delete the character")
    _bidi(name, value, at, reading)


def _bidi(name, value, at, reading):
    for char in value:
        if char in BIDI and char not in "\u200e\u200f\u061c":
            reading.add("bidi-character", at,
                        f"`{name}` holds the bidirectional control U+{ord(char):04X}: {quoted(value)}", "delete it")
            return


def keywords(name, value, at, reading):
    """The keywords of ``recall`` or ``exclude``: cleaned, without repeats, as first spelled.

    A text is split at commas only, so that ``git add`` stays one keyword. Every item is text: NFKC,
    format characters dropped, odd spaces made plain, one leading ``#`` of a hashtag dropped.
    """
    found = {}
    if value.__class__ is Sequence:
        for item, where in zip(value, value.lines):
            if item.__class__ is str and item.isprintable() and item.isascii() and item[:1] not in ODD \
                    and item[-1:] != " " and '"' not in item and "  " not in item:
                found.setdefault(item.lower(), item)  # As nearly all keywords are; the rest is for the others.
            else:
                _add(name, item, where, reading, found)
    elif isinstance(value, str):
        for item in _from_text(name, value, at, reading):
            _add(name, item, at, reading, found)
    elif value is None:
        if reading.first + at not in reading.commented:
            reading.add("keyword-empty", at, f"`{name}` is empty", "write `[]`, or keywords")
    else:
        reading.add("recall-not-list", at, f"`{name}` is a mapping", f"write a list: {name}: [word, phrase]")
    return tuple(found.values())


def _add(name, item, where, reading, found):
    """Take one item of any kind over into ``found`` ({folded: keyword})."""
    texts = []
    _item(name, item, where, reading, texts)
    for raw, line in texts:
        keyword = _clean(name, raw, line, reading)
        if keyword:
            found.setdefault(keyword.casefold(), keyword)


def _item(name, item, where, reading, found):
    if isinstance(item, str):
        found.append((item, where))
    elif item is None:
        if reading.first + where not in reading.commented:
            reading.add("keyword-empty", where, f"`{name}` holds an empty item", EMPTY_FIX)
    elif isinstance(item, Mapping):
        words = [f"{key}: {value}" if isinstance(value, str) else key for key, value in item.items()]
        reading.add("keyword-mapping", where, f"`{name}` holds a mapping: {quoted(', '.join(words))}",
                    "quote the keyword")
        found += [(word, where) for word in words]
    else:
        reading.add("keyword-nested", where, f"`{name}` holds a list inside the list", "use one list")
        for inner, place in zip(item, item.lines):
            _item(name, inner, place, reading, found)


def _from_text(name, value, at, reading):
    parts = [part for part in value.split(",") if part.strip()]
    if not parts:
        reading.add("keyword-empty", at, f"`{name}` is empty", "write `[]`, or keywords")
    elif len(parts) > 1 or " " in parts[0].strip():
        several = "split at commas" if len(parts) > 1 else "read as one keyword"
        reading.add("recall-is-text", at, f"`{name}` is one text, {several}: {quoted(value)}",
                    f"write a list: {name}: [word, two words]")
    return parts


def _clean(name, raw, at, reading):
    if not (raw.isascii() and raw.isprintable()):
        _controls(name, raw, at, reading, "")
        raw = visible_form(raw)
    keyword = " ".join(raw.split())
    if keyword.startswith("#") and keyword[1:2].isalnum():
        keyword = keyword[1:]
    if not keyword:
        reading.add("keyword-empty", at, f"`{name}` holds an empty item", EMPTY_FIX)
    elif '"' in keyword and keyword.count('"') % 2:
        reading.add("keyword-quote", at, f"`{name}` holds an odd number of double quotes: {quoted(keyword)}",
                    "quote the whole keyword with single quotes")
    return keyword


def links(name, value, at, reading):
    """The links of ``contradicts``, ``supersedes`` or ``superseded_by``, as written."""
    if isinstance(value, str):
        value, places = value.split(","), None
    elif isinstance(value, Sequence):
        places = value.lines
    else:
        if value is not None:
            reading.add("value-type", at, f"`{name}` is not a list of pages", f"write a list: {name}: [page.md]")
        return ()
    found = []
    for number, item in enumerate(value):
        _link(name, item, at if places is None else places[number], reading, found)
    return tuple(dict.fromkeys(found))


def _link(name, item, at, reading, found):
    if isinstance(item, str):
        item = item.strip()
        if item:
            found.append(item)
    elif isinstance(item, Sequence):
        inner = [part for one in item for part in (one if isinstance(one, Sequence) else [one])]
        names = [part.strip() for part in inner if isinstance(part, str) and part.strip()]
        reading.add("wikilink-unquoted", at, f"`{name}` holds an unquoted [[link]]: {quoted(', '.join(names))}",
                    'quote it: "[[' + quoted(names[0] if names else "page") + ']]"')
        found += names
    elif item is not None:
        reading.add("value-type", at, f"`{name}` holds a mapping", f"write a list: {name}: [page.md]")


def date(name, value, at, reading):
    """``YYYY-MM-DD`` of a date field, or None. A moment with an offset is its day in UTC."""
    if value is None:
        return None
    found = day(value) if isinstance(value, str) else None
    if found is None:
        shown = quoted(value) if isinstance(value, str) else "a list or a mapping"
        reading.add("date-invalid", at, f"`{name}` is no date: {shown}", "write YYYY-MM-DD")
    return found


def day(value):
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


def newest(days):
    """The latest of some days (``YYYY-MM-DD`` or None), or None."""
    return max((one for one in days if one), default=None)
