"""Whatever lies where a build reads and writes: links that lead out, pipes, set-back times, litter, any umask."""

import os
import stat
import time

import pytest

from abcd_index.build.run import build
from abcd_index.build.scan import observe
from abcd_index.scopes import Places, workspace_at
from abcd_index.share.place import share_settings
from abcd_index.verify.run import verify

PAGE = "---\nrecall: [login]\n---\n# Login\n\nThe first body.\n"


@pytest.fixture
def root(sandbox):
    return sandbox.repo("r", {"note_x_a.md": PAGE, "note_x_b.md": PAGE.replace("login", "deploy")})


def scope_of(sandbox, root):
    return workspace_at(str(root), Places(dict(sandbox.env)))


def edited_unseen(path):
    """Write another text of the same size, and set the times back."""
    before = os.stat(path)
    path.write_text(path.read_text().replace("first", "other"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (os.stat(path).st_size, os.stat(path).st_mtime_ns) == (before.st_size, before.st_mtime_ns)


@pytest.mark.parametrize("name", ["memory/note_x_a.md", "memory/index.md", "rules.json"])
def test_an_edit_of_equal_size_and_time_is_built(sandbox, root, name):
    home = root / ".abcd"
    (home / "memory" / "index.md").write_text("- `note_x_a.md` \u2014 note | x | The first line\n")
    (home / "rules.json").write_text(
        '{"schema_version": 1, "domains": {"D": {"state": "active", "recall": ["d"], "rules": ["The first."]}}}')
    for path in [*(home / "memory").iterdir(), home / "rules.json"]:
        os.utime(path, (time.time() - 100,) * 2)
    time.sleep(0.05)
    scope = scope_of(sandbox, root)
    key = build(scope).key
    assert build(scope).state == "current"
    edited_unseen(home / name)
    built = build(scope)
    assert built.key != key
    with open(built.path, "rb") as handle:
        found = handle.read()
    with open(build(scope, force=True).path, "rb") as handle:
        assert handle.read() == found


@pytest.mark.parametrize("name", ["rules.json", "config.json", "memory/index.md", "memory/note_x_c.md"])
@pytest.mark.parametrize("kind", ["outside", "dangling", "pipe", "device"])
def test_what_leads_out_or_is_no_file_is_named_and_never_read(sandbox, root, name, kind):
    outside = sandbox.tmp / "outside"
    outside.write_text("- `note_x_a.md` \u2014 the words from outside\n")
    path = root / ".abcd" / name
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to({"outside": outside, "dangling": sandbox.tmp / "nothing", "device": "/dev/zero"}[kind])
    scope = scope_of(sandbox, root)
    built = build(scope)
    with open(built.path, "rb") as handle:
        assert b"words from outside" not in handle.read()
    assert [row.file for row in verify(scope).rows if row.file.endswith(name.rpartition("/")[2])]
    assert share_settings(scope.home, Places(dict(sandbox.env)))["place"] == ""


def test_a_pipe_that_takes_a_pages_place_is_not_waited_for(sandbox, root):
    scope = scope_of(sandbox, root)
    observed = observe(scope)
    source = observed.page("note_x_a.md")
    source.data = None
    os.unlink(source.path)
    os.mkfifo(source.path)
    with pytest.raises(Exception, match="note_x_a.md"):
        source.read()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_nothing_is_written_by_others_and_the_users_folder_is_private(sandbox, root, umask):
    sandbox.user_pages({"mine.md": PAGE})
    os.chmod(sandbox.user, 0o755)
    sandbox.run("sh", "-c", f"umask {umask:03o}; abcd-index build", cwd=root)
    for top in (sandbox.user / ".index", root / ".abcd" / ".index"):
        for path in [top, *top.rglob("*")]:
            mode = stat.S_IMODE(path.lstat().st_mode)
            assert not mode & 0o022, path
            assert top != sandbox.user / ".index" or not mode & 0o077, path


def test_what_killed_writers_left_goes_and_what_people_wrote_stays(sandbox, root):
    scope = scope_of(sandbox, root)
    build(scope)
    for folder in (scope.store, scope.index):
        for name in (".tmp-abcd1234-note_x_a.md", ".tmp-mine.md", ".tmp-abcd1234"):
            with open(os.path.join(folder, name), "w") as handle:
                handle.write("half")
            os.utime(os.path.join(folder, name), (1, 1))
    build(scope)
    for folder in (scope.store, scope.index):
        assert [name for name in sorted(os.listdir(folder)) if name.startswith(".tmp-")] == [".tmp-mine.md"]
