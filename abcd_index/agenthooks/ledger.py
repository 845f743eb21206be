"""What a session has already been given, so that no page comes twice.

Prompt path, loaded only when something matched. The ledger is a log: a line that names the session, then
one line per prompt, each added in one write, so that hooks that run side by side lose nothing. Whatever
else is found in the file makes it a new, empty ledger.

    abcd-ledger 2 <length> <name>
    + <bracket> <marker> <said> <signature>:<form> ...  a prompt that was given something
    . <said>                                            a prompt that was given nothing
    !                                                   all before this line is forgotten (written by older releases)

``<said>`` is ``<name of the prompt>@<seconds since 1970>``: a prompt that several hooks are given counts once. The
first line may stand there twice, when two hooks began the file. Names are made with a secret (``pipes.keyed``).
"""

import time

from abcd_index.agenthooks.io import LEDGER, ONCE, append, create, load, remove, replace

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os  # type: ignore[no-redef]  # another module under the same name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from abcd_index.agenthooks.io import Session


MAGIC = "abcd-ledger 2"
LONGEST = 1 << 18
# Past this size the file is written anew when a page was forgotten, with what still counts.
LARGE = 1 << 14
# Forms of a page, weakest first.
LINE, HEAD, FULL = 1, 2, 3
FORMS = {"1": LINE, "2": HEAD, "3": FULL}
# Two hooks that are given the same prompt within this many seconds are one delivery.
TWICE = 10


class Ledger:
    """``seen``: {signature: (form, prompt number)}. ``prompts``: prompts since the first that was given
    something. ``depleted``: the session was in that bracket. ``after``: prompts since the last that was
    given something. ``marker``: of that one. ``bad``: the file held something else.
    ``begun``: its first line is there. ``refreshed``: a page was just forgotten. ``again``: this prompt was counted
    already, by another hook. ``ending``: what a line that is added must begin with."""

    __slots__ = (
        "seen",
        "prompts",
        "depleted",
        "after",
        "marker",
        "bad",
        "size",
        "refreshed",
        "again",
        "begun",
        "ending",
    )

    def __init__(self) -> None:
        self.seen: dict[str, tuple[int, int]] = {}
        self.prompts = self.after = self.size = 0
        self.depleted = self.bad = self.refreshed = self.again = self.begun = False
        self.marker = self.ending = ""


def read_ledger(session: "Session", refresh_every: int = 0, said: str = "") -> "Ledger":
    """The session's Ledger (an empty one for None). ``refresh_every``: so many prompts after a page was sent it is
    forgotten; 0: never. ``said``: of the prompt that it is read for.

    Never raises: what cannot be read is an empty ledger.
    """
    ledger = Ledger()
    data = load(session, LEDGER, LONGEST) if session is not None else None
    if not data:
        return ledger
    ledger.size = len(data)
    if len(data) > LONGEST or not _parse(ledger, data, session.mark, said, refresh_every):
        ledger = Ledger()
        ledger.bad = True
    elif refresh_every:
        known = len(ledger.seen)
        ledger.seen = {name: sent for name, sent in ledger.seen.items() if ledger.prompts - sent[1] < refresh_every}
        ledger.refreshed = len(ledger.seen) < known
    return ledger


def last_brought(session: "Session") -> "tuple[int, str] | None":
    """(how many pages the session's last prompt brought, in which bracket): (0, '') for none; None where nothing was
    brought since the session's context was empty."""
    data = load(session, LEDGER, LONGEST) or b""
    if not data.startswith((MAGIC + " " + session.mark + "\n").encode("ascii")):
        return None
    last = ""
    for line in reversed(data.decode("ascii", "replace").split("\n")):
        words = line.split(" ")
        said = words[1:2] if words[0] == "." else words[3:4] if words[0] == "+" else []
        if not said:
            continue
        # What a second hook brought of the same prompt is nothing.
        name = said[0].partition("@")[0]
        if last and name != last:
            return 0, ""
        last = name
        if words[0] == "+":
            return (len(words) - 4, words[1]) if len(words) > 4 else None
    return (0, "") if last else None


def _parse(ledger: "Ledger", data: bytes, mark: str, said: str, refresh_every: int) -> bool:
    """Read the log into ``ledger``. False when it is not this session's ledger."""
    started = False
    known: dict[str, int] = {}
    lines = data.decode("ascii", "replace").split("\n")
    if lines[-1]:
        # Another hook is writing that line, or died over it.
        ledger.ending = "\n"
    for line in lines:
        words = line.split(" ")
        if words[0] == ".":
            if not _counted(known, words[1:2]):
                ledger.prompts += started
                ledger.after += 1
        elif line == "!":
            ledger.seen = {}
            ledger.prompts = 0
            started = False
        elif words[0] == "+":
            if not _counted(known, words[3:4]):
                ledger.prompts += started
            started = True
            ledger.after = 0
            _take(ledger, words, refresh_every)
        elif line.startswith(MAGIC):
            if line != MAGIC + " " + mark:
                return False
            ledger.begun = True
        elif line:
            return False
    ledger.again = _counted(known, [said])
    ledger.prompts += started and not ledger.again
    return ledger.begun or not started


def _counted(known: "dict[str, int]", said: "list[str]") -> bool:
    """Whether a prompt is another delivery of one that was counted; else it is ``known`` from now on."""
    name, _, when = (said[0] if said else "").partition("@")
    if not when.isdecimal():
        return False
    first = known.get(name)
    if first is not None and -TWICE < int(when) - first < TWICE:
        return True
    known[name] = int(when)
    return False


def _take(ledger: "Ledger", words: "list[str]", refresh_every: int) -> None:
    if len(words) < 4:
        return
    ledger.marker = words[2]
    if words[1] == "DEPLETED":
        ledger.depleted = True
    for word in words[4:]:
        signature, _, form = word.partition(":")
        if form in FORMS:
            known, at = ledger.seen.get(signature, (0, 0))
            if FORMS[form] >= known or refresh_every and ledger.prompts - at >= refresh_every:
                ledger.seen[signature] = FORMS[form], ledger.prompts


def note(
    session: "Session", ledger: "Ledger", bracket: str, marker: str, said: str, marks: "list[tuple[str, int]]"
) -> bool:
    """Keep what was sent. ``marks``: [(signature, form)]. What cannot be written only repeats a page."""
    head = MAGIC + " " + session.mark + "\n"
    row = "+ %s %s %s\n" % (bracket, marker, " ".join([said, *["%s:%d" % mark for mark in marks]]))
    whole = (head + row).encode("ascii")
    if ledger.bad or ledger.refreshed and ledger.size > LARGE:
        return replace(session, LEDGER, (head + _kept(ledger) + row).encode("ascii"))
    if not ledger.begun and append(session, LEDGER, ledger.ending.encode("ascii") + whole, new=True):
        if session.path[-1] == "0":
            # One session in sixteen sweeps up after the others, for those who have no session hook to do it.
            prune(session)
        return True
    return append(session, LEDGER, (ledger.ending + row).encode("ascii")) or replace(session, LEDGER, whole)


def _kept(ledger: "Ledger") -> str:
    """The rows of a new log that say what still counts: the bracket, and each page under the prompt that it came at."""
    rows = "+ DEPLETED - -\n" if ledger.depleted else ""
    by_prompt: dict[int, list[str]] = {}
    for signature, (form, at) in ledger.seen.items():
        by_prompt.setdefault(at, []).append("%s:%d" % (signature, form))
    for at in range(min(by_prompt), ledger.prompts) if by_prompt else ():
        sent = by_prompt.get(at)
        rows += "+ - - - %s\n" % " ".join(sent) if sent else ".\n"
    return rows


def first_delivery(session: "Session", ledger: "Ledger", marker: str) -> bool:
    """Whether this hook is the one to answer: False for the second delivery of one prompt.

    Of two hooks at the same moment the one that makes the marker file answers. A marker that is there
    already speaks of this prompt only when it is young and nothing happened since: no other prompt, no refresh.
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
        if not ledger.bad and not ledger.refreshed and (ledger.marker != marker or not ledger.after):
            try:
                age = time.time() - _os.stat(session.path + suffix).st_mtime
            except OSError:
                return True
            if -TWICE < age < TWICE:
                return False
        remove(session.path + suffix)
    return True


# Sessions that nobody has written to for so many seconds are removed, a few at a time.
KEPT = 14 * 86400
LOOKED_AT = 64


def forget(session: "Session") -> None:
    """The session's context was emptied: no ledger, no markers."""
    remove(session.path + LEDGER)
    folder, _, name = session.path.rpartition("/")
    try:
        found = _os.listdir(folder)
    except OSError:
        return
    for other in found:
        if other.startswith(name + ONCE):
            remove(folder + "/" + other)


def prune(session: "Session", looks: int = LOOKED_AT) -> None:
    """Remove what old sessions left; looks at ``looks`` files of the folder, never at this session's."""
    folder, _, name = session.path.rpartition("/")
    now = time.time()
    try:
        names = _os.listdir(folder)
    except OSError:
        return
    # Another stretch of the folder each time: its order is the disk's, and the old ones lie anywhere.
    start = int(now * 1000) % len(names) if names else 0
    for other in (names[start:] + names[:start])[:looks]:
        path = folder + "/" + other
        try:
            if not other.startswith(name) and now - _os.lstat(path).st_mtime > KEPT:
                remove(path)
        except OSError:
            continue
