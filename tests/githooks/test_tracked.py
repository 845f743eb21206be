"""A tracked artefact: what is committed is the artefact of the committed pages, which clones reproduce."""

import json
import re
import shutil
import subprocess
import time

import pytest
from git_repositories import Repository, page

from abcd_index.artefact.format import checksum
from tests.conftest import Sandbox

PAGE_PATH = ".abcd/memory/auth.md"
TRACK = '{"artefact": {"track": true}}'


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A repository whose settings ask for a tracked artefact, installed and committed once."""
    sandbox = Sandbox(tmp_path_factory.mktemp("tracked"))
    root = sandbox.repo(pages={"deploy.md": page("deploy"), "auth.md": page("auth")})
    (root / ".abcd" / "config.json").write_text(TRACK)
    done = sandbox.cli("install", cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(root / ".claude")
    g = Repository(sandbox, sandbox.tmp, root)
    g.git("add", "-A")
    g.git("commit", "-qm", "keep the artefact")
    return g


@pytest.fixture
def team(first, sandbox):
    """A copy of it."""
    root = sandbox.tmp / "repo"
    shutil.copytree(first.root, root, symlinks=True)
    shutil.copytree(first.sandbox.user, sandbox.user)
    g = Repository(sandbox, sandbox.tmp, root)
    g.out("status")
    return g


def in_git(g):
    return sorted(line.rpartition("/")[2] for line in g.out("ls-files", ".abcd/.index").splitlines())


def verified(g, root=None):
    done = g.sandbox.cli("verify", "--require-artefact", "--scope", "workspace", cwd=root or g.root)
    return done.returncode == 0 or done.stdout + done.stderr


def clone(g, name="clone"):
    target = g.folder / name
    g.sandbox.run("git", "clone", "-q", g.root, target, cwd=g.folder)
    return target


def test_what_is_in_git(team):
    assert in_git(team) == [".gitattributes", "tracked.idx"]
    assert team.out("status", "--porcelain") == ""
    assert verified(team) is True
    assert team.state() == "current"


def test_a_fresh_clone_recalls_once_its_artefact_was_reproduced(team):
    """What came with a clone says nothing by itself: the first prompt starts the build, with nothing else to do."""
    target = clone(team)

    def said():
        return team.sandbox.context({"cwd": str(target), "hook_event_name": "UserPromptSubmit", "prompt": "how to deploy?"})

    end = time.monotonic() + 60
    assert said() == ""
    while not said() and time.monotonic() < end:
        time.sleep(0.1)
    assert "text" in said() and "deploy" in said()


def test_a_fresh_clone_is_verified_without_a_build(team):
    target = clone(team)
    assert verified(team, target) is True
    status = json.loads(team.sandbox.cli("status", "--json", cwd=target).stdout)
    workspace = status["scopes"][0]
    assert (workspace["state"], workspace["origin"]) == ("foreign", "came from elsewhere")


def test_a_clone_that_converts_line_ends(team):
    target = team.folder / "crlf"
    team.sandbox.run("git", "-c", "core.autocrlf=true", "clone", "-q", team.root, target, cwd=team.folder)
    assert b"\r\n" in (target / ".abcd" / "memory" / "deploy.md").read_bytes()
    assert verified(team, target) is True


def test_a_commit_brings_its_artefact(team):
    team.write("auth", "changed")
    team.git("commit", "-qam", "changed")
    assert team.out("status", "--porcelain") == ""
    assert in_git(team) == [".gitattributes", "tracked.idx"]
    assert verified(team, clone(team)) is True
    assert verified(team) is True


def test_what_is_staged_counts_not_what_is_on_disk(team):
    team.write("auth", "staged")
    team.git("add", "-A")
    team.write("auth", "edited again")
    team.write("loose", "not committed")
    team.git("commit", "-qm", "the first edit")
    assert team.out("status", "--porcelain") == "M .abcd/memory/auth.md\n?? .abcd/memory/loose.md"
    assert team.state() == "current", "what people work with is still the artefact of what is on disk"
    assert verified(team, clone(team)) is True


def test_a_commit_of_named_files(team):
    team.write("auth", "named")
    team.write("deploy", "not named")
    team.git("commit", "-qm", "only auth", "--", ".abcd/memory/auth.md")
    assert team.out("status", "--porcelain") == "M .abcd/memory/deploy.md"
    assert verified(team, clone(team)) is True


def test_a_commit_that_changes_no_page_starts_nothing(team):
    before = in_git(team)
    (team.root / "else").write_text("x")
    team.git("add", "else")
    team.git("commit", "-qm", "else")
    assert in_git(team) == before and team.out("diff", "--name-only", "HEAD~1") == "else"


def test_two_branches_that_add_a_page_each(team):
    team.git("checkout", "-q", "-b", "side")
    team.commit("one", "one")
    team.git("checkout", "-q", "main")
    team.commit("two", "two")
    done = team.git("merge", "-q", "--no-edit", "side")
    assert "CONFLICT" not in done.stdout + done.stderr
    assert team.out("status", "--porcelain") == ""
    assert in_git(team) == [".gitattributes", "tracked.idx"]
    assert verified(team) is True and verified(team, clone(team)) is True


def test_pages_that_conflict(team):
    team.git("checkout", "-q", "-b", "side")
    team.commit("one", "auth")
    team.git("checkout", "-q", "main")
    team.commit("two", "auth")
    team.git("merge", "-q", "--no-edit", "side", check=False)
    assert team.out("diff", "--name-only", "--diff-filter=U") == ".abcd/memory/auth.md"
    team.write("auth", "settled")
    team.git("add", "-A")
    team.git("commit", "-qm", "settled")
    assert verified(team) is True and verified(team, clone(team)) is True


def test_edits_and_builds_leave_nothing_for_git_to_see(team):
    """Tracked files that a hook changes would stop a checkout or a rebase."""
    team.commit("base of both", "x")
    team.git("checkout", "-q", "-b", "side")
    team.commit("one", "one")
    team.git("checkout", "-q", "main")
    for number in range(6):
        team.write("deploy", f"edit {number}")
        assert team.sandbox.cli("build", cwd=team.root).returncode == 0
    assert team.out("status", "--porcelain") == "M .abcd/memory/deploy.md"
    team.git("checkout", "-q", "side")
    assert team.state() == "current"
    team.git("commit", "-qam", "edits")
    team.git("rebase", "-q", "main")
    assert team.out("status", "--porcelain") == ""
    assert team.state() == "current"


def test_a_rebase_is_made_whole_by_the_next_commit(team):
    team.git("checkout", "-q", "-b", "side")
    team.commit("one", "one")
    team.commit("two", "two")
    team.git("checkout", "-q", "main")
    team.commit("three", "three")
    team.git("checkout", "-q", "side")
    done = team.git("rebase", "-q", "main")
    assert "amend" in done.stderr and len(done.stderr.splitlines()) == 1
    assert team.state() == "current"
    team.git("commit", "-q", "--amend", "--no-edit")
    assert verified(team, clone(team)) is True


def test_switched_off(team):
    team.write("auth", "changed")
    team.git("commit", "-qam", "changed", ABCD_INDEX="0")
    assert "stale" in verified(team, clone(team))


def test_a_broken_tool_keeps_no_commit_from_being_made(team):
    hook = team.root / ".git" / "hooks" / "pre-commit"
    hook.write_text(hook.read_text().replace("from abcd_index.githooks.run import main", "raise SystemExit(3)"))
    team.write("auth", "changed")
    done = team.git("commit", "-qam", "changed")
    assert done.returncode == 0


def test_uninstall_takes_the_driver_away(team):
    assert "abcd_index.githooks.tracked" in team.out("config", "merge.abcd-index.driver")
    assert team.sandbox.cli("uninstall", cwd=team.root).returncode == 0
    config = (team.root / ".git" / "config").read_text()
    assert "abcd-index" not in config
    assert not (team.root / ".git" / "hooks" / "pre-commit").exists()
    assert in_git(team), "what is committed stays"
    assert team.out("status", "--porcelain") == ""


def test_the_pre_commit_that_was_there_still_decides(sandbox):
    root = sandbox.repo(pages={"deploy.md": page("deploy")})
    (root / ".abcd" / "config.json").write_text(TRACK)
    hook = root / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\ntest ! -e stop\n")
    hook.chmod(0o755)
    assert sandbox.cli("install", cwd=root).returncode == 0
    g = Repository(sandbox, sandbox.tmp, root)
    g.git("add", "-A")
    (root / "stop").touch()
    assert g.git("commit", "-qm", "x", check=False).returncode == 1
    (root / "stop").unlink()
    g.git("commit", "-qm", "x")
    assert "tracked.idx" in in_git(g)


def test_a_store_below_the_top(sandbox):
    root = sandbox.repo(pages={"deploy.md": page("deploy")})
    sandbox.pages(root / "pkg", {"x.md": page("x")})
    (root / "pkg" / ".abcd" / "config.json").write_text(TRACK)
    sandbox.run("git", "add", "-A", cwd=root)
    sandbox.run("git", "commit", "-qm", "x", cwd=root)
    assert sandbox.cli("install", "--root", root / "pkg", cwd=root).returncode == 0
    sandbox.pages(root / "pkg", {"x.md": page("x", "changed")})
    sandbox.run("git", "commit", "-qam", "y", cwd=root)
    names = subprocess.run(["git", "ls-files", "*.idx"], cwd=root, capture_output=True, text=True).stdout
    assert names.startswith("pkg/.abcd/.index/") and names.count("\n") == 1


def by_another_release(path):
    """Let the artefact at ``path`` say that a release with other records built it."""
    header, _, rest = path.read_bytes().split(b"\n", 2)
    changed = re.sub(rb'"records":\d', b'"records":9', re.sub(rb'"key":"\w+"', b'"key":"%s"' % (b"9" * 40), header))
    assert changed.count(b"9" * 40) == changed.count(b'"records":9') == 1
    path.write_bytes(changed + b"\n" + str(checksum(changed)).rjust(10).encode() + b"\n" + rest)


def test_after_an_upgrade_the_next_commit_renews_it(team):
    """No page changes, so nothing but the installation can know that it has to."""
    kept = team.index / "tracked.idx"
    good = kept.read_bytes()
    by_another_release(kept)
    team.git("commit", "-qm", "what the release before had built", "--", ":/.abcd/.index/tracked.idx",
             ABCD_INDEX="0")
    said = verified(team)
    assert "artefact-untracked" in said and "another version of abcd-index" in said
    plan = team.sandbox.cli("install", "--dry-run", "--git-only", cwd=team.root).stdout
    assert "renew" in plan and not (team.root / ".git" / "abcd-index" / "renew").exists()
    done = team.sandbox.cli("install", "--git-only", cwd=team.root)
    assert done.returncode == 0 and "renew" in done.stdout
    assert "renew" not in team.sandbox.cli("install", "--git-only", cwd=team.root).stdout
    (team.root / "else").write_text("x")
    team.git("add", "else")
    team.git("commit", "-qm", "else")
    assert kept.read_bytes() == good and team.out("status", "--porcelain") == ""
    assert verified(team) is True and verified(team, clone(team)) is True


def test_a_project_that_set_it_before_it_installed(team):
    team.git("rm", "-q", "--cached", ":/.abcd/.index/tracked.idx", ":/.abcd/.index/.gitattributes")
    team.git("commit", "-qm", "without", ABCD_INDEX="0")
    for name in ("tracked.idx", ".gitattributes"):
        (team.index / name).unlink()
    assert "git tracks no artefact" in verified(team)
    assert team.sandbox.cli("install", "--git-only", cwd=team.root).returncode == 0
    team.git("commit", "-qm", "with it", "--allow-empty")
    assert in_git(team) == [".gitattributes", "tracked.idx"] and verified(team) is True


VARIANTS = {
    "named": ["commit", "-qm", "x", PAGE_PATH], "only": ["commit", "-qm", "x", "-o", PAGE_PATH],
    "include": ["commit", "-qm", "x", "-i", PAGE_PATH], "all": ["commit", "-qam", "x"],
    "amend": ["commit", "-q", "--amend", "--no-edit", "-a"],
    "amend named": ["commit", "-q", "--amend", "--no-edit", PAGE_PATH],
    "patch": ["commit", "-qm", "x", "-p"], "staged": ["commit", "-qm", "x"],
}


@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_the_next_commit_leaves_the_artefact_alone(team, variant, built):
    team.write("auth", "of this commit")
    if built:
        assert team.sandbox.cli("build", cwd=team.root).returncode == 0
    if variant == "staged":
        team.git("add", "-A")
    team.git(*VARIANTS[variant], data="a\n" if variant == "patch" else None)
    assert team.out("status", "--porcelain") == ""
    held = team.out("rev-parse", "HEAD:.abcd/.index/tracked.idx")
    (team.root / "code").write_text("x")
    team.git("add", "code")
    team.git("commit", "-qm", "code")
    assert team.out("rev-parse", "HEAD:.abcd/.index/tracked.idx") == held
    assert team.out("status", "--porcelain") == ""
    assert verified(team) is True and verified(team, clone(team)) is True


@pytest.mark.parametrize("back", [["reset", "-q", "--", PAGE_PATH], ["restore", "--staged", "--worktree", PAGE_PATH],
                                  ["checkout", "-q", "HEAD", "--", PAGE_PATH], ["reset", "-q", "--hard"]])
@pytest.mark.parametrize("how", ["message", "hook"])
@pytest.mark.parametrize("code", [["commit", "-qm", "code"], ["commit", "-qm", "code", "code"]])
def test_a_commit_that_was_given_up_leaves_no_text(team, back, how, code):
    team.write("auth", "WITHDRAWN")
    team.git("add", "-A")
    if how == "hook":
        refuse = team.root / ".git" / "hooks" / "commit-msg"
        refuse.write_text("#!/bin/sh\nexit 1\n")
        refuse.chmod(0o755)
    team.git("commit", "-qm", "" if how == "message" else "x", check=False)
    if how == "hook":
        refuse.unlink()
    team.git(*back)
    (team.root / "code").write_text("x")
    team.git("add", "code")
    team.git(*code)
    assert "WITHDRAWN" not in team.out("show", "HEAD:.abcd/.index/tracked.idx")
    assert verified(team, clone(team)) is True


@pytest.mark.parametrize("reset", [["reset", "-q"], ["reset", "-q", "HEAD", "--", "."], ["restore", "--staged", "."]])
@pytest.mark.parametrize("page_too", [True, False])
def test_what_was_given_up_goes_from_the_disk_too(team, reset, page_too):
    team.write("auth", "WITHDRAWN")
    team.git("add", "-A")
    team.git("commit", "-qm", "", check=False)
    team.git(*reset)
    if page_too:
        team.git("checkout", "-q", "--", PAGE_PATH)
    (team.root / "code").write_text("x")
    team.git("add", "code")
    team.git("commit", "-qm", "code")
    assert b"WITHDRAWN" not in (team.index / "tracked.idx").read_bytes()
    assert team.out("status", "--porcelain").split() == ([] if page_too else ["M", PAGE_PATH])
    # Not even a commit that no hook of ours sees takes it along.
    team.git("commit", "-qam", "x", "--no-verify", "--allow-empty")
    assert "WITHDRAWN" not in team.out("show", "HEAD:.abcd/.index/tracked.idx")
    assert verified(team, clone(team)) is True or not page_too


def test_verify_says_here_what_it_says_in_a_clone(team):
    team.write("auth", "without the hook")
    team.git("commit", "-qam", "x", "--no-verify")
    assert team.sandbox.cli("build", cwd=team.root).returncode == 0
    shutil.copyfile(team.index / ((team.index / "current").read_text().strip() + ".idx"), team.index / "tracked.idx")
    assert "the last commit holds an artefact" in str(verified(team))
    assert verified(team, clone(team)) is not True
