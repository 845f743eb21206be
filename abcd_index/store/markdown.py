"""The little markdown that reading a store needs: which lines show, headings, dates of a History section.

Not a parser: a line-wise reading that agrees with CommonMark where pages and catalogues differ from plain
text (fences, comments, headings) and gives up nowhere.
"""

import re

ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
FENCE = re.compile(r"([ \t]*(?:[-*+>][ \t]+)*)(`{3,}|~{3,})(.*)$")
NO_TEXT = re.compile(r"[ \t]*(?:[-*+>|]|\d+[.)])(?:[ \t]|$)| {4}|\t|[ \t]*(?:>|\||<)")
DATE = re.compile(r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])")
MAX_TITLE = 200


class Visible:
    """The lines of a text that a reader sees as markdown: outside of fences, comments cut out.

    Iterates over (number, line), number 0-based. Afterwards ``closer`` is the line that would end what is
    still open, or ''.
    """

    __slots__ = ("lines", "fence", "comment", "_quoted")

    def __init__(self, text):
        self.lines = text.split("\n")
        self.fence = ""
        self.comment = False
        self._quoted = False

    @property
    def closer(self):
        if self.fence:
            return "" if self._quoted else self.fence  # Any other line ends a quote.
        return "-->" if self.comment else ""

    def __iter__(self):
        for number, line in enumerate(self.lines):
            if self.fence and not self._closes(line):
                continue
            if not self.comment and self._opens(line):
                continue
            if self.comment or "<!--" in line:
                held = self.comment
                line = self._uncommented(line)
                if not line.strip() or held and not self.comment and self._opens(line):
                    continue
            yield number, line

    def _opens(self, line):
        found = FENCE.match(line) if "```" in line or "~~~" in line else None
        if found is None or found.group(2)[0] == "`" and "`" in found.group(3):
            return False
        self.fence = found.group(2)
        self._quoted = ">" in found.group(1)
        return True

    def _closes(self, line):
        """Note whether ``line`` closes the fence; True when it also lies outside of it (a quote ended)."""
        mark = line.strip()
        if self._quoted:
            if not mark.startswith(">"):
                self.fence = ""
                return True
            mark = mark.lstrip("> \t")
        if len(mark) >= len(self.fence) and not mark.strip(self.fence[0]):
            self.fence = ""
        return False

    def _uncommented(self, line):
        kept, at, ticks, counted = [], 0, 0, 0
        while at < len(line):
            if self.comment:
                end = line.find("-->", at)
                if end < 0:
                    break
                self.comment, at = False, end + 3
                counted, ticks = at, 0
                continue
            start = line.find("<!--", at if at > counted else counted)
            if start < 0:
                kept.append(line[at:])
                break
            # Inside of inline code it is only an example.
            ticks += line.count("`", counted, start)
            counted = start + 4
            if ticks % 2 == 0:
                kept.append(line[at:start])
                self.comment, at = True, start + 4
        return "".join(kept)


class Heading:
    """A heading: ``text``, ``level`` 1-6, and whether it stands at the ``top`` (nothing seen before it)."""

    __slots__ = ("text", "level", "top")

    def __init__(self, text, level, top):
        self.text = text
        self.level = level
        self.top = top


def atx(line):
    """(level, text) of an ATX heading line, or None."""
    found = ATX.match(line) if "#" in line else None
    if found is None:
        return None
    text = line[found.end():].strip()
    bare = text.rstrip("#")
    if not bare or bare[-1] in " \t":
        text = bare.rstrip()
    return len(found.group(1)), " ".join(text.split())


def first_heading(body):
    """The first heading of a page that can be its title, or None.

    ATX and setext (a line of text between a blank line and a line of two or more ``=`` or ``-``) count,
    outside of fences and comments. ``## History`` is a part of every page of its kind, never a title.
    """
    if "#" not in body and "\n==" not in body and "\n--" not in body:
        return None
    top = _top_heading(body)
    if top is not None:
        return top
    blank, above, seen = True, "", False
    for _, line in Visible(body):
        found = atx(line)
        if found:
            level, text = found
            if text.casefold() == "history":
                return None
            if text:
                return Heading(text[:MAX_TITLE], level, not seen and not above)
        elif above and _underline(line):
            return Heading(above, 1 if line.strip()[0] == "=" else 2, not seen)
        shown = " ".join(line.split())
        seen = seen or bool(above)
        above = shown if blank and not found and len(shown) <= MAX_TITLE and not NO_TEXT.match(line) else ""
        seen = seen or bool(shown and not above)
        blank = not shown
    return None


def _top_heading(body):
    """The heading that the body starts with, as most pages do; None means: look closer."""
    start = 0
    while body.startswith("\n", start):
        start += 1
    if not body.startswith("#", start):
        return None
    end = body.find("\n", start)
    found = atx(body[start:end] if end >= 0 else body[start:])
    if found is None or not found[1] or "<!--" in found[1] or found[1].casefold() == "history":
        return None
    return Heading(found[1][:MAX_TITLE], found[0], True)


def _underline(line):
    mark = line.strip()
    return len(mark) > 1 and line[:4] != "    " and (not mark.strip("=") or not mark.strip("-"))


def history_dates(body):
    """The dates ((year, month, day), digits) that a ``## History`` section names, whether or not they exist."""
    found, level = [], 0
    for _, line in Visible(body):
        heading = atx(line)
        if heading and heading[1].casefold() == "history":
            level = heading[0]
        elif heading and heading[0] <= level:
            level = 0
        elif level:
            found += DATE.findall(line)
    return found


def conflict_line(body):
    """The 0-based line of the first unresolved merge conflict, or None."""
    if "<<<<<<< " not in body or ">>>>>>> " not in body:
        return None
    start = middle = None
    for number, line in Visible(body):
        if line.startswith("<<<<<<< "):
            start, middle = number, None
        elif line == "=======" and start is not None:
            middle = number
        elif line.startswith(">>>>>>> ") and middle is not None:
            return start
    return None


def first_text(body):
    """The first line of a body that says something: no heading, no rule; its list mark dropped. Or ''."""
    for _, line in Visible(body):
        shown = line.strip()
        if shown and not atx(line) and not _underline(line) and shown.strip("-*_=# "):
            return re.sub(r"^(?:[-*+>]|\d+[.)])\s+", "", shown)
    return ""
