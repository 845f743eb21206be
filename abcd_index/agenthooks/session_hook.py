"""The session hook: what a session was given is forgotten when its context is, and stale scopes are rebuilt.

Standard library only. It runs when a session starts and around a compaction, not at prompts, so it may look
at every page's time; the rebuild itself is a process of its own that nobody waits for.
"""

import sys

from abcd_index.agenthooks import fill, io
from abcd_index.agenthooks.freshness import look
from abcd_index.agenthooks.ledger import forget, prune
from abcd_index.agenthooks.payload import envelope, read_call
from abcd_index.agenthooks.prompt_hook import forced_host, report
from abcd_index.agenthooks.rebuild import holds_pages, mend, rebuild
from abcd_index.agenthooks.render import flat
from abcd_index.artefact.format import ROW, TIMES_SUFFIX, of_another_release
from abcd_index.artefact.names import is_markdown, is_page
from abcd_index.artefact.provenance import open_ours
from abcd_index.artefact.reader import CAREFUL
from abcd_index.artefact.times import head_of, row_of, seen
from abcd_index.errors import ArtefactError, ArtefactMissing, FormatTooNew
from abcd_index.scopes import Places, find_scopes

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os  # type: ignore[no-redef]  # another module under the same name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from os import stat_result
    from typing import Any

    from abcd_index.artefact.reader import Artefact
    from abcd_index.scopes import Scope

# Seconds for the whole hook. A hundred thousand pages are looked at in less than one.
DEADLINE = 20.0
PRUNED = 256
BEGUN = ("startup", "new", "")
# Agents whose prompt hook may drop what it is given: their session starts with a word on where the pages are.
TOLD_AT_START = ("vscode",)


def main() -> None:
    """The process: never returns."""
    try:
        places = Places()
        io.arm(io.deadline(places))
        _, payload = io.read_all()
        io.arm(io.deadline(places, DEADLINE))
        if payload is not None and places.get("ABCD_INDEX") != "0":
            respond(payload, places, forced_host(sys.argv))
    except BaseException as error:
        report(error)
    io.leave()


def respond(
    payload: "dict[str, Any]", places: "Places", forced: str = "", send: "Callable[[bytes], bool]" = io.send
) -> None:
    """Act on one payload (dict); at a session's start say through ``send`` what a person should mend."""
    call = read_call(payload, forced, places.get)
    session = None if call.subagent else io.session_of(call.session, places, make=call.emptied)
    if session is not None:
        if call.emptied:
            forget(session)
            fill.reset(session)
        elif call.begins and call.source in BEGUN:
            forget(session)
            fill.reset(session, make=False)
        if call.begins:
            prune(session, PRUNED)
    if not call.begins:
        return
    lines = []
    scopes = find_scopes(call.cwd, places)
    for scope in scopes:
        lines += inspect(scope, places)
    if call.host in TOLD_AT_START:
        lines += [whereabouts(scope) for scope in scopes]
    if lines:
        io.arm(0)
        send(envelope(call.host, call.event, "\n".join(lines), io.quote))


def inspect(scope: "Scope", places: "Places") -> "list[str]":
    """Start a rebuild of ``scope`` if its artefact is not that of its pages. Returns the sentences that a person
    should read."""
    if not holds_pages(scope):
        return []
    shown = flat(scope.shown.rstrip("/"))
    try:
        artefact = open_ours(scope)
    except FormatTooNew as error:
        return [
            "abcd-index: the index of %s cannot be read: %s. Its pages are not recalled; "
            "upgrade abcd-index, or run `abcd-index build`." % (shown, error)
        ]
    except ArtefactError as error:
        state = "not built yet" if isinstance(error, ArtefactMissing) else "damaged"
        begun = mend(scope, error, places)
        way = "a build was started" if begun else "run `abcd-index build`"
        return ["abcd-index: the index of %s is %s, so its pages are not recalled; %s." % (shown, state, way)]
    try:
        if is_stale(scope, artefact):
            rebuild(scope, places)
    finally:
        artefact.close()
    return []


def is_stale(scope: "Scope", artefact: "Artefact") -> bool:
    """Whether a page, the catalogue, the rules or the settings changed since the artefact was built, or another
    release built it.

    Names are not compared: as long as the folder's own time stands, no name came or went.
    """
    if of_another_release(artefact.header):
        return True
    try:
        head, rows = read_times(scope, artefact)
        built = io.built(scope, artefact)
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return True
    store = _seen(_os.stat, scope.store) or [0, 0]
    if store[:2] != [head["folder"], head["changed"]]:
        return True
    for name, row in (("rules.json", head["rules"]), ("config.json", head["config"])):
        if _seen(_os.lstat, scope.home + "/" + name) != (row and row[:3]):
            return True
    found = []
    for name in _os.listdir(scope.store) if store[0] else ():
        there = look(scope.store, name) if is_markdown(name) else None
        if there is None:
            continue
        if is_page(name):
            found.append(seen(there[1]))
        elif max(seen(there[1])[:2]) > built:
            return True
    return sorted(found) != sorted(rows)


def _seen(stat: "Callable[[str], stat_result]", path: str) -> "list[int] | None":
    """What the sidecar would say of a file or folder, None where there is none."""
    try:
        return seen(stat(path))
    except OSError:
        return None


def read_times(scope: "Scope", artefact: "Artefact") -> "tuple[dict[str, Any], list[Any]]":
    """(the first line of an artefact's times sidecar, [[mtime_ns, ctime_ns, size]] of its pages). Raises OSError,
    ValueError, KeyError or TypeError."""
    path = scope.index + "/" + artefact.header["key"] + TIMES_SUFFIX
    fd = _os.open(path, _os.O_RDONLY | CAREFUL)
    data, left = [], _os.fstat(fd).st_size
    try:
        while left > 0:
            data.append(_os.read(fd, min(left, 1 << 20)))
            left -= len(data[-1]) or left
    finally:
        _os.close(fd)
    head, _, rows = b"".join(data).partition(b"\n")
    return head_of(head), [list(row_of(rows[at : at + ROW])[:3]) for at in range(0, len(rows), ROW)]


def whereabouts(scope: "Scope") -> str:
    """One sentence on where a scope's pages are, for agents that take no context at prompts."""
    return "Project notes are in %s; `abcd-index recall WORDS` finds the pages that bear on something." % flat(
        scope.shown
    )
