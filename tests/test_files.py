"""One module opens files for writing, deletes and renames them; no other room does."""

import ast
import os
import stat
import subprocess
import sys

import pytest

from abcd_index import fs
from tests.test_imports import PACKAGE, modules

# ``fs`` for everybody, ``agenthooks/pipes`` for the prompt path, which loads no more than it needs.
OWNERS = {"fs.py", "agenthooks/pipes.py"}
# Not yet moved to ``fs``. Only ever shorter.
PENDING = {
    "git/remote.py",
}
CHANGES = {"replace", "rename", "renames", "unlink", "remove", "rmdir", "removedirs", "mkdir", "makedirs", "chmod",
           "symlink", "link", "truncate", "utime", "mkfifo", "write_text", "write_bytes", "touch", "rmtree",
           "copyfile", "copy", "copy2", "copytree", "move", "mkdtemp", "mkstemp", "NamedTemporaryFile",
           "TemporaryDirectory"}
MODULES = {"os", "_os", "posix", "shutil", "tempfile"}


def writes(path):
    """[(line, what)] of the calls in a source file that write, delete or rename a file."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Attribute):
            owner = function.value.id if isinstance(function.value, ast.Name) else ""
            if function.attr in CHANGES and (owner in MODULES or function.attr in ("write_text", "write_bytes")):
                found.append((node.lineno, f"{owner}.{function.attr}"))
            if function.attr == "open" and owner in ("os", "_os", "posix") and len(node.args) > 1:
                flags = {n.attr for n in ast.walk(node.args[1]) if isinstance(n, ast.Attribute)}
                if flags & {"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"}:
                    found.append((node.lineno, "os.open for writing"))
        elif isinstance(function, ast.Name) and function.id == "open":
            mode = next((k.value for k in node.keywords if k.arg == "mode"), node.args[1] if len(node.args) > 1 else None)
            if mode is not None and not (isinstance(mode, ast.Constant) and set(mode.value) <= set("rbt")):
                found.append((node.lineno, "open for writing"))
    return found


def test_only_fs_writes_files():
    wrong, clean = [], set(PENDING)
    for path in modules():
        inside = path.relative_to(PACKAGE).as_posix()
        if inside in OWNERS:
            continue
        found = writes(path)
        if found and inside in PENDING:
            clean.discard(inside)
        elif found:
            wrong += [f"{inside}:{line}: {what}" for line, what in found]
    assert not wrong, "these belong into fs.py:\n" + "\n".join(wrong)
    assert not clean, f"no longer pending: {sorted(clean)}"


def test_an_edit_keeps_what_came_meanwhile_and_the_mode(tmp_path):
    page = tmp_path / "page.md"
    page.write_bytes(b"one")
    page.chmod(0o640)
    fs.edit(str(page), b"one", b"two")
    assert page.read_bytes() == b"two" and stat.S_IMODE(page.stat().st_mode) == 0o640
    with pytest.raises(fs.Changed):
        fs.edit(str(page), b"one", b"three")
    with pytest.raises(fs.Changed):
        fs.edit(str(page), None, b"three")
    assert page.read_bytes() == b"two" and os.listdir(tmp_path) == ["page.md"]


def test_an_edit_that_comes_at_the_very_moment_is_put_back(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_bytes(b"one")
    original = fs._exchange

    def late(temporary, path):
        page.write_bytes(b"a person's")
        return original(temporary, path)

    monkeypatch.setattr(fs, "_exchange", late)
    if not original(str(page), str(page)):
        pytest.skip("this system exchanges no files")
    with pytest.raises(fs.Changed):
        fs.edit(str(page), b"one", b"two")
    assert page.read_bytes() == b"a person's" and os.listdir(tmp_path) == ["page.md"]


@pytest.mark.parametrize("make", ["link", "dangling", "folder", "fifo"])
def test_only_regular_files_are_edited(tmp_path, make):
    (tmp_path / "other").write_bytes(b"other")
    at = tmp_path / "page.md"
    {"link": lambda: at.symlink_to("other"), "dangling": lambda: at.symlink_to("new"), "folder": at.mkdir,
     "fifo": lambda: os.mkfifo(at)}[make]()
    before = sorted(os.listdir(tmp_path))
    for there in (None, b"other"):
        with pytest.raises(fs.NotPlain):
            fs.edit(str(at), there, b"mine")
    assert sorted(os.listdir(tmp_path)) == before and (tmp_path / "other").read_bytes() == b"other"


def test_litter_of_the_dead_goes_at_once_and_nobody_elses(tmp_path):
    code = ("import os, sys\nfrom abcd_index import fs\n"
            f"with fs.whole({str(tmp_path / 'x')!r}) as out:\n"
            "    out.write(b'1'); print(out.name, flush=True); sys.stdin.read()\n"
            "    os.kill(os.getpid(), 9)")
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    name = process.stdout.readline().strip()
    (tmp_path / ".tmp-notes.md").write_bytes(b"a person's")
    assert fs.sweep(str(tmp_path)) == 0 and os.path.exists(name)
    process.stdin.close()
    process.wait()
    assert fs.sweep(str(tmp_path)) == 1 and os.listdir(tmp_path) == [".tmp-notes.md"]


def test_what_is_on_its_way_goes_with_its_process(tmp_path):
    code = ("import os, sys\nfrom abcd_index import fs\n"
            f"with fs.work_folder({str(tmp_path)!r}, '.tmp-share-') as folder:\n"
            "    open(folder + '/x', 'w').close(); print(folder, flush=True); sys.stdin.read()\n"
            "    os.kill(os.getpid(), 9)")
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    name = process.stdout.readline().strip()
    with fs.work_folder(str(tmp_path), ".tmp-share-"):
        assert os.path.exists(name)
    process.stdin.close()
    process.wait()
    with fs.work_folder(str(tmp_path), ".tmp-share-") as folder:
        assert os.listdir(tmp_path) == [os.path.basename(folder)]
    assert os.listdir(tmp_path) == []


def test_a_work_folder_that_cannot_be_held_is_an_error_and_leaves_none(tmp_path, monkeypatch):
    """Without an open file there is no lock; to try for ever would fill the folder."""
    monkeypatch.setattr(fs, "_held", lambda path: -1)
    with pytest.raises(OSError):
        with fs.work_folder(str(tmp_path), "work-"):
            pass
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(fs, "_is_at", lambda fd, path: False)
    with pytest.raises(OSError):
        fs.replace(str(tmp_path / "x"), b"x")
    assert not list(tmp_path.iterdir())


def test_a_writer_sweeps_what_a_killed_one_left_beside_its_file(tmp_path):
    left = tmp_path / ".tmp-abcdefgh-x"
    left.write_bytes(b"half")
    held = tmp_path / ".tmp-hgfedcba-y"
    with open(held, "wb") as file:
        assert fs._lock(file.fileno()) is True
        fs.replace(str(tmp_path / "x"), b"x")
        assert sorted(path.name for path in tmp_path.iterdir()) == [held.name, "x"]
