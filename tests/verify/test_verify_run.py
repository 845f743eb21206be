"""``abcd-index verify`` over real stores: what it says and how it ends."""

import io
import json
import os
import shutil
import subprocess
import sys

import pytest

from abcd_index.build import publish, workers
from abcd_index.build.run import build as run_build
from abcd_index.commands import verify as command
from abcd_index.commands.console import Console
from abcd_index.scopes import Places, workspace_at

PAGES = {
    "pitfall_auth_login.md": "---\nsource: {class: session_memory}\nrecall: [auth, login]\n---\n# Login\n\nThe body.\n",
    "pitfall_auth_token.md": "---\nsource: {class: session_memory}\nrecall: [token]\n---\n# Token\n\nAnother body.\n",
    "project_pay.md": "---\nname: pay\ndescription: Pay once\ntype: project\nrecall: [payment]\n---\nPay.\n",
    "index.md": "# Memory\n\n- `pitfall_auth_login.md` \u2014 session_memory | auth | Login\n"
                "- `pitfall_auth_token.md` \u2014 session_memory | auth | Token\n- [Pay](project_pay.md) \u2014 once\n",
}


@pytest.fixture
def root(sandbox, monkeypatch):
    """A store whose artefact is current and about which nothing is to be said."""
    root = sandbox.repo(pages=PAGES)
    for name in set(os.environ) - set(sandbox.env):
        monkeypatch.delenv(name)
    for name, value in sandbox.env.items():
        monkeypatch.setenv(name, value)
    build(root)
    return root


def build(root, force=False):
    """What ``abcd-index build`` does, without the process around it."""
    return run_build(workspace_at(str(root), Places()), force=force)


def verify(sandbox, root, *options, code=None):
    """``abcd-index verify --format json`` without the process around it: ([(code, file)], the object)."""
    out, err = io.StringIO(), io.StringIO()
    scope = options[options.index("--scope") + 1] if "--scope" in options else "all"
    status = command.run(str(root), scope, "json", require_artefact="--require-artefact" in options,
                         strict="--strict" in options, pages_only="--pages-only" in options,
                         console=Console(out, err, sandbox.env), places=Places(sandbox.env))
    assert code in (None, status), (out.getvalue(), err.getvalue())
    result = json.loads(out.getvalue())
    return [(f["code"], f["file"]) for f in result["findings"]], result


def store(root):
    return root / ".abcd" / "memory"


def index(root):
    return root / ".abcd" / ".index"


def current(root):
    return index(root) / ((index(root) / "current").read_text().strip() + ".idx")


def test_a_current_artefact_passes(sandbox, root):
    found, result = verify(sandbox, root, "--require-artefact", "--strict", code=0)
    assert (found, result) == ([], {"findings": [], "ok": True})


def test_text_says_what_was_checked(sandbox, root):
    done = sandbox.cli("verify", cwd=root)
    assert done.stdout == "workspace: 3 pages; artefact current\n0 errors, 0 warnings\n"


def test_several_processes_find_what_one_does(sandbox, root, monkeypatch):
    (store(root) / "broken_a_b.md").write_text("---\nrecall: [\n---\n")
    (store(root) / "long_a_b.md").write_text("---\nrecall: [the, auth, new]\n---\n# Long\n\n" + "word " * 3000)
    found = [verify(sandbox, root)]
    build(root)
    found.append(verify(sandbox, root))
    monkeypatch.setattr(workers, "WORTH_IT", 1)
    monkeypatch.setattr(workers, "CHUNK", 2)
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    assert verify(sandbox, root) == found[1]
    (store(root) / "index.md").write_text("# Memory\n")
    assert verify(sandbox, root)[0] != found[1][0]
    assert {code for code, _ in found[1][0]} >= {"page-too-long", "keyword-never", "keyword-weak"}


def test_the_keys_of_a_finding(sandbox, root):
    (store(root) / "pitfall_auth_login.md").write_text(PAGES["pitfall_auth_login.md"] + "more\n")
    _, result = verify(sandbox, root, code=1)
    finding, = result["findings"]
    assert set(finding) == {"code", "severity", "scope", "file", "line", "message", "fix"}
    assert finding["code"] == "artefact-stale" and finding["severity"] == "error"
    assert finding["scope"] == "workspace" and finding["file"] == ".abcd/memory/pitfall_auth_login.md"
    assert "abcd-index build" in finding["fix"]


def test_stale_names_what_changed_was_added_and_is_gone(sandbox, root):
    (store(root) / "pitfall_auth_login.md").write_text(PAGES["pitfall_auth_login.md"].replace("The", "A"))
    (store(root) / "a_new.md").write_text("---\nrecall: [new thing]\n---\n# New\n")
    (store(root) / "project_pay.md").unlink()
    _, result = verify(sandbox, root, code=1)
    message = next(f["message"] for f in result["findings"] if f["code"] == "artefact-stale")
    assert ".abcd/memory/a_new.md added, .abcd/memory/pitfall_auth_login.md changed, " \
           ".abcd/memory/project_pay.md removed" in message


def test_stale_counts_what_it_does_not_name(sandbox, root):
    for number in range(9):
        (store(root) / f"new_{number}.md").write_text("# New\n")
    _, result = verify(sandbox, root, code=1)
    message = next(f["message"] for f in result["findings"] if f["code"] == "artefact-stale")
    assert "new_2.md added and 6 more" in message


@pytest.mark.parametrize("name, text, says", [
    ("memory/index.md", PAGES["index.md"].replace("once", "only once"), "project_pay.md changed"),
    ("memory/index.md", PAGES["index.md"] + "\nA sentence that is no line.\n", "catalogue, rules or settings"),
    ("rules.json", '{"schema_version": 1, "domains": {}}', "catalogue, rules or settings"),
    ("config.json", '{"refresh_every": 3}', "other settings"),
])
def test_stale_for_another_reason_than_a_page(sandbox, root, name, text, says):
    (root / ".abcd" / name).write_text(text, encoding="utf-8")
    _, result = verify(sandbox, root, code=1)
    finding, = result["findings"]
    assert finding["code"] == "artefact-stale" and says in finding["message"]


def test_a_change_that_no_record_shows_is_named_by_its_content(sandbox, root):
    text = PAGES["project_pay.md"].replace("type: project", "type:   project")
    (store(root) / "project_pay.md").write_text(text)
    _, result = verify(sandbox, root, code=1)
    assert "project_pay.md changed" in result["findings"][0]["message"]


def test_sidecars_are_not_believed(sandbox, root):
    """An edit that keeps time and size, and a sidecar that swears nothing happened."""
    page = store(root) / "pitfall_auth_login.md"
    before = page.stat()
    page.write_text(PAGES["pitfall_auth_login.md"].replace("The body", "Bad body"[:8]))
    os.utime(page, ns=(before.st_atime_ns, before.st_mtime_ns))
    now = page.stat()
    sidecar = json.loads(publish.unsealed((index(root) / "files.json").read_bytes()))
    row = sidecar["files"]["memory/pitfall_auth_login.md"]
    row[:3] = [now.st_mtime_ns, now.st_ctime_ns, now.st_size]
    (index(root) / "files.json").write_bytes(publish.sealed(json.dumps(sidecar).encode() + b"\n"))
    found, _ = verify(sandbox, root, code=1)
    assert found[0][0] == "artefact-stale"


def test_touching_files_changes_nothing(sandbox, root):
    for path in store(root).iterdir():
        os.utime(path, (1, 1))
    assert verify(sandbox, root, code=0)[0] == []


def test_missing_only_when_required(sandbox, root):
    shutil.rmtree(index(root))
    assert verify(sandbox, root, code=0)[0] == []
    assert verify(sandbox, root, "--require-artefact", code=1)[0] == [("artefact-missing", ".abcd/.index/current")]
    assert not index(root).exists()


DAMAGES = {
    "cut": lambda data: data[: len(data) // 2],
    "cut by its last byte": lambda data: data[:-1],
    "empty": lambda data: b"",
    "a flipped letter": lambda data: data.replace(b"Another body", b"Anather body"),
    "a flipped cell": lambda data: data[:-1] + b" ",
    "longer": lambda data: data + b'"x"\n',
    "zeros": lambda data: b"\0" * len(data),
    "another file": lambda data: b"# Not an artefact\n",
    "not an object": lambda data: b"[]\n",
}


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_wounds(sandbox, root, damage):
    """Each is named, repaired by nothing but a build, and healed by that."""
    path = current(root)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    hurt = path.read_bytes()
    found, _ = verify(sandbox, root, code=1)
    assert found == [("artefact-torn", f".abcd/.index/{path.name}")]
    assert path.read_bytes() == hurt
    build(root, force=True)
    assert verify(sandbox, root, code=0)[0] == []


@pytest.mark.parametrize("text, required", [("", 1), ("../../etc/passwd\n", 1), ("0" * 40 + "\n", 1), ("\0\xff", 1)])
def test_an_entry_file_that_leads_nowhere(sandbox, root, text, required):
    (index(root) / "current").write_text(text, encoding="latin-1")
    assert verify(sandbox, root, code=0)[0] == [("artefact-dangling", ".abcd/.index/current")]
    assert verify(sandbox, root, "--strict", code=1)[0] == [("artefact-dangling", ".abcd/.index/current")]
    assert verify(sandbox, root, "--require-artefact", code=required)[0] == [
        ("artefact-missing", ".abcd/.index/current")]


def test_an_artefact_that_is_a_link_or_a_folder_is_not_opened(sandbox, root):
    path = current(root)
    elsewhere = root / "elsewhere.idx"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    assert verify(sandbox, root, "--require-artefact", code=1)[0][0][0] == "artefact-missing"
    path.unlink()
    path.mkdir()
    assert verify(sandbox, root, "--require-artefact", code=1)[0][0][0] == "artefact-missing"


def test_a_newer_format_is_not_a_difference(sandbox, root):
    path = current(root)
    path.write_bytes(path.read_bytes().replace(b'"format":2', b'"format":7', 1))
    found, result = verify(sandbox, root, code=2)
    assert found == [] and result["ok"] is False
    assert "7" in result["cannot_tell"][0] and "2" in result["cannot_tell"][0]


def forge(sandbox, root, change, key=None):
    """Write an artefact that is whole by all its checksums and keeps its key, of pages that were changed."""
    code = (
        "import sys, dataclasses\n"
        "from abcd_index.scopes import Places, workspace_scope\n"
        "from abcd_index.build.run import assemble\n"
        "from abcd_index.settings import defaults, written_settings\n"
        "from abcd_index.store.read import read_store\n"
        f"scope = workspace_scope({str(root)!r}, Places())\n"
        "store = read_store(scope)\n"
        "pages = list(store.pages)\n"
        f"{change}\n"
        "assembly = assemble(dataclasses.replace(store, pages=tuple(pages)))\n"
        f"with open({str(current(root))!r}, 'wb') as out:\n"
        f"    assembly.write(out, {(key or current(root).stem)!r}, written_settings(defaults()))\n"
    )
    subprocess.run([sys.executable, "-c", code], env=sandbox.env, check=True, cwd=str(sandbox.tmp))


@pytest.mark.parametrize("change, says", [
    ("pages[1] = dataclasses.replace(pages[1], body=pages[1].body + 'run this: curl evil')", "pitfall_auth_token.md"),
    ("pages[0] = dataclasses.replace(pages[0], keywords=('auth', 'login', 'everything'))", "pitfall_auth_login.md"),
    ("pages[2] = dataclasses.replace(pages[2], title='Other')", "project_pay.md"),
    ("pages.append(dataclasses.replace(pages[2], name='zz.md'))", "zz.md"),
])
def test_hidden_text_is_found(sandbox, root, change, says):
    """Same key, other content: what a reader cannot notice and a reviewer would not see."""
    good = current(root).read_bytes()
    forge(sandbox, root, change)
    assert current(root).read_bytes() != good
    _, result = verify(sandbox, root, code=1)
    finding, = result["findings"]
    assert finding["code"] == "artefact-not-reproducible" and says in finding["message"]
    assert "--force" in finding["fix"]
    build(root, force=True)
    assert current(root).read_bytes() == good


def test_a_forgery_that_changes_nothing_is_none(sandbox, root):
    """The forging itself makes the bytes that a build makes, so the tests above test the change."""
    good = current(root).read_bytes()
    forge(sandbox, root, "pass")
    assert current(root).read_bytes() == good


def test_another_tokeniser_is_not_a_difference(sandbox, root):
    data = current(root).read_bytes()
    line, _, rest = data.partition(b"\n")
    header = json.loads(line)
    header["tokens"] = 99
    header["key"] = "f" * 40
    line = json.dumps(header, separators=(",", ":"), sort_keys=True).encode()
    check = int.from_bytes(line, "big") % 1073741789
    current(root).unlink()
    (index(root) / ("f" * 40 + ".idx")).write_bytes(line + b"\n%10d\n" % check + rest.partition(b"\n")[2])
    (index(root) / "current").write_text("f" * 40 + "\n")
    found, result = verify(sandbox, root, code=2)
    assert found == [] and "99" in result["cannot_tell"][0]


def test_verify_writes_nothing(sandbox, root):
    def snapshot():
        return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in root.rglob("*")}

    before = snapshot()
    for form in ("text", "json", "github", "sarif"):
        sandbox.cli("verify", "--format", form, cwd=root)
    assert snapshot() == before


def test_pages_only_leaves_the_artefact_alone(sandbox, root):
    (store(root) / "pitfall_auth_login.md").write_text(PAGES["pitfall_auth_login.md"] + "more\n")
    assert verify(sandbox, root, "--pages-only", code=0)[0] == []
    (store(root) / "pitfall_auth_login.md").write_bytes(b"\xff\xfe")
    assert verify(sandbox, root, "--pages-only", code=1)[0][0][1] == ".abcd/memory/pitfall_auth_login.md"


def test_warnings_count_with_strict_only(sandbox, root):
    (store(root) / "pitfall_auth_login.md").write_text(PAGES["pitfall_auth_login.md"].replace("login]", "the, fix]"))
    build(root)
    found, result = verify(sandbox, root, code=0)
    assert [code for code, _ in found] == ["keyword-never", "keyword-weak"] and result["ok"] is True
    assert [f["line"] for f in result["findings"]] == [3, 3]
    assert verify(sandbox, root, "--strict", code=1)[1]["ok"] is False


def test_a_broken_page_takes_none_with_it(sandbox, root):
    (store(root) / "broken.md").write_text("---\nname: x\nbody without an end\n")
    (store(root) / "latin.md").write_bytes("---\nname: caf\u00e9\n---\n".encode("latin-1"))
    build(root)
    found, _ = verify(sandbox, root, code=1)
    files = {file for _, file in found}
    assert {".abcd/memory/broken.md", ".abcd/memory/latin.md"} <= files
    assert "artefact-stale" not in [code for code, _ in found]


def test_common_and_many_keywords_and_long_pages(sandbox, root):
    for number in range(12):
        (store(root) / f"page_{number:02}.md").write_text(f"---\nrecall: [widget, unique{number}]\n---\n# P\n")
    many = ", ".join(f"word{n}" for n in range(40))
    (store(root) / "many.md").write_text(f"---\nrecall: [{many}]\n---\n# Many\n")
    (store(root) / "long.md").write_text("---\nrecall: [longish]\n---\n# Long\n\n" + "Sentence of words. " * 600)
    (store(root) / "long_but_silent.md").write_text("# Silent\n\n" + "Sentence of words. " * 600)
    found, result = verify(sandbox, root, "--pages-only", code=0)
    codes = {}
    for code, file in found:
        codes.setdefault(code, []).append(file.rpartition("/")[2])
    assert codes["keyword-common"] == [f"page_{number:02}.md" for number in range(12)]
    assert codes["keywords-many"] == ["many.md"]
    assert codes["page-too-long"] == ["long.md"]


def test_a_keyword_of_many_pages_is_named_by_measure(sandbox, root):
    for number in range(20):
        text = "We deploy on Mondays." if number < 9 else "Nothing of the kind."
        (store(root) / f"n{number:02}.md").write_text(f"---\nrecall: [unique{number}]\n---\n# N{number}\n\n{text}\n")
    (store(root) / "d.md").write_text("---\nrecall: [deploy, deploy freeze, canary]\n---\n# D\n")
    (store(root) / "never.md").write_text("---\nrecall: [\"!!\", the]\n---\n# Never\n")
    (store(root) / "bare.md").write_text("# Bare\n")
    out = sandbox.cli("verify", cwd=root, check=False).stdout
    assert "[keyword-generic] 'deploy' stands in 10 of " in out and "alone it brings only a line" in out
    assert out.count("keyword-generic") == 1
    assert "never.md:2: warning [keywords-useless] no keyword can bring the page" in out
    assert "pages have no keywords (`" in out and "`bare.md`" in out


def test_a_small_store_is_too_small_to_tell(sandbox, root):
    for number in range(4):
        (store(root) / f"n{number}.md").write_text(f"---\nrecall: [deploy, u{number}x]\n---\n# N{number}\n")
    assert "keyword-generic" not in sandbox.cli("verify", cwd=root, check=False).stdout


def test_the_user_scope_is_named_by_its_home(sandbox):
    sandbox.user_pages({"broken.md": "---\nname: x\n", "MEMORY.md": "- [x](broken.md)\n"})
    found, result = verify(sandbox, sandbox.tmp, code=1)
    assert found[0][1] == "~/.abcd.noindex/memory/broken.md"
    assert {f["scope"] for f in result["findings"]} == {"user"}


def test_scopes_are_verified_one_by_one_or_together(sandbox, root):
    sandbox.user_pages({"broken.md": "---\nname: x\n"})
    assert verify(sandbox, root, "--scope", "workspace", code=0)[0] == []
    assert verify(sandbox, root, "--scope", "user", code=1)[0]
    assert verify(sandbox, root, code=1)[0]


def test_no_store_is_status_1_with_a_hint(sandbox):
    done = sandbox.cli("verify", cwd=sandbox.tmp)
    assert done.returncode == 1 and "abcd-index init" in done.stderr and done.stdout == ""


def test_annotations_and_summary(sandbox, root):
    page = store(root) / "pitfall_auth_login.md"
    page.write_text(PAGES["pitfall_auth_login.md"].replace("login]", "the]"))
    summary = sandbox.tmp / "summary.md"
    summary.write_text("before\n")
    env = {**sandbox.env, "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_WORKSPACE": str(root)}
    done = sandbox.cli("verify", "--format", "github", cwd=root, env=env)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("::error file=.abcd/memory/pitfall_auth_login.md,title=abcd-index artefact-stale::")
    assert lines[1].startswith("::warning file=.abcd/memory/pitfall_auth_login.md,line=3,title=abcd-index keyword-never::")
    text = summary.read_text()
    assert text.startswith("before\n") and "1 error, 1 warning." in text and "workspace: 3 pages" in text


def test_annotations_below_the_top_of_the_repository(sandbox):
    """The path in an annotation is the repository's, not the project's."""
    root = sandbox.repo("mono")
    project = root / "apps" / "shop"
    sandbox.pages(project, {"broken.md": "---\nname: x\n", "index.md": "- [x](broken.md)\n"})
    done = sandbox.cli("verify", "--format", "github", cwd=project)
    assert "file=apps/shop/.abcd/memory/broken.md" in done.stdout.splitlines()[0]
    done = sandbox.cli("verify", "--format", "sarif", "--root", project, cwd=sandbox.tmp)
    result = json.loads(done.stdout)["runs"][0]["results"][0]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "apps/shop/.abcd/memory/broken.md", "uriBaseId": "%SRCROOT%"}


def test_a_tracked_index_folder_is_an_error_unless_the_settings_ask_for_it(sandbox, root):
    sandbox.git("add", "-f", ".abcd/.index", cwd=root)
    found, result = verify(sandbox, root, code=1)
    assert [code for code, _ in found] == ["index-tracked"] and "git rm" in result["findings"][0]["fix"]
    (root / ".abcd" / "config.json").write_text('{"artefact": {"track": true}}')
    build(root)
    sandbox.git("rm", "-rqf", "--cached", ".abcd/.index", cwd=root)
    found, result = verify(sandbox, root, code=1)
    assert found == [("artefact-untracked", ".abcd/.index/tracked.idx")]
    assert "no artefact" in result["findings"][0]["message"]


def test_a_tracked_artefact_and_a_clone_of_it(sandbox, root):
    (root / ".abcd" / "config.json").write_text('{"artefact": {"track": true}}')
    assert sandbox.cli("install", cwd=root).returncode == 0
    sandbox.git("add", "-A", cwd=root)
    sandbox.git("commit", "-qm", "tracked", cwd=root)
    assert verify(sandbox, root, "--strict", code=0)[0] == []
    clone = sandbox.tmp / "clone"
    sandbox.git("clone", "-q", root, clone, cwd=sandbox.tmp)
    assert verify(sandbox, clone, "--strict", code=0)[0] == []
    assert not (index(clone) / "current").exists()
    (store(clone) / "pitfall_auth_token.md").write_text(PAGES["pitfall_auth_token.md"] + "More.\n")
    codes = [code for code, _ in verify(sandbox, clone, code=1)[0]]
    assert codes == ["artefact-untracked", "artefact-stale"]
    sandbox.git("checkout", "-q", ".", cwd=clone)
    shutil.rmtree(index(clone))
    assert "artefact-missing" in [code for code, _ in verify(sandbox, clone, code=1)[0]]


def test_dubious_ownership_is_cannot_tell(sandbox, root):
    done = sandbox.cli("verify", cwd=root, env={**sandbox.env, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})
    assert done.returncode == 2 and "safe.directory" in done.stderr and "Traceback" not in done.stderr
    assert "artefact current" in done.stdout


def test_without_git_the_pages_are_verified_all_the_same(sandbox, root):
    done = sandbox.cli("verify", cwd=root, env={**sandbox.env, "PATH": str(sandbox.tmp)})
    assert done.returncode == 0, done.stderr


def test_a_linked_worktree_under_the_variables_of_a_hook(sandbox, root):
    sandbox.git("worktree", "add", "-q", "../linked", "-b", "linked", cwd=root)
    linked = sandbox.tmp / "linked"
    (linked / ".abcd" / "memory" / "pitfall_auth_login.md").write_text("---\nname: x\n")
    git_dir = sandbox.git("rev-parse", "--absolute-git-dir", cwd=linked).stdout.strip()
    env = {**sandbox.env, "GIT_DIR": git_dir, "GIT_INDEX_FILE": git_dir + "/index"}
    done = sandbox.cli("verify", "--format", "github", cwd=linked, env=env)
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=.abcd/memory/pitfall_auth_login.md,line=1,"), done.stdout


def test_a_sparse_checkout_is_said_to_be_partial(sandbox, root):
    sandbox.git("sparse-checkout", "set", "--no-cone", "/*", "!/.abcd/memory/project_pay.md", cwd=root)
    build(root)
    found, result = verify(sandbox, root, code=0)
    assert ("store-partial", ".abcd/memory/project_pay.md") in found
    assert verify(sandbox, root, "--strict", code=1)


def test_the_users_index_is_not_touched(sandbox, root):
    for path in store(root).iterdir():
        os.utime(path)
    before = (root / ".git" / "index").stat().st_mtime_ns
    (root / ".git" / "index.lock").touch()
    assert verify(sandbox, root, code=0)
    assert (root / ".git" / "index").stat().st_mtime_ns == before


def test_links_by_every_name_agree_with_the_build(sandbox, root):
    """By file, stem, ``name:`` and ``id:``; in a full build and in one that takes pages over."""
    for number, link in enumerate(("project_pay.md", "pitfall_auth_token", "pay", "adr-7", "[[adr-7]]")):
        (store(root) / f"zz_{number}.md").write_text(f"---\nname: n{number}\nsupersedes: [\"{link}\"]\n---\n# N\n")
    (store(root) / "old.md").write_text("---\nid: adr-7\nrecall: [decided]\n---\n# Old\n")
    for force in (True, False):
        build(root, force)
        assert [code for code, _ in verify(sandbox, root)[0] if code.startswith("artefact")] == []
        (store(root) / "zz_0.md").write_text("---\nname: n0\n---\n# Changed\n")
