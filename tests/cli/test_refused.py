"""A scope that is refused: each command says so in one sentence, works on the others, and exits with 2."""

import json
import os

import pytest

PAGE = "---\nsource: {class: guide}\nrecall: [%s]\n---\n# The %s page\n\nIts body.\n"
# What works on scopes, as often as it has forms that go their own way.
BOTH = [("build",), ("build", "--json"), ("build", "--force", "-q"), ("verify",), ("verify", "--format", "json"),
        ("verify", "--format", "github"), ("verify", "--format", "sarif"), ("verify", "--pages-only"), ("catalogue",),
        ("catalogue", "--write"), ("keywords",), ("keywords", "--write"), ("recall", "mine"), ("recall", "mine", "--json"),
        ("recall", "--audit"), ("recall", "mine", "--all"), ("recall", "--prompt", "mine"),
        ("recall", "--prompt", "mine", "--json"), ("status",), ("status", "--json"), ("status", "--check")]
ALONE = [("build",), ("verify",), ("catalogue", "--write"), ("keywords", "--write"), ("recall", "mine"),
         ("recall", "--audit"), ("recall", "--prompt", "mine"), ("push", "--to", "place"), ("fetch", "--from", "place"),
         ("init",)]


@pytest.fixture
def root(sandbox):
    root = sandbox.repo(pages={"theirs.md": PAGE % ("theirs", "theirs"), "index.md": "- [T](theirs.md) \u2014 x\n"})
    store = sandbox.user_pages({"mine.md": PAGE % ("mine", "mine"), "index.md": "- [M](mine.md) \u2014 x\n"})
    sandbox.run("chmod", "-R", "go=", sandbox.user)
    assert sandbox.cli("build", cwd=root).returncode == 0 and store.is_dir()
    return root


def refuse(sandbox, path, how):
    """Let ``path`` lead to where it may not."""
    target = {"outside": sandbox.tmp / "elsewhere", "claude": sandbox.home / ".claude" / "x", "circle": path}[how]
    if path.exists():
        path.rename(path.with_name("moved-away"))
    if how == "outside":
        (target / "memory").mkdir(parents=True)
        (target / "memory" / "secret.md").write_text(PAGE % ("mine", "secret"))
    path.symlink_to(target)


WAYS = [(".abcd", "outside"), (".abcd", "claude"), (".abcd", "circle"), (".abcd/memory", "outside"),
        (".abcd/memory", "circle"), (".abcd/.index", "outside")]


@pytest.mark.parametrize("name, how", WAYS)
def test_a_refused_workspace_leaves_the_user_scope(sandbox, root, name, how):
    refuse(sandbox, root / name, how)
    for command in BOTH:
        done = sandbox.cli(*command, cwd=root)
        if "--all" in command and how != "outside":
            continue  # The list of workspaces forgets one without a store.
        assert done.returncode == 2, (command, done.stdout, done.stderr)
        assert "abcd-index: " in done.stderr and str(root) in done.stderr and "Traceback" not in done.stderr, command
        assert "secret" not in done.stdout + done.stderr
        if "json" in " ".join(command):
            said = json.loads(done.stdout)
            assert said.get("ok", False) is False, command
        elif command[0] in ("build", "catalogue", "verify", "status") and not {"github", "sarif", "-q"} & set(command):
            assert "user" in done.stdout or "mine" in done.stdout, command
    for command in ALONE:
        scoped = command if command[0] in ("init",) else (*command, "--scope", "workspace")
        done = sandbox.cli(*scoped, cwd=root)
        assert done.returncode == 2 and done.stdout == "", (command, done.stdout, done.stderr)
        assert done.stderr.count("abcd-index: ") == 1 and "Traceback" not in done.stderr, done.stderr
    for command in BOTH:
        if command[0] != "status" and "--all" not in command:
            assert sandbox.cli(*command, "--scope", "user", cwd=root).returncode != 2, command
    done = sandbox.cli("build", "--git-hook", cwd=root)
    assert done.returncode == 0 and len(done.stderr.splitlines()) == 1
    assert sorted(os.listdir(sandbox.tmp / "elsewhere" / "memory") if how == "outside" else []) == (
        ["secret.md"] if how == "outside" else [])
    assert how != "outside" or os.listdir(sandbox.tmp / "elsewhere") == ["memory"]


@pytest.mark.parametrize("name, how", [("memory", "outside"), ("memory", "claude"), (".index", "outside"), ("memory", "circle")])
def test_a_refused_user_scope_leaves_the_workspace(sandbox, root, name, how):
    refuse(sandbox, sandbox.user / name, how)
    for command in BOTH:
        done = sandbox.cli(*command, cwd=root)
        assert done.returncode == 2 and "abcd-index: " in done.stderr and "Traceback" not in done.stderr, (command, done.stderr)
        assert "secret" not in done.stdout + done.stderr
    for command in ("build", "verify", "catalogue", "keywords"):
        done = sandbox.cli(command, "--scope", "user", cwd=root)
        assert done.returncode == 2 and done.stdout == "" and done.stderr.count("abcd-index: ") == 1, command
        assert sandbox.cli(command, "--scope", "workspace", cwd=root).returncode != 2, command
