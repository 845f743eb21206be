"""Is there frontmatter, where does the body begin, and what can be read of it?

Raw YAML is never indexed as body, and prose never becomes a field. Where the two cannot be told apart for
certain the page is read as body and a finding says so; only a frontmatter that never ends leaves a page
out, because then nobody knows where its body begins.

A page is read into a python-frontmatter ``Post`` by a handler of ours, which splits at our fences and loads with our
YAML loader. ``frontmatter.parse`` itself is not called: it strips the body, and its fences let a page's leading blank
lines go, so that no line number would be that of the file. The fences here:

* the opening fence is the first line that is not blank: three or more dashes, up to three blanks before
  them, white space after them; text after the dashes makes it no fence
* the closing fence is the next line of three or more dashes, at the start of the line (an indented one is
  inside a block scalar), white space after them
"""

from __future__ import annotations

import re
from typing import NamedTuple

import frontmatter
import yaml
from frontmatter.default_handlers import YAMLHandler

from abcd_index.store.broken_yaml import LISTS, NESTS, TEXTS, Advice, explain, named, salvage
from abcd_index.store.loader import Mapping, Note, Refused, Yaml, load
from abcd_index.store.records import Notes
from abcd_index.store.text import quoted

OPEN = re.compile(r"(?:[^\S\n]*\n)*( {0,3}-{3,}[^\S\n]*)(?:\n|\Z)")
DOTS = re.compile(r"^\.\.\.[^\S\n]*$", re.MULTILINE)
# Keys that are read, and keys that other tools write: either makes a block frontmatter beyond doubt.
READ = frozenset(TEXTS | LISTS | NESTS)
OTHERS = frozenset(
    (
        "aliases",
        "author",
        "authors",
        "category",
        "categories",
        "cssclass",
        "cssclasses",
        "created",
        "creator",
        "draft",
        "id",
        "importance",
        "keywords",
        "lang",
        "language",
        "layout",
        "license",
        "licence",
        "lifecycle",
        "kind",
        "model",
        "nodetype",
        "node_type",
        "originsessionid",
        "permalink",
        "priority",
        "publish",
        "severity",
        "slug",
        "source",
        "status",
        "tag",
        "tags",
        "tools",
        "topic_hash",
        "url",
        "version",
        "schedule",
        "mode",
        "enabled",
        "allowed-tools",
        "color",
        "globs",
        "paths",
        "timestamp",
        "related",
        "relatedto",
        "owner",
        "owners",
    )
)
KEY_LINE = re.compile(r"[\s\u200b\u2060\ufeff]*[\"']?([^\W\d][\w.\u200b\u2060\ufeff-]*)[\"']?[ \t]*:(?=\s|$)")
MARGIN_LINE = re.compile(r"^(?:recall|description|metadata|contradicts|name|source)[ \t]*:", re.MULTILINE)
IDENTIFIER = re.compile(r"[\w.$<-][\w.$/-]*")
# A second block stands within this many characters of the first, or is none.
LEADING = 200
# What somebody meant as a fence: text behind it, or dashes that a word processor joined.
NEARLY_FENCE = re.compile(r"\s*(?:-{3,}(?:\s.*)?|[\u2010-\u2015\u2212-]{1,3})$")
STRUCTURE = re.compile(r"\s|[-#\[\]{}&*!|>'\"%@`]|[^\s:][^:]*:(?:\s|$)")


class Fenced(NamedTuple):
    """A page cut at its fences. ``start`` is the block's offset; line numbers are 1-based lines of the file.

    ``block`` is the text between the fences, ``body`` what follows, both exact. ``closed`` is False when
    there is no closing fence; ``block`` is then the rest of the file and ``body`` empty.
    """

    text: str
    start: int
    open_line: int
    block: str
    closed: bool
    body: str

    @property
    def block_line(self) -> int:
        return self.open_line + 1

    @property
    def body_line(self) -> int:
        return self.block_line + self.block.count("\n") + 1

    def closed_at(self, at: int) -> Fenced:
        """The same page with its block ending at the line that offset ``at`` of the block starts."""
        return self._replace(block=self.block[:at], closed=True, body=self.text[self.start + at :].partition("\n")[2])


def cut(text: str) -> Fenced | None:
    """The Fenced of ``text`` (LF line ends), or None when its first line is no fence."""
    if text.startswith("---\n"):
        start, open_line = 4, 1
    else:
        opening = OPEN.match(text)
        if opening is None:
            return None
        start = opening.end()
        open_line = text.count("\n", 0, opening.start(1)) + 1
    at = _closing(text, start)
    if at is None:
        return Fenced(text, start, open_line, text[start:], False, "")
    end = text.find("\n", at)
    return Fenced(text, start, open_line, text[start:at], True, text[end + 1 :] if end >= 0 else "")


def _closing(text: str, start: int) -> int | None:
    """The offset of the next closing fence at or after ``start`` (the start of a line), or None."""
    if text.startswith("---", start) and _is_fence(text, start):
        return start
    at = text.find("\n---", start)
    while at >= 0:
        if _is_fence(text, at + 1):
            return at + 1
        at = text.find("\n---", at + 1)
    return None


def _is_fence(text: str, at: int) -> bool:
    end = text.find("\n", at)
    line = text[at:end] if end >= 0 else text[at:]
    return not line.rstrip().strip("-")


class PageHandler(YAMLHandler):
    """python-frontmatter's handler of a page that is cut: our fences and our loader. ``notes`` holds what was noted of
    the block when it is loaded."""

    def __init__(self, page: Fenced) -> None:
        super().__init__()
        self.page = page
        self.notes: list[Note] = []

    def split(self, text: str) -> tuple[str, str]:
        """The block and the body, both exact."""
        return self.page.block, self.page.body

    def load(self, fm: str, **kwargs: object) -> Yaml:  # type: ignore[override]  # a block need not be a mapping
        """The block's value. Raises what ``loader.load`` raises."""
        value, self.notes = load(fm)
        return value


class PagePost(frontmatter.Post):
    """A page: ``metadata``, a Mapping (empty without frontmatter), and ``content``, the body as in the file.

    ``block_line``: the file's line of line 0 in ``metadata``; ``body_line``: the file's line on which the body begins.
    ``comments``: file lines on which a comment swallowed a value. ``present``: whether there is frontmatter at all.
    """

    metadata: Mapping  # type: ignore[assignment]  # one that knows where each field stands

    def __init__(self, body: str, body_line: int = 1, fields: Mapping | None = None, block_line: int = 1) -> None:
        super().__init__(body)
        self.body_line = body_line
        self.present = fields is not None
        self.metadata = Mapping() if fields is None else fields
        self.block_line = block_line
        self.comments: set[int] = set()


def read_frontmatter(text: str, notes: Notes) -> PagePost | None:
    """The PagePost of a page's text (LF line ends), or None when the page has to be left out."""
    page = cut(text)
    if page is None:
        _elsewhere(text, notes)
        return PagePost(text)
    dots = DOTS.search(page.block) if "..." in page.block else None
    if dots is not None and starts_like_fields(page.block[: dots.start()]):
        notes.add(
            "frontmatter-dots",
            page.block_line + page.block.count("\n", 0, dots.start()),
            "the frontmatter is closed by `...`",
            "write `---` there",
        )
        page = page.closed_at(dots.start())
    if not page.closed:
        return _unclosed(page, notes)
    handler = PageHandler(page)
    block, body = handler.split(text)
    try:
        value = handler.load(block)
    except (yaml.YAMLError, Refused, ValueError, RecursionError) as error:
        return _broken(page, error, notes)
    fields = _fields(page, value, notes)
    if fields is None:
        return _rule(page, notes)
    front = PagePost(body, page.body_line, fields, page.block_line)
    _note_all(front, handler.notes, notes)
    _skip_second(front, notes)
    return front


def _fields(page: Fenced, value: Yaml, notes: Notes) -> Mapping | None:
    """The block's Mapping when it is frontmatter, None when it is prose between two rules."""
    blank_first = not page.block.partition("\n")[0].strip()
    if value is None and not (blank_first and page.block.strip()):
        return Mapping()
    if not isinstance(value, Mapping):
        return None
    if not READ.isdisjoint(value):
        return value
    if blank_first:
        return None
    if any(_known(key) for key in value):
        return value
    if not all(IDENTIFIER.fullmatch(key) for key in value):
        return None
    if value:
        notes.add(
            "frontmatter-unknown-keys",
            page.block_line,
            "no key of the frontmatter is one that is read: " + quoted(", ".join(value)),
            "add `recall: [...]`, or a blank line after the first `---` if this is prose",
        )
    return value


def _known(key: str) -> bool:
    return key in READ or key.lower() in READ or key.lower() in OTHERS


def _rule(page: Fenced, notes: Notes) -> PagePost:
    notes.add(
        "page-starts-with-rule",
        page.open_line,
        "the page starts with a rule `---`, not with frontmatter; all of it is read as body",
        "write `***` for the rule, or `key: value` lines below the first `---`",
    )
    return PagePost(page.text)


def _note_all(front: PagePost, found: list[Note], notes: Notes) -> None:
    for code, at, what, fix, first in found:
        line = front.block_line + at
        if code == "duplicate-key":
            message = f"`{quoted(what)}` is given twice, on lines {front.block_line + first} and {line}"
        else:
            front.comments.add(line)
            message = f"text after # is a YAML comment and is lost: {quoted(what)}"
        notes.add(code, line, message, fix)


def _unclosed(page: Fenced, notes: Notes) -> PagePost | None:
    if not page.block.strip():
        notes.add("page-empty", page.open_line, "the page holds a lone `---` and no text", "write the page")
        return PagePost("", page.body_line)
    if starts_like_fields(page.block):
        _never_closed(page, notes)
        return None
    return _rule(page, notes)


def _never_closed(page: Fenced, notes: Notes) -> None:
    lines = page.block.split("\n")
    last = 0
    for number, line in enumerate(lines):
        if not line.strip():
            break
        last = number
    near = next((n for n, line in enumerate(lines) if NEARLY_FENCE.match(line)), None)
    hint, fix = "", f"add a line `---` after line {page.block_line + last}"
    if near is not None:
        hint = f" (line {page.block_line + near} is no fence: {quoted(lines[near])})"
        fix = f"write `---` and nothing else on line {page.block_line + near}"
    notes.add(
        "frontmatter-not-closed",
        page.open_line,
        f"frontmatter opened at line {page.open_line} is never closed{hint}",
        fix,
    )


def _broken(page: Fenced, error: Exception, notes: Notes) -> PagePost | None:
    """YAML that fails: prose between rules, a missing fence, or one mistake in real frontmatter."""
    if not starts_like_fields(page.block) and not MARGIN_LINE.search(page.block):
        return _rule(page, notes)
    if isinstance(error, Refused):
        advice = Advice(error.code, error.line, named(error.message, page.block.split("\n"), error.line), error.fix)
    else:
        advice = explain(error, page.block)
        if _swallowed(page.block, advice.line):
            _never_closed(page, notes)
            return None
    fields = salvage(page.block)
    saved = [key for key in fields if key in READ]
    message = advice.message + ("; read all the same: " + ", ".join(saved) if saved else "")
    if "recall" not in fields and re.search(r"^recall[ \t]*:", page.block, re.MULTILINE):
        message += "; its keywords cannot be read until this is mended"
    notes.add(advice.code, page.block_line + advice.line, message, advice.fix)
    front = PagePost(page.body, page.body_line, fields, page.block_line)
    _skip_second(front, notes)
    return front


def _swallowed(block: str, line: int) -> bool:
    """Whether the closing fence is really a rule in the body: prose stands right above it, below a blank
    line, and that is where YAML fails."""
    lines = block.rstrip("\n").split("\n")
    blank = next((n for n, text in enumerate(lines) if not text.strip()), None)
    if blank is None or line < blank:
        return False
    last = next((text for text in reversed(lines) if text.strip()), "")
    return not STRUCTURE.match(last)


def starts_like_fields(block: str) -> bool:
    """Whether the first line that says something is a key; below a blank line, one that is read."""
    blank_first = not block.partition("\n")[0].strip()
    for line in block.split("\n"):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = KEY_LINE.match(line)
        return found is not None and (not blank_first or found[1] in READ)
    return False


def _skip_second(front: PagePost, notes: Notes) -> None:
    """A second block right below the first: some tool did not see the first one. Neither is it prose."""
    if front.content.find("---", 0, LEADING) < 0 or front.content.lstrip()[:3] != "---":
        return
    second = cut(front.content)
    if (
        second is None
        or not second.closed
        or not starts_like_fields(second.block)
        or not second.block.strip()
        or not _holds_known(second.block)
    ):
        return
    notes.add(
        "frontmatter-second",
        front.body_line + second.open_line - 1,
        f"second frontmatter block at line {front.body_line + second.open_line - 1}; the first one counts",
        "merge the two blocks",
    )
    front.content = second.body
    front.body_line += second.body_line - 1


def _holds_known(block: str) -> bool:
    return any(_known(found.group(1)) for found in map(KEY_LINE.match, block.split("\n")) if found)


def _elsewhere(text: str, notes: Notes) -> None:
    """Frontmatter that is not where, or not what, it should be: one warning, and the page is body."""
    first = text.lstrip()[:4]
    if first[:2] == "{\n" and "\n}" in text or first[:3] == "+++" and text.count("\n+++"):
        kind = "JSON" if first[0] == "{" else "TOML"
        notes.add(
            "frontmatter-not-yaml",
            text[: len(text) - len(text.lstrip())].count("\n") + 1,
            f"{kind} frontmatter is not read; the page is read as body",
            "write it as YAML between `---` lines",
        )
        return
    at = 0 if text.startswith("recall:") else text.find("\nrecall:") + 1
    if not at and not text.startswith("recall:") or text.count("```", 0, at) % 2:
        return
    fence = text.rfind("\n---", 0, at) + 1
    if fence and text.find("\n---", at) >= 0:
        notes.add(
            "frontmatter-not-first",
            text.count("\n", 0, fence) + 1,
            "frontmatter stands below other text and is read as body",
            "move it to the top of the page",
        )
    elif text.count("\n", 0, at) < 10:
        notes.add(
            "frontmatter-not-opened",
            text.count("\n", 0, at) + 1,
            "`recall:` stands outside of frontmatter and is read as body",
            "put the fields between two lines `---` at the top of the page",
        )
