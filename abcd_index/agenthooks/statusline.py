"""The status line hook: keeps how full the context window is, then becomes the status line that was there before.

Some agents tell only their status line how full the window is. This one writes the figure down first, since a
run that takes long is cancelled, and then runs the command after ``--`` with the same input; its output and
status are what the agent sees.
"""

import sys

from abcd_index.agenthooks import fill, io
from abcd_index.agenthooks.ledger import last_brought
from abcd_index.agenthooks.payload import name
from abcd_index.scopes import Places

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os  # type: ignore[no-redef]  # another module under the same name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# A pipe takes this much at once everywhere; more needs somebody to feed it.
PIPE = 4096
# Copilot's names for the tokens in the window, and for those of the last request, which its percentage is made of.
CONTEXT, LAST = "current_context_tokens", "last_call_input_tokens"


def main() -> None:
    """The process: never returns."""
    line, command = "", []
    data: bytes | bytearray = b""
    try:
        command = wrapped(sys.argv)
        places = Places()
        io.arm(io.deadline(places))
        data, payload = io.read_all()
        if payload is not None:
            line = keep(payload, places)
    except BaseException as error:
        from abcd_index.agenthooks.prompt_hook import report

        report(error)
    try:
        io.arm(0)
        if command:
            become(command, data)
        elif line:
            io.send(line.encode("utf-8", "replace") + b"\n")
    except BaseException:
        io.leave(127)
    io.leave()


def keep(payload: "dict[str, Any]", places: "Places") -> str:
    """Write the figure of a status line payload (dict) down. Returns a line to show where there was none before."""
    get = payload.get
    session = io.session_of(name(get("session_id")) or name(get("sessionId")), places, make=True)
    remaining, said = figures(get("context_window"))
    if session is not None and said:
        fill.note(session, remaining, said)
    model = get("model")
    model = model.get("display_name") if isinstance(model, dict) else model
    shown = [" ".join(model.split())] if isinstance(model, str) and model else []
    shown += sight(last_brought(session) if session is not None else None, remaining)
    # A terminal takes control characters for orders.
    return "".join([sign for sign in " \u00b7 ".join(shown) if sign.isprintable()])


def sight(brought: "tuple[int, str] | None", remaining: "float | None") -> "list[str]":
    """What a person sees of the recall: what the last prompt brought, and how much of the window is free."""
    free = [] if remaining is None else ["%d %% of the context window free" % remaining]
    if brought is None:
        return free
    pages, bracket = brought
    if not pages:
        return ["no page", *free]
    said = "%d page%s, %s" % (pages, "" if pages == 1 else "s", bracket)
    return [said if remaining is None else "%s %d %%" % (said, remaining)]


def figures(window: object) -> "tuple[float | None, str]":
    """(percent free or None, the numbers themselves as one word) of a ``context_window``; (None, '') for none.

    The agent's own percentage counts most; without it, the tokens of the last request and the size of the
    window. Qwen's ``current_usage`` is a number, Claude's an object, both may be null. Copilot's adds up all
    requests of the session, so what it says beside it counts. Qwen gives a model that it does not know a window
    of size 0 and then calls it empty: that is no figure.
    """
    if not isinstance(window, dict):
        return None, ""
    used, free = number(window.get("used_percentage")), number(window.get("remaining_percentage"))
    size = number(window.get("context_window_size"))
    if size == 0:
        return None, ""
    tokens = told = tokens_of(window.get("current_usage"))
    if CONTEXT in window:
        # After a compaction the first is new at once, and the percentage is still the old one.
        tokens, told = number(window[CONTEXT]), number(window.get(LAST))
    said = "/".join(["-" if n is None else "%.6g" % n for n in (used, free, told, size)])
    if used is None and free is not None:
        used = 100 - free
    if used is None and tokens is not None and size:
        if tokens > size:
            # No window holds more than its size: the agent names the small model's.
            size = max(1000000.0, tokens)
        used = 100 * tokens / size
    return (None if used is None else min(100.0, max(0.0, 100.0 - used))), said


def tokens_of(usage: object) -> "float | None":
    """The tokens in the window: all that went in, in whichever way; None when not known."""
    if not isinstance(usage, dict):
        return number(usage)
    parts = [
        number(usage.get(part)) for part in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


def number(value: object) -> "float | None":
    """A figure as a float, or None for whatever is no figure."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e15:
        return None
    return float(value)


def wrapped(argv: "list[str]") -> "list[str]":
    """The command after ``--``: one word is a line for the shell, several are a program and its arguments."""
    if "--" not in argv:
        return []
    command = argv[argv.index("--") + 1 :]
    return command if len(command) != 1 else ["/bin/sh", "-c", command[0]]


def become(command: "list[str]", data: "bytes | bytearray") -> None:
    """Replace this process by ``command``, with ``data`` on its stdin. Raises OSError when it cannot be run."""
    if not hasattr(_os, "fork"):  # pragma: no cover - Windows
        import subprocess

        line = command[2] if command[0] == "/bin/sh" else command
        io.leave(subprocess.run(line, input=data, shell=isinstance(line, str)).returncode)
    import _signal  # type: ignore[import-not-found]  # the C half of signal

    out, into = _os.pipe()
    fits = len(data) <= PIPE
    if fits or not _os.fork():
        if not fits:
            _os.close(out)
        _feed(into, data)
        if not fits:
            io.leave()
    _os.close(into)
    _os.dup2(out, 0)
    _os.close(out)
    # What Python ignores, a program that takes its place would ignore as well.
    for sign in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(_signal, sign):
            _signal.signal(getattr(_signal, sign), _signal.SIG_DFL)
    for path in _found(command[0]):
        try:
            _os.execv(path, command)
        except OSError:
            continue
    io.leave(127)


def _feed(into: int, data: "bytes | bytearray") -> None:
    try:
        while data:
            data = data[_os.write(into, data) :]
    except OSError:
        pass  # The command did not want to know.


def _found(program: str) -> "list[str]":
    """Where a program may be: as written when it holds a slash, else in each folder of PATH."""
    if "/" in program:
        return [program]
    folders = Places().get("PATH") or "/usr/bin:/bin"
    return [folder + "/" + program for folder in folders.split(":") if folder]
