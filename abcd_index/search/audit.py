"""Upkeep: grades the pages of a store, and says of each what to do about it.

A page is ``dead reference`` when it names something that is gone, ``stale`` when nobody touched it for longer
than the span, else ``fresh``. Beside its grade a page may have been superseded or contradicted, or never
recalled. Nothing is repaired.
"""

import os

from abcd_index.errors import CannotTell
from abcd_index.search.rank import months_between
from abcd_index.search.references import LINK, PATH, Files, references, where_now
from abcd_index.store.links import Links
from abcd_index.store.read import read_store

FRESH, STALE, DEAD = "fresh", "stale", "dead reference"
NEVER, OLD, AGAINST = "never recalled", "superseded", "contradicts"
# What makes `recall --audit` exit 1; a page that nobody asked for yet is no fault.
FAULTS = (STALE, DEAD, OLD, AGAINST)


class Remark:
    """``kind``: stale, dead reference, superseded, contradicts, never recalled; ``line``: of the file, or None."""

    __slots__ = ("kind", "line", "message", "fix")

    def __init__(self, kind, line, message, fix):
        self.kind = kind
        self.line = line
        self.message = message
        self.fix = fix


class Grade:
    """One page's grade. ``entry``, ``grade``, ``months`` since it was touched, ``recalls``, ``remarks``."""

    __slots__ = ("entry", "grade", "months", "recalls", "remarks")

    def __init__(self, entry, months, recalls, remarks):
        kinds = {remark.kind for remark in remarks}
        self.entry = entry
        self.months = months
        self.recalls = recalls
        self.remarks = remarks
        self.grade = DEAD if DEAD in kinds else STALE if STALE in kinds else FRESH


def audit(shelf, now, stale_months=6.0, types=()):
    """([Grade] by file name, [note]) of a shelf's pages. ``now``: seconds since 1970."""
    store = read_store(shelf.scope)
    pages = {page.name: page for page in store.pages}
    links = Links(store.pages)
    files, notes = _files(shelf.scope)
    counted = bool(shelf.recalls)
    if not counted:
        notes.append("no recall was recorded in this store yet, so none of its pages is called never recalled")
    grades = []
    for entry in shelf.entries():
        page = pages.get(entry.file)
        if page is None or types and page.type.casefold() not in types:
            continue
        months = months_between(shelf.dates.touched(entry), now)
        recalls = shelf.recalls.get(entry.file, 0)
        remarks = _dead(page, links, files) + _older(page, shelf.artefact.newer, links)
        if months > stale_months:
            remarks.append(Remark(STALE, page.lines.get("updated"), f"untouched for {months:.0f} months",
                                  "read it: set `updated` to today if it holds, else correct or delete it"))
        if counted and not recalls:
            remarks.append(Remark(NEVER, None, "no recall has ever shown it",
                                  f"give it better words (`abcd-index keywords {page.name}`), or delete it"))
        grades.append(Grade(entry, months, recalls, remarks))
    return grades, notes


def _files(scope):
    """(Files or None, [note]) of the repository around a store."""
    from abcd_index.git import log as history
    from abcd_index.git import run as ask

    try:
        where = ask.place(scope.store)
        if where is None:
            return None, [f"{scope.store} is in no git repository: the paths that its pages name are not checked"]
        notes = ["this clone is shallow: files that went before its first commit are not noticed"
                 ] if ask.is_shallow(where) else []
        gone = history.gone_paths(where) if history.head_of(where) else {}
        return Files(where.top, scope.store, ask.tracked(where), gone), notes
    except CannotTell as error:
        return None, [f"{error}: the paths that pages name are not checked"]


def _dead(page, links, files):
    remarks, told = [], set()
    for one in references(page.body, page.body_line):
        remark = None
        if one.kind == PATH:
            remark = _dead_path(one, files, told) if files and not links.resolve(one.target) else None
        elif one.kind == LINK:
            remark = _dead_link(one, links, files, told)
        elif links.resolve(one.target) is None:
            remark = Remark(DEAD, one.line, f"no page answers to {one.target}",
                            "name a page by its file name, stem or `name`, or drop the link")
        if remark is not None:
            remarks.append(remark)
    return remarks


def _dead_path(one, files, told):
    found = files.dead_path(one.target)
    if found is None or found[1] in told:
        return None
    old, gone = found
    told.add(gone)
    return Remark(DEAD, one.line, _told(one.target, old, gone, files), _way_out(gone, files))


def _dead_link(one, links, files, told):
    if files is None or links.resolve(os.path.basename(one.target)) is not None:
        return None
    dead, gone = files.dead_link(one.target)
    if not dead:
        return None
    if gone is None:
        return Remark(DEAD, one.line, f"the link to {one.target} leads nowhere", "correct the link, or drop it")
    told.add(gone)
    return Remark(DEAD, one.line, _told(one.target, one.target, gone, files), _way_out(gone, files))


def _told(target, old, gone, files):
    named = target if target == old else f"{target} ({old})"
    now = where_now(gone, files)
    return f"{named} was {f'moved to {now}' if now else 'removed'} in {gone.commit} ({gone.date})"


def _way_out(gone, files):
    return "name the new path" if where_now(gone, files) else "correct the page, or delete it if it was about that"


def _older(page, newer_than, links):
    """What other pages say against this one, or it against them. ``newer_than(file)``: the page that stands in
    its stead, or ''."""
    newer = newer_than(page.name)
    if newer:
        return [Remark(OLD, page.lines.get("superseded_by"),
                       f"{newer} contradicts or supersedes it; it is never shown whole",
                       f"move what still holds into {newer} and delete this page")]
    # That a link names no page is what `verify` reports. Here: two pages against each other, neither the newer.
    others = [links.resolve(link) for link in page.contradicts]
    return [Remark(AGAINST, page.lines.get("contradicts"), f"it contradicts {other}, and nothing says which one holds",
                   "give the newer one a later `updated`, or let it supersede the other")
            for other in others if other and other != page.name and newer_than(other) != page.name]
