"""JSON with the line of everything in it.

Python's parser accepts NaN and duplicate keys, refuses a trailing comma with "Expecting property name", and
forgets where a value stood. This one says which line, and goes on behind what it can go on behind: the file
it is for is written by hand. Strings are read by the standard library's scanner.
"""

import re
from json.decoder import scanstring

from abcd_index.store.text import quoted

SPACE = re.compile(r"[ \t\n\r]*")
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.+-])")
WORD = re.compile(r"[-+\w.]+")
WORDS = {"true": True, "false": False, "null": None}
MAX_DEPTH = 32


class JsonError(Exception):
    """Not JSON. ``at``: offset in the text; ``fix``: what to do."""

    def __init__(self, message, at, fix):
        super().__init__(message)
        self.message = message
        self.at = at
        self.fix = fix


class Value:
    """A value and the offset it starts at. ``kind``: object, list, text, number, boolean or null.

    ``value``: {key: Value}, [Value], str, the number as written (str), bool or None. ``keys``: {key: offset}
    of an object. ``twice``: [(key, first offset, second offset)].
    """

    __slots__ = ("kind", "value", "at", "keys", "twice")

    def __init__(self, kind, value, at, keys=None, twice=()):
        self.kind = kind
        self.value = value
        self.at = at
        self.keys = keys
        self.twice = twice


def parse(text):
    """The Value of a JSON text. Raises JsonError."""
    value, at = _value(text, _skip(text, 0), 0)
    at = _skip(text, at)
    if at < len(text):
        raise JsonError("text follows the end of the JSON value", at, "delete it")
    return value


def _skip(text, at):
    return SPACE.match(text, at).end()


def _value(text, at, depth):
    if depth > MAX_DEPTH:
        raise JsonError(f"more than {MAX_DEPTH} levels", at, "write it flatter")
    char = text[at:at + 1]
    if char == "{":
        return _object(text, at, depth)
    if char == "[":
        return _list(text, at, depth)
    if char == '"':
        value, end = _string(text, at)
        return Value("text", value, at), end
    number = NUMBER.match(text, at)
    if number:
        return Value("number", number.group(), at), number.end()
    word = WORD.match(text, at)
    if word and word.group() in WORDS:
        value = WORDS[word.group()]
        return Value("null" if value is None else "boolean", value, at), word.end()
    raise _no_value(text, at, char, word)


def _no_value(text, at, char, word):
    if word:
        return JsonError(f"`{quoted(word.group())}` is no JSON value", at, "write text in double quotes")
    if char == "'":
        return JsonError("text in single quotes", at, "use double quotes")
    if text.startswith(("//", "/*", "#"), at):
        return JsonError("a comment; JSON has none", at, "delete it")
    if char in ("]", "}", ","):
        return JsonError(f"a value is missing before `{char}`", at, "write it, or delete the comma")
    return JsonError(f"`{quoted(char) or char!r}` is no JSON value" if char else "the file ends in the middle", at,
                     "write text in double quotes" if char else "write the rest")


def _string(text, at):
    try:
        return scanstring(text, at + 1, True)
    except ValueError as error:
        where = min(getattr(error, "pos", at), len(text))
        message = str(getattr(error, "msg", error)).lower()
        fix = "close the quote" if "unterminated" in message else (
            "write \\n for a line break, and \\\\ for a backslash")
        raise JsonError(message.rstrip(" at"), where, fix) from None


def _object(text, at, depth):
    value, keys, twice = {}, {}, []
    start, at = at, _skip(text, at + 1)
    if text[at:at + 1] == "}":
        return Value("object", value, start, keys), at + 1
    while True:
        if text[at:at + 1] != '"':
            raise _no_key(text, at)
        key_at = at
        key, at = _string(text, at)
        at = _skip(text, at)
        if text[at:at + 1] != ":":
            raise JsonError(f"no `:` after the key `{quoted(key)}`", at, "write it")
        one, at = _value(text, _skip(text, at + 1), depth + 1)
        if key in value:
            twice.append((key, keys[key], key_at))
        value[key], keys[key] = one, key_at
        at, more = _next(text, at, "}", depth)
        if not more:
            return Value("object", value, start, keys, twice), at


def _no_key(text, at):
    char = text[at:at + 1]
    if char == "}":
        return JsonError("a trailing comma before `}`", at, "delete the comma")
    if text.startswith(("//", "/*", "#"), at):
        return JsonError("a comment; JSON has none", at, "delete it")
    return JsonError("a key without double quotes" if char else "the file ends in the middle", at,
                     "put keys in double quotes" if char else "write the rest")


def _list(text, at, depth):
    value = []
    start, at = at, _skip(text, at + 1)
    if text[at:at + 1] == "]":
        return Value("list", value, start), at + 1
    while True:
        if value and text[at:at + 1] == "]":
            raise JsonError("a trailing comma before `]`", at, "delete the comma")
        one, at = _value(text, at, depth + 1)
        value.append(one)
        at, more = _next(text, at, "]", depth)
        if not more:
            return Value("list", value, start), at


def _next(text, at, closing, depth):
    """(offset, whether another item follows) after an item."""
    at = _skip(text, at)
    char = text[at:at + 1]
    if char == closing:
        return at + 1, False
    if char != ",":
        what = "the file ends in the middle" if not char else f"`,` or `{closing}` expected"
        raise JsonError(what, at, "write the rest" if not char else "a comma is missing between two items")
    return _skip(text, at + 1), True
