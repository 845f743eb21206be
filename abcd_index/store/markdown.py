"""The markdown that reading pages and catalogues needs: fences, comments, inline code, headings.

Not a parser: it reads line by line, agrees with CommonMark where pages and catalogues differ from plain text, and
stops at nothing. ``tests/oracles/test_markdown.py`` holds it against a parser and lists where it differs on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
FENCE = re.compile(r"([ \t]*(?:[-*+>][ \t]+)*)(`{3,}|~{3,})(.*)$")
RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
NO_TEXT = re.compile(r"[ \t]*(?:[-*+>|]|\d+[.)])(?:[ \t]|$)| {4}|\t|[ \t]*(?:>|\||<)")
LIST_MARK = re.compile(r"(?:[-*+>]|\d+[.)])\s+")
BACKTICKS = re.compile(r"`+")
DATE = re.compile(r"(?<![\d-])(\d{4}-\d{2}-\d{2})(?![\d-])")
MAX_TITLE = 200


class Line(NamedTuple):
    """A line of a text: its 0-based number, what a reader sees of it, and whether it is in a fence."""

    number: int
    text: str
    fenced: bool


class Lines:
    """The lines of a text as markdown: ``Line``s without the fences themselves, with comments cut out.

    When it has been iterated over, ``fence`` is the fence that is still open, or '', and ``closer`` the line that would
    end what is still open, or ''.
    """

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.fence = ""
        self._comment = False
        self._in_quote = False

    @property
    def closer(self) -> str:
        if self.fence:
            return "" if self._in_quote else self.fence  # Any other line ends a quote.
        return "-->" if self._comment else ""

    def __iter__(self) -> Iterator[Line]:
        for number, line in enumerate(self.lines):
            if self.fence:
                if not self._ends_fence(line):
                    yield Line(number, line, True)
                if self.fence or not self._in_quote:
                    continue
                self._in_quote = False
            if not self._comment and self._opens_fence(line):
                continue
            if self._comment or "<!--" in line:
                began_inside = self._comment
                line = self._without_comments(line)
                if not line.strip() or began_inside and not self._comment and self._opens_fence(line):
                    continue
            yield Line(number, line, False)

    def visible(self) -> Iterator[tuple[int, str]]:
        """(number, line) of the lines that are in no fence."""
        for number, line, fenced in self:
            if not fenced:
                yield number, line

    def _opens_fence(self, line: str) -> bool:
        found = FENCE.match(line) if "```" in line or "~~~" in line else None
        if found is None or found[2][0] == "`" and "`" in found[3]:
            return False
        self.fence = found[2]
        self._in_quote = ">" in found[1]
        return True

    def _ends_fence(self, line: str) -> bool:
        """Whether the open fence ends with ``line``: by a fence, or (of one in a quote) because the quote ends there.
        ``_in_quote`` then stays True when the line itself is outside of the quote."""
        mark = line.strip()
        if self._in_quote:
            if not mark.startswith(">"):
                self.fence = ""
                return True
            mark = mark.lstrip("> \t")
        if len(mark) < len(self.fence) or mark.strip(self.fence[0]):
            return False
        self.fence, self._in_quote = "", False
        return True

    def _without_comments(self, line: str) -> str:
        kept, at, spans = [], 0, Spans(line)
        while True:
            if self._comment:
                end = line.find("-->", at)
                if end < 0:
                    break
                self._comment, at = False, end + 3
            start = spans.outside("<!--", at)
            if start < 0:
                kept.append(line[at:])
                break
            kept.append(line[at:start])
            self._comment, at = True, start + 4
        return "".join(kept)


class Spans:
    """The inline code of a line: from a run of backticks to the next run of the same length."""

    def __init__(self, line: str) -> None:
        self.line = line
        self._runs = [(found.start(), found.end()) for found in BACKTICKS.finditer(line)] if "`" in line else []
        # The runs of each length, the first one last.
        self._starts: dict[int, list[int]] = {}
        for start, end in reversed(self._runs):
            self._starts.setdefault(end - start, []).append(start)
        self._next = 0

    def end_of(self, start: int, end: int) -> int:
        """Where the code that the run ``start`` to ``end`` begins is closed, behind its last backtick; -1: nowhere.
        To be asked from left to right."""
        same = self._starts[end - start]
        while same and same[-1] <= start:
            same.pop()
        return same[-1] + end - start if same else -1

    def outside(self, text: str, at: int) -> int:
        """Where ``text`` is next at or after ``at``, outside of code; -1: nowhere. To be asked from left to right.

        What follows a run that nothing closes on this line is code too: it may be closed on the next one."""
        found = self.line.find(text, at)
        while found >= 0 and self._next < len(self._runs):
            start, end = self._runs[self._next]
            if found < start:
                break
            self._next += 1
            if start < at:
                continue
            at = self.end_of(start, end)
            if at < 0:
                return -1
            found = self.line.find(text, max(at, found))
        return found


def without_code(line: str) -> str:
    """``line`` with a blank in the place of each piece of inline code. A run that nothing closes is text."""
    if "`" not in line:
        return line
    spans, parts, at = Spans(line), [], 0
    for found in BACKTICKS.finditer(line):
        end = spans.end_of(*found.span()) if found.start() >= at else -1
        if end >= 0:
            parts.append(line[at : found.start()] + " ")
            at = end
    return "".join(parts) + line[at:]


class Heading(NamedTuple):
    """A heading: its level 1-6, its text, and whether it stands at the ``top`` (nothing seen before it)."""

    level: int
    text: str
    top: bool = False


def atx(line: str) -> Heading | None:
    """The heading in an ATX heading line (``# text``), or None."""
    found = ATX.match(line) if "#" in line else None
    if found is None:
        return None
    text = line[found.end() :].strip()
    before = text.rstrip("#")
    if not before or before[-1] in " \t":
        text = before.rstrip()
    return Heading(len(found[1]), " ".join(text.split()))


def first_heading(body: str) -> Heading | None:
    """The first heading of a page that can be its title, or None.

    ATX and setext (a line of text between a blank line and a line of two or more ``=`` or ``-``) count,
    outside of fences and comments. ``## History`` is a part of every page of its kind, never a title.
    """
    if "#" not in body and "\n==" not in body and "\n--" not in body:
        return None
    return _at_the_top(body) or _further_down(body)


def _at_the_top(body: str) -> Heading | None:
    """The ATX heading that the body starts with, as most pages do; None means: look closer."""
    start = 0
    while body.startswith("\n", start):
        start += 1
    if not body.startswith("#", start):
        return None
    end = body.find("\n", start)
    found = atx(body[start:end] if end >= 0 else body[start:])
    if found is None or not found.text or "<!--" in found.text or _is_history(found):
        return None
    return Heading(found.level, found.text[:MAX_TITLE], True)


def _further_down(body: str) -> Heading | None:
    # ``above``: the line above when it can be a setext heading's; ``top``: nothing was seen before that.
    blank, above, top = True, "", True
    for _, line in Lines(body).visible():
        found = atx(line)
        if found and _is_history(found):
            return None
        if found and found.text:
            return Heading(found.level, found.text[:MAX_TITLE], top and not above)
        if above and _is_underline(line):
            return Heading(1 if line.strip()[0] == "=" else 2, above, top)
        shown = " ".join(line.split())
        top = top and not above
        above = shown if blank and not found and _can_be_title(line, shown) else ""
        top = top and (bool(above) or not shown)
        blank = not shown
    return None


def _is_history(heading: Heading) -> bool:
    return heading.text.casefold() == "history"


def _can_be_title(line: str, shown: str) -> bool:
    return len(shown) <= MAX_TITLE and not NO_TEXT.match(line) and not RULE.match(line)


def _is_underline(line: str) -> bool:
    mark = line.strip()
    return len(mark) > 1 and line[:4] != "    " and (not mark.strip("=") or not mark.strip("-"))


def with_history(body: str) -> Iterator[tuple[Line, bool]]:
    """The lines of a body, each with whether it stands in a ``## History`` section."""
    level = 0
    for line in Lines(body):
        heading = None if line.fenced else atx(line.text)
        if heading and heading.level <= level:
            level = 0
        if heading and not level and _is_history(heading):
            level = heading.level
        yield line, level > 0


def history_dates(body: str) -> list[str]:
    """The dates (``YYYY-MM-DD``) that a ``## History`` section names, whether or not there are such days."""
    return [date for line, past in with_history(body) if past and not line.fenced for date in DATE.findall(line.text)]


def conflict_line(body: str) -> int | None:
    """The 0-based line of the first unresolved merge conflict, or None."""
    if "<<<<<<< " not in body or ">>>>>>> " not in body:
        return None
    start = middle = None
    for number, line in Lines(body).visible():
        if line.startswith("<<<<<<< "):
            start, middle = number, None
        elif line == "=======" and start is not None:
            middle = number
        elif line.startswith(">>>>>>> ") and middle is not None:
            return start
    return None


def first_text(body: str) -> str:
    """The first line of a body that says something: no heading, no rule; its list mark dropped. Or ''."""
    for _, line in Lines(body).visible():
        shown = line.strip()
        if shown and not atx(line) and not _is_underline(line) and shown.strip("-*_=# "):
            return LIST_MARK.sub("", shown, count=1) if LIST_MARK.match(shown) else shown
    return ""
