"""How full a session's context window is, as the agent's status line last said, and the bracket that follows.

Prompt path, but for ``note`` and ``reset``. One small file per session, written by the status line hook: a line of text
that names its session. A compaction or a clear voids the figure; the host may go on sending the old one for a while, so
the voided figure is remembered and only another one counts.
"""

import time

from abcd_index.agenthooks.io import FILL, load, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from abcd_index.agenthooks.io import Session

MAGIC = "abcd-fill 1"
# An older figure says nothing about the window that the person sees now.
OLDEST = 86400
LONGEST = 4096
NONE = "-"

FRESH, MODERATE, DEPLETED = "FRESH", "MODERATE", "DEPLETED"


class Fill:
    """``remaining``: percent of the window that is free, or None when not known. ``least``: the smallest
    figure since the window was emptied last, or None. ``why``: one sentence for people."""

    __slots__ = ("remaining", "least", "why")

    def __init__(self, remaining: "float | None", why: str, least: "float | None" = None) -> None:
        self.remaining = remaining
        self.least = least
        self.why = why


def read_record(session: "Session") -> "tuple[int, float | None, str, float | None, str] | None":
    """(when, remaining, said, least, stale) of a session, or None when nothing can be believed to be this session's.

    ``when``: seconds since 1970. ``remaining`` and ``least``: percent or None. ``said``: the host's own
    numbers as one word. ``stale``: those of before the window was emptied, which do not count.
    """
    data = load(session, FILL, LONGEST)
    if not data:
        return None
    try:
        head, _, rest = data.decode("ascii").partition("\n")
        if head != MAGIC + " " + session.mark:
            return None
        when, remaining, said, least, stale = rest.split()
        return int(when), number(remaining), said, number(least), stale
    except ValueError:
        return None


def read_fill(session: "Session | None") -> "Fill":
    """The Fill of a session (or of None)."""
    record = read_record(session) if session is not None else None
    if record is None:
        return Fill(None, "no status line has said how full the window is")
    when, remaining, _, least, _ = record
    if remaining is None:
        return Fill(100.0, "the window is new, or was just emptied", least)
    if not -OLDEST < time.time() - when < OLDEST:
        return Fill(None, "the status line's last figure is more than a day old", least)
    return Fill(remaining, "the status line says %g %% are free" % remaining, least)


def bracket(fill: "Fill", brackets: "dict[str, int]", depleted: bool = False) -> "tuple[str, str]":
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


def number(word: str) -> "float | None":
    """A figure as written, or None. Raises ValueError."""
    return None if word == NONE else float(word)


def note(session: "Session", remaining: "float | None", said: str) -> bool:
    """Keep what the status line says. ``remaining``: percent or None; ``said``: its numbers, one word of ASCII."""
    _, _, _, least, stale = read_record(session) or (0, None, NONE, None, NONE)
    if said == stale:
        # The figure of before the compaction, sent once more.
        remaining = None
    elif remaining is not None:
        stale = NONE
    if remaining is not None and (least is None or remaining < least):
        least = remaining
    return _write(session, remaining, said, least, stale)


def reset(session: "Session", make: bool = True) -> None:
    """The window was emptied: no figure counts until another one comes. ``make``: also when none was known."""
    before = read_record(session)
    if before is None and not make:
        return
    _, remaining, said, _, stale = before or (0, None, NONE, None, NONE)
    _write(session, None, NONE, None, stale if remaining is None else said)


def _write(session: "Session", remaining: "float | None", said: str, least: "float | None", stale: str) -> bool:
    row = " ".join(["%d" % time.time(), _figure(remaining), said, _figure(least), stale])
    return replace(session, FILL, (MAGIC + " " + session.mark + "\n" + row + "\n").encode("ascii"))


def _figure(figure: "float | None") -> str:
    return NONE if figure is None else "%.4f" % figure
