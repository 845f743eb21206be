"""Killed at any step, a push or a fetch leaves whole files and nothing that the next one does not sweep up."""

import os
import signal
import sys
import tempfile

import pytest
from clones import PAGES, Clones, artefact_of, index_of, scope_of

from abcd_index.build.run import build
from abcd_index.share.fetch import fetch
from abcd_index.share.place import Place
from abcd_index.share.push import push

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes that can be killed so")

# What changes a folder or makes what was written last.
STEPS = {"open", "os.mkdir", "os.rename", "os.link", "os.remove", "os.rmdir", "os.truncate", "os.utime", "os.chmod",
         "os.scandir", "shutil.rmtree", "tempfile.mkdtemp", "tempfile.mkstemp"}


def killed_at(step, work):
    """Whether ``work()``, in a process of its own, came to its step number ``step`` and was killed there."""
    number = os.fork()
    if not number:
        left = step

        def count(event, args):
            nonlocal left
            if event in STEPS:
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        try:
            sys.addaudithook(count)
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    status = os.waitpid(number, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def litter(*folders):
    """What is on its way below ``folders``."""
    return [os.path.join(at, name) for folder in folders for at, names, files in os.walk(folder)
            for name in names + files if name.startswith(".tmp-")]


@pytest.fixture(params=["nameless", "named"])
def clones(sandbox, request, monkeypatch):
    """Places with and without files that have no name until they are whole."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
        monkeypatch.setattr(tempfile, "_O_TMPFILE_WORKS", False, raising=False)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("there are none here")
    for name, value in sandbox.env.items():
        monkeypatch.setenv(name, value)
    return Clones(sandbox, {name: PAGES[name] for name in list(PAGES)[:6]})


@pytest.mark.parametrize("kind", ["folder", "git"])
def test_a_push(clones, kind):
    place = clones.sandbox.tmp / "place"
    named = Place(str(place) if kind == "folder" else "git:origin", "option")
    scope = scope_of(clones.a, clones.sandbox)
    built = build(scope)
    place.mkdir()
    every = 1 if kind == "folder" else 7
    step, tried = 0, 0
    while killed_at(step, lambda: push(built, named)):
        seen = clones.sandbox.git("add", "--dry-run", ".abcd", cwd=clones.a).stdout
        assert ".tmp-" not in seen
        for name in os.listdir(place):
            assert name.startswith(".tmp-") or name == f"{built.key}.parcel.gz"
        if tried % 3 == 0:
            assert push(built, named).state in ("pushed", "there")
            assert not litter(place, scope.index)
            for name in os.listdir(place):
                os.unlink(place / name)
            for ref in clones.refs():
                if "abcd-index" in ref:
                    clones.sandbox.git("update-ref", "-d", ref, cwd=clones.bare)
        step, tried = step + every, tried + 1
    assert tried > 5 and push(built, named).state == "there" and not litter(place, scope.index)


@pytest.mark.parametrize("kind", ["folder", "git"])
def test_a_fetch(clones, kind):
    place = clones.sandbox.tmp / "place"
    named = Place(str(place) if kind == "folder" else "git:origin", "option")
    built = build(scope_of(clones.a, clones.sandbox))
    push(built, named)
    scope = scope_of(clones.b, clones.sandbox)
    step, tried, common = 0, 0, clones.b / ".git" / "abcd-index"
    every = 1 if kind == "folder" else 7
    while killed_at(step, lambda: fetch(scope, named)):
        assert ".tmp-" not in clones.sandbox.git("add", "--dry-run", ".abcd", cwd=clones.b).stdout
        current = index_of(clones.b) / "current"
        assert not current.exists() or artefact_of(clones.b) == artefact_of(clones.a)
        if tried % 3 == 0:
            assert fetch(scope, named).key == built.key
            assert artefact_of(clones.b) == artefact_of(clones.a)
            assert not litter(index_of(clones.b), place, common, clones.sandbox.user)
            for name in os.listdir(scope.index):
                os.unlink(os.path.join(scope.index, name))
        step, tried = step + every, tried + 1
    assert tried > 10 and artefact_of(clones.b) == artefact_of(clones.a)
    fetch(scope, named)
    assert not litter(index_of(clones.b), place, common, clones.sandbox.user)
