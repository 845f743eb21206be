"""``abcd-index fetch``: makes the artefact current with one that was built elsewhere, once it is checked.

Exit status 0 when the artefact is current, 1 when the place has none of these pages, 2 when it could not be
had: damaged, refused, out of reach. The artefact from before then stands.
"""

from __future__ import annotations

from typing import Any, Dict, List

from abcd_index import api
from abcd_index.commands.console import FAILED, OK, Console, count, failure, print_reports, seconds
from abcd_index.errors import AbcdError
from abcd_index.scopes import WORKSPACE, Places
from abcd_index.selector import select


def run(
    root: str | None = None,
    which: str = WORKSPACE,
    source: str = "",
    verify: bool = False,
    timeout: int = 600,
    as_json: bool = False,
    quiet: bool = False,
    console: Console | None = None,
    places: Places | None = None,
) -> int:
    """Fetch the artefact of the scope that ``which`` names. Returns an exit status."""
    from abcd_index.share.fetch import fetch
    from abcd_index.share.place import find_place

    console, places = console or Console(), places or Places()
    status = OK
    reports: List[Dict[str, Any]] = []
    for scope in select(root, which, places):
        try:
            place = find_place(scope, places, source)
            fetched = fetch(scope, place, full=verify, seconds=timeout)
        except AbcdError as error:
            status = max(status, getattr(error, "status", FAILED))
            reports.append(failure(scope, error, console, "absent" if status < FAILED else "failed"))
            continue
        api.note_built(scope, places)
        reports.append(
            {
                "scope": scope.name,
                "state": fetched.state,
                "key": fetched.key,
                "path": fetched.path,
                "place": place.shown,
                "pages": fetched.pages,
                "size": fetched.size,
                "seconds": fetched.seconds,
            }
        )
        if not as_json and not quiet:
            console.line(_sentence(reports[-1], fetched.took))
    api.record_interpreter(places)
    if as_json:
        print_reports(reports, status, console)
    return status


def _sentence(report: Dict[str, Any], took: float) -> str:
    pages = count(report["pages"], "page")
    did = {
        "current": f"current, nothing to fetch: {pages}",
        "switched": f"switched to an artefact that was there: {pages}",
    }.get(report["state"], f"fetched from {report['place']}: {pages}, {report['size']:,} bytes")
    return f"{report['scope']:<9}  {did}, {seconds(took)}  ({report['key'][:12]})"
