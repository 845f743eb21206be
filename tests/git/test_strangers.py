"""Looking at a repository that somebody else made runs none of the programs that its settings name, and writes nothing
into its git folder."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import json
import os
import shutil
import subprocess

import pytest
from git_repositories import page, sealed, template  # noqa: F401

from abcd_index.git import run as git
from tests.conftest import BASE_PYTHON, ROOT

LOOKS = [("build",), ("verify",), ("status",), ("recall", "word"), ("recall", "--prompt", "word"), ("recall", "--audit"),
         ("stats",), ("install", "--dry-run"), ("uninstall", "--dry-run")]
# Each is set to a command that leaves a mark. %s: the command.
NAMED = ["core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy",
         "core.alternateRefsCommand", "diff.external", "diff.bad.textconv", "diff.bad.command", "filter.bad.clean",
         "filter.bad.smudge", "gpg.program", "sequence.editor", "interactive.diffFilter", "credential.helper",
         "merge.bad.driver", "pager.log", "pager.status", "alias.status", "alias.log", "alias.ls-files",
         "uploadpack.packObjectsHook", "remote.origin.uploadpack", "remote.origin.proxy"]


def hostile(root, marks):
    """Make ``root`` a repository whose configuration starts ``mark NAME`` wherever it can."""
    marks.mkdir(exist_ok=True)
    program = marks.parent / "program"
    program.write_text(f'#!/bin/sh\n: >"{marks}/${{1##*/}}"\n[ "$1" = filter.bad.clean ] && exec cat\nexit 0\n')
    program.chmod(0o755)
    git = root / ".git" if (root / ".git").is_dir() else root

    def config(name, value):
        subprocess.run(["git", "config", "--file", str(git / "config"), name, value], check=True)

    for name in NAMED:
        config(name, f"{program} {name}")
    hooks = marks.parent / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "pre-auto-gc", "reference-transaction", "fsmonitor-watchman"):
        (hooks / name).write_text(f'#!/bin/sh\n"{program}" hook-{name}\n')
        (hooks / name).chmod(0o755)
    for name, value in {"core.hooksPath": hooks, "filter.bad.required": "true", "log.showSignature": "true",
                        "diff.autoRefreshIndex": "true", "submodule.recurse": "true", "protocol.ext.allow": "always",
                        "remote.origin.url": f"ext::{program} ext"}.items():
        config(name, str(value))
    (git / "info").mkdir(exist_ok=True)
    (git / "info" / "attributes").write_text("* diff=bad filter=bad merge=bad\n")


def test_no_program_of_a_strangers_settings_runs(sandbox, tmp_path):
    root = sandbox.repo(pages={"a.md": page("word"), "b.md": page("other")})
    (root / ".abcd" / "memory" / "a.md").write_text(page("word", "changed"))
    sandbox.git("commit", "-qam", "two", cwd=root)
    marks = tmp_path / "marks"
    hostile(root, marks)
    for args in LOOKS:
        os.utime(root / ".abcd" / "memory" / "a.md")  # What looks different has to be compared.
        os.utime(root / "README.md")
        sandbox.cli(*args, cwd=root)
        assert sorted(os.listdir(marks)) == [], args
    for event, hook in (("SessionStart", "session_hook.py"), ("UserPromptSubmit", "prompt_router_hook.py")):
        payload = {"session_id": "s", "cwd": str(root), "hook_event_name": event, "prompt": "word"}
        subprocess.run([BASE_PYTHON, "-I", "-S", str(ROOT / "hooks" / hook)], input=json.dumps(payload).encode(),
                       env=sandbox.env, check=True, capture_output=True)
    sandbox.cli("build", "--force", cwd=root)
    assert sorted(os.listdir(marks)) == []


@pytest.mark.parametrize("tracking", [False, True])
def test_no_object_is_fetched_to_look(sandbox, tmp_path, tracking):
    """A partial clone names the program that brings what it lacks."""
    root = sandbox.repo(pages={"a.md": page("word")})
    if tracking:
        (root / ".abcd" / "config.json").write_text('{"artefact": {"track": true}}')
        sandbox.git("add", "-A", cwd=root)
    sandbox.git("commit", "-q", "--allow-empty", "-m", "two", cwd=root)
    marks = tmp_path / "marks"
    hostile(root, marks)
    subprocess.run(["git", "config", "--file", str(root / ".git" / "config"), "extensions.partialClone", "origin"], check=True)
    subprocess.run(["git", "config", "--file", str(root / ".git" / "config"), "remote.origin.promisor", "true"], check=True)
    subprocess.run(["git", "config", "--file", str(root / ".git" / "config"), "core.repositoryFormatVersion", "1"], check=True)
    for pack in (root / ".git" / "objects").glob("??/*"):
        kind = sandbox.run("git", "--git-dir", root / ".git", "cat-file", "-t", pack.parent.name + pack.name, check=False,
                       env={**sandbox.env, "GIT_ALLOW_PROTOCOL": "none"}).stdout.strip()
        if kind in ("tree", "blob"):
            pack.unlink()
    for mark in marks.iterdir():
        mark.unlink()
    for args in LOOKS[:6]:
        sandbox.cli(*args, cwd=root)
        assert sorted(os.listdir(marks)) == [], args


def test_an_embedded_bare_repository_is_none(sandbox, tmp_path):
    root = sandbox.repo(pages={"a.md": page("word")})
    sub = root / "sub"
    sandbox.run("git", "init", "-q", "--bare", sub, cwd=root)
    marks = tmp_path / "marks"
    hostile(sub, marks)
    subprocess.run(["git", "config", "--file", str(sub / "config"), "core.bare", "false"], check=True)
    subprocess.run(["git", "config", "--file", str(sub / "config"), "core.worktree", ".."], check=True)
    (sub / ".abcd" / "memory").mkdir(parents=True)
    (sub / ".abcd" / "memory" / "own.md").write_text(page("own"))
    for folder in (sub, sub / "refs"):
        for args in LOOKS[:4]:
            sandbox.cli(*args, cwd=folder)
            assert sorted(os.listdir(marks)) == [], (args, folder)


def test_a_work_tree_that_the_settings_put_elsewhere_is_none(sandbox, sealed, tmp_path):
    root = sandbox.repo(pages={"a.md": page("word")})
    victim = tmp_path / "victim"
    victim.mkdir()
    sandbox.git("config", "core.worktree", str(victim), cwd=root)
    assert git.find_worktree(str(root)) is None and git.find_worktree(str(root / ".abcd")) is None
    sandbox.cli("install", cwd=root)
    assert os.listdir(victim) == []
    sandbox.git("config", "core.worktree", str(tmp_path), cwd=root)
    assert git.find_worktree(str(root)) is None


def test_gits_index_stays_as_it_is(sandbox, tmp_path):
    root = sandbox.repo(pages={"a.md": page("word"), "b.md": page("other")})
    index = root / ".git" / "index"
    sandbox.cli("install", cwd=root)
    (root / ".abcd" / "memory" / "a.md").write_text(page("word", "changed"))
    for args in (("build",), *LOOKS, ("build", "--force"), ("verify", "--require-artefact")):
        for name in ("a.md", "b.md"):
            os.utime(root / ".abcd" / "memory" / name, ns=(10**18, 10**18))
        before = index.stat()
        sandbox.cli(*args, cwd=root)
        after = index.stat()
        assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns), args
    for hook, args in (("post-commit", ()), ("post-checkout", ("HEAD", "HEAD", "1")), ("post-merge", ("0",)),
                       ("post-rewrite", ("rebase",))):
        os.utime(root / ".abcd" / "memory" / "b.md", ns=(2 * 10**18, 2 * 10**18))
        before = index.stat()
        subprocess.run([str(root / ".git" / "hooks" / hook), *args], cwd=root, env=sandbox.env, check=True)
        after = index.stat()
        assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns), hook


def test_a_commit_at_the_moment_of_a_build(sandbox, tmp_path):
    """The build is held open at every question to git, and after each a commit is made."""
    root = sandbox.repo(pages={f"p{i}.md": page(f"p{i}") for i in range(8)})
    held = tmp_path / "bin"
    held.mkdir()
    real = subprocess.run(["sh", "-c", "command -v git"], env=sandbox.env, capture_output=True, text=True).stdout.strip()
    # While a question of ours is asked, somebody commits; and again when it was answered.
    (held / "git").write_text(f'''#!/bin/sh
commit() {{ echo x >>"{root}/code"; {real} -C "{root}" add code && {real} -C "{root}" commit -qm code || echo failed >>"{tmp_path}/failed"; }}
( unset GIT_OPTIONAL_LOCKS GIT_ALLOW_PROTOCOL; commit ) >/dev/null 2>&1
[ ! -f "{root}/.git/index.lock" ] || echo locked >>"{tmp_path}/failed"
{real} "$@" ; status=$?
( unset GIT_OPTIONAL_LOCKS GIT_ALLOW_PROTOCOL; commit ) >/dev/null 2>&1
exit $status
''')
    (held / "git").chmod(0o755)
    for i in range(8):
        os.utime(root / ".abcd" / "memory" / f"p{i}.md", ns=(10**18, 10**18))
    done = sandbox.cli("build", cwd=root, env={**sandbox.env, "PATH": f"{held}:{sandbox.env['PATH']}"})
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "failed").exists()
    assert len(sandbox.git("log", "--oneline", cwd=root).stdout.splitlines()) > 3


LINKED = [".abcd", ".abcd/.index", ".abcd/memory", ".abcd/.index/git-stamp", ".abcd/.index/seen", ".abcd/.index/current",
          ".abcd/rules.json", ".abcd/.index/.tmp-hook-*", "packages"]


def outside(folder):
    """{path: (content, mtime)} of all that lies in a folder that no branch may lead us into."""
    return {path.relative_to(folder).as_posix(): path.is_file() and (path.read_bytes(), path.stat().st_mtime_ns)
            for path in sorted(folder.rglob("*"))}


@pytest.fixture
def bait(tmp_path):
    """Another project, with all the names in it that our files have."""
    folder = tmp_path / "bait"
    index = folder / ".abcd" / ".index"
    (index / "seen").mkdir(parents=True)
    (folder / ".abcd" / "memory").mkdir()
    for name in ("current", "git-stamp", "0" * 40 + ".idx", "seen/" + "0" * 40, "../memory/bait.md", "../rules.json"):
        (index / name).write_text("theirs\n")
    return folder


@pytest.mark.parametrize("name", LINKED)
def test_a_branch_that_brings_links(template, tmp_path, bait, name):
    g = template.copy(tmp_path / "r", "plain", True)
    listed = g.root / ".git" / "abcd-index" / "stores"
    listed.write_text(listed.read_text() + "packages/x/.abcd\n")
    before = outside(bait)
    g.git("checkout", "-q", "other")
    g.git("checkout", "-q", "main")
    keep = g.folder / "keep"
    wanted = [name] if "*" not in name else [name.replace("*", str(os.getpid() + i)) for i in range(400)]
    for each in wanted:
        here = g.root / each
        there = bait / each if (bait / each).exists() else bait / ".abcd" / "rules.json"
        if name == "packages":
            (bait / "x").mkdir(exist_ok=True)
            shutil.copytree(bait / ".abcd", bait / "x" / ".abcd")
            there, before = bait, outside(bait)
        if os.path.lexists(here):
            shutil.rmtree(keep, ignore_errors=True)
            os.rename(here, keep)
        os.symlink(there, here)
    g.git("add", "-Af", name.partition("*")[0] if "*" not in name else ".abcd")
    g.git("commit", "-qm", "links")
    for target in ("plain", "main", "other", "main", "bare", "main"):
        g.git("checkout", "-qf", target)
        assert outside(bait) == before, target
    g.git("commit", "-q", "--allow-empty", "-m", "x")
    g.git("merge", "-q", "feature", check=False)
    g.git("rebase", "-q", "other", check=False)
    assert outside(bait) == before


@pytest.mark.parametrize("name", ["current", "git-stamp", "seen", ".tmp-hook"])
@pytest.mark.parametrize("kind", ["fifo", "folder"])
def test_what_is_no_file_is_passed_over(template, tmp_path, name, kind):
    g = template.copy(tmp_path / "r", "plain", True)
    for branch in ("other", "main", "other"):
        g.git("checkout", "-q", branch)
    path = g.index / name
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()
    os.mkfifo(path) if kind == "fifo" else path.mkdir()
    if kind == "folder":
        (path / "theirs").write_text("theirs")
    for branch in ("main", "other"):
        done = g.git("checkout", "-q", branch)
        assert done.returncode == 0
    if kind == "folder":
        assert (path / "theirs").read_text() == "theirs"
