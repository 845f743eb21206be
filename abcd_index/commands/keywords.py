"""``keywords [PAGE]``: suggests `recall` keywords for pages that have none or weak ones; ``--write`` adds them."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

from abcd_index import fs
from abcd_index.commands.console import FAILED, FINDINGS, OK, Console, Paths, count
from abcd_index.commands.writing import write_over
from abcd_index.errors import AbcdError
from abcd_index.scopes import Places
from abcd_index.search.corpus import Corpus, Document, open_corpus
from abcd_index.search.misses import misses, switched_on
from abcd_index.search.suggest import (
    MISSED,
    Suggester,
    Suggestion,
    asked_for,
    missed_words,
    wanting,
    weak_keywords,
    with_keywords,
)
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
    missed: bool = False,
) -> int:
    """Suggest, or with ``write`` add, keywords. Returns 1 when a page still wants some, else 0.

    ``page``: a file name, stem or ``name``; without it every page that has no keywords or only weak ones.
    ``limit``: at most this many suggestions a page. ``missed``: suggest words that were typed and brought nothing.
    """
    console = console or Console()
    places = Places()
    rows: List[_Row] = []
    selection = select(root, which, places)
    console.refusals(selection)
    for scope in selection:
        with open_corpus(scope, places) as corpus:
            suggested = _missed(corpus, page, places) if missed else _suggested(corpus, page, limit)
            for document, suggestions in suggested:
                written = write and bool(suggestions) and _write(document, suggestions, console)
                rows.append(_Row(document, _reason(document), suggestions, written))
    if missed and not rows:
        return _nothing_missed(places, console, as_json)
    if page is not None and not rows:
        raise AbcdError(f"no page answers to {page}", "give a file name, its stem, or the page's `name`")
    if as_json:
        console.data({"pages": [row.values() for row in rows]}, indent=2)
    else:
        _print(rows, write, Paths(places), console)
    if selection.refused:
        return FAILED
    return OK if all(row.written for row in rows) else FINDINGS


def _suggested(corpus: Corpus, page: str | None, limit: int) -> Iterator[Tuple[Document, List[Suggestion]]]:
    documents = asked_for(corpus, page)
    suggester = Suggester(corpus) if documents else None
    for document in documents:
        yield document, suggester.suggest(document, limit) if suggester else []


def _missed(corpus: Corpus, page: str | None, places: Places) -> Iterator[Tuple[Document, List[Suggestion]]]:
    """The pages that say a word that was missed, with those words."""
    asked = None if page is None else {document.file for document in asked_for(corpus, page)}
    for document, suggestions in missed_words(corpus, misses(corpus.scope, places)):
        if asked is None or document.file in asked:
            yield document, suggestions


def _nothing_missed(places: Places, console: Console, as_json: bool) -> int:
    if as_json:
        console.data({"pages": []}, indent=2)
    elif switched_on(places):
        console.line("No typed word that a page says brought nothing.")
    else:
        console.line("Words that bring nothing are not counted.")
        console.note(f'hint: write "misses": true into {places.user}/config.json to count them, on this machine only')
    return OK


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
    if one.where == MISSED:
        times = f"typed {times} and brought nothing"
    also = one.also_surfaces
    more = f" and {len(also) - 3} more" if also[3:] else ""
    surfaces = f"also surfaces {', '.join(also[:3])}{more}" if also else "surfaces nothing else"
    where = times if one.where == MISSED else f"{one.where}, {times}"
    return f"{where}; its words are in {count(one.pages, 'page')}; {surfaces}"
