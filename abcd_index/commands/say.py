"""How the commands speak: streams that never fail on a character, and colour where a person expects it."""

import os
import sys

# Exit codes, the same for every command.
OK = 0
FINDINGS = 1
FAILED = 2

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


class Out:
    """What a command writes to. ``out`` takes results, ``err`` takes remarks."""

    def __init__(self, out=None, err=None, environ=None):
        self.out = out or sys.stdout
        self.err = err or sys.stderr
        self.environ = os.environ if environ is None else environ
        for stream in (self.out, self.err):
            tolerate(stream)

    def line(self, text=""):
        """One line of the result."""
        self.out.write(text + "\n")

    def note(self, text):
        """One line beside the result: progress, warnings, hints."""
        self.err.write(text + "\n")

    def style(self, text, *names, stream=None):
        """``text`` in colour when the stream it goes to (``out`` by default) wants colour."""
        if not wants_colour(stream or self.out, self.environ):
            return text
        codes = ";".join(_STYLES[name] for name in names)
        return f"\033[{codes}m{text}\033[0m"

    def person(self, stream=None):
        """Whether a person watches the stream (``out`` by default)."""
        return _is_tty(stream or self.out)


def wants_colour(stream, environ):
    """NO_COLOR wins (no-color.org), then CLICOLOR_FORCE and FORCE_COLOR, then whether it is a terminal."""
    if environ.get("NO_COLOR"):
        return False
    if any(environ.get(name) not in (None, "", "0") for name in ("CLICOLOR_FORCE", "FORCE_COLOR")):
        return True
    return _is_tty(stream) and environ.get("TERM") != "dumb"


def tolerate(stream):
    """Let a stream of a narrow encoding print what it cannot encode as an escape instead of failing."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


def seconds(value):
    """A duration as people read it: ``12 ms``, ``1.3 s``."""
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"


def count(number, word, plural=None):
    """``1 page``, ``2 pages``."""
    return f"{number:,} {word if number == 1 else plural or word + 's'}"


def _is_tty(stream):
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def failure(scope, error, out, state="failed"):
    """Say on stderr why a scope's command failed; returns its report (dict)."""
    out.note(f"abcd-index: {scope.name}: {error}" + (f"\nhint: {error.hint}" if error.hint else ""))
    return {"scope": scope.name, "state": state, "error": str(error), "hint": error.hint}


def print_reports(reports, code, out):
    """The reports of all scopes as one line of JSON. ``code``: the exit status."""
    import json

    out.line(json.dumps({"scopes": reports, "ok": code == OK}, ensure_ascii=False))
