"""What a command is going to change, before it changes it: ``--dry-run`` prints the same list."""

from __future__ import annotations

import os
from typing import Callable, List, NamedTuple, Protocol, Tuple

from abcd_index.errors import AbcdError


class Output(Protocol):
    """What prints a line."""

    def line(self, text: str) -> None:
        """Print it."""


class Step(NamedTuple):
    """One change. ``what`` and ``path`` say it; ``do()`` makes it."""

    what: str
    path: str
    do: Callable[[], object]


class Plan:
    """``steps`` to take, what is ``left`` out (each with the way out), ``notes`` on what stays as it is."""

    def __init__(self) -> None:
        self.steps: List[Step] = []
        self.left: List[Tuple[str, Tuple[str, ...]]] = []
        self.notes: List[str] = []

    def step(self, what: str, path: str, do: Callable[[], object]) -> None:
        """Add a step."""
        self.steps.append(Step(what, path, do))

    def leave(self, what: str, *hints: str) -> None:
        """Add something that will not be done, and how a person can do it, a line each."""
        self.left.append((what, hints))

    def carry_out(self, console: Output, base: str, dry_run: bool) -> None:
        """Print every step, and unless ``dry_run`` take it. A step that fails is left out, by name."""
        for step in self.steps:
            if not dry_run:
                try:
                    step.do()
                except (AbcdError, OSError) as error:
                    self.leave(f"{step.what} {shown(step.path, base)}: {error}", getattr(error, "hint", ""))
                    continue
            console.line(f"{step.what:<8}  {shown(step.path, base)}")
        for note in self.notes:
            console.line(note)

    def report(self, console: Output) -> None:
        """Print what was left out."""
        for what, hints in self.left:
            console.line(f"left out  {what}")
            for line in filter(None, hints):
                console.line(f"          {line}")


def shown(path: str, base: str) -> str:
    """``path`` as people read it: relative to ``base`` when it lies inside."""
    try:
        relative = os.path.relpath(path, base)
    except ValueError:
        return path
    return path if relative.startswith("..") else relative
