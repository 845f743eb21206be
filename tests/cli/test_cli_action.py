"""``action.yml`` and the script that it runs, as a runner would run it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

yaml = pytest.importorskip("yaml")
BROKEN = {"broken.md": "---\nname: x\n", "index.md": "- [x](broken.md)\n"}


def test_the_metadata_is_that_of_a_composite_action():
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert {"name", "description", "inputs", "outputs", "runs"} <= set(action)
    assert action["runs"]["using"] == "composite"
    assert all("description" in one for one in action["inputs"].values())
    steps = action["runs"]["steps"]
    assert all("shell" in step for step in steps if "run" in step)
    script, = [step for step in steps if "run" in step]
    # An input inside the script's text would be code: they all go through the environment.
    assert "${{" not in script["run"]
    used = re.findall(r"inputs\.([a-z-]+)", str(action["runs"]))
    assert set(used) == set(action["inputs"])
    assert script["id"] in action["outputs"]["status"]["value"]


@pytest.fixture(scope="module")
def runner_temp(tmp_path_factory):
    """Where the action keeps its environment; made once, from what is installed here, so nothing is fetched."""
    return tmp_path_factory.mktemp("runner")


def run(sandbox, runner_temp, root, **inputs):
    import orjson

    output, summary = sandbox.tmp / "output", sandbox.tmp / "summary"
    env = {**sandbox.env, "ABCD_ACTION_PATH": str(ROOT), "ABCD_ACTION_PYTHON": sys.executable, "ABCD_ACTION_ROOT": ".",
           "RUNNER_TEMP": str(runner_temp), "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary),
           "GITHUB_WORKSPACE": str(root), "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1",
           "PYTHONPATH": str(Path(orjson.__file__).resolve().parents[1]), **inputs}
    done = subprocess.run(["bash", str(ROOT / ".ci" / "action")], cwd=root, env=env, capture_output=True, text=True,
                          timeout=300)
    if "could not be installed" in done.stdout:
        pytest.skip(f"the package could not be installed here: {done.stderr[-300:]}")
    return done, output.read_text(), summary.read_text() if summary.exists() else ""


def test_a_broken_page_fails_the_step_with_an_annotation(sandbox, runner_temp):
    root = sandbox.repo(pages=BROKEN)
    done, output, summary = run(sandbox, runner_temp, root, ABCD_ACTION_SARIF="out.sarif")
    assert done.returncode == 1 and output == "status=1\n", done.stderr
    assert done.stdout.startswith("::error file=.abcd/memory/broken.md,line=1,")
    assert "1 error" in summary and '"version": "2.1.0"' in (root / "out.sarif").read_text()


def test_inputs_reach_the_command(sandbox, runner_temp):
    root = sandbox.repo("mono")
    sandbox.pages(root / "app", {"x.md": "---\nrecall: [the]\n---\n# X\n", "index.md": "- [X](x.md)\n"})
    assert run(sandbox, runner_temp, root, ABCD_ACTION_ROOT="app")[0].returncode == 0
    done, _, _ = run(sandbox, runner_temp, root, ABCD_ACTION_ROOT="app", ABCD_ACTION_STRICT="true")
    assert done.returncode == 1 and "::warning file=app/.abcd/memory/x.md,line=2," in done.stdout
    done, _, _ = run(sandbox, runner_temp, root, ABCD_ACTION_ROOT="app", ABCD_ACTION_REQUIRE="true")
    assert done.returncode == 1 and "artefact-missing" in done.stdout


def test_a_runner_without_python_is_an_error_of_its_own(sandbox, runner_temp):
    root = sandbox.repo(pages=BROKEN)
    env_path = sandbox.tmp / "bin"
    env_path.mkdir()
    for tool in ("bash", "dirname"):
        os.symlink(f"/bin/{tool}" if os.path.exists(f"/bin/{tool}") else f"/usr/bin/{tool}", env_path / tool)
    done, output, _ = run(sandbox, runner_temp, root, ABCD_ACTION_PYTHON="", PATH=str(env_path))
    assert done.returncode == 2 and done.stdout.startswith("::error title=abcd-index::") and output == "status=2\n"
