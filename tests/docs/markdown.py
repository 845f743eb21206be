"""Read markdown as the checks need it: fenced blocks, inline code, links and headings."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FENCE = re.compile(r"^(`{3,}|~{3,})\s*([\w-]*)")
MARK = re.compile(r"^<!-- *(.*?) *-->$")


def pages():
    """Every markdown file that a reader of the project may open."""
    found = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
    return found + sorted((ROOT / "docs").rglob("*.md")) + sorted((ROOT / ".abcd" / "memory").glob("*.md"))


def name(path):
    return path.relative_to(ROOT).as_posix()


class Block:
    """A fenced block: language, text, 1-based line of the fence, and the comment right above it."""

    def __init__(self, language, text, line, mark):
        self.language, self.text, self.line, self.mark = language, text, line, mark


def split(text):
    """(blocks, prose): the fenced blocks, and the text with their lines made empty (line numbers stay true)."""
    blocks, prose, fence, held, mark = [], [], None, [], ""
    for number, line in enumerate(text.split("\n"), 1):
        found = FENCE.match(line.lstrip())
        if fence is None and found:
            fence, held = (found.group(1), found.group(2), number), []
        elif fence is not None and found and found.group(1)[0] == fence[0][0] and line.strip() == found.group(1) \
                and len(found.group(1)) >= len(fence[0]):
            blocks.append(Block(fence[1], "\n".join(held), fence[2], mark))
            fence, mark = None, ""
        elif fence is not None:
            held.append(line)
        else:
            comment = MARK.match(line.strip())
            mark = comment.group(1) if comment else mark if not line.strip() else ""
        prose.append("" if fence is not None or found else line)
    return blocks, "\n".join(prose)


def code_spans(prose):
    """(line, text) of every inline code span."""
    for number, line in enumerate(prose.split("\n"), 1):
        for found in re.finditer(r"(`+)(.+?)\1(?!`)", line):
            yield number, found.group(2).strip()


def without_code(prose):
    """The prose with inline code made empty."""
    return re.sub(r"(`+)(.+?)\1(?!`)", "", prose)


def anchors(text):
    """The anchors that a page's headings give."""
    found = set()
    for line in split(text)[1].split("\n"):
        heading = re.match(r"#{1,6} +(.*)", line)
        if heading:
            plain = re.sub(r"[^\w\- ]", "", heading.group(1).strip().lower())
            found.add(plain.replace(" ", "-"))
    return found
