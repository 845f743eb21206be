"""A home, a repository and the processes in it: each one is forked from this warm one, so it starts in milliseconds."""

import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import shutil
import signal
import stat
import subprocess
import sys
import time
import traceback
from pathlib import Path

from tests.conftest import ROOT, sealed_env

from . import inject

# Seconds after which what was written counts as settled (more than build.files.TICK_NS).
SETTLE = 0.025
# Seconds that a command may take before it counts as hanging.
HANGS = 30
# What these files hold depends on the moment; that they are there is compared, not their bytes.
OF_THE_MOMENT = ("files.json", "git-stamp", "interpreter", "dates.json", "workspaces.jsonl")
OF_THE_MOMENT_ENDS = (".times", ".pages")
# Whether these are there depends on what was killed when, and does no harm.
MAY_BE = ("/sessions/", "/.index/seen/", "/.git/objects/", "/.git/logs/", "/rebuild-", "recall-log", "recall-stats",
          "/.git/index", "/provenance/", "COMMIT_EDITMSG", "/.git/refs/", "/.git/HEAD", "/commits", "/.index/key",
          "/place.git/", "FETCH_HEAD", "ORIG_HEAD")


def warm(folder):
    """Import, before anything is forked, the package and all that its commands load when they run."""
    import abcd_index

    for module in pkgutil.walk_packages(abcd_index.__path__, "abcd_index."):
        if not module.name.endswith("__main__") and "_hooks" not in module.name:
            importlib.import_module(module.name)
    import typer.main

    from abcd_index import cli

    world = World(folder)
    world.begin()
    world.write("work/.abcd/memory/a.md", "---\nrecall: [word]\n---\n# A\n")
    place = str(world.folder / "place")
    for command in (("build",), ("verify", "--format", "json"), ("init", "--scope", "user"), ("install",), ("uninstall",),
                    ("push", "--to", place), ("fetch", "--from", place), ("recall", "word"), ("recall", "--prompt", "word"),
                    ("catalogue", "--write"), ("keywords", "--write"), ("status",)):
        for name in world.cli(*command, loaded=True).out.split("\nloaded ")[-1].split():
            if name not in sys.modules and not name.startswith("__"):
                try:
                    importlib.import_module(name)
                except ImportError:
                    pass
    importlib.import_module("_pyio")
    # The command line is put together once; that takes longer than most commands.
    cli.app = typer.main.get_command(cli.app)
    gc.freeze()


class Done:
    """How a process ended: ``status`` (its exit status, or minus the signal), ``out`` and ``err`` (text),
    ``calls`` (names of those that its fault counts)."""

    def __init__(self, status, out, err, calls):
        self.status, self.out, self.err, self.calls = status, out, err, calls


class World:
    """``folder`` is emptied by ``begin``; the same names every time, so that what is written is comparable."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.counter = inject.Counter()
        self.template = self.folder.with_name(self.folder.name + "-template")
        self.home = self.folder / "home"
        self.user = self.home / ".abcd.noindex"
        self.root = self.folder / "work"
        self.env = sealed_env(self.home, NO_COLOR="1", ABCD_INDEX_FAULTS="1")
        self.io = self.folder.with_name(self.folder.name + "-io")
        self.io.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.template, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        self._make_template()

    def _make_template(self):
        self.home.mkdir(parents=True)
        (self.home / ".gitconfig").write_text("[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n")
        self.root.mkdir()
        (self.root / "README.md").write_text("# a project\n")
        for command in (("init", "-q", "--template="), ("add", "-A"), ("commit", "-qm", "one")):
            self.program("git", *command)
        (self.root / ".git" / "hooks").mkdir()
        os.rename(self.folder, self.template)

    def begin(self):
        """An empty repository with one commit, an empty home."""
        for _ in range(100):  # A git whose parent was killed may be about to end.
            shutil.rmtree(self.folder, ignore_errors=True)
            if not self.folder.exists():
                break
            time.sleep(0.05)
        shutil.copytree(self.template, self.folder, symlinks=True)

    def write(self, name, text, mode=None):
        """Write a file below the world's folder, an hour old."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        if mode is not None:
            path.chmod(mode)
        old = time.time() - 3600
        os.utime(path, (old, old))
        return path

    def program(self, *command, check=True, **env):
        """Run a real program in the repository."""
        done = subprocess.run(command, cwd=self.root, env={**self.env, **env}, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        if check and done.returncode:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        return done

    def cli(self, *arguments, fault=None, cwd=None, loaded=False, then=()):
        """``abcd-index ARGUMENTS`` in a child. ``loaded``: it prints at last which modules it has. ``then``: the
        arguments of a second command, which the same child runs if the first ends well."""
        def command():
            from abcd_index import cli

            sys.argv = ["abcd-index", *arguments]
            try:
                try:
                    cli.main()
                except SystemExit as end:
                    if end.code or not then:
                        raise
                    sys.argv = ["abcd-index", *then]
                    cli.main()
            finally:
                if loaded:
                    print("\nloaded " + " ".join(sys.modules))

        return self._child(command, b"", fault, cwd)

    def hook(self, script, payload, fault=None, arguments=(), cold=False):
        """A hook's own script with ``payload`` (dict) on stdin, in a child. ``cold``: its modules are loaded anew."""
        def command():
            if cold:
                for name in [name for name in sys.modules if name.partition(".")[0] == "abcd_index"]:
                    del sys.modules[name]
            sys.argv = [str(ROOT / "hooks" / script), *arguments]
            runpy.run_path(sys.argv[0], run_name="__main__")

        return self._child(command, json.dumps(payload).encode(), fault)

    def call(self, function, fault=None, cwd=None):
        """Any function in a child."""
        return self._child(function, b"", fault, cwd)

    def prompt(self, text, session="s", fault=None, cold=False):
        return self.hook("prompt_router_hook.py", {"session_id": session, "cwd": str(self.root), "prompt": text,
                                                   "hook_event_name": "UserPromptSubmit"}, fault, cold=cold)

    def _child(self, function, data, fault, cwd=None):
        (self.io / "in").write_bytes(data)
        self.counter.clear()
        child = os.fork()
        if not child:
            status = 70
            try:
                status = self._run(function, fault, cwd or self.root)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
        status = self._wait(child)
        return Done(status, (self.io / "out").read_text(errors="replace"), (self.io / "err").read_text(errors="replace"),
                    self.counter.names())

    def _wait(self, child):
        until = time.monotonic() + HANGS
        while True:
            found, status = os.waitpid(child, os.WNOHANG)
            if found:
                return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            if time.monotonic() > until:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return -signal.SIGALRM
            time.sleep(0.001)

    def _run(self, function, fault, cwd):
        for name, number, flags in (("in", 0, os.O_RDONLY), ("out", 1, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
                                    ("err", 2, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)):
            fd = os.open(self.io / name, flags, 0o600)
            os.dup2(fd, number)
            os.close(fd)
        sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False))
        sys.stdout = sys.__stdout__ = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8", write_through=True)
        sys.stderr = sys.__stderr__ = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), encoding="utf-8", write_through=True)
        os.environ.clear()
        os.environ.update(self.env)
        os.chdir(cwd)
        os.umask(0o022)
        inject.alone()
        if fault is not None:
            inject.install(fault, self.counter)
        try:
            function()
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        return 0

    def snapshot(self):
        """{name: (kind, mode, bytes or None)} of what is in the world."""
        found = {}
        for folder, folders, files in os.walk(self.folder):
            for name in folders + files:
                path = os.path.join(folder, name)
                inside = path[len(str(self.folder)):]
                info = os.lstat(path)
                if stat.S_ISLNK(info.st_mode):
                    found[inside] = ("link", 0, os.readlink(path))
                elif stat.S_ISDIR(info.st_mode):
                    found[inside] = ("folder", stat.S_IMODE(info.st_mode), None)
                else:
                    with open(path, "rb") as file:
                        found[inside] = ("file", stat.S_IMODE(info.st_mode), file.read())
        return found

    def age(self, known):
        """Let every file that is not ``known`` (names) look abandoned."""
        old = time.time() - 7200
        for name in sorted(self.snapshot(), reverse=True):
            if name not in known and not may_be(name):
                os.utime(str(self.folder) + name, (old, old), follow_symlinks=False)


def of_the_moment(name):
    leaf = name.rpartition("/")[2]
    return leaf in OF_THE_MOMENT or leaf.endswith(OF_THE_MOMENT_ENDS)


def may_be(name):
    return any(part in name for part in MAY_BE)
