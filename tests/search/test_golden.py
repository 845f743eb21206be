"""What a person and a tool see, whole. A case is a file in ``golden``: its first line is the command, the rest
is what comes out. ``ABCD_GOLDEN=write`` writes them anew; read the difference before you commit it."""

import contextlib
import io
import os
import shlex
from pathlib import Path

import pytest
from stores import NOW, PAGES, placed

from abcd_index.cli import app

FOLDER = Path(__file__).with_name("golden")
WRITING = os.environ.get("ABCD_GOLDEN") == "write"


@pytest.fixture
def root(sandbox, monkeypatch):
    sandbox.env.update(GIT_AUTHOR_DATE="2020-01-01T00:00:00Z", GIT_COMMITTER_DATE="2020-01-01T00:00:00Z")
    monkeypatch.setattr("time.time", lambda: NOW)
    root = sandbox.repo(pages={**PAGES, "feedback_old.md": "---\nname: old-style\ndescription: Past tense\ntype: feedback\n"
                                    "superseded_by: commit-style\n---\nSee [[nowhere]] and `gone.py`.\n"})
    (root / "gone.py").write_text("1\n")
    sandbox.git("add", "gone.py", cwd=root)
    sandbox.git("commit", "-qm", "two", cwd=root)
    sandbox.git("rm", "-q", "gone.py", cwd=root)
    sandbox.git("commit", "-qm", "three", cwd=root)
    return root


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_output(sandbox, root, path):
    command, _, wanted = path.read_text(encoding="utf-8").partition("\n")
    words = shlex.split(command)
    assert words.pop(0) == "$"
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        sandbox.env[name] = value
    assert words.pop(0) == "abcd-index"
    out, err = io.StringIO(), io.StringIO()
    with placed(sandbox, root), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = app(words, prog_name="abcd-index", standalone_mode=False)
    commit = sandbox.git("rev-parse", "--short", "HEAD", cwd=root).stdout.strip()
    found = f"{out.getvalue()}{err.getvalue()}exit {status}\n".replace(str(root), "<root>")
    found = found.replace(commit, "<commit>").replace("\033", "<esc>")
    if WRITING:
        path.write_text(f"{command}\n{found}", encoding="utf-8")
        pytest.skip("written")
    assert found == wanted
