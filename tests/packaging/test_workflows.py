"""The workflows test what the package promises, and run nothing that can change under its name."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
CI = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))


def test_every_promised_python_is_tested():
    promised = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PROJECT)
    assert CI["jobs"]["test"]["strategy"]["matrix"]["python"] == promised


def test_the_prompt_path_is_tested_on_every_promised_system():
    assert CI["jobs"]["prompt-path"]["strategy"]["matrix"]["os"] == ["macos-latest", "windows-latest"]
    tested = next(step["run"] for step in CI["jobs"]["prompt-path"]["steps"] if "pytest" in step.get("run", ""))
    for path in re.findall(r"tests/[\w/.]+", tested):
        assert (ROOT / path).exists(), path


def test_ci_verifies_this_repository_and_tests_the_wheel():
    runs = [step.get("run", "") for job in CI["jobs"].values() for step in job["steps"]]
    assert any("abcd-index verify" in run and "--format github" in run for run in runs)
    assert any("dist/*.whl" in run and "abcd-index\" demo" in run for run in runs)
    assert any("bash .ci/run" in run for run in runs)


# An action or a called workflow of another repository: a full commit hash, and the version that it is in a comment.
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}\s+# v\d+(\.\d+)+$")


def uses():
    """(file, what is used) of every step in the workflows and in our own action."""
    files = [*sorted((ROOT / ".github" / "workflows").glob("*.y*ml")), ROOT / "action.yml"]
    for path in files:
        for line in path.read_text(encoding="utf-8").split("\n"):
            found = re.match(r"[\s-]*uses:\s*(.*\S)", line)
            if found:
                yield path.name, found.group(1)


def test_every_action_is_pinned_by_its_commit():
    assert {name for name, _ in uses()} == {"agents.yml", "ci.yml", "release.yml", "action.yml"}
    assert [each for each in uses() if not each[1].startswith("./") and not PINNED.match(each[1])] == []


def test_one_version_of_an_action_is_used_everywhere():
    pins = {}
    for _, what in uses():
        pins.setdefault(what.partition("@")[0], set()).add(what)
    assert {action: found for action, found in pins.items() if len(found) > 1} == {}


def test_a_release_has_no_secret_and_no_right_that_it_does_not_need():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    release = yaml.safe_load(text)
    assert release["permissions"] == {}
    assert {name: job["permissions"] for name, job in release["jobs"].items()} == {
        "build": {"contents": "read"}, "publish": {"id-token": "write", "attestations": "write"}}
    assert "secrets." not in text and "password" not in re.sub(r"#.*", "", text)
    # Published is what was built and tried, and it is attested first.
    steps = [step.get("uses", "").partition("@")[0] for step in release["jobs"]["publish"]["steps"]]
    assert steps == ["actions/download-artifact", "actions/attest-build-provenance", "pypa/gh-action-pypi-publish"]
    assert release["jobs"]["publish"]["needs"] == "build"


def test_no_step_puts_an_expression_into_a_script():
    """``${{ }}`` in a script is text that somebody else may choose; it goes through the environment."""
    for path in [*(ROOT / ".github" / "workflows").glob("*.y*ml"), ROOT / "action.yml"]:
        whole = yaml.safe_load(path.read_text(encoding="utf-8"))
        jobs = list(whole.get("jobs", {}).values()) or [whole["runs"]]
        assert [step["run"] for job in jobs for step in job["steps"] if "${{" in step.get("run", "")] == []


def test_pre_commit_uses_the_versions_of_the_dev_extra():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = [hook for repo in config["repos"] for hook in repo["hooks"]]
    assert [hook["id"] for hook in hooks] == ["ruff", "ruff-format", "mypy"]
    assert {repo["repo"] for repo in config["repos"]} == {"local"}
    for need in [need for hook in hooks for need in hook.get("additional_dependencies", ())]:
        assert f'"{need}"' in PROJECT


def test_ci_runs_the_suite_as_a_stranger_and_in_random_order():
    runs = [step.get("run", "") for job in CI["jobs"].values() for step in job["steps"]]
    assert any("TEST_ORDER=random" in run and "-n 0" in run for run in runs)
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert ".ci/stranger make test" in script and "make test-faults" in script


def test_every_agent_that_can_be_run_is_run_every_night():
    from tests.clients.agents import AGENTS

    nightly = yaml.safe_load((ROOT / ".github" / "workflows" / "agents.yml").read_text(encoding="utf-8"))
    assert nightly["jobs"]["agent"]["strategy"]["matrix"]["agent"] == list(AGENTS)
