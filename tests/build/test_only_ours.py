"""A build takes over only what this machine made: whatever else lies in the index is built anew from the pages."""

import errno
import json
import os
import shutil
import subprocess
import sys

import pytest

from abcd_index import fs
from abcd_index.artefact.reader import Artefact
from abcd_index.build import publish
from abcd_index.build.run import build
from abcd_index.errors import AbcdError
from abcd_index.scopes import Places, workspace_at

PAGES = {f"note_x_{name}.md": f"---\nrecall: [{name}]\n---\n# {name}\n\nThe text of {name}.\n" for name in "abcd"}


@pytest.fixture
def root(sandbox):
    return sandbox.repo("r", PAGES)


def scope_of(sandbox, root):
    return workspace_at(str(root), Places(dict(sandbox.env)))


def content(path):
    with open(path, "rb") as file:
        return file.read()


def files(index):
    return {name: content(os.path.join(index, name)) for name in os.listdir(index)
            if os.path.isfile(os.path.join(index, name))}


def planted(sandbox, root, change):
    """The index as a clone would bring it: every file of a real one, changed, under this machine's names."""
    scope = scope_of(sandbox, root)
    built = build(scope)
    right = content(built.path)
    copy = files(scope.index)
    shutil.rmtree(scope.index)
    os.unlink(scope.provenance)
    os.mkdir(scope.index)
    for name, data in copy.items():
        with open(os.path.join(scope.index, name), "wb") as file:
            file.write(change(name, data))
    return scope, right


def forged_body(name, data):
    return data.replace(b"The text of a", b"Forged text a") if name.endswith(".idx") else data


def test_a_planted_index_is_not_current(sandbox, root):
    scope, right = planted(sandbox, root, lambda name, data: data)
    built = build(scope)
    assert built.state == "built" and built.recompiled == len(PAGES) and built.anew and built.known
    assert content(built.path) == right
    again = build(scope)
    assert again.state == "current" and not again.anew


def test_a_forged_body_under_the_true_key_is_built_anew(sandbox, root):
    scope, right = planted(sandbox, root, forged_body)
    assert content(build(scope).path) == right


def test_the_command_says_that_it_built_anew(sandbox, root):
    scope, _ = planted(sandbox, root, forged_body)
    assert "was not made on this machine" in sandbox.cli("build", "--scope", "workspace", cwd=root).stdout
    assert "nothing to do" in sandbox.cli("build", "--scope", "workspace", cwd=root).stdout


@pytest.mark.parametrize("suffix", [".pages", ".times", "files.json"])
def test_a_sidecar_of_another_machine_is_not_built_upon(sandbox, root, suffix):
    """Our artefact stands; a checkout brings sidecars that say what is not so, with seals that agree."""
    scope = scope_of(sandbox, root)
    built = build(scope)
    path = next(os.path.join(scope.index, name) for name in os.listdir(scope.index) if name.endswith(suffix))
    other = sandbox.tmp / "other" / ".abcd" / "memory"
    os.makedirs(other)
    for name, text in PAGES.items():
        (other / name).write_text(text.replace("The text of a", "Forged text a"))
    there = scope_of(sandbox, other.parent.parent)
    made = build(there)
    theirs = made.path[:-4] + suffix if suffix[0] == "." else os.path.join(there.index, suffix)
    fs.replace(path, content(theirs))
    sandbox.pages(root, {"note_x_b.md": PAGES["note_x_b.md"] + "More.\n"})
    built = build(scope)
    assert content(built.path) == content(build(scope, force=True).path)


def test_the_list_outlives_builders_at_once(sandbox, root):
    scope = scope_of(sandbox, root)
    runs = []
    for seed in range(6):
        sandbox.pages(root, {"note_x_a.md": PAGES["note_x_a.md"] + f"More {seed}.\n"})
        runs.append(subprocess.Popen([sys.executable, "-m", "abcd_index", "build", "--scope", "workspace"], cwd=root,
                                     env=sandbox.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
    for run in runs:
        _, said = run.communicate()
        assert run.returncode == 0, said
    built = build(scope)
    assert built.known
    assert build(scope).state == "current"


@pytest.mark.parametrize("name", ["note_x_a.md", "index.md"])
def test_nothing_of_it_is_built_upon_after_an_edit(sandbox, root, name):
    scope, _ = planted(sandbox, root, forged_body)
    sandbox.pages(root, {name: "# Another\n"})
    built = build(scope)
    assert built.recompiled == len(PAGES)
    assert content(built.path) == content(build(scope, force=True).path)


def test_a_file_put_over_ours_is_noticed(sandbox, root):
    """A checkout brings another file under the key that was built here."""
    scope = scope_of(sandbox, root)
    built = build(scope)
    right = content(built.path)
    assert build(scope).state == "current"
    times = os.stat(built.path)
    with open(built.path, "r+b") as file:
        file.write(right.replace(b"The text of a", b"Forged text a"))
    os.utime(built.path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert build(scope).state == "built"
    assert content(built.path) == right


def test_a_list_that_names_another_index_says_nothing_of_this_one(sandbox, root):
    scope = scope_of(sandbox, root)
    build(scope)
    lines = content(scope.provenance).split(b"\n")
    fs.replace(scope.provenance, b"\n".join([b"/elsewhere/.index", *lines[1:]]))
    assert build(scope).state == "built"


def test_a_home_that_cannot_be_written_is_told(sandbox, root):
    sandbox.user.parent.mkdir(exist_ok=True)
    sandbox.user.write_text("a file where the folder should be")
    done = sandbox.cli("build", "--scope", "workspace", cwd=root)
    assert done.returncode == 0
    assert "the hook stays silent" in " ".join(done.stderr.split())


class TestWhatCannotBeRead:
    """What was not read is not remembered: with the fault gone the next build is right."""

    @pytest.mark.parametrize("name", ["memory/note_x_b.md", "memory/index.md", "rules.json", "config.json"])
    @pytest.mark.parametrize("number", [5, 13, 116])
    @pytest.mark.parametrize("which", [1, 2])
    def test_a_passing_error(self, sandbox, root, monkeypatch, name, number, which):
        (root / ".abcd" / "memory" / "index.md").write_text("- `note_x_a.md` — note | x | The first\n")
        (root / ".abcd" / "rules.json").write_text(json.dumps({"schema_version": 1, "domains": {
            "D": {"state": "active", "recall": ["d"], "rules": ["Say d."]}}}))
        (root / ".abcd" / "config.json").write_text('{"refresh_every": 7}')
        scope = scope_of(sandbox, root)
        path, real, seen = os.path.join(scope.home, name), os.open, []

        def failing(file, *args, **kwargs):
            if file == path:
                seen.append(file)
                if len(seen) == which:
                    raise OSError(number, os.strerror(number), file)
            return real(file, *args, **kwargs)

        monkeypatch.setattr(os, "open", failing)
        build(scope)
        assert seen
        monkeypatch.undo()
        right = content(build(scope).path)
        assert right == content(build(scope, force=True).path)

    def test_what_was_hashed_is_what_is_compiled(self, sandbox, root, monkeypatch):
        """The catalogue is another one for a moment, between the hash and the compiling, and then back."""
        index = root / ".abcd" / "memory" / "index.md"
        index.write_text("- `note_x_a.md` — note | x | The first\n")
        scope = scope_of(sandbox, root)
        from abcd_index.build import scan

        real = scan.key_of

        def swapped(*args):
            index.write_text("- `note_x_a.md` — note | x | Another line\n")
            return real(*args)

        monkeypatch.setattr(scan, "key_of", swapped)
        found = build(scope)
        monkeypatch.undo()
        index.write_text("- `note_x_a.md` — note | x | The first\n")
        artefact = Artefact.open(build(scope).path)
        assert artefact.record(0)["line"].endswith("The first")
        artefact.close()
        artefact = Artefact.open(found.path)
        assert artefact.record(0)["line"].endswith("Another line" if found.key != build(scope).key else "The first")
        artefact.close()


def test_pruning_deletes_only_what_a_build_made(sandbox, root):
    scope = scope_of(sandbox, root)
    build(scope)
    mine = {"a" * 40 + ".idx": b"somebody's", "pack-" + "b" * 40 + ".idx": b"\xfftOc", "notes.idx": b"x",
            ".tmp-notes.md": b"x"}
    for name, data in mine.items():
        with open(os.path.join(scope.index, name), "wb") as file:
            file.write(data)
    for seed in range(8):
        sandbox.pages(root, {"note_x_a.md": PAGES["note_x_a.md"] + f"More {seed}.\n"})
        build(scope)
    assert mine.items() <= files(scope.index).items()
    publish.prune(scope.index, 1, build(scope).key)
    assert mine.items() <= files(scope.index).items()


def test_recall_by_words_shows_no_forged_text(sandbox, root):
    planted(sandbox, root, forged_body)
    said = sandbox.cli("recall", "text", "--no-record", "--json", cwd=root)
    assert "The text of a" in said.stdout and "Forged" not in said.stdout


@pytest.mark.parametrize("error", [errno.EMFILE, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("name", ["rules.json", "index.md"])
def test_what_cannot_be_read_again_is_not_left_out_under_its_key(sandbox, root, monkeypatch, error, name):
    """The key says what was hashed; when the file is opened again to be compiled and that fails, no artefact has it."""
    (root / ".abcd" / "rules.json").write_text('{"schema_version": 1, "domains": {"GIT": {"recall": ["x"], "rules": ["y"]}}}')
    (root / ".abcd" / "memory" / "index.md").write_text("- `note_x_a.md` — class | domain | All about a\n")
    scope = scope_of(sandbox, root)
    right = content(build(scope).path)
    shutil.rmtree(scope.index)
    monkeypatch.setattr("abcd_index.build.scan.HELD", 0)
    read, opened = fs.read, []

    def fails_once(path, *rest):
        if str(path).endswith(name):
            opened.append(path)
            if len(opened) == 2:
                raise OSError(error, os.strerror(error), path)
        return read(path, *rest)

    monkeypatch.setattr(fs, "read", fails_once)
    try:
        build(scope)
    except AbcdError:
        pass
    monkeypatch.undo()
    built = build(scope)
    assert len(opened) >= 2 and content(built.path) == right


def test_what_is_no_file_in_the_index_is_told_with_the_way_out(sandbox, root):
    index = root / ".abcd" / ".index"
    index.mkdir()
    os.mkfifo(index / "current")
    done = sandbox.cli("build", "--scope", "workspace", cwd=root)
    assert done.returncode == 2
    assert "remove what is there" in done.stderr and "make room" not in done.stderr
    (index / "current").unlink()
    assert sandbox.cli("build", "--scope", "workspace", cwd=root).returncode == 0


@pytest.mark.parametrize("left", [b"", b"#", b"# Made by abcd-index from the pages; never committed.\n"])
def test_an_ignore_file_that_was_not_written_whole_is_finished(left, tmp_path):
    """What a killed writer, or a full disk, left of it: the next writer makes it whole before it writes anything else."""
    index = tmp_path / ".index"
    publish.prepare(str(index))
    whole = (index / ".gitignore").read_bytes()
    assert whole.endswith(b"\n*\n") and os.listdir(index) == [".gitignore"]
    (index / ".gitignore").write_bytes(left)
    publish.prepare(str(index))
    assert (index / ".gitignore").read_bytes() == whole and os.listdir(index) == [".gitignore"]


def test_an_ignore_file_with_other_words_is_left_alone(tmp_path):
    index = tmp_path / ".index"
    index.mkdir()
    (index / ".gitignore").write_bytes(b"# ours\n*\n!tracked.idx\n")
    publish.prepare(str(index))
    assert (index / ".gitignore").read_bytes() == b"# ours\n*\n!tracked.idx\n"
