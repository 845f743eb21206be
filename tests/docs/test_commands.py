"""The commands that the docs tell people to type are typed here.

A block marked ``<!-- in: project -->`` runs in a fresh repository (one per page, its blocks in order; with a store
unless the page is about starting one), one marked ``<!-- in: checkout -->`` in this checkout. In ``console`` blocks the
output is compared too; ``...`` stands for anything. Every other ``abcd-index ...`` in the docs is parsed by the
program's own command line.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from abcd_index.cli import app

from .markdown import ROOT, code_spans, name, pages, split

BASH = shutil.which("bash")
SHELL = {"sh", "bash", "shell", "console"}
BIN = Path(sys.executable).parent

# What cannot be run as it stands, and what is run in its place ('' when nothing is left to run).
INSTALLERS = re.compile(r"^(?:pipx|pip|uv tool|python3? -m pip) install (?:-U |--upgrade )?(\S+)$")
CHECKOUT = {
    "make": "make -n -o venv",
    "make demo": f"make -o venv demo VENV={shlex.quote(sys.prefix)}",
    "make test": "make -n -o venv test",
    "make lint": "make -n -o venv lint",
    "make types": "make -n -o venv types",
    "make coverage": "make -n -o venv coverage",
    "make test-faults": "make -n -o venv test-faults",
    "make docs": "make -n -o venv docs",
    "make bench": "make -n -o venv bench",
    "make bench-full": "make -n -o venv bench-full",
    "make mutants": "make -n -o venv mutants",
    "bash .ci/run": "bash -n .ci/run",
}


def marked():
    """(page, place, blocks) of every page that has blocks to run, by place."""
    for page in pages():
        blocks = split(page.read_text(encoding="utf-8"))[0]
        for place in ("project", "checkout"):
            chosen = [b for b in blocks if b.language in SHELL and b.mark == f"in: {place}"]
            if chosen:
                yield page, place, chosen


def commands(text):
    """The commands of a checkout block, one a line, comments dropped."""
    for line in text.split("\n"):
        line = line.removeprefix("$ ")
        command = re.sub(r"(^|\s+)#.*$", "", line).strip()
        if command:
            yield command
        # "# or: pip install ." is an offer as well.
        other = re.search(r"# or: (.+)$", line)
        if other:
            yield other.group(1).strip()


def installs(command):
    """Whether a command installs this package: by its name, or from the checkout."""
    found = INSTALLERS.match(command)
    if not found:
        return False
    assert found.group(1) in (".", "abcd-index"), f"{command}: installs something else"
    return True


@pytest.fixture
def project(sandbox):
    """A fresh repository and an environment in which ``abcd-index`` is this checkout's."""
    root = sandbox.tmp / "project"
    root.mkdir()
    sandbox.git("init", "-q", cwd=root)
    (root / "README.md").write_text("# a project\n")
    sandbox.git("add", "-A", cwd=root)
    sandbox.git("commit", "-qm", "start", cwd=root)
    shims = sandbox.tmp / "shims"
    shims.mkdir()
    program = shims / "abcd-index"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m abcd_index "$@"\n')
    program.chmod(0o755)
    env = dict(sandbox.env, PATH=f"{shims}{os.pathsep}{sandbox.env['PATH']}", COLUMNS="120")
    return root, env


def bash(script, cwd, env):
    """Run a script; what it prints on either stream comes in the order in which a person would see it."""
    return subprocess.run([BASH, "-e", "-o", "pipefail", "-c", script], cwd=cwd, env=dict(env, PYTHONUNBUFFERED="1"),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                          stdin=subprocess.DEVNULL)


@pytest.mark.skipif(not BASH, reason="no bash")
@pytest.mark.parametrize("page, blocks", [(p, b) for p, place, b in marked() if place == "project"],
                         ids=[name(p) for p, place, _ in marked() if place == "project"])
def test_blocks_for_a_project_run_in_order(page, blocks, project):
    root, env = project
    if page.parent.name in ("how-to", "reference", "explanation"):
        done = bash("abcd-index init && git add -A && git commit -qm 'a store'", root, env)
        assert done.returncode == 0, done.stdout
    for block in blocks:
        if block.language == "console":
            compare(page, block, root, env)
            continue
        script = "\n".join(line for line in block.text.split("\n")
                           if not installs(re.sub(r"\s+#.*$", "", line).strip()))
        done = bash(script, root, env)
        assert done.returncode == 0, f"{name(page)}:{block.line}\n{done.stdout}"


def sessions(text):
    """(command, expected output) of a console block; a command goes on while its lines begin with ``> ``."""
    command, expected = None, []
    for line in text.split("\n"):
        if line.startswith("$ "):
            if command is not None:
                yield command, "\n".join(expected)
            command, expected = line[2:], []
        elif line.startswith("> ") or line == ">":
            command += "\n" + line[2:]
        else:
            expected.append(line)
    if command is not None:
        yield command, "\n".join(expected)


def like(expected):
    """A pattern for output in which ``...`` stands for anything, on a line of its own for any lines or none."""
    pattern = ""
    for line in expected.strip().split("\n") if expected.strip() else ():
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += re.escape(line.rstrip()).replace(r"\.\.\.", r"[^\n]*?") + r"[ ]*\n"
    return pattern


def compare(page, block, root, env):
    for command, expected in sessions(block.text):
        status = re.search(r"^\[exit (\d)\]$", expected, flags=re.M)
        expected = re.sub(r"\n?\[exit \d\]$", "", expected.strip(), flags=re.M)
        done = bash(command, root, env)
        printed = done.stdout.strip()
        where = f"{name(page)}:{block.line} $ {command}\nprinted:\n{printed}\nthe page says:\n{expected}"
        assert done.returncode == int(status.group(1) if status else 0), where
        assert re.fullmatch(like(expected), f"{printed}\n" if printed else ""), where


@pytest.mark.skipif(not BASH or not shutil.which("make"), reason="no bash or no make")
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
@pytest.mark.parametrize("command", sorted({c for _, place, blocks in marked() if place == "checkout"
                                            for block in blocks for c in commands(block.text)}))
def test_commands_for_the_checkout_work(command, sandbox):
    if installs(command):
        return  # tests/packaging builds, installs and runs the package
    # What an outer `make test ARGS=...` was told is not meant for these.
    env = {key: value for key, value in sandbox.env.items() if not key.startswith("MAKE") and key not in ("MFLAGS", "ARGS")}
    if command.startswith(".venv/bin/"):
        # The page has the reader run `make` first, which builds.
        bin = shlex.quote(f"{BIN}/")
        run = f"{bin}abcd-index build --scope workspace -q; " + command.replace(".venv/bin/", bin)
    else:
        plain = re.sub(r'\s+ARGS=".*"$', "", command)
        assert plain in CHECKOUT, f"{command}: the test does not know how to run it"
        run = CHECKOUT[plain] + command[len(plain):]
    done = bash(run, ROOT, env)
    assert done.returncode == 0, f"{run}\n{done.stdout}"


def test_every_shell_block_of_the_first_pages_is_run():
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs" / "tutorial").glob("*.md"))):
        for block in split(page.read_text(encoding="utf-8"))[0]:
            if block.language in SHELL:
                assert block.mark.startswith("in: "), f"{name(page)}:{block.line}: not marked, so not run"


def mentioned():
    """(place, arguments) of every ``abcd-index ...`` in the docs, in fences and in inline code."""
    for page in pages():
        blocks, prose = split(page.read_text(encoding="utf-8"))
        found = list(code_spans(prose))
        for block in blocks:
            if block.language in SHELL:
                found += [(block.line + n, line.removeprefix("$ "))
                          for n, line in enumerate(block.text.split("\n"), 1)]
        for line, text in found:
            asked = re.match(r"(?:\.venv/bin/)?abcd-index (.+)", text)
            if asked:
                yield f"{name(page)}:{line}", re.sub(r"\s+(#|\||>|2>|&&|;).*$", "", asked.group(1))


PLACEHOLDER = re.compile(r"\[|\.\.\.|…| / ")


@pytest.mark.parametrize("place, text", [m for m in mentioned() if not PLACEHOLDER.search(m[1])])
def test_mentioned_commands_and_options_exist(place, text):
    arguments = shlex.split(text)
    group = typer.main.get_command(app)
    if arguments[0].startswith("-"):
        assert arguments[0] in ("--version", "--help", "-h"), place
        return
    assert arguments[0] in group.commands, f"{place}: there is no command {arguments[0]}"
    known = {spelling for parameter in group.commands[arguments[0]].params for spelling in parameter.opts}
    known |= {"--help", "-h"}
    unknown = [word.partition("=")[0] for word in arguments[1:]
               if re.match(r"--?[A-Za-z]", word) and word.partition("=")[0] not in known]
    assert not unknown, f"{place}: {arguments[0]} has no {unknown}"


def test_the_check_of_commands_can_fail():
    group = typer.main.get_command(app)
    assert "build" in group.commands and "bild" not in group.commands
    assert list(sessions("$ one\na\n$ two\n> more\nb")) == [("one", "a"), ("two\nmore", "b")]
    assert re.fullmatch(like("made ...\n...\nend"), "made x\n1\n2\nend\n")
    assert not re.fullmatch(like("made ...\nend"), "made x\n1\nend\n")
