"""``python -m tests.faults``: the whole of it, or ``--short`` for a look in less than a minute."""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
import traceback
from itertools import islice
from pathlib import Path

from . import damage, inject, racing, report, trials
from .scenes import SCENES
from .world import World, warm

LONG = {"kills": 3200, "errors": 4200, "thin": 1, "checked": 10, "race": 20}
SHORT = {"kills": 60, "errors": 60, "thin": 16, "checked": 10, "race": 2}


def main():
    options = arguments()
    begun = time.time()
    folder = Path(tempfile.mkdtemp(prefix="abcd-faults-", dir=place()))
    try:
        warm(folder / "w0")
        if options.trial:
            return one(folder, options.trial)
        rows, failed = run(folder, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(report.text(rows))
    print("%d s" % (time.time() - begun))
    for label, problem in failed[:options.show]:
        print("  %s\n      %s" % (label, problem))
    if len(failed) > options.show:
        print("  and %d more" % (len(failed) - options.show))
    if options.record:
        report.record(rows, time.time() - begun)
    return 1 if failed else 0


def arguments():
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--short", action="store_true", help="a sample of each kind, below a minute")
    parser.add_argument("--only", default="kills,errors,damage,race", help="some of kills,errors,damage,race")
    parser.add_argument("--scene", default="", help="only scenes whose name holds this")
    parser.add_argument("--kills", type=int, help="how many kills")
    parser.add_argument("--errors", type=int, help="how many errors")
    parser.add_argument("--workers", type=int, default=2 * (os.cpu_count() or 2))
    parser.add_argument("--show", type=int, default=40, help="print so many failures")
    parser.add_argument("--trial", help="run this one again, as a failure names it")
    parser.add_argument("--record", action="store_true", help="keep the table in tests/faults/results.json")
    options = parser.parse_args()
    options.sizes = dict(SHORT if options.short else LONG)
    for name in ("kills", "errors"):
        if getattr(options, name) is not None:
            options.sizes[name] = getattr(options, name)
    options.only = options.only.split(",")
    return options


def place():
    """Where the worlds are: in memory where there is such a folder, since no power cut is tried."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) and not os.environ.get("TMPDIR") else None


def run(folder, options):
    rows, failed = [], []
    tried = []
    if "kills" in options.only or "errors" in options.only:
        counts = shared(folder, options, [scene.name for scene in SCENES if options.scene in scene.name], counted)
        counts = dict(counts)
        for scene in SCENES:
            counts.setdefault(scene.name, dict.fromkeys([*trials.KILLS, *inject.ERRORS], 0))
        if "kills" in options.only:
            tried.append(("kills", kills(counts, options.sizes["kills"])))
        if "errors" in options.only:
            tried.append(("errors", sample(list(trials.all_errors(counts)), options.sizes["errors"])))
    for kind, chosen in tried:
        chosen.sort(key=lambda trial: trial.scene)
        results = shared(folder, options, [trial.label() for trial in chosen], tested)
        for row, bad in report.rows_of(kind, results):
            rows.append(row)
            failed += bad
    if "damage" in options.only:
        for row, bad in damage.run(folder, options, shared):
            rows.append(row)
            failed += bad
    if "race" in options.only:
        row, bad = racing.run(folder / "race", options.sizes["race"])
        rows.append(row)
        failed += bad
    return rows, failed


def kills(counts, wanted):
    every = list(trials.all_kills(counts))
    if len(every) >= wanted:
        return sample(every, wanted)
    if not every:
        return every
    return every + list(islice(trials.second_kills(counts), wanted - len(every)))


def sample(every, wanted):
    """``wanted`` of them, evenly."""
    if len(every) <= wanted:
        return every
    return [every[number * len(every) // wanted] for number in range(wanted)]


def counted(world, name):
    scene = next(scene for scene in SCENES if scene.name == name)
    return trials.counts(world, scene)


BASES = {}


def tested(world, label):
    trial = trials.Trial.of(label)
    scene = next(scene for scene in SCENES if scene.name == trial.scene)
    if scene.name not in BASES:
        BASES[scene.name] = trials.Base(world, scene)
    try:
        return trials.attempt(world, scene, BASES[scene.name], trial)
    except AssertionError as error:
        return ["wrong: " + str(error)[:500]]


def one(folder, label):
    problems = tested(World(folder / "w0"), label)
    print("\n".join(problems) if problems else "the call was not reached" if problems is None else "fine")
    return 1 if problems else 0


# Trials of one scene that a process takes at a time.
CHUNK = 30


def shared(folder, options, items, work):
    """[(item, work(world, item))], done by several processes that have a world each. Items of one scene that follow
    each other go to one process, which then looks only once at what is right there."""
    chunks = []
    for item in items:
        scene = item.partition("|")[0]
        if not chunks or chunks[-1][0] != scene or len(chunks[-1][1]) >= CHUNK:
            chunks.append((scene, []))
        chunks[-1][1].append(item)
    ready, todo = os.pipe()
    os.set_blocking(todo, False)
    for number in range(len(chunks)):
        os.write(todo, number.to_bytes(2, "big"))
    os.close(todo)
    children = [start(folder, number, ready, chunks, work) for number in range(options.workers)]
    os.close(ready)
    broken = [child for child in children if os.waitpid(child, 0)[1]]
    found = []
    for number in range(options.workers):
        with open(folder / ("result-%d" % number)) as lines:
            found += [tuple(json.loads(line)) for line in lines]
        for name in ("w%d", "w%d-template", "w%d-io"):
            shutil.rmtree(folder / (name % number), ignore_errors=True)
    if broken:
        raise SystemExit("the harness itself failed, see above")
    return found


def start(folder, number, ready, chunks, work):
    """A process that takes chunks as long as there are any. Returns its id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        world = World(folder / ("w%d" % number))
        with open(folder / ("result-%d" % number), "w") as out:
            while True:
                taken = os.read(ready, 2)
                if not taken:
                    break
                for item in chunks[int.from_bytes(taken, "big")][1]:
                    out.write(json.dumps([item, work(world, item)]) + "\n")
                    out.flush()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
