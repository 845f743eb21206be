"""Starts ``abcd-index build`` for a scope as a process of its own, and does not wait for it.

Prompt path, loaded only when something is stale. The interpreter that can build is recorded in the user
home by the build itself, since the hook's own may have none of the libraries.
"""

import sys
import time

from abcd_index.recall.wire import CAREFUL, fingerprint, make_folder, user_folder

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os

NOTES = "/.index"
INTERPRETER = "/interpreter"
# Seconds between two rebuilds of a scope from here: a build that fails must not be tried at every prompt.
PAUSE = 10


def rebuild(scope, places, force=False):
    """Start a build of ``scope``; ``force``: also when an artefact is there. Whether one was started."""
    notes = user_folder(places, NOTES)
    python = interpreter(notes) if notes else ""
    if not python or not _turn(scope, notes):
        return False
    # Not -I: a build may live in the user's own site-packages. It starts in / and so meets no stranger's modules.
    command = [python, "-m", "abcd_index", "build", "--quiet", "--scope", scope.name]
    if scope.name == "workspace":
        command += ["--root", scope.root]
    return start(command + (["--force"] if force else []))


def interpreter(notes):
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


def start(command):
    """Start a process with nothing of ours: its own session, no open file. Whether that worked."""
    if not hasattr(_os, "fork"):  # pragma: no cover - Windows
        import subprocess

        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         close_fds=True, creationflags=0x00000208)
        return True
    try:
        if _os.fork():
            return True
    except OSError:
        return False
    try:
        _detach()
        _os.execv(command[0], command)
    finally:
        _os._exit(127)


def _detach():
    import _signal

    _signal.setitimer(_signal.ITIMER_REAL, 0)
    _signal.signal(_signal.SIGPIPE, _signal.SIG_DFL)
    _os.setsid()
    _os.chdir("/")
    null = _os.open("/dev/null", _os.O_RDWR)
    for fd in (0, 1, 2):
        _os.dup2(null, fd)
    _os.closerange(3, 4096)


def _turn(scope, notes):
    """Whether it is this process's turn to rebuild; says so to the others by a file's time."""
    path = notes + "/rebuild-" + fingerprint(scope.store.encode("utf-8", "surrogatepass"))
    try:
        if -PAUSE < time.time() - _os.lstat(path).st_mtime < PAUSE:
            return False
        _os.unlink(path)
    except (OSError, ValueError):
        pass
    if not make_folder(notes, above=1):
        return False
    try:
        _os.close(_os.open(path, _os.O_WRONLY | _os.O_CREAT | _os.O_EXCL, 0o600))
        return True
    except (OSError, ValueError):
        return False
