"""The session hook: what a session was given is forgotten when its context is, and stale scopes are rebuilt.

Standard library only. It runs when a session starts and around a compaction, not at prompts, so it may look
at every page's time; the rebuild itself is a process of its own that nobody waits for.
"""

import sys

from abcd_index.agents.hosts import COPILOT, envelope, read_call
from abcd_index.artefact.format import ROW, TIMES_SUFFIX, of_another_release
from abcd_index.artefact.names import is_markdown, is_page
from abcd_index.artefact.reader import open_current
from abcd_index.errors import ArtefactError, ArtefactMissing, FormatTooNew
from abcd_index.recall import gauge, wire
from abcd_index.recall.compare import look
from abcd_index.recall.decide import DEFAULTS, settings_of
from abcd_index.recall.rebuild import rebuild
from abcd_index.recall.router import forced_host, report
from abcd_index.recall.router import respond as answer_prompt
from abcd_index.recall.sweep import forget, prune
from abcd_index.scopes import Places, find_scopes

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os

# Seconds for the whole hook. A hundred thousand pages are looked at in less than one.
DEADLINE = 20.0
PRUNED = 256
EMPTIED = ("precompact", "postcompact", "precompress")
BEGUN = ("startup", "new", "")
# Agents whose prompt hook may drop what it is given: their session starts with a word on where the pages are.
TOLD_AT_START = (COPILOT, "vscode")


def main():
    """The process: never returns."""
    try:
        wire.arm()
        _, payload = wire.read_all()
        wire.arm(DEADLINE)
        places = Places()
        if payload is not None and places.get("ABCD_INDEX") != "0":
            respond(payload, places, forced_host(sys.argv))
    except BaseException as error:
        report(error)
    wire.leave()


def respond(payload, places, forced="", send=wire.send):
    """Act on one payload (dict); at a session's start say through ``send`` what a person should mend."""
    call = read_call(payload, forced, places.get)
    event = call.event.lower()
    session = wire.session_of(call.session, places)
    begins = event in ("sessionstart", "agentspawn")
    if session is not None and not call.subagent:
        if event in EMPTIED or (begins and call.source in ("clear", "compact")):
            forget(session)
            gauge.reset(session)
        elif begins and call.source in BEGUN:
            forget(session)
            gauge.reset(session, make=False)
        if begins:
            prune(session, PRUNED)
    if not begins:
        return
    lines = []
    scopes = find_scopes(call.cwd, places)
    for scope in scopes:
        lines += inspect(scope, places)
    if call.host in TOLD_AT_START:
        if call.prompt:
            answer_prompt(payload, places, forced, send)
            return
        lines += [whereabouts(scope) for scope in scopes]
    if lines:
        wire.arm(0)
        send(envelope(call.host, call.event, "\n".join(lines), wire.quote))


def inspect(scope, places):
    """Start a rebuild of ``scope`` if its artefact is not that of its pages. Returns the sentences that a person
    should read."""
    if not holds_pages(scope):
        return []
    shown = scope.shown.rstrip("/")
    try:
        artefact = open_current(scope.index)
    except FormatTooNew as error:
        return ["abcd-index: the index of %s cannot be read: %s. Its pages are not recalled; "
                "upgrade abcd-index, or run `abcd-index build`." % (shown, error)]
    except ArtefactError as error:
        state = "not built yet" if isinstance(error, ArtefactMissing) else "damaged"
        begun = rebuild(scope, places, force=state == "damaged")
        way = "a build was started" if begun else "run `abcd-index build`"
        return ["abcd-index: the index of %s is %s, so its pages are not recalled; %s." % (shown, state, way)]
    try:
        if is_stale(scope, artefact):
            rebuild(scope, places)
    finally:
        artefact.close()
    return []


def is_stale(scope, artefact):
    """Whether a page, the catalogue, the rules or the settings changed since the artefact was built, or another
    release built it.

    Names are not compared: as long as the folder's own time stands, no name came or went.
    """
    if of_another_release(artefact.header):
        return True
    try:
        times = scope.index + "/" + artefact.header["key"] + TIMES_SUFFIX
        built = wire.modified(times)
        folder, rows = read_times(times)
        if wire.modified(scope.store) != folder:
            return True
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return True
    for name, made in (("rules.json", artefact.domains), ("config.json", settings_of(artefact.header) != DEFAULTS)):
        try:
            if _os.lstat(scope.home + "/" + name).st_mtime_ns > built:
                return True
        except OSError:
            if made:
                return True
    found = []
    for name in _os.listdir(scope.store):
        if is_markdown(name):
            there = look(scope.store, name)
            if there is None:
                continue
            if is_page(name):
                found.append((there[1].st_mtime_ns, there[1].st_size))
            elif there[1].st_mtime_ns > built:
                return True
    return sorted(found) != sorted(rows)


def read_times(path):
    """(mtime_ns of the folder, [(mtime_ns, size)] of its pages) of a sidecar. Raises OSError or ValueError."""
    fd = _os.open(path, _os.O_RDONLY | wire.CAREFUL)
    try:
        parts = []
        while True:
            part = _os.read(fd, 1 << 20)
            if not part:
                break
            parts.append(part)
    finally:
        _os.close(fd)
    head, _, rows = b"".join(parts).partition(b"\n")
    folder = wire.parse(head.decode("ascii"))["folder"]
    return folder, [(int(rows[at:at + 16], 16), int(rows[at + 32:at + 40], 16)) for at in range(0, len(rows), ROW)]


def holds_pages(scope):
    """Whether there is anything in the scope to recall."""
    try:
        names = _os.listdir(scope.store)
    except OSError:
        names = []
    if any([is_page(name) for name in names]):
        return True
    try:
        _os.lstat(scope.home + "/rules.json")
        return True
    except OSError:
        return False


def whereabouts(scope):
    """One sentence on where a scope's pages are, for agents that take no context at prompts."""
    return "Project notes are in %s; `abcd-index recall WORDS` finds the pages that bear on something." % scope.shown
