"""`recall TERMS` over a real store: ranking, filters, flags, what is counted, what is written."""

import json
import os
import subprocess
import sys
from hashlib import sha256

import pytest
from stores import NOW, PAGES, audit, names, recall, results

from abcd_index.errors import AbcdError, Forbidden
from abcd_index.search import usage
from abcd_index.search.rank import Query

DAY = 86400


@pytest.fixture(autouse=True)
def long_ago(sandbox):
    """Commits are older than what the pages say of themselves."""
    sandbox.env.update(GIT_AUTHOR_DATE="2020-01-01T00:00:00Z", GIT_COMMITTER_DATE="2020-01-01T00:00:00Z")


@pytest.fixture
def root(sandbox):
    return sandbox.repo(pages=PAGES)


def index(root):
    return root / ".abcd" / ".index"


def recalls(sandbox, home):
    """Where the usage of a store is counted."""
    return str(sandbox.user / ".index" / "recalls" / sha256(os.fsencode(str(home / "memory"))).hexdigest()[:32])


def test_the_best_page_first_and_only_pages_that_match(sandbox, root):
    assert names(sandbox, root, "commit", "git") == ["commit-style", "release-train", "editor_setup"]


def test_every_score_is_the_documented_sum(sandbox, root):
    rows = {row["name"]: row["score"] for row in results(sandbox, root, "commit", "git")}
    # name 5 + description 3 + body 3 for commit, description 3 for git; feedback; touched today
    assert rows["commit-style"] == pytest.approx((14 + 1.0) * 1.5)
    # body 1 + 1; project; untouched for 92 days
    assert rows["release-train"] == pytest.approx((2 + 0.5) * (1.5 - 92 / 30.4375 / 6), abs=1e-4)
    # body 1; user; untouched for 184 days: the floor
    assert rows["editor_setup"] == pytest.approx((1 + 0.75) * 0.5)


def test_an_abcd_page_has_slug_and_title_as_its_name_and_its_catalogue_summary_as_description(sandbox, root):
    row = results(sandbox, root, "redirects", explain=True)[0]
    assert (row["name"], row["type"]) == ("login", "pitfall")
    assert row["description"] == "Login redirects twice after expiry"
    assert row["breakdown"]["terms"] == [{"term": "redirects", "name": 5, "description": 3, "body": 2}]


def test_a_page_of_the_agent_dialect_has_its_own_name_only(sandbox):
    page = "---\nname: alpha\ndescription: d\ntype: user\nupdated: 2026-09-01\n---\n# Beta heading\n"
    root = sandbox.repo(pages={"user_x.md": page})
    assert results(sandbox, root, "beta", explain=True)[0]["breakdown"]["terms"][0]["name"] == 0
    assert results(sandbox, root, "alpha", explain=True)[0]["breakdown"]["terms"][0]["name"] == 5


def test_a_prior_orders_but_never_surfaces(sandbox, root):
    assert "commit-style" not in names(sandbox, root, "vim")


def test_catalogue_readme_and_log_are_never_results(sandbox, root):
    assert {row["path"].rpartition("/")[2] for row in results(sandbox, root, "commit", limit=99, min_score=0)} == {
        "feedback_commits.md", "project_release.md", "user_editor.md"}


def test_the_usage_sidecar_is_never_a_result(sandbox, root):
    recall(sandbox, root, "commit", no_record=False)
    assert names(sandbox, root, "recall-stats", "json", "12345", min_score=0) == []


def test_a_type_filter_keeps_only_that_type(sandbox, root):
    assert names(sandbox, root, "commit", types=["user"]) == ["editor_setup"]


def test_the_type_filter_is_repeatable_and_ignores_case(sandbox, root):
    assert names(sandbox, root, "commit", types=["USER", "feedback"]) == ["commit-style", "editor_setup"]


def test_a_bare_type_browses_by_recency_and_usage(sandbox, root):
    sandbox.pages(root, {"feedback_new.md": "---\nname: newer\ndescription: d\ntype: feedback\nupdated: 2026-08-31\n---\nx\n",
                     "feedback_old.md": "---\nname: older\ndescription: d\ntype: feedback\nupdated: 2026-01-01\n---\nx\n"})
    for name in ("feedback_new.md", "feedback_old.md"):
        os.utime(root / ".abcd" / "memory" / name, (0, 0))  # not committed: their own time counts
    assert names(sandbox, root, types=["feedback"]) == ["commit-style", "newer", "older"]
    for _ in range(7):
        usage.record(recalls(sandbox, root / ".abcd"), ["feedback_old.md"])
    assert names(sandbox, root, types=["feedback"]) == ["older", "commit-style", "newer"]


def test_a_stale_page_sinks_but_does_not_vanish(sandbox, root):
    row = results(sandbox, root, "ports")[0]
    assert row["score"] == pytest.approx((5 + 0 + 0.25) * 0.5)  # `port` is in the description, `ports` is not


def test_stale_months_stretches_the_span(sandbox, root):
    long, short = (results(sandbox, root, "release", stale_months=span)[0]["score"] for span in (24, 3))
    assert long > short


def test_a_bad_span_is_refused(sandbox, root):
    with pytest.raises(AbcdError, match="--stale-months"):
        recall(sandbox, root, "x", stale_months=0)


def test_limit(sandbox, root):
    assert len(results(sandbox, root, "commit", limit=1)) == 1
    assert results(sandbox, root, "commit", limit=0) == []


def test_the_defaults_are_the_documented_ones():
    asked = Query(["x"])
    assert (asked.limit, asked.threshold, asked.stale_months, asked.ranking) == (5, 0.5, 6.0, "signal")


def test_min_score(sandbox, root):
    assert names(sandbox, root, "commit", min_score=2) == ["commit-style"]


def test_a_leading_query_is_part_of_the_command(sandbox, root):
    assert names(sandbox, root, "query", "commit", "git") == names(sandbox, root, "commit", "git")


def test_a_quoted_phrase_is_one_term(sandbox, root):
    assert names(sandbox, root, "vim keys") == ["editor_setup"]
    status, out, err = recall(sandbox, root, "keys vim")
    assert (status, "No page matches keys vim" in out, "without quotes" in err) == (0, True, True)


def test_since_keeps_what_was_touched_later(sandbox, root):
    assert names(sandbox, root, "commit", since="2026-05-01") == ["commit-style", "release-train"]
    assert names(sandbox, root, since="40d") == ["commit-style", "login"]


def test_nothing_to_look_for(sandbox, root):
    status, out, err = recall(sandbox, root)
    assert (status, out) == (2, "") and "nothing to look for" in err


def test_no_match_is_no_error(sandbox, root):
    status, out, _ = recall(sandbox, root, "kubernetes")
    assert (status, out) == (0, "No page matches kubernetes (5 pages asked).\n")


def test_json_has_the_documented_keys_and_no_others(sandbox, root):
    _, out, _ = recall(sandbox, root, "commit", as_json=True)
    found = json.loads(out)
    assert sorted(found) == ["count", "dirs", "results", "terms"]
    assert found["terms"] == ["commit"] and found["count"] == 3
    assert found["dirs"] == [str(root / ".abcd" / "memory")]
    for row in found["results"]:
        assert sorted(row) == ["description", "name", "path", "recency_months", "score", "snippet", "type",
                               "usage_count"]
        assert os.path.isfile(row["path"])


def test_json_without_a_match(sandbox, root):
    _, out, _ = recall(sandbox, root, "kubernetes", as_json=True)
    assert json.loads(out)["results"] == [] and json.loads(out)["count"] == 0


def test_explain_adds_the_breakdown_and_it_adds_up(sandbox, root):
    for row in results(sandbox, root, "commit", "git", explain=True):
        sums = row["breakdown"]
        keyword = sum(term["name"] + term["description"] + term["body"] for term in sums["terms"])
        assert keyword == sums["keyword"]
        total = (sums["keyword"] + sums["type_prior"] + sums["usage_boost"]) * sums["recency_factor"]
        assert row["score"] == pytest.approx(total, abs=1e-3)


def test_each_recall_counts_for_the_pages_it_surfaced(sandbox, root):
    recall(sandbox, root, "vim", no_record=False)
    recall(sandbox, root, "vim", no_record=False)
    row = results(sandbox, root, "vim", explain=True)[0]
    assert row["usage_count"] == 2
    assert row["breakdown"]["usage_boost"] == pytest.approx(0.7925, abs=1e-4)
    assert usage.counts(recalls(sandbox, root / ".abcd")) == {"user_editor.md": 2}


def test_pages_beyond_the_limit_are_not_counted(sandbox, root):
    recall(sandbox, root, "commit", limit=1, no_record=False)
    assert usage.counts(recalls(sandbox, root / ".abcd")) == {"feedback_commits.md": 1}


def test_no_record_writes_nothing(sandbox, root):
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*") if ".git" not in path.parts}
    recall(sandbox, root, "commit")
    recall(sandbox, root, "commit", ranking="bm25f")
    audit(sandbox, root)
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*") if ".git" not in path.parts} == before
    assert not sandbox.user.exists()


def test_recall_never_touches_a_page(sandbox, root):
    store = root / ".abcd" / "memory"
    before = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in store.iterdir()}
    recall(sandbox, root, "commit", no_record=False)
    assert {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in store.iterdir()} == before


def test_an_edited_page_is_found_at_once(sandbox, root):
    recall(sandbox, root, "commit", no_record=False)
    sandbox.pages(root, {"user_editor.md": PAGES["user_editor.md"] + "\nNow also emacs.\n"})
    assert names(sandbox, root, "emacs") == ["editor_setup"]  # without writing
    assert names(sandbox, root, "emacs", no_record=False) == ["editor_setup"]
    (root / ".abcd" / "memory" / "user_editor.md").unlink()
    assert names(sandbox, root, "emacs", no_record=False) == []


def test_the_user_scope_is_asked_too(sandbox, root):
    sandbox.user_pages({"user_tone.md": "---\nname: tone\ndescription: Terse commit prose\ntype: user\n---\nx\n"})
    assert "tone" in names(sandbox, root, "commit")
    assert names(sandbox, root, "commit", scope="user") == ["tone"]
    recall(sandbox, root, "terse", no_record=False)
    assert usage.counts(recalls(sandbox, sandbox.user)) == {"user_tone.md": 1}
    assert usage.counts(recalls(sandbox, root / ".abcd")) == {}


def test_another_project_by_its_root(sandbox, root):
    assert names(sandbox, sandbox.tmp, "vim", root=str(root)) == ["editor_setup"]


def test_bm25f_finds_other_forms_of_a_word(sandbox, root):
    assert names(sandbox, root, "committing", ranking="bm25f")[0] == "commit-style"
    assert names(sandbox, root, "committing") == []


def test_bm25f_explains_each_addend(sandbox, root):
    row = results(sandbox, root, "gateway", "listens", ranking="bm25f", explain=True)[0]
    rows = row["breakdown"]["terms"]
    assert [one["term"] for one in rows] == ["gateway", "listens", "gateway listens"]
    assert row["score"] == pytest.approx(sum(one["text"] + one["title"] for one in rows), abs=1e-3)


def test_bm25f_of_stop_words_alone_finds_nothing(sandbox, root):
    assert names(sandbox, root, "how", "to", ranking="bm25f") == []


def test_a_folder_of_pages_without_an_index(sandbox, root):
    folder = sandbox.tmp / "elsewhere"
    folder.mkdir()
    for name in ("user_editor.md", "index.md"):
        (folder / name).write_text(PAGES[name])
    before = sorted(path.name for path in sandbox.tmp.rglob("elsewhere*/**/*"))
    row = results(sandbox, sandbox.tmp, "vim", memory_dir=str(folder), no_record=False)[0]
    assert (row["name"], row["path"]) == ("editor_setup", str(folder / "user_editor.md"))
    assert results(sandbox, sandbox.tmp, "vim", memory_dir=str(folder))[0]["usage_count"] == 1
    assert sorted(path.name for path in sandbox.tmp.rglob("elsewhere*/**/*")) == before
    assert sorted(path.name for path in folder.iterdir()) == ["index.md", "user_editor.md"]


def test_a_folder_that_is_a_store_uses_its_index(sandbox, root):
    recall(sandbox, root, "vim", no_record=False)
    row = results(sandbox, sandbox.tmp, "vim", memory_dir=str(root / ".abcd" / "memory"))[0]
    assert row["usage_count"] == 1


def test_a_folder_that_is_none(sandbox, root):
    with pytest.raises(AbcdError, match="not a folder"):
        recall(sandbox, root, "x", memory_dir=str(sandbox.tmp / "nowhere"))


def test_recalls_at_once_are_all_counted(sandbox, root):
    sandbox.cli("build", cwd=root)
    running = [subprocess.Popen([sys.executable, "-m", "abcd_index", "recall", "vim"], cwd=root, env=sandbox.env,
                                stdout=subprocess.DEVNULL) for _ in range(6)]
    assert [one.wait() for one in running] == [0] * 6
    assert usage.counts(recalls(sandbox, root / ".abcd")) == {"user_editor.md": 6}


def test_a_workspace_with_rules_and_no_pages(sandbox):
    root = sandbox.repo()
    (root / ".abcd").mkdir()
    (root / ".abcd" / "rules.json").write_text('{"schema_version": 1, "domains": {}}')
    assert recall(sandbox, root, "vim") == (0, "No page matches vim (0 pages asked).\n", "")


def test_a_read_only_index_still_answers(sandbox, root):
    index(root).parent.chmod(0o555)
    try:
        assert names(sandbox, root, "vim", no_record=False) == ["editor_setup"]
    finally:
        index(root).parent.chmod(0o755)


@pytest.mark.parametrize("way", ["direct", "link"])
def test_a_folder_under_claude_is_refused_with_the_way_out(sandbox, root, way):
    store = sandbox.home / ".claude" / "projects" / "x" / "memory"
    store.mkdir(parents=True)
    (store / "user_editor.md").write_text(PAGES["user_editor.md"])
    if way == "link":
        (sandbox.tmp / "link").symlink_to(store)
        store = sandbox.tmp / "link"
    with pytest.raises(Forbidden) as refused:
        recall(sandbox, root, "vim", memory_dir=str(store))
    assert ".claude" in str(refused.value) and "copy" in refused.value.hint
    done = sandbox.cli("recall", "vim", "--memory-dir", store, cwd=root)
    assert (done.returncode, done.stdout) == (2, "") and "hint: " in done.stderr and "copy" in done.stderr


def test_all_asks_every_workspace_that_was_built(sandbox, root):
    other = sandbox.repo("other", {"project_x.md": "---\nname: other-x\ndescription: vim too\ntype: project\n---\nx\n"})
    for one in (root, other):
        assert sandbox.cli("build", cwd=one).returncode == 0
    assert sorted(names(sandbox, sandbox.tmp, "vim", everywhere=True)) == ["editor_setup", "other-x"]


def test_all_skips_and_forgets_workspaces_that_are_gone(sandbox, root):
    other = sandbox.repo("other", {"project_x.md": "---\nname: other-x\ndescription: vim too\ntype: project\n---\nx\n"})
    for one in (root, other):
        sandbox.cli("build", cwd=one)
    other.rename(sandbox.tmp / "moved")
    registry = sandbox.user / ".index" / "workspaces.jsonl"
    assert names(sandbox, sandbox.tmp, "vim", everywhere=True) == ["editor_setup"]
    assert str(other) in registry.read_text()  # nothing is written without a record
    _, _, err = recall(sandbox, sandbox.tmp, "vim", everywhere=True, no_record=False)
    assert "1 workspace that no longer exists forgotten" in err
    assert str(other) not in registry.read_text() and str(root) in registry.read_text()


def test_all_with_nothing_built_yet(sandbox):
    with pytest.raises(AbcdError, match="no workspace was built"):
        recall(sandbox, sandbox.tmp, "x", everywhere=True)


def test_a_superseded_page_says_so(sandbox):
    root = sandbox.repo(pages={
        "user_old.md": "---\nname: old\ndescription: tabs\ntype: user\n---\ntabs\n",
        "user_new.md": "---\nname: new\ndescription: spaces not tabs\ntype: user\nsupersedes: [old]\n---\nspaces\n"})
    _, out, _ = recall(sandbox, root, "tabs")
    shown = {block.split()[0]: block for block in out.split("\n\n")}
    assert "superseded or contradicted by user_new.md" in shown["old"]
    assert "superseded" not in shown["new"]


def test_a_page_cannot_drive_the_terminal(sandbox):
    root = sandbox.repo(pages={"user_x.md": "---\nname: x\ndescription: d\ntype: user\n---\nneedle \x1b[2J\u202e end\n"})
    _, out, _ = recall(sandbox, root, "needle")
    assert "\x1b" not in out and "\u202e" not in out and "\\x1b[2J" in out


def test_the_same_question_gets_the_same_answer(sandbox, root):
    assert recall(sandbox, root, "commit", "git", explain=True) == recall(sandbox, root, "commit", "git", explain=True)


def test_equal_scores_fall_by_date_and_then_by_name(sandbox):
    page = "---\nname: same-{0}\ndescription: d\ntype: user\nupdated: 2026-0{1}-01\n---\nneedle\n"
    root = sandbox.repo(pages={f"user_{one}.md": page.format(one, month) for one, month in
                           (("c", 1), ("a", 1), ("b", 2))})
    assert names(sandbox, root, "needle", now=NOW + 900 * DAY) == ["same-b", "same-a", "same-c"]
