"""``python -m benchmarks.quality [--eval DIR] [--only a,b] [--save]``: how well the two rankings find pages.

Measures nDCG@10, MRR@10, Recall@10, build and query time of ``signal`` and ``bm25f`` beside other engines on
the same documents in one run, and says whether ``bm25f`` holds its gate. Peers are installed with
``pip install bm25s PyStemmer rank_bm25 tantivy lunr whoosh-reloaded numpy``; those that are not are left out.
Exit status 1 when the gate is missed.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

from benchmarks.quality import ours, peers, texts
from benchmarks.quality.gate import gate
from benchmarks.quality.measures import DEPTH, mean, measures

RESULTS = Path(__file__).with_name("results.json")
COLUMNS = (("nDCG@10", 0), ("MRR@10", 1), ("Recall@10", 2))


class Row:
    """What one engine did on one collection. ``found``: {query: measures}; times in seconds."""

    def __init__(self, found, build, query):
        self.found = found
        self.build = build
        self.query = query

    def mean(self, column):
        return mean(list(self.found.values()), column)


def measure(collection, engine):
    """The Row of an engine on a collection."""
    index, search = engine
    begun = time.perf_counter()
    built = index(collection.docs)
    build = time.perf_counter() - begun
    search(built, collection.queries[0][1], DEPTH)
    found, times = {}, []
    for query, text in collection.queries:
        begun = time.perf_counter()
        ranking = search(built, text, DEPTH)
        times.append(time.perf_counter() - begun)
        found[query] = measures(ranking, collection.relevant[query])
    return Row(found, build, statistics.median(times))


def table(title, engines, names, value, form="{:.4f}"):
    """One table as lines: engines down, collections across, the mean last."""
    lines = [f"{title:14s}" + "".join(f"{name:>10s}" for name in names) + "      mean"]
    for engine in engines:
        values = [value(engine, name) for name in names]
        cells = "".join(f"{form.format(v):>10s}" for v in values + [sum(values) / len(values)])
        lines.append(f"{engine:14s}" + cells)
    return lines


def main():
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.quality", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--eval", metavar="DIR", default=texts.ELSEWHERE, help="a folder of public collections")
    parser.add_argument("--only", metavar="A,B", help="only these collections")
    parser.add_argument("--save", action="store_true", help=f"keep the figures in {RESULTS.name}")
    options = parser.parse_args()
    others, missing = peers.available()
    for name, why in missing.items():
        print(f"left out {name}: {why}", file=sys.stderr)
    engines = {**ours.ENGINES, **others}
    rows, names = {}, []
    for collection in texts.collections(options.eval):
        if options.only and collection.name not in options.only.split(","):
            continue
        names.append(collection.name)
        for name, engine in engines.items():
            rows[name, collection.name] = measure(collection, engine)
            print(f"{collection.name} {name}", file=sys.stderr, flush=True)
    for title, column in COLUMNS:
        print("\n".join(table(title, engines, names, lambda e, c, at=column: rows[e, c].mean(at))) + "\n")
    print("\n".join(table("build, s", engines, names, lambda e, c: rows[e, c].build, "{:.3f}")) + "\n")
    print("\n".join(table("query, ms", engines, names, lambda e, c: rows[e, c].query * 1000, "{:.3f}")) + "\n")
    if options.save:
        save(rows, engines, names)
    if not others:
        print("no peers installed: nothing to hold the gate against")
        return 0
    lines, held = gate("bm25f", list(others), names, rows)
    print("\n".join(lines))
    return 0 if held else 1


def save(rows, engines, names):
    """The means as JSON, for the documentation."""
    data = {
        name: {
            engine: {title: round(rows[engine, name].mean(column), 4) for title, column in COLUMNS}
            for engine in engines
        }
        for name in names
    }
    RESULTS.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
