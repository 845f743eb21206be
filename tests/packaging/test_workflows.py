"""The workflows test what the package promises."""

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
