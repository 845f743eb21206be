"""What a command is going to change, before it changes it: ``--dry-run`` prints the same list."""

import os

from abcd_index.errors import AbcdError


class Step:
    """One change. ``what`` and ``path`` say it; ``do()`` makes it."""

    __slots__ = ("what", "path", "do")

    def __init__(self, what, path, do):
        self.what = what
        self.path = path
        self.do = do


class Plan:
    """``steps`` to take, what is ``left`` out (each with the way out), ``notes`` on what stays as it is."""

    __slots__ = ("steps", "left", "notes")

    def __init__(self):
        self.steps = []
        self.left = []
        self.notes = []

    def step(self, what, path, do):
        """Add a step."""
        self.steps.append(Step(what, path, do))

    def leave(self, what, *hints):
        """Add something that will not be done, and how a person can do it, a line each."""
        self.left.append((what, hints))

    def carry_out(self, out, base, dry_run):
        """Print every step, and unless ``dry_run`` take it. A step that fails is left out, by name."""
        for step in self.steps:
            if not dry_run:
                try:
                    step.do()
                except (AbcdError, OSError) as error:
                    self.leave(f"{step.what} {shown(step.path, base)}: {error}", getattr(error, "hint", ""))
                    continue
            out.line(f"{step.what:<8}  {shown(step.path, base)}")
        for note in self.notes:
            out.line(note)

    def report(self, out):
        """Print what was left out."""
        for what, hints in self.left:
            out.line(f"left out  {what}")
            for line in filter(None, hints):
                out.line(f"          {line}")


def shown(path, base):
    """``path`` as people read it: relative to ``base`` when it lies inside."""
    try:
        relative = os.path.relpath(path, base)
    except ValueError:
        return path
    return path if relative.startswith("..") else relative
