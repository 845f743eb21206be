"""The same store gives the same bytes: in two clones, under whatever a machine can differ in."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT, sealed_env

PAGES = {
    "pitfall_auth_login.md": "---\nsource: {class: session_memory}\nrecall: [auth, login, Session Cookie]\n---\n"
                             "# Login loops\n\nThe cookie. The cookie again.\n",
    "decision_auth_provider.md": "---\nrecall: [auth, single sign-on]\ncontradicts: [pitfall_auth_login]\n---\n"
                                 "# One provider\n\nText with `code` and accents: d\u00e9ploiement.\n",
    "project_payment.md": "---\nname: payment\ndescription: Retry with the same key\nmetadata:\n  type: project\n"
                          "  updated: 2026-05-01\nrecall:\n  - payment\n  - retries\n---\nBody.\n\n## History\n- 2026-06-01: x\n",
    "интервью_заметки.md": "---\nname: интервью\nrecall: [интервью, 面接]\n---\nТекст.\n",
    "project_\u00fcbung.md": "---\nrecall: [\u00dcbung]\n---\n# \u00dcbung\n\nKomponiert.\n",
    "plain.md": "# No frontmatter\n\nOnly text.\n",
}
CATALOGUE = "# Memory\n\n- `pitfall_auth_login.md` \u2014 session_memory | auth | Login loops\n- [Payment](project_payment.md) \u2014 pay\n"
RULES = '{"schema_version": 1, "domains": {"DB": {"state": "active", "recall": ["migration"], "rules": ["Only add."]}}}\n'


@pytest.fixture
def origin(sandbox):
    root = sandbox.repo("origin", PAGES)
    (root / ".abcd" / "memory" / "index.md").write_text(CATALOGUE, encoding="utf-8")
    (root / ".abcd" / "rules.json").write_text(RULES, encoding="utf-8")
    sandbox.git("add", "-A", cwd=root)
    sandbox.git("commit", "-qm", "all", cwd=root)
    return root


def clone(sandbox, origin, name, *options):
    target = sandbox.tmp / name
    target.parent.mkdir(parents=True, exist_ok=True)
    sandbox.git(*options, "clone", "-q", "--no-hardlinks", origin, target, cwd=sandbox.tmp)
    return target


def built(sandbox, root, python=sys.executable, umask=0o022, **env):
    """(key, bytes of the artefact) of a build as a process of its own."""
    done = subprocess.run([python, "-m", "abcd_index", "build", "--scope", "workspace", "-q"], cwd=str(root),
                          env={**sandbox.env, **env}, capture_output=True, text=True, timeout=120,
                          preexec_fn=lambda: os.umask(umask))
    assert done.returncode == 0, done.stderr
    index = root / ".abcd" / ".index"
    key = (index / "current").read_text().strip()
    return key, (index / f"{key}.idx").read_bytes()


@pytest.fixture
def reference(sandbox, origin):
    return built(sandbox, clone(sandbox, origin, "reference"), PYTHONHASHSEED="1", LC_ALL="C.UTF-8", TZ="UTC")


@pytest.mark.parametrize("env", [
    {"PYTHONHASHSEED": "2"}, {"PYTHONHASHSEED": "random"}, {"TZ": "Pacific/Kiritimati"}, {"LC_ALL": "C"},
    {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}, {"PYTHONUTF8": "0", "LC_ALL": "POSIX"}, {"PYTHONOPTIMIZE": "2"},
], ids=lambda env: ",".join(f"{k}={v}" for k, v in env.items()))
def test_environment(sandbox, origin, reference, env):
    assert built(sandbox, clone(sandbox, origin, "other"), **env) == reference


def test_path_and_umask(sandbox, origin, reference):
    deep = clone(sandbox, origin, "somewhere else/with spaces/\u00fcber all")
    assert built(sandbox, deep, umask=0o077) == reference
    assert built(sandbox, deep / ".abcd" / "..", umask=0) == reference


def test_order_in_which_the_files_were_made(sandbox, origin, reference):
    for number, backwards in enumerate((False, True)):
        target = sandbox.tmp / f"order{number}"
        (target / ".abcd" / "memory").mkdir(parents=True)
        names = sorted(os.listdir(origin / ".abcd" / "memory"), reverse=backwards)
        for name in names:
            shutil.copyfile(origin / ".abcd" / "memory" / name, target / ".abcd" / "memory" / name)
        shutil.copyfile(origin / ".abcd" / "rules.json", target / ".abcd" / "rules.json")
        assert built(sandbox, target) == reference


def test_line_ends(sandbox, origin, reference):
    target = clone(sandbox, origin, "crlf", "-c", "core.autocrlf=true")
    assert b"\r\n" in (target / ".abcd" / "memory" / "plain.md").read_bytes()
    assert b"\r\n" in (target / ".abcd" / "rules.json").read_bytes()
    assert built(sandbox, target) == reference


def test_decomposed_names(sandbox, origin, reference):
    import unicodedata

    target = clone(sandbox, origin, "nfd")
    store = target / ".abcd" / "memory"
    for name in os.listdir(store):
        os.rename(store / name, store / unicodedata.normalize("NFD", name))
    assert sorted(os.listdir(store)) != sorted(os.listdir(origin / ".abcd" / "memory"))
    assert built(sandbox, target) == reference


def test_times_and_modes(sandbox, origin, reference):
    target = clone(sandbox, origin, "times")
    for path in (target / ".abcd" / "memory").iterdir():
        os.utime(path, (978307200, 978307200))
        path.chmod(0o755)
    assert built(sandbox, target) == reference


def test_a_shallow_clone_and_another_history(sandbox, origin, reference):
    shallow = sandbox.tmp / "shallow"
    sandbox.git("clone", "-q", "--depth", "1", f"file://{origin}", shallow, cwd=sandbox.tmp)
    sandbox.git("commit", "-q", "--amend", "-m", "other words", cwd=shallow)
    assert built(sandbox, shallow) == reference


def test_a_build_from_scratch_and_one_after_many_edits(sandbox, origin, reference):
    """Pages taken over from an earlier artefact leave no trace."""
    target = clone(sandbox, origin, "edits")
    store = target / ".abcd" / "memory"
    other = (store / "plain.md").read_bytes()
    for text in (b"---\nrecall: [something]\n---\n# Else\n", b"# Very long\n" + b"word " * 4000, b""):
        (store / "plain.md").write_bytes(text)
        (store / "extra.md").write_bytes(b"---\nrecall: [auth]\n---\n# Extra\n" + text)
        assert built(sandbox, target)[0] != reference[0]
    (store / "extra.md").unlink()
    (store / "plain.md").write_bytes(other)
    shutil.rmtree(target / ".abcd" / ".index" / "kept", ignore_errors=True)
    (target / ".abcd" / ".index" / f"{reference[0]}.idx").unlink(missing_ok=True)
    assert built(sandbox, target) == reference


def interpreters():
    """Other Python versions on PATH, or beside the one that runs this, that have what a build needs."""
    here = "%d.%d" % sys.version_info[:2]
    places = os.environ.get("PATH", "").split(os.pathsep)
    for minor in ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14"):
        if minor == here:
            continue
        for place in places:
            python = os.path.join(place, f"python{minor}")
            if os.access(python, os.X_OK):
                yield minor, python
                break


def test_other_python_versions(sandbox, origin, reference):
    """Skipped with the reason when no other version has the libraries."""
    tried, equal = [], []
    for minor, python in interpreters():
        env = sealed_env(sandbox.home, PYTHONPATH=str(ROOT))
        check = subprocess.run([python, "-c", "import orjson, frontmatter, yaml, typer"], env=env, capture_output=True)
        tried.append(minor)
        if check.returncode == 0:
            assert built(sandbox, clone(sandbox, origin, f"py{minor}"), python, PYTHONPATH=str(ROOT)) == reference
            equal.append(minor)
    if not equal:
        pytest.skip(f"no other Python with orjson, python-frontmatter and typer; looked at {tried or 'none'}")
