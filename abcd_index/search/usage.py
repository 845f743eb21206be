"""How often each page was recalled. Kept in the user's folder, never in a page: a page's own dates stay true, and
nothing that came with a clone is counted, appended to or waited for.

``recall-stats.json`` holds the counts so far and names a log; every recall appends one line to that log.
When the log has grown, the next writer folds it: new counts under the name of a new, empty log take the
place of the old file in one step, then the old log goes. Writers hold a lock, so no count is lost and none
counts twice, wherever one of them is killed. Readers need no lock.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from typing import Collection, Dict, TypedDict

from abcd_index import fs

STATS = "recall-stats.json"
VERSION = 1
LOCK = "recall-stats.lock"
# A log of this many bytes is folded: reading it takes well under a millisecond.
FOLD = 32768
# Bytes: no log is larger, and no counts of a store of a million pages.
LONGEST_LOG, LONGEST = 1 << 20, 1 << 27
# Without a lock after this long the recall goes on uncounted: an answer matters more than its count.
PATIENCE = 5.0


class Stats(TypedDict):
    """``recall-stats.json``."""

    version: int
    log: str
    counts: Dict[str, int]


def counts(folder: str) -> Dict[str, int]:
    """{file name: recalls} of the store whose sidecars are in ``folder``; {} when there are none."""
    for _ in range(3):
        stats = _stats(folder)
        log = _log(folder, stats)
        if log is not None:
            return _folded(stats, log)
    return _folded(stats, b"")


def record(folder: str, files: Collection[str], now: float | None = None) -> bool:
    """Count one recall of each of ``files``. Returns whether it was written; never raises OSError."""
    if not files:
        return True
    try:
        fs.make_private(folder)
        with Lock(os.path.join(folder, LOCK)):
            _append(folder, files, now)
        return True
    except OSError:
        return False


class Lock:
    """An exclusive lock on a file, held by one process at a time. Raises OSError after PATIENCE seconds."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.fd = -1

    def __enter__(self) -> Lock:
        self.fd = fs.open_plain(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        begun = time.monotonic()
        while not _try_lock(self.fd):
            if time.monotonic() - begun > PATIENCE:
                os.close(self.fd)
                raise OSError(f"{self.path} stays locked")
            time.sleep(0.005)
        return self

    def __exit__(self, *_: object) -> None:
        # Closing lets go of the lock. The file stays: removing it would let two processes lock two files.
        os.close(self.fd)


def _append(folder: str, files: Collection[str], now: float | None) -> None:
    stats = _stats(folder)
    path = os.path.join(folder, stats["log"])
    stamp = int(time.time() if now is None else now)
    line = json.dumps([stamp, sorted(set(files))], ensure_ascii=True).encode("ascii") + b"\n"
    try:
        log = fs.read(path, LONGEST_LOG)
    except FileNotFoundError:
        log = b""
    if log and not log.endswith(b"\n"):
        line = b"\n" + line  # The writer before us was killed in the middle of its line.
    fs.append(path, line)
    if len(log) + len(line) > FOLD:
        _fold(folder, stats, log + line)


def _fold(folder: str, stats: Stats, log: bytes) -> None:
    number = int(stats["log"][len("recall-log-") : -len(".jsonl")]) + 1
    new: Stats = {"version": VERSION, "log": f"recall-log-{number}.jsonl", "counts": _folded(stats, log)}
    fs.remove_leftovers(folder)
    fs.replace(os.path.join(folder, STATS), json.dumps(new, indent=1, sort_keys=True).encode("ascii"), 0o600)
    fs.remove(os.path.join(folder, stats["log"]))


def _stats(folder: str) -> Stats:
    try:
        stats: Stats = json.loads(fs.read(os.path.join(folder, STATS), LONGEST))
        log, known = stats["log"], stats["counts"]
        if stats["version"] == VERSION and _sane(log) and all(type(n) is int for n in known.values()):
            return stats
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    return {"version": VERSION, "log": "recall-log-0.jsonl", "counts": {}}


def _sane(log: object) -> bool:
    return isinstance(log, str) and re.fullmatch(r"recall-log-[0-9]{1,9}\.jsonl", log) is not None


def _log(folder: str, stats: Stats) -> bytes | None:
    """The log's bytes; b'' when nothing was recalled yet; None when it was folded between two looks."""
    try:
        return fs.read(os.path.join(folder, stats["log"]), LONGEST_LOG)
    except OSError:
        return b"" if _stats(folder)["log"] == stats["log"] else None


def _folded(stats: Stats, log: bytes) -> Dict[str, int]:
    total = dict(stats["counts"])
    for line in log.splitlines():
        try:
            for file in json.loads(line)[1]:
                total[file] = total.get(file, 0) + 1
        except (ValueError, TypeError, IndexError):
            continue  # Half a line of a writer that was killed.
    return total


def _try_lock(fd: int) -> bool:
    if sys.platform == "win32":  # pragma: no cover - Windows
        import msvcrt

        try:
            os.lseek(fd, 0, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
            return True
        except OSError:
            return False
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
