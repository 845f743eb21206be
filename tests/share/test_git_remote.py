"""Artefacts on a git remote: what one clone built the other has, and nothing else changed anywhere."""

import os
import subprocess
import sys

import pytest
from share_ground import LINES, PAGES, Ground, artefact_of, contents, index_of

REF = "refs/abcd-index/"


@pytest.fixture
def ground(box):
    return Ground(box)


def test_what_one_clone_pushed_the_other_fetches(ground):
    pushed = ground.run("push", "--to", "git:origin", cwd=ground.a)
    assert pushed["state"] == "pushed" and REF + pushed["key"] in ground.refs()
    fetched = ground.run("fetch", "--from", "git:origin", cwd=ground.b)
    assert (fetched["state"], fetched["key"], fetched["pages"]) == ("fetched", pushed["key"], len(PAGES) - 1)
    assert artefact_of(ground.a) == artefact_of(ground.b)
    assert ground.run("build", cwd=ground.b)["state"] == "current"
    assert ground.run("fetch", "--from", "git:nowhere", cwd=ground.b)["state"] == "current"


def edit(root):
    page = root / ".abcd" / "memory" / "note_03.md"
    page.write_text(page.read_text() + "Also rollbacks.\n")


def another_page(root):
    (root / ".abcd" / "memory" / "zz.md").write_text("---\nrecall: [rollback]\nsupersedes: [note_04.md]\n---\n# New\n" + LINES)


@pytest.mark.parametrize("change", [edit, another_page])
def test_the_next_edit_is_an_incremental_build_of_the_same_bytes(ground, change):
    ground.run("push", "--to", "git:origin", cwd=ground.a)
    ground.run("fetch", "--from", "git:origin", cwd=ground.b)
    for root in (ground.a, ground.b):
        change(root)
    built = ground.run("build", cwd=ground.b)
    assert (built["state"], built["recompiled"]) == ("built", 1)
    ground.run("build", "--force", cwd=ground.a)
    assert artefact_of(ground.a) == artefact_of(ground.b)


def test_a_second_push_sends_nothing(ground):
    first = ground.run("push", "--to", "git:origin", cwd=ground.a)
    refs, before = ground.refs(), contents(ground.bare)
    second = ground.run("push", "--to", "git:origin", cwd=ground.a)
    assert (second["state"], second["key"]) == ("there", first["key"])
    assert (ground.refs(), contents(ground.bare)) == (refs, before)


def test_nothing_of_the_repository_changes(ground):
    for root, command in ((ground.a, ("push", "--to")), (ground.b, ("fetch", "--from"))):
        (root / "README.md").write_text("# edited\n")
        before = {name: data for name, data in contents(root / ".git").items() if name != "index"}
        status = ground.box.git("status", "--porcelain=v2", "--branch", cwd=root).stdout
        ground.run(*command, "git:origin", cwd=root)
        # The list of stores is what every build may note there.
        after = {name: data for name, data in contents(root / ".git").items() if name != "index"}
        assert after == before
        assert ground.box.git("status", "--porcelain=v2", "--branch", cwd=root).stdout == status
        assert not [name for name in os.listdir(index_of(root)) if name.startswith(".tmp-")]


def test_a_mirror_gets_no_ref(ground):
    ground.run("push", "--to", "git:origin", cwd=ground.a)
    ground.box.git("config", "--add", "remote.origin.fetch", "+refs/*:refs/mirror/*", cwd=ground.b)
    ground.run("fetch", "--from", "git:origin", cwd=ground.b)
    assert "mirror" not in ground.box.git("for-each-ref", cwd=ground.b).stdout


def test_no_hook_of_ours_or_others_runs(ground):
    for root in (ground.a, ground.b):
        for name in ("pre-push", "reference-transaction", "post-checkout", "post-merge", "fsmonitor-watchman"):
            hook = root / ".git" / "hooks" / name
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(f"#!/bin/sh\necho ran >>'{ground.box.tmp}/ran'\nexit 1\n")
            hook.chmod(0o755)
    ground.run("push", "--to", "git:origin", "--keep", "1", cwd=ground.a)
    ground.run("fetch", "--from", "git:origin", cwd=ground.b)
    assert not (ground.box.tmp / "ran").exists()


def test_a_linked_worktree_pushes_and_fetches(ground):
    ground.box.git("worktree", "add", "-q", "../tree-a", "-b", "x", cwd=ground.a)
    ground.box.git("worktree", "add", "-q", "../tree-b", "-b", "x", cwd=ground.b)
    pushed = ground.run("push", "--to", "git:origin", cwd=ground.box.tmp / "tree-a")
    fetched = ground.run("fetch", "--from", "git:origin", cwd=ground.box.tmp / "tree-b")
    assert (pushed["state"], fetched["state"]) == ("pushed", "fetched")
    assert artefact_of(ground.box.tmp / "tree-a") == artefact_of(ground.box.tmp / "tree-b")


def test_a_submodule_uses_its_own_remote(ground):
    outer = ground.box.repo("outer")
    ground.box.git("submodule", "add", "-q", ground.bare.as_uri(), "sub", cwd=outer)
    pushed = ground.run("push", "--to", "git:origin", cwd=ground.a)
    fetched = ground.run("fetch", "--from", "git:origin", cwd=outer / "sub")
    assert (fetched["state"], fetched["key"]) == ("fetched", pushed["key"])


@pytest.mark.parametrize("options", [("--depth=1",), ("--filter=blob:none",), ("--reference", "a")])
def test_clones_that_lack_objects_fetch_as_well(ground, options):
    ground.box.git("config", "uploadpack.allowFilter", "true", cwd=ground.bare)
    ground.run("push", "--to", "git:origin", cwd=ground.a)
    clone = ground.clone("c", *options)
    assert ground.run("fetch", "--from", "git:origin", cwd=clone)["state"] == "fetched"
    assert artefact_of(ground.a) == artefact_of(clone)


def test_a_store_below_the_top(ground):
    inner = ground.a / "packages" / "api"
    ground.box.pages(inner, {"x.md": "---\nrecall: [api]\n---\n# X\n"})
    pushed = ground.run("push", "--to", "git:origin", cwd=inner)
    assert pushed["pages"] == 1 and REF + pushed["key"] in ground.refs()


def test_no_artefact_there(ground):
    report = ground.run("fetch", "--from", "git:origin", cwd=ground.b, code=1)
    assert report["state"] == "absent" and "no artefact of these pages" in report["said"]
    assert not (index_of(ground.b) / "current").exists()


@pytest.mark.parametrize("place, part", [("git:elsewhere", "no remote 'elsewhere'"), ("git:--upload-pack=x", "does not name"),
                                         ("git:", "does not name"), ("git:https://x/y", "does not name")])
def test_a_remote_that_is_none(ground, place, part):
    for command in (("fetch", "--from"), ("push", "--to")):
        assert part in ground.run(*command, place, cwd=ground.b, code=2)["said"]


def test_outside_of_a_repository(box):
    (box.tmp / "plain").mkdir()
    box.pages(box.tmp / "plain", {"x.md": "# X\n"})
    done = box.cli("push", "--to", "git:origin", cwd=box.tmp / "plain")
    assert done.returncode == 2 and "in no git work tree" in done.stderr


def test_a_remote_that_is_gone_leaves_the_artefact(ground):
    ground.run("build", cwd=ground.b)
    edit(ground.b)
    before = contents(index_of(ground.b))
    ground.bare.rename(ground.box.tmp / "moved")
    report = ground.run("fetch", "--from", "git:origin", cwd=ground.b, code=2)
    assert "git ls-remote" in report["said"] and "Traceback" not in report["said"]
    assert contents(index_of(ground.b)) == before
    assert ground.run("push", "--to", "git:origin", cwd=ground.b, code=2)["state"] == "failed"


def test_a_remote_that_refuses_is_quoted(ground):
    hook = ground.bare / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'only branches here, please' >&2\nexit 1\n")
    hook.chmod(0o755)
    report = ground.run("push", "--to", "git:origin", cwd=ground.a, code=2)
    assert "only branches here, please" in report["error"]
    assert ground.refs() == ["refs/heads/main"]


def test_what_lies_under_the_key_is_not_overwritten(ground):
    key = ground.run("build", cwd=ground.a)["key"]
    ground.box.git("push", "-q", "origin", f"HEAD:{REF}{key}", cwd=ground.a)
    tip = ground.box.git("rev-parse", REF + key, cwd=ground.bare).stdout
    assert "another artefact under the key" in ground.run("push", "--to", "git:origin", cwd=ground.a, code=2)["error"]
    assert ground.box.git("rev-parse", REF + key, cwd=ground.bare).stdout == tip
    assert "holds no artefact" in ground.run("fetch", "--from", "git:origin", cwd=ground.b, code=2)["error"]


def test_pushes_at_once_agree(ground):
    args = [sys.executable, "-m", "abcd_index", "push", "--to", "git:origin"]
    running = [subprocess.Popen(args, cwd=root, env=ground.box.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
               for root in (ground.a, ground.b, ground.clone("c"))]
    said = [process.communicate(timeout=120)[0].decode() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], said
    assert len([ref for ref in ground.refs() if ref.startswith(REF)]) == 1


def test_keep_deletes_the_oldest(ground):
    keys = []
    for _ in range(4):
        edit(ground.a)
        keys.append(ground.run("push", "--to", "git:origin", cwd=ground.a)["key"])
    stamp = "refs/abcd-index-pushed/"
    for number, key in enumerate(keys):  # Pushed within a second or two: give them ages.
        for ref in [ref for ref in ground.refs() if ref.startswith(stamp) and ref.endswith(key)]:
            ground.box.git("update-ref", f"{stamp}{1000 + number}-{key}", ref, cwd=ground.bare)
            ground.box.git("update-ref", "-d", ref, cwd=ground.bare)
    assert ground.run("push", "--to", "git:origin", "--keep", "2", cwd=ground.a)["pruned"] == 2
    left = ground.refs()
    assert {ref for ref in left if not ref.startswith(stamp)} == {"refs/heads/main", *(REF + key for key in keys[2:])}
    # The one that is pushed again is young again.
    ages = {ref.rpartition("-")[2]: int(ref[len(stamp):].partition("-")[0]) for ref in left if ref.startswith(stamp)}
    assert ages.keys() == set(keys[2:]) and ages[keys[2]] == 1002 and ages[keys[3]] > 10**9


def test_the_key_of_the_pages_is_kept_however_old(ground):
    key = ground.run("push", "--to", "git:origin", cwd=ground.a)["key"]
    edit(ground.b)
    ground.run("push", "--to", "git:origin", cwd=ground.b)
    assert ground.run("push", "--to", "git:origin", "--keep", "1", cwd=ground.a)["pruned"] == 1
    assert [ref for ref in ground.refs() if ref.startswith(REF)] == [REF + key]


def test_a_remote_that_never_answers(ground):
    ground.box.git("remote", "add", "slow", "ssh://nobody@host.invalid/x", cwd=ground.b)
    report = ground.run("fetch", "--from", "git:slow", "--timeout", "1", cwd=ground.b, code=2,
                        GIT_SSH_COMMAND="sleep 100 #")
    assert "did not answer within 1 s" in report["error"]


def test_passwords_are_not_printed(ground):
    ground.box.git("remote", "add", "private", "https://someone:s3cret@127.0.0.1:1/x.git", cwd=ground.a)
    for command in (("push", "--to"), ("fetch", "--from")):
        done = ground.box.cli(*command, "git:private", cwd=ground.a, env={**ground.box.env, "GIT_TRACE": ""})
        if command[0] == "push":
            assert done.returncode == 2 and "git ls-remote" in done.stderr
        assert "s3cret" not in done.stdout + done.stderr


def test_more_than_an_artefact_may_have_is_not_kept(ground, monkeypatch):
    from abcd_index.errors import AbcdError
    from abcd_index.scopes import Places, workspace_at
    from abcd_index.share import fetch as take
    from abcd_index.share.place import Named

    ground.run("push", "--to", "git:origin", cwd=ground.a)
    monkeypatch.setattr(take, "most_bytes", lambda observed: 500)
    for name, value in ground.box.env.items():
        monkeypatch.setenv(name, value)
    scope = workspace_at(str(ground.b), Places(ground.box.env))
    # While they come, where that takes a moment, else when all are there.
    with pytest.raises(AbcdError, match="more than any artefact|more than 500 bytes came"):
        take.fetch(scope, Named("git:origin", "option"))
    assert not (index_of(ground.b) / "current").exists()
