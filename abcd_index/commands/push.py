"""``abcd-index push``: makes the artefact current, as ``build`` does, and hands it out.

Exit status 0 when the place has the artefact afterwards, 2 when not.
"""

from __future__ import annotations

from typing import Any, Dict, List

from abcd_index import api
from abcd_index.commands.build import remarks
from abcd_index.commands.console import FAILED, OK, Console, count, failure, print_reports, seconds
from abcd_index.errors import AbcdError
from abcd_index.scopes import WORKSPACE, Places
from abcd_index.selector import select


def run(
    root: str | None = None,
    which: str = WORKSPACE,
    to: str = "",
    keep: int | None = None,
    timeout: int = 600,
    as_json: bool = False,
    quiet: bool = False,
    console: Console | None = None,
    places: Places | None = None,
) -> int:
    """Push the artefact of the scope that ``which`` names. Returns an exit status."""
    from abcd_index.build.run import build
    from abcd_index.share.place import find_place
    from abcd_index.share.push import push

    console, places = console or Console(), places or Places()
    status = OK
    reports: List[Dict[str, Any]] = []
    for scope in select(root, which, places):
        try:
            place = find_place(scope, places, to)
            with console.progress(not as_json and not quiet) as progress:
                built = build(scope, progress=progress)
            api.note_built(scope, places)
            api.record_interpreter(places)
            if not quiet:
                remarks(api.report_of(built), console)
            pushed = push(built, place, keep, timeout)
        except AbcdError as error:
            status = FAILED
            reports.append(failure(scope, error, console))
            continue
        reports.append(
            {
                "scope": scope.name,
                "state": pushed.state,
                "key": pushed.key,
                "place": place.shown,
                "pages": built.pages,
                "size": pushed.size,
                "pruned": pushed.pruned,
                "seconds": round(pushed.seconds, 4),
            }
        )
        if not as_json and not quiet:
            console.line(_sentence(reports[-1]))
    if as_json:
        print_reports(reports, status, console)
    return status


def _sentence(report: Dict[str, Any]) -> str:
    what, place = f"{count(report['pages'], 'page')}, {report['size']:,} bytes", report["place"]
    did = f"pushed to {place}: {what}" if report["state"] == "pushed" else f"{place} has it already: {what}"
    pruned = f", {count(report['pruned'], 'older one')} deleted" if report["pruned"] else ""
    return f"{report['scope']:<9}  {did}{pruned}, {seconds(report['seconds'])}  ({report['key'][:12]})"
