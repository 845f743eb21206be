"""Which place is used, and by whose word."""

import json
import os

import pytest

from abcd_index.errors import AbcdError, Forbidden
from abcd_index.scopes import Places, user_scope, workspace_at
from abcd_index.share.backends.url import Url
from abcd_index.share.place import Unreachable, find_place, without_secrets


class Settings:
    """A workspace and a home whose settings can be written."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.root = sandbox.repo("w", {"x.md": "# X\n"})
        self.user = sandbox.user_pages({"mine.md": "# Mine\n"}).parent

    def write(self, workspace=None, user=None):
        for folder, share in ((self.root / ".abcd", workspace), (self.user, user)):
            (folder / "config.json").write_text(json.dumps({"share": share or {}}))

    def find_place(self, option="", **env):
        places = Places({**self.sandbox.env, **env})
        return find_place(workspace_at(str(self.root), places), places, option)


@pytest.fixture
def named(sandbox):
    return Settings(sandbox)


def test_a_setting_of_the_project_counts_for_a_remote(named):
    named.write(workspace={"place": "git:origin"})
    assert (named.find_place().remote, named.find_place().who) == ("origin", "workspace")


@pytest.mark.parametrize("place", ["s3://bucket/x", "memory://x", "/mnt/share", "file:///mnt/share", "https://host/x"])
def test_a_setting_of_the_project_alone_reaches_no_other_place(named, place):
    named.write(workspace={"place": place})
    with pytest.raises(AbcdError, match="nobody on this machine has agreed"):
        named.find_place()
    named.write(workspace={"place": place}, user={"place": place})
    assert (named.find_place().text, named.find_place().who) == (place, "user")


def test_who_is_nearer_to_the_person_wins(named):
    named.write(workspace={"place": "git:a"}, user={"place": "git:b"})
    assert named.find_place().text == "git:b"
    assert named.find_place(ABCD_SHARE="git:c").text == "git:c"
    assert named.find_place("git:d", ABCD_SHARE="git:c").text == "git:d"


def test_no_place_at_all(named):
    with pytest.raises(AbcdError, match="no place") as caught:
        named.find_place()
    assert "git:origin" in caught.value.hint


def test_private_pages_go_where_the_command_line_says_only(named):
    named.write(workspace={"place": "git:a"}, user={"place": "git:b"})
    places = Places({**named.sandbox.env, "ABCD_SHARE": "git:c"})
    scope = user_scope("/", places)
    with pytest.raises(AbcdError, match="private"):
        find_place(scope, places)
    assert find_place(scope, places, "/mnt/mine").text == "/mnt/mine"


def test_the_command_line_does_not_push_private_pages_by_accident(named):
    place = named.sandbox.tmp / "place"
    done = named.sandbox.cli("push", "--to", str(place), cwd=named.root)
    assert done.returncode == 0 and len(list(place.iterdir())) == 1
    assert named.sandbox.cli("push", "--scope", "user", cwd=named.root, env={**named.sandbox.env, "ABCD_SHARE": str(place)}
                         ).returncode == 2
    assert len(list(place.iterdir())) == 1
    assert named.sandbox.cli("push", "--scope", "user", "--to", str(place), cwd=named.root).returncode == 0
    assert len(list(place.iterdir())) == 2


def test_a_relative_path_is_meant_from_here(named, monkeypatch):
    monkeypatch.chdir(named.sandbox.tmp)
    for place in ("./place", "sub/place", ".hidden", "place/"):
        assert named.find_place(place).text == str(named.sandbox.tmp / place.strip("./").replace("hidden", ".hidden"))
    (named.sandbox.tmp / "place").mkdir()
    assert named.find_place("place").text == str(named.sandbox.tmp / "place")
    with pytest.raises(AbcdError, match="nor an absolute path"):
        named.find_place(ABCD_SHARE="place")


@pytest.mark.parametrize("place", ["git:", "git:-x", "git:a b", "git:https://host/x", "a\nb"])
def test_what_is_no_place(named, place):
    with pytest.raises(AbcdError):
        named.find_place(place)


def test_the_name_of_a_remote_alone_makes_no_folder(named):
    """`push --to origin`, as one types after `git push origin`."""
    done = named.sandbox.cli("push", "--to", "origin", cwd=named.root)
    assert done.returncode == 2 and "write git:origin or ./origin" in done.stderr
    assert not (named.root / "origin").exists()


def test_share_settings_change_no_key(named):
    def key():
        done = named.sandbox.cli("build", "--json", "--scope", "workspace", cwd=named.root)
        return json.loads(done.stdout)["scopes"][0]["key"]

    before = key()
    named.write(workspace={"place": "git:origin", "fetch": True, "timeout": 5})
    assert key() == before
    (named.root / ".abcd" / "config.json").write_text('{"refresh_every": 3}')
    assert key() != before


@pytest.mark.parametrize("text, shown", [
    ("https://me:secret@host/x", "https://***@host/x"),
    ("https://token@host/x", "https://***@host/x"),
    ("https://me:se@cret@host/x", "https://***@host/x"),
    ("s3://bucket/x?secret=1", "s3://bucket/x"),
    ("s3://AKIA:sec/ret+x@bucket/x", "s3://***@bucket/x"),
    ("ftp://me:a/b?c@host/x", "ftp://***@host/x"),
    ("no 'https://me:a/b@host/x' and no https://host/y", "no 'https://***@host/x' and no https://host/y"),
    ("cannot reach 'ftp://me:secret@host/x?sig=secret': no", "cannot reach 'ftp://***@host/x': no"),
    ("git:origin", "git:origin"),
    ("/mnt/share/a@b", "/mnt/share/a@b"),
])
def test_no_secret_is_shown(text, shown):
    assert without_secrets(text) == shown


@pytest.mark.parametrize("form", ["{0}", "file://{0}", "local://{0}", "{0}/../.claude/x"])
def test_the_agents_own_folder_is_no_place(named, form):
    agents = named.sandbox.home / ".claude"
    agents.mkdir()
    (named.sandbox.tmp / "link").symlink_to(agents)
    for folder in (agents, agents / "x", named.sandbox.tmp / "link"):
        place = form.format(folder)
        if folder.name == "link" and ".." in form:
            continue
        with pytest.raises(Forbidden):
            named.find_place(place)
        for command in (("push", "--to"), ("fetch", "--from")):
            done = named.sandbox.cli(*command, place, cwd=named.root)
            assert done.returncode == 2 and "never opens" in done.stderr
    assert not list(agents.iterdir())


@pytest.mark.parametrize("place", [
    "local://~/.claude/x", "local://.claude/x", "file://~/.claude/x", "file:.claude/x", "local:/{0}/x", "file:{0}/x",
    "file://localhost{0}/x", "simplecache::file://{0}/x", "filecache::local://~/.claude/x", "dir::file://{0}/x",
    "zip://x::file://{0}/y", "s3:bucket/x", "memory:x", "S3::x"])
def test_what_only_looks_like_a_url_is_no_place(named, monkeypatch, place):
    """It would be a folder named so, or lead where no guard looks."""
    agents = named.sandbox.home / ".claude"
    agents.mkdir()
    monkeypatch.chdir(named.sandbox.home)
    before = sorted(os.listdir(named.sandbox.home))
    place = place.format(agents)
    for options, env in ((place, {}), ("", {"ABCD_SHARE": place})):
        with pytest.raises(AbcdError):
            named.find_place(options, **env)
    done = named.sandbox.cli("push", "--root", str(named.root), "--to", place, cwd=named.sandbox.home)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert sorted(os.listdir(named.sandbox.home)) == before and not list(agents.iterdir())


def test_a_folder_may_have_any_name(named):
    for name in ("a::b", "s3:x", "plain"):
        assert named.find_place(f"/mnt/{name}").text == f"/mnt/{name}"


def test_no_file_system_of_another_name_reads_this_disk(named, monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    local = fsspec.filesystem("file")
    monkeypatch.setattr(fsspec.core, "url_to_fs", lambda url: (local, "/x"))
    place = named.sandbox.tmp / "place"
    with pytest.raises(Unreachable, match="on this machine"):
        Url(f"odd://{place}", "odd://place", str(named.sandbox.tmp), 5)


def test_any_number_of_seconds_may_be_waited(named):
    pytest.importorskip("fsspec")
    done = named.sandbox.cli("fetch", "--from", "memory://x", "--timeout", "9" * 15, cwd=named.root)
    assert done.returncode == 1 and "no artefact of these pages" in done.stderr
