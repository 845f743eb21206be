"""What can still be read of a frontmatter that is no YAML.

One unquoted colon in a description must not silence a page whose keywords are in order. When the block as
a whole fails (the error finding stays), the fields that matter are read one by one:

* the block is cut into fields at every `key:` that stands at the margin; what follows belongs to it
* a field that is YAML on its own counts as it is
* else `name`, `title`, `description`, `type` and dates are the text after the colon as written, with
  following lines joined
* else `recall`, `exclude` and the links are split at commas outside of brackets, or by their dashes, and
  every item is the text as written; when brackets do not pair up, nothing is read
* `metadata:` and `source:` are read the same way, one level deep

Nothing else is guessed.
"""

import re

import yaml

from abcd_index.store.advice import CONTROL
from abcd_index.store.loader import Mapping, Refused, Sequence, load

TEXTS = frozenset(("name", "title", "description", "summary", "type", "class", "updated", "modified", "date",
                   "ingested_at"))
LISTS = frozenset(("recall", "exclude", "contradicts", "supersedes", "superseded_by"))
NESTS = frozenset(("metadata", "source"))
MARGIN = re.compile(r"^([A-Za-z_][\w-]*)[ \t]*:(?=\s|$)(.*)$", re.MULTILINE)
DASH = re.compile(r"^[^\S\n]*-[^\S\n]+(.*)$", re.MULTILINE)
CONFLICT = re.compile(r"^(?:<<<<<<< .*|\|\|\|\|\|\|\| .*|=======|>>>>>>> .*)$", re.MULTILINE)
MAX_FIELD = 16 * 1024


def salvage(block, nested=False):
    """The Mapping of the fields that can be read; lines are those of ``block``. Never raises."""
    found = Mapping.empty()
    block = CONFLICT.sub("", CONTROL.sub("", block))
    marks = list(MARGIN.finditer(block))
    for number, mark in enumerate(marks):
        key = mark.group(1)
        if key not in TEXTS and key not in LISTS and (nested or key not in NESTS):
            continue
        end = marks[number + 1].start() if number + 1 < len(marks) else len(block)
        value = _field(key, block[mark.start():end][:MAX_FIELD], mark)
        if value is None:
            continue
        if key in found and key in LISTS and isinstance(found[key], Sequence) and isinstance(value, Sequence):
            value = Sequence(found[key] + value)
        line = block.count("\n", 0, mark.start())
        if isinstance(value, Sequence):
            value.lines = [line] * len(value)
        elif isinstance(value, Mapping):
            value.lines = dict.fromkeys(value, line)
        found[key] = value
        found.lines[key] = line
    return found


def _field(key, text, mark):
    try:
        value = load(text).value
        if isinstance(value, Mapping) and key in value:
            return value[key]
    except (yaml.YAMLError, Refused, ValueError, RecursionError):
        pass
    rest = text[mark.start(2) - mark.start():]
    if key in NESTS:
        return salvage(_dedented(rest), True)
    return _list(rest) if key in LISTS else _text(rest)


def _dedented(text):
    """The lines below a key at the margin; what is indented more keeps one blank, so that it is no field."""
    lines = text.split("\n")[1:]
    first = next((line for line in lines if line.strip()), "")
    indent = len(first) - len(first.lstrip())
    return "\n".join((" " if line[:indent + 1].isspace() else "") + line.strip() for line in lines)


def _text(rest):
    lines = [line.strip() for line in rest.split("\n")]
    if lines[0] in ("|", ">", "|-", ">-"):
        lines[0] = ""
    return _unquoted(" ".join(line for line in lines if line)) or None


def _list(rest):
    value = rest.strip()
    if value.startswith("["):
        items = _split(value)
    elif value.startswith("-"):
        items = [_unquoted(item) for item in DASH.findall(rest)]
    elif any(char in value for char in "[]{}\n"):
        return None
    else:
        return _unquoted(value) or None
    return None if items is None else Sequence(item for item in items if item)


def _split(value):
    """The items of ``[a, b]``, or None when its brackets do not pair up on their own."""
    value = " ".join(line.strip() for line in value.split("\n")).strip()
    if not value.endswith("]"):
        return None
    items, depth, start = [], 0, 1
    for at, char in enumerate(value):
        if char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
            if depth == 0 and at != len(value) - 1:
                return None
        elif char == "," and depth == 1:
            items.append(value[start:at])
            start = at + 1
    if depth:
        return None
    items.append(value[start:-1])
    return [_unquoted(item.strip()) for item in items]


def _unquoted(text):
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text
