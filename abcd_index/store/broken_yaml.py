"""Frontmatter that is no YAML: what the error means to the person who wrote it, and what can still be read.

PyYAML reports where its scanner gave up, in its own words and often a line late ("did not find expected
node content"). What went wrong is one of a dozen habits, and the text around the place tells which (``explain``).

One unquoted colon in a description must not silence a page whose keywords are in order. When the block as
a whole fails (the error finding stays), the fields that matter are read one by one (``salvage``):

* the block is cut into fields at every `key:` that stands at the margin; what follows belongs to it
* a field that is YAML on its own counts as it is
* else `name`, `title`, `description`, `type` and dates are the text after the colon as written, with
  following lines joined
* else `recall`, `exclude` and the links are split at commas outside of brackets, or by their dashes, and
  every item is the text as written; when brackets do not pair up, nothing is read
* `metadata:` and `source:` are read the same way, one level deep

Nothing else is guessed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import yaml

from abcd_index.store.loader import Mapping, Refused, Sequence, Yaml, load
from abcd_index.store.text import quoted

KEY = re.compile(r"[ \t]*(?:- +)?([^\s#:\[\]{},\"'](?:[^:\n]|:(?!\s|$))*):(?:\s|$)")
VALUE = re.compile(r"[ \t]*(?:- +)?(?:[^\s:\"'][^:\n]*:[ \t]+)?(.*)")
CONTROL = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A no-break or zero-width space in the indentation, behind a key's colon or behind a dash.
ODD_SPACE = re.compile(r"[ \t]*(?:-[ \t]+)?(?:-|[\"']?[\w.-]+[\"']?[ \t]*:)?([^\S \t\n]|[\u200b\u2060\ufeff])")
RESERVED = "@`%"
TEXTS = frozenset(
    ("name", "title", "description", "summary", "type", "class", "updated", "modified", "date", "ingested_at")
)
LISTS = frozenset(("recall", "exclude", "contradicts", "supersedes", "superseded_by"))
NESTS = frozenset(("metadata", "source"))
MARGIN = re.compile(r"^([A-Za-z_][\w-]*)[ \t]*:(?=\s|$)(.*)$", re.MULTILINE)
DASH = re.compile(r"^[^\S\n]*-[^\S\n]+(.*)$", re.MULTILINE)
CONFLICT = re.compile(r"^(?:<<<<<<< .*|\|\|\|\|\|\|\| .*|=======|>>>>>>> .*)$", re.MULTILINE)
MAX_FIELD = 16 * 1024


class Advice(NamedTuple):
    """``line`` is 0-based in the block; ``message`` and ``fix`` are what a Finding says."""

    code: str
    line: int
    message: str
    fix: str


class Place(NamedTuple):
    """Where YAML gave up, and why. ``problem``: PyYAML's words; ``lines``: of the block; ``line``: the 0-based line;
    ``first``: the line on which the value or list began that it was in; ``char``: the character there, or ''."""

    problem: str
    lines: list[str]
    first: int
    line: int
    char: str


def explain(error: Exception, block: str) -> Advice:
    """The Advice on a yaml.YAMLError (or any other exception) from parsing ``block``."""
    lines = block.split("\n")
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return _unmarked(error, block, lines)
    at = error.problem_mark.index
    line = min(block.count("\n", 0, at), len(lines) - 1)
    first = line
    if error.context_mark is not None:
        first = min(block.count("\n", 0, error.context_mark.index), line)
    place = Place(f"{error.context or ''} {error.problem or ''}", lines, first, line, block[at : at + 1])
    words = " ".join(quoted(part) for part in (error.context, error.problem) if part)
    advice = next(
        (found for found in (look(place) for look in LOOKS) if found is not None),
        Advice("yaml-invalid", line, f"not valid YAML: {words}", "quote the value, or look at the line above"),
    )
    column = at - block.rfind("\n", 0, at) - 1
    return _with_line(advice, lines, column if advice.line == line else 0)


def _unmarked(error: Exception, block: str, lines: list[str]) -> Advice:
    found = CONTROL.search(block)
    if found is not None:
        line = block.count("\n", 0, found.start())
        return _with_line(
            Advice("yaml-control", line, f"control character U+{ord(found.group()):04X}", "delete it"), lines
        )
    return _with_line(
        Advice(
            "yaml-invalid",
            0,
            f"the frontmatter cannot be read ({type(error).__name__})",
            "write it as plain `key: value` lines",
        ),
        lines,
    )


def _with_line(advice: Advice, lines: list[str], column: int = 0) -> Advice:
    """The Advice with the field that it is about before its message and the offending line behind it."""
    line = lines[advice.line] if advice.line < len(lines) else ""
    message = named(advice.message, lines, advice.line)
    return advice._replace(message=f"{message}: {quoted(line, column)}" if line.strip() else message)


def named(message: str, lines: list[str], number: int) -> str:
    """``message`` with the field in front that line ``number`` belongs to."""
    name = field(lines, number)
    return f"`{name}`: {message}" if name else message


def field(lines: list[str], number: int) -> str:
    """The key at or above a line that starts at the margin, or ''."""
    for line in reversed(lines[: number + 1]):
        found = KEY.match(line)
        if found and line[:1] not in " \t-":
            return quoted(found.group(1))
    return ""


def value_of(line: str) -> str:
    """What stands after the line's key (or dash)."""
    found = VALUE.match(line)
    return found[1] if found else ""


def _conflict(at: Place) -> Advice | None:
    for number, text in enumerate(at.lines):
        if text.startswith("<<<<<<< "):
            return Advice("conflict-markers", number, "an unresolved merge conflict", "resolve the conflict")
    return None


def _tab(at: Place) -> Advice | None:
    text = at.lines[at.line]
    if "\t" in text[: len(text) - len(text.lstrip())]:
        return Advice("yaml-tab", at.line, "tab used for indentation", "indent with blanks")
    return None


def _odd_space(at: Place) -> Advice | None:
    # The line above too: without its blank, a key there is text that goes on below.
    for number in (at.first, at.line, max(at.line - 1, 0)):
        found = ODD_SPACE.match(at.lines[number])
        if found:
            return Advice(
                "yaml-space",
                number,
                f"U+{ord(found.group(1)):04X} stands where YAML needs a plain blank",
                "type a plain blank there",
            )
    return None


def _alias(at: Place) -> Advice | None:
    if "alias" in at.problem or "anchor" in at.problem:
        mark, kind = ("&", "anchor") if "anchor" in at.problem else ("*", "alias")
        return Advice(
            "yaml-alias",
            at.line,
            f"YAML takes `{mark}` at the start of a value for an {kind}, which is not accepted here",
            f"quote values that start with {mark}",
        )
    return None


def _reserved(at: Place) -> Advice | None:
    if "cannot start any token" in at.problem and at.char and at.char in RESERVED:
        shown = "a backtick" if at.char == "`" else f"`{at.char}`"
        return Advice(
            "yaml-start",
            at.line,
            f"the value starts with {shown}, which YAML reserves",
            f"quote values that start with {at.char}",
        )
    if "directive" in at.problem:
        return Advice(
            "yaml-start", at.line, "the line starts with `%`, which YAML reserves", "quote values that start with %"
        )
    return None


def _backslash(at: Place) -> Advice | None:
    if "escape" in at.problem or "hexdec" in at.problem:
        return Advice(
            "yaml-backslash",
            at.line,
            "a backslash inside double quotes starts an escape",
            "use single quotes for backslashes",
        )
    return None


def _colon(at: Place) -> Advice | None:
    if "mapping values are not allowed" in at.problem:
        return Advice("yaml-colon", at.line, "`: ` inside an unquoted value", "quote the value")
    return None


def _wikilinks(at: Place) -> Advice | None:
    value = value_of(at.lines[at.line])
    if value.startswith("[[") and value.partition("]]")[2].lstrip().startswith(","):
        return Advice(
            "yaml-brackets",
            at.line,
            "several [[links]] without quotes or outer brackets",
            'quote each link and put brackets around them: ["[[a]]", "[[b]]"]',
        )
    return None


def _open_quote(at: Place) -> Advice | None:
    if "quoted scalar" in at.problem:
        return Advice("yaml-quote", at.first, "the quote is never closed", "close the quote, or drop it")
    return None


def _hash(at: Place) -> Advice | None:
    """A comment that swallowed the end of a list: the error shows up lines later."""
    if "flow" not in at.problem:
        return None
    for number in range(at.line, -1, -1):
        text = at.lines[number]
        if _swallowing(text) or (number > at.first and re.match(r"\s*[^\s#].*\s#", text)):
            return Advice(
                "yaml-comment",
                number,
                "# starts a comment, so the list is never closed",
                "quote the item that has the #",
            )
        if number < at.line and "]" in text and number < at.first:
            break
    return None


def _swallowing(text: str) -> bool:
    """Whether a ``#`` starts a comment inside brackets that this line opens."""
    found = re.search(r"[\s,\[]#", text)
    return found is not None and text.rfind("[", 0, found.start() + 1) > text.rfind("]", 0, found.start() + 1)


def _brackets(at: Place) -> Advice | None:
    if "flow" not in at.problem and at.char not in ("]", "}", ","):
        return None
    number = at.first if at.first < at.line and "[" in at.lines[at.first] or "{" in at.lines[at.first] else at.line
    return Advice(
        "yaml-brackets",
        number,
        "a list or mapping in brackets that is not closed or holds [ ] { } , ? unquoted",
        "quote the items that hold such characters, and close the bracket",
    )


def _after_quote(at: Place) -> Advice | None:
    value = value_of(at.lines[at.line]).strip()
    if value[:1] in ("'", '"') and any(words in at.problem for words in ("expected key", "block end", "block mapping")):
        return Advice(
            "yaml-quote",
            at.line,
            f"text follows the closing {value[0]}",
            "double the ' inside single quotes, or quote with the other kind",
        )
    return None


def _block_text(at: Place) -> Advice | None:
    if "block scalar" in at.problem:
        return Advice(
            "yaml-start",
            at.line,
            "text follows `|` or `>`, which start a text on the next lines",
            "quote the value, or move the text to the next line and indent it",
        )
    return None


def _no_key(at: Place) -> Advice | None:
    """A line at the margin that is neither a key nor indented."""
    if "could not find expected ':'" in at.problem or "simple key" in at.problem:
        number = at.first
    elif any(
        words in at.problem
        for words in ("expected key", "sequence entries", "'-' indicator", "block end", "node content")
    ):
        number = at.line
    else:
        return None
    if "sequence entries" in at.problem:
        return Advice("yaml-start", number, "the value starts with `- `", "quote values that start with -")
    return Advice(
        "yaml-indent",
        number,
        "neither a `key: value` nor an indented continuation of the line above",
        "indent the line, or quote the text it belongs to",
    )


# In this order: what is surest first.
LOOKS = (
    _conflict,
    _tab,
    _odd_space,
    _alias,
    _reserved,
    _backslash,
    _colon,
    _wikilinks,
    _open_quote,
    _hash,
    _brackets,
    _after_quote,
    _block_text,
    _no_key,
)


def salvage(block: str, nested: bool = False) -> Mapping:
    """The Mapping of the fields that can be read; lines are those of ``block``. Never raises."""
    found = Mapping()
    block = CONFLICT.sub("", CONTROL.sub("", block))
    starts = list(MARGIN.finditer(block))
    for number, start in enumerate(starts):
        key = start[1]
        if key not in TEXTS and key not in LISTS and (nested or key not in NESTS):
            continue
        end = starts[number + 1].start() if number + 1 < len(starts) else len(block)
        value = _field(key, block[start.start() : end][:MAX_FIELD], start)
        if value is None:
            continue
        before = found.get(key)
        if key in LISTS and isinstance(before, Sequence) and isinstance(value, Sequence):
            value = Sequence([*before, *value])
        line = block.count("\n", 0, start.start())
        if isinstance(value, Sequence):
            value.lines = [line] * len(value)
        elif isinstance(value, Mapping):
            value.lines = dict.fromkeys(value, line)
        found[key] = value
        found.lines[key] = line
    return found


def _field(key: str, text: str, start: re.Match[str]) -> Yaml:
    try:
        value = load(text).value
        if isinstance(value, Mapping) and key in value:
            return value[key]
    except (yaml.YAMLError, Refused, ValueError, RecursionError):
        pass
    rest = text[start.start(2) - start.start() :]
    if key in NESTS:
        return salvage(_dedented(rest), True)
    return _list(rest) if key in LISTS else _text(rest)


def _dedented(text: str) -> str:
    """The lines below a key at the margin; what is indented more keeps one blank, so that it is no field."""
    lines = text.split("\n")[1:]
    first = next((line for line in lines if line.strip()), "")
    indent = len(first) - len(first.lstrip())
    return "\n".join((" " if line[: indent + 1].isspace() else "") + line.strip() for line in lines)


def _text(rest: str) -> str | None:
    lines = [line.strip() for line in rest.split("\n")]
    if lines[0] in ("|", ">", "|-", ">-"):
        lines[0] = ""
    return _unquoted(" ".join(line for line in lines if line)) or None


def _list(rest: str) -> Sequence | str | None:
    value = rest.strip()
    if value.startswith("["):
        items = _split(value)
        return None if items is None else Sequence(item for item in items if item)
    if value.startswith("-"):
        return Sequence(item for item in map(_unquoted, DASH.findall(rest)) if item)
    return None if any(char in value for char in "[]{}\n") else _unquoted(value) or None


def _split(value: str) -> list[str] | None:
    """The items of ``[a, b]``, or None when its brackets do not pair up on their own."""
    value = " ".join(line.strip() for line in value.split("\n")).strip()
    if not value.endswith("]"):
        return None
    items: list[str] = []
    depth, start = 0, 1
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


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text
