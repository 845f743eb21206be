"""Loads what a hook needs of the package from one file of ready code, without Python's search for each module.

Why it is here: a prompt needs about twenty modules. Measured in processor time (CPython 3.11, 140 pages, three of
them injected), a prompt takes 1.29 bare starts of the interpreter with it and 1.54 with Python's own import; one that
matches nothing 1.09 and 1.27. The search for modules, their documentation and their tables of line numbers make the
difference. A bundle lies in ``__pycache__`` beside the modules' cached code and is made by the first hook that finds
none, or one that is older than a source.
Whoever sets ABCD_DEBUG gets Python's own import, with line numbers in what goes wrong. So does every interpreter
but CPython on POSIX, and an installation that the person may not write to.
"""

import gc
import sys

try:
    import _imp
    import posix
    from marshal import loads

    MACHINERY = sys.modules["_frozen_importlib_external"]
    SPEC = sys.modules["_frozen_importlib"].ModuleSpec
    # A bundle is for one version of Python's code and of this file's layout.
    MAGIC = b"abcd-bundle 1 " + MACHINERY.MAGIC_NUMBER
    FOLDER = "/abcd_index/agenthooks/__pycache__/"
    SUFFIX = "." + sys.implementation.cache_tag + ".bundle"
except Exception:
    # Not CPython, or not POSIX.
    MAGIC = b""

# The packages are made without running their files: those hold nothing that a hook needs.
PACKAGES = ("abcd_index", "abcd_index.artefact", "abcd_index.text", "abcd_index.agenthooks")
# Below ``abcd_index/``: what each step of a hook loads, in the order in which they need each other.
BASE = ("artefact/format", "artefact/reader", "scopes", "agenthooks/payload", "agenthooks/io")
STEPS = {
    "prompt_hook": BASE + ("agenthooks/prompt_hook",),
    "lookup": (
        "text/normalise",
        "agenthooks/prompt",
        "agenthooks/match",
        "artefact/provenance",
        "agenthooks/decide",
        "artefact/ranking",
        "text/porter",
        "text/everyday",
        "agenthooks/evidence",
    ),
    "segment": ("text/segment",),
    "matched": (
        "agenthooks/fill",
        "agenthooks/ledger",
        "artefact/bm25f",
        "agenthooks/rank",
        "artefact/times",
        "agenthooks/freshness",
        "agenthooks/render",
        "agenthooks/budget",
    ),
    "statusline": BASE + ("agenthooks/fill", "agenthooks/ledger", "agenthooks/statusline"),
}
# More than any bundle has. From 128 KiB on the C library maps and unmaps memory for each read.
LARGEST = 120000
# Of Python's own modules those in C that are mostly files of their own, and the step that needs each.
EXTENSIONS = {"prompt_hook": "_json", "statusline": "_json", "keyed": "_blake2"}


def main(name, folder):
    # type: (str, str) -> None
    """Run the hook ``abcd_index.agenthooks.<name>`` of the package near ``folder``, which the script is in. Does not
    return."""
    # A process of a few milliseconds has no garbage worth looking for.
    gc.disable()
    root = package(folder)
    try:
        hook = loaded(root, name)
    except ImportError:
        # A link to the folder of the scripts: the package is not beside the link but beside what it leads to.
        from os.path import realpath

        beside, root = root, package(realpath(folder))
        if root == beside:
            raise
        hook = loaded(root, name)
    # The hook asks for the next step's modules when it knows that there is one.
    hook.io.preload = lambda step: load(root, step)
    hook.main()


def package(folder):
    # type: (str) -> str
    """The folder that holds the package: above hooks/ in a checkout, above abcd_index/_hooks/ when installed."""
    folder = folder.replace("\\", "/").rstrip("/")
    up = folder.rpartition("/")[0]
    return up.rpartition("/")[0] if folder.endswith("/_hooks") else up


def loaded(root, name):
    # type: (str, str) -> object
    """The module of the hook ``name`` and what it needs, of the package in ``root``. Raises ImportError."""
    for package in PACKAGES:
        made = sys.modules[package] = type(sys)(package)
        made.__path__ = [root + "/" + package.replace(".", "/")]
    load(root, name)
    name = "abcd_index.agenthooks." + name
    __import__(name)
    return sys.modules[name]


def load(root, step):
    # type: (str, str) -> None
    """Load the modules of a step; a step without a list loads nothing."""
    if not MAGIC or b"ABCD_DEBUG" in posix.environ or "coverage" in sys.modules:
        return
    if step in EXTENSIONS:
        load_extension(EXTENSIONS[step])
    names = STEPS.get(step)
    if not names:
        return
    bundle = root + FOLDER + step + SUFFIX
    codes = read_bundle(root, bundle, names)
    if codes is None:
        make_bundle(root, bundle, names)
        return  # This process imports as usual.
    modules = sys.modules
    for name, code in zip(names, codes):
        name = "abcd_index." + name.replace("/", ".")
        if name in modules:
            continue
        module = modules[name] = type(sys)(name)
        module.__file__ = code.co_filename
        try:
            exec(code, module.__dict__)
        except BaseException:
            del modules[name]
            raise
        parent, _, leaf = name.rpartition(".")
        setattr(modules[parent], leaf, module)


def load_extension(name):
    # type: (str) -> None
    """Load a module of Python's own that is a file in the last folder of its path. Where it is not, nothing happens:
    whoever needs it imports it."""
    if name not in sys.modules and name not in sys.builtin_module_names:
        path = sys.path[-1] + "/" + name + _imp.extension_suffixes()[0]
        try:
            module = _imp.create_dynamic(SPEC(name, None, origin=path))
            _imp.exec_dynamic(module)
            sys.modules[name] = module
        except ImportError:
            pass


def read_bundle(root, bundle, names):
    # type: (str, str, tuple[str, ...]) -> tuple[object, ...] | None
    """The code of the modules ``names``, or None when there is no bundle that is newer than each of them."""
    try:
        fd = posix.open(bundle, posix.O_RDONLY)
        try:
            data = posix.read(fd, LARGEST)
        finally:
            posix.close(fd)
        if data.startswith(MAGIC):
            stamps, codes = loads(memoryview(data)[len(MAGIC) :])
            if stamps == stamps_of(root, names):
                return codes
    except (OSError, ValueError, EOFError, TypeError):
        pass
    return None


def stamps_of(root, names):
    # type: (str, tuple[str, ...]) -> list[int]
    """What tells an edited source from the one that was bundled: time and size of each. Raises OSError."""
    stamps = []
    for name in names:
        found = posix.stat(root + "/abcd_index/" + name + ".py")
        stamps += (found.st_mtime_ns, found.st_size)
    return stamps


def make_bundle(root, bundle, names):
    # type: (str, str, tuple[str, ...]) -> None
    """Make the bundle for the next hook."""
    space = {"__name__": "abcd_bundle"}
    try:
        stamps = stamps_of(root, names)
        path = __file__[: -len("abcd_loader.py")] + "abcd_bundle.py"
        exec(MACHINERY.SourceFileLoader("abcd_bundle", path).get_code("abcd_bundle"), space)
    except (OSError, ImportError):
        return
    space["make"](bundle, MAGIC, stamps, [root + "/abcd_index/" + name + ".py" for name in names])
