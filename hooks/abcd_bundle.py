"""Makes the bundle of code that ``abcd_loader`` reads. Loaded once for each version of the sources."""

import posix
import sys
from marshal import dumps

# No source is larger.
LARGEST = 1 << 20


def make(bundle, magic, stamps, paths):
    # type: (str, bytes, list[int], list[str]) -> None
    """Put the code of the sources at ``paths`` into the file ``bundle``, in one step and only where that may be
    written to. ``stamps``: of the sources. A bundle that cannot be made is none; nothing is raised."""
    temporary = "%s.%d" % (bundle, posix.getpid())
    try:
        if sys.dont_write_bytecode or not posix.access(bundle.rpartition("/")[0], posix.W_OK):
            return
        data = magic + dumps((stamps, tuple([without_lines(compiled(path)) for path in paths])))
        fd = posix.open(temporary, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL, 0o644)
        try:
            whole = posix.write(fd, data) == len(data)
        finally:
            posix.close(fd)
        if whole:
            posix.rename(temporary, bundle)
        else:
            posix.unlink(temporary)
    except (OSError, ValueError, SyntaxError):
        return


def compiled(path):
    # type: (str) -> object
    """The code of a source, without documentation and annotations, which are a twelfth of it. Raises OSError,
    ValueError or SyntaxError."""
    fd = posix.open(path, posix.O_RDONLY)
    try:
        source = posix.read(fd, LARGEST)
    finally:
        posix.close(fd)
    return compile(without_annotations(source), path, "exec", dont_inherit=True, optimize=2)


def without_annotations(source):
    # type: (bytes) -> object
    """The syntax tree of a source without annotations. Raises ValueError or SyntaxError."""
    # Takes a while to load; a bundle is made once.
    import ast

    class Plain(ast.NodeTransformer):
        def visit_FunctionDef(self, node):
            # type: (ast.FunctionDef) -> ast.AST
            node.returns = None
            return self.generic_visit(node)

        def visit_arg(self, node):
            # type: (ast.arg) -> ast.AST
            node.annotation = None
            return node

        def visit_AnnAssign(self, node):
            # type: (ast.AnnAssign) -> ast.AST
            if node.value is None:
                return ast.copy_location(ast.Pass(), node)
            return ast.copy_location(ast.Assign([node.target], node.value), node)

    return ast.fix_missing_locations(Plain().visit(ast.parse(source)))


def without_lines(code):
    # type: (object) -> object
    """A code object without its table of line numbers, and those in it."""
    table = {"co_linetable" if hasattr(code, "co_linetable") else "co_lnotab": b""}
    consts = tuple([without_lines(const) if isinstance(const, type(code)) else const for const in code.co_consts])
    return code.replace(co_consts=consts, **table)
