"""``abcd-index build``: makes each scope's artefact current and says what it did.

Results go to stdout, remarks (pages that were left out, findings) to stderr. Exit status 0 whenever the
artefact is current, also with findings: judging them is what ``verify`` is for.
"""

from __future__ import annotations

from typing import Sequence

from abcd_index import api
from abcd_index.api import BuildReport
from abcd_index.commands.console import FAILED, OK, Console, count, finding_line, print_reports, seconds
from abcd_index.scopes import WORKSPACE, Places
from abcd_index.selector import ALL, NothingHere, select

# Warnings beyond this many are counted, not listed: verify lists them all.
LISTED = 20


def run(
    root: str | None = None,
    which: str = ALL,
    as_json: bool = False,
    quiet: bool = False,
    force: bool = False,
    console: Console | None = None,
    places: Places | None = None,
) -> int:
    """Build the scopes that ``which`` names. Returns an exit status."""
    console, places = console or Console(), places or Places()
    selection = select(root, which, places)
    console.refusals(selection)
    reports = [api.refusal(name, error) for name, error in selection.refused]
    for scope in selection:
        with console.progress(not quiet and not as_json) as progress:
            report = api.build_scope(scope, places, force, progress)
        reports.append(report)
        if report.error:
            console.complain(report.error, report.hint, report.scope)
            continue
        if not as_json and not quiet:
            console.line(_sentence(report))
        if not quiet:
            remarks(report, console)
    api.record_interpreter(places)
    status = OK if all(report.ok for report in reports) else FAILED
    if as_json:
        print_reports([report.values() for report in reports], status, console)
    return status


def for_hook_managers(
    root: str | None = None, which: str = ALL, console: Console | None = None, places: Places | None = None
) -> int:
    """Build, and say at most one line. Always 0, because it becomes git's exit status."""
    console, places = console or Console(), places or Places()
    try:
        notes = _built_for_git(root, which, places)
    except NothingHere:
        return OK
    except Exception as error:  # A broken page or tool must never look like a failed checkout.
        notes = [f"the artefact was not built: {error}"]
    if notes:
        console.note(f"abcd-index: {' '.join('; '.join(notes).split())}")
    return OK


def _built_for_git(root: str | None, which: str, places: Places) -> Sequence[str]:
    from abcd_index.build.run import build
    from abcd_index.share.hook import fetch_first

    selection = select(root, which, places)
    notes = selection.sentences()
    for scope in selection:
        if scope.name == WORKSPACE:
            notes += filter(None, [fetch_first(scope, places)])
        build(scope)
    return notes


def _sentence(report: BuildReport) -> str:
    pages = count(report.pages, "page")
    if report.state == "current":
        did = f"current, nothing to do: {pages}"
    elif report.state == "switched":
        did = f"switched to an artefact that was there: {pages}"
    else:
        did = f"built: {pages}, {report.recompiled:,} compiled, {report.size:,} bytes"
        if report.anew:
            did += ", anew: the artefact that was there was not made on this machine, or was changed since"
    return f"{report.scope:<9}  {did}, {seconds(report.seconds)}  ({report.key[:12]})"


def remarks(report: BuildReport, console: Console) -> None:
    """Say on stderr what a build found and left out."""
    if not report.known:
        console.note(
            f"{report.scope}: the user's folder cannot be written, so this machine cannot note that the "
            "artefact is its own and the hook stays silent about it; set ABCD_HOME to a folder that can be "
            "written"
        )
    errors = [finding for finding in report.findings if finding.severity == "error"]
    warnings = [finding for finding in report.findings if finding.severity != "error"]
    for finding in errors + warnings[:LISTED]:
        console.note(*finding_line(finding))
    if report.left_out:
        more = f" and {len(report.left_out) - LISTED:,} more" if len(report.left_out) > LISTED else ""
        console.note(
            f"{report.scope}: {count(len(report.left_out), 'page')} left out: "
            f"{', '.join(report.left_out[:LISTED])}{more}"
        )
    if len(warnings) > LISTED:
        console.note(f"{report.scope}: {len(warnings) - LISTED:,} more warnings; `abcd-index verify` lists them")
