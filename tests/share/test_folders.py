"""Artefacts in a folder, on fsspec's local and in its memory file system."""

import gzip
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from clones import PAGES, Clones, artefact_of, contents, index_of, scope_of

from abcd_index import fs
from abcd_index.build.run import build
from abcd_index.share.backends import folder as folder_place
from abcd_index.share.backends import url as url_place
from abcd_index.share.fetch import fetch
from abcd_index.share.place import Damaged, NotThere, Place, Unreachable
from abcd_index.share.push import push

fsspec = pytest.importorskip("fsspec")


class Pair:
    """Two copies of a store; ``places``: the same folder's worth of place in each kind."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.stores = []
        for name in ("one", "two"):
            sandbox.pages(sandbox.tmp / name, PAGES)
            self.stores.append(scope_of(sandbox.tmp / name, sandbox))
        self.folder = sandbox.tmp / "place"

    def push(self, place, keep=None, number=0):
        return push(build(self.stores[number]), Place(place, "option"), keep)

    def fetch(self, place, **options):
        return fetch(self.stores[1], Place(place, "option"), **options)

    def edit(self, number, text="More.\n"):
        with open(os.path.join(self.stores[number].store, "note_03.md"), "a") as page:
            page.write(text)


@pytest.fixture
def pair(sandbox):
    yield Pair(sandbox)
    fsspec.filesystem("memory").store.clear()


@pytest.fixture(params=["folder", "file", "local", "memory"])
def place(request, pair):
    return {"folder": str(pair.folder), "file": f"file://{pair.folder}", "local": f"local://{pair.folder}",
            "memory": "memory://bucket/prefix"}[request.param]


def names(pair, place):
    if place.startswith("memory"):
        return sorted(name.rpartition("/")[2] for name in fsspec.filesystem("memory").store)
    return sorted(os.listdir(pair.folder))


def test_there_and_back(pair, place):
    pushed = pair.push(place)
    assert pushed.state == "pushed" and names(pair, place) == [f"{pushed.key}.parcel.gz"]
    assert pair.push(place).state == "there"
    fetched = pair.fetch(place)
    assert (fetched.state, fetched.key) == ("fetched", pushed.key)
    assert artefact_of(pair.sandbox.tmp / "one") == artefact_of(pair.sandbox.tmp / "two")
    pair.edit(0)
    pair.edit(1)
    assert build(pair.stores[1]).recompiled == 1
    build(pair.stores[0], force=True)
    assert artefact_of(pair.sandbox.tmp / "one") == artefact_of(pair.sandbox.tmp / "two")


def test_nothing_there(pair, place):
    with pytest.raises(NotThere):
        pair.fetch(place)
    assert not os.path.exists(pair.folder)  # Asking makes nothing.


def test_other_bytes_are_not_overwritten(pair, place):
    pushed = pair.push(place)
    name = f"{pushed.key}.parcel.gz"
    if place.startswith("memory"):
        fsspec.filesystem("memory").pipe_file(f"/bucket/prefix/{name}", gzip.compress(b"something else"))
    else:
        (pair.folder / name).write_bytes(gzip.compress(b"something else"))
    with pytest.raises(Damaged, match="another artefact under the key"):
        pair.push(place)
    with pytest.raises(Damaged, match="is not used"):
        pair.fetch(place)


def test_the_same_bytes_packed_otherwise_are_the_same(pair, place):
    pushed = pair.push(place)
    name = f"{pushed.key}.parcel.gz"
    if place.startswith("memory"):
        memory, path = fsspec.filesystem("memory"), f"/bucket/prefix/{name}"
        memory.pipe_file(path, gzip.compress(gzip.decompress(memory.cat_file(path)), 1))
    else:
        (pair.folder / name).write_bytes(gzip.compress(gzip.decompress((pair.folder / name).read_bytes()), 1))
    assert pair.push(place).state == "there"
    assert pair.fetch(place).state == "fetched"


def test_keep_deletes_the_oldest_and_what_was_abandoned(pair, place):
    keys = []
    for number in range(4):
        keys.append(pair.push(place).key)
        if not place.startswith("memory"):
            os.utime(pair.folder / f"{keys[-1]}.parcel.gz", (1000 + number, 1000 + number))
        pair.edit(0)
    keys.append(pair.push(place).key)
    if not place.startswith("memory"):
        for name in (".tmp-deadbeef-x", ".tmp-mine"):
            (pair.folder / name).write_bytes(b"x")
            os.utime(pair.folder / name, (time.time() - 9000,) * 2)
        (pair.folder / "notes.txt").write_text("somebody's")
    assert pair.push(place, keep=2).pruned == 3
    kept = {f"{key}.parcel.gz" for key in keys[3:]}
    assert set(names(pair, place)) == kept | (set() if place.startswith("memory") else {".tmp-mine", "notes.txt"})


def test_a_bomb_is_not_unpacked(pair, place):
    key = build(pair.stores[0]).key
    bomb = gzip.compress(b"\0" * (64 << 20))
    if place.startswith("memory"):
        fsspec.filesystem("memory").pipe_file(f"/bucket/prefix/{key}.parcel.gz", bomb)
    else:
        pair.folder.mkdir()
        (pair.folder / f"{key}.parcel.gz").write_bytes(bomb)
    with pytest.raises(Damaged, match="no artefact of these pages has"):
        pair.fetch(place)


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:40], lambda data: b"", lambda data: b"x" + data,
                                   lambda data: data[:60] + bytes([data[60] ^ 4]) + data[61:]])
def test_damages_of_the_packed_file(pair, place, damage):
    key = pair.push(place).key
    if place.startswith("memory"):
        memory, path = fsspec.filesystem("memory"), f"/bucket/prefix/{key}.parcel.gz"
        memory.pipe_file(path, damage(memory.cat_file(path)))
    else:
        path = pair.folder / f"{key}.parcel.gz"
        path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(Damaged):
        pair.fetch(place)
    assert os.listdir(pair.stores[1].index) == [".gitignore"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_what_somebody_planted_in_the_folder(pair):
    key = build(pair.stores[0]).key
    pair.folder.mkdir()
    target = pair.folder / f"{key}.parcel.gz"
    outside = pair.sandbox.tmp / "outside"
    outside.write_text("precious")
    target.symlink_to(outside)
    for attempt in (lambda: pair.fetch(str(pair.folder)), lambda: pair.push(str(pair.folder))):
        with pytest.raises(Unreachable):
            attempt()
    target.unlink()
    os.mkfifo(target)
    for attempt in (lambda: pair.fetch(str(pair.folder)), lambda: pair.push(str(pair.folder))):
        with pytest.raises(Unreachable, match="not a regular file"):
            attempt()
    target.unlink()
    target.mkdir()
    with pytest.raises(Unreachable):
        pair.fetch(str(pair.folder))
    assert outside.read_text() == "precious"


def test_a_folder_that_cannot_be_used(pair):
    pair.folder.write_text("a file")
    for attempt in (lambda: pair.fetch(str(pair.folder)), lambda: pair.push(str(pair.folder))):
        with pytest.raises(Unreachable):
            attempt()


def test_a_reader_sees_whole_files_only(pair, monkeypatch):
    seen = []
    real = os.link

    def link(source, target, **options):
        seen.append(sorted(name for name in os.listdir(pair.folder) if not name.startswith(".tmp-")))
        assert gzip.decompress(open(source, "rb").read()).endswith(b"\n")
        return real(source, target, **options)

    pair.folder.mkdir(exist_ok=True)
    monkeypatch.setattr(fs.os, "link", link)
    pair.push(str(pair.folder))
    # The last one is the parcel's: whatever else was linked before it was not in this folder.
    assert seen and seen[-1] == []


def test_where_there_are_no_hard_links(pair, monkeypatch):
    def link(*args, **options):
        raise PermissionError(1, "not here")

    monkeypatch.setattr(folder_place.os, "link", link)
    assert pair.push(str(pair.folder)).state == "pushed"
    assert pair.fetch(str(pair.folder)).state == "fetched"


def test_two_pushes_at_once(sandbox):
    clones = Clones(sandbox)
    args = [sys.executable, "-m", "abcd_index", "push", "--to", str(sandbox.tmp / "place")]
    running = [subprocess.Popen(args, cwd=root, env=sandbox.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
               for root in (clones.a, clones.b, clones.a, clones.b)]
    said = [process.communicate(timeout=120)[1] for process in running]
    assert [process.returncode for process in running] == [0] * 4, said
    assert len(os.listdir(sandbox.tmp / "place")) == 1


def test_without_fsspec_the_extra_is_named(pair, monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(Unreachable, match="fsspec, which is not installed") as caught:
        pair.fetch("memory://x")
    assert "abcd-index[share]" in caught.value.hint
    assert pair.push(str(pair.folder)).state == "pushed"  # A folder needs no extra.


def test_a_protocol_that_nobody_knows(pair):
    with pytest.raises(Unreachable, match="cannot be opened"):
        pair.fetch("nosuch://bucket/x")


def test_a_library_that_is_not_there(pair, monkeypatch):
    def url_to_fs(url):
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr(fsspec.core, "url_to_fs", url_to_fs)
    with pytest.raises(Unreachable, match="Install s3fs"):
        pair.fetch("s3://bucket/x")


class Failing(fsspec.AbstractFileSystem):
    """A store that refuses, with its address and password in the sentence."""

    protocol = "failing"

    def _open(self, path, mode="rb", **options):
        raise RuntimeError("403 for https://me:s3cret@host/bucket?sig=s3cret")

    def info(self, path, **options):
        raise RuntimeError("403 for https://me:s3cret@host/bucket?sig=s3cret")


class Hanging(fsspec.AbstractFileSystem):
    """A store that never answers."""

    protocol = "hanging"
    ever = threading.Event()

    def _open(self, path, mode="rb", **options):
        self.ever.wait(60)
        raise FileNotFoundError(path)


def test_what_a_store_says_is_passed_on_without_secrets(pair, monkeypatch):
    monkeypatch.setattr(fsspec.core, "url_to_fs", lambda url: (Failing(), "x"))
    for attempt in (pair.fetch, pair.push):
        with pytest.raises(Unreachable) as caught:
            attempt("failing://me:s3cret@host/x")
        assert "403" in str(caught.value) and "s3cret" not in str(caught.value) + caught.value.hint


def test_a_store_that_never_answers(pair, monkeypatch):
    monkeypatch.setattr(fsspec.core, "url_to_fs", lambda url: (Hanging(), "x"))
    with pytest.raises(Unreachable, match="did not answer within 0.2 s"):
        pair.fetch("hanging://x", seconds=0.2)
    Hanging.ever.set()
    assert not (index_of(pair.sandbox.tmp / "two") / "current").exists()


def test_what_a_file_system_calls_the_time_of_a_file():
    assert url_place._seconds({"LastModified": "1970-01-01T00:00:09Z"}) == 9
    assert url_place._seconds({"mtime": 7.5}) == 7.5
    assert url_place._seconds({"created": "yesterday"}) == 0
    assert url_place._seconds({}) == 0


def test_the_work_of_a_killed_process_is_swept_up(pair):
    pair.push(str(pair.folder))
    index = index_of(pair.sandbox.tmp / "two")
    (index / ".tmp-share-deadbeef" / "objects").mkdir(parents=True)
    (index / ".tmp-share-deadbeef" / "objects" / "x").write_bytes(b"x")
    with fs.work_folder(str(index), ".tmp-share-") as alive:
        (index / ".tmp-share-deadbeef").mkdir(exist_ok=True)
        os.utime(alive, (time.time() - 9000,) * 2)  # Whoever lives may take long.
        pair.fetch(str(pair.folder))
        assert [str(path) for path in index.iterdir() if path.name.startswith(".tmp")] == [alive]


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_killed_half_way_the_old_answer_stands(sandbox):
    clones = Clones(sandbox)
    clones.run("push", "--to", "git:origin", cwd=clones.a)
    clones.run("build", cwd=clones.b)
    page = clones.b / ".abcd" / "memory" / "note_03.md"
    page.write_text(page.read_text() + "More.\n")
    clones.sandbox.git("remote", "add", "slow", "ssh://nobody@host.invalid/x", cwd=clones.b)
    before = contents(index_of(clones.b))
    started = sandbox.tmp / "started"
    process = subprocess.Popen([sys.executable, "-m", "abcd_index", "fetch", "--from", "git:slow"], cwd=clones.b,
                               env={**sandbox.env, "GIT_SSH_COMMAND": f"touch '{started}'; sleep 20 #"})
    while not started.exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    left = contents(index_of(clones.b))
    assert {name: data for name, data in left.items() if not name.startswith(".tmp-")} == before
    assert clones.run("build", cwd=clones.b)["state"] == "built"


def runs(number):
    """Whether the waiting program is there still, as more than an entry that nobody has collected yet. Its number may be
    another program's by now."""
    said = subprocess.run(["ps", "-o", "stat=,args=", "-p", number], capture_output=True, text=True).stdout.strip()
    return "sleep 60" in said and not said.startswith("Z")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM")
def test_told_to_end_no_git_stays_behind(sandbox):
    """One that waits for a remote that never answers would be there until somebody restarts the machine."""
    clones = Clones(sandbox)
    clones.sandbox.git("remote", "add", "slow", "ssh://nobody@host.invalid/x", cwd=clones.b)
    for sent in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        number = sandbox.tmp / f"number-{sent}"
        process = subprocess.Popen([sys.executable, "-m", "abcd_index", "fetch", "--from", "git:slow"], cwd=clones.b,
                                   env={**sandbox.env, "GIT_SSH_COMMAND": f"echo $$ >'{number}'; exec sleep 60 #"},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not number.exists() or not number.read_text().endswith("\n"):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(sent)
        assert process.wait(20) != 0
        for _ in range(200):
            if not runs(number.read_text().strip()):
                break
            time.sleep(0.05)
        assert not runs(number.read_text().strip())
        assert not [name for name in os.listdir(index_of(clones.b)) if name.startswith(".tmp-")]
