"""How the commands print: streams that never fail on a character; colour, wrapping and progress on a terminal.

Every command prints through a ``Console``, and nothing that a page, a path, a ref or a setting holds drives the
terminal: control characters, marks that turn the reading direction and line ends inside of a text are made visible.
What looks good on a terminal is done by ``rich``, which is imported only there; elsewhere a line is written as it is.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Sequence, TextIO, Tuple, Union

from abcd_index.errors import AbcdError
from abcd_index.scopes import Places, Scope
from abcd_index.selector import Selection
from abcd_index.verify.finding import ERROR, Row

if TYPE_CHECKING:
    from rich.console import Console as Rich
    from rich.text import Text

# Exit codes, the same for every command.
OK = 0
FINDINGS = 1
FAILED = 2

# A text, or a text and its style: words such as ``bold``, ``dim``, ``red``.
Part = Union[str, Tuple[str, str]]

# Not printable to Python, and still only text: wide spaces, and joiners that whole scripts need.
_HARMLESS = "\t\u00a0\u3000\u200c\u200d"
# Text is wrapped at this width also on a wider terminal.
_WIDEST = 100
# Seconds: a bar for less than this would be gone before anyone has read it.
_PATIENCE = 0.5


class Console:
    """What a command writes to. ``out`` takes results, ``err`` takes remarks."""

    def __init__(
        self, out: TextIO | None = None, err: TextIO | None = None, environ: Mapping[str, str] | None = None
    ) -> None:
        self.out: TextIO = out or sys.stdout
        self.err: TextIO = err or sys.stderr
        self.environ: Mapping[str, str] = os.environ if environ is None else environ
        for stream in (self.out, self.err):
            tolerate(stream)
        self._rich: List[Tuple[TextIO, Rich]] = []

    def line(self, *parts: Part) -> None:
        """One line of the result, however long."""
        self._write(self.out, parts)

    def block(self, text: str) -> None:
        """Lines of the result that a text with line ends holds."""
        for line in text.split("\n"):
            self.line(line)

    def text(self, *parts: Part, first: str = "", rest: str = "") -> None:
        """Text of the result, wrapped on a terminal. ``first`` and ``rest`` are put before the lines."""
        if not is_terminal(self.out):
            self.line(first, *parts)
            return
        rich = self._rich_of(self.out)
        width = min(rich.width, _WIDEST) - max(len(first), len(rest))
        for number, line in enumerate(_text(parts).wrap(rich, max(width, 20))):
            line.rstrip()
            self._print(rich, _text([rest if number else first]) + line)

    def table(self, rows: Sequence[Sequence[Part]], indent: int = 0) -> None:
        """Rows of the result in columns; the last column may be of any width."""
        widths = [max(len(_plain([row[at]])) for row in rows) for at in range(len(rows[0]) - 1)] if rows else []
        for row in rows:
            parts: List[Part] = [" " * indent]
            for cell, width in zip(row, widths):
                parts += [cell, " " * (width - len(_plain([cell])) + 2)]
            self.line(*parts, row[-1])

    def data(self, value: object, indent: int | None = None) -> None:
        """``value`` as JSON. What is not printable is written as an escape, which reads back as it was."""
        text = json.dumps(value, ensure_ascii=not _is_unicode(self.out), indent=indent)
        for line in text.split("\n"):
            self.out.write((line if line.isprintable() else "".join(map(_unit, line))) + "\n")

    def note(self, *parts: Part) -> None:
        """One line beside the result: warnings, hints."""
        self._write(self.err, parts)

    def complain(self, error: object, hint: str = "", about: str = "") -> None:
        """An error as a sentence, with the way out below. ``about``: what it is about, in front of it."""
        self.note(f"abcd-index: {about + ': ' if about else ''}{error}")
        if hint:
            self.note(f"hint: {hint}")

    def refusals(self, selection: Selection) -> None:
        """Complain of the scopes that were refused while there are others to work on."""
        for name, error in selection.refused:
            self.complain(error, error.hint, name)

    @contextmanager
    def progress(self, shown: bool = True) -> Iterator[Callable[[int, int], None] | None]:
        """A function of (done, total) pages that draws a bar on ``err``; None when no person watches."""
        if not shown or not is_terminal(self.err):
            yield None
            return
        bar = _Bar(self._rich_of(self.err))
        try:
            yield bar
        finally:
            bar.clear()

    def _write(self, stream: TextIO, parts: Iterable[Part]) -> None:
        if wants_colour(stream, self.environ) and any(not isinstance(part, str) for part in parts):
            self._print(self._rich_of(stream), _text(parts))
        else:
            stream.write(_plain(parts) + "\n")

    def _rich_of(self, stream: TextIO) -> Rich:
        for known, rich in self._rich:
            if known is stream:
                return rich
        from rich.console import Console as Rich

        colours = wants_colour(stream, self.environ)
        rich = Rich(
            file=stream,
            force_terminal=colours or is_terminal(stream),
            highlight=False,
            markup=False,
            emoji=False,
            color_system="standard" if colours else None,
        )
        self._rich.append((stream, rich))
        return rich

    def _print(self, rich: Rich, text: Text) -> None:
        with rich.capture() as captured:  # Errors of the stream are this program's to handle, as of any other line.
            rich.print(text, soft_wrap=True)
        rich.file.write(captured.get())


class _Bar:
    """A bar on a terminal, drawn when the work takes a while."""

    def __init__(self, rich: Rich) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._begun = time.monotonic()
        self._progress = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("pages"),
            TimeRemainingColumn(compact=True),
            console=rich,
            transient=True,
            auto_refresh=False,
            get_time=lambda: time.monotonic(),
        )
        self._task = self._progress.add_task("pages", total=None)
        self._drawn = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        self._progress.update(self._task, completed=done, total=total)
        if now - self._begun < _PATIENCE or now - self._drawn < 0.1:
            return
        if not self._drawn:
            self._progress.start()
        self._drawn = now
        self._progress.refresh()

    def clear(self) -> None:
        """Take the bar away before anything else is printed."""
        if self._drawn:
            self._progress.stop()


class Paths:
    """Shortens paths. The working directory is asked for once."""

    def __init__(self, places: Places) -> None:
        self.home = places.home
        try:
            self.cwd = os.path.realpath(os.getcwd())
        except OSError:
            self.cwd = ""

    def short(self, path: str) -> str:
        """``path`` as short as it stays true: below the working directory, or below the home."""
        if self.cwd and path.startswith(self.cwd + os.sep):
            return path[len(self.cwd) + 1 :]
        return "~" + path[len(self.home) :] if self.home and path.startswith(self.home + os.sep) else path


def wants_colour(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """NO_COLOR wins (no-color.org), then CLICOLOR_FORCE and FORCE_COLOR, then whether it is a terminal."""
    if environ.get("NO_COLOR"):
        return False
    if any(environ.get(name) not in (None, "", "0") for name in ("CLICOLOR_FORCE", "FORCE_COLOR")):
        return True
    return is_terminal(stream) and environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO) -> bool:
    """Whether a person watches the stream."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def tolerate(stream: TextIO) -> None:
    """Let a stream of a narrow encoding print what it cannot encode as an escape instead of failing."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def seconds(value: float) -> str:
    """A duration as people read it: ``12 ms``, ``1.3 s``."""
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"


def count(number: int, word: str) -> str:
    """``1 page``, ``2 pages``."""
    return f"{number:,} {word if number == 1 else word + 's'}"


def printable(text: str) -> str:
    """``text`` with all that is no text in it made visible: it must not drive the terminal, nor begin a line."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in _HARMLESS else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def finding_line(finding: Row) -> List[Part]:
    """A finding's line: ``FILE:LINE: severity [code] what is wrong; what to do``."""
    where = finding.file + (f":{finding.line}" if finding.line else "")
    colour = "red" if finding.severity == ERROR else "yellow"
    fix = f"; {finding.fix}" if finding.fix else ""
    return [(where, "bold"), ": ", (finding.severity, colour), f" [{finding.code}] {finding.message}", (fix, "dim")]


def failure(scope: Scope, error: AbcdError, console: Console, state: str = "failed") -> Dict[str, Any]:
    """Say on stderr why a scope's command failed; returns its report."""
    console.complain(error, error.hint, scope.name)
    return {"scope": scope.name, "state": state, "error": str(error), "hint": error.hint}


def print_reports(reports: Sequence[Mapping[str, Any]], status: int, console: Console) -> None:
    """The reports of all scopes as one line of JSON. ``status``: the exit status."""
    console.data({"scopes": reports, "ok": status == OK})


def _plain(parts: Iterable[Part]) -> str:
    return "".join(printable(part if isinstance(part, str) else part[0]) for part in parts)


def _text(parts: Iterable[Part]) -> Text:
    from rich.text import Text

    styled = [(part, "") if isinstance(part, str) else part for part in parts]
    return Text.assemble(*[(printable(text), style) for text, style in styled])


def _unit(char: str) -> str:
    """``char`` as JSON has it: itself where it is printable."""
    return char if char.isprintable() else "\\u007f" if char == "\x7f" else json.dumps(char)[1:-1]


def _is_unicode(stream: TextIO) -> bool:
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")
