"""What a session has already been given, so that no page comes twice.

Prompt path, loaded only when something matched. The ledger is a log: a line that names the session, then
one line per prompt, each added in one write, so that hooks that run side by side lose nothing. Whatever
else is found in the file makes it a new, empty ledger.

    abcd-ledger 1 <length> <name>
    + <bracket> <marker> <signature>:<form> ...     a prompt that was given something
    .                                               a prompt that was given nothing
    !                                               all before this line is forgotten (the refresh)
"""

import time

from abcd_index.recall.wire import LEDGER, ONCE, append, create, fingerprint, load, remove, replace

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os

MAGIC = "abcd-ledger 1"
LONGEST = 1 << 18
# Past this size a refresh starts the file anew.
LARGE = 1 << 14
# Forms of a page, weakest first.
LINE, HEAD, FULL = 1, 2, 3
# Two hooks that are given the same prompt within this many seconds are one delivery.
TWICE = 10


class Ledger:
    """``seen``: {signature: (form, prompt number)}. ``prompts``: prompts since the first that was given
    something. ``depleted``: the session was in that bracket. ``after``: prompts since the last that was
    given something. ``bracket`` and ``marker``: of that one. ``state``: 'new', 'good' or 'bad'."""

    __slots__ = ("seen", "prompts", "depleted", "after", "bracket", "marker", "state", "size", "refreshed")

    def __init__(self):
        self.seen = {}
        self.prompts = 0
        self.depleted = False
        self.after = 0
        self.bracket = ""
        self.marker = ""
        self.state = "new"
        self.size = 0
        self.refreshed = False


def read_ledger(session, refresh_every=0):
    """The session's Ledger (an empty one for None). ``refresh_every``: after so many prompts it is forgotten; 0: never.

    Never raises: what cannot be read is an empty ledger.
    """
    ledger = Ledger()
    data = load(session, LEDGER, LONGEST) if session is not None else None
    if data is None:
        return ledger
    ledger.size = len(data)
    ledger.state = "good" if _parse(ledger, data, session.mark) else "bad"
    if ledger.state == "bad":
        fresh = Ledger()
        fresh.state = "bad"
        return fresh
    if refresh_every and ledger.seen and ledger.prompts >= refresh_every:
        ledger.seen = {}
        ledger.refreshed = True
    return ledger


def _parse(ledger, data, mark):
    """Read the log into ``ledger``. False when it is not this session's ledger."""
    named = False
    started = False
    for line in data.decode("ascii", "replace").split("\n"):
        if line == ".":
            ledger.prompts += started
            ledger.after += 1
        elif line == "!":
            ledger.seen = {}
            ledger.prompts = 0
            started = False
        elif line.startswith("+ "):
            ledger.prompts += started
            started = True
            ledger.after = 0
            try:
                _take(ledger, line.split(" "))
            except (ValueError, IndexError):
                return False
        elif line.startswith(MAGIC):
            if line != MAGIC + " " + mark:
                return False
            named = True
        elif line:
            return False
    if started:
        ledger.prompts += 1
    return named


def _take(ledger, words):
    ledger.bracket, ledger.marker = words[1], words[2]
    if words[1] == "DEPLETED":
        ledger.depleted = True
    for word in words[3:]:
        signature, _, form = word.partition(":")
        form = int(form)
        if form > ledger.seen.get(signature, (0, 0))[0]:
            ledger.seen[signature] = form, ledger.prompts


def note(session, ledger, bracket, marker, marks):
    """Keep what was sent. ``marks``: [(signature, form)]. What cannot be written only repeats a page."""
    row = "+ %s %s %s\n" % (bracket, marker or "-", " ".join(["%s:%d" % mark for mark in marks]))
    head = MAGIC + " " + session.mark + "\n"
    if ledger.refreshed:
        row = "!\n" + row
        if ledger.size > LARGE:
            head += "+ DEPLETED -\n" if ledger.depleted else ""
            return replace(session, LEDGER, (head + row).encode("ascii"))
    if ledger.state == "bad":
        return replace(session, LEDGER, (head + row).encode("ascii"))
    if ledger.state == "new":
        made = create(session, LEDGER, (head + row).encode("ascii"))
        if made and session.path[-1] == "0":
            # One session in sixteen sweeps up after the others, for those who have no session hook to do it.
            from abcd_index.recall.sweep import prune

            prune(session)
        if made is not False:
            return made
    return append(session, LEDGER, row.encode("ascii"))


def marker_of(turn, prompt):
    """The name that two deliveries of one prompt share: by the host's own id of it, else by its text."""
    return fingerprint((turn or "\n" + prompt).encode("utf-8", "surrogatepass"))


def first_delivery(session, ledger, marker, bracket):
    """Whether this hook is the one to answer: False for the second delivery of one prompt.

    Of two hooks at the same moment the one that makes the marker file answers. A marker that is there
    already speaks of this prompt only when it is young and nothing happened since: no other prompt, no
    refresh, no change of the bracket.
    """
    suffix = ONCE + marker
    for _ in range(2):
        made = create(session, suffix, b"")
        if made is None:
            return True
        if made:
            if ledger.marker not in ("", "-", marker):
                remove(session.path + ONCE + ledger.marker)
            return True
        again = ledger.marker == marker or ledger.state == "bad"
        if again and (ledger.after or ledger.refreshed or ledger.bracket != bracket):
            remove(session.path + suffix)
            continue
        try:
            age = time.time() - _os.stat(session.path + suffix).st_mtime
        except OSError:
            return True
        if -TWICE < age < TWICE:
            return False
        remove(session.path + suffix)
    return True
