"""The demo runs, keeps to itself, and does not pretend."""

import os
import sys

from abcd_index.commands.demo import excerpt
from abcd_index.commands.demo_sandbox import STORE


def test_every_step_holds_and_nothing_is_left_behind(sandbox):
    temp = sandbox.tmp / "temp"
    temp.mkdir()
    ran = sandbox.cli("demo", cwd=sandbox.tmp, env={**sandbox.env, "TMPDIR": str(temp)}, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for sentence in ("so far there is none", "FRESH: three pages whole", "MODERATE: the best whole, lines for the rest",
                     "DEPLETED: three lines, no body", "the same prompt again: nothing", "matches nothing: nothing",
                     "the page comes again, whole", "the user page was held back", "the rules of MIGRATIONS",
                     "and nothing was built for it", "status 0: ", "status 1, and it names the page", "All of it held"):
        assert sentence in ran.stdout
    assert "\u2717" not in ran.stdout and ran.stderr == ""
    assert os.listdir(temp) == [] and os.listdir(sandbox.home) == [".gitconfig"]


def test_it_keeps_to_its_own_home_and_repository(sandbox):
    """Also when it is started from within a hook of another repository, with a store and settings of its own."""
    root = sandbox.repo(pages={"pitfall_auth_login.md": "---\nrecall: [auth]\n---\n# Mine\n"})
    sandbox.user_pages({"user_auth.md": "---\nname: a\nrecall: [auth]\n---\nMine too.\n"})
    env = {**sandbox.env, "GIT_DIR": str(root / ".git"), "GIT_INDEX_FILE": str(root / ".git" / "index"),
           "ABCD_INDEX": "0", "CLAUDE_CONFIG_DIR": str(sandbox.home / "cc")}
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}
    done = sandbox.cli("demo", cwd=root, env=env, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Mine" not in done.stdout
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()} == before
    assert not (sandbox.user / ".index").exists()


def test_a_step_that_does_not_hold_ends_it(sandbox):
    """With a prompt hook that never answers, the brackets cannot be shown."""
    code = ("import sys\nfrom abcd_index import cli\nfrom abcd_index.commands import demo_sandbox\n"
            "demo_sandbox.Sandbox.prompt = lambda self, session, text: ('', 0.01)\n"
            "sys.argv = ['abcd-index', 'demo']\ncli.main()")
    done = sandbox.run(sys.executable, "-c", code, cwd=sandbox.tmp, check=False)
    assert done.returncode == 1 and "did not hold: FRESH" in done.stderr and "All of it held" not in done.stdout


def test_without_git_it_says_so(sandbox):
    done = sandbox.cli("demo", cwd=sandbox.tmp, env={**sandbox.env, "PATH": str(sandbox.tmp)})
    assert done.returncode == 1 and "git" in done.stderr and "Traceback" not in done.stderr


def test_on_a_narrow_terminal_it_is_plain(sandbox):
    done = sandbox.cli("demo", cwd=sandbox.tmp, env={**sandbox.env, "PYTHONIOENCODING": "ascii", "COLUMNS": "60"}, timeout=120)
    assert done.returncode == 0 and "ok FRESH: three pages whole" in done.stdout and "\\u2" not in done.stdout.split("> ")[0]


def test_the_store_is_what_the_demo_says():
    pages = [p.name for scope in ("workspace", "user") for p in (STORE / scope / "memory").glob("*.md")
             if p.name not in ("index.md", "MEMORY.md")]
    assert len(pages) == 12


def test_an_excerpt_keeps_the_blocks_own_lines():
    text = "<abcd-memory>\nProject notes\n## A  (f)\none\n\ntwo\nthree\nfour\n- `b.md` x\n</abcd-memory>"
    assert list(excerpt(text, ":")) == ["<abcd-memory>", "Project notes", "## A  (f)", "one", "two", ":", "- `b.md` x",
                                        "</abcd-memory>"]
