"""What commands print: no text drives the terminal, JSON reads back, and a stream that takes nothing is an orderly end."""

import json
import re
import sys

import pytest

ODD = "a\x1b[31mb\x9bc\u202ed\x7fe\rf\u2066g"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
COMMANDS = """
status
status --check
build
build --force
build --json
verify
verify --format json
verify --format github
verify --format sarif
verify --strict --require-artefact
catalogue
catalogue --write
catalogue --write --prune
keywords
keywords --json
keywords --write
recall needle
recall needle --json
recall needle --explain
recall --audit
recall --audit --json
recall --prompt needle
recall --prompt needle --json
recall needle --all
install --dry-run
install
status
status --json
push --to PLACE
fetch --from PLACE
fetch --from PLACE --json
uninstall --dry-run
uninstall
init
init --scope user
recall --prompt needle --session ODD
recall ODD
recall needle --type ODD
recall needle --since ODD
recall needle --memory-dir ODD
build --root ODD
build --scope ODD
ODD
keywords ODD
push --to ODD
fetch --from ODD
"""


@pytest.fixture
def odd(sandbox):
    """A repository in which everything that holds a text holds one that drives terminals."""
    line = ODD.replace("\r", "")
    page = (f"---\nname: {json.dumps(ODD)}\ndescription: {json.dumps(ODD)}\nrecall: [needle, {json.dumps(ODD)}, {line}]\n"
            f"paths: {json.dumps(ODD)}\ncontradicts: [{json.dumps(ODD)}]\nbad: [{line}\n---\n# needle {ODD}\n\nThe needle. "
            f"[[{line}]] {ODD}\n")
    good = (f"---\nname: {json.dumps(ODD)}\ndescription: {json.dumps(ODD)}\ntype: {json.dumps(ODD)}\nrecall: [needle, "
            f"{json.dumps(ODD)}]\n---\n# needle {ODD}\n\nThe needle {ODD}\n")
    bare = f"---\nname: {json.dumps('x' + ODD)}\n---\n# needle work {ODD}\n\nNeedle work {ODD} needle work.\n"
    root = sandbox.repo("r\n" + ODD, {
        f"{ODD}.md": good, f"x{ODD}\ny.md": page, f"bare{ODD}.md": bare,
        "index.md": f"# {ODD}\n- [T {line}](gone{line}.md) \u2014 {line}\n- [T]({line}.md) \u2014 needle {line}\n"})
    home = root / ".abcd"
    (home / "rules.json").write_text(json.dumps({"schema_version": 1, "domains": {
        "X" + ODD: {"state": ODD, "recall": ["needle", ODD], "rules": ["Rule " + ODD]},
        "NEEDLE": {"state": "active", "recall": ["needle", ODD], "rules": ["Rule " + ODD]}}}))
    (home / "config.json").write_text(json.dumps({ODD: 1, "match": {"text": ODD}, "share": {"place": ODD}, "limits": ODD}))
    sandbox.git("add", "-A", cwd=root)
    sandbox.git("commit", "-qm", ODD, cwd=root)
    return root


@pytest.mark.parametrize("hooks_path", ["", "theirs\n" + ODD])
def test_no_text_drives_a_terminal(sandbox, odd, hooks_path):
    if hooks_path:
        sandbox.git("config", "core.hooksPath", hooks_path, cwd=odd)
    place = sandbox.tmp / ("place" + ODD)
    place.mkdir()
    for line in COMMANDS.strip().split("\n"):
        if hooks_path and "install" not in line and "status" not in line:
            continue
        words = [{"ODD": "x" + ODD + "\ny", "PLACE": str(place)}.get(word, word) for word in line.split()]
        done = sandbox.run(sys.executable, "-m", "abcd_index", *words, cwd=odd, check=False)
        assert done.returncode in (0, 1, 2) and "Traceback" not in done.stderr, (line, done.stderr)
        for text in (done.stdout, done.stderr):
            found = RAW.search(text)
            assert not found, (line, text[max(0, found.start() - 80):found.end() + 40])
        if "json" in line and done.stdout:
            json.loads(done.stdout)
        for text in done.stderr.splitlines():
            assert not text.startswith("y"), (line, done.stderr)  # What stands behind a line end in a name.


@pytest.mark.parametrize("command", ["build", "build --json", "status", "status --json", "verify", "catalogue", "keywords",
                                     "recall needle", "recall needle --json", "recall --prompt needle", "recall --audit",
                                     "install --dry-run", "uninstall", "init", "--help", "--version", "nonsense",
                                     "build --root nowhere"])
def test_streams_that_take_nothing(sandbox, command):
    root = sandbox.repo(pages={"x.md": "---\nrecall: [needle]\n---\n# X\n\nneedle\n"})
    for redirect in (">&-", ">/dev/full", "2>&-", "2>/dev/full", ">&- 2>&-", "<&-", "<&- >&- 2>&-", "| true"):
        run = f"'{sys.executable}' -m abcd_index {command} {redirect}"
        done = sandbox.run("/bin/sh", "-c", run, cwd=root, check=False)
        assert done.returncode in (0, 1, 2), (command, redirect, done.returncode, done.stderr)
        assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr, (redirect, done.stderr)
        assert len(done.stderr.splitlines()) < 8, (redirect, done.stderr)
        if redirect == ">/dev/full" and command not in ("nonsense", "build --root nowhere", "install --dry-run"):
            assert done.returncode in (1, 2) and "could not be written" in done.stderr, (command, done.stderr)
    # Nothing was written into a file of the project in place of a stream that was closed.
    assert sandbox.cli("verify", cwd=root).returncode in (0, 1)
