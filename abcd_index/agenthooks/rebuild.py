"""Starts ``abcd-index build`` for a scope as a process of its own, and does not wait for it.

Prompt path, loaded only when something is stale. The interpreter that can build is recorded in the user
home by the build itself, since the hook's own may have none of the libraries.
"""

import sys
import time

from abcd_index.agenthooks import io
from abcd_index.artefact.names import is_page
from abcd_index.artefact.reader import CAREFUL
from abcd_index.scopes import fingerprint

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os  # type: ignore[no-redef]  # another module under the same name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from abcd_index.scopes import Places, Scope

INTERPRETER = "/interpreter"
# Seconds after a build that failed: it must not be tried at every prompt.
PAUSE = 10


def mend(scope: "Scope", error: Exception, places: "Places") -> bool:
    """Start a build of a ``scope`` whose artefact cannot be used because of ``error``. Whether one was started: not
    where there is nothing to build, nor over the artefact of a later release."""
    from abcd_index.errors import ArtefactMissing, FormatTooNew

    if isinstance(error, FormatTooNew):
        return False
    if isinstance(error, ArtefactMissing):
        return holds_pages(scope) and rebuild(scope, places)
    return rebuild(scope, places, force=True)


def holds_pages(scope: "Scope") -> bool:
    """Whether there is anything in the scope to recall."""
    try:
        if any([is_page(name) for name in _os.listdir(scope.store)]):
            return True
    except OSError:
        pass
    try:
        _os.lstat(scope.home + "/rules.json")
        return True
    except OSError:
        return False


def rebuild(scope: "Scope", places: "Places", force: bool = False) -> bool:
    """Start a build of ``scope``; ``force``: also when an artefact is there. Whether one was started."""
    notes = io.user_folder(places, io.INDEX)
    python = interpreter(notes) if notes else ""
    note = _turn(scope, notes) if python else ""
    if not note:
        return False
    # Not -I: a build may live in the user's own site-packages. It starts in / and so meets no stranger's modules.
    command = [python, "-m", "abcd_index", "build", "--quiet", "--scope", scope.name]
    if scope.name == "workspace":
        command += ["--root", scope.root]
    return start(command + (["--force"] if force else []), note)


def interpreter(notes: str) -> str:
    """The path of a Python that can build, or ''. ``notes``: the folder that says so."""
    try:
        fd = _os.open(notes + INTERPRETER, _os.O_RDONLY | CAREFUL)
        try:
            path = _os.read(fd, 4096).decode("utf-8", "surrogateescape").partition("\n")[0]
        finally:
            _os.close(fd)
        if path and _os.access(path, _os.X_OK):
            return path
    except (OSError, ValueError):
        pass
    # None was recorded: this one will do if it has what a build needs.
    packages = "%s/lib/python%d.%d/site-packages/" % ((sys.prefix,) + sys.version_info[:2])
    try:
        for need in ("orjson", "frontmatter"):
            _os.stat(packages + need)
        return sys.executable
    except (OSError, ValueError):
        return ""


def start(command: "list[str]", note: str) -> bool:
    """Start a process with nothing of ours: its own session, no open file. Whether that worked. When it ends well the
    ``note`` that says so to other hooks goes."""
    if not hasattr(_os, "fork"):  # pragma: no cover - Windows
        import subprocess

        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=True,
            creationflags=0x00000208,
        )
        return True
    try:
        if _os.fork():
            return True
    except OSError:
        return False
    try:
        io.let_go()
        held = io.hold(note)
        if not _run(command):
            io.remove(note)
        else:
            # Its time is when the build failed.
            _os.write(held, b".")
    finally:
        _os._exit(0)


def _run(command: "list[str]") -> int:
    """Run a command to its end and return its status."""
    child = _os.fork()
    if child:
        return _os.waitpid(child, 0)[1]
    try:
        import _signal  # type: ignore[import-not-found]  # the C half of signal

        _signal.signal(_signal.SIGPIPE, _signal.SIG_DFL)
        _os.execv(command[0], command)
    finally:
        _os._exit(127)


def _turn(scope: "Scope", notes: str) -> str:
    """The path of the note that it is this process's turn to rebuild; '' when it is not: a build of the scope runs, or
    failed a moment ago."""
    path = notes + "/rebuild-" + fingerprint(scope.store.encode("utf-8", "surrogatepass"))
    try:
        if -PAUSE < time.time() - _os.lstat(path).st_mtime < PAUSE or io.locked(path):
            return ""
        io.remove(path)
    except (OSError, ValueError):
        pass
    return path if io.make_folder(notes, above=1) and io.make(path, b"") else ""
