"""Imports point one way, and a prompt loads next to nothing."""

import ast
import json
import subprocess
import sys

import pytest

from tests import test_circles as circles
from tests.conftest import BASE_PYTHON, ROOT

PACKAGE = ROOT / "abcd_index"

# What each room may import from the others. An arrow that is not here points upwards: the code it wants
# belongs further down.
MAY = {
    "errors": (),
    "fs": (),
    "text": ("errors",),
    "artefact": ("errors", "text"),
    "scopes": ("errors", "artefact"),
    "agenthooks": ("errors", "text", "artefact", "scopes"),
    "workspaces": ("errors", "fs", "scopes"),
    "selector": ("errors", "scopes", "workspaces"),
    "store": ("errors", "fs", "text", "artefact", "scopes"),
    "settings": ("errors", "fs", "store"),
    "git": ("errors", "fs", "scopes"),
    "build": ("errors", "fs", "text", "artefact", "scopes", "settings", "store", "git"),
    "search": ("errors", "fs", "text", "artefact", "scopes", "settings", "store", "git", "build", "agenthooks",
               "selector"),
    "verify": ("errors", "fs", "text", "artefact", "scopes", "settings", "store", "git", "build", "agenthooks"),
    "share": ("errors", "fs", "text", "artefact", "scopes", "settings", "store", "git", "build", "verify"),
    "githooks": ("errors", "fs", "artefact", "scopes", "settings", "workspaces", "git", "build", "share"),
    "install": ("errors", "fs", "artefact", "scopes", "settings", "store", "git", "build", "githooks",
                "selector"),
    "api": ("errors", "scopes", "selector", "workspaces", "build", "search", "verify", "githooks", "install"),
    "commands": ("errors", "fs", "text", "artefact", "scopes", "agenthooks", "settings", "workspaces", "store", "git",
                 "build", "search", "verify", "share", "githooks", "install",
                 "selector", "api"),
    "cli": ("errors", "fs", "scopes", "commands"),
    "__main__": ("cli",),
}
# Rooms that a prompt loads: the standard library only, and of that only these.
PROMPT_ROOMS = ("errors", "text", "artefact", "scopes", "agenthooks")
PROMPT_STDLIB = {"sys", "time", "errno", "marshal", "posix", "os", "_json", "json", "unicodedata", "math", "gc"}
# What they may import inside a function, for the rare case: a hanging pipe, a platform without posix.
PROMPT_LAZY = PROMPT_STDLIB | {"_signal", "_thread", "subprocess", "traceback", "_blake2", "hashlib"}
# Where an agent's call enters the package. What these reach, also later, is the prompt path.
ENTRIES = ("agenthooks.prompt_hook", "agenthooks.session_hook", "agenthooks.statusline")


def modules():
    return sorted(path for path in PACKAGE.rglob("*.py") if "_hooks" not in path.parts)


def imports(path):
    """[(module, line, at top level)] of a source file, relative imports made absolute."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = {id(n) for f in ast.walk(tree) if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
             for n in ast.walk(f)}
    package = ["abcd_index", *path.relative_to(PACKAGE).parts[:-1]]
    unread = circles.unread(tree)
    found = []
    for node in ast.walk(tree):
        if id(node) in unread:
            continue
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno, id(node) not in inner) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            names = [f"{module}.{a.name}" for a in node.names] if module in ("abcd_index",) else [module]
            found += [(name, node.lineno, id(node) not in inner) for name in names]
    return found


def room(path):
    first = path.relative_to(PACKAGE).parts[0]
    return first[:-3] if first.endswith(".py") else first


def test_imports_point_one_way():
    upward = []
    for path in modules():
        here = room(path)
        if here == "__init__":
            continue
        for module, line, _ in imports(path):
            parts = module.split(".")
            there = parts[1] if parts[0] == "abcd_index" and len(parts) > 1 else None
            if there in (None, here, "__version__"):
                continue
            if there not in MAY[here]:
                upward.append(f"{path.relative_to(ROOT)}:{line}: {here} -> {there}")
    assert not upward, "\n".join(upward)


def test_the_table_itself_has_no_circle():
    done = []
    left = dict(MAY)
    while left:
        free = [name for name, needs in left.items() if all(n in done for n in needs)]
        assert free, f"a circle among {sorted(left)}"
        done += free
        for name in free:
            del left[name]


def prompt_path():
    """The files of all modules that an entry of the prompt path imports, wherever in its text."""
    known = circles.modules(PACKAGE)
    found, todo = set(), ["abcd_index." + name for name in ENTRIES]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += circles.imports(name, known[name], known)
    return {known[name] for name in found}


def test_the_prompt_path_stays_in_its_rooms():
    paths = prompt_path()
    assert len(paths) > 20
    assert {room(path) for path in paths} <= set(PROMPT_ROOMS)
    assert {path for path in modules() if room(path) == "agenthooks" and path.stem != "__init__"} <= paths


def test_the_prompt_path_is_standard_library():
    wrong = []
    for path in sorted(prompt_path()):
        for module, line, at_top in imports(path):
            top = module.split(".")[0]
            if top != "abcd_index" and top not in (PROMPT_STDLIB if at_top else PROMPT_LAZY):
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {module}")
    for path in sorted((ROOT / "hooks").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else \
                [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            wrong += [f"{path.name}:{node.lineno}: {n}" for n in names
                      if n.split(".")[0] not in PROMPT_STDLIB | {"abcd_index", "_imp", "traceback"}
                      # Only the first hook after an installation makes a bundle.
                      and (path.name, n) != ("abcd_bundle.py", "ast")]
    assert not wrong, "\n".join(wrong)


def loaded(sandbox, script, payload, warm=True):
    """The modules that a hook process imports beyond those of a bare interpreter."""
    def names(*args, data=b""):
        done = subprocess.run([BASE_PYTHON, "-I", "-S", "-X", "importtime", *args], input=data, env=sandbox.env,
                              cwd=str(sandbox.tmp), capture_output=True, timeout=60)
        assert done.returncode == 0
        lines = [line for line in done.stderr.decode().splitlines() if line.startswith("import time:")]
        return {line.rpartition("|")[2].strip() for line in lines[1:]}, done.stdout

    bare, _ = names("-c", "pass")
    used, out = names(str(ROOT / "hooks" / script), data=json.dumps(payload).encode())
    return used - bare, out


PAGES = {
    "pitfall_auth_login.md": "---\nrecall: [auth, login]\n---\n# Login\n\nThe body.\n",
    "pitfall_auth_token.md": "---\nrecall: [auth, token]\n---\n# Token\n\nAnother body.\n",
    "decision_db.md": "---\nrecall: [database]\n---\n# DB\n\nMore.\n",
}


@pytest.fixture
def built(sandbox):
    root = sandbox.repo(pages=PAGES)
    sandbox.user_pages({"user_auth.md": "---\nname: u\nrecall: [auth]\n---\nMine.\n"})
    assert sandbox.cli("build", cwd=root).returncode == 0
    return root


def test_what_a_prompt_loads(sandbox, built):
    """A closed list: whoever adds a module to the prompt path has to say so here."""
    payload = {"session_id": "s", "cwd": str(built), "prompt": "why does auth login fail?",
               "hook_event_name": "UserPromptSubmit"}
    used, out = loaded(sandbox, "prompt_router_hook.py", payload)
    assert b"The body." in out
    foreign = {name for name in used if not name.startswith("abcd_index")}
    assert foreign <= {"_json", "math", "errno", "unicodedata", "posix", "time", "gc", "_blake2"}, foreign
    own = {name.partition(".")[2].partition(".")[0] for name in used if name.startswith("abcd_index.")}
    assert own <= set(PROMPT_ROOMS), own


def test_a_prompt_without_a_store_loads_less(sandbox, built):
    elsewhere = sandbox.tmp / "elsewhere"
    elsewhere.mkdir()
    sandbox.env["ABCD_HOME"] = str(sandbox.tmp / "nothing")
    payload = {"session_id": "s", "cwd": str(elsewhere), "prompt": "why does auth login fail?",
               "hook_event_name": "UserPromptSubmit"}
    used, out = loaded(sandbox, "prompt_router_hook.py", payload)
    assert out == b""
    assert not {name for name in used if name.startswith("abcd_index.text")}


def test_the_command_line_starts_without_its_commands():
    """`--help` and `--version` pay for typer, not for git, YAML and the build."""
    code = "import sys, abcd_index.cli; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=str(ROOT))
    assert not {"git", "yaml", "frontmatter", "orjson"} & set(done.stdout.split())
