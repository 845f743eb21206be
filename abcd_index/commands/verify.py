"""``abcd-index verify``: recomputes every scope and prints what was found, in the form that was asked for.

Exit status 0 nothing that counts, 1 findings, 2 could not tell: an artefact of another release or a
repository that git will not speak of is never reported as a difference.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, NamedTuple, Sequence

from abcd_index import __version__, fs
from abcd_index.commands.console import FAILED, FINDINGS, OK, Console, count, finding_line
from abcd_index.errors import AbcdError, CannotTell
from abcd_index.scopes import WORKSPACE, Places, guard
from abcd_index.selector import ALL, select
from abcd_index.verify.finding import Row
from abcd_index.verify.run import Verified


class _Found(NamedTuple):
    """What is printed. ``unsure``: sentences on what could not be told."""

    done: List[Verified]
    rows: List[Row]
    ok: bool
    unsure: List[str]


def run(
    root: str | None = None,
    which: str = ALL,
    form: str = "text",
    require_artefact: bool = False,
    strict: bool = False,
    pages_only: bool = False,
    console: Console | None = None,
    places: Places | None = None,
) -> int:
    """Verify the scopes that ``which`` names. Returns an exit status."""
    from abcd_index.verify.finding import is_ok
    from abcd_index.verify.run import verify

    console, places = console or Console(), places or Places()
    selection = select(root, which, places)
    console.refusals(selection)
    done = [verify(scope, require_artefact, pages_only) for scope in selection]
    rows = [row for one in done for row in one.rows]
    unsure: List[AbcdError] = [error for one in done for error in one.unsure]
    ok = is_ok(rows, strict) and not unsure and not selection.refused
    found = _Found(done, rows, ok, selection.sentences() + [str(error) for error in unsure])
    _FORMS[form](found, console, places)
    for error in unsure:
        console.complain(error, error.hint, "cannot tell")
    if unsure or selection.refused:
        return FAILED
    return OK if ok else FINDINGS


def _text(found: _Found, console: Console, places: Places) -> None:
    for row in found.rows:
        console.line(*finding_line(row))
    for one in found.done:
        console.line(one.sentence())
    errors = sum(row.severity == "error" for row in found.rows)
    text = f"{count(errors, 'error')}, {count(len(found.rows) - errors, 'warning')}"
    console.line((text, "bold green" if found.ok else "bold red"))


def _json(found: _Found, console: Console, places: Places) -> None:
    result: Dict[str, Any] = {"findings": [row.as_dict() for row in found.rows], "ok": found.ok}
    if found.unsure:
        result["cannot_tell"] = found.unsure
    console.data(result, indent=1)


def _github(found: _Found, console: Console, places: Places) -> None:
    from abcd_index.verify.github import annotations, summary

    for command in annotations(found.rows, _base(found.done, console)):
        console.line(command)
    for one in found.done:
        console.line(one.sentence())
    target = console.environ.get("GITHUB_STEP_SUMMARY")
    if target:
        sentences = [one.sentence() for one in found.done] + [f"cannot tell: {error}" for error in found.unsure]
        try:
            fs.append(
                guard(os.path.abspath(target), places),
                summary(found.rows, sentences).encode("utf-8", "backslashreplace"),
                0o644,
            )
        except OSError as error:  # The findings were printed; a missing summary must not hide them.
            console.note(f"abcd-index: no job summary: {error}")


def _sarif(found: _Found, console: Console, places: Places) -> None:
    from abcd_index.verify.codes import all_codes
    from abcd_index.verify.sarif import log

    console.data(log(found.rows, all_codes(), _base(found.done, console), __version__), indent=1)


_FORMS: Dict[str, Callable[[_Found, Console, Places], None]] = {
    "text": _text,
    "json": _json,
    "github": _github,
    "sarif": _sarif,
}


def _base(done: Sequence[Verified], console: Console) -> str:
    """The folder that paths in annotations are relative to: the checkout, else the workspace's repository."""
    from abcd_index.verify.github import relative

    named = console.environ.get("GITHUB_WORKSPACE")
    for one in done:
        if one.scope.name == WORKSPACE:
            return named if named and relative(one.scope.store, named) else _top(one.scope.root)
    return named or os.getcwd()


def _top(root: str) -> str:
    from abcd_index.verify.tree import top_of

    try:
        return top_of(root) or root
    except CannotTell:
        return root
