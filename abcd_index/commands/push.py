"""``abcd-index push``: makes the artefact current, as ``build`` does, and hands it out.

Exit status 0 when the place has the artefact afterwards, 2 when not.
"""

from abcd_index.commands import build as building
from abcd_index.commands.console import FAILED, OK, Out, count, failure, print_reports, seconds
from abcd_index.commands.scope_selector import pick
from abcd_index.errors import AbcdError
from abcd_index.scopes import Places


def run(root=None, which="workspace", to="", keep=None, timeout=600, as_json=False, quiet=False, out=None, places=None):
    """Push the artefact of the scope that ``which`` names. Returns an exit status."""
    from abcd_index.share.place import choose

    out, places = out or Out(), places or Places()
    code, reports = OK, []
    for scope in pick(root, which, places):
        try:
            named = choose(scope, places, to)
            built = _built(scope, places, out, as_json or quiet, quiet)
            pushed = _push(built, named, keep, timeout)
        except AbcdError as error:
            code = FAILED
            reports.append(failure(scope, error, out))
            continue
        reports.append({"scope": scope.name, "state": pushed.state, "key": pushed.key, "place": named.shown,
                        "pages": built.pages, "size": pushed.size, "pruned": pushed.pruned,
                        "seconds": round(pushed.seconds, 4)})
        if not as_json and not quiet:
            out.line(_sentence(scope, built, pushed, named))
    if as_json:
        print_reports(reports, code, out)
    return code


def _built(scope, places, out, silent, quiet):
    from abcd_index.build.run import build

    bar = None if silent else building.bar_for(out)
    try:
        built = build(scope, progress=bar)
    finally:
        if bar:
            bar.clear()
    building.note(scope, places)
    building.record(places)
    if not quiet:
        building.remarks(built, scope, out)
    return built


def _push(built, named, keep, timeout):
    from abcd_index.share.push import push

    return push(built, named, keep, timeout)


def _sentence(scope, built, pushed, named):
    what = f"{count(built.pages, 'page')}, {pushed.size:,} bytes"
    did = f"pushed to {named.shown}: {what}" if pushed.state == "pushed" else f"{named.shown} has it already: {what}"
    pruned = f", {count(pushed.pruned, 'older one')} deleted" if pushed.pruned else ""
    return f"{scope.name:<9}  {did}{pruned}, {seconds(pushed.seconds)}  ({pushed.key[:12]})"
