"""The little markdown that reading a store needs: which lines show, headings, dates of a History section.

Not a parser: a line-wise reading that agrees with CommonMark where pages and catalogues differ from plain
text (fences, comments, headings) and gives up nowhere.
"""

import re

ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
FENCE = re.compile(r"([ \t]*(?:[-*+>][ \t]+)*)(`{3,}|~{3,})(.*)$")
NO_TEXT = re.compile(r"[ \t]*(?:[-*+>|]|\d+[.)])(?:[ \t]|$)| {4}|\t|[ \t]*(?:>|\||<)")
DATE = re.compile(r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])")
MAX_TITLE = 200


class Visible:
    """The lines of a text that a reader sees as markdown: outside of fences, comments cut out.

    Iterates over (number, line), number 0-based. Afterwards ``fence`` holds the marker of a fence that
    is still open, ``comment`` whether a comment is.
    """

    __slots__ = ("lines", "fence", "comment", "_quoted")

    def __init__(self, text):
        self.lines = text.split("\n")
        self.fence = ""
        self.comment = False
        self._quoted = False

    def __iter__(self):
        for number, line in enumerate(self.lines):
            if self.fence and not self._closes(line):
                continue
            if self.comment or "<!--" in line:
                line = self._uncommented(line)
                if not line.strip():
                    continue
            found = FENCE.match(line) if "```" in line or "~~~" in line else None
            if found and not (found.group(2)[0] == "`" and "`" in found.group(3)):
                self.fence = found.group(2)
                self._quoted = ">" in found.group(1)
                continue
            yield number, line

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
        kept = []
        while line:
            if self.comment:
                at = line.find("-->")
                if at < 0:
                    break
                self.comment, line = False, line[at + 3:]
            else:
                at = _comment_start(line)
                if at < 0:
                    kept.append(line)
                    break
                kept.append(line[:at])
                self.comment, line = True, line[at + 4:]
        return "".join(kept)


def _comment_start(line):
    """Where ``<!--`` begins outside of inline code, or -1."""
    at = line.find("<!--")
    while at >= 0 and line.count("`", 0, at) % 2:
        at = line.find("<!--", at + 1)
    return at


class Heading:
    """A heading: ``text``, ``level`` 1-6, and whether it stands at the ``top`` (nothing seen before it)."""

    __slots__ = ("text", "level", "top")

    def __init__(self, text, level, top):
        self.text = text
        self.level = level
        self.top = top


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
        found = ATX.match(line) if "#" in line else None
        if found:
            text = " ".join((found.group(2) or "").split())
            if text.casefold() == "history":
                return None
            if text.strip("#"):
                return Heading(text[:MAX_TITLE], len(found.group(1)), not seen and not above)
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
    found = ATX.match(body[start:end] if end >= 0 else body[start:])
    text = " ".join(found.group(2).split()) if found and found.group(2) else ""
    if not text.strip("#") or "<!--" in text or text.casefold() == "history":
        return None
    return Heading(text[:MAX_TITLE], len(found.group(1)), True)


def _underline(line):
    mark = line.strip()
    return len(mark) > 1 and line[:4] != "    " and (not mark.strip("=") or not mark.strip("-"))


def history_dates(body):
    """The dates ((year, month, day), digits) that a ``## History`` section names, whether or not they exist."""
    found, level = [], 0
    for _, line in Visible(body):
        heading = ATX.match(line) if "#" in line else None
        if heading and (heading.group(2) or "").strip().casefold() == "history":
            level = len(heading.group(1))
        elif heading and len(heading.group(1)) <= level:
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
        if shown and not ATX.match(line) and not _underline(line) and shown.strip("-*_=# "):
            return re.sub(r"^(?:[-*+>]|\d+[.)])\s+", "", shown)
    return ""
