"""Artefacts on a git remote: ``refs/abcd-index/<key>``, each a commit without a parent that holds one file.

No branch, work tree, index or ref of the repository is touched, and its object store gains nothing: what is
sent or fetched lies in an object folder of its own, which the caller throws away. The remote's settings
(address, credentials, proxies) are the repository's. No local hook runs. The commit's author and date are
fixed, so the same artefact is the same commit wherever it is made, and listing the remote tells whether its
bytes agree.

When an artefact was pushed is in the name of a second ref, ``refs/abcd-index-pushed/<seconds>-<key>``: so
that the oldest can be found and deleted by listing alone.
"""

import os
import re
import signal
import subprocess
import time
from tempfile import TemporaryFile

from abcd_index import fs
from abcd_index.errors import CannotTell
from abcd_index.git import run as ask

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
_CALM = ("core.hooksPath=" + os.devnull, "gc.auto=0", "maintenance.auto=false", "push.gpgSign=false",
         "push.followTags=false", "push.recurseSubmodules=no", "fetch.recurseSubmodules=false",
         "core.alternateRefsCommand=true", "protocol.ext.allow=never", "fetch.writeCommitGraph=false",
         "fetch.unpackLimit=1", "transfer.unpackLimit=1",
         # What somebody may have put there is written through, not held in memory.
         "core.bigFileThreshold=1m")
# Bytes of memory that git may ask for at once, whatever a pack that arrives says that its objects make.
_AT_ONCE = 256 << 20
# Bytes of an answer that are read.
_ANSWER = 64 << 20


class Remote:
    """A configured remote of a work tree.

    ``where``: the Place. ``name``: of the remote. ``folder``: an empty folder for objects, on the disk that the
    artefact goes to. ``seconds``: how long all questions together may take.
    """

    def __init__(self, where, name, folder, seconds):
        self.where = where
        self.name = name
        self.objects = os.path.join(folder, "objects")
        self.until = time.monotonic() + seconds
        self.seconds = seconds

    def listed(self, *keys):
        """({key: commit}, {key: [name of a ref that says when it was pushed]}) of the artefacts there; with
        ``keys`` of these alone."""
        patterns = [REFS + key for key in keys] or [REFS + "*"]
        lines = self._ask("ls-remote", "-q", self.name, *patterns, *([] if keys else [PUSHED + "*"])).split(b"\n")
        there, pushed = {}, {}
        for line in lines:
            oid, _, ref = line.decode("ascii", "replace").partition("\t")
            if ref.startswith(REFS) and KEY.fullmatch(ref[len(REFS):]) and _OID.fullmatch(oid):
                there[ref[len(REFS):]] = oid
            elif ref.startswith(PUSHED) and _PUSHED.fullmatch(ref[len(PUSHED):]):
                pushed.setdefault(ref.rpartition("-")[2], []).append(ref)
        return there, pushed

    def commit(self, key, path):
        """The commit that holds the file ``path`` as the parcel of ``key``, made in the object folder."""
        blob = self._ask("hash-object", "-w", "--no-filters", "--", path).strip()
        tree = self._ask("mktree", data=b"100644 blob %s\t%s.parcel\n" % (blob, key.encode("ascii"))).strip()
        text = f"tree {tree.decode('ascii')}\nauthor {_AUTHOR}\ncommitter {_AUTHOR}\n\n{_MESSAGE}\n"
        oid = self._ask("hash-object", "-t", "commit", "-w", "--stdin", data=text.encode("ascii"))
        return oid.decode("ascii").strip()

    def push(self, key, commit, now):
        """Make the refs of ``key``. A ref that is there is never moved. Raises CannotTell with what the remote said."""
        self._push(f"{commit}:{REFS}{key}", f"{commit}:{PUSHED}{int(now)}-{key}",
                   lease=[f"--force-with-lease={REFS}{key}:"])

    def mark(self, key, commit, now):
        """Say that ``key`` was pushed again; ``commit``, its artefact, is in the object folder."""
        self._push(f"{commit}:{PUSHED}{int(now)}-{key}")

    def delete(self, refs):
        """Delete ``refs`` on the remote. One that is gone already is no error."""
        refs = sorted(refs)
        for start in range(0, len(refs), 200):
            self._push(*(":" + ref for ref in refs[start:start + 200]))

    def fetch(self, key, most):
        """Bring the objects of ``key`` into the object folder. ``most``: bytes that may come."""
        known = ["--no-write-fetch-head"] if ask.version() >= (2, 29) else []
        self._ask("fetch", "-q", "--no-tags", "--no-filter", "--no-recurse-submodules", "--refmap=", *known, self.name,
                  REFS + key, most=most)

    def size(self, key, commit):
        """(blob, its bytes) of the artefact in a commit that was fetched. Raises CannotTell when there is none."""
        name = f"{commit}:{key}.parcel"
        said = self._ask("cat-file", "--batch-check=%(objecttype) %(objectname) %(objectsize)",
                         data=name.encode("ascii") + b"\n").decode("ascii", "replace").split()
        if len(said) != 3 or said[0] != "blob" or not said[2].isdigit():
            raise CannotTell(f"{REFS}{key} holds no artefact")
        return said[1], int(said[2])

    def write(self, blob, out):
        """Write a blob to the open binary file ``out``."""
        self._ask("cat-file", "blob", blob, out=out)

    def _push(self, *refspecs, lease=()):
        self._ask("push", "-q", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed", *lease,
                  self.name, *refspecs)

    def _ask(self, *args, data=None, out=None, most=None):
        command = ["git", *ask.SHIELD, *ask._fixed(self.where)]
        for setting in _CALM:
            command += ["-c", setting]
        fs.make_folder(self.objects)
        with ask.scrubbed():
            environ = dict(os.environ, LC_ALL="C", GIT_OBJECT_DIRECTORY=self.objects,
                           GIT_ALTERNATE_OBJECT_DIRECTORIES=_listed(os.path.join(self.where.common_dir, "objects")),
                           **ask.QUIET)
            if most is not None:
                environ["GIT_ALLOC_LIMIT"] = str(_AT_ONCE)
        status, said, error = self._run([*command, *args], environ, data, out, most)
        if status:
            raise CannotTell(f"git {args[0]}: {_sentence(error)}")
        return said

    def _run(self, command, environ, data, out, most):
        folder = os.path.dirname(self.objects)
        with TemporaryFile(dir=folder) as given, TemporaryFile(dir=folder) as said, TemporaryFile(dir=folder) as errors:
            given.write(data or b"")
            given.seek(0)
            with _Told() as told:
                try:
                    # A session of its own: no terminal to ask for a password, and one group to end.
                    process = subprocess.Popen(command, cwd=self.where.top, env=environ, stdin=given,
                                               stdout=out or said, stderr=errors, start_new_session=True)
                except OSError as error:
                    raise CannotTell("git is not on PATH", "install git, or add it to PATH") from error
                try:
                    told.heed()
                    self._wait(process, most)
                except BaseException:
                    _end(process)
                    raise
            said.seek(0)
            errors.seek(0)
            return process.returncode, said.read(_ANSWER), errors.read(1 << 16).decode("utf-8", "replace")

    def _wait(self, process, most):
        looked = 0.0
        while True:
            try:
                process.wait(_LOOK)
                return
            except subprocess.TimeoutExpired:
                now = time.monotonic()
            if now > self.until:
                raise CannotTell(f"the remote {self.name} did not answer within {self.seconds:g} s")
            if most is not None and now - looked > 20 * _LOOK:
                looked = now
                if _bytes(self.objects) > most:
                    raise CannotTell(f"more than {most:,} bytes came, which no artefact of these pages has")


def remotes(where):
    """The names of the remotes that the repository has."""
    status, out, _ = ask._ask(where, "remote")
    return os.fsdecode(out).split("\n")[:-1] if status == 0 else []


def pushed_at(ref):
    """The second (since 1970) that a ref of ``PUSHED`` names."""
    return int(_PUSHED.fullmatch(ref[len(PUSHED):]).group(1))


def _sentence(error):
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    return " ".join(lines[:6]) or "it ended without a word"


def _listed(path):
    # git takes a list here; a name that holds the separator is quoted as in C.
    if os.pathsep in path or path.startswith('"'):
        return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return path


def _bytes(folder):
    total = 0
    for at, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(at, name)).st_size
            except OSError:
                continue
    return total


class _Told:
    """Within, and once ``heed`` was called, being told to end raises SystemExit: a git that waits for a remote would
    stay behind, maybe for ever."""

    def __init__(self):
        self.number = 0
        self.heeding = False
        self.before = {}

    def __enter__(self):
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                try:
                    self.before[number] = signal.signal(number, self._told)
                except ValueError:  # Not in the main thread: whoever set it going looks after it.
                    break
        return self

    def __exit__(self, *error):
        self.heeding = False
        for number, handler in self.before.items():
            signal.signal(number, handler)
        if self.number and error[0] is None:
            raise SystemExit(128 + self.number)

    def heed(self):
        """From here on; at once when it was told before."""
        self.heeding = True
        if self.number:
            raise SystemExit(128 + self.number)

    def _told(self, number, frame):
        self.number = number
        if self.heeding:
            raise SystemExit(128 + number)


def _end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (AttributeError, OSError):  # pragma: no cover - Windows has no process groups
        process.kill()
    process.wait()
