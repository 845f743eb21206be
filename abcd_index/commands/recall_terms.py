"""``recall TERMS``: pull only the pages that bear on a query, ranked by a signal that can be read."""

import sys
import time

from abcd_index import workspaces as registry
from abcd_index.commands.console import FAILED, Out, count
from abcd_index.commands.scope_selector import ALL, USER, WORKSPACE, NothingHere, gather, here, pick
from abcd_index.errors import AbcdError
from abcd_index.scopes import Places, user_scope, workspace_at
from abcd_index.search import excerpts as show
from abcd_index.search import usage
from abcd_index.search.corpus import folder_scope, open_shelf
from abcd_index.search.rank import SIGNAL, Asked, search
from abcd_index.search.since import read_since
from abcd_index.search.words import read_terms


def run(terms, root=None, scope=ALL, as_json=False, types=(), limit=5, min_score=None, stale_months=6.0,
        memory_dir=None, project_root=None, everywhere=False, explain=False, no_record=False, ranking=SIGNAL,
        since=None, out=None, now=None):
    """Answer a query. Returns an exit code: 0 also when no page matches, 2 for a query that asks nothing.

    ``terms``: words as given on the command line. ``types``: page types, any of which will do. ``limit``: at
    most this many results. ``min_score``: None for the ranking's own (0.5 for the signal, 0 for bm25f).
    ``stale_months``: span of the recency factor. ``memory_dir``: search this folder instead of the scopes.
    ``project_root``: like ``root``. ``everywhere``: every workspace ever built here, and the user scope.
    ``no_record``: write nothing at all. ``now``: seconds since 1970, for tests.
    """
    out = out or Out()
    now = time.time() if now is None else now
    asked = Asked(read_terms(terms), types, limit, min_score, stale_months, ranking,
                  None if since is None else read_since(since, now), now)
    if not _asks(out, asked):
        return FAILED
    places = Places()
    shelves = []
    try:
        scopes = scopes_of(root or project_root, scope, memory_dir, everywhere, not no_record, places, out)
        for one in scopes:
            shelves.append(open_shelf(one, places, writing=not no_record))
        results = search(shelves, asked)
        _print(out, asked, shelves, results, as_json, explain, places)
        if not no_record:
            _record(results)
    finally:
        for shelf in shelves:
            shelf.close()
    return scopes.code


def _asks(out, asked):
    """Whether the query can be answered; says what is missing."""
    if not asked.stale_months > 0:
        raise AbcdError("--stale-months has to be above 0")
    if asked.browsing and not asked.types and asked.since is None:
        out.note("abcd-index: nothing to look for")
        out.note("hint: give words (`abcd-index recall auth login`), a --type or a --since to browse, "
                 "or --prompt TEXT to see what the hook would inject")
        return False
    return True


def scopes_of(root, which, memory_dir, everywhere, writing, places, out):
    """The scopes that the flags name, as Picked. Raises AbcdError, Forbidden, Outside or NothingHere."""
    if memory_dir is not None:
        here()
        return gather([(memory_dir, lambda: folder_scope(memory_dir, places))])
    if not everywhere:
        return pick(root, which, places, out)
    there, gone = registry.roots(places)
    if gone and writing:
        registry.prune(places, gone)
        out.note(f"{count(len(gone), 'workspace')} that no longer exist{'s' if len(gone) == 1 else ''} forgotten")
    finders = [(path, lambda path=path: workspace_at(path, places)) for path in there]
    if which != WORKSPACE:
        finders.append((USER, lambda: user_scope("", places)))
    scopes = gather(finders, out)
    if not scopes:
        raise NothingHere("no workspace was built on this machine yet", "run `abcd-index build` in one")
    return scopes


def _print(out, asked, shelves, results, json_wanted, explain, places):
    for note in sorted({note for shelf in shelves for note in shelf.dates.notes}):
        out.note(note)
    if json_wanted:
        dirs = [shelf.scope.store for shelf in shelves]
        out.data(show.as_values(asked, dirs, results, explain), indent=2)
        return
    if results:
        show.Person(out, show.Paths(places)).results(asked, results, explain)
        return
    out.line(_nothing(asked, shelves))
    phrases = [term for term in asked.terms if " " in term]
    if phrases:
        out.note(f"hint: {phrases[0]!r} is looked for as it stands; without quotes its words count one by one")


def _nothing(asked, shelves):
    pages = sum(shelf.artefact.pages for shelf in shelves)
    wanted = " ".join(asked.terms) if asked.terms else "these filters"
    return f"No page matches {wanted} ({count(pages, 'page')} asked)."


def _record(results):
    """Count every surfaced page, one write for each store."""
    surfaced = {}
    for result in results:
        surfaced.setdefault(result.entry.shelf.sidecar, []).append(result.entry.file)
    for sidecar, files in surfaced.items():
        if sidecar:
            usage.record(sidecar, files)
    sys.stdout.flush()
