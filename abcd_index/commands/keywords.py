"""``keywords [PAGE]``: suggests `recall` keywords for pages that have none or weak ones; ``--write`` adds them."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple

from abcd_index import fs
from abcd_index.commands.console import FAILED, FINDINGS, OK, Console, Paths, count
from abcd_index.commands.writing import write_over
from abcd_index.errors import AbcdError
from abcd_index.scopes import Places
from abcd_index.search.corpus import Document, open_corpus
from abcd_index.search.suggest import Suggester, Suggestion, asked_for, wanting, weak_keywords, with_keywords
from abcd_index.selector import ALL, select


class _Row(NamedTuple):
    """A page, why it wants keywords, what is suggested for it and whether that was written."""

    document: Document
    reason: str
    suggestions: List[Suggestion]
    written: bool

    def values(self) -> Dict[str, Any]:
        """The row as JSON has it."""
        return {
            "file": self.document.file,
            "path": self.document.path,
            "wants": self.reason,
            "written": self.written,
            "suggestions": [one.values() for one in self.suggestions],
        }


def run(
    page: str | None = None,
    root: str | None = None,
    which: str = ALL,
    write: bool = False,
    limit: int = 5,
    as_json: bool = False,
    console: Console | None = None,
) -> int:
    """Suggest, or with ``write`` add, keywords. Returns 1 when a page still wants some, else 0.

    ``page``: a file name, stem or ``name``; without it every page that has no keywords or only weak ones.
    ``limit``: at most this many suggestions a page.
    """
    console = console or Console()
    places = Places()
    rows: List[_Row] = []
    selection = select(root, which, places)
    console.refusals(selection)
    for scope in selection:
        with open_corpus(scope, places) as corpus:
            documents = asked_for(corpus, page)
            suggester = Suggester(corpus) if documents else None
            for document in documents:
                suggestions = suggester.suggest(document, limit) if suggester else []
                written = write and bool(suggestions) and _write(document, suggestions, console)
                rows.append(_Row(document, _reason(document), suggestions, written))
    if page is not None and not rows:
        raise AbcdError(f"no page answers to {page}", "give a file name, its stem, or the page's `name`")
    if as_json:
        console.data({"pages": [row.values() for row in rows]}, indent=2)
    else:
        _print(rows, write, Paths(places), console)
    if selection.refused:
        return FAILED
    return OK if all(row.written for row in rows) else FINDINGS


def _reason(document: Document) -> str:
    """What is to be said of a page's keywords, as the end of a sentence."""
    weak = weak_keywords(document)
    return wanting(document) or ("has weak keywords: " + "; ".join(weak) if weak else "")


def _write(document: Document, suggestions: List[Suggestion], console: Console) -> bool:
    """Whether the keywords were added to the page's file."""
    scope = document.corpus.scope
    shown = scope.display("memory/" + document.file)
    try:
        data = fs.read(document.path)
        write_over(
            scope, shown, document.path, data, with_keywords(document, data, [one.keyword for one in suggestions])
        )
        return True
    except AbcdError as error:
        console.complain(error, error.hint)
    except OSError as error:
        console.complain(f"{shown} was not written: {error.strerror or error}")
    return False


def _print(rows: List[_Row], write: bool, paths: Paths, console: Console) -> None:
    if not rows:
        console.line("Every page has keywords that are not weak.")
    for number, row in enumerate(rows):
        if number:
            console.line()
        reason = f"; {row.reason}" if row.reason else ""
        console.line((paths.short(row.document.path), "bold"), f"  {row.document.record['title']}{reason}")
        if not row.suggestions:
            console.line("  nothing in it sets it apart: write keywords by hand")
        console.table([[(one.keyword, "cyan"), _sentence(one)] for one in row.suggestions], indent=2)
        if row.written:
            console.line(("  added to its frontmatter", "green"))
    if rows and not write:
        console.note("hint: `abcd-index keywords PAGE --write` adds what is suggested for a page")


def _sentence(one: Suggestion) -> str:
    times = "once" if one.times == 1 else f"{one.times} times"
    also = one.also_surfaces
    more = f" and {len(also) - 3} more" if also[3:] else ""
    surfaces = f"also surfaces {', '.join(also[:3])}{more}" if also else "surfaces nothing else"
    return f"{one.where}, {times}; its words are in {count(one.pages, 'page')}; {surfaces}"
