"""Artefacts on a git remote: ``refs/abcd-index/<key>``, each a commit without a parent that holds one file.

No branch, work tree, index or ref of the repository is touched, and its object store gains nothing: what is
sent or fetched lies in an object folder of its own, which the caller throws away. The remote's settings
(address, credentials, proxies) are the repository's. No local hook runs. The commit's author and date are
fixed, so the same artefact is the same commit wherever it is made, and listing the remote tells whether its
bytes agree. The file is called ``<key>.parcel``, as in all places.

When an artefact was pushed is in the name of a second ref, ``refs/abcd-index-pushed/<seconds>-<key>``: so
that the oldest can be found and deleted by listing alone.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from tempfile import TemporaryFile
from types import FrameType, TracebackType
from typing import Any, BinaryIO, Callable, Iterable

from abcd_index import fs
from abcd_index.errors import CannotTell
from abcd_index.git import run
from abcd_index.git.run import Worktree

REFS = "refs/abcd-index/"
PUSHED = "refs/abcd-index-pushed/"
KEY = re.compile(r"[0-9a-f]{40}")
_PUSHED = re.compile(r"(\d{1,12})-([0-9a-f]{40})")
_OID = re.compile(r"[0-9a-f]{40,64}")
_AUTHOR = "abcd-index <abcd-index@invalid> 0 +0000"
_MESSAGE = "An artefact of abcd-index; docs/how-to/share.md says what it is for"
# How often a running git is looked at, in seconds.
_LOOK = 0.05
# Nothing of the repository's or the person's settings may run or change anything here.
_CALM = (
    "core.hooksPath=" + os.devnull,
    "gc.auto=0",
    "maintenance.auto=false",
    "push.gpgSign=false",
    "push.followTags=false",
    "push.recurseSubmodules=no",
    "fetch.recurseSubmodules=false",
    "core.alternateRefsCommand=true",
    "protocol.ext.allow=never",
    "fetch.writeCommitGraph=false",
    "fetch.unpackLimit=1",
    "transfer.unpackLimit=1",
    # What somebody may have put there is written through, not held in memory.
    "core.bigFileThreshold=1m",
)
# Bytes of memory that git may ask for at once, whatever a pack that arrives says that its objects make.
_AT_ONCE = 256 << 20
# Bytes of an answer that are read.
_ANSWER = 64 << 20


class Remote:
    """A configured remote of a work tree.

    ``name``: of the remote. ``folder``: an empty folder for objects, on the disk that the artefact goes to.
    ``seconds``: how long all questions together may take.
    """

    def __init__(self, worktree: Worktree, name: str, folder: str, seconds: float) -> None:
        self.worktree = worktree
        self.name = name
        self.objects = os.path.join(folder, "objects")
        self.until = time.monotonic() + seconds
        self.seconds = seconds

    def commits(self, *keys: str) -> dict[str, str]:
        """{key: commit} of the artefacts there; with ``keys`` of these alone."""
        return self._refs(*[REFS + key for key in keys] or [REFS + "*"])[0]

    def commits_and_times(self) -> tuple[dict[str, str], dict[str, list[str]]]:
        """``commits``, and {key: [name of a ref that says when it was pushed]}."""
        return self._refs(REFS + "*", PUSHED + "*")

    def commit(self, key: str, path: str) -> str:
        """The commit that holds the file ``path`` as the artefact of ``key``, made in the object folder."""
        blob = self._git("hash-object", "-w", "--no-filters", "--", path).strip()
        tree = self._git("mktree", data=b"100644 blob %s\t%s.parcel\n" % (blob, key.encode("ascii"))).strip()
        text = f"tree {tree.decode('ascii')}\nauthor {_AUTHOR}\ncommitter {_AUTHOR}\n\n{_MESSAGE}\n"
        oid = self._git("hash-object", "-t", "commit", "-w", "--stdin", data=text.encode("ascii"))
        return oid.decode("ascii").strip()

    def push(self, key: str, commit: str, now: float) -> None:
        """Make the refs of ``key``. A ref that is there is never moved. Raises CannotTell with what the remote said."""
        self._push(
            f"--force-with-lease={REFS}{key}:", self.name, f"{commit}:{REFS}{key}", f"{commit}:{PUSHED}{int(now)}-{key}"
        )

    def push_time(self, key: str, commit: str, now: float) -> None:
        """Say that ``key`` was pushed again; ``commit``, its artefact, is in the object folder."""
        self._push(self.name, f"{commit}:{PUSHED}{int(now)}-{key}")

    def delete(self, refs: Iterable[str]) -> None:
        """Delete ``refs`` on the remote. One that is gone already is no error."""
        refs = sorted(refs)
        for start in range(0, len(refs), 200):
            self._push(self.name, *(":" + ref for ref in refs[start : start + 200]))

    def fetch(self, key: str, most: int) -> None:
        """Bring the objects of ``key`` into the object folder. ``most``: bytes that may come."""
        known = ["--no-write-fetch-head"] if run.version() >= (2, 29) else []
        self._git(
            "fetch",
            "-q",
            "--no-tags",
            "--no-filter",
            "--no-recurse-submodules",
            "--refmap=",
            *known,
            self.name,
            REFS + key,
            most=most,
        )

    def size(self, key: str, commit: str) -> tuple[str, int]:
        """(blob, its bytes) of the artefact in a commit that was fetched. Raises CannotTell when there is none."""
        name = f"{commit}:{key}.parcel"
        words = (
            self._git(
                "cat-file", "--batch-check=%(objecttype) %(objectname) %(objectsize)", data=name.encode("ascii") + b"\n"
            )
            .decode("ascii", "replace")
            .split()
        )
        if len(words) != 3 or words[0] != "blob" or not words[2].isdigit():
            raise CannotTell(f"{REFS}{key} holds no artefact")
        return words[1], int(words[2])

    def write(self, blob: str, out: BinaryIO) -> None:
        """Write a blob to the open binary file ``out``."""
        self._git("cat-file", "blob", blob, out=out)

    def _refs(self, *patterns: str) -> tuple[dict[str, str], dict[str, list[str]]]:
        commits: dict[str, str] = {}
        pushed: dict[str, list[str]] = {}
        for line in self._git("ls-remote", "-q", self.name, *patterns).split(b"\n"):
            oid, _, ref = line.decode("ascii", "replace").partition("\t")
            if ref.startswith(REFS) and KEY.fullmatch(ref[len(REFS) :]) and _OID.fullmatch(oid):
                commits[ref[len(REFS) :]] = oid
            elif ref.startswith(PUSHED) and _PUSHED.fullmatch(ref[len(PUSHED) :]):
                pushed.setdefault(ref.rpartition("-")[2], []).append(ref)
        return commits, pushed

    def _push(self, *args: str) -> None:
        self._git("push", "-q", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed", *args)

    def _git(self, *args: str, data: bytes = b"", out: BinaryIO | None = None, most: int | None = None) -> bytes:
        """What a git command says. ``data``: its input; ``out``: where its output goes instead; ``most``: bytes that it
        may add to the object folder."""
        fs.make_folder(self.objects)
        environ = {
            **run.scrubbed(),
            **run.QUIET,
            "GIT_OBJECT_DIRECTORY": self.objects,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(os.path.join(self.worktree.common_dir, "objects")),
        }
        if most is not None:
            environ["GIT_ALLOC_LIMIT"] = str(_AT_ONCE)
        folder = os.path.dirname(self.objects)
        with TemporaryFile(dir=folder) as given, TemporaryFile(dir=folder) as said, TemporaryFile(dir=folder) as errors:
            given.write(data)
            given.seek(0)
            with _Termination() as termination:
                try:
                    # A session of its own: no terminal to ask for a password, and one group to end.
                    process = subprocess.Popen(
                        [*run.command(self.worktree, *_CALM), *args],
                        cwd=self.worktree.top,
                        env=environ,
                        stdin=given,
                        stdout=out or said,
                        stderr=errors,
                        start_new_session=True,
                    )
                except OSError as error:
                    raise CannotTell("git is not on PATH", "install git, or add it to PATH") from error
                try:
                    termination.enable()
                    self._wait(process, most)
                except BaseException:
                    _kill(process)
                    raise
            said.seek(0)
            errors.seek(0)
            if process.returncode:
                raise CannotTell(f"git {args[0]}: {_sentence(errors.read(1 << 16).decode('utf-8', 'replace'))}")
            return said.read(_ANSWER)

    def _wait(self, process: subprocess.Popen[bytes], most: int | None) -> None:
        measured = 0.0
        while True:
            try:
                process.wait(_LOOK)
                return
            except subprocess.TimeoutExpired:
                now = time.monotonic()
            if now > self.until:
                raise CannotTell(f"the remote {self.name} did not answer within {self.seconds:g} s")
            if most is not None and now - measured > 20 * _LOOK:
                measured = now
                if _bytes(self.objects) > most:
                    raise CannotTell(f"more than {most:,} bytes came, which no artefact of these pages has")


def names(worktree: Worktree) -> list[str]:
    """The names of the remotes that the repository has."""
    answer = run.query(worktree, "remote")
    return os.fsdecode(answer.out).split("\n")[:-1] if answer.status == 0 else []


def pushed_at(ref: str) -> int:
    """The second (since 1970) that a ref of ``PUSHED`` names; 0 when it is none."""
    found = _PUSHED.fullmatch(ref[len(PUSHED) :])
    return int(found.group(1)) if found else 0


def _sentence(error: str) -> str:
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    return " ".join(lines[:6]) or "it ended without a word"


def _quoted(path: str) -> str:
    # git takes a list here; a name that holds the separator is quoted as in C.
    if os.pathsep in path or path.startswith('"'):
        return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return path


def _bytes(folder: str) -> int:
    total = 0
    for at, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(at, name)).st_size
            except OSError:
                continue
    return total


class _Termination:
    """Within, and once ``enable`` was called, SIGTERM and SIGHUP raise SystemExit: a git that waits for a remote would
    stay behind, maybe for ever."""

    def __init__(self) -> None:
        self.number = 0
        self.enabled = False
        self.before: dict[int, Callable[[int, FrameType | None], Any] | int | None] = {}

    def __enter__(self) -> _Termination:
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                try:
                    self.before[number] = signal.signal(number, self._received)
                except ValueError:  # Not in the main thread: whoever started this one looks after it.
                    break
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.enabled = False
        for number, handler in self.before.items():
            signal.signal(number, handler)
        if self.number and kind is None:
            raise SystemExit(128 + self.number)

    def enable(self) -> None:
        """From here on; at once when a signal came before."""
        self.enabled = True
        if self.number:
            raise SystemExit(128 + self.number)

    def _received(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        if self.enabled:
            raise SystemExit(128 + number)


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (AttributeError, OSError):  # pragma: no cover - Windows has no process groups
        process.kill()
    process.wait()
