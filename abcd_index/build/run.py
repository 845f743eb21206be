"""Make a scope's artefact current: the one function behind ``abcd-index build`` and the git hooks."""

import os
import sys
import tempfile
import time

import orjson

from abcd_index.artefact.format import ROW, SUFFIX, TIMES_SUFFIX
from abcd_index.artefact.reader import Artefact, current_key
from abcd_index.build.assemble import Assembly
from abcd_index.build.compile import compile_domain, compile_page
from abcd_index.build.files import observe, remember
from abcd_index.build.key import key_of
from abcd_index.build import publish
from abcd_index.errors import AbcdError, ArtefactError, ArtefactMissing
from abcd_index.settings import read_settings, written_settings
from abcd_index.store.read import read_store

# Pages that change while the build runs are looked for again, this often at most.
ROUNDS = 3
INTERPRETER = "interpreter"


class Built:
    """What ``build`` did. ``state``: 'current' (nothing to do), 'switched' (the artefact was there
    already) or 'built'. ``pages``: pages in the artefact. ``recompiled``: pages that were compiled
    again. ``findings``: of the store, only when it was read. ``seconds``: wall time."""

    __slots__ = ("scope", "key", "state", "pages", "recompiled", "findings", "seconds", "path", "size")

    def __init__(self, scope, key, state):
        self.scope = scope
        self.key = key
        self.state = state
        self.pages = 0
        self.recompiled = 0
        self.findings = []
        self.seconds = 0.0
        self.path = os.path.join(scope.index, key + SUFFIX)
        self.size = 0


def build(scope, force=False, progress=None):
    """Make the artefact of ``scope`` current. ``force``: compile even when it is there already.
    ``progress(done, total)`` is called while pages are compiled.

    Raises AbcdError when the store or the index folder cannot be used; the old artefact then stands.
    """
    begun = time.perf_counter()
    built = None
    for _ in range(ROUNDS):
        observed = observe(scope)
        built = _build(scope, observed, force, progress, built)
        if not _moved(scope, observed):
            break
        force = False
    built.seconds = time.perf_counter() - begun
    return built


def _build(scope, observed, force, progress, before):
    settings, _ = settings_of(observed)
    key = key_of(written_settings(settings), observed.hashes())
    try:
        publish.prepare(scope.index)
        built = None if force else _standing(scope, key)
        if built is None:
            built = _compile(scope, observed, settings, key, progress)
        write_times(scope, observed, built)
        remember(scope, observed)
        if _current(scope.index) != key:
            publish.swap_current(scope.index, key)
        publish.prune(scope.index, settings["artefact"]["keep"], key)
    except OSError as error:
        raise AbcdError(f"{scope.index} cannot be written: {error.strerror or error}",
                        "make room or give write permission; the artefact from before still stands") from None
    if before is not None and before.state == "built":
        built.state = "built"
    return built


def settings_of(observed):
    """(settings, findings) of the observed ``config.json``."""
    source = observed.sources.get("config.json")
    if source is None:
        return read_settings(None)
    try:
        return read_settings(source.read())
    except OSError:
        return read_settings(None)


def _standing(scope, key):
    """The artefact of ``key`` when it is there and whole enough to open, as a Built; else None."""
    try:
        artefact = Artefact.open(os.path.join(scope.index, key + SUFFIX))
    except ArtefactError:
        return None
    try:
        if artefact.header.get("key") != key:
            return None
        built = Built(scope, key, "current" if _current(scope.index) == key else "switched")
        built.pages = artefact.pages
        built.size = artefact.header["size"]
        if built.state == "switched":
            publish.touch(scope.index, key)
        return built
    finally:
        artefact.close()


def _compile(scope, observed, settings, key, progress):
    built = Built(scope, key, "built")
    store = read_store(scope)
    assembly = assemble(store, progress)
    try:
        with publish.whole(built.path) as out:
            assembly.write(out, key, written_settings(settings))
            built.size = out.tell()
    finally:
        assembly.close()
    built.pages = assembly.pages
    built.recompiled = built.pages
    built.findings = list(store.findings)
    return built


def assemble(store, progress=None):
    """The Assembly of a whole ``Store``; ``verify`` recomputes with it too. The caller closes it."""
    assembly = Assembly()
    total = len(store.pages)
    for number, page in enumerate(store.pages):
        assembly.add_page(compile_page(page), store.line(page))
        if progress is not None:
            progress(number + 1, total)
    for domain in sorted(store.domains, key=lambda d: d.name):
        assembly.add_domain(*compile_domain(domain))
    assembly.newer = store.newer()
    return assembly


def artefact_bytes(store, settings, key):
    """The bytes that the artefact of ``store`` must have: what ``verify`` compares with."""
    assembly = assemble(store)
    with tempfile.SpooledTemporaryFile(64 << 20) as out:
        try:
            assembly.write(out, key, written_settings(settings))
        finally:
            assembly.close()
        out.seek(0)
        return out.read()


def write_times(scope, observed, built):
    """The sidecar that lets the prompt hook see which matched pages changed since."""
    head = orjson.dumps({"folder": 0 if _racy(observed.folder, observed) else observed.folder, "key": built.key})
    rows = [head + b"\n"]
    for name in artefact_files(built.path):
        source = observed.sources.get("memory/" + name)
        if source is None:
            rows.append(b"%016x%08x%064x\n" % (0, 0, 0))
            continue
        mtime = 0 if _racy(source.mtime, observed) else source.mtime
        rows.append(b"%016x%08x%s\n" % (mtime, min(source.size, 0xFFFFFFFF), source.hash.encode("ascii").ljust(64)))
    assert all(len(row) == ROW for row in rows[1:])
    path = os.path.join(scope.index, built.key + TIMES_SUFFIX)
    data = b"".join(rows)
    if _content(path) != data:
        publish.replace(path, data)
    # For the git hooks' `find -newer`: what is written from now on is newer than the build's start.
    os.utime(path, ns=(observed.started, observed.started))


def artefact_files(path):
    """The file names of the pages in an artefact, in its order."""
    artefact = Artefact.open(path)
    try:
        return [artefact.record(page)["file"] for page in range(artefact.pages)]
    finally:
        artefact.close()


def record_interpreter(places):
    """Note the interpreter that can build, for hooks that run under another one."""
    if not places.user:
        return
    folder = os.path.join(places.user, ".index")
    path = os.path.join(folder, INTERPRETER)
    line = sys.executable.encode("utf-8", "surrogateescape") + b"\n"
    try:
        if _content(path) != line:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            publish.replace(path, line)
    except OSError:
        pass  # A read-only home only means that the hook starts no rebuild.


def _moved(scope, observed):
    """Whether a source file changed while the build ran. Small stores only: it costs a stat a file."""
    if len(observed.sources) > 5000:
        return False
    try:
        if observed.folder != os.stat(scope.store).st_mtime_ns:
            return True
    except OSError:
        return observed.folder != 0
    for source in observed.sources.values():
        try:
            stat = os.stat(source.path)
        except OSError:
            return True
        if (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size) != (source.mtime, source.ctime, source.size):
            return True
    return False


def _racy(mtime, observed):
    from abcd_index.build.files import TICK_NS

    return mtime > observed.started - TICK_NS


def _current(index):
    try:
        return current_key(index)
    except ArtefactMissing:
        return ""


def _content(path):
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except OSError:
        return None
