"""The loader loads what a prompt needs and nothing else, and stands aside when its bundles are not what they should be."""

import json
import os
import subprocess
import sys
import time

import pytest

from tests import hooked_store
from tests.hooked_store import BASE_PYTHON, page

hooked = hooked_store.hooked
ROOT = hooked_store.ROOT

# Runs a hook's script as the interpreter would, and says which modules were there when it left.
RUN = """
import posix, sys
script = %r
leave = posix._exit
def tell(status):
    names = sorted(name for name in sys.modules if name.startswith("abcd_index"))
    found = [name for name in names if getattr(sys.modules[name], "__spec__", None) is not None]
    sys.stderr.write(" ".join(names) + "\\n" + " ".join(found) + "\\n")
    sys.stderr.flush()
    leave(status)
posix._exit = tell
space = {"__name__": "__main__", "__file__": script}
space["__loader__"] = sys.modules["_frozen_importlib_external"].SourceFileLoader("__main__", script)
exec(compile(open(script).read(), script, "exec"), space)
"""


def loaded(hooked, payload, script="prompt_router_hook.py"):
    """(modules, those that Python's own import had to find) of a warm run."""
    for _ in range(2):
        done = subprocess.run([hooked_store.BASE_PYTHON, "-I", "-S", "-c", RUN % str(ROOT / "hooks" / script)],
                              input=json.dumps(payload).encode(), env=hooked.sandbox.env, capture_output=True, timeout=20)
        assert done.returncode == 0
        payload = dict(payload, session_id="warm")
    names, imported = done.stderr.decode().split("\n")[:2]
    return set(names.split()), set(imported.split()), done.stdout


@pytest.fixture
def auth(hooked):
    hooked.pages({"a_auth_%d.md" % n: page(["auth"], "Body %d." % n) for n in range(3)})
    for path in hooked.store.iterdir():
        hooked_store.older(path)
    hooked_store.older(hooked.store)
    # Later than the files' last change by more than a tick, or only their content would tell.
    time.sleep(0.06)
    return hooked.build()


def lists(*steps):
    """The modules that the loader's lists name for ``steps``, and the packages."""
    sys.path.insert(0, str(ROOT / "hooks"))
    try:
        import abcd_loader
    finally:
        sys.path.pop(0)
    names = [name for step in steps for name in abcd_loader.STEPS[step]]
    return {"abcd_index." + name.replace("/", ".") for name in names} | set(abcd_loader.PACKAGES)


def test_what_a_matching_prompt_loads_is_what_the_loader_lists(auth):
    names, imported, out = loaded(auth, auth.payload("auth"))
    assert b"Body " in out
    assert names == lists("prompt_hook", "lookup", "matched")
    assert imported == set()


def test_a_prompt_that_matches_nothing_stops_at_the_lookup(auth):
    names, imported, out = loaded(auth, auth.payload("rename the variable"))
    assert out == b"" and names == lists("prompt_hook", "lookup") and imported == set()
    assert not [name for name in names if name.rpartition(".")[2] in ("rank", "render", "ledger", "fill", "budget")]


def test_without_any_store_not_even_the_words_are_read(auth):
    names, imported, _ = loaded(auth, auth.payload("auth", cwd="/"))
    assert names == lists("prompt_hook") and imported == set()


def test_the_status_line_loads_what_is_listed(auth):
    payload = {"session_id": "s1", "context_window": {"used_percentage": 5}}
    names, imported, _ = loaded(auth, payload, "statusline_hook.py")
    assert names == lists("statusline") and imported == set()


def test_no_third_party_module_is_near(auth):
    code = RUN.replace('name.startswith("abcd_index")', "True") % str(ROOT / "hooks" / "prompt_router_hook.py")
    done = subprocess.run([hooked_store.BASE_PYTHON, "-I", "-S", "-c", code], input=json.dumps(auth.payload("auth")).encode(),
                          env=auth.sandbox.env, capture_output=True, timeout=20)
    names = set(done.stderr.decode().split())
    assert not names & {"os", "re", "json", "pathlib", "typing", "dataclasses", "collections", "functools", "hashlib", "enum",
                        "yaml", "orjson", "git", "typer", "subprocess", "site"}


def test_packages_that_the_loader_makes_hold_nothing_that_a_hook_needs():
    import ast

    for name in sorted(lists() - {"abcd_index"}):
        tree = ast.parse((ROOT / name.replace(".", "/") / "__init__.py").read_text())
        assert all(isinstance(node, (ast.Expr, ast.Assign)) for node in tree.body), name
    # The package itself holds the public API, which no module of a hook asks for.
    for path in (ROOT / "abcd_index" / "agenthooks").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) and node.module == "abcd_index" else []
            assert all((ROOT / "abcd_index" / f"{name}.py").exists() or (ROOT / "abcd_index" / name).is_dir() for name in names)


@pytest.fixture
def copy(tmp_path):
    """A copy of the package and the hooks that a test may damage."""
    import shutil

    shutil.copytree(ROOT / "abcd_index", tmp_path / "copy" / "abcd_index", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "hooks", tmp_path / "copy" / "hooks", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "copy"


def ask(hooked, copy, session):
    done = hooked.sandbox.hook(hooked.payload("auth", session), script=str(copy / "hooks" / "prompt_router_hook.py"))
    assert done.returncode == 0 and done.stderr == b""
    return done.stdout


def test_an_edited_source_counts_at_once_and_broken_caches_do_no_harm(auth, copy):
    assert b"Body" in ask(auth, copy, "c1") and b"Body" in ask(auth, copy, "c2")
    render = copy / "abcd_index" / "agenthooks" / "render.py"
    render.write_text(render.read_text().replace("Reference material, not instructions", "Edited"))
    assert b"Edited" in ask(auth, copy, "c3")
    bundles = list((copy / "abcd_index" / "agenthooks" / "__pycache__").glob("*.bundle"))
    assert len(bundles) == 3
    start = bundles[0].read_bytes()[:100]
    for damage in (b"", b"\0" * 200, b"garbage", start, start[:20]):
        for cached in (copy / "abcd_index" / "agenthooks" / "__pycache__").glob("*.bundle"):
            cached.write_bytes(damage)
        assert b"Edited" in ask(auth, copy, "w%d" % hash(damage))


def test_a_folder_without_caches_that_cannot_be_written(auth, copy):
    import os

    for folder, _, _ in os.walk(copy):
        os.chmod(folder, 0o555)
    try:
        assert b"Body" in ask(auth, copy, "r1")
    finally:
        for folder, _, _ in os.walk(copy):
            os.chmod(folder, 0o755)


def test_installed_inside_the_package_it_finds_its_way(auth, tmp_path):
    import shutil

    site = tmp_path / "site packages"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "abcd_index", site / "abcd_index", ignore=ignore)
    shutil.copytree(ROOT / "hooks", site / "abcd_index" / "_hooks", ignore=ignore)
    done = auth.sandbox.hook(auth.payload("auth", "i1"), script=str(site / "abcd_index" / "_hooks" / "prompt_router_hook.py"))
    assert b"Body" in done.stdout


@pytest.mark.parametrize("name", ["prompt_router_hook.py", "recall.py", "a_link_with_a_longer_name_than_the_script.py"])
def test_a_link_to_the_script_finds_its_way(auth, tmp_path, name):
    folder = tmp_path / "links"
    folder.mkdir()
    (folder / name).symlink_to(ROOT / "hooks" / "prompt_router_hook.py")
    done = auth.sandbox.hook(auth.payload("auth", "l1"), script=str(folder / name))
    assert b"Body" in done.stdout and done.stderr == b""
    (folder / "session.py").symlink_to(ROOT / "hooks" / "session_hook.py")
    done = auth.sandbox.hook(dict(auth.payload("", "l1"), hook_event_name="SessionStart"), script=str(folder / "session.py"))
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("kind", ["absolute", "relative", "a link to a link", "from inside"])
def test_a_link_to_the_folder_of_the_scripts_finds_its_way(auth, tmp_path, kind):
    """Beside the link there is no package, and what is there is nothing to search."""
    link = tmp_path / "links" / "our-hooks"
    link.parent.mkdir()
    target = ROOT / "hooks"
    link.symlink_to(os.path.relpath(target, os.path.realpath(link.parent)) if kind == "relative" else target)
    if kind == "a link to a link":
        (tmp_path / "second").symlink_to(link)
        link = tmp_path / "second"
    script = "prompt_router_hook.py" if kind == "from inside" else str(link / "prompt_router_hook.py")
    done = subprocess.run([BASE_PYTHON, "-I", "-S", script], input=json.dumps(auth.payload("auth", "l2")).encode(),
                          env=auth.sandbox.env, cwd=str(link), capture_output=True, timeout=60)
    assert b"Body" in done.stdout and done.stderr == b""


def test_a_bundle_is_read_whole(auth):
    lists()
    found = list((ROOT / "abcd_index" / "agenthooks" / "__pycache__").glob("*.bundle"))
    assert found and max(path.stat().st_size for path in found) < 0.9 * sys.modules["abcd_loader"].LARGEST


def test_the_scripts_name_themselves_right():
    for name in ("prompt_router_hook.py", "session_hook.py", "statusline_hook.py"):
        assert "__file__[:-%d]" % (len(name) + 1) in (ROOT / "hooks" / name).read_text()


def test_a_bundle_holds_no_annotations(tmp_path):
    source = tmp_path / "x.py"
    source.write_text("LIMIT: 'int' = 3\n\n\ndef f(a: 'int' = 1, *b: 'str', **c: 'str') -> 'int':\n    d: 'int'\n    d = a\n    return d\n")
    bundle, space = {"__name__": "abcd_bundle"}, {}
    exec((ROOT / "hooks" / "abcd_bundle.py").read_text(), bundle)
    exec(bundle["compiled"](str(source)), space)
    assert space["LIMIT"] == 3 and space["f"](5) == 5
    assert space["f"].__annotations__ == {} and "__annotations__" not in space
