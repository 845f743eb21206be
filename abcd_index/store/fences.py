"""Where a page's frontmatter begins and ends, by the file's own line numbers.

python-frontmatter finds fences too, but strips leading blank lines and lets a fence swallow the blank
lines after it, so that neither YAML's line numbers nor the body are those of the file. The rules here:

* the opening fence is the first line that is not blank: three or more dashes, up to three blanks before
  them, white space after them; text after the dashes makes it no fence
* the closing fence is the next line of three or more dashes, at the start of the line (an indented one is
  inside a block scalar), white space after them
"""

import re

OPEN = re.compile(r"(?:[^\S\n]*\n)*( {0,3}-{3,}[^\S\n]*)(?:\n|\Z)")
DOTS = re.compile(r"^\.\.\.[^\S\n]*$", re.MULTILINE)


class Cut:
    """A page cut at its fences. ``start`` is the block's offset; line numbers are 1-based lines of the file.

    ``block`` is the text between the fences, ``body`` what follows, both exact. ``closed`` is False when
    there is no closing fence; ``block`` is then the rest of the file and ``body`` empty.
    """

    __slots__ = ("text", "start", "open_line", "block", "block_line", "closed", "body", "body_line")

    def __init__(self, text, start, open_line, block, closed, body):
        self.text = text
        self.start = start
        self.open_line = open_line
        self.block = block
        self.block_line = open_line + 1
        self.closed = closed
        self.body = body
        self.body_line = self.block_line + block.count("\n") + 1


def cut(text):
    """The Cut of ``text`` (LF line ends), or None when its first line is no fence."""
    if text.startswith("---\n"):
        start, open_line = 4, 1
    else:
        opening = OPEN.match(text)
        if opening is None:
            return None
        start = opening.end()
        open_line = text.count("\n", 0, opening.start(1)) + 1
    at = closing(text, start)
    if at is None:
        return Cut(text, start, open_line, text[start:], False, "")
    end = text.find("\n", at)
    body = text[end + 1:] if end >= 0 else ""
    return Cut(text, start, open_line, text[start:at], True, body)


def closing(text, start):
    """The offset of the next closing fence at or after ``start`` (the start of a line), or None."""
    if text.startswith("---", start) and _dashes(text, start):
        return start
    at = text.find("\n---", start)
    while at >= 0:
        if _dashes(text, at + 1):
            return at + 1
        at = text.find("\n---", at + 1)
    return None


def _dashes(text, at):
    end = text.find("\n", at)
    line = text[at:end] if end >= 0 else text[at:]
    return not line.rstrip().strip("-")


def dots(page):
    """The offset of a line ``...`` in a Cut's block, or None."""
    if "..." not in page.block:
        return None
    found = DOTS.search(page.block)
    return found.start() if found else None


def closed_at(page, at):
    """The Cut whose block ends at the line that offset ``at`` of the block starts."""
    return Cut(page.text, page.start, page.open_line, page.block[:at], True,
               page.text[page.start + at:].partition("\n")[2])
