"""Words that brought nothing: counted where the user's own settings ask for it, and never a word more than that."""

import json
import os
import stat

import pytest

from abcd_index.agenthooks import misses
from abcd_index.search.misses import misses as counted
from tests import hooked_store
from tests.hooked_store import page

hooked = hooked_store.hooked


@pytest.fixture
def store(hooked):
    """A page that says things under other words than its keyword."""
    hooked.pages({"note_x_jobs.md": page(["queue"], "The zircon worker retries a job of quartz three times.", "Jobs"),
                  "note_x_other.md": page(["lever"], "Nothing of the kind.", "Other")})
    return hooked


def switch(hooked, text='{"misses": true}'):
    (hooked.sandbox.user / "config.json").write_text(text)


def counts(hooked):
    return counted(hooked.scopes()[0], hooked.places)


def test_rare_words_of_a_page_that_brought_nothing_are_counted(store):
    switch(store)
    assert store.quick("why is zircon red?") == "" and store.quick("zircon please, and quasar") == ""
    assert counts(store) == {"zircon": 2}
    path, = (store.sandbox.user / ".index" / "misses").iterdir()
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600 and path.read_text() == "zircon 2\n"


def test_what_brought_something_is_not_counted(store):
    switch(store)
    assert store.quick("the queue and zircon") and store.quick("zircon worker of quartz", "s2")
    assert counts(store) == {}


@pytest.mark.parametrize("config", [None, "", "{}", '{"misses": false}', '{"misses": "true"}', '["misses"]', '{"misses": true', "\xff"])
def test_nothing_is_written_unless_it_is_switched_on(store, config):
    if config is not None:
        switch(store, config)
    store.quick("why is zircon red?")
    assert not (store.sandbox.user / ".index" / "misses").exists()


def test_a_clone_cannot_switch_it_on(store):
    store.config(misses=True)
    store.quick("why is zircon red?")
    assert counts(store) == {}


def test_machine_prompts_pastes_and_everyday_words_are_not_counted(store):
    switch(store)
    for prompt in ("<task-notification>zircon</task-notification>", "```\nzircon\n```", "three times please", "12345 x"):
        store.quick(prompt)
    assert counts(store) == {}


def test_the_file_is_bounded_and_any_content_of_it_is_borne(store, monkeypatch):
    switch(store)
    store.quick("why is zircon red?")
    path, = (store.sandbox.user / ".index" / "misses").iterdir()
    path.write_bytes(b"zircon 999\nodd\n\xff\xfe 3\nx y z\n")
    store.quick("why is zircon red?")
    assert counts(store)["zircon"] == 999
    monkeypatch.setattr(misses, "MOST", 1)
    store.quick("and quartz?")
    assert "quartz" not in counts(store)
    path.unlink()
    path.mkdir()
    (path / "x").write_text("")
    assert store.quick("why is zircon red?") == ""


def test_keywords_offers_what_was_missed(store):
    switch(store)
    for _ in range(3):
        store.quick("why is zircon red?")
    done = store.sandbox.cli("keywords", "--missed", "--json", cwd=store.root)
    assert "zircon" in json.dumps(json.loads(done.stdout))
