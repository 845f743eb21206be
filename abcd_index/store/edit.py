"""Adds keywords to a page's frontmatter and changes nothing else in the file, byte for byte.

YAML is not written by a library: dumping a page's frontmatter sorts keys, drops comments and folds lines. The
text is edited where the list ends, and the outcome is read again: when the page that comes out is not the old
one plus the keywords, nothing is written and the person is told what to add.
"""

import re
from dataclasses import replace

from abcd_index.errors import AbcdError
from abcd_index.store.fences import cut
from abcd_index.store.page import read_page

_PLAIN = re.compile(r"[^\W_][\w.+/-]*(?: [\w.+/-]+)*")
# What YAML readers, ours or others', take for something other than text.
_NOT_TEXT = re.compile(r"(?:null|true|false|yes|no|on|off|y|n|[\d.+_-]+)", re.IGNORECASE)
_KEY = re.compile(r"([ \t]*)([\"']?)recall\2[ \t]*:")
_ITEM = re.compile(r"([ \t]*)-(?:[ \t]|$)")


class CannotAdd(AbcdError):
    """The frontmatter is written in a way that is not edited without touching more."""


def add_keywords(name, data, keywords):
    """The bytes of the page ``name`` (``data``) with ``keywords`` added to ``recall``.

    Raises CannotAdd when that cannot be done without changing anything else.
    """
    before, _ = read_page(name, data)
    added = _edited(data, before, [_quoted(word) for word in keywords]) if before else None
    after = read_page(name, added)[0] if added is not None else None
    if after is None or not _as_wanted(before, after, list(keywords)):
        raise CannotAdd(f"{name}: its frontmatter cannot be edited without touching more than `recall`",
                        f"add by hand: recall: [{', '.join(_quoted(word) for word in keywords)}]")
    return added


def _as_wanted(before, after, keywords):
    if list(after.keywords) != list(before.keywords) + keywords:
        return False
    unmoved = {"keywords": (), "body_line": 0, "lines": {}}
    if before.dialect == "plain":
        unmoved["dialect"] = ""  # With its first frontmatter a page becomes one of the agent dialect.
    return replace(before, **unmoved) == replace(after, **unmoved)


def _edited(data, page, items):
    """The edited bytes, or None. Works on text with LF ends and gives every line its own end back."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", text[len(mark):])
    bare = [line.rstrip("\r\n") for line in lines]
    ends = [line[len(body):] for line, body in zip(lines, bare)]
    end = ends[0] if ends and ends[0] else "\n"
    front = cut("\n".join(bare) + "\n")
    if front is None or not front.closed:
        if page.keywords or front is not None:
            return None
        return (mark + f"---{end}recall: [{', '.join(items)}]{end}---{end}" + text[len(mark):]).encode("utf-8")
    last = front.body_line - 2  # index of the closing fence
    at = page.lines.get("recall")
    if at is None:
        if any(_KEY.match(line) for line in bare[front.block_line - 1:last]):
            return None  # A `recall` that was not read: it needs a person.
        lines.insert(last, f"recall: [{', '.join(items)}]{end}")
    elif not _extend(lines, bare, at - 1, last, items, end):
        return None
    return (mark + "".join(lines)).encode("utf-8")


def _extend(lines, bare, at, last, items, end):
    """Add ``items`` to the list whose key stands on line ``at`` (from 0); False when its form is not known."""
    key = _KEY.match(bare[at])
    if key is None:
        return False
    rest = bare[at][key.end():]
    value = rest.lstrip()
    if value.startswith("["):
        return _extend_flow(lines, bare, at, key.end() + len(rest) - len(value), last, items)
    if value and not value.startswith("#"):
        return _extend_text(lines, bare[at], at, key.end() + len(rest) - len(value), items)
    return _extend_block(lines, bare, at, last, items, end, len(key[1]))


def _extend_flow(lines, bare, at, start, last, items):
    where, empty, comma = _end_of_flow(bare, at, start, last)
    if where is None:
        return False
    row, column = where
    glue = "" if empty else " " if comma else ", "
    lines[row] = lines[row][:column] + glue + ", ".join(items) + lines[row][column:]
    return True


def _end_of_flow(bare, at, start, last):
    """((line, column) right after the last item, whether there is none, whether a comma follows it already)."""
    depth, quote, after, comma = 0, "", None, False
    for row in range(at, last):
        column = start if row == at else 0
        while column < len(bare[row]):
            char = bare[row][column]
            if quote:
                if char == "\\" and quote == '"':
                    column += 1
                elif char == quote:
                    quote = ""
                after, comma = (row, column + 1), False
            elif char == "#" and (column == 0 or bare[row][column - 1] in " \t"):
                break
            elif char == "[":
                depth += 1
                if depth == 1:
                    opened = (row, column + 1)
            elif char == "]":
                depth -= 1
                if depth == 0:
                    return (after or opened), after is None, comma
            elif char == ",":
                after, comma = (row, column + 1), True
            elif char not in " \t":
                if char in "\"'" and (after is None or comma):
                    quote = char
                after, comma = (row, column + 1), False
            column += 1
    return None, False, False


def _extend_text(lines, line, at, start, items):
    """``recall: git, docker`` is one text that is cut at commas."""
    if line[start] in "|>&*!":
        return False
    if line[start] in "\"'":
        closing = line.rfind(line[start])
        if closing <= start or any(item[0] == '"' for item in items):
            return False
        lines[at] = lines[at][:closing] + ", " + ", ".join(items) + lines[at][closing:]
        return True
    comment = re.search(r"[ \t]+#", line[start:])
    column = start + comment.start() if comment else len(line.rstrip())
    lines[at] = lines[at][:column] + ", " + ", ".join(items) + lines[at][column:]
    return True


def _extend_block(lines, bare, at, last, items, end, margin):
    row, indent = None, None
    for number in range(at + 1, last):
        line = bare[number]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        item = _ITEM.match(line)
        depth = len(line) - len(line.lstrip())
        if item and depth >= margin and (indent is None or item[1] == indent):
            row, indent = number, item[1]
        elif indent is not None and depth > len(indent):
            row = number  # The rest of a long item.
        else:
            break
    if row is None:
        key = _KEY.match(bare[at])
        lines[at] = lines[at][:key.end()] + f" [{', '.join(items)}]" + lines[at][key.end():]
        return True
    lines[row + 1:row + 1] = [f"{indent}- {item}{end}" for item in items]
    return True


def _quoted(word):
    if _PLAIN.fullmatch(word) and not _NOT_TEXT.fullmatch(word):
        return word
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
