"""Links, pipes, folders and devices under every name that commands read or write: one clear sentence or passed over,
an end within seconds, and nothing outside is changed."""

import json
import os
import shutil
import sys

import pytest

from tests.conftest import Sandbox

PAGE = "---\nsource: {class: guide}\n---\n# Canary releases\n\nThe canary runs for an hour; canary releases end at noon.\n"
COMMANDS = [("init",), ("catalogue", "--write"), ("catalogue",), ("keywords", "--write"), ("recall", "canary"),
            ("recall", "--audit"), ("recall", "--prompt", "canary", "--session", "s1"), ("build",), ("verify",),
            ("status",)]
STORE = ("memory/index.md", "memory/MEMORY.md", "memory/guide_ops_canary.md", "memory", "config.json", "rules.json")
# Beside what is really there: names that other runs, hooks and releases give.
INDEX = ("git-stamp", "seen", "tracked.idx", "recall-stats.json", "recall-log-0.jsonl", "lock")
USER = ("config.json", "memory", "memory/index.md", ".index/sessions", ".index/provenance", ".index/recall")
# All of them in one process: how a single one starts is tried elsewhere.
DRIVER = """
import io, json, sys
from abcd_index import cli
for command in json.loads(sys.argv[1]):
    sys.argv = ["abcd-index", *command]
    out, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    error, sys.stderr = sys.stderr, io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    try:
        cli.main()
    except SystemExit as end:
        code = end.code
    texts = []
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    sys.stdout, sys.stderr = out, error
    print(json.dumps([command, code, *texts]), flush=True)
"""
KINDS = ("link", "dangling", "fifo", "folder", "device")


def content(top):
    """{path: bytes, or what else it is} of all below ``top``."""
    found = {}
    for folder, folders, names in os.walk(top):
        for name in folders + names:
            path = os.path.join(folder, name)
            found[path] = os.readlink(path) if os.path.islink(path) else (
                open(path, "rb").read() if os.path.isfile(path) else "other")
    return found


def put(path, kind, outside):
    """Something else in the place of ``path``."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
        (path / "theirs").write_text("theirs")
    else:
        path.symlink_to({"link": outside / "file", "dangling": outside / "new", "device": "/dev/zero"}[kind])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A home, a workspace and what is outside, built once; each test copies it."""
    sandbox = Sandbox(tmp_path_factory.mktemp("made"))
    root = sandbox.repo(pages={"guide_ops_canary.md": PAGE, "guide_ops_noon.md": PAGE.replace("anary", "omet")})
    (root / ".abcd" / "rules.json").write_text('{"schema_version": 1, "domains": {}}')
    sandbox.cli("build", cwd=root)
    sandbox.cli("recall", "canary", cwd=root)
    return sandbox.tmp


def files(top):
    """The names below ``top`` of what a build and a recall made."""
    return {os.path.relpath(path, top) for path, what in content(top).items() if isinstance(what, bytes)}


@pytest.mark.parametrize("place, kind", [(place, kind) for place in ("store", "index", "user") for kind in KINDS
                                         if place == "store" or kind in ("fifo", "folder", "device")])
def test_odd_files_under_our_names(made, tmp_path, place, kind):
    below = {"store": "repo/.abcd", "index": "repo/.abcd/.index", "user": "home/.abcd.noindex"}[place]
    names = {"store": set(STORE), "index": {*INDEX, *files(made / below)}, "user": {*USER, *files(made / below)}}[place]
    for number, name in enumerate(sorted(names)):
        sandbox = Sandbox(shutil.copytree(made, tmp_path / str(number), symlinks=True))
        outside = sandbox.tmp / "outside"
        outside.mkdir()
        (outside / "file").write_text("theirs\n")
        put(sandbox.tmp / below / name, kind, outside)
        before = content(outside)
        done = sandbox.run(sys.executable, "-c", DRIVER, json.dumps(COMMANDS), cwd=sandbox.tmp / "repo", timeout=60)
        told = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(told) == len(COMMANDS)
        for command, code, out, error in told:
            assert code in (0, 1, 2) and "Traceback" not in error, (name, command, error)
            assert "theirs" not in out, (name, command, out)
            assert code != 2 or error.startswith("abcd-index: "), (name, command, out, error)
        assert content(outside) == before, (name, kind)
        theirs = sandbox.tmp / below / name / "theirs"
        assert kind != "folder" or theirs.read_text() == "theirs", name
