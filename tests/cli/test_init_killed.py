"""``init`` ended at any of its calls that change something: the next one finishes it, and nothing half-made stays."""

import os
import subprocess
import sys

import pytest

DRIVER = """
import os, sys
left = int(sys.argv.pop(1))
def dying(call):
    def wrapped(*args, **kwargs):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), 9)
        return call(*args, **kwargs)
    return wrapped
import abcd_index.cli, tempfile
for name in ("mkdir", "link", "replace", "rename", "fsync", "fchmod", "chmod", "unlink", "write"):
    setattr(os, name, dying(getattr(os, name)))
abcd_index.cli.main()
"""


def tree(top):
    """{relative name: (mode, bytes)} of the files below ``top``."""
    return {str(path.relative_to(top)): (oct(path.lstat().st_mode), path.read_bytes() if path.is_file() else None)
            for path in sorted(top.rglob("*")) if ".git/" not in str(path)}


@pytest.mark.parametrize("scope", ["workspace", "user"])
def test_the_next_init_finishes_what_a_killed_one_began(sandbox, scope):
    args = ["init", "--scope", scope]
    whole = sandbox.tmp / "whole"
    whole.mkdir()
    home = sandbox.user if scope == "user" else whole / ".abcd"
    assert sandbox.cli(*args, cwd=whole).returncode == 0
    wanted = tree(home)
    killed = 0
    for number in range(1, 60):
        root = sandbox.tmp / f"r{number}"
        root.mkdir()
        env = dict(sandbox.env, ABCD_HOME=str(sandbox.tmp / f"h{number}"))
        done = subprocess.run([sys.executable, "-c", DRIVER, str(number), *args], cwd=root, env=env, capture_output=True)
        home = sandbox.tmp / f"h{number}" if scope == "user" else root / ".abcd"
        if done.returncode == 0:
            break
        killed += 1
        assert done.returncode == -9, done.stderr
        again = sandbox.cli(*args, cwd=root, env=env)
        assert again.returncode == 0, (number, again.stderr)
        assert tree(home) == wanted, number
        assert "nothing was changed" in sandbox.cli(*args, cwd=root, env=env).stdout
    assert killed >= 4 and os.path.isdir(home)
