"""Edits of a JSON text that leave every byte they are not about as it is.

An agent's settings file belongs to a person: order, indentation, line ends and odd spacing stay. So the
text is scanned for where each value lies, and only the places that change are rewritten.
"""

from __future__ import annotations

import json
import re

from abcd_index.store.json_positions import JsonError, Lines, Value, parse

_SPACE = re.compile(r"[ \t\n\r]*")


def scan(text: str) -> Value:
    """The Value of a JSON document. Raises ValueError when it is not JSON or says a key twice."""
    try:
        value = parse(text)
    except JsonError as error:
        raise ValueError(f"line {Lines(text).of(error.at)}: {error.message}") from None
    _once(text, value)
    return value


def _once(text: str, value: Value) -> None:
    for key, _, second in value.twice:
        raise ValueError(f"line {Lines(text).of(second)}: {key!r} is there twice")
    for inner in (*value.items, *value.members.values()):
        _once(text, inner)


def _starts(node: Value) -> list[int]:
    """Where each item begins, an object's at its key."""
    return list(node.keys.values()) or [item.start for item in node.items]


def _nodes(node: Value) -> list[Value]:
    return list(node.members.values()) or node.items


def put(text: str, node: Value, key: str | None, value: object) -> str:
    """``text`` with the member ``key`` added to the object ``node`` (or, with key None, an item added
    to the array ``node``), in the style of the text around it."""
    break_line, unit = _style(text)
    starts = _starts(node)
    depth = _depth(text, node, unit)
    spread = "\n" in text[node.start : starts[0]] if starts else ("\n" in text or not node.start)
    if spread:
        inner = break_line + _indent(text, node, depth + 1, unit)
        body = _dump(value, unit).replace("\n", inner)
    else:
        inner = " " if not starts or re.match(r"\s", text[_comma(text, node) :][:1]) else ""
        body = json.dumps(value, ensure_ascii=False)
    member = body if key is None else f"{json.dumps(key, ensure_ascii=False)}: {body}"
    if starts:
        at = _nodes(node)[-1].end
        return text[:at] + "," + inner + member + text[at:]
    outer = break_line + _indent(text, node, depth, unit) if spread else ""
    if not spread:
        inner = ""
    return text[: node.start + 1] + inner + member + outer + text[node.end - 1 :]


def cut(text: str, node: Value, number: int) -> str:
    """``text`` without the ``number``-th item of ``node`` and the comma that it needed."""
    nodes = _nodes(node)
    if len(nodes) == 1:
        return text[: node.start + 1] + text[node.end - 1 :]
    if number == len(nodes) - 1:
        return text[: nodes[number - 1].end] + text[nodes[number].end :]
    starts = _starts(node)
    return text[: starts[number]] + text[starts[number + 1] :]


def replace(text: str, node: Value, value: object) -> str:
    """``text`` with another value in the place of ``node``."""
    return text[: node.start] + json.dumps(value, ensure_ascii=False) + text[node.end :]


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _style(text: str) -> tuple[str, str]:
    """(line end, indentation unit) of the text."""
    found = re.search(r"\r?\n([ \t]+)\S", text)
    end = re.search(r"\r?\n", text)
    return end.group() if end else "\n", found.group(1) if found else "  "


def _depth(text: str, node: Value, unit: str) -> int:
    """How deep the closing bracket of ``node`` stands, in units, guessed from its line."""
    begin = text.rfind("\n", 0, node.start) + 1
    return len(_white(text[begin : node.start])) // max(len(unit), 1)


def _indent(text: str, node: Value, depth: int, unit: str) -> str:
    """White space in front of an item at ``depth``: that of the first item if there is one."""
    starts = _starts(node)
    if starts:
        begin = text.rfind("\n", 0, starts[0]) + 1
        return _white(text[begin : starts[0]])
    return unit * depth


def _white(text: str) -> str:
    """The blanks and tabs that ``text`` begins with."""
    return text[: len(text) - len(text.lstrip(" \t"))]


def _comma(text: str, node: Value) -> int:
    """Where the text after the first comma of ``node`` begins, its end when there is none."""
    nodes = _nodes(node)
    at = _skip(text, nodes[0].end)
    return at + 1 if len(nodes) > 1 else node.end


def _dump(value: object, unit: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=unit)
