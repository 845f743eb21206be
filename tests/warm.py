"""Starts ``abcd-index`` many times without loading the libraries that it stands on many times.

Each worker of the tests has one process that has imported them (typer, orjson, YAML, frontmatter, GitPython) and
nothing of the package. For each command it forks: the child gets the environment, the folder, the umask and the
streams of a process that was started, imports the package and runs it. A third of the suite's time went into those
imports. Tests that look at how a process starts, or change what the libraries read then, start one themselves.
"""

import array
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress

LIBRARIES = ("typer", "typer.main", "orjson", "yaml", "frontmatter", "git", "importlib.metadata", "pydantic", "typer._adapters")
_LENGTH = 8
_starter = None


def can():
    """Whether this system can fork and hand over open files, and nobody measures what the processes run."""
    return hasattr(os, "fork") and hasattr(socket, "AF_UNIX") and sys.platform != "darwin" \
        and not os.environ.get("MEASURE_HOOKS")


def run(args, cwd, env, timeout):
    """``abcd-index ARGS`` as ``subprocess.run`` with text in and out. Raises TimeoutExpired."""
    global _starter
    if _starter is None or _starter.poll() is not None:
        _start()
    outs = [os.memfd_create(name) for name in ("out", "err")]
    try:
        with open(os.devnull, "rb") as nothing:
            _ask(_starter.mine, {"args": list(args), "cwd": cwd, "env": env, "umask": _umask()},
                 [nothing.fileno(), *outs])
        _starter.mine.settimeout(timeout)
        try:
            status = json.loads(_all(_starter.mine, _LENGTH))
        except socket.timeout:
            _stop()
            raise subprocess.TimeoutExpired(args, timeout) from None
        said = [_content(fd).decode("utf-8", "strict").replace("\r\n", "\n") for fd in outs]
    finally:
        for fd in outs:
            os.close(fd)
    return subprocess.CompletedProcess([sys.executable, "-m", "abcd_index", *args], status, *said)


def _start():
    global _starter
    mine, theirs = socket.socketpair()
    _starter = subprocess.Popen([sys.executable, "-c", "from tests.warm import serve; serve(%d)" % theirs.fileno()],
                                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, start_new_session=True,
                                cwd=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    theirs.close()
    _starter.mine = mine
    atexit.register(_stop)


def _stop():
    global _starter
    if _starter is not None:
        os.killpg(_starter.pid, signal.SIGKILL)
        _starter.mine.close()
        _starter.wait()
        _starter = None


def serve(number):
    """The process that forks, until its client is gone."""
    for name in LIBRARIES:
        with suppress(ImportError):  # What a library loads by itself differs from release to release.
            __import__(name)
    asked = socket.socket(fileno=number)
    while True:
        request, fds = _asked(asked)
        if request is None:
            return
        child = os.fork()
        if not child:
            asked.close()
            _become(request, fds)
        for fd in fds:
            os.close(fd)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        asked.sendall(json.dumps(status).rjust(_LENGTH).encode())


def _become(request, fds):
    """Be ``python -m abcd_index`` in what was asked for. Does not return."""
    status = 1
    try:
        os.chdir(request["cwd"])
        os.umask(request["umask"])
        os.environ.clear()
        os.environ.update(request["env"])
        for number, fd in enumerate(fds):
            os.dup2(fd, number)
            os.close(fd)
        for stream, number in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
            encoding = "utf-8"
            setattr(sys, stream, open(number, "w" if number else "r", encoding=encoding, closefd=False,
                                      errors="backslashreplace" if number == 2 else "surrogateescape" if not number
                                      else "strict"))
        sys.argv = ["abcd-index", *request["args"]]
        sys.path[0] = request["cwd"]
        from abcd_index.cli import main

        status = main() or 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)


def _umask():
    kept = os.umask(0o022)
    os.umask(kept)
    return kept


def _ask(to, request, fds):
    data = json.dumps(request).encode("utf-8", "surrogatepass")
    to.sendmsg([b"%*d" % (_LENGTH, len(data))], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))])
    to.sendall(data)


def _asked(asked):
    data, rights, _, _ = asked.recvmsg(_LENGTH, socket.CMSG_SPACE(3 * array.array("i").itemsize))
    if not data:
        return None, ()
    fds = array.array("i")
    for _, _, found in rights:
        fds.frombytes(found[:len(found) - len(found) % fds.itemsize])
    return json.loads(_all(asked, int(data))), list(fds)


def _all(read, size):
    data = b""
    while len(data) < size:
        chunk = read.recv(size - len(data))
        if not chunk:
            raise ConnectionError("the process that starts commands ended")
        data += chunk
    return data


def _content(fd):
    with os.fdopen(os.dup(fd), "rb") as file:
        file.seek(0)
        return file.read()
