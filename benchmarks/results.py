"""A result: raw rows with all that is needed to judge them, kept as dated JSON in ``benchmarks/results``."""

import datetime
import json
import statistics
from pathlib import Path

from . import machine
from .timing import BARE, Figure

FOLDER = Path(__file__).with_name("results")
FORMAT = 1
COLUMNS = ["round", "wall_ns", "user_us", "system_us", "peak_kib", "status", "bytes_printed"]


class Result:
    """What one run of the benchmark found. ``data`` is what the file holds."""

    def __init__(self, data):
        self.data = data

    @classmethod
    def new(cls, command, profile):
        return cls(
            {
                "format": FORMAT,
                "taken": datetime.date.today().isoformat(),
                "profile": profile,
                "command": command,
                "commit": machine.commit(),
                "machine": machine.describe(),
                "versions": machine.versions(),
                "columns": COLUMNS,
                "stores": [],
                "timings": [],
                "counts": [],
                "notes": [],
            }
        )

    @classmethod
    def load(cls, path):
        return cls(json.loads(Path(path).read_text()))

    @classmethod
    def latest(cls):
        """The newest full result, or the newest of all; None when there is none."""
        files = sorted(FOLDER.glob("*.json"))
        full = [path for path in files if path.stem.endswith("-full")]
        return cls.load((full or files)[-1]) if files else None

    def save(self, path=None):
        path = Path(path) if path else FOLDER / f"{self.data['taken']}-{self.data['profile']}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(render(self.data))
        return path

    def add(self, figure, case, store, measured):
        """Keep the rows of ``measured``: {name: Figure} of commands that took turns."""
        self.data["timings"].append(
            {
                "figure": figure,
                "case": case,
                "store": store,
                "rows": {name: found.plain() for name, found in measured.items()},
            }
        )

    def note(self, text):
        self.data["notes"].append(text)

    def timing(self, figure, case, store):
        """{name: Figure} as it was added, or None."""
        for entry in self.data["timings"]:
            if (entry["figure"], entry["case"], entry["store"]) == (figure, case, store):
                return {
                    name: Figure([[row[0], None] + row[1:] for row in rows]) for name, rows in entry["rows"].items()
                }
        return None

    def count(self, store, name, case="three"):
        for entry in self.data["counts"]:
            if (entry["store"], entry["name"], entry["case"]) == (store, name, case):
                return entry
        return None

    def store(self, name):
        for entry in self.data["stores"]:
            if entry["name"] == name:
                return entry
        return None

    def ratio(self, figure, case, store, name, to=BARE):
        """Median over the rounds of one command's wall time over another's; None when it was not measured."""
        found = self.timing(figure, case, store)
        if not found or name not in found or to not in found:
            return None
        return found[name].ratio(found[to])

    def apart(self, case, store, other_case, other_store, name="abcd-index"):
        """How much longer a hook takes in one place than in another, each as multiples of its own bare starts."""
        here = self.ratio("hook", case, store, name)
        there = self.ratio("hook", other_case, other_store, name)
        return here / there if here and there else None


def render(data):
    """JSON with one row a line: readable, and a diff shows what changed."""
    rest = {key: value for key, value in data.items() if key not in ("timings", "counts", "stores", "notes")}
    lines = [json.dumps(rest, indent=1, ensure_ascii=False)[:-2]]
    for part in ("stores", "counts", "notes"):
        entries = ",".join("\n  " + json.dumps(entry, ensure_ascii=False) for entry in data[part])
        lines.append(f',\n "{part}": [{entries}]')
    lines.append(',\n "timings": [')
    for number, entry in enumerate(data["timings"]):
        head = json.dumps({k: v for k, v in entry.items() if k != "rows"})[:-1]
        rows = ",".join(
            f"\n    {json.dumps(name)}: {json.dumps(rows, separators=(',', ':'))}"
            for name, rows in entry["rows"].items()
        )
        lines.append(f'{"," if number else ""}\n  {head}, "rows": {{{rows}}}}}')
    lines.append("]\n}\n")
    return "".join(lines)


def spread(figure):
    """(10th percentile, median, 90th percentile) of wall time in ms."""
    walls = sorted(row[2] / 1e6 for row in figure.rows)
    last = len(walls) - 1
    return walls[min(last, len(walls) // 10)], statistics.median(walls), walls[min(last, 9 * len(walls) // 10)]
