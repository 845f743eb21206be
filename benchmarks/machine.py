"""What a result must say of the machine it was taken on, and nothing that names the machine or its owner."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from .timing import BASE_PYTHON


def said(*argv):
    """First line that a program prints, or '' when it is not there."""
    if not shutil.which(argv[0]) and not os.path.exists(argv[0]):
        return ""
    done = subprocess.run(argv, capture_output=True, text=True)
    return (done.stdout or done.stderr).strip().split("\n")[0]


def processor():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith(("model name", "Model")):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def versions():
    """Versions of all that takes part, as text."""
    from importlib.metadata import PackageNotFoundError, version

    found = {
        "python": said(BASE_PYTHON, "-c", "import platform; print(platform.python_version())"),
        "node": said("node", "--version"),
        "git": said("git", "--version"),
        "strace": said("strace", "--version"),
        "valgrind": said("valgrind", "--version"),
        "sqlite": said(BASE_PYTHON, "-c", "import sqlite3; print(sqlite3.sqlite_version)"),
    }
    for name in ("abcd-index", "orjson", "PyYAML", "python-frontmatter", "GitPython", "typer"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = ""
    return found


def commit():
    """The commit that was measured, and whether the checkout had changes on top of it."""
    here = Path(__file__).resolve().parent

    def ask(*args):
        return subprocess.run(["git", *args], cwd=here, capture_output=True, text=True).stdout.strip()

    changed = ask("status", "--porcelain", "--untracked-files=no")
    return ask("rev-parse", "--short=12", "HEAD") + ("+changes" if changed else "")


def describe():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    return {
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**30),
        "load_at_start": [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else [],
        "implementation": sys.implementation.name,
    }
