"""What sharing costs: ``python -m benchmarks.share PAGES [FOLDER]`` prints the figures of ``explanation/costs.md``.

A generated store is built, pushed to a folder and to a bare git remote on the same disk, fetched into an empty index
from both, and edited ten times with a push after each. CPU seconds count the processes that were started, git's
included. FOLDER (default: a temporary one) is emptied first.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from abcd_index.build.run import build
from abcd_index.build.scan import observe
from abcd_index.scopes import Places, workspace_at
from abcd_index.share.fetch import fetch
from abcd_index.share.place import Place
from abcd_index.share.push import push

from . import stores

EDITS = 10
SENTENCE = "\nOne more sentence about the login and the redirect.\n"


class Timed:
    """Prints wall and CPU seconds of its block."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.begun = time.perf_counter(), _cpu()

    def __exit__(self, *error):
        print(
            f"{self.name:28} {time.perf_counter() - self.begun[0]:9.2f} s wall {_cpu() - self.begun[1]:9.2f} s CPU",
            flush=True,
        )


def main(pages, base):
    """Measure a store of ``pages`` pages below the folder ``base``."""
    root, bare = os.path.join(base, "store"), os.path.join(base, "remote.git")
    print("bytes of the pages", stores.make(root, pages))
    _git(base, "init", "-q", "--bare", bare)
    _git(root, "init", "-q")
    _git(root, "remote", "add", "origin", bare)
    scope, folder, remote = (
        workspace_at(root, Places()),
        Place(os.path.join(base, "place"), "option"),
        Place("git:origin", "option"),
    )
    with Timed("full build"):
        built = build(scope)
    print("bytes of the artefact", built.size)
    for suffix in (".pages", ".times"):
        print(f"bytes of the {suffix} sidecar", os.path.getsize(built.path[:-4] + suffix))
    with Timed("nothing to build"):
        build(scope)
    for place, name in ((folder, "folder"), (remote, "git")):
        with Timed(f"push to {name}"):
            push(build(scope), place)
    print("bytes in the folder", _size(folder.text), "in git", _size(os.path.join(bare, "objects")))
    for place, name in ((folder, "folder"), (remote, "git")):
        shutil.rmtree(scope.index)
        with Timed(f"fetch from {name}"):
            fetched = fetch(scope, place)
        print("   ", fetched.seconds)
    with Timed("hash every page"):
        observe(scope, trust=False)
    names = sorted(name for name in os.listdir(scope.store) if name != "index.md")
    for number in range(EDITS):
        with open(os.path.join(scope.store, names[number * 7]), "a", encoding="utf-8") as page:
            page.write(SENTENCE)
        with Timed("build after one edit"):
            build(scope)
        with Timed("push to git"):
            push(build(scope), remote)
    print(f"bytes in git, {EDITS + 1} artefacts", _size(os.path.join(bare, "objects")))
    with Timed("git gc there"):
        _git(bare, "gc", "-q", "--prune=now")
    print("bytes after it", _size(os.path.join(bare, "objects")))


def _cpu():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _git(cwd, *args):
    subprocess.run(["git", *args], cwd=cwd, check=True, capture_output=True)


def _size(folder):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, files in os.walk(folder) for name in files)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        shutil.rmtree(sys.argv[2], ignore_errors=True)
        os.makedirs(sys.argv[2])
        main(int(sys.argv[1]), os.path.abspath(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory(prefix="abcd-share-") as made:
            main(int(sys.argv[1]), made)
