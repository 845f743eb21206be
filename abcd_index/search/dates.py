"""When a page was last touched, in a way that a clone does not change.

Last touched is the newest of what the page says itself (``updated``, ``modified``, its ``## History``) and
of the last commit that changed it. A file's time counts only where git has nothing to say: a page that is
not tracked, or differs from what is committed.

``dates.json`` in the index folder keeps what one walk through history found, beside the commit and the
content that it holds for. It is not in the artefact: the same pages have other dates elsewhere.
"""

import os
from datetime import datetime, timezone
from unicodedata import normalize

import orjson

from abcd_index.build.scan import observe
from abcd_index.errors import AbcdError, CannotTell
from abcd_index.fs import opened, replace
from abcd_index.git import log as history
from abcd_index.scopes import repository

SIDECAR = "dates.json"
VERSION = 1
NOWHERE = "-"  # the commit of a store that is in no repository


class Dates:
    """``commits``: {file name: seconds since 1970} of the pages that are as committed. ``paths``: {file name:
    path} of all pages. ``notes``: sentences that a person should read with these dates."""

    def __init__(self, commits, paths, notes=()):
        self.commits = commits
        self.paths = paths
        self.notes = tuple(notes)

    def touched(self, entry):
        """When a page (an Entry) was last touched, in seconds since 1970."""
        known = self.commits.get(entry.file)
        if known is None:
            known = _file_time(self.paths.get(entry.file, entry.path))
        return max(said_by(entry.record["updated"]), known)


def said_by(updated):
    """The moment of a page's own date (``YYYY-MM-DD``, UTC); 0.0 when it has none."""
    if not updated:
        return 0.0
    try:
        return datetime.fromisoformat(updated[:10]).replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        return 0.0


def dates_of(scope, observed, writing=True):
    """The Dates of a scope's pages. ``observed``: a ``build.files.Observed``; ``writing``: whether the sidecar
    may be brought up to date."""
    pages = {name: observed.page(name) for name, _ in observed.listing.pages if observed.page(name)}
    around = repository(scope.store)
    head = NOWHERE if around is None else history.head(around)
    kept = _read(scope)
    if not _holds(kept, head, pages):
        kept = _walked(scope, kept, pages) if around else _outside(pages)
        if writing and scope.index:
            _write(scope, kept)
    commits = {name: kept["dates"][name] for name, row in kept["pages"].items() if row[0] and name in kept["dates"]}
    return Dates(commits, {name: source.path for name, source in pages.items()}, _notes(kept))


def refresh(scope):
    """Bring the sidecar up to date, after a build. What goes wrong is only slower at the next recall."""
    try:
        dates_of(scope, observe(scope))
    except (AbcdError, OSError):
        pass


def _holds(kept, head, pages):
    """Whether the sidecar is about this commit and these pages."""
    return (head is not None and kept["head"] == head
            and all(kept["pages"].get(name, ("", ""))[1] == source.hash for name, source in pages.items()))


def _walked(scope, kept, pages):
    """The sidecar made anew. ``dates``: of all committed pages; ``pages``: {file: [is as committed, hash]}.

    Only the commits since the sidecar was made are walked, unless history was rewritten since.
    """
    # These ask git through GitPython, which is imported only now.
    from abcd_index.git import run as ask

    try:
        where = ask.place(scope.store)
        head = history.head_of(where) if where else ""
        if not head:
            return _outside(pages, "")
        tracked = _names(ask.tracked(where, scope.store))
        changed = _names(ask.differing(where, scope.store))
        dates = _dates(where, scope.store, kept)
        cut = len(tracked - set(dates)) if ask.is_shallow(where) else 0
    except CannotTell:
        return _outside(pages, "")
    rows = {name: [name in tracked and name not in changed, source.hash] for name, source in pages.items()}
    return {"version": VERSION, "head": head, "cut": cut, "dates": dates, "pages": rows}


def _dates(where, store, kept):
    """{file name: seconds} of every committed page."""
    from abcd_index.git.dates import last_commit_dates

    since = history.dates_since(where, kept["head"], store)
    if since is None:
        found = last_commit_dates(store, store)
        return {_name(path): _moment(date) for path, date in found.items()}
    changed, before = since
    dates = {_name(path): kept["dates"][_name(old)] for path, old in before.items() if _name(old) in kept["dates"]}
    dates.update((_name(path), _moment(date)) for path, date in changed.items())
    return dates


def _outside(pages, head=NOWHERE):
    """The sidecar of pages that git says nothing about."""
    rows = {name: [False, source.hash] for name, source in pages.items()}
    return {"version": VERSION, "head": head, "cut": 0, "dates": {}, "pages": rows}


def _read(scope):
    try:
        with opened(os.path.join(scope.index, SIDECAR)) as handle:
            kept = orjson.loads(handle.read())
        if (kept["version"] == VERSION and isinstance(kept["head"], str) and isinstance(kept["cut"], int)
                and all(isinstance(date, (int, float)) for date in kept["dates"].values())
                and all(len(row) == 2 for row in kept["pages"].values())):
            return kept
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return _outside({}, "")


def _write(scope, kept):
    try:
        replace(os.path.join(scope.index, SIDECAR), orjson.dumps(kept, option=orjson.OPT_SORT_KEYS))
    except OSError:
        pass  # Only slower next time.


def _notes(kept):
    if not kept["cut"]:
        return ()
    return (f"this clone is shallow: of {kept['cut']} page(s) the last commit is cut off, their files' times count "
            "instead (`git fetch --unshallow` gets the rest)",)


def _names(paths):
    return {_name(path) for path in paths}


def _name(path):
    # git's names are bytes; what the locale makes of them is nothing to write down.
    name = os.fsencode(path.rpartition("/")[2]).decode("utf-8", "replace")
    return normalize("NFC", name)


def _moment(date):
    # Python before 3.11 does not read the Z that newer gits write.
    return datetime.fromisoformat(date[:-1] + "+00:00" if date.endswith("Z") else date).timestamp()


def _file_time(path):
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
