"""The table: what was tried and what came of it, on the terminal and on docs/explanation/faults.md."""

import json
import platform
import subprocess
import time
from pathlib import Path

from tests.conftest import ROOT

RESULTS = Path(__file__).with_name("results.json")
PAGE = ROOT / "docs" / "explanation" / "faults.md"
BEGIN, END = "<!-- results: begin -->\n", "<!-- results: end -->"
HEAD = ("kind", "tried", "survived", "lost", "wrong")


def row(kind, tried, lost, wrong):
    return {"kind": kind, "tried": tried, "survived": tried - lost - wrong, "lost": lost, "wrong": wrong}


def rows_of(kind, results):
    """[(row, failures)] of the trials of one kind. ``results``: [(label, problems or None)]."""
    groups = {}
    for label, problems in results:
        if problems is None:
            continue
        scene, sort, _, lasting, second = label.split("|")
        name = "killed twice" if second != "0" else {"kill": "killed before a call", "half": "killed in a write"}.get(
            sort, "%s, %s" % (sort, lasting))
        groups.setdefault(name, []).append((label, problems))
    for name, tried in groups.items():
        bad = [(label, "; ".join(problems)) for label, problems in tried if problems]
        lost = sum(any(p.startswith("lost") for p in problems) for _, problems in tried)
        yield row(name, len(tried), lost, len(bad) - lost), bad


def text(rows):
    width = max([len(found["kind"]) for found in rows] + [4])
    lines = ["%-*s %8s %8s %6s %6s" % (width, *HEAD)]
    lines += ["%-*s %8d %8d %6d %6d" % (width, *[found[name] for name in HEAD]) for found in rows]
    return "\n".join(lines)


def record(rows, seconds):
    """Keep the table, with its date and what it was made from, and show it on the page."""
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
    RESULTS.write_text(json.dumps({
        "date": time.strftime("%Y-%m-%d"), "commit": commit.strip(), "python": platform.python_version(),
        "system": platform.system(), "seconds": round(seconds), "rows": rows}, indent=1) + "\n")
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(before + BEGIN + markdown() + END + rest.split(END)[1], encoding="utf-8")


def kept():
    """The results of the last run that was recorded."""
    return json.loads(RESULTS.read_text())


def markdown():
    """What the page shows of the results that are kept."""
    found = kept()
    lines = ["", "%(date)s, commit `%(commit)s`, %(system)s, CPython %(python)s, %(seconds)d seconds:" % found, "",
             "| " + " | ".join(HEAD) + " |", "|---|" + "--:|" * (len(HEAD) - 1)]
    for row in found["rows"]:
        lines.append("| %s | " % row["kind"] + " | ".join(f"{row[name]:,}" for name in HEAD[1:]) + " |")
    return "\n".join(lines) + "\n"
