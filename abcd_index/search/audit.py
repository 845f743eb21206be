"""Upkeep: grades the pages of a store, and says of each what to do about it.

A page is ``dead reference`` when it names something that is gone, ``stale`` when nobody touched it for longer
than the span, else ``fresh``. Beside its grade a page may have been superseded or contradicted, or never
recalled. Nothing is repaired.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Set, Tuple

from abcd_index.errors import CannotTell
from abcd_index.git.log import Gone
from abcd_index.scopes import Scope
from abcd_index.search.corpus import Corpus, Document
from abcd_index.search.rank import months_between
from abcd_index.search.references import LINK, PATH, Files, Reference, references, where_now
from abcd_index.store.links import Links
from abcd_index.store.read import read_store
from abcd_index.store.records import Page

FRESH, STALE, DEAD = "fresh", "stale", "dead reference"
NEVER, SUPERSEDED, CONTRADICTS = "never recalled", "superseded", "contradicts"
# What makes `recall --audit` exit 1; a page that nobody asked for yet is no fault.
FAULTS = (STALE, DEAD, SUPERSEDED, CONTRADICTS)


class Remark(NamedTuple):
    """``kind``: stale, dead reference, superseded, contradicts, never recalled; ``line``: of the file, or None."""

    kind: str
    line: int | None
    message: str
    fix: str


class Grade(NamedTuple):
    """One page's grade: ``months`` since it was touched, ``recalls`` of it, ``remarks`` on it."""

    document: Document
    months: float
    recalls: int
    remarks: List[Remark]

    @property
    def grade(self) -> str:
        """The page's grade: dead reference, stale or fresh."""
        return next((kind for kind in (DEAD, STALE) if self.has(kind)), FRESH)

    @property
    def faulty(self) -> bool:
        """Whether something about the page is to be mended."""
        return any(self.has(kind) for kind in FAULTS)

    def has(self, kind: str) -> bool:
        """Whether a remark of this kind was made."""
        return any(remark.kind == kind for remark in self.remarks)

    def values(self) -> Dict[str, Any]:
        """The grade as JSON has it."""
        document = self.document
        return {
            "name": document.name,
            "type": document.type or "unknown",
            "path": document.path,
            "grade": self.grade,
            "recency_months": round(self.months, 2),
            "usage_count": self.recalls,
            "remarks": [remark._asdict() for remark in self.remarks],
        }


def audit(
    corpus: Corpus, now: float, stale_months: float = 6.0, types: Sequence[str] = ()
) -> Tuple[List[Grade], List[str]]:
    """([Grade] by file name, [note]) of a store's pages. ``now``: seconds since 1970; ``types``: those wanted, folded,
    none for all."""
    store = read_store(corpus.scope)
    pages = {page.name: page for page in store.pages}
    links = Links(store.pages)
    files, notes = _files(corpus.scope)
    counted = bool(corpus.recalls)
    if not counted:
        notes.append("no recall was recorded in this store yet, so none of its pages is called never recalled")
    grades = []
    for document in corpus.documents():
        page = pages.get(document.file)
        if page is None or types and page.type.casefold() not in types:
            continue
        grade = Grade(
            document,
            months_between(document.touched, now),
            corpus.recalls.get(document.file, 0),
            _dead(page, links, files) + _older(page, corpus.artefact.newer, links),
        )
        if grade.months > stale_months:
            grade.remarks.append(
                Remark(
                    STALE,
                    page.lines.get("updated"),
                    f"untouched for {grade.months:.0f} months",
                    "read it: set `updated` to today if it holds, else correct or delete it",
                )
            )
        if counted and not grade.recalls:
            grade.remarks.append(
                Remark(
                    NEVER,
                    None,
                    "no recall has ever shown it",
                    f"give it better words (`abcd-index keywords {page.name}`), or delete it",
                )
            )
        grades.append(grade)
    return grades, [*corpus.dates.notes, *notes]


def _files(scope: Scope) -> Tuple[Files | None, List[str]]:
    """(Files or None, [note]) of the repository around a store."""
    from abcd_index.git import log
    from abcd_index.git import run as git

    try:
        where = git.find_worktree(scope.store)
        if where is None:
            return None, [f"{scope.store} is in no git repository: the paths that its pages name are not checked"]
        notes = (
            ["this clone is shallow: files that went before its first commit are not noticed"]
            if git.is_shallow(where)
            else []
        )
        gone = log.gone_paths(where) if git.head(where) else {}
        return Files(where.top, scope.store, git.tracked(where), gone), notes
    except CannotTell as error:
        return None, [f"{error}: the paths that pages name are not checked"]


def _dead(page: Page, links: Links, files: Files | None) -> List[Remark]:
    """A Remark on each thing that the page names and that is not there; on a removed file once."""
    remarks: List[Remark] = []
    reported: Set[Gone] = set()
    for one in references(page.body, page.body_line):
        remark = None
        if one.kind == PATH:
            remark = _dead_path(one, files, reported) if files and not links.resolve(one.target) else None
        elif one.kind == LINK:
            remark = _dead_link(one, links, files, reported)
        elif links.resolve(one.target) is None:
            remark = Remark(
                DEAD,
                one.line,
                f"no page answers to {one.target}",
                "name a page by its file name, stem or `name`, or drop the link",
            )
        if remark is not None:
            remarks.append(remark)
    return remarks


def _dead_path(one: Reference, files: Files, reported: Set[Gone]) -> Remark | None:
    found = files.dead_path(one.target)
    if found is None or found[1] in reported:
        return None
    old, gone = found
    reported.add(gone)
    return Remark(DEAD, one.line, _removed(one.target, old, gone, files), _way_out(gone, files))


def _dead_link(one: Reference, links: Links, files: Files | None, reported: Set[Gone]) -> Remark | None:
    if files is None or links.resolve(os.path.basename(one.target)) is not None:
        return None
    dead, gone = files.dead_link(one.target)
    if not dead:
        return None
    if gone is None:
        return Remark(DEAD, one.line, f"the link to {one.target} leads nowhere", "correct the link, or drop it")
    reported.add(gone)
    return Remark(DEAD, one.line, _removed(one.target, one.target, gone, files), _way_out(gone, files))


def _removed(target: str, old: str, gone: Gone, files: Files) -> str:
    named = target if target == old else f"{target} ({old})"
    now = where_now(gone, files)
    return f"{named} was {f'moved to {now}' if now else 'removed'} in {gone.commit} ({gone.date})"


def _way_out(gone: Gone, files: Files) -> str:
    return "name the new path" if where_now(gone, files) else "correct the page, or delete it if it was about that"


def _older(page: Page, newer_than: Callable[[str], str], links: Links) -> List[Remark]:
    """What other pages say against this one, or it against them. ``newer_than(file)``: the page that stands in
    its stead, or ''."""
    newer = newer_than(page.name)
    if newer:
        return [
            Remark(
                SUPERSEDED,
                page.lines.get("superseded_by"),
                f"{newer} contradicts or supersedes it; it is never shown whole",
                f"move what still holds into {newer} and delete this page",
            )
        ]
    # That a link names no page is what `verify` reports. Here: two pages against each other, neither the newer.
    others = [links.resolve(link) for link in page.contradicts]
    return [
        Remark(
            CONTRADICTS,
            page.lines.get("contradicts"),
            f"it contradicts {other}, and nothing says which one holds",
            "give the newer one a later `updated`, or let it supersede the other",
        )
        for other in others
        if other and other != page.name and newer_than(other) != page.name
    ]
