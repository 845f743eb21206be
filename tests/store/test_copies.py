"""Copies of a page come once, and verify names them."""

import pytest

from abcd_index.scopes import Places, workspace_at
from abcd_index.store.copies import copies_of
from abcd_index.store.read import read_store

PAGE = "---\nrecall: [pgbouncer]\n---\n# PgBouncer\n\nDrops prepared statements in transaction mode.\n"
LONG = PAGE + "It hands every statement to another connection. " * 12


@pytest.mark.parametrize("name", [
    "pgbouncer (conflicted copy 2026-09-01).md", "pgbouncer.sync-conflict-20260901-101500-ABCDEF.md", "Copy of pgbouncer.md",
    "pgbouncer 2.md", "pgbouncer-backup.md", "PgBouncer.old.md", "backup_pgbouncer.md"])
def test_a_file_named_after_another_with_its_text_is_its_copy(name):
    assert copies_of([(name, 80, "h"), ("pgbouncer.md", 80, "h")]) == {name: "pgbouncer.md"}


@pytest.mark.parametrize("names", [
    ("note_1.md", "note_10.md"), ("a.md", "b.md"), ("auth.md", "author.md"), ("Alpha.md", "alpha.md")])
def test_short_texts_of_unlike_names_are_pages_of_their_own(names):
    assert copies_of([(name, 80, "h") for name in names]) == {}


def test_long_texts_are_copies_under_any_name():
    assert copies_of([("b.md", 600, "h"), ("aa.md", 600, "h"), ("c.md", 600, "i")]) == {"aa.md": "b.md"}


def test_a_copy_of_a_copy_leads_to_the_page():
    names = ["x.md", "x 2.md", "x 2 (conflict).md"]
    assert copies_of([(name, 9, "h") for name in names]) == {"x 2.md": "x.md", "x 2 (conflict).md": "x.md"}


def ask(sandbox, root, session):
    return sandbox.context({"session_id": session, "cwd": str(root), "prompt": "pgbouncer?", "hook_event_name": "UserPromptSubmit"})


def test_the_page_comes_once_and_verify_names_the_copy(sandbox):
    root = sandbox.repo(pages={"pgbouncer.md": PAGE, "pgbouncer 2.md": PAGE, "backup of it.md": LONG, "other.md": LONG})
    sandbox.cli("build", cwd=root)
    text = ask(sandbox, root, "s")
    assert text.count("pgbouncer.md") == 1 and "pgbouncer 2" not in text
    assert "other.md" in text and "backup" not in text
    done = sandbox.cli("verify", cwd=root, check=False)
    assert "[page-copy] the same text as `pgbouncer.md`" in done.stdout and "[page-copy] the same text as `other.md`" in done.stdout
    assert "2 left out" in done.stdout and "artefact current" in done.stdout
    store = read_store(workspace_at(str(root), Places(sandbox.env)))
    assert [page.name for page in store.pages] == ["other.md", "pgbouncer.md"]
    assert store.left_out == ("backup of it.md", "pgbouncer 2.md")


def test_a_copy_that_appears_or_is_edited_is_noticed_by_the_next_build(sandbox):
    root = sandbox.repo(pages={"pgbouncer.md": PAGE, "redis.md": "---\nrecall: [redis]\n---\nx\n"})
    sandbox.cli("build", cwd=root)
    sandbox.pages(root, {"pgbouncer 2.md": PAGE})
    sandbox.cli("build", cwd=root)
    assert "pgbouncer 2.md" not in ask(sandbox, root, "a")
    sandbox.pages(root, {"pgbouncer 2.md": PAGE + "Edited.\n"})
    sandbox.cli("build", cwd=root)
    assert "pgbouncer 2.md" in ask(sandbox, root, "b")
    (root / ".abcd" / "memory" / "pgbouncer.md").unlink()
    sandbox.pages(root, {"pgbouncer 2.md": PAGE})
    sandbox.cli("build", cwd=root)
    assert "pgbouncer 2.md" in ask(sandbox, root, "c")
