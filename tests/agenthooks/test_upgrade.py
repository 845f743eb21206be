"""An artefact that another release built: it is read as far as that goes, said to be one, and built anew."""

import os
import re
import time

import pytest

from abcd_index.artefact.format import checksum
from abcd_index.artefact.reader import Artefact
from abcd_index.build import publish
from abcd_index.commands import recall
from tests import hooked_store
from tests.hooked_store import older, page

hooked = hooked_store.hooked


@pytest.fixture
def aged(hooked):
    """A store that nobody changed since it was built a minute ago."""
    hooked.sandbox.pages(hooked.root, {"a_auth_x.md": page(["auth"], "Body A."), "c_tea.md": page(["tea"], "Body C.")})
    for path in [*hooked.store.iterdir(), hooked.store]:
        older(path)
    time.sleep(0.03)  # The change times cannot be set back.
    return hooked.build()


def of_another(path, field, cells=None):
    """Let an artefact say that another version of ``field`` made it; ``cells``: it writes its tables otherwise."""
    header, _, rest = path.read_bytes().split(b"\n", 2)
    changed = re.sub(rb'"%s":\d' % field, b'"%s":9' % field, header)
    assert changed != header
    rest = rest.replace(b"0000", cells) if cells else rest
    path.write_bytes(changed + b"\n" + str(checksum(changed)).rjust(10).encode() + b"\n" + rest)


def started(hooked):
    """The scopes that a build was started for."""
    names = [command[command.index("--scope") + 1] for command in hooked.started]
    hooked.started.clear()
    for note in (hooked.sandbox.user / ".index").glob("rebuild-*"):
        note.unlink()
    return names


def artefact(hooked):
    return next(hooked.index.glob("*.idx"))


@pytest.mark.parametrize("field", [b"records", b"tokens"])
def test_the_hooks_build_anew_though_no_page_changed(aged, field):
    assert aged.start("startup", "s1") is None and aged.quick("auth") and aged.quick("nothing of ours") == ""
    assert started(aged) == []
    of_another(artefact(aged), field)
    aged.vouch()
    aged.start("startup", "s2")
    assert started(aged) == ["workspace"]
    for prompt in ("auth", "nothing of ours"):
        aged.quick(prompt, "s3")
        assert started(aged) == ["workspace"]


def test_what_it_cannot_read_of_it_is_no_damage(aged, capsys):
    of_another(artefact(aged), b"records", b"zzzz")
    aged.vouch()
    assert aged.quick("auth") == ""
    assert started(aged) == ["workspace"]
    recall.prompt("auth", root=str(aged.root), places=aged.places)
    assert "another version of abcd-index" in capsys.readouterr().err


@pytest.mark.parametrize("change", ["records", "tokens", "newer format", "torn"])
def test_a_build_leaves_none_that_a_git_hook_could_switch_back_to(aged, change):
    """The hooks' stubs know what a commit has by the artefact's name, and that its file is there."""
    old = artefact(aged)
    data = old.read_bytes()
    if change == "newer format":
        old.write_bytes(data.replace(b'"format":2', b'"format":9'))
    elif change == "torn":
        old.write_bytes(data[:100])
    else:
        of_another(old, change.encode())
    (aged.store / "c_tea.md").write_text(page(["tea"], "Edited."))
    aged.build()
    assert not old.exists() and not list(aged.index.glob(old.stem + ".*"))
    assert len(list(aged.index.glob("*.idx"))) == 1


def test_those_of_this_release_stay(aged):
    (aged.store / "c_tea.md").write_text(page(["tea"], "Edited."))
    aged.build()
    names = sorted(path.name for path in aged.index.glob("*.idx"))
    assert len(names) == 2
    for name in names:
        Artefact.open(str(aged.index / name)).close()
    publish.prune(str(aged.index), 5, names[0][:-4])
    assert sorted(path.name for path in aged.index.glob("*.idx")) == names and os.listdir(aged.index)
