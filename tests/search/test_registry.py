"""Which workspaces were built here: noted once, by builds at once, read without a scan."""

import stat
import subprocess
import sys

import pytest
from conftest import ROOT

from abcd_index import workspaces as registry
from abcd_index.scopes import Places


@pytest.fixture
def places(tmp_path):
    return Places({"HOME": str(tmp_path), "ABCD_HOME": str(tmp_path / "abcd")})


def workspace(tmp_path, name):
    root = tmp_path / name
    (root / ".abcd" / "memory").mkdir(parents=True)
    return str(root)


def test_noted_once(places, tmp_path):
    root = workspace(tmp_path, "a")
    registry.add(places, root)
    registry.add(places, root)
    path = tmp_path / "abcd" / ".index" / registry.FILE
    assert path.read_text().count("\n") == 1
    assert registry.roots(places) == ([root], [])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_builds_at_once_are_all_noted(places, tmp_path):
    roots = [workspace(tmp_path, f"w{number}") for number in range(12)]
    code = ("import sys; sys.path.insert(0, sys.argv[1])\nfrom abcd_index import workspaces as registry\n"
            "from abcd_index.scopes import Places\n"
            "registry.add(Places({'HOME': sys.argv[2], 'ABCD_HOME': sys.argv[2] + '/abcd'}), sys.argv[3])")
    running = [subprocess.Popen([sys.executable, "-c", code, str(ROOT), str(tmp_path), root]) for root in roots]
    assert [one.wait() for one in running] == [0] * 12
    assert registry.roots(places)[0] == sorted(roots)


def test_gone_ones_are_told_apart_and_forgotten(places, tmp_path):
    here, gone = workspace(tmp_path, "here"), str(tmp_path / "gone")
    registry.add(places, here)
    registry.add(places, gone)
    assert registry.roots(places) == ([here], [gone])
    registry.prune(places, [gone])
    assert registry.roots(places) == ([here], [])


def test_a_workspace_that_leads_into_claude_is_not_looked_at(places, tmp_path):
    store = tmp_path / ".claude" / "memory"
    store.mkdir(parents=True)
    (tmp_path / "x" / ".abcd").mkdir(parents=True)
    (tmp_path / "x" / ".abcd" / "memory").symlink_to(store)
    registry.add(places, str(tmp_path / "x"))
    assert registry.roots(places) == ([], [str(tmp_path / "x")])


def test_odd_names_and_broken_lines(places, tmp_path):
    root = workspace(tmp_path, "new\nline é \"x\"")
    registry.add(places, root)
    path = tmp_path / "abcd" / ".index" / registry.FILE
    with open(path, "ab") as file:
        file.write(b'"/half')
    assert registry.roots(places) == ([root], [])
    path.write_bytes(b'5\n["/x"]\n"relative"\n\xff\n')
    assert registry.roots(places) == ([], [])


def test_a_home_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "abcd").write_text("a file")
    places = Places({"HOME": str(tmp_path), "ABCD_HOME": str(tmp_path / "abcd")})
    registry.add(places, "/x")
    assert registry.roots(places) == ([], [])
