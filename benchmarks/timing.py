"""Paired whole-process timings: commands take turns, and ratios are taken round by round."""

import marshal
import os
import statistics
import subprocess
import sys
from pathlib import Path

BASE_PYTHON = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
RUNNER = str(Path(__file__).with_name("runner.py"))
BARE = "bare interpreter"


class Command:
    """A process to time. ``reset`` and ``before`` say what is restored or run, untimed, before each run."""

    def __init__(self, name, argv, *, env, cwd, stdin=None, before=(), reset=()):
        self.name, self.argv, self.env, self.cwd = name, [str(a) for a in argv], env, str(cwd)
        self.stdin = str(stdin) if stdin else None
        self.before, self.reset = [[str(a) for a in argv] for argv in before], list(reset)

    def spec(self, stdout):
        return {
            "argv": self.argv,
            "env": self.env,
            "cwd": self.cwd,
            "stdin": self.stdin,
            "stdout": str(stdout),
            "before": self.before,
            "reset": [(str(folder), files) for folder, files in self.reset],
        }

    def output(self):
        """One run's stdout, for checking that a command does the work it is timed for."""
        for folder, files in self.reset:
            folder = Path(folder)
            folder.mkdir(exist_ok=True, mode=0o700)
            for path in folder.iterdir():
                if path.name not in files:
                    path.unlink()
            for name, data in files.items():
                (folder / name).write_bytes(data)
        for argv in self.before:
            subprocess.run(argv, env=self.env, cwd=self.cwd, stdin=subprocess.DEVNULL, capture_output=True)
        stdin = open(self.stdin, "rb") if self.stdin else subprocess.DEVNULL
        try:
            return subprocess.run(self.argv, env=self.env, cwd=self.cwd, stdin=stdin, capture_output=True)
        finally:
            if self.stdin:
                stdin.close()


def bare(env, cwd):
    """The yardstick: an interpreter that starts and does nothing."""
    return Command(BARE, [BASE_PYTHON, "-I", "-S", "-c", "pass"], env=env, cwd=cwd)


def measure(commands, work, rounds=20, warmup=1, seconds=30.0, least=3):
    """Time ``commands`` in turns; return {name: Figure}. ``seconds`` bounds the whole (``least`` rounds are made)."""
    spec, out = Path(work) / "spec", Path(work) / "rows"
    spec.write_bytes(
        marshal.dumps(
            {
                "commands": [c.spec(Path(work) / f"out{i}") for i, c in enumerate(commands)],
                "rounds": rounds,
                "least": least,
                "warmup": warmup,
                "seconds": float(seconds),
            }
        )
    )
    subprocess.run([BASE_PYTHON, "-I", "-S", RUNNER, str(spec), str(out)], check=True)
    rows = marshal.loads(out.read_bytes())
    return {command.name: Figure([row for row in rows if row[1] == index]) for index, command in enumerate(commands)}


class Figure:
    """The rows of one command: [round, command, wall ns, user us, system us, peak KiB, status, bytes printed]."""

    def __init__(self, rows):
        self.rows = sorted(rows)

    @property
    def ms(self):
        """Median wall time in milliseconds."""
        return statistics.median(row[2] for row in self.rows) / 1e6

    @property
    def peak(self):
        """Median peak memory in KiB."""
        return statistics.median(row[5] for row in self.rows)

    def ratio(self, other):
        """The median of this one's wall time over the other's, taken round by round."""
        return statistics.median(a[2] / b[2] for a, b in zip(self.rows, other.rows))

    def plain(self):
        """Rows as results keep them, without the command's number: names are given beside them."""
        return [[row[0]] + row[2:] for row in self.rows]
