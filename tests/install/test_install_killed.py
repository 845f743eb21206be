"""Installing and uninstalling end at any moment, and beside tools that take a hook's place."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import os
import shutil
import signal

import pytest
from install_project import FOREIGN_SETTINGS, Project, project, sealed, snapshot  # noqa: F401

STEPS = ("replace", "rename", "link", "unlink", "symlink", "mkdir", "rmdir")
THEIRS = "#!/usr/bin/env python3\nimport os\nopen(os.path.join(os.getcwd(), '..', 'ran'), 'a').write('x')\n"


def killed_at(project, what, step):
    """Run install or uninstall in a child that dies before its change number ``step``. Whether it died."""
    pid = os.fork()
    if pid == 0:
        count = [0]

        def counted(function):
            def call(*args, **kw):
                count[0] += 1
                if count[0] == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                return function(*args, **kw)
            return call

        for name in STEPS:
            setattr(os, name, counted(getattr(os, name)))
        try:
            getattr(project, what)()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


def runs(project):
    """How often the user's own hook runs at a commit."""
    ran = project.root.parent / "ran"
    if ran.exists():
        ran.unlink()
    project.git("commit", "-q", "--allow-empty", "-m", "x")
    return len(ran.read_text()) if ran.exists() else 0


def begin(sandbox, name):
    root = sandbox.tmp / name
    shutil.copytree(sandbox.tmp / "first", root, symlinks=True)
    return Project(sandbox, root)


@pytest.mark.parametrize("what", ["install", "uninstall"])
def test_killed_at_every_change(sealed, what):
    first = Project(sealed, sealed.repo("first", {"a.md": "# a\n"}))
    first.hook("post-commit", THEIRS)
    first.hook("post-merge", "#!/bin/sh\n: theirs\n")
    (first.hooks / "tool").write_text("#!/usr/bin/env python3\n")
    (first.hooks / "tool").chmod(0o755)
    os.symlink("tool", first.hooks / "post-rewrite")
    first.settings.parent.mkdir()
    first.settings.write_text(FOREIGN_SETTINGS)
    before = snapshot(first.root)
    if what == "uninstall":
        assert first.install()[0] == 0
    step, died = 0, True
    while died:
        step += 1
        one = begin(sealed, f"{what}{step}")
        died = killed_at(one, what, step)
        assert runs(one) == 1, step
        if step % 2:
            one.install()
            assert runs(one) == 1, step
        one.uninstall()
        assert runs(one) == 1, step
        now = snapshot(one.root)
        for name in (".git/hooks/post-commit", ".git/hooks/post-merge", ".git/hooks/post-rewrite",
                     ".claude/settings.json"):
            assert now[name] == before[name], (step, name)
        shutil.rmtree(one.root)
    assert step > 20


MANAGERS = {
    "python": "#!/usr/bin/env python3\nimport os, subprocess, sys\nopen(os.path.join(os.getcwd(), '..', 'ran'), 'a').write('x')\n"
              "old = os.path.join('.git', 'hooks', 'post-commit{ending}')\n"
              "sys.exit(subprocess.call([old, *sys.argv[1:]]) if os.access(old, os.X_OK) else 0)\n",
    "shell": "#!/bin/sh\nprintf x >>../ran\nif [ -x .git/hooks/post-commit{ending} ]; then "
             "exec .git/hooks/post-commit{ending} \"$@\"; fi\n",
}


def manage(project, kind, ending):
    """What a hook manager's install does: what it finds and does not know goes aside, and its own runs it."""
    text = MANAGERS[kind].format(ending=ending)
    path = project.hooks / "post-commit"
    if path.exists() and path.read_text() != text:
        os.replace(path, project.hooks / f"post-commit{ending}")
    path.write_text(text)
    path.chmod(0o755)


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("ending", [".legacy", ".old"])
@pytest.mark.parametrize("kind", sorted(MANAGERS))
def test_managers_that_chain_what_they_find(sealed, kind, ending, own):
    """Theirs runs once per commit, and so does the user's, in whatever order the two are installed."""
    for order in ("im", "mi", "imi", "imim", "imimi", "mim", "mimi"):
        project = Project(sealed, sealed.repo(order, {"a.md": "# a\n"}))
        if own and order[0] == "i":
            project.hook("post-commit", THEIRS.replace("'x'", "'u'"))
        for one in order:
            project.install() if one == "i" else manage(project, kind, ending)
        ran = project.root.parent / "ran"
        for last in ("", "uninstall"):
            if last:
                project.uninstall()
            if ran.exists():
                ran.unlink()
            project.commit(order + last)
            said = ran.read_text() if ran.exists() else ""
            assert sorted(said) == sorted("x" + ("u" if own and order[0] == "i" else "")), (order, last, said)
            assert last or project.state() == "current", order
        shutil.rmtree(project.root)


def test_uninstalling_deletes_nothing_that_is_not_ours(project):
    project.install()
    index = project.root / ".abcd" / ".index"
    (index / "mine.idx").write_text("mine")
    (index / "seen").mkdir(exist_ok=True)
    (index / "seen" / "note.txt").write_text("mine")
    project.uninstall()
    assert sorted(str(p.relative_to(index)) for p in index.rglob("*")) == ["mine.idx", "seen", "seen/note.txt"]
