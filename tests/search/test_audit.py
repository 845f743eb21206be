"""Upkeep: what is fresh, stale, dead, superseded or never asked for; each with its line and the way out."""

import json

import pytest
from stores import PAGES, audit, recall

from abcd_index.search.references import references

PAGE = "---\nname: {0}\ndescription: d\ntype: project\nupdated: 2026-08-30\n{2}---\n{1}\n"


@pytest.fixture(autouse=True)
def long_ago(sandbox):
    sandbox.env.update(GIT_AUTHOR_DATE="2020-01-01T00:00:00Z", GIT_COMMITTER_DATE="2020-01-01T00:00:00Z")


def repository(sandbox, body, extra="", **more):
    """A repository whose history had a few files that are gone, and one page about them."""
    root = sandbox.repo(pages={"project_x.md": PAGE.format("x", body, extra), **more})
    for name in ("src/auth/router.py", "src/kept.py", "old/deep/tool.py", "Makefile.old"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"# {name}\n" * 20)
    sandbox.git("add", "-A", cwd=root)
    sandbox.git("commit", "-qm", "two", cwd=root)
    sandbox.git("mv", "src/auth/router.py", "src/auth/routes.py", cwd=root)
    sandbox.git("rm", "-q", "old/deep/tool.py", cwd=root)
    sandbox.git("commit", "-qm", "three", cwd=root)
    return root


def remarks(sandbox, root, file="project_x.md", **options):
    """[(kind, line, message)] of one page."""
    _, out, _ = audit(sandbox, root, as_json=True, **options)
    page = next(page for page in json.loads(out)["pages"] if page["path"].endswith(file))
    return [(one["kind"], one["line"], one["message"]) for one in page["remarks"]]


@pytest.mark.parametrize("text", [
    "see old/deep/tool.py", "see `old/deep/tool.py`", "run `python old/deep/tool.py --all`", "(old/deep/tool.py:12)",
    "`old/deep/tool.py::main`", "old/deep/tool.py#L3", "deep/tool.py", "tool.py", "./old/deep/tool.py.",
    "```sh\npython old/deep/tool.py\n```", "[the tool](../../old/deep/tool.py)", "[the tool](/old/deep/tool.py)"])
def test_a_path_that_git_knew_and_that_is_gone(sandbox, text):
    found = remarks(sandbox, repository(sandbox, text))
    assert [kind for kind, _, _ in found] == ["dead reference"]
    assert "old/deep/tool.py" in found[0][2] and "was removed in" in found[0][2]


@pytest.mark.parametrize("text", [
    "src/kept.py", "`kept.py`", "[x](../../src/kept.py)", "src/auth/routes.py", "src/auth",
    "never/was/here.py", "`example.py`", "https://example.org/old/deep/tool.py", "[x](https://example.org/gone)",
    "[x](#heading)", "[x](mailto:a@example.org)", "mytool.py", "tool.pyc", "other/tool.py.txt", "[[x]]",
    "`[x](nowhere.md)`", "```\n[x](nowhere.md) [[nowhere]]\n```", "![shot](nowhere.png)", "router.pyx",
    "## History\n\n- moved from old/deep/tool.py\n- [[nowhere]]\n", "README.md"])
def test_what_is_there_or_never_was_is_no_finding(sandbox, text):
    assert remarks(sandbox, repository(sandbox, text)) == []


def test_a_moved_file_is_told_with_its_new_path(sandbox):
    root = repository(sandbox, "see src/auth/router.py")
    sandbox.git("mv", "src/auth/routes.py", "src/auth/paths.py", cwd=root)
    sandbox.git("commit", "-qm", "four", cwd=root)
    commit = sandbox.git("rev-parse", "--short", "HEAD~1", cwd=root).stdout.strip()
    assert remarks(sandbox, root)[0][2] == f"src/auth/router.py was moved to src/auth/paths.py in {commit} (2020-01-01)"


def test_a_file_that_came_back_is_alive(sandbox):
    root = repository(sandbox, "see old/deep/tool.py")
    sandbox.git("revert", "--no-edit", "HEAD", cwd=root)
    assert remarks(sandbox, root) == []


def test_a_link_that_leads_nowhere_is_dead_even_if_git_never_knew_it(sandbox):
    assert remarks(sandbox, repository(sandbox, "\n[x](nowhere.md)"))[0] == (
        "dead reference", 8, "the link to nowhere.md leads nowhere")


def test_links_between_pages_go_by_name_too(sandbox):
    other = PAGE.format("other-name", "x", "")
    root = repository(sandbox, "[[other-name]] [[project_y]] [[Other_Name|shown]] [y](project_y.md) [[gone]]",
                      **{"project_y.md": other})
    assert [message for _, _, message in remarks(sandbox, root)] == ["no page answers to [[gone]]"]


def test_lines_are_the_files_own(sandbox):
    assert [line for _, line, _ in remarks(sandbox, repository(sandbox, "one\n\n[[gone]]\n"))] == [9]


def test_a_history_section_ends_at_the_next_heading():
    body = "## History\nold/a.py\n### more\nold/b.py\n## Now\nsee new/c.py\n"
    assert [one.target for one in references(body)] == ["new/c.py"]


def test_grades(sandbox):
    root = sandbox.repo(pages={**PAGES, "project_dead.md": PAGE.format("dead", "[[gone]]", "")})
    status, out, _ = audit(sandbox, root, as_json=True)
    found = {page["name"]: page["grade"] for page in json.loads(out)["pages"]}
    assert status == 1
    assert found == {"commit-style": "fresh", "login": "fresh", "release-train": "fresh", "dead": "dead reference",
                     "service-ports": "stale", "editor_setup": "stale"}


def test_the_span_and_the_type_are_settable(sandbox):
    root = sandbox.repo(pages=PAGES)
    _, out, _ = audit(sandbox, root, as_json=True, stale_months=24, types=["user", "Reference"])
    assert json.loads(out)["grades"] == {"fresh": 2, "stale": 0, "dead reference": 0}


def test_a_store_in_order_exits_0(sandbox):
    root = sandbox.repo(pages={"feedback_commits.md": PAGES["feedback_commits.md"]})
    status, out, _ = audit(sandbox, root)
    assert (status, out) == (0, "1 page: 1 fresh, 0 stale, 0 dead reference\n")


def test_never_recalled_counts_from_the_first_recall_on(sandbox):
    root = sandbox.repo(pages={name: PAGES[name] for name in ("feedback_commits.md", "pitfall_auth_login.md")})
    status, out, err = audit(sandbox, root)
    assert "never recalled:" not in out and "no recall was recorded" in err
    recall(sandbox, root, "login", no_record=False)
    status, out, err = audit(sandbox, root)
    assert status == 0  # nobody's fault
    assert "feedback_commits.md: never recalled" in out and "pitfall_auth_login.md:" not in out
    assert err == ""


@pytest.mark.parametrize("old, new", [
    ("", "supersedes: [x]\n"), ("", "contradicts: [project_x.md]\n"), ("superseded_by: y\n", "")])
def test_a_superseded_page_names_its_successor(sandbox, old, new):
    root = sandbox.repo(pages={"project_x.md": PAGE.format("x", "b", old), "project_y.md": PAGE.format("y", "b", new).replace(
        "08-30", "08-31")})
    found = remarks(sandbox, root)
    assert [kind for kind, _, _ in found] == ["superseded"] and "project_y.md" in found[0][2]
    assert remarks(sandbox, root, "project_y.md") == []


def test_two_pages_that_contradict_each_other_and_do_not_say_which_holds(sandbox):
    root = sandbox.repo(pages={"project_x.md": PAGE.format("x", "b", "contradicts: [y]\n"),
                           "project_y.md": PAGE.format("y", "b", "contradicts: [x]\n")})
    assert remarks(sandbox, root) == [
        ("contradicts", 6, "it contradicts project_y.md, and nothing says which one holds")]
    assert audit(sandbox, root)[0] == 1


def test_outside_of_git_paths_are_not_checked_and_that_is_said(sandbox):
    folder = sandbox.tmp / "plain"
    folder.mkdir()
    (folder / "user_x.md").write_text(PAGE.format("x", "old/deep/tool.py [[gone]] [y](nowhere.md)", ""))
    status, out, err = audit(sandbox, sandbox.tmp, memory_dir=str(folder))
    assert status == 1 and "[[gone]]" in out and "tool.py" not in out
    assert "no git repository" in err


def test_an_audit_counts_as_no_recall(sandbox):
    root = sandbox.repo(pages=PAGES)
    audit(sandbox, root, no_record=False)
    assert not list((root / ".abcd" / ".index").glob("recall-*"))
