"""Every git operation, in a plain repository, a linked worktree, a submodule and from a sub-directory.

After each: is the artefact the one of the pages on disk, or is it rightly known to be stale; and are git's
status, its output, the commits, the index and the configuration what they are without us.
"""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import pytest
from git_repositories import page, template  # noqa: F401

CURRENT, STALE = "current", "stale"


def commit(g):
    g.commit("new page", "new")


def commit_all(g):
    g.write("a", "changed")
    g.git("commit", "-qam", "a")


def commit_deleting(g):
    g.git("rm", "-q", ":/.abcd/memory/b.md")
    g.git("commit", "-qm", "b goes")


def commit_named(g):
    g.write("a", "changed")
    g.write("b", "changed too")
    g.git("commit", "-qm", "only a", "--", ":/.abcd/memory/a.md")


def commit_part(g):
    g.write("a", "staged")
    g.git("add", ":/.abcd/memory/a.md")
    g.write("a", "edited again")
    g.git("commit", "-qm", "the first edit")


def commit_else(g):
    g.write("a", "edited, not committed")
    (g.root / "else.txt").write_text("x")
    g.git("add", ":/else.txt")
    g.git("commit", "-qm", "something else")


def amend(g):
    g.write("a", "amended")
    g.git("commit", "-qa", "--amend", "-m", "amended")


def no_verify(g):
    g.write("a", "changed")
    g.git("commit", "-qan", "-m", "a")


def rules(g):
    (g.root / ".abcd" / "rules.json").write_text(
        '{"schema_version": 1, "domains": {"X": {"state": "active", "recall": ["x"], "rules": ["y"]}}}')
    g.git("add", "-A", ":/")
    g.git("commit", "-qm", "rules")


def settings(g):
    (g.root / ".abcd" / "config.json").write_text('{"refresh_every": 3}')
    g.git("add", "-A", ":/")
    g.git("commit", "-qm", "settings")


def checkout(g):
    g.git("checkout", "-q", "other")


def switch_new(g):
    g.write("a", "carried along")
    g.git("switch", "-q", "-c", "fresh")


def there_and_back(g):
    g.git("checkout", "-q", "other")
    g.git("checkout", "-q", "-")
    g.git("checkout", "-q", "-")
    g.git("checkout", "-q", "-")


def carried_edit(g):
    g.git("checkout", "-q", "plain")
    g.git("checkout", "-q", "-")
    g.write("b", "not committed")
    g.git("checkout", "-q", "plain")


def carried_new_page(g):
    g.git("checkout", "-q", "plain")
    g.git("checkout", "-q", "-")
    g.write("loose", "not committed")
    g.git("checkout", "-q", "plain")


def orphan(g):
    g.git("checkout", "-q", "--orphan", "empty")


def leave_unborn(g):
    g.git("checkout", "-q", "--orphan", "empty")
    g.git("checkout", "-qf", "other")


def no_store_and_back(g):
    g.git("checkout", "-q", "bare")
    g.git("checkout", "-q", "other")


def detach(g):
    g.git("checkout", "-q", "v1")


def checkout_file(g):
    g.git("checkout", "-q", "other", "--", ":/.abcd/memory/a.md")


def restore_file(g):
    g.write("a", "spoilt")
    g.git("restore", ":/.abcd/memory/a.md")


def checkout_merging(g):
    g.write("b", "local edit")
    g.git("checkout", "-q", "-m", "other")


def stash_branch(g):
    g.write("b", "parked")
    g.git("stash", "-q")
    g.git("stash", "branch", "parked")


def merge_ff(g):
    g.git("checkout", "-q", "v1")
    g.git("merge", "-q", "--ff-only", "ahead")


def merge_real(g):
    g.git("merge", "-q", "--no-edit", "other")


def merge_squash(g):
    g.git("merge", "-q", "--squash", "other", check=False)


def merge_later(g):
    g.git("merge", "-q", "--no-commit", "--no-ff", "other")
    g.git("commit", "-qm", "merged")


def conflict_then_commit(g):
    g.git("merge", "-q", "--no-edit", "other")
    g.git("merge", "-q", "--no-edit", "clash", check=False)
    g.write("a", "settled")
    g.git("add", "-A", ":/")
    g.git("commit", "-qm", "settled")


def pull_ff(g):
    g.git("checkout", "-q", "-B", "follow", "v1")
    g.git("branch", "-q", "--set-upstream-to=origin/ahead")
    g.git("pull", "-q")


def pull_merge(g):
    g.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "ahead")


def pull_rebase(g):
    g.git("pull", "-q", "--rebase", "origin", "ahead")


def cherry_pick(g):
    g.git("cherry-pick", "other")


def cherry_pick_range(g):
    g.git("cherry-pick", "v1..feature")


def revert(g):
    g.git("cherry-pick", "other")
    g.git("revert", "--no-edit", "HEAD")


def rebase(g):
    g.git("checkout", "-q", "feature")
    g.git("rebase", "-q", "other")


def rebase_apply(g):
    g.git("checkout", "-q", "feature")
    g.git("rebase", "-q", "--apply", "other")


def rebase_ff(g):
    g.git("checkout", "-q", "-b", "late", "v1")
    g.git("rebase", "-q", "ahead")


def rebase_interactive(g):
    g.git("checkout", "-q", "feature")
    g.git("rebase", "-q", "-i", "other",
          GIT_SEQUENCE_EDITOR="sed -i.orig -e 2s/pick/squash/ -e 3s/pick/reword/", GIT_EDITOR="true")


def rebase_conflict(g):
    g.git("checkout", "-q", "clash")
    g.git("rebase", "-q", "other", check=False)
    g.write("a", "settled")
    g.git("add", "-A", ":/")
    g.git("rebase", "--continue", GIT_EDITOR="true")


def rebase_skip(g):
    g.git("checkout", "-q", "clash")
    g.git("rebase", "-q", "other", check=False)
    g.git("rebase", "--skip")


def bisect(g):
    g.git("bisect", "start")
    g.git("bisect", "bad", "feature")
    g.git("bisect", "good", "v1")
    g.git("bisect", "reset")


def separate_commands(g):
    g.git("checkout", "-q", "other")
    g.git("commit", "-q", "--allow-empty", "-m", "nothing")
    g.git("tag", "t")
    g.git("gc", "-q")


CURRENT_AFTER = [
    commit, commit_all, commit_deleting, commit_named, commit_part, commit_else, amend, no_verify, rules, settings,
    checkout, switch_new, there_and_back, carried_edit, carried_new_page, orphan, leave_unborn, no_store_and_back,
    detach, checkout_file, restore_file, checkout_merging, merge_ff, merge_real, merge_squash, merge_later,
    conflict_then_commit, pull_ff, pull_merge, pull_rebase, cherry_pick, cherry_pick_range, revert, rebase,
    rebase_apply, rebase_ff, rebase_interactive, rebase_conflict, rebase_skip, bisect, separate_commands,
]


FROM_BELOW = [commit, commit_named, amend, checkout, there_and_back, checkout_file, merge_real, pull_rebase,
              cherry_pick, rebase, rebase_apply]


# Operations that fire no hook, or whose last change of pages comes after the last hook.

def reset_hard(g):
    g.commit("new page", "new")
    g.git("reset", "-q", "--hard", "HEAD~1")


def stash(g):
    g.write("a", "parked")
    g.git("commit", "-q", "--allow-empty", "-m", "the artefact has the edit")
    g.git("stash", "-q")


def stash_pop(g):
    g.write("a", "parked")
    g.git("stash", "-q")
    g.git("stash", "pop", "-q")


def clean(g):
    g.write("loose", "not committed")
    g.git("commit", "-q", "--allow-empty", "-m", "the artefact has the page")
    g.git("clean", "-fdq", ":/")


def rebase_abort(g):
    g.git("checkout", "-q", "clash")
    g.git("rebase", "-q", "other", check=False)
    g.git("rebase", "--abort")


def merge_abort(g):
    g.git("merge", "-q", "--no-edit", "other")
    g.git("merge", "-q", "--no-edit", "clash", check=False)
    g.git("commit", "-q", "--allow-empty", "-m", "x", check=False)
    g.git("merge", "--abort")


def pick_without_commit(g):
    g.git("cherry-pick", "-n", "other")


def apply(g):
    patch = g.sandbox.run("git", "diff", "main", "other", cwd=g.root).stdout
    g.git("apply", "--index", data=patch)


def read_tree(g):
    g.git("read-tree", "-u", "--reset", "other")


def autostash(g):
    g.git("checkout", "-q", "feature")
    g.write("b", "in the way")
    g.git("rebase", "-q", "--autostash", "other")


STALE_AFTER = [reset_hard, stash, stash_pop, clean, rebase_abort, pick_without_commit, apply, read_tree, autostash]


def both(template, tmp_path, kind, operation):
    """Run ``operation`` with and without our hooks; the Repository with them."""
    hooked = template.copy(tmp_path / "hooked", kind, True)
    twin = template.copy(tmp_path / "twin", kind, False)
    for g in (hooked, twin):
        operation(g)
    assert hooked.said == twin.said
    assert hooked.facts() == twin.facts()
    return hooked


@pytest.mark.parametrize("kind", ("plain", "linked"))
@pytest.mark.parametrize("operation", CURRENT_AFTER, ids=lambda f: f.__name__)
def test_current_after_what_fires_a_hook(template, tmp_path, kind, operation):
    g = both(template, tmp_path, kind, operation)
    assert g.state() == CURRENT


@pytest.mark.parametrize("operation", CURRENT_AFTER, ids=lambda f: f.__name__)
def test_current_in_a_submodule(template, tmp_path, operation):
    g = template.copy(tmp_path / "hooked", "submodule", True)
    operation(g)
    assert g.state() == CURRENT


@pytest.mark.parametrize("operation", FROM_BELOW, ids=lambda f: f.__name__)
def test_current_when_git_is_run_below_the_top(template, tmp_path, operation):
    g = both(template, tmp_path, "subdir", operation)
    assert g.state() == CURRENT


@pytest.mark.parametrize("operation", STALE_AFTER, ids=lambda f: f.__name__)
def test_known_to_be_stale_after_what_fires_none(template, tmp_path, operation):
    g = both(template, tmp_path, "plain", operation)
    assert g.state() == STALE
    done = g.sandbox.cli("verify", "--require-artefact", "--scope", "workspace", cwd=g.root)
    assert done.returncode == 1 and "stale" in done.stdout, done.stdout + done.stderr


def test_the_next_hook_makes_up_for_it(template, tmp_path):
    g = template.copy(tmp_path / "hooked", "plain", True)
    reset_hard(g)
    assert g.state() == STALE
    g.git("commit", "-q", "--allow-empty", "-m", "nothing")
    assert g.state() == CURRENT


def test_merge_abort_leaves_what_was(template, tmp_path):
    g = both(template, tmp_path, "plain", merge_abort)
    assert g.state() == CURRENT


def test_page_helper_makes_what_the_store_reads():
    assert page("a").startswith("---\nname: a\n")
