"""Which small changes of a module does no test notice?

    python -m benchmarks.mutants MODULE.py [MODULE.py ...] -- TESTS [pytest's options]
    python -m benchmarks.mutants --list MODULE.py

Works on a copy of the checkout in a temporary folder. Each mutant changes one place: a comparison, a number, a
constant, ``and`` and ``or``, an operator, a condition, a returned value, or a call that stands alone. Tests that do
not pass without a change are refused. What survives is listed with its line; whether it matters is for a person to say.
"""

import argparse
import ast
import copy
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPARE = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATE = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
LEFT_OUT = {".git", ".venv", ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache", "dist", "__pycache__"}
# A mutant may loop for ever: it has so many times what the tests take without one.
PATIENCE = 4


def changes(node):
    """The nodes that may stand in place of ``node``, one change in each."""
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            made = copy.deepcopy(node)
            made.ops[at] = COMPARE[type(operator)]()
            yield made
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATE:
        made = copy.deepcopy(node)
        made.op = OPERATE[type(node.op)]()
        yield made
    elif isinstance(node, ast.BoolOp):
        made = copy.deepcopy(node)
        made.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield made
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield copy.deepcopy(node.operand)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        yield ast.Constant(not node.value if type(node.value) is bool else node.value + 1)
    elif isinstance(node, (ast.If, ast.While)):
        for value in (True, False) if isinstance(node, ast.If) else (False,):
            made = copy.deepcopy(node)
            made.test = ast.Constant(value)
            yield made
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()


def mutants(text):
    """[(line, before, after, text of the mutant)] of a module's source."""
    tree = ast.parse(text)
    found = []
    for parent in ast.walk(tree):
        if "TYPE_CHECKING" in ast.dump(parent) and isinstance(parent, ast.If):
            continue
        for field, value in ast.iter_fields(parent):
            places = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
            for at, node in places:
                for made in changes(node) if isinstance(node, ast.AST) else ():
                    ast.fix_missing_locations(ast.copy_location(made, node))
                    _put(parent, field, at, made)
                    found.append((node.lineno, _first_line(node), _first_line(made), ast.unparse(tree)))
                    _put(parent, field, at, node)
    return sorted(found, key=lambda mutant: mutant[0])


def _put(parent, field, at, node):
    if at is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[at] = node


def _first_line(node):
    return ast.unparse(node).split("\n")[0][:90]


class Copy:
    """A copy of the checkout in which modules are changed and tests run. ``tests``: what pytest is called with."""

    def __init__(self, folder, tests):
        self.root = Path(folder) / "checkout"
        shutil.copytree(ROOT, self.root, ignore=lambda at, names: LEFT_OUT & set(names))
        self.command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        # The installed package is the checkout's own; processes that tests start must find the copy.
        self.env = dict(
            os.environ, PYTHONPATH=str(self.root), PYTHONDONTWRITEBYTECODE="1", HYPOTHESIS_STORAGE_DIRECTORY=str(folder)
        )
        self.limit = None

    def passes(self):
        """Whether the tests pass; False also when they take longer than ``limit`` seconds."""
        try:
            done = subprocess.run(
                self.command,
                cwd=self.root,
                env=self.env,
                capture_output=True,
                timeout=self.limit,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def run(modules, tests, only=None):
    """Try the mutants of ``modules`` (paths in the checkout) and print a line for each survivor. Returns the exit
    status: 0 when all were noticed, 1 with survivors, 2 when the tests fail as they are."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        ground = Copy(folder, tests)
        start = time.monotonic()
        if not ground.passes():
            print("the tests do not pass without a mutant: " + " ".join(ground.command))
            return 2
        took = time.monotonic() - start
        ground.limit = 10 + PATIENCE * took
        lived = tried = 0
        for module in modules:
            path = ground.root / module
            source = path.read_text(encoding="utf-8")
            found = mutants(source)
            found = found[:: max(1, len(found) // only)][:only] if only else found
            minutes = 1 + len(found) * took / 60
            print("%s: %d mutants, about %d minutes at most" % (module, len(found), minutes), flush=True)
            for line, before, after, text in found:
                path.write_text(text, encoding="utf-8")
                tried += 1
                if ground.passes():
                    lived += 1
                    print("%s:%d: survived: %s  ->  %s" % (module, line, before, after), flush=True)
            path.write_text(source, encoding="utf-8")
        print("%d of %d mutants survived" % (lived, tried))
        return 1 if lived else 0


def main(argv):
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="benchmarks.mutants", description=__doc__.split("\n")[0])
    parser.add_argument("modules", nargs="+", help="files of the package, relative to the checkout")
    parser.add_argument("--list", action="store_true", help="show the mutants and run nothing")
    parser.add_argument("--only", type=int, help="try about so many of each module, evenly spread")
    at = argv.index("--") if "--" in argv else len(argv)
    options, tests = parser.parse_args(argv[:at]), argv[at + 1 :]
    if options.list:
        for module in options.modules:
            for line, before, after, _ in mutants((ROOT / module).read_text(encoding="utf-8")):
                print("%s:%d: %s  ->  %s" % (module, line, before, after))
        return 0
    if not tests:
        parser.error("say which tests are to notice, after --")
    return run(options.modules, tests, options.only)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
