"""The catalogue: each page's line as people keep it, tied to the page by its file name.

A line counts for a page when it names the page's file as its first reference: a markdown link, or the name
in backticks at the start of a list item or table row (the abcd form). A page that is only named further on
in a line gets that line when it has no other. Names are compared in NFC. Fences, comments and inline code do
not count; headings, prose and lines without a link are the author's business and draw no finding.

``index.md`` is the catalogue; ``MEMORY.md`` is where there is no ``index.md``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from abcd_index.artefact.names import NOT_PAGES
from abcd_index.store.frontmatter import cut, starts_like_fields
from abcd_index.store.markdown import Lines, first_text, without_code
from abcd_index.store.page import FOLDER
from abcd_index.store.records import Catalogue, Finding, Notes, Page, Store
from abcd_index.store.text import decode, one_line, quoted

NAMES = ("index.md", "MEMORY.md")
# What Claude Code loads of MEMORY.md at the start of a session; what is beyond is cut.
LOADED_LINES = 200
LOADED_BYTES = 25_000
HEADER = "# Memory index\n\n"
# Characters of a summary and of a title in a line that is made.
SUMMARY, TITLE = 200, 100

ITEM = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|\|[ \t]*)[*_]{0,2}")
ABCD_LINE = re.compile(r"[*_]{0,2}[ \t]+[\u2014\u2013-]+[ \t].*\|.*\|")
# A name has at most 255 bytes, each of them at most three characters in a link.
MAX_TARGET = 1000
TARGET = re.compile(r"((?:[^\s()\\]+|\\.|\((?:[^\s()\\]|\\.)*\))*)")
POINTED = re.compile(r"<((?:[^>\\]|\\.)*)")
UNESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


class Reference(NamedTuple):
    """A page's file that a line names. ``sure``: whether it can be nothing else than that."""

    name: str
    sure: bool


def line_of(page: Page, store: Store) -> str:
    """The catalogue line of a page of ``store``, verbatim; one made for it when the catalogue has none."""
    return store.catalogue.lines.get(page.name) or made_line(page)


def made_line(page: Page) -> str:
    """A line for ``page`` in its dialect, as people and other tools write it:

    ``- `file.md` - class | domain | summary`` (abcd), ``- [Title](file.md) - hook`` (agent, plain), with a
    long dash for the short one here. One line whatever the page holds.
    """
    title = one_line(page.title, TITLE)
    if page.dialect == "abcd" and "`" not in page.name:
        summary = one_line(page.summary, SUMMARY) or title or "(no summary)"
        parts = (page.source_class or "(unclassified)", page.domain or "(no domain)", summary)
        return f"- `{page.name}` \u2014 {' | '.join(parts)}"
    hook = one_line(page.summary, SUMMARY) or one_line(first_text(page.body), SUMMARY)
    text = (title or page.name).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    line = f"- [{text}]({_link_target(page.name)})"
    return f"{line} \u2014 {hook}" if hook and hook != title else line


def _link_target(name: str) -> str:
    """``name`` as the target of a markdown link."""
    for char, code in (("%", "%25"), ("#", "%23"), ("?", "%3F")):
        name = name.replace(char, code)
    if any(char in "()<>\\`" or char.isspace() for char in name):
        return "<" + name.replace("\\", "\\\\").replace("<", "\\<").replace(">", "\\>").replace("`", "%60") + ">"
    return name


def read_catalogue(name: str, data: bytes, page_names: Sequence[str]) -> tuple[Catalogue, list[Finding]]:
    """(Catalogue, [Finding]) of a catalogue's bytes. Pure, never raises.

    ``page_names``: the names (NFC) of all page files of the store, also of those that are left out.
    """
    notes = Notes(FOLDER + name)
    text = decode(data, notes)
    if text is None:
        return Catalogue(), notes.found
    pages = _Pages(page_names, notes)
    lines: dict[str, str] = {}
    numbers: dict[str, int] = {}
    further: dict[str, tuple[str, int]] = {}
    for number, line, references in _lines(text):
        for at, reference in enumerate(references):
            page = pages.find(reference, number, line)
            if page is None:
                continue
            if at == 0 and page not in lines:
                lines[page], numbers[page] = line, number
            elif at:
                further.setdefault(page, (line, number))
    for page, (line, number) in further.items():
        if page not in lines:
            lines[page], numbers[page] = line, number
    for page in sorted(pages.names - lines.keys()):
        notes.add(
            "catalogue-orphan",
            None,
            f"no line names `{quoted(page)}`",
            "add a line, or run `abcd-index catalogue --write`",
        )
    _too_long(name, text, data, notes)
    return Catalogue(FOLDER + name, lines, numbers), notes.sorted()


class _Pages:
    """The names of the page files, and what is wrong with a reference to one."""

    def __init__(self, names: Sequence[str], notes: Notes) -> None:
        self.names = set(names)
        self.notes = notes
        self._folded: dict[str, str] = {}

    def find(self, reference: Reference, number: int, line: str) -> str | None:
        """The page that a reference means, or None (and a finding when it means one that is not there)."""
        name = reference.name
        if name in self.names:
            return name
        if name.lower() in NOT_PAGES:
            return None
        if not self._folded:
            self._folded = {page.casefold(): page for page in sorted(self.names, reverse=True)}
        page = self._folded.get(name.casefold())
        if page is not None:
            self.notes.add(
                "catalogue-case",
                number,
                f"`{quoted(name)}` is spelled `{quoted(page)}` in the store",
                "spell it as the file is",
            )
        elif reference.sure:
            self.notes.add(
                "catalogue-dangling",
                number,
                f"`{quoted(name)}` is not in the store: {quoted(line)}",
                "write the page, or delete the line",
            )
        return page


def _too_long(name: str, text: str, data: bytes, notes: Notes) -> None:
    if name.lower() != "memory.md":
        return
    count = text.count("\n") + (not text.endswith("\n") and bool(text))
    if count > LOADED_LINES:
        notes.add(
            "catalogue-too-long",
            LOADED_LINES + 1,
            f"{count} lines; agents load the first {LOADED_LINES}",
            "move lines to pages, or delete old ones",
        )
    elif len(data) > LOADED_BYTES:
        notes.add(
            "catalogue-too-long",
            None,
            f"{len(data):,} bytes; agents load the first {LOADED_BYTES:,}",
            "shorten the lines",
        )


def _lines(text: str) -> Iterator[tuple[int, str, list[Reference]]]:
    """(1-based number, line as in the file, [Reference]) of every line that names a file."""
    page = cut(text)
    start = page.body_line if page is not None and page.closed and starts_like_fields(page.block) else 1
    lines = Lines(text)
    for number, line in lines.visible():
        if number + 1 >= start and (".md" in line.lower() or "[[" in line):
            references = _references(line)
            if references:
                yield number + 1, lines.lines[number], references


def _references(line: str) -> list[Reference]:
    found: list[Reference] = []
    item = ITEM.match(line)
    if item is not None:
        found += _leading(line, item.end())
    named = {reference.name for reference in found}
    for name in _links(without_code(line)):
        if name not in named:
            named.add(name)
            found.append(Reference(name, True))
    return found


def _leading(line: str, start: int) -> list[Reference]:
    """The name that a list item or table row starts with, in backticks or as a [[wikilink]]."""
    if line.startswith("`", start):
        end = line.find("`", start + 1)
        name = _file(line[start + 1 : end]) if end > 0 else ""
        if name:
            return [Reference(name, ABCD_LINE.match(line, end + 1) is not None)]
    elif line.startswith("[[", start):
        end = line.find("]]", start)
        name = re.split(r"[|#]", line[start + 2 : end])[0].strip() if end > 0 else ""
        if name:
            return [Reference(_file(name) or _file(name + ".md"), False)]
    return []


def _links(line: str) -> Iterator[str]:
    """The files in this folder that the links of a line lead to."""
    at = line.find("](")
    while at >= 0:
        name = _file(_target(line, at + 2), link=True)
        if name:
            yield name
        at = line.find("](", at + 2)


def _target(line: str, at: int) -> str:
    """The target of the link that begins at ``at``; '' when it is longer than any file's name can be."""
    line = line[at : at + MAX_TARGET]
    found = (POINTED if line.startswith("<") else TARGET).match(line)
    return found[1] if found else ""


def _file(text: str, link: bool = False) -> str:
    """``text`` as the name (NFC) of a markdown file in the store folder, or ''."""
    if link:
        text = unquote(re.split(r"[#?]", UNESCAPE.sub(r"\1", text))[0])
    while text.startswith("./"):
        text = text[2:]
    if "/" in text or text[-3:].lower() != ".md" or len(text) < 4:
        return ""
    return unicodedata.normalize("NFC", text)


def completed(name: str, data: bytes | None, pages: Sequence[Page], page_names: Sequence[str] | None = None) -> bytes:
    """The bytes of a catalogue with a line for each of ``pages`` that has none, appended at the end.

    Nothing else changes by a byte, and the new lines end as the old ones do. ``data`` None or empty: a new
    catalogue. ``page_names``: as for ``read_catalogue``; the names of ``pages`` when left out. A catalogue
    that is not UTF-8 comes back as it is.
    """
    names = [page.name for page in pages] if page_names is None else page_names
    if not data:
        return (HEADER + "".join(made_line(page) + "\n" for page in pages)).encode("utf-8")
    catalogue, _ = read_catalogue(name, data, names)
    missing = [page for page in pages if page.name not in catalogue.lines]
    text = decode(data, Notes(name))
    if not missing or text is None:
        return data
    end = _line_end(data)
    return data + _between(text, end).encode() + "".join(made_line(page) + end for page in missing).encode("utf-8")


def _between(text: str, end: str) -> str:
    """What has to stand between the old text and the new lines: the end of a last line, of a fence or
    comment that is still open, and a blank line below anything but a list."""
    lines = Lines(text)
    shown = [line for _, line in lines.visible() if line.strip()]
    before = "" if text.endswith("\n") else end
    if lines.closer:
        return before + lines.closer + end + end
    listed = bool(shown) and ITEM.match(shown[-1]) is not None and not lines.fence
    return before + ("" if listed or text.endswith("\n\n") else end)


def _line_end(data: bytes) -> str:
    """The line end that the file uses most."""
    both = data.count(b"\r\n")
    counts = {"\r\n": both, "\n": data.count(b"\n") - both, "\r": data.count(b"\r") - both}
    return max(("\n", "\r\n", "\r"), key=lambda end: counts[end])
