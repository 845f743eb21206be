"""The built wheel, installed in a fresh environment away from the checkout, does the main job."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from abcd_index import __version__

ROOT = Path(__file__).resolve().parent.parent.parent
hatchling = pytest.importorskip("hatchling", reason="hatchling builds the wheel")
SCRIPTS = "Scripts" if os.name == "nt" else "bin"


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """A folder with the wheel and the source archive of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(dist):
    return next(dist.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The programs' folder of a fresh environment that holds the wheel and nothing of the checkout.

    What the wheel depends on is not downloaded again: the folder with it is put on the path. A dependency that the
    wheel does not declare is found by another test.
    """
    folder = tmp_path_factory.mktemp("fresh") / "env"
    venv.create(folder, with_pip=True)
    programs = folder / SCRIPTS
    python = programs / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--disable-pip-version-check",
                    str(wheel)], check=True, capture_output=True)
    site = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True,
                          capture_output=True, text=True).stdout.strip()
    (Path(site) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return programs


def test_the_wheel_holds_hooks_stubs_and_the_demo_store(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder, inside in (("hooks", "abcd_index/_hooks"), (".githooks", "abcd_index/_githooks"),
                           ("abcd_index/commands/demo_store", "abcd_index/commands/demo_store")):
        wanted = {f"{inside}/{path.relative_to(ROOT / folder).as_posix()}" for path in (ROOT / folder).rglob("*")
                  if path.is_file() and "__pycache__" not in path.parts}
        assert wanted, f"{folder} is empty"
        assert wanted <= names, sorted(wanted - names)
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/", "docs/"))]
    assert not [name for name in names if "/.index/" in name or name.endswith(".pyc")]


def test_every_module_of_the_checkout_is_in_the_wheel(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "abcd_index").rglob("*.py")}
    assert modules <= names, sorted(modules - names)


def test_the_installed_program_says_its_version(installed, sandbox):
    done = sandbox.run(installed / "abcd-index", "--version", cwd=sandbox.tmp)
    assert done.stdout.strip() == f"abcd-index {__version__}"


def test_the_installed_program_is_not_the_checkout(installed, sandbox):
    done = sandbox.run(installed / "python", "-c", "import abcd_index; print(abcd_index.__file__)", cwd=sandbox.tmp)
    assert str(ROOT) not in done.stdout


def test_the_demo_runs_from_the_wheel(installed, sandbox):
    done = sandbox.run(installed / "abcd-index", "demo", cwd=sandbox.tmp, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert str(ROOT) not in done.stdout + done.stderr


def test_install_from_the_wheel_wires_hooks_that_are_in_the_wheel(installed, sandbox):
    root = sandbox.repo(pages={"pitfall_auth_login.md": "---\nrecall: [auth]\n---\n# Auth\n\nBody.\n"})
    env = dict(sandbox.env, PATH=f"{installed}{os.pathsep}{sandbox.env['PATH']}")
    done = sandbox.run(installed / "abcd-index", "install", "--git-only", cwd=root, env=env, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (root / ".abcd" / "memory" / "pitfall_auth_two.md").write_text("---\nrecall: [login]\n---\n# Two\n\nBody.\n")
    sandbox.git("add", "-A", cwd=root, env=env)
    done = sandbox.git("commit", "-qm", "two", cwd=root, env=env)
    assert (root / ".abcd" / ".index" / "current").is_file(), done.stdout + done.stderr


def test_the_source_archive_holds_what_the_tests_need(dist):
    archive = tarfile.open(next(dist.glob("*.tar.gz")))
    names = {name.partition("/")[2] for name in archive.getnames()}
    for wanted in ("pyproject.toml", "Makefile", "LICENSE", "README.md", ".ci/run", ".ci/venv", "tests/conftest.py",
                   "docs/format.md", "hooks/prompt_router_hook.py", ".githooks/post-commit", "abcd_index/build/run.py"):
        assert wanted in names, wanted
    assert not [name for name in names if name.startswith((".venv/", "dist/", ".git/"))]


def test_third_party_imports_are_declared():
    import ast
    import re

    declared = {"GitPython": "git", "orjson": "orjson", "python-frontmatter": "frontmatter", "PyYAML": "yaml",
                "rich": "rich", "typer": "typer"}
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = text.split("dependencies = [", 1)[1].split("]", 1)[0]
    assert set(re.findall(r'"([\w-]+)', listed)) == set(declared)
    standard = getattr(sys, "stdlib_module_names", None)
    if standard is None:
        pytest.skip("this Python does not list its standard library")
    foreign = set()
    for path in (ROOT / "abcd_index").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                foreign |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                foreign.add(node.module.partition(".")[0])
    # What an extra brings is imported where it is asked for, and the sentence says which extra.
    extra = set(re.findall(r'"([\w-]+)', text.split("share = [", 1)[1].split("]", 1)[0]))
    assert extra == {"fsspec"}
    assert foreign - set(standard) - {"abcd_index"} <= set(declared.values()) | extra


@pytest.mark.skipif(not shutil.which("sh"), reason="no shell")
def test_git_hook_stubs_and_scripts_are_plain_shell():
    for path in [*(ROOT / ".githooks").iterdir(), ROOT / ".ci" / "venv"]:
        done = subprocess.run(["sh", "-n", str(path)], capture_output=True, text=True)
        assert done.returncode == 0, f"{path.name}: {done.stderr}"
