"""Links between pages: ``contradicts``, ``supersedes``, ``superseded_by``, and which page is the newer.

A link is a file name, a stem, a ``name:``, an ``id:`` or a ``[[wikilink]]`` (with ``|text`` or ``#heading``, which do
not count), compared in NFC; when nothing is equal, case, ``-``, ``_`` and blanks are folded, and a
number ("ADR-3") means the decision record that begins with it. Where several
pages answer, the nearer kind wins, then the name that sorts first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from abcd_index.store.records import Finding, Page, finding
from abcd_index.store.text import quoted

FIELDS = ("contradicts", "supersedes", "superseded_by")
WIKI = re.compile(r"\[\[([^\[\]]*)\]\]")
# A decision record by its number: how a link says it, and how names of files begin.
RECORD = re.compile(r"(?:(?:adr|madr|rfc|decision)[-_ #]?|#)?0*(\d{1,6})(?![^\W_])", re.IGNORECASE)
FOLDED = str.maketrans("_ ", "--")


class Links:
    """Answers links over the pages of one store."""

    def __init__(self, pages: Iterable[Page]) -> None:
        files: dict[str, str] = {}
        stems: dict[str, str] = {}
        named: dict[str, str] = {}
        idents: dict[str, str] = {}
        for page in sorted(pages, key=lambda page: page.name, reverse=True):
            files[page.name] = stems[stem(page.name)] = page.name
            if page.description_name:
                named[unicodedata.normalize("NFC", page.description_name)] = page.name
            if page.ident:
                idents[unicodedata.normalize("NFC", page.ident)] = page.name
        self.tables = (files, stems, named, idents)
        self.numbers: dict[int, set[str]] | None = None
        self.folded = {fold(key): table[key] for table in (idents, named, stems) for key in sorted(table, reverse=True)}

    def resolve(self, link: str) -> str | None:
        """The name of the page that ``link`` means, or None."""
        text = plain(link)
        if not text:
            return None
        for table in self.tables:
            if text in table:
                return table[text]
        return self.folded.get(fold(stem(text))) or self._numbered(text)

    def _numbered(self, text: str) -> str | None:
        """The one page whose file or ``id`` begins with the number that ``ADR-0003``, ``adr 3`` or ``3`` says."""
        number = RECORD.fullmatch(text)
        if number is None:
            return None
        if self.numbers is None:
            self.numbers = {}
            for table in (self.tables[1], self.tables[3]):
                for name, page in table.items():
                    found = RECORD.match(name)
                    if found is not None:
                        self.numbers.setdefault(int(found[1]), set()).add(page)
        pages = self.numbers.get(int(number[1]), set())
        return next(iter(pages)) if len(pages) == 1 else None


def resolve(link: str, pages: Iterable[Page]) -> str | None:
    """The name of the page among ``pages`` that ``link`` means, or None. For many links, use ``Links``."""
    return Links(pages).resolve(link)


def plain(link: str) -> str:
    """What a link names: without brackets, ``|text``, ``#heading`` and ``./``, in NFC."""
    text = link.strip()
    wiki = WIKI.search(text)
    if wiki:
        text = re.split(r"[|#]", wiki.group(1))[0]
    text = text.strip().strip("`")
    while text.startswith("./"):
        text = text[2:]
    return unicodedata.normalize("NFC", text)


def fold(text: str) -> str:
    """The key under which names count as alike: NFC, case, ``-``, ``_`` and blanks folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).translate(FOLDED)


def stem(name: str) -> str:
    return name[:-3] if name[-3:].lower() == ".md" else name


def alike(pages: Iterable[Page]) -> list[Finding]:
    """[Finding] for each page whose name, folded, is also that of a page before it."""
    found: list[Finding] = []
    first: dict[str, str] = {}
    for page in sorted(pages, key=lambda page: page.name):
        mine = {fold(stem(page.name))}
        if page.description_name:
            mine.add(fold(page.description_name))
        other = next((first[key] for key in sorted(mine) if key in first), None)
        if other is not None:
            found.append(
                _finding(
                    "names-alike",
                    page,
                    page.lines.get("name"),
                    f"`{quoted(page.name)}` and `{quoted(other)}` go by the same name",
                    "rename one of them, or change its `name:`",
                )
            )
        for key in mine:
            first.setdefault(key, page.name)
    return found


def newer(pages: Sequence[Page]) -> tuple[dict[str, str], list[Finding]]:
    """({file: newer file}, [Finding]): which pages another one contradicts or supersedes.

    Where several do, the one with the latest date counts, then the name that sorts first. In a circle the
    page with the latest date is the newest; when dates do not tell, none of the circle counts as old.
    """
    links = Links(pages)
    by_name = {page.name: page for page in pages}
    edges: dict[str, set[str]] = {}
    findings: list[Finding] = []
    for page in sorted(pages, key=lambda page: page.name):
        for field in FIELDS:
            for link in getattr(page, field):
                other = links.resolve(link)
                if other is None:
                    findings.append(
                        _finding(
                            "link-unknown",
                            page,
                            page.lines.get(field),
                            f"`{field}` names `{quoted(link)}`, which is not in the store",
                            "write the page's file name",
                        )
                    )
                elif other == page.name:
                    findings.append(
                        _finding(
                            "link-itself",
                            page,
                            page.lines.get(field),
                            f"`{field}` names the page itself",
                            "delete the link",
                        )
                    )
                else:
                    old, new = (page.name, other) if field == "superseded_by" else (other, page.name)
                    edges.setdefault(old, set()).add(new)
    chosen = {old: min(new, key=lambda name: (_age(by_name[name]), name)) for old, new in edges.items()}
    _break_circles(chosen, by_name, findings)
    return dict(sorted(chosen.items())), findings


def _age(page: Page) -> int:
    """Sorts later dates first, undated pages last."""
    digits = (page.updated or "0000-00-00").replace("-", "")
    return -int(digits)


def _break_circles(chosen: dict[str, str], by_name: dict[str, Page], findings: list[Finding]) -> None:
    done: set[str] = set()
    for start in sorted(chosen):
        path: dict[str, int] = {}
        at = start
        while at in chosen and at not in done and at not in path:
            path[at] = len(path)
            at = chosen[at]
        if at in path:
            _break(list(path)[path[at] :], chosen, by_name, findings)
        done.update(path)


def _break(circle: list[str], chosen: dict[str, str], by_name: dict[str, Page], findings: list[Finding]) -> None:
    ages = sorted(_age(by_name[name]) for name in circle)
    newest = [name for name in circle if _age(by_name[name]) == ages[0]]
    for name in newest if len(newest) == 1 else circle:
        del chosen[name]
    page = by_name[min(circle)]
    line = next((page.lines[field] for field in FIELDS if field in page.lines), None)
    findings.append(
        _finding(
            "link-circle",
            page,
            line,
            "pages contradict or supersede each other: " + quoted(", ".join(sorted(circle))),
            "let only the newer page name the older one",
        )
    )


def _finding(code: str, page: Page, line: int | None, message: str, fix: str) -> Finding:
    return finding(code, "memory/" + page.name, message, fix, line)
