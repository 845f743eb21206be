"""Edits of a JSON text that leave every byte they are not about as it is.

An agent's settings file belongs to a person: order, comments, indentation, line ends and odd spacing stay. So the
text is scanned for where each value lies, and only the places that change are rewritten.
"""

from __future__ import annotations

import json
import re

from abcd_index.store.json_positions import JsonError, Lines, Value, parse

_SPACE = re.compile(r"[ \t\n\r]*")
_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n\r]*|/\*.*?\*/', re.DOTALL)


def scan(text: str, comments: bool = False) -> Value:
    """The Value of a JSON document; ``comments``: it may hold some. Raises ValueError when it is not JSON or says a key
    twice."""
    plain = without_comments(text) if comments else text
    try:
        value = parse(plain)
    except JsonError as error:
        raise ValueError(f"line {Lines(plain).of(error.at)}: {error.message}") from None
    _once(plain, value)
    return value


def without_comments(text: str) -> str:
    """``text`` with blanks in the place of each comment, so that everything else stays where it is."""
    return _COMMENT.sub(_blank, text)


def is_commented(text: str, node: Value) -> bool:
    """Whether anything is said beside the only item of ``node``."""
    (start,), (item,) = _starts(node), nodes_of(node)
    beside = slice(node.start + 1, start), slice(item.end, node.end - 1)
    return any(text[part].strip() for part in beside)


def _blank(found: re.Match[str]) -> str:
    said = found.group()
    return said if said[0] == '"' else re.sub(r"[^\r\n]", " ", said)


def _once(text: str, value: Value) -> None:
    for key, _, second in value.twice:
        raise ValueError(f"line {Lines(text).of(second)}: {key!r} is there twice")
    for inner in (*value.items, *value.members.values()):
        _once(text, inner)


def _starts(node: Value) -> list[int]:
    """Where each item begins, an object's at its key."""
    return list(node.keys.values()) or [item.start for item in node.items]


def nodes_of(node: Value) -> list[Value]:
    """The values of an object or a list, in order."""
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
        at = nodes_of(node)[-1].end
        # What is said of the last item in its own line stays there.
        after = _said_of(text, at) if spread else at
        return text[:at] + "," + text[at:after] + inner + member + text[after:]
    outer = break_line + _indent(text, node, depth, unit) if spread else ""
    if not spread:
        inner = ""
    said = text[node.start + 1 : node.end - 1].rstrip()
    return text[: node.start + 1] + (said if said.strip() else "") + inner + member + outer + text[node.end - 1 :]


def _said_of(text: str, at: int) -> int:
    """Where the comment ends that is all that follows ``at`` in its line; ``at`` where there is none."""
    line = re.compile(r"[^\r\n]*")
    said, plain = line.match(text, at), line.match(without_comments(text), at)
    return said.end() if said and plain and said.group().strip() and not plain.group().strip() else at


def cut(text: str, node: Value, number: int) -> str:
    """``text`` without the ``number``-th item of ``node`` and the comma that it needed. Comments between it and others
    stay."""
    nodes, starts, plain = nodes_of(node), _starts(node), without_comments(text)
    start, end = starts[number], nodes[number].end
    if len(nodes) == 1:
        before, after = text[node.start + 1 : start], text[end : node.end - 1]
        kept = before.rstrip() + after if (before + after).strip() else ""
        return text[: node.start + 1] + kept + text[node.end - 1 :]
    if number == len(nodes) - 1:
        last = nodes[number - 1].end
        comma = plain.index(",", last)
        return text[:last] + text[last:comma] + text[comma + 1 : start].rstrip() + text[end:]
    comma, following = plain.index(",", end), starts[number + 1]
    return text[:start] + (text[end:comma] + text[comma + 1 : following]).lstrip() + text[following:]


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
    nodes = nodes_of(node)
    at = _skip(text, nodes[0].end)
    return at + 1 if len(nodes) > 1 else node.end


def _dump(value: object, unit: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=unit)
