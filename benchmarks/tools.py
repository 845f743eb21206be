"""Figures that do not depend on time: bytes read, system calls and files by strace, instructions by valgrind."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

_CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)")
_READS = {"read", "pread64", "readv", "preadv", "preadv2"}


def traced(command):
    """{"calls", "read", "files"}: system calls, bytes read and paths opened by one run; None without strace."""
    if not shutil.which("strace"):
        return None
    _prepare(command)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "trace"
        _run(["strace", "-f", "-qq", "-s", "4096", "-o", str(log), *command.argv], command)
        text = log.read_text(errors="replace") if log.exists() else ""
    calls = [m.groups() for m in map(_CALL.match, text.splitlines()) if m]
    if not calls:
        return None  # strace is there but may not trace (a container without ptrace)
    files = [
        args.split('"')[1]
        for name, args, got in calls
        if name in ("open", "openat") and not got.startswith("-") and '"' in args
    ]
    return {
        "calls": len(calls),
        "read": sum(int(got) for name, _, got in calls if name in _READS and int(got) > 0),
        "files": files,
    }


def instructions(command):
    """Instructions executed by one run, as valgrind counts them; None without valgrind."""
    if not shutil.which("valgrind"):
        return None
    _prepare(command)
    done = _run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *command.argv], command
    )
    found = re.search(r"I +refs: +([\d,]+)", done.stderr)
    return int(found.group(1).replace(",", "")) if found else None


def _prepare(command):
    command.output()  # leaves every file written and every .pyc cached
    for folder, files in command.reset:
        for path in Path(folder).iterdir():
            if path.name not in files:
                path.unlink()
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)


def _run(argv, command):
    stdin = open(command.stdin, "rb") if command.stdin else subprocess.DEVNULL
    try:
        return subprocess.run(
            argv,
            env=command.env,
            cwd=command.cwd,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    finally:
        if command.stdin:
            stdin.close()
