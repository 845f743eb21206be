"""The hooks of ``.pre-commit-hooks.yaml``, tried with the real pre-commit in a real repository."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, sealed_env

yaml = pytest.importorskip("yaml")
STAGES = ("pre-commit", "post-checkout", "post-commit", "post-merge", "post-rewrite")
GOOD = "---\nsource: {class: session_memory}\nrecall: [auth, login]\n---\n# Login\n\nBody.\n"
PARTS = ("abcd_index", "hooks", ".githooks", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")


def test_the_manifest_says_what_pre_commit_needs():
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    assert set(hooks) == {"abcd-index-verify", "abcd-index-build"}
    assert "markdown" in hooks["abcd-index-verify"]["types_or"]
    assert "pre-commit" in hooks["abcd-index-verify"]["stages"]
    build = hooks["abcd-index-build"]
    assert build["always_run"] is True and build["pass_filenames"] is False
    assert set(build["stages"]) == set(STAGES[1:])
    assert all(hook["language"] == "python" for hook in hooks.values())


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """This working tree as a repository that pre-commit can install from, and a cache for what it installs."""
    pytest.importorskip("pre_commit", reason="the package pre-commit is not installed")
    base = tmp_path_factory.mktemp("published")
    home = base / "home"
    home.mkdir()
    # What the package needs is taken from the environment of the tests, so that nothing is fetched: pip
    # installs the package alone and builds it with the hatchling that is here.
    import orjson

    env = sealed_env(home, PRE_COMMIT_HOME=str(base / "cache"), PIP_NO_DEPS="1", PIP_NO_BUILD_ISOLATION="0",
                     PIP_NO_INDEX="1", PYTHONPATH=str(Path(orjson.__file__).resolve().parents[1]))
    repo = base / "abcd-index"
    repo.mkdir()
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, repo / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.is_file():
            shutil.copyfile(source, repo / name)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "release"], ["tag", "v0"]):
        subprocess.run(["git", *command], cwd=repo, env=env, check=True, capture_output=True)
    return repo, env


@pytest.fixture
def project(sandbox, published):
    """A repository whose pre-commit is installed for every stage; skips when its environment cannot be made."""
    repo, env = published
    sandbox.env.update({name: env[name] for name in env if name.startswith(("PRE_COMMIT", "PIP_", "PYTHONPATH"))})
    root = sandbox.repo(pages={"pitfall_auth_login.md": GOOD, "index.md": "- `pitfall_auth_login.md` \u2014 a | b | c\n"})
    config = {"default_install_hook_types": list(STAGES),
              "repos": [{"repo": str(repo), "rev": "v0",
                         "hooks": [{"id": "abcd-index-verify"}, {"id": "abcd-index-build"}]}]}
    (root / ".pre-commit-config.yaml").write_text(json.dumps(config))
    done = sandbox.run(sys.executable, "-m", "pre_commit", "install", "--install-hooks", cwd=root, check=False, timeout=300)
    if done.returncode:
        pytest.skip(f"pre-commit could not make its environment here: {(done.stdout + done.stderr).strip()[-300:]}")
    return root


def fresh(sandbox, root):
    return sandbox.cli("verify", "--require-artefact", "--scope", "workspace", cwd=root).returncode == 0


def test_a_broken_page_stops_a_commit_and_a_good_one_is_built(sandbox, project):
    sandbox.git("add", "-A", cwd=project)
    sandbox.git("commit", "-qm", "config", cwd=project)
    assert fresh(sandbox, project)

    page = project / ".abcd" / "memory" / "pitfall_auth_login.md"
    page.write_text("---\nrecall: [auth\nname: x\n")
    sandbox.git("add", "-A", cwd=project)
    done = sandbox.git("commit", "-qm", "broken", cwd=project, check=False)
    assert done.returncode == 1 and ".abcd/memory/pitfall_auth_login.md" in done.stdout + done.stderr

    page.write_text(GOOD.replace("Body", "Better body"))
    sandbox.git("add", "-A", cwd=project)
    done = sandbox.git("commit", "-m", "good", cwd=project)
    assert "Passed" in done.stdout + done.stderr
    assert fresh(sandbox, project)
    assert not sandbox.git("status", "--porcelain", cwd=project).stdout

    sandbox.git("checkout", "-q", "-b", "other", cwd=project)
    page.write_text(GOOD.replace("Body", "Other body"))
    sandbox.git("commit", "-qam", "other", cwd=project)
    sandbox.git("checkout", "-q", "main", cwd=project)
    assert fresh(sandbox, project)
    sandbox.git("merge", "-q", "other", cwd=project)
    assert fresh(sandbox, project)
    sandbox.git("commit", "-q", "--amend", "-m", "amended", cwd=project)
    assert fresh(sandbox, project)


def test_a_branch_without_a_store_is_no_failure(sandbox, project):
    sandbox.git("add", "-A", cwd=project)
    sandbox.git("commit", "-qm", "config", cwd=project)
    sandbox.git("checkout", "-q", "-b", "bare", cwd=project)
    sandbox.git("rm", "-rq", ".abcd", cwd=project)
    shutil.rmtree(project / ".abcd", ignore_errors=True)
    sandbox.git("commit", "-qm", "no store", cwd=project)
    assert sandbox.git("checkout", "-q", "main", cwd=project).returncode == 0
    assert sandbox.git("checkout", "-q", "bare", cwd=project).returncode == 0
    assert not os.path.exists(project / ".abcd" / "memory")
