"""Edits of a JSON text that leave every byte they are not about as it is.

An agent's settings file belongs to a person: order, indentation, line ends and odd spacing stay. So the
text is scanned for where each value lies, and only the places that change are rewritten.
"""

import json
import re
from json.decoder import scanstring

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
# Deeper than any settings file; a guard against a text made to exhaust the stack.
_DEEPEST = 100


class Node:
    """A value and where it lies: ``start`` and ``end`` (end exclusive) in the text.

    ``kind``: object, array or leaf. ``items``: for an object {key: Node}, for an array [Node, ...].
    ``value``: of a leaf. ``starts``: where each item begins (an object's at its key).
    """

    __slots__ = ("kind", "start", "end", "items", "value", "starts")

    def __init__(self, kind, start):
        self.kind = kind
        self.start = start
        self.end = start
        self.items = {} if kind == "object" else []
        self.value = None
        self.starts = []

    def get(self, *keys):
        """The Node below, or None when one of the keys is not there."""
        node = self
        for key in keys:
            if node is None or node.kind != "object":
                return None
            node = node.items.get(key)
        return node

    def nodes(self):
        """The items' Nodes in order."""
        return list(self.items.values()) if self.kind == "object" else list(self.items)


def scan(text):
    """The Node of a JSON document. Raises ValueError when it is not JSON or says a key twice."""
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    node = _value(text, start, 0)
    if _skip(text, node.end) != len(text):
        raise ValueError("text after the JSON value")
    return node


def put(text, node, key, value):
    """``text`` with the member ``key`` added to the object ``node`` (or, with key None, an item added
    to the array ``node``), in the style of the text around it."""
    break_line, unit = _style(text)
    depth = _depth(text, node, unit)
    spread = "\n" in text[node.start:node.starts[0]] if node.starts else ("\n" in text or not node.start)
    if spread:
        inner = break_line + _indent(text, node, depth + 1, unit)
        body = _dump(value, unit).replace("\n", inner)
    else:
        inner = " " if not node.starts or re.match(r"\s", text[_comma(text, node):][:1]) else ""
        body = json.dumps(value, ensure_ascii=False)
    member = body if key is None else f"{json.dumps(key, ensure_ascii=False)}: {body}"
    if node.starts:
        at = node.nodes()[-1].end
        return text[:at] + "," + inner + member + text[at:]
    outer = break_line + _indent(text, node, depth, unit) if spread else ""
    if not spread:
        inner = ""
    return text[:node.start + 1] + inner + member + outer + text[node.end - 1:]


def cut(text, node, number):
    """``text`` without the ``number``-th item of ``node`` and the comma that it needed."""
    nodes = node.nodes()
    if len(nodes) == 1:
        return text[:node.start + 1] + text[node.end - 1:]
    if number == len(nodes) - 1:
        return text[:nodes[number - 1].end] + text[nodes[number].end:]
    return text[:node.starts[number]] + text[node.starts[number + 1]:]


def replace(text, node, value):
    """``text`` with another value in the place of ``node``."""
    return text[:node.start] + json.dumps(value, ensure_ascii=False) + text[node.end:]


def _skip(text, at):
    return _SPACE.match(text, at).end()


def _value(text, at, depth):
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    sign = text[at:at + 1]
    if sign == "{":
        return _container(text, at, "object", "}", depth)
    if sign == "[":
        return _container(text, at, "array", "]", depth)
    node = Node("leaf", at)
    node.value, node.end = _DECODER.raw_decode(text, at)
    return node


def _container(text, at, kind, closing, depth):
    node = Node(kind, at)
    at = _skip(text, at + 1)
    while text[at:at + 1] != closing:
        if node.starts:
            if text[at:at + 1] != ",":
                raise ValueError(f"a comma is missing at character {at}")
            at = _skip(text, at + 1)
        node.starts.append(at)
        if kind == "object":
            at = _member(text, at, node, depth)
        else:
            node.items.append(_value(text, at, depth + 1))
            at = node.items[-1].end
        at = _skip(text, at)
    node.end = at + 1
    return node


def _member(text, at, node, depth):
    if text[at:at + 1] != '"':
        raise ValueError(f"a name is missing at character {at}")
    key, at = scanstring(text, at + 1)
    at = _skip(text, at)
    if text[at:at + 1] != ":":
        raise ValueError(f"a colon is missing at character {at}")
    if key in node.items:
        raise ValueError(f"{key!r} is there twice")
    node.items[key] = _value(text, _skip(text, at + 1), depth + 1)
    return node.items[key].end


def _style(text):
    """(line end, indentation unit) of the text."""
    found = re.search(r"\r?\n([ \t]+)\S", text)
    end = re.search(r"\r?\n", text)
    return end.group() if end else "\n", found.group(1) if found else "  "


def _depth(text, node, unit):
    """How deep the closing bracket of ``node`` stands, in units, guessed from its line."""
    begin = text.rfind("\n", 0, node.start) + 1
    white = re.match(r"[ \t]*", text[begin:node.start]).group()
    return len(white) // max(len(unit), 1)


def _indent(text, node, depth, unit):
    """White space in front of an item at ``depth``: that of the first item if there is one."""
    if node.starts:
        begin = text.rfind("\n", 0, node.starts[0]) + 1
        return re.match(r"[ \t]*", text[begin:node.starts[0]]).group()
    return unit * depth


def _comma(text, node):
    """Where the text after the first comma of ``node`` begins, its end when there is none."""
    nodes = node.nodes()
    at = _skip(text, nodes[0].end)
    return at + 1 if len(nodes) > 1 else node.end


def _dump(value, unit):
    return json.dumps(value, ensure_ascii=False, indent=unit)
