"""``recall --audit``: which pages want a look, each with the line and the way out. ``verify`` stays about the
artefact: its answer is the same for everybody, while this one depends on today's date and on one's own recalls."""

import time

from abcd_index.commands.console import FINDINGS, OK, Out, count
from abcd_index.commands.recall_terms import scopes_of
from abcd_index.scopes import Places
from abcd_index.search.audit import AGAINST, DEAD, FAULTS, FRESH, NEVER, OLD, STALE, audit
from abcd_index.search.corpus import open_shelf
from abcd_index.search.excerpts import Paths

_COLOURS = {DEAD: "red", OLD: "red", AGAINST: "red", STALE: "yellow", NEVER: "dim"}


def run(root=None, scope="all", as_json=False, types=(), stale_months=6.0, memory_dir=None, project_root=None,
        everywhere=False, no_record=False, out=None, now=None):
    """Grade the pages. Returns 1 when a page is stale, superseded or names what is gone, else 0.

    Parameters as in ``recall_terms.run``. Nothing is counted as a recall.
    """
    out = out or Out()
    now = time.time() if now is None else now
    places = Places()
    paths = Paths(places)
    types = [type.casefold() for type in types]
    grades, notes = [], []
    scopes = scopes_of(root or project_root, scope, memory_dir, everywhere, not no_record, places, out)
    for one in scopes:
        shelf = open_shelf(one, places, writing=not no_record)
        try:
            found, said = audit(shelf, now, stale_months, types)
        finally:
            shelf.close()
        grades += found
        notes += list(shelf.dates.notes) + said
    for note in dict.fromkeys(notes):
        out.note(note)
    if as_json:
        out.data(_data(grades), indent=2)
    else:
        _print(out, grades, paths)
    return max(scopes.code, FINDINGS if any(r.kind in FAULTS for grade in grades for r in grade.remarks) else OK)


def _print(out, grades, paths):
    for grade in grades:
        shown = paths.short(grade.entry.path)
        for remark in grade.remarks:
            where = f"{shown}:{remark.line}" if remark.line else shown
            kind = out.style(remark.kind, _COLOURS[remark.kind])
            out.line(f"{out.style(where, 'bold')}: {kind}: {remark.message}"
                     f"{out.style('; ' + remark.fix, 'dim')}")
    tally = [f"{sum(grade.grade == name for grade in grades)} {name}" for name in (FRESH, STALE, DEAD)]
    extra = [f"{number} {name}" for name in (OLD, AGAINST, NEVER)
             for number in [sum(any(r.kind == name for r in grade.remarks) for grade in grades)] if number]
    out.line(f"{count(len(grades), 'page')}: {', '.join(tally)}" + (f"; {', '.join(extra)}" if extra else ""))


def _data(grades):
    return {
        "count": len(grades),
        "grades": {name: sum(grade.grade == name for grade in grades) for name in (FRESH, STALE, DEAD)},
        "pages": [{
            "name": grade.entry.record["name"],
            "type": grade.entry.record["type"] or "unknown",
            "path": grade.entry.path,
            "grade": grade.grade,
            "recency_months": round(grade.months, 2),
            "usage_count": grade.recalls,
            "remarks": [{"kind": remark.kind, "line": remark.line, "message": remark.message, "fix": remark.fix}
                        for remark in grade.remarks],
        } for grade in grades],
    }
