"""When a page was last touched, in a way that a clone does not change; and dates as people write them.

Last touched is the newest of what the page says itself (``updated``, ``modified``, its ``## History``) and
of the last commit that changed it. A file's time counts only where git has nothing to say: a page that is
not tracked, or differs from what is committed.

``dates.json`` in the index folder keeps what one walk through history found, beside the commit and the
content that it holds for. It is not in the artefact: the same pages have other dates elsewhere.
"""

from __future__ import annotations

import os
import re
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, Iterable, List, Mapping, Set, TypedDict
from unicodedata import normalize

import orjson

from abcd_index.build.scan import Observed, Source, observe
from abcd_index.errors import AbcdError, CannotTell
from abcd_index.fs import opened, replace
from abcd_index.git import log
from abcd_index.scopes import Scope, repository

SIDECAR = "dates.json"
VERSION = 1
NOWHERE = "-"  # the commit of a store that is in no repository

_SPAN = re.compile(r"(\d{1,5})\s*(d|days?|w|weeks?|m|months?|y|years?)", re.IGNORECASE)
_DAYS = {"d": 1.0, "w": 7.0, "m": 365.25 / 12, "y": 365.25}


class Sidecar(TypedDict):
    """``dates.json``. ``head``: the commit; ``cut``: pages whose last commit a shallow clone lacks; ``dates``: of all
    committed pages; ``pages``: {file: [whether it is as committed, hash]}."""

    version: int
    head: str | None
    cut: int
    dates: Dict[str, float]
    pages: Dict[str, List[Any]]


class Dates:
    """``commits``: {file name: seconds since 1970} of the pages that are as committed. ``paths``: {file name:
    path} of all pages. ``notes``: sentences that a person should read with these dates."""

    def __init__(self, commits: Mapping[str, float], paths: Mapping[str, str], notes: Iterable[str] = ()) -> None:
        self.commits = commits
        self.paths = paths
        self.notes = tuple(notes)

    def touched(self, file: str, path: str, updated: str) -> float:
        """When a page was last touched, in seconds since 1970. ``updated``: its own date, '' for none."""
        known = self.commits.get(file)
        return max(date_of(updated), _file_time(path) if known is None else known)


def date_of(updated: str) -> float:
    """The moment of a page's own date (``YYYY-MM-DD``, UTC); 0.0 when it has none."""
    try:
        return datetime.fromisoformat(updated[:10]).replace(tzinfo=timezone.utc).timestamp() if updated else 0.0
    except ValueError:
        return 0.0


def read_since(text: str, now: float) -> float:
    """``2026-07-01``, ``2026-07-01T12:00+02:00``, or a span before ``now``: ``30d``, ``2 weeks``, ``6 months``, ``1y``.

    Raises AbcdError for anything else. A date without a zone is UTC, as the dates in pages are.
    """
    text = text.strip()
    span = _SPAN.fullmatch(text)
    if span:
        return now - timedelta(days=int(span[1]) * _DAYS[span[2][0].lower()]).total_seconds()
    try:
        date = _read(text)
    except ValueError:
        raise AbcdError(
            f"--since does not understand {text!r}", "write a date (2026-07-01) or a span (30d, 2 weeks, 6 months, 1y)"
        ) from None
    return (date if date.tzinfo else date.replace(tzinfo=timezone.utc)).timestamp()


def dates_of(scope: Scope, observed: Observed, writing: bool = True) -> Dates:
    """The Dates of a scope's pages. ``writing``: whether the sidecar may be brought up to date."""
    pages = {name: source for name, _ in observed.listing.pages for source in [observed.page(name)] if source}
    around = repository(scope.store)
    head = NOWHERE if around is None else log.head(around)
    sidecar = _read_sidecar(scope)
    if not _holds(sidecar, head, pages):
        sidecar = _walked(scope, sidecar, pages) if around else _outside(pages)
        if writing and scope.index:
            _write_sidecar(scope, sidecar)
    commits = {
        name: sidecar["dates"][name] for name, row in sidecar["pages"].items() if row[0] and name in sidecar["dates"]
    }
    return Dates(commits, {name: source.path for name, source in pages.items()}, _notes(sidecar))


def refresh(scope: Scope) -> None:
    """Bring the sidecar up to date, after a build. What goes wrong is only slower at the next recall."""
    try:
        dates_of(scope, observe(scope))
    except (AbcdError, OSError):
        pass


def _holds(sidecar: Sidecar, head: str | None, pages: Mapping[str, Source]) -> bool:
    """Whether the sidecar is about this commit and these pages."""
    return (
        head is not None
        and sidecar["head"] == head
        and all(sidecar["pages"].get(name, ["", ""])[1] == source.hash for name, source in pages.items())
    )


def _walked(scope: Scope, sidecar: Sidecar, pages: Mapping[str, Source]) -> Sidecar:
    """The sidecar made anew. Only the commits since it was made are walked, unless history was rewritten since."""
    from abcd_index.git import run as git

    try:
        where = git.find_worktree(scope.store)
        head = git.head(where) if where else ""
        if where is None or not head:
            return _outside(pages, "")
        tracked = _names(git.tracked(where, scope.store))
        changed = _names(git.differing(where, scope.store))
        dates = _dates(where, scope.store, sidecar)
        cut = len(tracked - set(dates)) if git.is_shallow(where) else 0
    except CannotTell:
        return _outside(pages, "")
    rows = {name: [name in tracked and name not in changed, source.hash] for name, source in pages.items()}
    return {"version": VERSION, "head": head, "cut": cut, "dates": dates, "pages": rows}


def _dates(where: Any, store: str, sidecar: Sidecar) -> Dict[str, float]:
    """{file name: seconds} of every committed page."""
    since = log.dates_since(where, sidecar["head"] or "", store)
    if since is None:
        found = log.last_commit_dates(where, store)
        return {_name(path): _moment(date) for path, date in found.items()}
    changed, before = since
    known = sidecar["dates"]
    dates = {_name(path): known[_name(old)] for path, old in before.items() if _name(old) in known}
    dates.update((_name(path), _moment(date)) for path, date in changed.items())
    return dates


def _outside(pages: Mapping[str, Source], head: str = NOWHERE) -> Sidecar:
    """The sidecar of pages that git says nothing about."""
    rows = {name: [False, source.hash] for name, source in pages.items()}
    return {"version": VERSION, "head": head, "cut": 0, "dates": {}, "pages": rows}


def _read_sidecar(scope: Scope) -> Sidecar:
    try:
        with opened(os.path.join(scope.index, SIDECAR)) as handle:
            sidecar: Sidecar = orjson.loads(handle.read())
        if (
            sidecar["version"] == VERSION
            and isinstance(sidecar["head"], str)
            and isinstance(sidecar["cut"], int)
            and all(isinstance(date, (int, float)) for date in sidecar["dates"].values())
            and all(len(row) == 2 for row in sidecar["pages"].values())
        ):
            return sidecar
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return _outside({}, "")


def _write_sidecar(scope: Scope, sidecar: Sidecar) -> None:
    try:
        replace(os.path.join(scope.index, SIDECAR), orjson.dumps(sidecar, option=orjson.OPT_SORT_KEYS))
    except OSError:
        pass  # Only slower next time.


def _notes(sidecar: Sidecar) -> List[str]:
    if not sidecar["cut"]:
        return []
    return [
        f"this clone is shallow: of {sidecar['cut']} page(s) the last commit is cut off, their files' times count "
        "instead (`git fetch --unshallow` gets the rest)"
    ]


def _names(paths: Iterable[str]) -> Set[str]:
    return {_name(path) for path in paths}


def _name(path: str) -> str:
    # git's names are bytes; what the locale makes of them is nothing to write down.
    name = os.fsencode(path.rpartition("/")[2]).decode("utf-8", "replace")
    return normalize("NFC", name)


def _moment(date: str) -> float:
    return _read(date).timestamp()


def _read(date: str) -> datetime:
    # Python before 3.11 does not read the Z that newer gits write.
    return datetime.fromisoformat(date[:-1] + "+00:00" if date.endswith("Z") else date)


def _file_time(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
