"""One module opens files for writing, deletes and renames them; no other room does."""

import ast

from tests.test_imports import PACKAGE, modules

# ``fs`` for everybody, ``agenthooks/io`` for the prompt path, which loads no more than it needs.
OWNERS = {"fs.py", "agenthooks/io.py"}
CHANGES = {"replace", "rename", "renames", "unlink", "remove", "rmdir", "removedirs", "mkdir", "makedirs", "chmod",
           "symlink", "link", "truncate", "utime", "mkfifo", "write_text", "write_bytes", "touch", "rmtree",
           "copyfile", "copy", "copy2", "copytree", "move", "mkdtemp", "mkstemp", "NamedTemporaryFile",
           "TemporaryDirectory"}
MODULES = {"os", "_os", "posix", "shutil", "tempfile"}


def writes(path):
    """[(line, what)] of the calls in a source file that write, delete or rename a file."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Attribute):
            owner = function.value.id if isinstance(function.value, ast.Name) else ""
            if function.attr in CHANGES and (owner in MODULES or function.attr in ("write_text", "write_bytes")):
                found.append((node.lineno, f"{owner}.{function.attr}"))
            if function.attr == "open" and owner in ("os", "_os", "posix") and len(node.args) > 1:
                flags = {n.attr for n in ast.walk(node.args[1]) if isinstance(n, ast.Attribute)}
                if flags & {"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"}:
                    found.append((node.lineno, "os.open for writing"))
        elif isinstance(function, ast.Name) and function.id == "open":
            mode = next((k.value for k in node.keywords if k.arg == "mode"), node.args[1] if len(node.args) > 1 else None)
            if mode is not None and not (isinstance(mode, ast.Constant) and set(mode.value) <= set("rbt")):
                found.append((node.lineno, "open for writing"))
    return found


def test_only_fs_writes_files():
    wrong = [f"{path.relative_to(PACKAGE).as_posix()}:{line}: {what}" for path in modules()
             if path.relative_to(PACKAGE).as_posix() not in OWNERS for line, what in writes(path)]
    assert not wrong, "these belong into fs.py:\n" + "\n".join(wrong)
