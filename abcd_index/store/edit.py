"""Adds keywords to a page's frontmatter and changes nothing else in the file, byte for byte.

YAML is not written by a library: dumping a page's frontmatter sorts keys, drops comments and folds lines. The
text is edited where the list ends, and the outcome is read again: when the page that comes out is not the old
one plus the keywords, nothing is written and the person is told what to add.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from abcd_index.errors import AbcdError
from abcd_index.store.frontmatter import Fenced, cut
from abcd_index.store.loader import PlainLoader, with_lf_only
from abcd_index.store.page import read_page
from abcd_index.store.records import Page

_PLAIN = re.compile(r"[^\W_][\w.+/-]*(?: [\w.+/-]+)*")
# What YAML readers, ours or others', take for something other than text.
_NOT_TEXT = re.compile(r"(?:null|true|false|yes|no|on|off|y|n|[\d.+_-]+)", re.IGNORECASE)
_KEY = re.compile(r"[ \t]*([\"']?)recall\1[ \t]*:")
# Between the last item of a list in brackets and its end: white space, comments, and the comma if there is one.
_COMMA = re.compile(r"(?:\s|(?<=\s)#[^\n]*)*,")


class CannotAdd(AbcdError):
    """The frontmatter is written in a way that is not edited without touching more."""


def add_keywords(name: str, data: bytes, keywords: Sequence[str]) -> bytes:
    """The bytes of the page ``name`` (``data``) with those of ``keywords`` added to ``recall`` that it has not yet.

    Raises CannotAdd when that cannot be done without changing anything else.
    """
    before, _ = read_page(name, data)
    keywords = _new(before.keywords if before else (), keywords)
    if before is not None and not keywords:
        return data
    items = [_quoted(word) for word in keywords]
    added = _edited(data, before, items) if before else None
    after = read_page(name, added)[0] if added is not None else None
    if before is None or added is None or after is None or not _as_wanted(before, after, keywords):
        raise CannotAdd(
            f"{name}: its frontmatter cannot be edited without touching more than `recall`",
            f"add by hand: recall: [{', '.join(items)}]",
        )
    return added


def _new(known: Sequence[str], keywords: Sequence[str]) -> list[str]:
    """The keywords that are not there yet, in any case of letters, each once."""
    new = {word.casefold(): word for word in reversed(keywords)}
    held = {word.casefold() for word in known}
    return [word for key, word in reversed(new.items()) if key not in held]


def _as_wanted(before: Page, after: Page, keywords: list[str]) -> bool:
    if list(after.keywords) != list(before.keywords) + keywords:
        return False
    return after == replace(before, keywords=after.keywords, body_line=after.body_line, lines=after.lines)


def _edited(data: bytes, page: Page, items: list[str]) -> bytes | None:
    """The edited bytes, or None. Works on text with LF ends and gives every line its own end back."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", text[len(mark) :])
    contents = [line.rstrip("\r\n") for line in lines]
    end = (lines[0][len(contents[0]) :] if lines else "") or "\n"
    front = cut("\n".join(contents) + "\n")
    if front is None or not front.closed:
        if page.keywords or front is not None:
            return None
        return (mark + f"---{end}recall: [{', '.join(items)}]{end}---{end}" + text[len(mark) :]).encode("utf-8")
    last = front.body_line - 2  # index of the closing fence
    at = page.lines.get("recall")
    if at is None:
        if any(_KEY.match(line) for line in contents[front.block_line - 1 : last]):
            return None  # A `recall` that was not read: it needs a person.
        lines.insert(last, f"recall: [{', '.join(items)}]{end}")
    elif not _Edit(lines, front, items, end).extend(at - front.block_line):
        return None
    return (mark + "".join(lines)).encode("utf-8")


class _Edit:
    """Adds ``items`` to the value of ``recall`` in the ``lines`` of a page, where YAML says that it ends."""

    def __init__(self, lines: list[str], front: Fenced, items: list[str], end: str) -> None:
        self.lines = lines
        self.block = with_lf_only(front.block)
        self.first = front.block_line - 1
        self.items = items
        self.end = end

    def extend(self, at: int) -> bool:
        """``at``: the line of the key in the block, from 0. False when its form is not known."""
        try:
            top = yaml.compose(self.block, Loader=PlainLoader)
        except (yaml.YAMLError, ValueError, RecursionError):
            return False
        node = _value_on(top, at)
        if isinstance(node, SequenceNode):
            return self._in_brackets(node) if node.flow_style else self._in_lines(node)
        return isinstance(node, ScalarNode) and self._in_text(node, at)

    def _insert(self, at: int, text: str) -> bool:
        """Put ``text`` into its line at an offset in the block."""
        row = self.first + self.block.count("\n", 0, at)
        column = at - self.block.rfind("\n", 0, at) - 1
        self.lines[row] = self.lines[row][:column] + text + self.lines[row][column:]
        return True

    def _in_brackets(self, node: SequenceNode) -> bool:
        if not node.value:
            return self._insert(node.start_mark.index + 1, ", ".join(self.items))
        last = node.value[-1].end_mark.index
        comma = _COMMA.match(self.block, last)
        return self._insert(comma.end() if comma else last, (" " if comma else ", ") + ", ".join(self.items))

    def _in_lines(self, node: SequenceNode) -> bool:
        mark = node.value[-1].end_mark
        row = self.first + (mark.line if mark.column else mark.line - 1)
        indent = " " * node.start_mark.column
        self.lines[row + 1 : row + 1] = [f"{indent}- {item}{self.end}" for item in self.items]
        return True

    def _in_text(self, node: ScalarNode, at: int) -> bool:
        """``recall: git, docker`` is one text that is cut at commas; ``recall:`` is an empty one."""
        if not node.style and not node.value:
            key = _KEY.match(self.lines[self.first + at])
            start = sum(len(line) + 1 for line in self.block.split("\n")[:at])
            return key is not None and self._insert(start + key.end(), f" [{', '.join(self.items)}]")
        if node.style in ("|", ">") or node.style and any(item[0] == '"' for item in self.items):
            return False
        return self._insert(node.end_mark.index - bool(node.style), ", " + ", ".join(self.items))


def _value_on(node: Node | None, line: int) -> Node | None:
    """The value of the key ``recall`` that stands on a line of the block, at the top or inside another field."""
    for key, value in node.value if isinstance(node, MappingNode) else ():
        if key.value == "recall" and key.start_mark.line == line:
            return value if isinstance(value, Node) else None
        found = _value_on(value, line)
        if found is not None:
            return found
    return None


def _quoted(word: str) -> str:
    if _PLAIN.fullmatch(word) and not _NOT_TEXT.fullmatch(word):
        return word
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
