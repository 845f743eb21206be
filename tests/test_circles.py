"""No module of the package needs, at once or later, a module that needs it: imports inside functions count.

``python tests/test_circles.py [FOLDER]`` prints the circles of the package in FOLDER (or of this checkout).
"""

import ast
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "abcd_index"
# Still there. Only ever fewer; what is mended is taken off.
KNOWN = []


def modules(package):
    """{dotted name: path} of the package's modules."""
    found = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def unread(tree):
    """The ids of the nodes that only a type checker reads; what they import is never imported."""
    return {id(inner) for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
            for inner in ast.walk(ast.Module(node.body, []))}


def imports(name, path, known):
    """The modules among ``known`` that the module ``name`` imports, wherever in its text."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed_over = unread(tree)
    found = set()
    for node in ast.walk(tree):
        if id(node) in passed_over:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = name.split(".")
                parts = parts[:len(parts) - node.level + (path.name == "__init__.py")]
                base = ".".join(parts + ([node.module] if node.module else []))
            # ``from room import module`` needs the module; ``from module import name`` needs what holds the name.
            found |= {f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base for alias in node.names}
    return (found & set(known)) - {name}


def circles(package=PACKAGE):
    """[[module, ...]]: the groups of modules that need each other, each sorted (Tarjan's strong components)."""
    known = modules(package)
    graph = {name: sorted(imports(name, path, known)) for name, path in known.items()}
    number, lowest, stack, found = {}, {}, [], []

    def visit(name):
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for other in graph[name]:
            if other not in number:
                visit(other)
            if other in stack:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == number[name]:
            at = stack.index(name)
            group = sorted(stack[at:])
            del stack[at:]
            if len(group) > 1:
                found.append(group)

    for name in sorted(graph):
        if name not in number:
            visit(name)
    return sorted(found)


def test_modules_do_not_need_each_other_in_a_circle():
    assert [group for group in circles() if group not in KNOWN] == []


def test_circles_are_found_however_they_are_written(tmp_path):
    room = tmp_path / "p" / "room"
    room.mkdir(parents=True)
    texts = {"__init__.py": "", "a.py": "from p.room import b\n", "b.py": "def f():\n    from . import c\n",
             "c.py": "def f():\n    import p.room.d as d\n", "d.py": "from .a import f\n",
             "e.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.room import f\n", "f.py": "import p.room.e\n"}
    for name, text in texts.items():
        (room / name).write_text(text)
    (tmp_path / "p" / "__init__.py").write_text("")
    assert circles(tmp_path / "p") == [["p.room.a", "p.room.b", "p.room.c", "p.room.d"]]


if __name__ == "__main__":
    for group in circles(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE):
        print(" <-> ".join(group))
