"""A store that nobody built is built by the first prompt: not every agent has a session hook."""

import time

from tests import hooked_store
from tests.hooked_store import page

hooked = hooked_store.hooked


def test_a_prompt_that_finds_pages_and_no_artefact_starts_a_build(hooked):
    hooked.pages({"a_auth.md": page(["auth"], "Body A.")})
    assert hooked.sandbox.cli("build", cwd=hooked.root).returncode == 0  # Notes which Python builds.
    other = hooked.sandbox.tmp / "other"
    hooked.sandbox.pages(other, {"a_auth.md": page(["auth"], "Body of the other.")})
    assert hooked.ask("auth", cwd=str(other)) == ""
    until = time.monotonic() + 30
    while not list(other.glob(".abcd/.index/current")) and time.monotonic() < until:
        time.sleep(0.1)
    assert "Body of the other." in hooked.ask("why does auth fail", cwd=str(other))


def test_a_prompt_that_says_nothing_of_the_pages_starts_it_too(hooked):
    hooked.sandbox.pages(hooked.root, {"a_auth.md": page(["auth"], "Body A.")})
    (hooked.sandbox.user / ".index").mkdir(parents=True)
    (hooked.sandbox.user / ".index" / "interpreter").write_text(hooked_store.BASE_PYTHON + "\n")
    assert hooked.quick("good morning") == ""
    assert [command[2:4] for command in hooked.started] == [["abcd_index", "build"]]
