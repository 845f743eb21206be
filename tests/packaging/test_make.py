"""``.ci/venv``: makes the environment once, again when something it depends on changed, and says what is missing."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.skipif(os.name == "nt" or not shutil.which("sh"), reason="needs a POSIX shell")

# Stands for a Python: notes its arguments, and makes environments that hold a copy of itself.
STAND_IN = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$*" in
*sys.version_info*) exit ${TOO_OLD:-0} ;;
"-m venv --clear "*) [ -z "${NO_VENV:-}" ] || exit 1; mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
"-m virtualenv"*|*--without-pip*) exit 1 ;;
esac
"""


class Checkout:
    def __init__(self, tmp):
        self.root, self.calls = tmp / "checkout", tmp / "calls"
        (self.root / ".ci").mkdir(parents=True)
        shutil.copy(ROOT / ".ci" / "venv", self.root / ".ci" / "venv")
        shutil.copy(ROOT / "pyproject.toml", self.root)
        self.python = tmp / "bin" / "python3"
        self.python.parent.mkdir()
        self.python.write_text(STAND_IN)
        self.python.chmod(0o755)
        self.env = {"PATH": f"{self.python.parent}:/usr/bin:/bin", "CALLS": str(self.calls)}

    def make(self, **env):
        """Run it; return (the calls it made to Python beyond looking whether it is there, the process)."""
        self.calls.write_text("")
        done = subprocess.run(["sh", ".ci/venv", ".venv", "test"], cwd=self.root, env=dict(self.env, **env),
                              capture_output=True, text=True)
        return [line for line in self.calls.read_text().split("\n") if line.startswith("-m")], done


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


def test_the_first_run_makes_and_installs_the_second_does_nothing(checkout):
    calls, done = checkout.make()
    assert done.returncode == 0, done.stderr
    assert any(call.startswith("-m venv") for call in calls)
    assert calls[-1] == "-m pip install -q -e .[test]"
    calls, done = checkout.make()
    assert (calls, done.stdout, done.returncode) == ([], "", 0)


def test_a_changed_dependency_installs_again_into_the_same_environment(checkout):
    checkout.make()
    with open(checkout.root / "pyproject.toml", "a") as text:
        text.write("# more\n")
    calls, done = checkout.make()
    assert done.returncode == 0
    assert not any(call.startswith("-m venv") for call in calls)
    assert any("pip install -q -e" in call for call in calls)


def test_a_moved_checkout_installs_again(checkout):
    checkout.make()
    moved = checkout.root.with_name("elsewhere")
    checkout.root.rename(moved)
    checkout.root = moved
    calls, _ = checkout.make()
    assert any("pip install -q -e" in call for call in calls)


def test_an_environment_whose_interpreter_is_gone_is_made_anew(checkout):
    checkout.make()
    (checkout.root / ".venv" / "bin" / "python").unlink()
    calls, done = checkout.make()
    assert done.returncode == 0
    assert any(call.startswith("-m venv --clear") for call in calls)


def test_a_failed_install_leaves_no_stamp(checkout):
    checkout.python.write_text(STAND_IN.replace('esac', '*"pip install -q -e"*) exit 1 ;;\nesac'))
    calls, done = checkout.make()
    assert done.returncode != 0
    checkout.python.write_text(STAND_IN)
    shutil.copy(checkout.python, checkout.root / ".venv" / "bin" / "python")
    calls, done = checkout.make()
    assert done.returncode == 0
    assert any("pip install -q -e" in call for call in calls)


def test_too_old_a_python_is_named_with_the_way_out(checkout):
    # Only the stand-in is on the path, so that no newer Python of this machine is found.
    tools = checkout.python.parent
    for tool in ("sh", "cat", "cksum", "pwd"):
        found = shutil.which(tool)
        if found:
            (tools / tool).symlink_to(found)
    calls, done = checkout.make(TOO_OLD="1", PATH=str(tools))
    assert done.returncode == 2
    assert "no Python 3.9" in done.stderr and "PYTHON=" in done.stderr


def test_a_python_without_venv_is_named_with_the_way_out(checkout):
    calls, done = checkout.make(NO_VENV="1")
    assert done.returncode == 2
    assert "python3-venv" in done.stderr
