"""How the commands speak: streams that never fail on a character, and colour where a person expects it.

Every command prints through ``Out``, and nothing that a page, a path, a ref or a setting holds drives the terminal:
control characters, marks that turn the reading direction and line ends inside of a text are made visible.
"""

import json
import os
import re
import sys

# Exit codes, the same for every command.
OK = 0
FINDINGS = 1
FAILED = 2

# Not printable to Python, and still only text: wide spaces, and joiners that whole scripts need.
_HARMLESS = "\t\u00a0\u3000\u200c\u200d"
# Marks where a colour begins and ends until the line is written. No text can hold it: it is new in every process.
_SEAM = "\0" + os.urandom(8).hex()
_COLOUR = re.compile(_SEAM + r"([\d;]+)m")
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
        self.out.write(_coloured(text) + "\n")

    def block(self, text):
        """Lines of the result that a text with line ends holds."""
        for line in text.split("\n"):
            self.line(line)

    def data(self, value, indent=None):
        """``value`` as JSON. What is not printable is written as an escape, which reads back as it was."""
        text = json.dumps(value, ensure_ascii=not _holds_all(self.out), indent=indent)
        for line in text.split("\n"):
            self.out.write((line if line.isprintable() else "".join(map(_unit, line))) + "\n")

    def note(self, text):
        """One line beside the result: progress, warnings, hints."""
        self.err.write(_coloured(text) + "\n")

    def complain(self, error, hint="", about=""):
        """An error as a sentence, with the way out below. ``about``: what it is about, in front of it."""
        self.note(f"abcd-index: {about + ': ' if about else ''}{error}")
        if hint:
            self.note(f"hint: {hint}")

    def style(self, text, *names, stream=None):
        """``text`` for ``line`` or ``note``, in colour when the stream it goes to (``out`` by default) wants colour."""
        if not wants_colour(stream or self.out, self.environ):
            return text
        codes = ";".join(_STYLES[name] for name in names)
        return f"{_SEAM}{codes}m{text}{_SEAM}0m"

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


def printable(text):
    """``text`` with all that is no text in it made visible: it must not drive the terminal, nor begin a line."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in _HARMLESS else char.encode("unicode_escape").decode("ascii")
                   for char in text)


def failure(scope, error, out, state="failed"):
    """Say on stderr why a scope's command failed; returns its report (dict)."""
    out.complain(error, error.hint, scope.name)
    return {"scope": scope.name, "state": state, "error": str(error), "hint": error.hint}


def print_reports(reports, code, out):
    """The reports of all scopes as one line of JSON. ``code``: the exit status."""
    out.data({"scopes": reports, "ok": code == OK})


def _coloured(text):
    """``text`` printable, its colours apart."""
    if text.isprintable():
        return text
    return "".join(f"\033[{part}m" if number % 2 else printable(part)
                   for number, part in enumerate(_COLOUR.split(text)))


def _unit(char):
    """``char`` as JSON has it: itself where it is printable."""
    return char if char.isprintable() else "\\u007f" if char == "\x7f" else json.dumps(char)[1:-1]


def _holds_all(stream):
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")
