"""Lets a process die, or a call fail, at any one of the calls by which it touches files.

The functions of ``os`` and ``posix`` are replaced in the process that is about to run a command, and Python's own
``open`` is exchanged for the one of the standard library that is written in Python (``_pyio``), so that every read and
write passes through them. This needs no tracer and no privilege, and reaches the hooks, which use ``posix`` directly.
What programs that a command starts do (git, a shell) is not reached; starting them is one call.
"""

import builtins
import errno
import io
import mmap
import os
import signal
import struct
import subprocess
import sys

try:
    import posix
except ImportError:  # pragma: no cover - Windows
    posix = os

# Calls that change something on disk, or start a program that may. `open` stands for opening for writing.
CHANGES = ("write", "pwrite", "rename", "replace", "unlink", "remove", "rmdir", "mkdir", "chmod", "fchmod", "link",
           "symlink", "utime", "truncate", "ftruncate", "fsync", "fdatasync", "sendfile", "spawn", "open")
LOOKS = ("read", "stat", "lstat", "fstat", "listdir", "scandir", "readlink", "access", "close", "openr")
ERRORS = {
    "EIO": set(CHANGES) | set(LOOKS),
    "EINTR": set(CHANGES) | set(LOOKS),
    "ENOSPC": {"write", "pwrite", "open", "mkdir", "rename", "replace", "link", "symlink", "fsync", "fdatasync",
               "truncate", "ftruncate", "sendfile", "close"},
    "EACCES": {"open", "openr", "rename", "replace", "unlink", "remove", "rmdir", "mkdir", "chmod", "fchmod", "link",
               "symlink", "utime", "stat", "lstat", "listdir", "scandir", "readlink", "spawn"},
    "EMFILE": {"open", "openr", "listdir", "scandir", "spawn"},
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
MOST = 20000


class Fault:
    """What happens and when. ``kind``: 'kill', 'half' (the first half of a write, then a kill) or the name of an
    error. ``at``: the number of the call among those that this kind counts, from 1; 0 lets all pass and only counts.
    ``lasting``: every later call of the same sort fails as well."""

    def __init__(self, kind, at=0, lasting=False):
        self.kind, self.at, self.lasting = kind, at, lasting

    def counts(self, name):
        return self.kind == "all" or hits(self.kind, name)

    def __str__(self):
        return "%s at call %d%s" % (self.kind, self.at, " and all later ones" if self.lasting else "")


def hits(kind, name):
    """Whether a fault of this ``kind`` may strike the call ``name``; 'std:' stands in front where it is of a stream."""
    if kind == "half":
        return name in ("write", "pwrite")
    if kind == "kill":
        return name in CHANGES or name == "std:write"
    return name in ERRORS[kind]  # Whether a terminal is there is not asked.


class Counter:
    """Memory that a process shares with the one that started it: the names of the calls that it made."""

    def __init__(self):
        self.memory = mmap.mmap(-1, MOST * 16)

    def clear(self):
        self.memory[:4] = struct.pack("<I", 0)

    def add(self, name):
        number = struct.unpack("<I", self.memory[:4])[0] + 1
        if number < MOST:
            self.memory[number * 16:number * 16 + 16] = name[:16].encode().ljust(16)
            self.memory[:4] = struct.pack("<I", number)

    def names(self):
        number = struct.unpack("<I", self.memory[:4])[0]
        return [self.memory[n * 16:n * 16 + 16].decode().rstrip() for n in range(1, number + 1)]


class Injected:
    """The state of one process: which call comes next, and what is to happen."""

    def __init__(self, fault, counter):
        self.fault, self.counter, self.seen = fault, counter, 0

    def call(self, name, function, args, kwargs):
        frame = sys._getframe(2)
        # Python's own search for modules is no business of the program's.
        if frame.f_code.co_filename.startswith("<frozen"):
            return function(*args, **kwargs)
        if name in ("write", "close", "fstat", "read") and args and args[0] in (0, 1, 2):
            name = "std:" + name
        if not self.fault.counts(name):
            return function(*args, **kwargs)
        self.seen += 1
        self.counter.add(name)
        if self.fault.at and (self.seen == self.fault.at or self.fault.lasting and self.seen > self.fault.at):
            self._strike(name, function, args)
        return function(*args, **kwargs)

    def _strike(self, name, function, args):
        if self.fault.kind == "half":
            function(args[0], bytes(args[1])[:max(1, len(args[1]) // 2)], *args[2:])
        if self.fault.kind in ("kill", "half"):
            os.kill(os.getpid(), signal.SIGKILL)
        if name == "close":
            function(*args)  # A file is closed also when that fails.
        number = getattr(errno, self.fault.kind)
        path = args[0] if args and isinstance(args[0], (str, bytes)) else None
        raise OSError(number, os.strerror(number), path)


def install(fault, counter):
    """Replace the functions of this process."""
    import _pyio

    state = Injected(fault, counter)
    names = [name for name in CHANGES + LOOKS if name not in ("open", "openr", "spawn")]
    for name in names:
        original = getattr(posix, name, None) or getattr(os, name, None)
        if original is not None:
            _replace(name, original, _wrapper(state, name, original))
    original_open = os.open

    def opening(path, flags, *args, **kwargs):
        return state.call("open" if flags & WRITING else "openr", original_open, (path, flags, *args), kwargs)

    _replace("open", original_open, opening)
    for name in ("_fork_exec",):
        if hasattr(subprocess, name):
            setattr(subprocess, name, _wrapper(state, "spawn", getattr(subprocess, name)))
    if hasattr(subprocess, "_posixsubprocess"):
        module = subprocess._posixsubprocess
        module.fork_exec = _wrapper(state, "spawn", module.fork_exec)
    alone(lambda: state.call("spawn", lambda: 1, (), {}))
    builtins.open = io.open = _pyio.open


def alone(fork=lambda: 1):
    """Let this process start none in the background: nobody waits for it, so nothing could be said of what it does."""
    _replace("fork", os.fork, fork)


def _wrapper(state, name, original):
    def wrapped(*args, **kwargs):
        return state.call(name, original, args, kwargs)

    return wrapped


def _replace(name, original, new):
    for module in (os, posix):
        if hasattr(module, name):
            setattr(module, name, new)
    for known in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        if original in known:
            known.add(new)
