"""What the git hooks add to git's own time: the same operation in two copies of a repository, taking turns.

Each comparison also has an empty ``#!/bin/sh`` hook, the least that any hook can cost, and a bare interpreter.
Alone: ``python -m benchmarks.git_ops``.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .timing import Command, bare
from .timing import measure as take

GIT = shutil.which("git")
HOOKED, WITHOUT, EMPTY = "hooked", "plain", "empty"
BUILD = "one build"
NAMES = ("post-commit", "post-checkout", "post-merge", "post-rewrite")
PAGE = "---\nname: page {0}\nrecall: [word{0}, other{0}]\n---\n# Page {0}\n\n{1}\n"
PICKS = 50


class Repository:
    """A repository with a store; ``kind`` says which hooks it has."""

    def __init__(self, folder, pages):
        self.root = Path(folder)
        self.root.mkdir(parents=True)
        self.env = sealed(self.root.parent / "home")
        self.git("init", "-q", "-b", "main")
        (self.root / "src").mkdir()
        for number in range(100):
            (self.root / "src" / f"file{number}").write_text("line\n" * 50)
        store = self.root / ".abcd" / "memory"
        store.mkdir(parents=True)
        for number in range(pages):
            (store / f"page{number}.md").write_text(PAGE.format(number, "some words on this matter. " * 20))
        self.commit("one")

    def git(self, *args):
        return subprocess.run([GIT, *args], cwd=self.root, env=self.env, check=True, capture_output=True, text=True)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-qm", message)

    def change(self, *names):
        for name in names:
            with open(self.root / name, "a") as handle:
                handle.write("more\n")

    def twin(self, kind):
        """A copy with other hooks."""
        other = object.__new__(Repository)
        other.root = self.root.parent / f"{self.root.name}-{kind.replace(' ', '-')}"
        shutil.copytree(self.root, other.root, symlinks=True)
        other.env = self.env
        other.git("status")  # A copy has other inodes: let git look once.
        if kind == HOOKED:
            done = subprocess.run(
                [sys.executable, "-m", "abcd_index", "install"],
                cwd=other.root,
                env=self.env,
                capture_output=True,
                text=True,
            )
            if done.returncode:
                raise RuntimeError(done.stdout + done.stderr)
            shutil.rmtree(other.root / ".claude")
        if kind == EMPTY:
            for name in NAMES:
                path = other.root / ".git" / "hooks" / name
                path.write_text("#!/bin/sh\nexit 0\n")
                path.chmod(0o755)
        return other

    def command(self, name, *args, before=()):
        return Command(name, [GIT, *args], env=self.env, cwd=self.root, before=[[GIT, *b] for b in before])


def sealed(home):
    """An environment without this machine's git settings."""
    home.mkdir(exist_ok=True)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "ABCD_", "CLAUDE_", "PYTHON"))}
    env.update(
        HOME=str(home),
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_NOSYSTEM="1",
        GIT_AUTHOR_NAME="A",
        GIT_AUTHOR_EMAIL="a@example.org",
        GIT_COMMITTER_NAME="A",
        GIT_COMMITTER_EMAIL="a@example.org",
        ABCD_HOME=str(home / ".abcd.noindex"),
        PYTHONPATH=str(Path(__file__).resolve().parent.parent),
    )
    return env


def rebase(work, pages, touching):
    """{name: Figure} of rebasing 50 commits, each of which changes a page or (not ``touching``) something else."""
    base = Repository(work / f"rebase-{pages}-{touching}", pages)
    base.git("branch", "up")
    for number in range(PICKS):
        base.change(f".abcd/memory/page{number}.md" if touching else f"src/file{number}")
        base.commit(str(number))
    base.git("branch", "keep")
    base.git("checkout", "-q", "up")
    (base.root / "up").write_text("up\n")
    base.commit("up")
    base.git("checkout", "-q", "main")
    commands = []
    for kind in (HOOKED, WITHOUT, EMPTY):
        twin = base.twin(kind)
        commands.append(twin.command(kind, "rebase", "-q", "up", before=[("checkout", "-q", "-B", "main", "keep")]))
        if kind == HOOKED and touching:
            commands.append(one_build(twin))
    return commands


def one_build(twin):
    """What a hook does when pages changed, alone: all pages of the rebase differ from the last build's."""
    build = (
        "import sys; from abcd_index.githooks.run import main; main(['post-rewrite', '.git', '.git', '', '.abcd', ''])"
    )
    return Command(
        BUILD,
        [sys.executable, "-E", "-c", build],
        env=twin.env,
        cwd=twin.root,
        before=[
            [GIT, "-c", "core.hooksPath=/dev/null", "checkout", "-q", "up"],
            [sys.executable, "-E", "-c", build],
            [GIT, "-c", "core.hooksPath=/dev/null", "checkout", "-q", "keep"],
            ["/bin/sh", "-c", "rm -f .abcd/.index/$(git -c core.quotePath=false rev-parse HEAD:.abcd).idx"],
        ],
    )


def switch(work, pages, changed=100):
    """Switching between two branches whose artefacts are there. Each run goes there and back before."""
    base = Repository(work / f"switch-{pages}", pages)
    base.git("checkout", "-q", "-b", "side")
    base.change(*(f".abcd/memory/page{number}.md" for number in range(changed)))
    base.commit("side")
    base.git("checkout", "-q", "main")
    commands = []
    for kind in (HOOKED, WITHOUT, EMPTY):
        twin = base.twin(kind)
        for branch in ("side", "main", "side", "main"):
            twin.git("checkout", "-q", branch)
        commands.append(twin.command(kind, "checkout", "-q", "side", before=[("checkout", "-q", "main")]))
    return commands + [bare(base.env, base.root)]


def no_page(work, pages, *args, before=()):
    """An operation that changes no page."""
    base = Repository(work / f"{args[0]}-{'-'.join(a.strip('-') for a in args[1:3])}-{pages}", pages)
    base.git("branch", "ahead")
    base.git("checkout", "-q", "ahead")
    base.change("src/file1")
    base.commit("ahead")
    base.git("checkout", "-q", "main")
    commands = [base.twin(kind).command(kind, *args, before=before) for kind in (HOOKED, WITHOUT, EMPTY)]
    return commands + [bare(base.env, base.root)]


def cases(work):
    """(case, store, commands) of everything measured."""
    work.mkdir(parents=True, exist_ok=True)
    for pages in (140, 2000):
        store = str(pages)
        yield "commit that changes no page", store, no_page(work, pages, "commit", "-q", "--allow-empty", "-m", "x")
        yield (
            "checkout that changes no page",
            store,
            no_page(work, pages, "checkout", "-q", "ahead", before=[("checkout", "-q", "main")]),
        )
        yield "new branch", store, no_page(work, pages, "checkout", "-q", "-B", "new")
        yield (
            "merge that changes no page",
            store,
            no_page(
                work,
                pages,
                "merge",
                "-q",
                "--ff-only",
                "ahead",
                before=[("checkout", "-q", "-B", "main", "main~0"), ("reset", "-q", "--hard", "ahead~1")],
            ),
        )
    yield "rebase of 50 commits, no page", "140", rebase(work, 140, False)
    yield "rebase of 50 commits, 50 pages", "140", rebase(work, 140, True)
    yield "switch to a branch whose artefact is there", "2000", switch(work, 2000)


def measure(result, work, rounds):
    """Add the rows of all cases to ``result``."""
    work = Path(work) / "git"
    for case, store, commands in cases(work):
        result.add("git", case, store, take(commands, work, rounds, seconds=15.0))


def sentence(case, store, found):
    """One line about a case: times in ms, and the ratio that its goal is about."""
    ms = {name: figure.ms for name, figure in found.items()}
    line = f"{case} ({store} pages): {ms[HOOKED]:.1f} ms, without {ms[WITHOUT]:.1f}, empty hook {ms[EMPTY]:.1f}"
    line += f" = {found[HOOKED].ratio(found[WITHOUT]):.2f}x (empty hook {found[EMPTY].ratio(found[WITHOUT]):.2f}x)"
    if BUILD in ms:
        line += f"; goal 1.5x + a build of {ms[BUILD]:.0f} ms: {1.5 * ms[WITHOUT] + ms[BUILD]:.0f} ms"
    elif "rebase" in case:
        line += "; goal 1.3x"
    else:
        starts = (ms[HOOKED] - ms[WITHOUT]) / ms["bare interpreter"]
        line += f"; {starts:+.2f} bare starts"
        allowed = 1 if "switch" in case else 0.5 * ms[WITHOUT] / ms["bare interpreter"] + 2
        line += f" (goal {allowed:+.1f})"
    return line


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory(prefix="abcd-index-git-") as work:
        for case, store, commands in cases(Path(work) / "git"):
            print(sentence(case, store, take(commands, work, rounds, seconds=15.0)), flush=True)


if __name__ == "__main__":
    main()
