"""Tables and the chart, drawn from a result's rows: on the terminal and in docs/benchmarks.md."""

from pathlib import Path

from . import chart
from .figures import INSTALLED, OWN, PEERS
from .git_ops import EMPTY, HOOKED, WITHOUT
from .goals import SIZES, against, goals
from .prompts import table as prompts
from .results import FOLDER, spread
from .timing import BARE

DOCS = Path(__file__).resolve().parent.parent / "docs"
CASES = {
    "three": "three pages match and come",
    "nothing": "nothing matches",
    "depleted": "three pages match, 20 % of the window free",
    "repeat": "the pages are in the session already",
    "paste": "a 200 KB log is pasted below the question",
}

INTRO = """# Benchmarks

<!-- Drawn by `python -m benchmarks report` from the file named below. Change the program, not this page. -->

Whole processes, from start to exit, on generated stores with fixed seeds. Commands that are compared take turns, and a
ratio is the median of the ratios round by round: what slows the machine down for a while slows both. The yardstick is
the bare interpreter, `python3 -I -S -c pass`; "1.2x" means a prompt costs a fifth more than an interpreter that starts
and does nothing. The page cache is warm.

Run it yourself: `make bench` (minutes) or `make bench-full` (100,000 pages too). [How to read it](#what-is-compared)
is at the end. Whether the right page comes is [measured apart](#the-right-page-for-a-prompt).
"""

# Why a goal is missed, by the beginning of its figure; only those that a result misses are printed.
REASONS = {
    "hook, 140 pages of 3 KB": "a prompt that matches nothing stays below it. What ranks, chooses and writes is loaded "
    "only for a match, and then costs more than the goal leaves: more modules, more files, a ledger that is written.",
    "hook, a 200 KB paste": "it adds a fifth to a quarter of an interpreter's start to the usual prompt: reading it, "
    "cutting 24,000 characters of it into words and looking up the distinct ones. On a busy machine the usual prompt "
    "is above its own goal already.",
    "tuned plain-text scan": "looking through 140 files is about as cheap as any index, and this peer does less: one "
    "scope, no ledger, no inflection, no ranking. It reads every page, so it grows with the store.",
    "artefact / bytes": "beside the text of the pages it holds a weight for each of their words and bits for each pair "
    "of neighbours, all of it written as text that `jq` can show.",
    "build after one edit": "the state of every file is asked of the system, and the whole artefact is written anew, "
    "though all but one page are copied: both grow with the store.",
}

OUTRO = """## What is compared

- **The hook** runs as an agent runs it: the payload on stdin, `python3 -I -S hooks/prompt_router_hook.py`, both scopes
  (the user scope has 40 pages), the fill known to be fresh, the session ledger written. Before each run the session's
  files are put back, so that each run is the first of its session. Before anything is timed its output is checked.
- **The peers** are small hooks in `benchmarks/peers/` that get the same JSON and print the same envelope with the same
  pages. They do less: one scope, no ledger, no bracket, no inflection. They start in the cheapest way there is
  (`-I -S`, code from a cached `.pyc`, packages put on the path by hand); the indexes that some need are made before.
- **Stores**: median page 2.2 KB, 95th percentile 11 KB, 3 to 6 keywords, both dialects, one keyword that a quarter of
  the pages (at most 5,000) share, 40,000 distinct words with the frequencies of natural text. `140x3KB` has 140 pages
  of 3 KB.
- **Peak memory** is the operating system's own figure for the process; of a build, for the largest of its processes.
  **Bytes read** and **system calls** come from `strace -f`, **instructions** from valgrind; both count the
  interpreter's own start, which the first row shows alone.
- **Git operations** run in copies of one repository: with our hooks, with none, and with an empty `#!/bin/sh` hook, the
  least that any hook can cost.

What this does not show: a cold page cache, network folders, Windows (where starting any process costs more), and how
well `recall TERMS` finds pages ([how it ranks](explanation/ranking.md)).
"""


def text(result):
    """All tables as text for the terminal."""
    return "\n".join([_head(result), *(f"{title}\n\n{table}\n" for title, table in _tables(result))])


def write(result, folder=DOCS):
    """Write docs/benchmarks.md and its chart; return their paths."""
    page, picture = folder / "benchmarks.md", folder / "benchmarks.svg"
    page.write_text(render(result), encoding="utf-8")
    drawn = svg(result)
    if drawn:
        picture.write_text(drawn, encoding="utf-8")
    return [page, picture] if drawn else [page]


def render(result):
    """The text of docs/benchmarks.md."""
    parts = [INTRO, _head(result)]
    if svg(result):
        parts.append("![Wall time of a prompt against the number of pages](benchmarks.svg)\n")
    parts += [f"## {title}\n\n{table}\n" for title, table in _tables(result)]
    pages = prompts.section(table)
    if pages:
        parts.append(f"## {prompts.TITLE}\n\n{pages}\n")
    return "\n".join([*parts, OUTRO])


def svg(result):
    series = {OWN: _line(result, "hook", OWN)}
    for name in PEERS:
        series[name] = _line(result, f"peer {name}", name)
    series = {name: line for name, line in series.items() if len(line) > 1}
    if not series:
        return ""
    return chart.draw(
        series,
        "A prompt's wall time, in starts of a bare interpreter",
        "pages in the store",
        "times python3 -I -S -c pass",
    )


def _line(result, figure, name):
    found = [(int(size), result.ratio(figure, "three", size, name)) for size in SIZES]
    return [(size, ratio) for size, ratio in found if ratio]


def _head(result):
    data = result.data
    about, versions = data["machine"], data["versions"]
    name = f"{data['taken']}-{data['profile']}.json"
    return (
        f"Taken {data['taken']} at commit `{data['commit']}` with `{data['command']}` "
        f"({data.get('minutes', '?')} minutes); raw rows in `benchmarks/{FOLDER.name}/{name}`.\n"
        f"{about['system']}, {about['processor']}, {about['cores']} cores, {about['memory_gib']} GiB; "
        f"{about['implementation']} {versions['python']}, node {versions['node'] or 'not installed'}, "
        f"SQLite {versions['sqlite']}, {versions['git']}, orjson {versions['orjson']}, "
        f"PyYAML {versions['PyYAML']}, python-frontmatter {versions['python-frontmatter']}.\n"
    )


def _tables(result):
    yield "Goals", _goals(result)
    for title, made in (
        ("The prompt hook", _hook(result)),
        ("Beside the peers", _peers(result)),
        ("What a prompt touches", _counts(result)),
        ("Build, verify, recall", _builds(result)),
        ("Git operations", _git(result)),
        ("Sizes", _sizes(result)),
    ):
        if made:
            yield title, made
    if result.data["notes"]:
        yield "Notes", "\n".join(f"- {note}" for note in result.data["notes"])


def table(head, rows):
    """A markdown table, its columns padded so that it reads well as text; numbers to the right."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(row):
        cells = [cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        return "| " + " | ".join(cells) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([line(head), rule, *map(line, rows)])


def times(value):
    return "" if value is None else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def _measured(result):
    return [size for size in ("140x3KB", *SIZES) if result.store(size)]


def _goals(result):
    found = goals(result)
    made = table(
        ["figure", "goal", "measured", "met"], [[g.what, g.bound, g.shown, "yes" if g.met else "no"] for g in found]
    )
    return made + _missed([g.what for g in found if not g.met])


def _missed(figures):
    """Which goals are missed, and why."""
    rows = [
        f"- **{what}**" + "".join(f": {why}" for start, why in REASONS.items() if what.startswith(start))
        for what in figures
    ]
    return "\n\nMissed, and why:\n\n" + "\n".join(rows) if rows else ""


def _hook(result):
    sizes = _measured(result)
    rows = [[what, *(times(result.ratio("hook", case, size, OWN)) for size in sizes)] for case, what in CASES.items()]
    for name in ("three pages", "thousands of pages"):
        rows.append(
            [f"a keyword that {name} share", *(times(result.ratio("keyword", "shared", size, name)) for size in sizes)]
        )
    first = result.timing("hook", "three", sizes[0]) if sizes else None
    if not first:
        return ""
    low, middle, high = spread(first[OWN])
    note = (
        f"\n\nIn milliseconds at {sizes[0]}, three pages: median {middle:.1f} (10 % below {low:.1f}, 10 % above "
        f"{high:.1f}); the bare interpreter {first[BARE].ms:.1f}."
    )
    return table(["times the bare interpreter", *sizes], rows) + note


def _peers(result):
    sizes = [size for size in SIZES if result.store(size)]
    rows = [["**abcd-index**", *(times(result.ratio("hook", "three", size, OWN)) for size in sizes)]]
    for name in (*PEERS, *INSTALLED):
        cells = [times(result.ratio(f"peer {name}", "three", size, name)) for size in sizes]
        if any(cells):
            rows.append([chart.LABELS[name], *cells])
    ahead = [
        [chart.LABELS[name], *(times(against(result, name, size)) for size in sizes)]
        for name in (*PEERS, *INSTALLED)
        if any(against(result, name, size) for size in sizes)
    ]
    if not ahead:
        return ""
    return (
        table(["times the bare interpreter", *sizes], rows)
        + "\n\nThe same as multiples of the hook's time, each pair measured in turns:\n\n"
        + table(["peer / hook", *sizes], ahead)
    )


def _counts(result):
    rows = []
    for entry in result.data["counts"]:
        calls, read, opened = (entry[key] for key in ("calls", "read", "opened"))
        found = result.timing("hook", "three", entry["store"])
        peak = f"{found[entry['name']].peak / 1024:.1f}" if found and entry["name"] in found else ""
        millions = f"{entry['instructions'] / 1e6:.1f}" if entry["instructions"] else ""
        rows.append(
            [
                chart.LABELS.get(entry["name"], entry["name"]),
                entry["store"],
                calls or "",
                opened or "",
                f"{read:,}" if read else "",
                millions,
                peak,
            ]
        )
    return (
        table(
            ["process", "pages", "system calls", "files opened", "bytes read", "million instructions", "peak MiB"], rows
        )
        if rows
        else ""
    )


def _builds(result):
    rows = []
    for size in _measured(result):
        full, small = result.timing("build", "full and verify", size), result.timing("build", "small", size)
        if not full or not small:
            continue
        rows.append(
            [
                size,
                _s(full["full build"]),
                _s(small["no change"]),
                _s(small["one edit"]),
                _s(full["verify"]),
                _s(small["recall"]),
                _s(small["import of the command line"]),
                f"{full['full build'].peak / 1024:.0f}",
            ]
        )
    return (
        table(
            [
                "pages",
                "full build s",
                "no change s",
                "one edit s",
                "verify s",
                "recall s",
                "import alone s",
                "full build peak MiB",
            ],
            rows,
        )
        if rows
        else ""
    )


def _s(figure):
    return f"{figure.ms / 1000:.2f}"


def _git(result):
    rows = []
    for entry in result.data["timings"]:
        if entry["figure"] != "git":
            continue
        found = result.timing("git", entry["case"], entry["store"])
        hooked, without, empty = (found[name] for name in (HOOKED, WITHOUT, EMPTY))
        starts = f"{(hooked.ms - without.ms) / found[BARE].ms:+.1f}" if BARE in found else ""
        rows.append(
            [
                entry["case"],
                entry["store"],
                f"{without.ms:.1f}",
                f"{hooked.ms:.1f}",
                times(hooked.ratio(without)),
                times(empty.ratio(without)),
                starts,
            ]
        )
    return (
        table(
            [
                "operation",
                "pages",
                "without hooks ms",
                "with hooks ms",
                "ratio",
                "with empty hooks",
                "added, in bare starts",
            ],
            rows,
        )
        if rows
        else ""
    )


def _sizes(result):
    rows = [
        [
            entry["name"],
            f"{entry['bytes']:,}",
            f"{entry['median']:,}",
            f"{entry['p95']:,}",
            f"{entry['artefact']:,}",
            f"{entry['artefact'] / entry['bytes']:.2f}",
            *(
                f"{entry['peer_indexes'].get(name, 0) / entry['bytes']:.2f}" if entry["peer_indexes"] else ""
                for name in ("fts5", "keys", "json")
            ),
        ]
        for entry in result.data["stores"]
    ]
    head = [
        "store",
        "bytes of pages",
        "median",
        "p95",
        "artefact",
        "/ pages",
        "FTS5 / pages",
        "SQLite keys / pages",
        "JSON keys / pages",
    ]
    return table(head, rows) if rows else ""
