"""A sidecar of times that a checkout put in the place of ours keeps no changed page from being noticed."""

import json
import os

import tests.hooked_store as hooked_store
from tests.hooked_store import older, page

hooked = hooked_store.hooked


def test_times_that_speak_of_another_file_are_not_believed(hooked):
    hooked.pages({"a_auth_x.md": page(["auth"], "The first text.")})
    path = hooked.store / "a_auth_x.md"
    older(path)
    hooked.build()
    index = hooked.index
    times = index / ((index / "current").read_text().strip() + ".times")
    path.write_text(page(["auth"], "Another text."))
    stat = os.stat(path)
    head, row = times.read_bytes().split(b"\n")[:2]
    planted = json.loads(head)
    planted["artefact"][2] -= 1
    row = b"%016x%016x%08x" % (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size) + row[40:]
    times.write_bytes(json.dumps(planted).encode() + b"\n" + row + b"\n")
    said = hooked.quick("fix the auth bug")
    assert "The first text." not in said and "changed since it was indexed" in said
    assert hooked.started
    hooked.build()
    assert "Another text." in hooked.quick("fix the auth bug", session="s2")
