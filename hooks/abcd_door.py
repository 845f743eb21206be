"""Finds the package and loads what a hook needs of it, without Python's search for each module.

A prompt loads two dozen small modules. Python looks for each one in every folder of its path and for every
kind of file that a module may be, which takes longer than the hook's own work. Here it is known where they
are: a module's cached code is read and run. Whatever is not as expected (no cached code, another Python's,
a source that was edited since) is left to Python's own import, which also writes the cache.
"""

import gc
import sys

try:
    import posix
    from marshal import loads

    MAGIC = sys.modules["_frozen_importlib_external"].MAGIC_NUMBER + b"\0\0\0\0"
    CACHED = "/__pycache__/%s." + sys.implementation.cache_tag + ".pyc"
except Exception:
    # Not CPython, or not POSIX: everything is imported.
    MAGIC = b""

# No module is larger. A buffer of more than this makes the heap grow and shrink with every file.
LARGEST = 32768

# What each hook loads, in the order in which they need each other; packages end in a dot. Names that are missing
# here are imported, names that are too many cost time: a test compares the lists with what is used.
BASE = ("abcd_index.", "abcd_index.artefact.", "abcd_index.artefact.format", "abcd_index.artefact.reader",
        "abcd_index.scopes", "abcd_index.agenthooks.", "abcd_index.agenthooks.payload", "abcd_index.agenthooks.pipes")
LOOKUP = ("abcd_index.text.", "abcd_index.text.normalise", "abcd_index.text.segment", "abcd_index.agenthooks.prompt",
          "abcd_index.agenthooks.match", "abcd_index.artefact.provenance", "abcd_index.agenthooks.decide")
MATCHED = ("abcd_index.agenthooks.fill", "abcd_index.agenthooks.ledger", "abcd_index.artefact.ranking",
           "abcd_index.agenthooks.rank",
           "abcd_index.artefact.times", "abcd_index.agenthooks.freshness", "abcd_index.agenthooks.render",
           "abcd_index.agenthooks.budget", "abcd_index.text.porter")
STEPS = {"lookup": LOOKUP, "matched": MATCHED}
HOOKS = {
    "prompt_hook": BASE + ("abcd_index.agenthooks.prompt_hook",),
    "statusline": BASE + ("abcd_index.agenthooks.fill", "abcd_index.agenthooks.gauge", "abcd_index.agenthooks.statusline"),
}


def main(name):
    """Run the hook ``abcd_index.agenthooks.<name>``. Does not return."""
    # A process of a few milliseconds has no garbage worth looking for.
    gc.disable()
    folder = sys.path.pop(0).rstrip("/\\")
    root = package(folder)
    try:
        hook = loaded(root, name)
    except ImportError:
        # A link to the folder of the scripts: the package is not beside the link but beside what it leads to.
        from os.path import realpath

        beside, root = root, package(realpath(folder))
        if root == beside:
            raise
        for made in [made for made in sys.modules if made.partition(".")[0] == "abcd_index"]:
            del sys.modules[made]
        hook = loaded(root, name)
    # The hook asks for the next step's modules when it knows that there is one.
    hook.pipes.ahead = lambda step: load(root, STEPS.get(step) or (step,))
    hook.main()


def loaded(root, name):
    """The module of the hook ``name`` and what it needs, of the package in ``root``. Raises ImportError."""
    if not MAGIC:
        sys.path.append(root)
    # Packages that are made know where their modules are; nothing is looked for in this folder's place on the path.
    load(root, HOOKS.get(name, BASE))
    name = "abcd_index.agenthooks." + name
    __import__(name)
    return sys.modules[name]


def package(folder):
    """The folder that holds the package: above hooks/ in a checkout, above abcd_index/_hooks/ when installed."""
    folder = folder.replace("\\", "/")
    up = folder.rpartition("/")[0]
    return up.rpartition("/")[0] if folder.endswith("/_hooks") else up


def load(root, names):
    """Load modules from their cached code; those that cannot be are imported."""
    for name in names:
        if not MAGIC or not run_cached(root, name):
            __import__(name.rstrip("."))


def run_cached(root, name):
    """Load one module from its cached code. False when there is none that is up to date."""
    modules = sys.modules
    if name in modules:
        return True
    parent, _, leaf = name.rpartition(".")
    if not leaf:
        return make_package(root, parent)
    folder = root + "/" + parent.replace(".", "/")
    try:
        source = posix.stat(folder + "/" + leaf + ".py")
        fd = posix.open(folder + CACHED % leaf, posix.O_RDONLY)
        try:
            data = posix.read(fd, LARGEST)
        finally:
            posix.close(fd)
        stamp = int(source.st_mtime) & 0xFFFFFFFF | (source.st_size & 0xFFFFFFFF) << 32
        if data[:16] != MAGIC + stamp.to_bytes(8, "little") or len(data) == LARGEST:
            return False
        code = loads(memoryview(data)[16:])
    except (OSError, ValueError, EOFError, TypeError):
        return False
    module = modules[name] = type(sys)(name)
    module.__file__ = code.co_filename
    try:
        exec(code, module.__dict__)
    except BaseException:
        del modules[name]
        raise
    setattr(modules[parent], leaf, module)
    return True


def make_package(root, name):
    """Make a package without running its file: those of the rooms that a hook uses hold nothing that it needs."""
    if name not in sys.modules:
        package = sys.modules[name] = type(sys)(name)
        package.__path__ = [root + "/" + name.replace(".", "/")]
    return True
