"""Last touched: what the page says, else what git says, else the file. A clone ranks as the original does."""

import json
import os

import pytest
from stores import names, recall, results

DAY = 86400
NOTE = "---\nname: {0}\ndescription: needle\ntype: user\n---\n{0}\n"


def commit(sandbox, root, message, day):
    """Commit everything on a day of January 2026."""
    when = f"2026-01-{day:02d}T12:00:00Z"
    sandbox.git("add", "-A", cwd=root)
    sandbox.git("commit", "-qm", message, cwd=root,
            env={**sandbox.env, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when})


@pytest.fixture
def root(sandbox):
    """Three pages, committed on three days, all needles in one haystack; the files are older than that."""
    root = sandbox.tmp / "repo"
    root.mkdir()
    sandbox.git("init", "-q", cwd=root)
    for day, name in ((5, "a"), (25, "b"), (15, "c")):
        sandbox.pages(root, {f"user_{name}.md": NOTE.format(name)})
        commit(sandbox, root, name, day)
    return root


def touch(root, day):
    """Give all files one time, as a checkout does."""
    for path in (root / ".abcd" / "memory").iterdir():
        os.utime(path, (day * DAY, day * DAY))


def test_the_last_commit_counts_whatever_the_file_says(sandbox, root):
    touch(root, 30)
    assert names(sandbox, root, "needle") == ["b", "c", "a"]
    touch(root, 20000)
    assert names(sandbox, root, "needle") == ["b", "c", "a"]


def test_a_clone_ranks_as_the_original_does(sandbox, root):
    sandbox.pages(root, {"user_said.md": NOTE.format("said").replace("type:", "updated: 2026-08-30\ntype:"),
                     "user_history.md": NOTE.format("hist") + "\n## History\n\n- 2026-08-29: was x\n"})
    commit(sandbox, root, "d", 26)
    wanted = results(sandbox, root, "needle", limit=99, explain=True, no_record=False)
    assert [row["name"] for row in wanted] == ["said", "hist", "b", "c", "a"]
    for number, options in enumerate(([], ["--no-local"], ["--bare"])):
        clone = sandbox.tmp / f"clone{number}"
        sandbox.git("clone", "-q", *options, root, clone, cwd=sandbox.tmp)
        if options == ["--bare"]:
            sandbox.git("worktree", "add", "-q", sandbox.tmp / "tree", "main", cwd=clone)
            clone = sandbox.tmp / "tree"
        found = results(sandbox, clone, "needle", limit=99, explain=True)
        for row in found + wanted:
            row["path"] = row["path"].rpartition("/")[2]
        assert found == wanted


def test_a_rebuilt_sidecar_agrees_with_one_carried_on(sandbox, root):
    recall(sandbox, root, "needle", no_record=False)
    sandbox.pages(root, {"user_a.md": NOTE.format("a") + "more\n"})
    commit(sandbox, root, "e", 27)
    sandbox.git("mv", ".abcd/memory/user_b.md", ".abcd/memory/user_z.md", cwd=root)
    commit(sandbox, root, "renamed", 28)
    (root / "README.md").write_text("elsewhere\n")
    commit(sandbox, root, "elsewhere", 29)
    rows = {row["name"]: row["recency_months"] for row in results(sandbox, root, "needle", no_record=False)}
    assert rows["a"] < rows["b"] < rows["c"]
    sidecar = root / ".abcd" / ".index" / "dates.json"
    carried = json.loads(sidecar.read_text())
    sidecar.unlink()
    recall(sandbox, root, "needle", no_record=False)
    assert json.loads(sidecar.read_text()) == carried


def test_history_that_was_rewritten_is_walked_anew(sandbox, root):
    recall(sandbox, root, "needle", no_record=False)
    sandbox.git("reset", "-q", "--soft", "HEAD~2", cwd=root)
    commit(sandbox, root, "squashed", 28)
    rows = {row["name"]: row["recency_months"] for row in results(sandbox, root, "needle", no_record=False)}
    assert rows["b"] == rows["c"] < rows["a"]


def test_a_changed_page_has_its_files_time_until_it_is_committed(sandbox, root):
    recall(sandbox, root, "needle", no_record=False)
    path = sandbox.pages(root, {"user_a.md": NOTE.format("a") + "edited\n"}) / "user_a.md"
    os.utime(path, (1780000000, 1780000000))  # May 2026
    assert names(sandbox, root, "needle") == ["a", "b", "c"]
    sandbox.git("checkout", "-q", ".", cwd=root)
    os.utime(path, (1780000000, 1780000000))
    assert names(sandbox, root, "needle") == ["b", "c", "a"]


def test_an_untracked_page_has_its_files_time(sandbox, root):
    path = sandbox.pages(root, {"user_new.md": NOTE.format("new")}) / "user_new.md"
    os.utime(path, (1780000000, 1780000000))
    assert names(sandbox, root, "needle") == ["new", "b", "c", "a"]
    os.utime(path, (DAY, DAY))
    assert names(sandbox, root, "needle") == ["b", "c", "a", "new"]


def test_outside_of_git_file_times_count(sandbox):
    store = sandbox.user_pages({f"user_{name}.md": NOTE.format(name) for name in "ab"})
    os.utime(store / "user_a.md", (1780000000, 1780000000))
    os.utime(store / "user_b.md", (1770000000, 1770000000))
    assert names(sandbox, sandbox.tmp, "needle") == ["a", "b"]


def test_before_the_first_commit(sandbox):
    root = sandbox.tmp / "fresh"
    root.mkdir()
    sandbox.git("init", "-q", cwd=root)
    sandbox.pages(root, {"user_a.md": NOTE.format("a")})
    assert names(sandbox, root, "needle", no_record=False) == ["a"]
    commit(sandbox, root, "first", 3)
    os.utime(root / ".abcd" / "memory" / "user_a.md", (DAY, DAY))
    assert results(sandbox, root, "needle")[0]["recency_months"] < 9


def test_a_shallow_clone_is_said(sandbox, root):
    clone = sandbox.tmp / "shallow"
    sandbox.git("clone", "-q", "--depth", "1", f"file://{root}", clone, cwd=sandbox.tmp)
    status, _, err = recall(sandbox, clone, "needle")
    assert status == 0 and "shallow" in err and "git fetch --unshallow" in err
    sandbox.git("fetch", "-q", "--unshallow", cwd=clone)
    status, _, err = recall(sandbox, clone, "needle")
    assert (status, err) == (0, "")
    assert names(sandbox, clone, "needle") == ["b", "c", "a"]


def test_a_decomposed_file_name_keeps_its_date(sandbox):
    root = sandbox.tmp / "repo"
    root.mkdir()
    sandbox.git("init", "-q", cwd=root)
    sandbox.git("config", "core.precomposeunicode", "false", cwd=root)
    sandbox.pages(root, {"user_u\u0308.md": NOTE.format("ue")})
    commit(sandbox, root, "one", 5)
    touch(root, 1)
    row = results(sandbox, root, "needle")[0]
    assert row["recency_months"] < 9 and os.path.exists(row["path"])


def test_a_packed_ref_and_a_detached_head(sandbox, root):
    recall(sandbox, root, "needle", no_record=False)
    sandbox.git("pack-refs", "--all", cwd=root)
    assert names(sandbox, root, "needle") == ["b", "c", "a"]
    sandbox.git("checkout", "-q", "--detach", "HEAD~1", cwd=root)
    assert names(sandbox, root, "needle", no_record=False) == ["b", "a"]


def test_a_sidecar_in_order_is_believed_without_git(sandbox, root, tmp_path):
    """What a recall pays for dates when nothing changed: not even a git process."""
    sandbox.cli("build", cwd=root)
    env = {**sandbox.env, "PATH": str(tmp_path / "empty")}
    done = sandbox.cli("recall", "needle", "--json", "--no-record", cwd=root, env=env)
    assert done.returncode == 0, done.stderr
    assert [row["name"] for row in json.loads(done.stdout)["results"]] == ["b", "c", "a"]


def test_without_git_file_times_count(sandbox, root, tmp_path):
    done = sandbox.cli("recall", "needle", "--json", "--no-record", cwd=root,
                   env={**sandbox.env, "PATH": str(tmp_path / "empty")})
    assert done.returncode == 0 and json.loads(done.stdout)["count"] == 3


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 1, "head": 5, "cut": 0, "dates": {}, "pages": {}}',
                                  '{"version": 1, "head": "", "cut": 0, "dates": {"a": "x"}, "pages": {}}'])
def test_a_broken_sidecar_is_made_anew(sandbox, root, text):
    recall(sandbox, root, "needle", no_record=False)
    (root / ".abcd" / ".index" / "dates.json").write_text(text)
    assert names(sandbox, root, "needle") == ["b", "c", "a"]
