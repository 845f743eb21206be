"""How full a session's context window is, as the agent's status line last said, and the bracket that follows.

Prompt path. One small file per session, written by the status line hook: a line of text that names its
session. A compaction or a clear voids the figure; the host may go on sending the old one for a while, so
the voided figure is remembered and only another one counts.
"""

import time

from abcd_index.recall.wire import FILL, load, replace

MAGIC = "abcd-fill 1"
# An older figure says nothing about the window that the person sees now.
OLDEST = 86400
LONGEST = 4096
NONE = "-"

FRESH, MODERATE, DEPLETED = "FRESH", "MODERATE", "DEPLETED"


class Fill:
    """``remaining``: percent of the window that is free, or None when not known. ``least``: the smallest
    figure since the last reset, or None. ``why``: one sentence for people."""

    __slots__ = ("remaining", "least", "why")

    def __init__(self, remaining, why, least=None):
        self.remaining = remaining
        self.least = least
        self.why = why


class Record:
    """The file's content. ``when``: seconds since 1970. ``remaining``: percent or None. ``said``: the
    host's own numbers, as text. ``least``. ``stale``: numbers of before the last reset, not to be believed."""

    __slots__ = ("when", "remaining", "said", "least", "stale")

    def __init__(self, when, remaining, said, least, stale):
        self.when = when
        self.remaining = remaining
        self.said = said
        self.least = least
        self.stale = stale


def read_record(session):
    """The session's Record, or None when there is none that can be believed to be this session's."""
    data = load(session, FILL, LONGEST)
    if not data:
        return None
    try:
        head, _, rest = data.decode("ascii").partition("\n")
        if head != MAGIC + " " + session.mark:
            return None
        when, remaining, said, least, stale = rest.split()
        return Record(int(when), number(remaining), said, number(least), stale)
    except ValueError:
        return None


def write_record(session, record):
    """Write it in one step; whether that worked."""
    row = " ".join([str(record.when), text(record.remaining), record.said, text(record.least), record.stale])
    return replace(session, FILL, (MAGIC + " " + session.mark + "\n" + row + "\n").encode("ascii"))


def note(session, remaining, said):
    """Keep what the status line says. ``remaining``: percent or None; ``said``: its numbers, one word of ASCII."""
    before = read_record(session)
    least = before.least if before else None
    stale = before.stale if before else NONE
    if said == stale:
        # The figure of before the compaction, sent once more.
        remaining = None
    else:
        stale = NONE
    if remaining is not None and (least is None or remaining < least):
        least = remaining
    return write_record(session, Record(int(time.time()), remaining, said, least, stale))


def reset(session, make=True):
    """The window was emptied: no figure counts until another one comes. ``make``: also when none was known."""
    before = read_record(session)
    if before is None and not make:
        return
    stale = NONE
    if before is not None:
        stale = before.said if before.remaining is not None else before.stale
    write_record(session, Record(int(time.time()), None, NONE, None, stale))


def read_fill(session):
    """The Fill of a session (or of None)."""
    record = read_record(session) if session is not None else None
    if record is None:
        return Fill(None, "no status line has said how full the window is")
    age = time.time() - record.when
    if record.remaining is None:
        return Fill(100.0, "the window is new, or was just emptied", record.least)
    if not -OLDEST < age < OLDEST:
        return Fill(None, "the status line's last figure is more than a day old", record.least)
    return Fill(record.remaining, "the status line says %g %% are free" % record.remaining, record.least)


def bracket(fill, brackets, depleted=False):
    """(bracket, why). ``brackets``: the two thresholds in percent. ``depleted``: the session was so before."""
    low = brackets["moderate"]
    if depleted or (fill.least is not None and fill.least < low):
        if fill.remaining is None or fill.remaining >= low:
            return DEPLETED, "under %d %% were free before in this session, and nothing has emptied it since" % low
    if fill.remaining is None:
        return MODERATE, fill.why
    if fill.remaining >= brackets["fresh"]:
        return FRESH, fill.why
    return (MODERATE if fill.remaining >= low else DEPLETED), fill.why


def number(word):
    """A figure as written, or None. Raises ValueError."""
    return None if word == NONE else float(word)


def text(figure):
    """A figure as it is written."""
    return NONE if figure is None else "%.4f" % figure
