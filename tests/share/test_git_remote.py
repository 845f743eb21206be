"""Artefacts on a git remote: what one clone built the other has, and nothing else changed anywhere."""

import os
import subprocess
import sys

import pytest
from clones import LINES, PAGES, Clones, artefact_of, contents, index_of

REF = "refs/abcd-index/"


@pytest.fixture
def clones(sandbox):
    return Clones(sandbox)


def test_what_one_clone_pushed_the_other_fetches(clones):
    pushed = clones.run("push", "--to", "git:origin", cwd=clones.a)
    assert pushed["state"] == "pushed" and REF + pushed["key"] in clones.refs()
    fetched = clones.run("fetch", "--from", "git:origin", cwd=clones.b)
    assert (fetched["state"], fetched["key"], fetched["pages"]) == ("fetched", pushed["key"], len(PAGES) - 1)
    assert artefact_of(clones.a) == artefact_of(clones.b)
    assert clones.run("build", cwd=clones.b)["state"] == "current"
    assert clones.run("fetch", "--from", "git:nowhere", cwd=clones.b)["state"] == "current"


def edit(root):
    page = root / ".abcd" / "memory" / "note_03.md"
    page.write_text(page.read_text() + "Also rollbacks.\n")


def another_page(root):
    (root / ".abcd" / "memory" / "zz.md").write_text("---\nrecall: [rollback]\nsupersedes: [note_04.md]\n---\n# New\n" + LINES)


@pytest.mark.parametrize("change", [edit, another_page])
def test_the_next_edit_is_an_incremental_build_of_the_same_bytes(clones, change):
    clones.run("push", "--to", "git:origin", cwd=clones.a)
    clones.run("fetch", "--from", "git:origin", cwd=clones.b)
    for root in (clones.a, clones.b):
        change(root)
    built = clones.run("build", cwd=clones.b)
    assert (built["state"], built["recompiled"]) == ("built", 1)
    clones.run("build", "--force", cwd=clones.a)
    assert artefact_of(clones.a) == artefact_of(clones.b)


def test_a_second_push_sends_nothing(clones):
    first = clones.run("push", "--to", "git:origin", cwd=clones.a)
    refs, before = clones.refs(), contents(clones.bare)
    second = clones.run("push", "--to", "git:origin", cwd=clones.a)
    assert (second["state"], second["key"]) == ("there", first["key"])
    assert (clones.refs(), contents(clones.bare)) == (refs, before)


def test_nothing_of_the_repository_changes(clones):
    for root, command in ((clones.a, ("push", "--to")), (clones.b, ("fetch", "--from"))):
        (root / "README.md").write_text("# edited\n")
        before = {name: data for name, data in contents(root / ".git").items() if name != "index"}
        status = clones.sandbox.git("status", "--porcelain=v2", "--branch", cwd=root).stdout
        clones.run(*command, "git:origin", cwd=root)
        # The list of stores is what every build may note there.
        after = {name: data for name, data in contents(root / ".git").items() if name != "index"}
        assert after == before
        assert clones.sandbox.git("status", "--porcelain=v2", "--branch", cwd=root).stdout == status
        assert not [name for name in os.listdir(index_of(root)) if name.startswith(".tmp-")]


def test_a_mirror_gets_no_ref(clones):
    clones.run("push", "--to", "git:origin", cwd=clones.a)
    clones.sandbox.git("config", "--add", "remote.origin.fetch", "+refs/*:refs/mirror/*", cwd=clones.b)
    clones.run("fetch", "--from", "git:origin", cwd=clones.b)
    assert "mirror" not in clones.sandbox.git("for-each-ref", cwd=clones.b).stdout


def test_no_hook_of_ours_or_others_runs(clones):
    for root in (clones.a, clones.b):
        for name in ("pre-push", "reference-transaction", "post-checkout", "post-merge", "fsmonitor-watchman"):
            hook = root / ".git" / "hooks" / name
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(f"#!/bin/sh\necho ran >>'{clones.sandbox.tmp}/ran'\nexit 1\n")
            hook.chmod(0o755)
    clones.run("push", "--to", "git:origin", "--keep", "1", cwd=clones.a)
    clones.run("fetch", "--from", "git:origin", cwd=clones.b)
    assert not (clones.sandbox.tmp / "ran").exists()


def test_a_linked_worktree_pushes_and_fetches(clones):
    clones.sandbox.git("worktree", "add", "-q", "../tree-a", "-b", "x", cwd=clones.a)
    clones.sandbox.git("worktree", "add", "-q", "../tree-b", "-b", "x", cwd=clones.b)
    pushed = clones.run("push", "--to", "git:origin", cwd=clones.sandbox.tmp / "tree-a")
    fetched = clones.run("fetch", "--from", "git:origin", cwd=clones.sandbox.tmp / "tree-b")
    assert (pushed["state"], fetched["state"]) == ("pushed", "fetched")
    assert artefact_of(clones.sandbox.tmp / "tree-a") == artefact_of(clones.sandbox.tmp / "tree-b")


def test_a_submodule_uses_its_own_remote(clones):
    outer = clones.sandbox.repo("outer")
    clones.sandbox.git("submodule", "add", "-q", clones.bare.as_uri(), "sub", cwd=outer)
    pushed = clones.run("push", "--to", "git:origin", cwd=clones.a)
    fetched = clones.run("fetch", "--from", "git:origin", cwd=outer / "sub")
    assert (fetched["state"], fetched["key"]) == ("fetched", pushed["key"])


@pytest.mark.parametrize("options", [("--depth=1",), ("--filter=blob:none",), ("--reference", "a")])
def test_clones_that_lack_objects_fetch_as_well(clones, options):
    clones.sandbox.git("config", "uploadpack.allowFilter", "true", cwd=clones.bare)
    clones.run("push", "--to", "git:origin", cwd=clones.a)
    clone = clones.clone("c", *options)
    assert clones.run("fetch", "--from", "git:origin", cwd=clone)["state"] == "fetched"
    assert artefact_of(clones.a) == artefact_of(clone)


def test_a_store_below_the_top(clones):
    inner = clones.a / "packages" / "api"
    clones.sandbox.pages(inner, {"x.md": "---\nrecall: [api]\n---\n# X\n"})
    pushed = clones.run("push", "--to", "git:origin", cwd=inner)
    assert pushed["pages"] == 1 and REF + pushed["key"] in clones.refs()


def test_no_artefact_there(clones):
    report = clones.run("fetch", "--from", "git:origin", cwd=clones.b, code=1)
    assert report["state"] == "absent" and "no artefact of these pages" in report["said"]
    assert not (index_of(clones.b) / "current").exists()


@pytest.mark.parametrize("place, part", [("git:elsewhere", "no remote 'elsewhere'"), ("git:--upload-pack=x", "does not name"),
                                         ("git:", "does not name"), ("git:https://x/y", "does not name")])
def test_a_remote_that_is_none(clones, place, part):
    for command in (("fetch", "--from"), ("push", "--to")):
        assert part in clones.run(*command, place, cwd=clones.b, code=2)["said"]


def test_outside_of_a_repository(sandbox):
    (sandbox.tmp / "plain").mkdir()
    sandbox.pages(sandbox.tmp / "plain", {"x.md": "# X\n"})
    done = sandbox.cli("push", "--to", "git:origin", cwd=sandbox.tmp / "plain")
    assert done.returncode == 2 and "in no git work tree" in done.stderr


def test_a_remote_that_is_gone_leaves_the_artefact(clones):
    clones.run("build", cwd=clones.b)
    edit(clones.b)
    before = contents(index_of(clones.b))
    clones.bare.rename(clones.sandbox.tmp / "moved")
    report = clones.run("fetch", "--from", "git:origin", cwd=clones.b, code=2)
    assert "git ls-remote" in report["said"] and "Traceback" not in report["said"]
    assert contents(index_of(clones.b)) == before
    assert clones.run("push", "--to", "git:origin", cwd=clones.b, code=2)["state"] == "failed"


def test_a_remote_that_refuses_is_quoted(clones):
    hook = clones.bare / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'only branches here, please' >&2\nexit 1\n")
    hook.chmod(0o755)
    report = clones.run("push", "--to", "git:origin", cwd=clones.a, code=2)
    assert "only branches here, please" in report["error"]
    assert clones.refs() == ["refs/heads/main"]


def test_what_lies_under_the_key_is_not_overwritten(clones):
    key = clones.run("build", cwd=clones.a)["key"]
    clones.sandbox.git("push", "-q", "origin", f"HEAD:{REF}{key}", cwd=clones.a)
    tip = clones.sandbox.git("rev-parse", REF + key, cwd=clones.bare).stdout
    assert "another artefact under the key" in clones.run("push", "--to", "git:origin", cwd=clones.a, code=2)["error"]
    assert clones.sandbox.git("rev-parse", REF + key, cwd=clones.bare).stdout == tip
    assert "holds no artefact" in clones.run("fetch", "--from", "git:origin", cwd=clones.b, code=2)["error"]


def test_pushes_at_once_agree(clones):
    args = [sys.executable, "-m", "abcd_index", "push", "--to", "git:origin"]
    running = [subprocess.Popen(args, cwd=root, env=clones.sandbox.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
               for root in (clones.a, clones.b, clones.clone("c"))]
    said = [process.communicate(timeout=120)[0].decode() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], said
    assert len([ref for ref in clones.refs() if ref.startswith(REF)]) == 1


def test_keep_deletes_the_oldest(clones):
    keys = []
    for _ in range(4):
        edit(clones.a)
        keys.append(clones.run("push", "--to", "git:origin", cwd=clones.a)["key"])
    stamp = "refs/abcd-index-pushed/"
    for number, key in enumerate(keys):  # Pushed within a second or two: give them ages.
        for ref in [ref for ref in clones.refs() if ref.startswith(stamp) and ref.endswith(key)]:
            clones.sandbox.git("update-ref", f"{stamp}{1000 + number}-{key}", ref, cwd=clones.bare)
            clones.sandbox.git("update-ref", "-d", ref, cwd=clones.bare)
    assert clones.run("push", "--to", "git:origin", "--keep", "2", cwd=clones.a)["pruned"] == 2
    left = clones.refs()
    assert {ref for ref in left if not ref.startswith(stamp)} == {"refs/heads/main", *(REF + key for key in keys[2:])}
    # The one that is pushed again is young again.
    ages = {ref.rpartition("-")[2]: int(ref[len(stamp):].partition("-")[0]) for ref in left if ref.startswith(stamp)}
    assert ages.keys() == set(keys[2:]) and ages[keys[2]] == 1002 and ages[keys[3]] > 10**9


def test_the_key_of_the_pages_is_kept_however_old(clones):
    key = clones.run("push", "--to", "git:origin", cwd=clones.a)["key"]
    edit(clones.b)
    clones.run("push", "--to", "git:origin", cwd=clones.b)
    assert clones.run("push", "--to", "git:origin", "--keep", "1", cwd=clones.a)["pruned"] == 1
    assert [ref for ref in clones.refs() if ref.startswith(REF)] == [REF + key]


def test_a_remote_that_never_answers(clones):
    clones.sandbox.git("remote", "add", "slow", "ssh://nobody@host.invalid/x", cwd=clones.b)
    report = clones.run("fetch", "--from", "git:slow", "--timeout", "1", cwd=clones.b, code=2,
                        GIT_SSH_COMMAND="sleep 100 #")
    assert "did not answer within 1 s" in report["error"]


def test_passwords_are_not_printed(clones):
    clones.sandbox.git("remote", "add", "private", "https://someone:s3cret@127.0.0.1:1/x.git", cwd=clones.a)
    for command in (("push", "--to"), ("fetch", "--from")):
        done = clones.sandbox.cli(*command, "git:private", cwd=clones.a, env={**clones.sandbox.env, "GIT_TRACE": ""})
        if command[0] == "push":
            assert done.returncode == 2 and "git ls-remote" in done.stderr
        assert "s3cret" not in done.stdout + done.stderr


def test_more_than_an_artefact_may_have_is_not_kept(clones, monkeypatch):
    from abcd_index.errors import AbcdError
    from abcd_index.scopes import Places, workspace_at
    from abcd_index.share import fetch as take
    from abcd_index.share.place import Place

    clones.run("push", "--to", "git:origin", cwd=clones.a)
    monkeypatch.setattr(take, "most_bytes", lambda observed: 500)
    for name, value in clones.sandbox.env.items():
        monkeypatch.setenv(name, value)
    scope = workspace_at(str(clones.b), Places(clones.sandbox.env))
    # While they come, where that takes a moment, else when all are there.
    with pytest.raises(AbcdError, match="more than any artefact|more than 500 bytes came"):
        take.fetch(scope, Place("git:origin", "option"))
    assert not (index_of(clones.b) / "current").exists()
