"""Builds: what is compiled, what is taken over, and that nothing ever leaves a half-made answer."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abcd_index import fs
from abcd_index.artefact import ranking, writer
from abcd_index.artefact.format import LISTED
from abcd_index.artefact.reader import open_current
from abcd_index.artefact.times import Times
from abcd_index.build import assemble, incremental, publish, run
from abcd_index.build.key import key_of
from abcd_index.build.run import build
from abcd_index.build.scan import observe
from abcd_index.build.weights import mean
from abcd_index.errors import AbcdError
from abcd_index.scopes import Places, workspace_at
from abcd_index.settings import defaults, written_settings
from abcd_index.store.text import content_hash
from tests.conftest import Sandbox

WORDS = ("auth login token deploy rollback cache queue retry index search parser schema migration release "
         "branch commit merge review deadline budget").split()


def standing(scope):
    """(key, number of pages) of the current artefact. Closed again: a reader in a loop has only so many files."""
    artefact = open_current(scope.index)
    artefact.close()
    return artefact.header["key"], artefact.pages


def page(number, seed=0):
    pick = random.Random(number * 1000 + seed)
    words = pick.sample(WORDS, 4)
    text = " ".join(pick.choices(WORDS, k=30))
    return (f"---\nsource: {{class: note}}\nrecall: [{words[0]}, {words[1]} {words[2]}]\n---\n"
            f"# {words[3].title()} number {number}\n\n{text}\n")


@pytest.fixture
def scope(sandbox):
    root = sandbox.repo("r", {f"note_x_p{i:02}.md": page(i) for i in range(20)})
    return scope_of(sandbox, root)


def scope_of(sandbox, root):
    return workspace_at(str(root), Places({"HOME": str(sandbox.home), "TMPDIR": "/var/tmp"}))


def settle(scope):
    """Set the files' times back, so that none counts as written while the build runs."""
    past = time.time() - 100
    for name in os.listdir(scope.store):
        os.utime(os.path.join(scope.store, name), (past, past))
    time.sleep(0.05)  # The times of the inode change cannot be set back: wait until they are a tick old.


def artefact(scope):
    with open(os.path.join(scope.index, standing(scope)[0] + ".idx"), "rb") as handle:
        return handle.read()


def full(scope):
    """The bytes of a full build of what is on disk, in an index folder of its own."""
    built = build(scope, force=True)
    with open(built.path, "rb") as handle:
        return handle.read()


def full_key(scope):
    """The key of what is on disk, whatever a sidecar says of it."""
    return key_of(written_settings(defaults()), observe(scope, trust=False).hashes())


def test_first_build_then_nothing_to_do(scope):
    first = build(scope)
    assert (first.state, first.pages, first.recompiled) == ("built", 20, 20)
    before = artefact(scope)
    again = build(scope)
    assert (again.state, again.key, again.recompiled) == ("current", first.key, 0)
    assert artefact(scope) == before


def test_an_unchanged_store_is_recognised_without_reading_a_page(scope, monkeypatch):
    settle(scope)
    build(scope)
    read = []
    from abcd_index.build import scan as files

    monkeypatch.setattr(files.Source, "read", lambda self: read.append(self.name) or b"")
    assert build(scope).state == "current"
    assert read == []


def test_an_edited_page_is_compiled_alone_and_the_bytes_are_a_full_builds(sandbox, scope):
    build(scope)
    sandbox.pages(scope.root, {"note_x_p07.md": page(7, seed=9)})
    built = build(scope)
    assert (built.state, built.recompiled, built.pages) == ("built", 1, 20)
    assert artefact(scope) == full(scope)


def append(scope, number, text):
    with open(os.path.join(scope.store, f"note_x_p{number:02}.md"), "a") as handle:
        handle.write(text)


def test_an_edited_text_leaves_every_other_line_unread(scope, monkeypatch):
    build(scope)
    monkeypatch.setattr(run.incremental, "changed", None)
    append(scope, 7, "\nauth auth deploy\n")
    assert build(scope).recompiled == 1
    monkeypatch.undo()
    assert artefact(scope) == full(scope)


@pytest.mark.parametrize("most", [40, 34, 14])
def test_a_term_that_becomes_rare_names_its_pages(sandbox, most):
    """One page after the other lets go of a word, and one more is deleted: from more than are known to fewer than are
    listed."""
    root = sandbox.repo("r", {f"note_x_p{i:02}.md": f"# Page {i}\n\nquartz {'lever ' * (i % 3)}\n" for i in range(most)})
    scope = scope_of(sandbox, root)
    build(scope)
    for number in range(most - 10):
        path = root / ".abcd" / "memory" / f"note_x_p{number:02}.md"
        if number == 3:
            path.unlink()
        else:
            path.write_text(f"# Page {number}\n\ngranite {'lever ' * (number % 3)}\n")
        build(scope)
        reader = open_current(scope.index)
        left = most - number - 1
        held = list(range(number + (number < 3), reader.pages))
        assert reader.term("quartz") == (min(left, 32), 0, held if left <= LISTED else [])
        reader.close()
    assert artefact(scope) == full(scope)


@pytest.fixture
def few(monkeypatch):
    """Terms are rare, and known page by page, in so few pages that edits of a dozen cross both bounds."""
    for module in (assemble, incremental, ranking, writer):
        for name, count in (("LISTED", 3), ("KNOWN", 6)):
            monkeypatch.setattr(module, name, count, raising=False)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.lists(st.lists(st.tuples(st.integers(0, 19), st.lists(st.sampled_from(
    WORDS + ["novel", "unseen", "zebra", "caf\u00e9"]), max_size=5)), min_size=1, max_size=3), min_size=1, max_size=3))
def test_any_row_of_text_edits_gives_the_bytes_of_a_full_build(few, tmp_path_factory, rounds):
    sandbox = Sandbox(tmp_path_factory.mktemp("texts"))
    root = sandbox.tmp / "w"
    sandbox.pages(root, {f"note_x_p{i:02}.md": page(i) for i in range(20)})
    sandbox.pages(root, {"index.md": "- `note_x_p03.md` \u2014 note | x | three\n"})
    scope = scope_of(sandbox, root)
    build(scope)
    for edits_made in rounds:
        for number, words in edits_made:
            append(scope, number, " ".join(words) + "\n")
        build(scope)
        assert artefact(scope) == full(scope)


def test_touched_pages_change_nothing(scope):
    key = build(scope).key
    for name in os.listdir(scope.store):
        os.utime(os.path.join(scope.store, name))
    built = build(scope)
    assert (built.state, built.key) == ("current", key)


def test_line_ends_change_nothing(scope):
    key = build(scope).key
    for name in os.listdir(scope.store):
        path = os.path.join(scope.store, name)
        with open(path, "rb") as handle:
            data = handle.read()
        with open(path, "wb") as handle:
            handle.write(data.replace(b"\n", b"\r\n"))
    built = build(scope)
    assert (built.state, built.key) == ("current", key)
    assert full(scope) == artefact(scope)


def test_there_and_back_builds_nothing(sandbox, scope):
    first = build(scope)
    sandbox.pages(scope.root, {"note_x_p03.md": page(3, seed=5)})
    assert build(scope).state == "built"
    sandbox.pages(scope.root, {"note_x_p03.md": page(3)})
    back = build(scope)
    assert (back.state, back.key, back.recompiled) == ("switched", first.key, 0)


def test_old_artefacts_are_pruned_and_the_last_few_kept(sandbox, scope):
    for seed in range(9):
        sandbox.pages(scope.root, {"note_x_p03.md": page(3, seed=seed)})
        build(scope)
    kept = [name for name in os.listdir(scope.index) if name.endswith(".idx")]
    assert len(kept) == 5
    stray = {name.split(".")[0] for name in os.listdir(scope.index) if name.endswith((".times", ".pages"))}
    assert stray == {name[:-4] for name in kept}


edits = st.lists(st.tuples(st.sampled_from(["edit", "add", "remove", "rename", "line", "contradict"]),
                           st.integers(0, 11), st.integers(0, 99)), max_size=6)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.lists(edits, min_size=1, max_size=4))
def test_any_row_of_edits_gives_the_bytes_of_a_full_build(few, tmp_path_factory, rounds):
    sandbox = Sandbox(tmp_path_factory.mktemp("edits"))
    root = sandbox.tmp / "w"
    store = sandbox.pages(root, {f"note_x_p{i:02}.md": page(i) for i in range(12)})
    scope = scope_of(sandbox, root)
    build(scope)
    for row in rounds:
        for what, number, seed in row:
            path = store / f"note_x_p{number:02}.md"
            other = f"note_x_p{(number + 1) % 12:02}.md"
            if what in ("edit", "add"):
                path.write_text(page(number, seed))
            elif what == "remove" and path.exists():
                path.unlink()
            elif what == "rename" and path.exists():
                path.rename(store / f"note_y_q{seed:02}.md")
            elif what == "line":
                (store / "index.md").write_text(f"- `note_x_p{number:02}.md` \u2014 note | x | line {seed}\n")
            elif what == "contradict":
                path.write_text(page(number, seed).replace("---\n", f"---\ncontradicts: [{other}]\n", 1))
        build(scope)
        assert artefact(scope) == full(scope)


class TestKey:
    def test_depends_on_all_that_shapes_the_bytes_and_on_nothing_else(self, sandbox, scope):
        key = build(scope).key
        (sandbox.tmp / "r" / ".abcd" / "config.json").write_text('{"refresh_every": 3}')
        other = build(scope).key
        assert other != key
        # How many artefacts are kept shapes no byte.
        (sandbox.tmp / "r" / ".abcd" / "config.json").write_text('{"refresh_every": 3, "artefact": {"keep": 9}}')
        changed = build(scope)
        assert changed.key != other or changed.state == "current"

    def test_is_safe_as_a_file_name_and_sorted(self):
        one = key_of(written_settings(defaults()), {"memory/a.md": "1", "memory/b.md": "2"})
        two = key_of(written_settings(defaults()), {"memory/b.md": "2", "memory/a.md": "1"})
        assert one == two and len(one) == 40 and one.isalnum()

    @given(st.binary())
    def test_content_hash_does_not_see_line_ends(self, data):
        plain = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        assert content_hash(data) == content_hash(plain) == content_hash(plain.replace(b"\n", b"\r\n"))


class TestNothingIsEverHalf:
    def test_an_unreadable_store_is_no_empty_store(self, sandbox, scope, monkeypatch):
        key = build(scope).key
        from abcd_index.build import scan as files

        def refuse(scope):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(files, "list_store", refuse)
        with pytest.raises(AbcdError, match="cannot be listed"):
            build(scope)
        assert standing(scope)[0] == key

    def test_the_last_page_gone_is_an_empty_artefact(self, scope):
        build(scope)
        for name in os.listdir(scope.store):
            os.unlink(os.path.join(scope.store, name))
        assert build(scope).pages == 0
        assert standing(scope)[1] == 0

    @pytest.mark.parametrize("point", ["whole", "write_times", "remember"])
    def test_a_full_disk_leaves_the_old_answer(self, sandbox, scope, monkeypatch, point):
        key = build(scope).key
        sandbox.pages(scope.root, {"note_x_p01.md": page(1, seed=3)})

        def full_disk(*args, **kwargs):
            raise OSError(28, "No space left on device")

        target = run.fs if point == "whole" else run
        monkeypatch.setattr(target, point, full_disk)
        with pytest.raises(AbcdError, match="No space left"):
            build(scope)
        assert standing(scope)[0] == key
        monkeypatch.undo()
        assert build(scope).key != key

    def test_a_damaged_old_artefact_is_not_built_upon(self, sandbox, scope):
        built = build(scope)
        with open(built.path, "r+b") as handle:
            handle.seek(built.size // 2)
            handle.write(b"#" * 40)
        sandbox.pages(scope.root, {"note_x_p01.md": page(1, seed=3)})
        build(scope)
        assert artefact(scope) == full(scope)

    def test_a_damaged_artefact_is_made_again_though_no_page_changed(self, scope):
        built = build(scope)
        right = artefact(scope)
        with open(built.path, "r+b") as handle:
            handle.seek(built.size // 2)
            handle.write(b"#" * 40)
        assert build(scope).state == "built"
        assert artefact(scope) == right

    def test_an_artefact_that_came_without_sidecars_is_checked_and_used(self, scope):
        built = build(scope)
        for suffix in (".pages", ".times"):
            os.unlink(built.path[:-4] + suffix)
        assert build(scope).state == "current"
        assert Times.open(scope.index, built.key).row(0)[2] > 0

    @pytest.mark.parametrize("name", ["files.json", "current", ".times", ".pages"])
    @pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\0" * 50, None])
    def test_a_damaged_sidecar_is_made_again(self, sandbox, scope, name, damage):
        built = build(scope)
        path = os.path.join(scope.index, built.key + name if name.startswith(".") else name)
        if damage is None:
            os.unlink(path)
        else:
            with open(path, "wb") as handle:
                handle.write(damage)
        sandbox.pages(scope.root, {"note_x_p01.md": page(1, seed=3)})
        build(scope)
        assert artefact(scope) == full(scope)
        assert standing(scope)[1] == 20

    @pytest.mark.parametrize("name", ["files.json", ".pages", ".times"])
    def test_one_byte_of_a_sidecar_that_is_another_one_changes_no_artefact(self, sandbox, scope, name):
        """Any digit of it: a hash, a count, a time. Nothing looks wrong with such a file but what it says."""
        for seed in range(12):
            settle(scope)
            built = build(scope)
            path = os.path.join(scope.index, built.key + name if name.startswith(".") else name)
            with open(path, "rb") as handle:
                data = bytearray(handle.read())
            digits = [at for at, sign in enumerate(data) if chr(sign).isdigit()]
            at = digits[len(digits) * (seed + 1) // 13]
            data[at] = ord("7") if data[at] != ord("7") else ord("3")
            with open(path, "wb") as handle:
                handle.write(data)
            sandbox.pages(scope.root, {"note_x_p01.md": page(1, seed=seed + 20)})
            assert build(scope).key == full_key(scope)
            assert artefact(scope) == full(scope)

    @pytest.mark.parametrize("part", [0.3, 0.6, 0.9, 0.99])
    @pytest.mark.parametrize("name", ["files.json", ".pages", ".times"])
    def test_a_sidecar_that_is_cut_at_a_line_changes_no_artefact(self, sandbox, scope, name, part):
        built = build(scope)
        path = os.path.join(scope.index, built.key + name if name.startswith(".") else name)
        with open(path, "rb") as handle:
            lines = handle.readlines()
        with open(path, "wb") as handle:
            handle.writelines(lines[:int(len(lines) * part)])
        sandbox.pages(scope.root, {"note_x_p01.md": page(1, seed=3), "note_x_new.md": page(7)})
        build(scope)
        assert artefact(scope) == full(scope)

    def test_a_sidecar_that_says_wrong_of_a_page_is_believed_once(self, sandbox, scope):
        """Whatever made it say so: the build ends, and with the artefact of the pages."""
        settle(scope)
        build(scope)
        path = os.path.join(scope.index, "files.json")
        with open(path, "rb") as handle:
            found = json.loads(publish.unsealed(handle.read()))
        found["files"]["memory/note_x_p01.md"][3] = "0" * 64
        fs.replace(path, publish.sealed(json.dumps(found).encode() + b"\n"))
        assert build(scope).key == full_key(scope)
        assert artefact(scope) == full(scope)

    def test_racing_builds_and_readers(self, sandbox, scope):
        build(scope)
        command = [sys.executable, "-m", "abcd_index", "build", "--scope", "workspace"]
        runs = []
        for seed in range(6):
            sandbox.pages(scope.root, {"note_x_p02.md": page(2, seed=seed)})
            runs.append(subprocess.Popen(command, cwd=scope.root, env=sandbox.env, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.PIPE))
        reads = 0
        while any(process.poll() is None for process in runs):
            assert standing(scope)[1] == 20
            reads += 1
        assert reads
        for process in runs:
            assert process.wait() == 0, process.stderr.read()
        build(scope)
        assert artefact(scope) == full(scope)

    def test_killed_builds_leave_the_old_answer_and_no_lock(self, sandbox, scope):
        key = build(scope).key
        sandbox.pages(scope.root, {f"note_z_p{i:03}.md": page(i) for i in range(300)})
        command = [sys.executable, "-m", "abcd_index", "build", "--scope", "workspace"]
        for delay in (0.05, 0.15, 0.25, 0.35):
            process = subprocess.Popen(command, cwd=scope.root, env=sandbox.env, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert standing(scope)[1] in (20, 320)
        assert build(scope).pages == 320
        assert standing(scope)[0] != key


class TestSidecars:
    def test_times_are_those_of_the_files(self, scope):
        settle(scope)
        built = build(scope)
        times = Times.open(scope.index, built.key)
        names = sorted(os.listdir(scope.store))
        for number, name in enumerate(names):
            stat = os.stat(os.path.join(scope.store, name))
            mtime, ctime, size, digest = times.row(number)
            assert (mtime, ctime, size) == (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size)
            with open(os.path.join(scope.store, name), "rb") as handle:
                assert digest == content_hash(handle.read())
        assert times.row(len(names)) is None

    def test_a_file_written_within_a_tick_is_not_trusted(self, scope):
        observed = observe(scope)
        future = observed.started + 10 ** 9
        assert observed.racy(future)
        assert not observed.racy(observed.started - 10 ** 9)

    def test_the_index_folder_hides_itself(self, sandbox, scope):
        build(scope)
        assert sandbox.git("status", "--porcelain", cwd=scope.root).stdout == ""


def test_the_grid_of_means_moves_seldom():
    steps = {mean(total, 100) for total in range(10000, 10100)}
    assert len(steps) <= 2
    assert abs(mean(12345, 100) - 123.45) < 123.45 * 0.011
    assert mean(0, 0) == 1.0


class TestInterpreter:
    def noted(self, sandbox):
        return (sandbox.user / ".index" / "interpreter").read_text().strip()

    def test_a_working_one_stays_and_a_gone_one_is_replaced(self, sandbox, monkeypatch):
        places = Places({"HOME": str(sandbox.home), "ABCD_HOME": str(sandbox.user)})
        run.record_interpreter(places)
        assert self.noted(sandbox) == sys.executable
        other = sandbox.tmp / "python"
        other.write_text("#!/bin/sh\n")
        other.chmod(0o755)
        monkeypatch.setattr(run.sys, "executable", str(other))
        run.record_interpreter(places)
        assert self.noted(sandbox) != str(other)
        run.record_interpreter(places, renew=True)
        assert self.noted(sandbox) == str(other)
        other.unlink()
        monkeypatch.undo()
        run.record_interpreter(places)
        assert self.noted(sandbox) == sys.executable
