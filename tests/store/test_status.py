"""The status of a decision record names the newer one, in the forms in which people keep it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abcd_index.store.links import Links, newer
from abcd_index.store.page import read_page
from abcd_index.store.records import Page
from abcd_index.store.status import status_links


def links_of(text):
    page, findings = read_page("0002-use-mysql.md", text.encode())
    assert findings == []
    return page.supersedes, page.superseded_by


@pytest.mark.parametrize("text, wanted", [
    ("---\nstatus: superseded by ADR-0003\n---\n# Use MySQL\n", ((), ("ADR-0003",))),
    ("---\nstatus: \"superseded by [ADR-0003](0003-use-postgres.md)\"\n---\n# Use MySQL\n", ((), ("0003-use-postgres.md",))),
    ("# Use MySQL\n\n* Status: superseded by [ADR-0003](../adr/0003-use-postgres.md)\n* Date: 2026-01-01\n", ((), ("0003-use-postgres.md",))),
    ("# 2. Use MySQL\n\nDate: 2026-01-01\n\n## Status\n\nAccepted\n\nSuperseded by [3. Use Postgres](0003-use-postgres.md#decision)\n\n"
     "## Context\n\nIt was superseded by 9.\n", ((), ("0003-use-postgres.md",))),
    ("# 2. Use MySQL\n\n## Status\n\nSupersedes 1 and [[0000-old]], superseded by ADR 3.\n", (("1", "[[0000-old]]"), ("ADR 3",))),
    ("---\nsuperseded_by: adr-3\n---\n# Use MySQL\n", ((), ("adr-3",))),
    ("---\nsuperseded_by: null\nstatus: accepted\n---\n# Use MySQL\n", ((), ())),
    ("# Use MySQL\n\nMost of this was superseded by ADR-3 in our talks.\n", ((), ())),
    ("---\nstatus: superseded\n---\n# Use MySQL\n", ((), ())),
])
def test_what_a_status_says(text, wanted):
    assert links_of(text) == wanted


@pytest.mark.parametrize("link, wanted", [
    ("ADR-0003", "0003-use-postgres.md"), ("adr 3", "0003-use-postgres.md"), ("3", "0003-use-postgres.md"), ("#3", "0003-use-postgres.md"),
    ("ADR-7", "redis.md"), ("ADR-4", None), ("ADR-5", None), ("30", None), ("ADR-2026", None)])
def test_a_number_means_the_one_record_that_begins_with_it(link, wanted):
    pages = [Page(name, name) for name in ("0003-use-postgres.md", "adr-0004-a.md", "0004-b.md", "5days.md")] + [Page("redis.md", "", ident="adr-7")]
    assert Links(pages).resolve(link) == wanted


def test_the_older_record_is_marked():
    pages = [read_page(name, text.encode())[0] for name, text in {
        "0002-use-mysql.md": "# 2. Use MySQL\n\n## Status\n\nSuperseded by ADR-3\n", "0003-use-postgres.md": "# 3. Use Postgres\n"}.items()]
    assert newer(pages) == ({"0002-use-mysql.md": "0003-use-postgres.md"}, [])


def test_the_hook_marks_the_superseded_record(sandbox):
    root = sandbox.repo(pages={
        "0002-use-mysql.md": "---\nstatus: superseded by ADR-0003\nrecall: [database engine]\n---\n# Use MySQL\n\nMySQL it is.\n",
        "0003-use-postgres.md": "---\nstatus: accepted\nrecall: [database engine]\n---\n# Use Postgres\n\nPostgres it is.\n"})
    sandbox.cli("build", cwd=root)
    text = sandbox.context({"session_id": "s", "cwd": str(root), "hook_event_name": "UserPromptSubmit",
                            "prompt": "which database engine do we use?"})
    assert "Postgres it is." in text and "a newer page speaks against it: 0003-use-postgres.md" in text


@given(st.text(), st.text(alphabet="# Statusupersededby:[]()\n-*ADR0123", max_size=80))
def test_any_text_has_a_status(status, body):
    status_links(status, body)
    status_links("superseded by " + status, "## Status\n\nsuperseded by " + body)
