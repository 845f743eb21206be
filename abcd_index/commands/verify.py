"""``abcd-index verify``: recomputes every scope and prints what was found, in the form that was asked for.

Exit status 0 nothing that counts, 1 findings, 2 could not tell: an artefact of another release or a
repository that git will not speak of is never reported as a difference.
"""

import os

from abcd_index import __version__, fs
from abcd_index.commands.console import FAILED, FINDINGS, OK, Out, count
from abcd_index.commands.scope_selector import pick
from abcd_index.errors import CannotTell
from abcd_index.scopes import WORKSPACE, Places, guard


def run(root=None, which="all", form="text", require_artefact=False, strict=False, pages_only=False, out=None,
        places=None):
    """Verify the scopes that ``which`` names. Returns an exit status."""
    from abcd_index.verify.finding import is_ok
    from abcd_index.verify.run import verify

    out = out or Out()
    places = places or Places()
    scopes = pick(root, which, places, out)
    done = [verify(scope, require_artefact, pages_only) for scope in scopes]
    rows = [row for one in done for row in one.rows]
    unsure = [error for one in done for error in one.unsure]
    ok = is_ok(rows, strict) and not unsure and not scopes.refused
    {"text": _text, "json": _json, "github": _github, "sarif": _sarif}[form](
        out, done, rows, ok, scopes.sentences() + [str(error) for error in unsure], places)
    for error in unsure:
        out.complain(error, error.hint, "cannot tell")
    return max(scopes.code, FAILED if unsure else OK if ok else FINDINGS)


def _text(out, done, rows, ok, unsure, places):
    from abcd_index.verify.text import line_of

    for row in rows:
        out.line(line_of(row, out.style))
    for one in done:
        out.line(one.sentence())
    out.line(_count(rows, ok, out))


def _count(rows, ok, out):
    errors = sum(row.severity == "error" for row in rows)
    text = f"{count(errors, 'error')}, {count(len(rows) - errors, 'warning')}"
    return out.style(text, "green" if ok else "red", "bold")


def _json(out, done, rows, ok, unsure, places):
    result = {"findings": [row.as_dict() for row in rows], "ok": ok}
    if unsure:
        result["cannot_tell"] = unsure
    out.data(result, indent=1)


def _github(out, done, rows, ok, unsure, places):
    from abcd_index.verify.github import annotations, summary

    for command in annotations(rows, _base(done, out)):
        out.line(command)
    for one in done:
        out.line(one.sentence())
    target = out.environ.get("GITHUB_STEP_SUMMARY")
    if target:
        sentences = [one.sentence() for one in done] + [f"cannot tell: {error}" for error in unsure]
        try:
            fs.append(guard(os.path.abspath(target), places),
                      summary(rows, sentences).encode("utf-8", "backslashreplace"), 0o644)
        except OSError as error:  # The findings were printed; a missing summary must not hide them.
            out.note(f"abcd-index: no job summary: {error}")


def _sarif(out, done, rows, ok, unsure, places):
    from abcd_index.verify.codes import all_codes
    from abcd_index.verify.sarif import log

    out.data(log(rows, all_codes(), _base(done, out), __version__), indent=1)


def _base(done, out):
    """The folder that paths in annotations are relative to: the checkout, else the workspace's repository."""
    from abcd_index.verify.github import relative

    named = out.environ.get("GITHUB_WORKSPACE")
    for one in done:
        if one.scope.name == WORKSPACE:
            return named if named and relative(one.scope.store, named) else _top(one.scope.root)
    return named or os.getcwd()


def _top(root):
    from abcd_index.verify.tree import top_of

    try:
        return top_of(root) or root
    except CannotTell:
        return root
