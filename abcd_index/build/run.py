"""Make a scope's artefact current: the one function behind ``abcd-index build`` and the git hooks."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from abcd_index import fs
from abcd_index.artefact import writer
from abcd_index.artefact.format import RECORDS_VERSION, SUFFIX
from abcd_index.artefact.provenance import is_ours
from abcd_index.artefact.reader import Artefact, current_key
from abcd_index.build import incremental, publish
from abcd_index.build.assemble import Assembly
from abcd_index.build.compile import Compiled, compile_page
from abcd_index.build.manifest import Pages, write_times
from abcd_index.build.scan import Observed, Source, SourceChanged, observe, remember
from abcd_index.build.workers import mapped
from abcd_index.errors import AbcdError, ArtefactError, ArtefactMissing
from abcd_index.scopes import USER, Places, Scope
from abcd_index.settings import Settings, written_settings
from abcd_index.store.catalogue import line_of, made_line
from abcd_index.store.copies import copy_findings
from abcd_index.store.links import newer
from abcd_index.store.read import Beside, StoreFile, read_beside, read_one, unreadable
from abcd_index.store.records import Domain, Finding, Page, Store
from abcd_index.store.without_keywords import without_keywords
from abcd_index.text.normalise import TOKENS_VERSION

# Pages that change while the build runs are looked at again, this often at most.
ROUNDS = 4
# In larger stores only the pages that are compiled are looked at twice.
LOOK_TWICE = 5000
INTERPRETER = "interpreter"
SCRIPTS = "hooks"

Progress = Callable[[int, int], None]


@dataclass
class Built:
    """What ``build`` did. ``state``: 'current' (nothing to do), 'switched' (the artefact was there
    already) or 'built'. ``pages``: pages in the artefact. ``recompiled``: pages that were compiled
    again. ``left_out``: names of files that look like pages and are not in it. ``findings``: of the files
    that were read. ``anew``: an artefact of this key was there and was made once more, because this machine did not
    answer for it. ``known``: whether this machine's list of its artefacts has it, so that the prompt hook uses it.
    ``seconds``: wall time. ``size``: bytes. ``inode``: of the artefact's file when it was just made."""

    scope: Scope
    key: str
    state: str
    settings: Settings
    pages: int = 0
    recompiled: int = 0
    left_out: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    seconds: float = 0.0
    size: int = 0
    inode: int | None = None
    anew: bool = False
    known: bool = True

    @property
    def path(self) -> str:
        return os.path.join(self.scope.index, self.key + SUFFIX)


def build(scope: Scope, force: bool = False, progress: Progress | None = None) -> Built:
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
        except SourceChanged as moved:
            if attempt == ROUNDS - 1:
                raise AbcdError(
                    f"{scope.display(str(moved))} keeps changing while it is read", "build again when it has settled"
                ) from None
            trust = False  # Or it did not change, and what an earlier build noted of it is wrong.
            continue
        except OSError as error:
            raise AbcdError(
                f"{error.filename or scope.index} cannot be used: {error.strerror or error}",
                "remove what is there; a build makes it anew"
                if isinstance(error, fs.NotPlain)
                else "make room or give write permission; the artefact from before still stands",
            ) from None
        if not observed.moved(LOOK_TWICE):
            break
    built.seconds = time.perf_counter() - begun
    return built


def _build(observed: Observed, force: bool, progress: Progress | None) -> Built:
    scope = observed.scope
    settings, findings = observed.settings()
    key = observed.key(settings)
    publish.prepare(scope.index, scope.name == USER)
    if observed.listing.litter:
        fs.remove_leftovers(scope.store)
    there = None if force else existing(observed, key, settings)
    if there is not None:
        built, pages = there
    else:
        built = Built(scope, key, "built", settings, findings=findings + copy_findings(observed.copies))
        built.anew = not force and os.path.lexists(built.path)
        pages = _Builder(observed, built, progress).build(anew=force or built.anew)
    listed = {name for name, _ in observed.listing.pages}
    built.left_out = sorted(listed.difference(pages.files) | set(observed.listing.left_out))
    built.known = make_current(observed, key, pages, settings, built.inode)
    return built


def make_current(
    observed: Observed, key: str, pages: Pages, settings: Settings, inode: int | None, ours: bool = True
) -> bool:
    """Let ``current`` name the artefact of ``key``, which is there with its Pages, and note what the files were
    like. The sidecars come first: whoever sees ``current`` sees the rest. ``inode``: of the artefact's file when it
    was just made, None when this machine's list has it already. ``ours``: whether this machine answers for it.
    Returns whether its list says so (``publish.record_provenance``)."""
    index = observed.scope.index
    write_times(observed, key, pages.files)
    remember(observed)
    known = ours and (inode is None or publish.record_provenance(observed.scope, key, inode))
    if _current(index) != key:
        publish.swap_current(index, key)
    publish.prune(index, settings["artefact"]["keep"], key)
    return known


class Existing(NamedTuple):
    """An artefact that is there already, and its Pages."""

    built: Built
    pages: Pages


def existing(observed: Observed, key: str, settings: Settings) -> Existing | None:
    """The artefact of ``key`` when it is there, whole and this machine's own.

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
            return None
        pages = Pages.read(scope.index, key) or Pages.of_sound(scope.index, key)
    except (ArtefactError, KeyError):
        return None
    state = "current" if _current(scope.index) == key else "switched"
    return Existing(Built(scope, key, state, settings, artefact.pages, size=artefact.header["size"]), pages)


class _Builder:
    """Makes the artefact that ``built`` names, of the files that were ``observed``, and notes in ``built`` what it
    did. Three ways, the cheapest first; a way that returns None did nothing, and the next one is taken."""

    def __init__(self, observed: Observed, built: Built, progress: Progress | None) -> None:
        self.observed = observed
        self.built = built
        self.progress = progress
        self.pages = observed.pages()

    def build(self, anew: bool) -> Pages:
        """The Pages of the artefact. ``anew``: take nothing over from the current one."""
        return (None if anew else self._from_current()) or self._in_full()

    def _in_full(self) -> Pages:
        """Compile every page."""
        beside = self._beside()
        findings: list[Finding] = []
        assembly, pages = Assembly(), no_pages(self.observed)
        dates: dict[str, str | None] = {}
        try:
            for page in self._compiled(self.pages, beside.catalogue.lines, findings):
                assembly.add_page(page)
                pages.note(page.file, page.links, page.has_line)
                if page.links.updated:
                    dates[page.file] = page.links.updated
            self._write_assembly(assembly, pages, beside.domains, dates)
        finally:
            assembly.close()
        return self._done(pages, assembly.pages, beside.findings + findings)

    def _from_current(self) -> Pages | None:
        """Take over from the current artefact all that did not change."""
        current = incremental.open_current(self.observed.scope)
        if current is None:
            return None
        try:
            return self._edited(current) or self._changed(current)
        except (ArtefactError, OSError, ValueError, KeyError, TypeError, IndexError) as error:
            if isinstance(error, OSError) and error.errno:
                raise
            # The current artefact or a sidecar is damaged: the pages are the truth.
            return None
        finally:
            current.close()

    def _edited(self, current: incremental.Current) -> Pages | None:
        """Nothing but the text of some pages changed."""
        pages = current.pages
        if [name for name, _ in self.pages] != pages.files or self.observed.beside() != (pages.catalogue, pages.rules):
            return None
        unchanged = self._unchanged(current)
        read = [page for page in self.pages if page.name not in unchanged]
        if len(read) > incremental.WORTH_IT * len(self.pages):
            return None
        lines = {
            page.name: current.record(current.numbers[page.name])["line"] for page in read if page.name in pages.lined
        }
        findings: list[Finding] = []
        compiled = {page.file: page for page in self._compiled(read, lines, findings)}
        result = incremental.edited(current, compiled) if len(compiled) == len(read) else None
        if result is None:
            return None
        pages.recount(result.counts, result.terms)
        with fs.whole(self.built.path) as out:
            writer.write(
                out,
                self.built.key,
                (TOKENS_VERSION, RECORDS_VERSION),
                written_settings(self.built.settings),
                result.lengths,
                result.parts,
                current.filter(),
                {},
            )
            self.built.size, self.built.inode = out.tell(), os.fstat(out.fileno()).st_ino
        return self._done(pages, len(compiled), findings)

    def _changed(self, current: incremental.Current) -> Pages | None:
        """Pages came, went or changed in any way."""
        beside = self._beside()
        lines = beside.catalogue.lines
        same_catalogue = current.pages.catalogue == self.observed.beside()[0]
        listed = {page.name for page in self.pages}
        kept = {name for name in self._unchanged(current) & listed if same_catalogue or name in lines}
        read = [page for page in self.pages if page.name not in kept]
        if len(read) > incremental.WORTH_IT * len(self.pages):
            return None
        findings: list[Finding] = []
        compiled = {page.file: page for page in self._compiled(read, lines, findings)}
        change = incremental.Change(kept, compiled, None if same_catalogue else lines)
        assembly = incremental.changed(current, change)
        if assembly is None:
            return None
        try:
            pages = no_pages(self.observed)
            for name in change.files():
                if name in compiled:
                    pages.note(name, compiled[name].links, compiled[name].has_line)
                else:
                    pages.note(name, current.pages.links_of(name), not same_catalogue or name in current.pages.lined)
            dates = current.dates(change.files(), compiled) if pages.links else {}
            self._write_assembly(assembly, pages, beside.domains, dates)
        finally:
            assembly.close()
        return self._done(pages, len(compiled), beside.findings + findings)

    def _beside(self) -> Beside:
        return read_beside(self.observed.listing, self.observed.read)

    def _unchanged(self, current: incremental.Current) -> set[str]:
        """The files of pages that are as they were when the current artefact was built."""
        return {name for name, known in current.hashes() if self.observed.page_hash(name) == known}

    def _compiled(
        self, pages: list[StoreFile], lines: Mapping[str, str], findings: list[Finding]
    ) -> Iterator[Compiled]:
        """Each of the ``pages`` that can be compiled, in order; what is wrong is added to ``findings``.

        ``lines``: {file: line} of the catalogue.
        """
        items = [_Item(source_of(self.observed, name), lines.get(name)) for name, _ in pages]
        for done, (page, found) in enumerate(mapped(_compile, items, len(items))):
            findings += found
            if page is not None:
                yield page
            if self.progress is not None:
                self.progress(done + 1, len(items))

    def _write_assembly(
        self, assembly: Assembly, pages: Pages, domains: Iterable[Domain], dates: Mapping[str, str | None]
    ) -> None:
        assembly.add_domains(domains)
        if pages.links:
            assembly.newer, findings = newer(pages.linked(dates))
            self.built.findings += findings
        if not any(holders.pages for entries in assembly.postings.values() for holders in entries.values()):
            self.built.findings += without_keywords(pages.files, len(pages.files))
        with fs.whole(self.built.path) as out:
            pages.count(assembly.write(out, self.built.key, written_settings(self.built.settings)))
            self.built.size, self.built.inode = out.tell(), os.fstat(out.fileno()).st_ino

    def _done(self, pages: Pages, recompiled: int, findings: list[Finding]) -> Pages:
        pages.write(self.built.scope.index, self.built.key)
        self.built.pages, self.built.recompiled = len(pages.files), recompiled
        self.built.findings += findings
        return pages


def no_pages(observed: Observed) -> Pages:
    """The Pages of a build of ``observed`` to which no page was added yet."""
    return Pages(*observed.beside())


def source_of(observed: Observed, name: str) -> Source:
    """The Source of a page that was listed. Raises SourceChanged when it was gone by then."""
    source = observed.page(name)
    if source is None:
        raise SourceChanged("memory/" + name)
    return source


def page_of(source: Source) -> tuple[Page | None, list[Finding]]:
    """The page that was hashed, None when it cannot be compiled, and what is wrong with it. Raises SourceChanged."""
    try:
        data = source.read()
    except OSError as error:
        return None, unreadable(source.file, error)
    return read_one(source.file, data)


class _Item(NamedTuple):
    """What is compiled: a page's Source, and its line in the catalogue."""

    source: Source
    line: str | None


def _compile(item: _Item) -> tuple[Compiled | None, list[Finding]]:
    """Runs in any process."""
    source, line = item
    page, found = page_of(source)
    if page is None:
        return None, found
    return compile_page(page, line or made_line(page), bool(line)), found


def assemble(store: Store) -> Assembly:
    """The Assembly of a whole ``Store`` at hand, for what is compiled and not published. The caller closes it."""
    assembly = Assembly()
    for page in store.pages:
        assembly.add_page(compile_page(page, line_of(page, store)))
    assembly.add_domains(store.domains)
    assembly.newer = store.newer
    return assembly


def record_interpreter(places: Places, scripts: str | None = None, renew: bool = False) -> None:
    """Note the interpreter that can build, for hooks that run under another one; and the folder of the hook
    ``scripts``, for a plugin that brings none of its own. What is noted and still there stays, unless it is to
    be ``renew``-ed: two installations do not take the machine from each other with every build."""
    if not places.real_user():
        return
    folder = os.path.join(places.real_user(), ".index")
    for name, path in ((INTERPRETER, sys.executable), (SCRIPTS, scripts)):
        if path:
            _note(folder, name, path.encode("utf-8", "surrogateescape") + b"\n", renew)


def _note(folder: str, name: str, line: bytes, renew: bool) -> None:
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


def _current(index: str) -> str:
    try:
        return str(current_key(index))
    except ArtefactMissing:
        return ""
