"""Last touched: what the page says, else what git says, else the file. A clone ranks as the original does."""

import json
import os

import pytest
from stores import names, recall, results

DAY = 86400
NOTE = "---\nname: {0}\ndescription: needle\ntype: user\n---\n{0}\n"


def commit(box, root, message, day):
    """Commit everything on a day of January 2026."""
    when = f"2026-01-{day:02d}T12:00:00Z"
    box.git("add", "-A", cwd=root)
    box.git("commit", "-qm", message, cwd=root,
            env={**box.env, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when})


@pytest.fixture
def root(box):
    """Three pages, committed on three days, all needles in one haystack; the files are older than that."""
    root = box.tmp / "repo"
    root.mkdir()
    box.git("init", "-q", cwd=root)
    for day, name in ((5, "a"), (25, "b"), (15, "c")):
        box.pages(root, {f"user_{name}.md": NOTE.format(name)})
        commit(box, root, name, day)
    return root


def touch(root, day):
    """Give all files one time, as a checkout does."""
    for path in (root / ".abcd" / "memory").iterdir():
        os.utime(path, (day * DAY, day * DAY))


def test_the_last_commit_counts_whatever_the_file_says(box, root):
    touch(root, 30)
    assert names(box, root, "needle") == ["b", "c", "a"]
    touch(root, 20000)
    assert names(box, root, "needle") == ["b", "c", "a"]


def test_a_clone_ranks_as_the_original_does(box, root):
    box.pages(root, {"user_said.md": NOTE.format("said").replace("type:", "updated: 2026-08-30\ntype:"),
                     "user_history.md": NOTE.format("hist") + "\n## History\n\n- 2026-08-29: was x\n"})
    commit(box, root, "d", 26)
    wanted = results(box, root, "needle", limit=99, explain=True, no_record=False)
    assert [row["name"] for row in wanted] == ["said", "hist", "b", "c", "a"]
    for number, options in enumerate(([], ["--no-local"], ["--bare"])):
        clone = box.tmp / f"clone{number}"
        box.git("clone", "-q", *options, root, clone, cwd=box.tmp)
        if options == ["--bare"]:
            box.git("worktree", "add", "-q", box.tmp / "tree", "main", cwd=clone)
            clone = box.tmp / "tree"
        found = results(box, clone, "needle", limit=99, explain=True)
        for row in found + wanted:
            row["path"] = row["path"].rpartition("/")[2]
        assert found == wanted


def test_a_rebuilt_sidecar_agrees_with_one_carried_on(box, root):
    recall(box, root, "needle", no_record=False)
    box.pages(root, {"user_a.md": NOTE.format("a") + "more\n"})
    commit(box, root, "e", 27)
    box.git("mv", ".abcd/memory/user_b.md", ".abcd/memory/user_z.md", cwd=root)
    commit(box, root, "renamed", 28)
    (root / "README.md").write_text("elsewhere\n")
    commit(box, root, "elsewhere", 29)
    rows = {row["name"]: row["recency_months"] for row in results(box, root, "needle", no_record=False)}
    assert rows["a"] < rows["b"] < rows["c"]
    sidecar = root / ".abcd" / ".index" / "dates.json"
    carried = json.loads(sidecar.read_text())
    sidecar.unlink()
    recall(box, root, "needle", no_record=False)
    assert json.loads(sidecar.read_text()) == carried


def test_history_that_was_rewritten_is_walked_anew(box, root):
    recall(box, root, "needle", no_record=False)
    box.git("reset", "-q", "--soft", "HEAD~2", cwd=root)
    commit(box, root, "squashed", 28)
    rows = {row["name"]: row["recency_months"] for row in results(box, root, "needle", no_record=False)}
    assert rows["b"] == rows["c"] < rows["a"]


def test_a_changed_page_has_its_files_time_until_it_is_committed(box, root):
    recall(box, root, "needle", no_record=False)
    path = box.pages(root, {"user_a.md": NOTE.format("a") + "edited\n"}) / "user_a.md"
    os.utime(path, (1780000000, 1780000000))  # May 2026
    assert names(box, root, "needle") == ["a", "b", "c"]
    box.git("checkout", "-q", ".", cwd=root)
    os.utime(path, (1780000000, 1780000000))
    assert names(box, root, "needle") == ["b", "c", "a"]


def test_an_untracked_page_has_its_files_time(box, root):
    path = box.pages(root, {"user_new.md": NOTE.format("new")}) / "user_new.md"
    os.utime(path, (1780000000, 1780000000))
    assert names(box, root, "needle") == ["new", "b", "c", "a"]
    os.utime(path, (DAY, DAY))
    assert names(box, root, "needle") == ["b", "c", "a", "new"]


def test_outside_of_git_file_times_count(box):
    store = box.user_pages({f"user_{name}.md": NOTE.format(name) for name in "ab"})
    os.utime(store / "user_a.md", (1780000000, 1780000000))
    os.utime(store / "user_b.md", (1770000000, 1770000000))
    assert names(box, box.tmp, "needle") == ["a", "b"]


def test_before_the_first_commit(box):
    root = box.tmp / "fresh"
    root.mkdir()
    box.git("init", "-q", cwd=root)
    box.pages(root, {"user_a.md": NOTE.format("a")})
    assert names(box, root, "needle", no_record=False) == ["a"]
    commit(box, root, "first", 3)
    os.utime(root / ".abcd" / "memory" / "user_a.md", (DAY, DAY))
    assert results(box, root, "needle")[0]["recency_months"] < 9


def test_a_shallow_clone_is_said(box, root):
    clone = box.tmp / "shallow"
    box.git("clone", "-q", "--depth", "1", f"file://{root}", clone, cwd=box.tmp)
    status, _, err = recall(box, clone, "needle")
    assert status == 0 and "shallow" in err and "git fetch --unshallow" in err
    box.git("fetch", "-q", "--unshallow", cwd=clone)
    status, _, err = recall(box, clone, "needle")
    assert (status, err) == (0, "")
    assert names(box, clone, "needle") == ["b", "c", "a"]


def test_a_decomposed_file_name_keeps_its_date(box):
    root = box.tmp / "repo"
    root.mkdir()
    box.git("init", "-q", cwd=root)
    box.git("config", "core.precomposeunicode", "false", cwd=root)
    box.pages(root, {"user_u\u0308.md": NOTE.format("ue")})
    commit(box, root, "one", 5)
    touch(root, 1)
    row = results(box, root, "needle")[0]
    assert row["recency_months"] < 9 and os.path.exists(row["path"])


def test_a_packed_ref_and_a_detached_head(box, root):
    recall(box, root, "needle", no_record=False)
    box.git("pack-refs", "--all", cwd=root)
    assert names(box, root, "needle") == ["b", "c", "a"]
    box.git("checkout", "-q", "--detach", "HEAD~1", cwd=root)
    assert names(box, root, "needle", no_record=False) == ["b", "a"]


def test_a_sidecar_in_order_is_believed_without_git(box, root, tmp_path):
    """What a recall pays for dates when nothing changed: not even a git process."""
    box.cli("build", cwd=root)
    env = {**box.env, "PATH": str(tmp_path / "empty")}
    done = box.cli("recall", "needle", "--json", "--no-record", cwd=root, env=env)
    assert done.returncode == 0, done.stderr
    assert [row["name"] for row in json.loads(done.stdout)["results"]] == ["b", "c", "a"]


def test_without_git_file_times_count(box, root, tmp_path):
    done = box.cli("recall", "needle", "--json", "--no-record", cwd=root,
                   env={**box.env, "PATH": str(tmp_path / "empty")})
    assert done.returncode == 0 and json.loads(done.stdout)["count"] == 3


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 1, "head": 5, "cut": 0, "dates": {}, "pages": {}}',
                                  '{"version": 1, "head": "", "cut": 0, "dates": {"a": "x"}, "pages": {}}'])
def test_a_broken_sidecar_is_made_anew(box, root, text):
    recall(box, root, "needle", no_record=False)
    (root / ".abcd" / ".index" / "dates.json").write_text(text)
    assert names(box, root, "needle") == ["b", "c", "a"]
