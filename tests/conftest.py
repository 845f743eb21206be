"""Real repositories and real hook processes, sealed from the machine they run on."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import warm

ROOT = Path(__file__).resolve().parent.parent
# The interpreter that a hook is run with: the base one, without the virtual environment, as users' agents do.
BASE_PYTHON = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
# `make coverage` sets this: hooks then run under the interpreter that has coverage, through a script that lets it
# write before they leave. Only this file reads it.
HOOK_COMMAND = ([sys.executable, "-I", str(ROOT / "tests" / "measured_hook.py")] if os.environ.get("MEASURE_HOOKS")
                else [BASE_PYTHON, "-I", "-S"])

# Most properties touch the disk, and how long that takes says nothing. Which examples are tried is the same in every
# run; HYPOTHESIS_PROFILE=search looks for others.
STEADY = settings(deadline=None, derandomize=True,
                  suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
settings.register_profile("steady", STEADY)
settings.register_profile("search", STEADY, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_configure(config):
    # Who starts the tests in the background of a shell lets them ignore these signals, and what they start as well.
    for name in ("SIGINT", "SIGHUP", "SIGQUIT"):
        number = getattr(signal, name, None)
        try:
            if number is not None and signal.getsignal(number) == signal.SIG_IGN:
                signal.signal(number, _ignored)
        except ValueError:
            pass  # Not in the main thread.
    # The processes that share the tests must agree on the order.
    if os.environ.get("TEST_ORDER") == "random":
        os.environ["TEST_ORDER"] = str(random.SystemRandom().randrange(1 << 31))


def _ignored(number, frame):
    """As good as ignored here; a program that is started has the signal's own meaning again."""


def pytest_report_header(config):
    order = os.environ.get("TEST_ORDER")
    return f"TEST_ORDER={order}" if order else None


def pytest_collection_modifyitems(items):
    """TEST_ORDER=random, or a number that such a run named: files in another order, and the tests in each."""
    order = os.environ.get("TEST_ORDER")
    if not order:
        return
    shuffled = random.Random(int(order))
    files = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    groups = list(files.values())
    shuffled.shuffle(groups)
    for group in groups:
        shuffled.shuffle(group)
    items[:] = [item for group in groups for item in group]


def settle():
    """Wait until what was written so far is older than a tick of the file system's clock: what is younger than that
    when it is looked at is not trusted the next time."""
    time.sleep(0.05)


def sealed_env(home, **extra):
    """An environment in which nothing of this machine's git, agent or user settings is seen."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "ABCD_", "CLAUDE_", "XDG_", "PYTHON"))}
    env.update(
        HOME=str(home),
        ABCD_HOME=str(Path(home) / ".abcd.noindex"),
        GIT_CONFIG_GLOBAL=str(Path(home) / ".gitconfig"),
        GIT_CONFIG_NOSYSTEM="1",
        GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@example.org",
        GIT_COMMITTER_NAME="A", GIT_COMMITTER_EMAIL="a@example.org",
        # A hook has a second; on a machine that does other things as well a test gives it more.
        ABCD_DEADLINE="30",
        PATH=str(Path(sys.executable).parent) + os.pathsep + env.get("PATH", ""),
    )
    env.update(extra)
    return env


class Sandbox:
    """One sealed home with a folder for repositories; every process the tests start goes through it."""

    def __init__(self, tmp_path):
        self.tmp = Path(tmp_path)
        self.home = self.tmp / "home"
        self.home.mkdir(exist_ok=True)
        (self.home / ".gitconfig").write_text("[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
        self.user = self.home / ".abcd.noindex"
        self.env = sealed_env(self.home)

    def run(self, *args, cwd=None, check=True, **kw):
        """Run a process; text in and out; raise with its output when it fails and ``check`` is set."""
        env = kw.pop("env", self.env)
        done = subprocess.run([str(a) for a in args], cwd=str(cwd or self.tmp), env=env, text=True,
                              capture_output=True, timeout=kw.pop("timeout", 120), **kw)
        if check and done.returncode:
            raise AssertionError(f"{args} -> {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def git(self, *args, cwd, **kw):
        return self.run("git", *args, cwd=cwd, **kw)

    def cli(self, *args, cwd, **kw):
        """``abcd-index ARGS`` as a real process; ``check=False`` by default because exit codes are asserted."""
        kw.setdefault("check", False)
        env = {key: str(value) for key, value in kw.get("env", self.env).items()}
        # Whoever sets something else may want to see what the libraries make of it when they are loaded.
        if warm.can() and set(kw) <= {"check", "env", "timeout"} and self._is_sealed(env):
            done = warm.run([str(arg) for arg in args], str(cwd), env, kw.get("timeout", 120))
            if kw["check"] and done.returncode:
                raise AssertionError(f"{args} -> {done.returncode}\n{done.stdout}\n{done.stderr}")
            return done
        return self.run(sys.executable, "-m", "abcd_index", *args, cwd=cwd, **kw)

    def _is_sealed(self, env):
        """Whether ``env`` is that of this sandbox but for our own variables."""
        ours = ("ABCD_", "CLAUDE_", "HOME", "PYTEST_")
        plain = sealed_env(self.home)
        return all(env.get(key) == plain.get(key) for key in {*env, *plain} if not key.startswith(ours))

    def repo(self, name="repo", pages=None):
        """A repository with one commit. ``pages``: {file name: text} below .abcd/memory."""
        root = self.tmp / name
        root.mkdir(parents=True)
        self.git("init", "-q", cwd=root)
        self.pages(root, pages or {})
        (root / "README.md").write_text("# x\n")
        self.git("add", "-A", cwd=root)
        self.git("commit", "-qm", "one", cwd=root)
        return root

    def pages(self, root, pages):
        store = Path(root) / ".abcd" / "memory"
        for name, text in pages.items():
            store.mkdir(parents=True, exist_ok=True)
            target = store / name
            if isinstance(text, bytes):
                target.write_bytes(text)
            else:
                target.write_bytes(text.encode("utf-8"))
        return store

    def user_pages(self, pages):
        store = self.user / "memory"
        store.mkdir(parents=True, exist_ok=True)
        for name, text in pages.items():
            (store / name).write_text(text, encoding="utf-8")
        return store

    def hook(self, payload, script="prompt_router_hook.py", cwd=None, **kw):
        """The real hook process with the bare base interpreter. ``payload``: dict (sent as JSON) or bytes."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return subprocess.run([*HOOK_COMMAND, str(ROOT / "hooks" / script)], input=data,
                              cwd=str(cwd or self.tmp), env=kw.pop("env", self.env), capture_output=True,
                              timeout=kw.pop("timeout", 30), **kw)

    def context(self, payload, **kw):
        """What the prompt hook injects: its additionalContext, or '' when it is silent."""
        done = self.hook(payload, **kw)
        assert done.returncode == 0, done.stderr
        if not done.stdout:
            return ""
        return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


@pytest.fixture
def sandbox(tmp_path):
    return Sandbox(tmp_path)
