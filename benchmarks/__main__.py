"""``python -m benchmarks run [--full] [--only NAME]``, ``python -m benchmarks report [RESULT]``."""

import argparse
import os
import sys
import tempfile
import time

from . import figures, report
from .results import Result


class Plan:
    """How much is measured. ``seconds`` bound one comparison; three rounds are made whatever they cost."""

    rounds, seconds, peers, peer_seconds = 41, 4.0, True, 5.0
    builds, build_rounds, build_seconds, git_rounds = True, 3, 30.0, 15
    stores = (("140x3KB", 140, 3_000), ("140", 140, 0), ("2000", 2_000, 0), ("20000", 20_000, 0))


class FullPlan(Plan):
    rounds, seconds, peer_seconds, build_rounds, build_seconds, git_rounds = 61, 5.0, 6.0, 3, 60.0, 21
    stores = Plan.stores + (("100000", 100_000, 0),)


def run(args):
    plan = FullPlan() if args.full else Plan()
    names = [name for name, _, _ in plan.stores] + ["git"]
    unknown = sorted(set(args.only or ()) - set(names))
    if unknown:  # Nothing would be measured, and an empty result kept.
        print(
            f"--only {unknown[0]}: there are {', '.join(names)}" + ("" if args.full else "; more with --full"),
            file=sys.stderr,
        )
        return 2
    if args.work:
        os.makedirs(args.work, exist_ok=True)
    result = Result.new("python -m benchmarks run" + (" --full" if args.full else ""), "full" if args.full else "quick")
    begin = time.monotonic()

    def say(text):
        print(f"{time.monotonic() - begin:6.0f} s  {text}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="abcd-index-bench-", dir=args.work) as work:
        for name, pages, size in plan.stores:
            if not args.only or name in args.only:
                figures.workspace_figures(result, work, name, pages, plan, say, size)
                # What was measured is kept when a later store runs into a fault or out of patience.
                keep(result, args, begin)
        if not args.only or "git" in args.only:
            figures.git_operations(result, work, plan, say)
    path = keep(result, args, begin)
    print(report.text(result))
    if path:
        print(f"raw rows: {path.name}")
    return 0


def keep(result, args, begin):
    """Save what there is so far; return where, or None when nothing is to be kept."""
    result.data["minutes"] = round((time.monotonic() - begin) / 60, 1)
    return None if args.no_save else result.save(args.out)


def make_report(args):
    result = Result.load(args.result) if args.result else Result.latest()
    if result is None:
        print("no results yet: run `python -m benchmarks run`", file=sys.stderr)
        return 1
    for path in report.write(result):
        print(f"wrote {path}")
    return 0


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(required=True)
    measure = commands.add_parser("run", help="measure and keep the raw rows")
    measure.add_argument("--full", action="store_true", help="100,000 pages too, and more rounds")
    measure.add_argument(
        "--only", action="append", metavar="NAME", help="one store (140, 2000, ...) or `git`; repeatable"
    )
    measure.add_argument("--work", metavar="DIR", help="where the generated stores go (default: the temporary folder)")
    measure.add_argument("--out", metavar="FILE", help="where the result goes (default: benchmarks/results)")
    measure.add_argument("--no-save", action="store_true", help="print the table and keep nothing")
    measure.set_defaults(run=run)
    page = commands.add_parser("report", help="draw docs/benchmarks.md from a result")
    page.add_argument("result", nargs="?", help="a result file (default: the newest full one)")
    page.set_defaults(run=make_report)
    args = parser.parse_args()
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
