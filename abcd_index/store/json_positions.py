"""JSON with the place of everything in it: the one reader of the JSON files that people write.

Python's parser accepts NaN and duplicate keys, refuses a trailing comma with "Expecting property name", and
forgets where a value stood. This one says where, notes a key that is given twice, and keeps where each value begins
and ends, for an edit that leaves the rest as it is. Strings are read by the standard library's scanner.

The verifier has a parser of its own for the artefact's lines (``verify/json_parser.py``): it is the reference reading
of the format and shares no code with what it checks.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from json import decoder
from typing import NamedTuple

from abcd_index.store.text import quoted

SPACE = re.compile(r"[ \t\n\r]*")
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.+-])")
WORD = re.compile(r"[-+\w.]+")
WORDS = {"true": True, "false": False, "null": None}
# Deeper than any of these files; a guard against a text that is made to exhaust the stack.
MAX_DEPTH = 32


class JsonError(Exception):
    """Not JSON. ``at``: offset in the text; ``fix``: what to do."""

    def __init__(self, message: str, at: int, fix: str) -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.fix = fix


class Twice(NamedTuple):
    """A key that an object holds twice, and where."""

    key: str
    first: int
    second: int


@dataclass
class Value:
    """A value and where it lies in the text: from ``start`` up to ``end``.

    ``kind``: object, list, text, number, boolean or null. ``scalar``: the str of a text, a number as written (str), a
    bool; None otherwise. ``items``: the values of a list. ``members``: those of an object by their keys, ``keys``: the
    offset of each key; of a key that is there ``twice`` the later value counts.
    """

    kind: str
    start: int
    end: int = 0
    scalar: str | bool | None = None
    items: list[Value] = field(default_factory=list)
    members: dict[str, Value] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    twice: list[Twice] = field(default_factory=list)

    def get(self, *keys: str) -> Value | None:
        """The value below, or None when one of the keys is not there."""
        value: Value | None = self
        for key in keys:
            value = value.members.get(key) if value is not None else None
        return value

    @property
    def text(self) -> str | None:
        """The str of a text, None of anything else."""
        return self.scalar if self.kind == "text" and isinstance(self.scalar, str) else None


def parse(text: str) -> Value:
    """The Value of a JSON text; a byte order mark before it is passed over. Raises JsonError."""
    value = _value(text, _skip(text, 1 if text.startswith("\ufeff") else 0), 0)
    end = _skip(text, value.end)
    if end < len(text):
        raise JsonError("text follows the end of the JSON value", end, "delete it")
    return value


class Lines:
    """Tells the 1-based line of an offset in a text."""

    def __init__(self, text: str) -> None:
        self._ends = [found.start() for found in re.finditer("\n", text)]

    def of(self, at: int) -> int:
        return bisect_left(self._ends, at) + 1


def _skip(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> Value:
    if depth > MAX_DEPTH:
        raise JsonError(f"more than {MAX_DEPTH} levels", at, "write it flatter")
    char = text[at : at + 1]
    if char == "{":
        return _object(text, at, depth)
    if char == "[":
        return _list(text, at, depth)
    if char == '"':
        string, end = _string(text, at)
        return Value("text", at, end, string)
    number = NUMBER.match(text, at)
    if number:
        return Value("number", at, number.end(), number.group())
    word = WORD.match(text, at)
    if word and word.group() in WORDS:
        constant = WORDS[word.group()]
        return Value("null" if constant is None else "boolean", at, word.end(), constant)
    raise _no_value(text, at, word.group() if word else "")


def _no_value(text: str, at: int, word: str) -> JsonError:
    char = text[at : at + 1]
    if word:
        return JsonError(f"`{quoted(word)}` is no JSON value", at, "write text in double quotes")
    if not char:
        return _ends(at)
    if char == "'":
        return JsonError("text in single quotes", at, "use double quotes")
    if text.startswith(("//", "/*", "#"), at):
        return JsonError("a comment; JSON has none", at, "delete it")
    if char in ("]", "}", ","):
        return JsonError(f"a value is missing before `{char}`", at, "write it, or delete the comma")
    return JsonError(f"`{quoted(char) or repr(char)}` is no JSON value", at, "write text in double quotes")


def _ends(at: int) -> JsonError:
    return JsonError("the file ends in the middle", at, "write the rest")


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        string, end = decoder.scanstring(text, at + 1, True)  # type: ignore[attr-defined]  # typeshed leaves it out
    except ValueError as error:
        where = min(getattr(error, "pos", at), len(text))
        message = str(getattr(error, "msg", error)).lower()
        fix = (
            "close the quote" if "unterminated" in message else ("write \\n for a line break, and \\\\ for a backslash")
        )
        raise JsonError(message.rstrip(" at"), where, fix) from None
    return string, end


def _object(text: str, start: int, depth: int) -> Value:
    value = Value("object", start)
    at = _skip(text, start + 1)
    while not (text[at : at + 1] == "}" and not value.keys):
        if text[at : at + 1] != '"':
            raise _no_key(text, at)
        key_at = at
        key, at = _string(text, at)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise JsonError(f"no `:` after the key `{quoted(key)}`", at, "write it")
        if key in value.keys:
            value.twice.append(Twice(key, value.keys[key], key_at))
        value.keys[key] = key_at
        member = value.members[key] = _value(text, _skip(text, at + 1), depth + 1)
        at = _skip(text, member.end)
        if text[at : at + 1] == "}":
            break
        at = _next(text, at, "}")
    value.end = at + 1
    return value


def _no_key(text: str, at: int) -> JsonError:
    char = text[at : at + 1]
    if not char:
        return _ends(at)
    if char == "}":
        return JsonError("a trailing comma before `}`", at, "delete the comma")
    if text.startswith(("//", "/*", "#"), at):
        return JsonError("a comment; JSON has none", at, "delete it")
    return JsonError("a key without double quotes", at, "put keys in double quotes")


def _list(text: str, start: int, depth: int) -> Value:
    value = Value("list", start)
    at = _skip(text, start + 1)
    while text[at : at + 1] != "]":
        value.items.append(_value(text, at, depth + 1))
        at = _skip(text, value.items[-1].end)
        if text[at : at + 1] == "]":
            break
        at = _next(text, at, "]")
        if text[at : at + 1] == "]":
            raise JsonError("a trailing comma before `]`", at, "delete the comma")
    value.end = at + 1
    return value


def _next(text: str, at: int, closing: str) -> int:
    """Where the next item begins, behind the comma at ``at``."""
    if text[at : at + 1] == ",":
        return _skip(text, at + 1)
    if at == len(text):
        raise _ends(at)
    raise JsonError(f"`,` or `{closing}` expected", at, "a comma is missing between two items")
