"""Make a scope's artefact current: the one function behind ``abcd-index build`` and the git hooks."""

import os
import sys
import time

from abcd_index import fs
from abcd_index.artefact import writer
from abcd_index.artefact.format import SUFFIX
from abcd_index.artefact.provenance import is_ours
from abcd_index.artefact.reader import Artefact, current_key
from abcd_index.build import edited as patch
from abcd_index.build import incremental as delta
from abcd_index.build import publish
from abcd_index.build.assemble import Assembly
from abcd_index.build.compile import compile_domain, compile_page
from abcd_index.build.key import RECORDS_VERSION, key_of
from abcd_index.build.manifest import Pages, write_times
from abcd_index.build.scan import Moved, observe, remember
from abcd_index.build.workers import mapped
from abcd_index.errors import AbcdError, ArtefactError, ArtefactMissing
from abcd_index.scopes import USER
from abcd_index.settings import read_settings, written_settings
from abcd_index.store.catalogue import line_of, made_line
from abcd_index.store.links import newer
from abcd_index.store.page import FOLDER
from abcd_index.store.read import read_beside, read_one, unreadable
from abcd_index.text.normalise import TOKENS_VERSION

# Pages that change while the build runs are looked at again, this often at most.
ROUNDS = 4
# In larger stores only the pages that are compiled are looked at twice.
LOOK_TWICE = 5000
INTERPRETER = "interpreter"
SCRIPTS = "hooks"


class Built:
    """What ``build`` did. ``state``: 'current' (nothing to do), 'switched' (the artefact was there
    already) or 'built'. ``pages``: pages in the artefact. ``recompiled``: pages that were compiled
    again. ``left_out``: names of files that look like pages and are not in it. ``findings``: of the files
    that were read. ``anew``: an artefact of this key was there and was made once more, because this machine did
    not answer for it. ``known``: whether this machine's list of its artefacts has it, so that the prompt hook uses it.
    ``seconds``: wall time. ``size``: bytes."""

    __slots__ = ("scope", "key", "state", "pages", "recompiled", "left_out", "findings", "seconds", "path", "size",
                 "inode", "anew", "known", "settings")

    def __init__(self, scope, key, state, settings):
        self.scope = scope
        self.key = key
        self.state = state
        self.settings = settings
        self.pages = 0
        self.recompiled = 0
        self.left_out = []
        self.findings = []
        self.seconds = 0.0
        self.path = os.path.join(scope.index, key + SUFFIX)
        self.size = 0
        self.inode = None
        self.anew = False
        self.known = True


def build(scope, force=False, progress=None):
    """Make the artefact of ``scope`` current. ``force``: compile every page, even when it is there
    already. ``progress(done, total)`` is called while pages are compiled.

    Raises AbcdError when the store or the index folder cannot be used; the old artefact then stands.
    """
    begun = time.perf_counter()
    trust = True
    for attempt in range(ROUNDS):
        try:
            observed = observe(scope, trust)
            built = _build(observed, force, progress)
        except Moved as moved:
            if attempt == ROUNDS - 1:
                raise AbcdError(f"{scope.display(str(moved))} keeps changing while it is read",
                                "build again when it has settled") from None
            trust = False  # Or it did not change, and what an earlier build noted of it is wrong.
            continue
        except OSError as error:
            raise AbcdError(f"{error.filename or scope.index} cannot be used: {error.strerror or error}",
                            "remove what is there; a build makes it anew" if isinstance(error, fs.NotPlain) else
                            "make room or give write permission; the artefact from before still stands") from None
        if not observed.moved(LOOK_TWICE):
            break
    built.seconds = time.perf_counter() - begun
    return built


def _build(observed, force, progress):
    scope = observed.scope
    settings, findings = settings_of(observed)
    key = key_of(written_settings(settings), observed.hashes())
    publish.prepare(scope.index, scope.name == USER)
    if observed.listing.litter:
        fs.sweep(scope.store)
    built, pages = (None, None) if force else standing(observed, key, settings)
    if built is None:
        built = Built(scope, key, "built", settings)
        built.anew = not force and os.path.lexists(built.path)
        built.findings += findings
        pages = None if force or built.anew else _from_current(observed, built, progress)
        pages = pages or _in_full(observed, built, progress)
    listed = {name for name, _ in observed.listing.pages}
    built.left_out = sorted(listed.difference(pages.files) | set(observed.listing.left_out))
    built.known = make_current(observed, key, pages, settings, built.inode)
    return built


def make_current(observed, key, pages, settings, inode, ours=True):
    """Let ``current`` name the artefact of ``key``, which is there with its Pages, and note what the files were
    like. The sidecars come first: whoever sees ``current`` sees the rest. ``inode``: of the artefact's file when it
    was just made, None when this machine's list has it already. ``ours``: whether this machine answers for it.
    Returns whether its list says so (``publish.record_provenance``)."""
    index = observed.scope.index
    write_times(observed, key, pages)
    remember(observed)
    known = ours and (inode is None or publish.record_provenance(observed.scope, key, inode))
    if _current(index) != key:
        publish.swap_current(index, key)
    publish.prune(index, settings["artefact"]["keep"], key)
    return known


def settings_of(observed):
    """(settings, findings) of the observed ``config.json``."""
    source = observed.sources.get("config.json")
    try:
        return read_settings(None if source is None else source.read())
    except OSError:
        return read_settings(None)


def standing(observed, key, settings):
    """(Built, Pages) of the artefact of ``key`` when it is there, whole and this machine's own; else (None, None).

    A clone can hold a file of that name with any content, and a sidecar that agrees: it is built anew.
    """
    scope = observed.scope
    try:
        artefact = Artefact.open(os.path.join(scope.index, key + SUFFIX))
        try:
            ours = is_ours(scope, key, os.fstat(artefact.fileno()))
        finally:
            artefact.close()
        if artefact.header.get("key") != key or not ours:
            return None, None
        pages = Pages.read(scope.index, key) or Pages.of_sound(scope.index, key)
    except (ArtefactError, KeyError):
        return None, None
    built = Built(scope, key, "current" if _current(scope.index) == key else "switched", settings)
    built.pages, built.size = artefact.pages, artefact.header["size"]
    return built, pages


def _in_full(observed, built, progress):
    """Compile every page. Returns the Pages."""
    catalogue, domains, findings = read_beside(observed.listing, observed.read)
    built.findings += findings
    assembly, pages, dates = Assembly(), no_pages(observed), {}
    try:
        for page in _compiled(observed, observed.listing.pages, catalogue.lines, built.findings, progress):
            assembly.add_page(page)
            pages.note(page)
            if page.links[4]:
                dates[page.file] = page.links[4]
        built.recompiled = assembly.pages
        _finish(built, assembly, pages, domains, dates)
        return pages
    finally:
        assembly.close()


def _from_current(observed, built, progress):
    """Take over from the current artefact all that did not change; the Pages, or None: build in full."""
    old = delta.open_current(observed.scope)
    if old is None:
        return None
    try:
        return _edited(observed, built, old, progress) or _changed(observed, built, old, progress)
    except (ArtefactError, OSError, ValueError, KeyError, TypeError, IndexError) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        # The old artefact or a sidecar is damaged: the pages are the truth.
        return None
    finally:
        old.close()


def _edited(observed, built, old, progress):
    """The Pages when nothing but the text of some pages changed; None when it is more than that."""
    listed = [name for name, _ in observed.listing.pages]
    if listed != old.pages.files or old.pages.catalogue != _catalogue_hash(observed) \
            or old.pages.rules != _digest(observed, "rules.json"):
        return None
    kept = {name for name, digest in old.hashes() if _page_digest(observed, name) == digest}
    read = [(name, path) for name, path in observed.listing.pages if name not in kept]
    if len(read) > delta.WORTH_IT * len(listed):
        return None
    lines = {name: old.record(old.numbers[name])["line"] for name, _ in read if name in old.pages.lined}
    found = []
    compiled = {page.file: page for page in _compiled(observed, read, lines, found, progress)}
    result = patch.patched(old, compiled) if len(compiled) == len(read) else None
    if result is None:
        return None
    pages = old.pages
    pages.recount(result.counts, result.terms)
    with fs.whole(built.path) as out:
        writer.write(out, built.key, (TOKENS_VERSION, RECORDS_VERSION), written_settings(built.settings),
                     result.lengths, result.parts, old.filter(), {})
        built.size, built.inode = out.tell(), os.fstat(out.fileno()).st_ino
    built.pages, built.recompiled = len(listed), len(compiled)
    built.findings += found
    pages.write(built.scope.index, built.key)
    return pages


def _changed(observed, built, old, progress):
    """The Pages when pages came, went or changed in any way; None when a full build is simpler."""
    catalogue, domains, found = read_beside(observed.listing, observed.read)
    same_catalogue = old.pages.catalogue == _catalogue_hash(observed)
    kept = {name for name, digest in old.hashes() if _page_digest(observed, name) == digest
            and (same_catalogue or name in catalogue.lines)}
    read = [(name, path) for name, path in observed.listing.pages if name not in kept]
    if len(read) > delta.WORTH_IT * len(observed.listing.pages):
        return None
    compiled = {page.file: page for page in _compiled(observed, read, catalogue.lines, found, progress)}
    names = sorted(kept | compiled.keys())
    assembly = delta.start(old, kept, names)
    try:
        if not delta.fill(assembly, old, kept, names, compiled, None if same_catalogue else catalogue.lines):
            return None
        pages = no_pages(observed)
        for name in names:
            if name in compiled:
                pages.note(compiled[name])
            else:
                pages.take_over(old.pages, name)
                if not same_catalogue and name not in old.pages.lined:
                    pages.lined.append(name)
        _finish(built, assembly, pages, domains, old.dates(names, compiled) if pages.links else {})
    finally:
        assembly.close()
    built.findings += found
    built.recompiled = len(compiled)
    return pages


def no_pages(observed):
    """The Pages of a build of ``observed`` to which no page was added yet."""
    return Pages(_catalogue_hash(observed), _digest(observed, "rules.json"))


def _finish(built, assembly, pages, domains, dates):
    for domain in sorted(domains, key=lambda domain: domain.name):
        assembly.add_domain(*compile_domain(domain))
    if pages.links:
        assembly.newer, findings = newer(pages.light(dates))
        built.findings += findings
    with fs.whole(built.path) as out:
        pages.count(assembly.write(out, built.key, written_settings(built.settings)))
        built.size, built.inode = out.tell(), os.fstat(out.fileno()).st_ino
    built.pages = assembly.pages
    pages.write(built.scope.index, built.key)


def _compiled(observed, listed, lines, findings, progress):
    """Each of the ``listed`` pages that can be compiled, in order; what is wrong goes to ``findings``.

    ``lines``: {file: line} of the catalogue.
    """
    sources = []
    for name, _ in listed:
        source = observed.page(name)
        if source is None:
            raise Moved("memory/" + name)
        sources.append((source, lines.get(name)))
    for done, (page, found) in enumerate(mapped(_compile_source, sources, len(sources))):
        findings += found
        if page is not None:
            yield page
        if progress is not None:
            progress(done + 1, len(sources))


def _compile_source(item):
    """(Compiled or None, findings) of a page's Source and catalogue line. Runs in any process."""
    source, line = item
    try:
        data = source.read()
    except OSError as error:
        return None, unreadable(source.file, error)
    page, found = read_one(source.file, source.path, data)
    if page is None:
        return None, found
    compiled = compile_page(page, line or made_line(page))
    compiled.lined = bool(line)
    return compiled, found


def _page_digest(observed, name):
    return _digest(observed, FOLDER + name)


def _digest(observed, name):
    source = observed.sources.get(name)
    return "" if source is None else source.hash


def _catalogue_hash(observed):
    catalogue = observed.listing.catalogue
    return _page_digest(observed, catalogue[0]) if catalogue else ""


def assemble(store):
    """The Assembly of a whole ``Store`` at hand, for what is compiled and not published. The caller closes it."""
    assembly = Assembly()
    for page in store.pages:
        assembly.add_page(compile_page(page, line_of(page, store)))
    for domain in sorted(store.domains, key=lambda domain: domain.name):
        assembly.add_domain(*compile_domain(domain))
    assembly.newer = store.newer
    return assembly


def record_interpreter(places, scripts=None, renew=False):
    """Note the interpreter that can build, for hooks that run under another one; and the folder of the hook
    ``scripts``, for a plugin that brings none of its own. What is noted and still there stays, unless it is to
    be ``renew``-ed: two installations do not take the machine from each other with every build."""
    if not places.real_user():
        return
    folder = os.path.join(places.real_user(), ".index")
    for name, said in ((INTERPRETER, sys.executable), (SCRIPTS, scripts)):
        if said:
            _note(folder, name, said.encode("utf-8", "surrogateescape") + b"\n", renew)


def _note(folder, name, line, renew):
    path = os.path.join(folder, name)
    try:
        try:
            known = fs.read(path, 8192)
            if known == line or not renew and os.access(known.strip(), os.X_OK):
                return
        except (OSError, ValueError):
            pass
        fs.make_private(folder)
        fs.replace(path, line, 0o600)
    except OSError:
        pass  # A read-only home only means that the hook starts no rebuild.


def _current(index):
    try:
        return current_key(index)
    except ArtefactMissing:
        return ""
