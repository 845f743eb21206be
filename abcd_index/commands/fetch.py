"""``abcd-index fetch``: makes the artefact current with one that was built elsewhere, once it is checked.

Exit status 0 when the artefact is current, 1 when the place has none of these pages, 2 when it could not be
had: damaged, refused, out of reach. The artefact from before then stands.
"""

from abcd_index.commands import build as building
from abcd_index.commands.console import FAILED, OK, Out, count, failure, print_reports, seconds
from abcd_index.commands.scope_selector import pick
from abcd_index.errors import AbcdError
from abcd_index.scopes import Places


def run(root=None, which="workspace", source="", verify=False, timeout=600, as_json=False, quiet=False, out=None,
        places=None):
    """Fetch the artefact of the scope that ``which`` names. Returns an exit status."""
    from abcd_index.share.fetch import fetch
    from abcd_index.share.place import choose

    out, places = out or Out(), places or Places()
    code, reports = OK, []
    for scope in pick(root, which, places):
        try:
            named = choose(scope, places, source)
            fetched = fetch(scope, named, full=verify, seconds=timeout)
        except AbcdError as error:
            code = max(code, getattr(error, "status", FAILED))
            state = "absent" if code < FAILED else "failed"
            reports.append(failure(scope, error, out, state))
            continue
        building.note(scope, places)
        reports.append({"scope": scope.name, "state": fetched.state, "key": fetched.key, "path": fetched.path,
                        "place": named.shown, "pages": fetched.pages, "size": fetched.size,
                        "seconds": fetched.seconds})
        if not as_json and not quiet:
            out.line(_sentence(scope, fetched, named))
    building.record(places)
    if as_json:
        print_reports(reports, code, out)
    return code


def _sentence(scope, fetched, named):
    pages = count(fetched.pages, "page")
    if fetched.state == "current":
        did = f"current, nothing to fetch: {pages}"
    elif fetched.state == "switched":
        did = f"switched to an artefact that was there: {pages}"
    else:
        did = f"fetched from {named.shown}: {pages}, {fetched.size:,} bytes"
    return f"{scope.name:<9}  {did}, {seconds(fetched.took)}  ({fetched.key[:12]})"
