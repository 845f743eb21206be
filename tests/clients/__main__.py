"""``python -m tests.clients NAME...``: run the scenario with the named agents, or ``all``."""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from .agents import AGENTS
from .run import ROOT, Run, installed
from .scenario import steps


def main():
    parser = argparse.ArgumentParser(description="Run agents against a model that only writes down what it is asked.")
    parser.add_argument("agents", nargs="+", choices=[*AGENTS, "all"])
    parser.add_argument("--folder", type=Path, default=ROOT / ".clients", help="where the agents are installed")
    parser.add_argument("--package", default="", help="another version, as PACKAGE@VERSION")
    parser.add_argument("--keep", action="store_true", help="leave the homes and projects there")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in AGENTS if "all" in options.agents else options.agents:
        failed += one(AGENTS[name](), options)
    return 1 if failed else 0


def one(agent, options):
    """Run one agent; returns how many steps were not as they should be."""
    begun, failed = time.monotonic(), 0
    program, node = installed(agent, options.folder.resolve(), options.package)
    folder = Path(tempfile.mkdtemp(prefix=f"clients-{agent.name}-"))
    run = Run(agent, program, node, folder)
    try:
        print(f"{agent.name} {run.version()}", flush=True)
        run.cli("install", "--agent", agent.name)
        for step, fine, seen in steps(run):
            failed += fine is False
            said = {True: "ok   ", False: "WRONG", None: "-    "}[fine]
            print(f"  {said}  {step}" + ("" if fine else f": {seen}"), flush=True)
            if fine is False and options.keep:
                print(run.said[-800:])
        print(f"  {time.monotonic() - begun:.0f} s", flush=True)
    finally:
        run.close()
        if options.keep:
            print(folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
