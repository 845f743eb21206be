"""``abcd-index recall``: the pages that answer a query, what the hook would inject for a prompt, or (``--audit``) which
pages want a look. ``verify`` stays about the artefact: its answer is the same for everybody, while that of an audit
depends on today's date and on one's own recalls."""

from __future__ import annotations

import sys
import time
from typing import Any, Dict, List, Sequence

from abcd_index.commands.console import FAILED, FINDINGS, OK, Console, Part, Paths, count
from abcd_index.scopes import Places
from abcd_index.search.answer import Answer, Audit, answer, audit_stores
from abcd_index.search.audit import CONTRADICTS, DEAD, FRESH, NEVER, STALE, SUPERSEDED
from abcd_index.search.dates import read_since
from abcd_index.search.preview import Preview
from abcd_index.search.preview import preview as preview_of
from abcd_index.search.rank import SIGNAL, Query, Result
from abcd_index.search.words import hits, read_terms
from abcd_index.selector import ALL, Selection, Wanted, select

_FORMS = {"full": "green", "head": "green", "line": "yellow", "none": "dim"}
_REMARKS = {DEAD: "red", SUPERSEDED: "red", CONTRADICTS: "red", STALE: "yellow", NEVER: "dim"}
# Characters of an excerpt of a page's text.
_EXCERPT = 180


def stores(root: str | None, scope: str, memory_dir: str | None, everywhere: bool) -> Wanted:
    """Which stores are asked, from what was given on the command line."""
    return Wanted(root, scope, memory_dir, everywhere)


def query(
    terms: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    limit: int = 5,
    min_score: float | None = None,
    stale_months: float = 6.0,
    ranking: str = SIGNAL,
    since: str | None = None,
) -> Query:
    """The query, from what was given on the command line. Raises AbcdError for a date that none can read."""
    now = time.time()
    return Query(
        read_terms(terms or ()),
        types or (),
        limit,
        min_score,
        stale_months,
        ranking,
        None if since is None else read_since(since, now),
        now,
    )


def terms(
    asked: Query,
    wanted: Wanted,
    as_json: bool = False,
    explain: bool = False,
    record: bool = True,
    console: Console | None = None,
) -> int:
    """Answer a query. Returns an exit status: 0 also when no page matches, 2 for a query that asks nothing.

    ``explain``: show the sum behind each score. ``record``: count what was shown; without it nothing is written.
    """
    console = console or Console()
    if asked.empty:
        console.note("abcd-index: nothing to look for")
        console.note(
            "hint: give words (`abcd-index recall auth login`), a --type or a --since to browse, "
            "or --prompt TEXT to see what the hook would inject"
        )
        return FAILED
    places = Places()
    with answer(asked, wanted, places, record) as found:
        _selected(found.selection, console)
        for note in found.notes:
            console.note(note)
        if as_json:
            console.data(found.values(explain), indent=2)
        else:
            _print_answer(found, explain, Paths(places), console)
        return _least(found.selection)


def prompt(
    text: str,
    root: str | None = None,
    which: str = ALL,
    remaining: float | None = None,
    session: str | None = None,
    as_json: bool = False,
    console: Console | None = None,
    places: Places | None = None,
) -> int:
    """Show what a prompt brings. Returns an exit status: 1 when no scope has an artefact that can be used.

    ``text``: of the prompt, ``-`` for standard input.
    """
    console, places = console or Console(), places or Places()
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    selection = select(root, which, places)
    found = preview_of(text, selection, places, remaining, session)
    console.refusals(selection)
    if as_json:
        console.data(found.values(), indent=1)
    else:
        _print_preview(found, console)
    for problem in found.problems:
        console.complain(problem.error, problem.hint, problem.scope)
    return max(_least(selection), FINDINGS if found.blind else OK)


def audit(
    asked: Query, wanted: Wanted, as_json: bool = False, record: bool = True, console: Console | None = None
) -> int:
    """Grade the pages. Returns 1 when a page is stale, superseded or names what is gone, else 0.

    ``record``: whether anything may be written; nothing is counted as a recall.
    """
    console = console or Console()
    places = Places()
    found = audit_stores(asked, wanted, places, record)
    _selected(found.selection, console)
    for note in found.notes:
        console.note(note)
    if as_json:
        console.data(
            {"count": len(found.grades), "grades": _tally(found), "pages": [grade.values() for grade in found.grades]},
            indent=2,
        )
    else:
        _print_audit(found, Paths(places), console)
    return max(_least(found.selection), FINDINGS if any(grade.faulty for grade in found.grades) else OK)


def _selected(selection: Selection, console: Console) -> None:
    console.refusals(selection)
    if selection.forgotten:
        console.note(
            f"{count(selection.forgotten, 'workspace')} that no longer exist"
            f"{'s' if selection.forgotten == 1 else ''} forgotten"
        )


def _least(selection: Selection) -> int:
    return FAILED if selection.refused else OK


def _print_answer(found: Answer, explain: bool, paths: Paths, console: Console) -> None:
    for number, result in enumerate(found.results):
        if number:
            console.line()
        _print_result(result, found.query, explain, paths, console)
    if found.results:
        return
    words = found.query.terms
    wanted = " ".join(words) if words else "these filters"
    console.line(f"No page matches {wanted} ({count(found.pages, 'page')} asked).")
    phrases = [word for word in words if " " in word]
    if phrases:
        console.note(f"hint: {phrases[0]!r} is looked for as it stands; without quotes its words count one by one")


def _print_result(result: Result, query: Query, explain: bool, paths: Paths, console: Console) -> None:
    document = result.document
    console.line(
        (document.name, "bold cyan"), "  ", (document.type or "no type", "dim"), "  ", (f"{result.score:.2f}", "bold")
    )
    description = document.description
    if description:
        _print_text(description, query.terms, "", console)
    newer = document.corpus.artefact.newer(document.file)
    if newer:
        console.line("  ", (f"superseded or contradicted by {newer}", "yellow"))
    text, _ = result.excerpt(query.terms, _EXCERPT)
    if text and not (query.browsing and description):
        _print_text(text, query.terms, "dim", console)
    console.line("  ", (paths.short(document.path), "dim"))
    if explain:
        for line in result.sums.lines(result, query):
            console.line("  " + line)


def _print_text(text: str, words: Sequence[str], style: str, console: Console) -> None:
    """A text with its hits in colour."""
    text = " ".join(text.split())
    parts: List[Part] = []
    done = 0
    for start, end in hits(text, words):
        parts += [(text[done:start], style), (text[start:end], "bold yellow")]
        done = end
    console.text(*parts, (text[done:], style), first="  ", rest="  ")


def _print_preview(found: Preview, console: Console) -> None:
    outcome = found.outcome
    if outcome.bracket:
        console.line((outcome.bracket, "bold"), f": {found.why}")
    else:
        console.line(("Nothing comes: ", "bold"), found.why)
    if outcome.text:
        console.line()
        console.block(outcome.text.rstrip("\n"))
    for row in outcome.decisions:
        console.line()
        _print_decision(row, console)
    if outcome.more:
        console.line()
        console.line(f"{count(outcome.more, 'page')} more that only share a keyword were not looked at")
    for scope in outcome.stale:
        console.note(f"{scope.name}: pages changed since the artefact was built; run `abcd-index build`")


def _print_decision(row: Dict[str, Any], console: Console) -> None:
    score = ""
    if row.get("score"):
        score = f"  {row['score']:.2f} = {row['keywords']:.2f} keywords + {row['text']:.2f} text"
    name = row["file"] + (f" *{row['title']}" if row["kind"] == "rules" else "")
    console.line((f"{row['form']:<5}", f"bold {_FORMS.get(row['form'], '')}"), f" {name}", (score, "cyan"))
    keywords = []
    for word in row["words"]:
        spelled = f" as {word['seen']!r}" if word["seen"].casefold() != word["keyword"].casefold() else ""
        keywords.append(
            f"{word['keyword']!r}{spelled} ({word['where']}, {count(word['pages'], 'page')}, {word['figure']:.2f})"
        )
    addends = [f"{term['term']} {term['text'] + term['title']:.2f}" for term in row.get("terms", ())]
    for text in (
        row["why"] or "it comes",
        "keywords: " + ", ".join(keywords) if keywords else "",
        "text: " + " + ".join(addends) if addends else "",
        _support(row),
    ):
        if text:
            console.text(text, first="      ", rest="        ")


def _support(row: Dict[str, Any]) -> str:
    """What the prompt's other words say of a page, where that decided."""
    if not row.get("support"):
        return ""
    if row["evidence"] == "text":
        return f"evidence: text, {row['support']:.2f} of {row['threshold']:.2f}"
    return f"support of the other words: {row['support']:.2f} of {row['threshold']:.2f}"


def _print_audit(found: Audit, paths: Paths, console: Console) -> None:
    for grade in found.grades:
        shown = paths.short(grade.document.path)
        for remark in grade.remarks:
            console.line(
                (f"{shown}:{remark.line}" if remark.line else shown, "bold"),
                ": ",
                (remark.kind, _REMARKS[remark.kind]),
                f": {remark.message}",
                (f"; {remark.fix}", "dim"),
            )
    tally = ", ".join(f"{number} {grade}" for grade, number in _tally(found).items())
    extra = [
        f"{number} {kind}"
        for kind in (SUPERSEDED, CONTRADICTS, NEVER)
        for number in [sum(grade.has(kind) for grade in found.grades)]
        if number
    ]
    console.line(f"{count(len(found.grades), 'page')}: {tally}" + (f"; {', '.join(extra)}" if extra else ""))


def _tally(found: Audit) -> Dict[str, int]:
    return {name: sum(grade.grade == name for grade in found.grades) for name in (FRESH, STALE, DEAD)}
