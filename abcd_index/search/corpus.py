"""A store open for asking: its artefact, when its pages were touched, how often they were recalled.

The artefact that is current is used when it fits the pages. When it does not, it is made current first;
where nothing may be written (``--no-record``, ``--memory-dir``, a read-only index) the pages are compiled
into a file without a name, which the system forgets with the process.
"""

import os
import tempfile

from abcd_index.artefact.provenance import open_ours
from abcd_index.artefact.reader import Artefact
from abcd_index.build.key import key_of
from abcd_index.build.run import assemble, build
from abcd_index.build.scan import observe
from abcd_index.errors import AbcdError, ArtefactError
from abcd_index.scopes import Scope, provenance, resolve
from abcd_index.search import usage
from abcd_index.search.dates import dates_of
from abcd_index.search.scan import Scan
from abcd_index.settings import written_settings
from abcd_index.store.read import read_store

FOLDER = "folder"


class Entry:
    """A page as the ranking sees it. ``number``: its ordinal in the artefact; ``record``: its record."""

    __slots__ = ("shelf", "number", "record", "_body")

    def __init__(self, shelf, number, record):
        self.shelf = shelf
        self.number = number
        self.record = record
        self._body = None

    @property
    def file(self):
        """The page's file name."""
        return self.record["file"]

    @property
    def path(self):
        """The page's absolute path, spelled as the disk has it (its name may be decomposed there)."""
        return self.shelf.dates.paths.get(self.file) or os.path.join(self.shelf.scope.store, self.file)

    @property
    def body(self):
        """The page's text."""
        if self._body is None:
            self._body = self.shelf.artefact.body(self.number)
        return self._body

    @property
    def names(self):
        """What counts as its name. A page with a name of its own has that; others have slug and title."""
        record = self.record
        if record["dialect"] == "agent":
            return (record["name"],)
        return (record["name"], record["title"])

    @property
    def description(self):
        """What counts as its description: its summary; of an abcd page without one, its catalogue line's."""
        record = self.record
        if record["summary"] or record["dialect"] != "abcd":
            return record["summary"]
        # ``- `file.md` - class | domain | summary``; in a line that was made the title stands there.
        said = record["line"].partition(" \u2014 ")[2].rpartition(" | ")[2].strip()
        return "" if said in (record["title"], "(no summary)") else said


class Shelf:
    """``scope``, ``artefact``, ``dates`` (a Dates), ``recalls`` ({file: count}); ``sidecar``: the folder of
    the usage sidecar, or '' when there is no place for one."""

    def __init__(self, scope, artefact, dates, sidecar):
        self.scope = scope
        self.artefact = artefact
        self.dates = dates
        self.sidecar = sidecar
        self.recalls = usage.counts(sidecar) if sidecar else {}
        self._scan = None

    def entries(self, numbers=None):
        """The pages with these ordinals, all by default, in the artefact's order."""
        for number in range(self.artefact.pages) if numbers is None else numbers:
            yield Entry(self, number, self.artefact.record(number))

    def holding(self, terms):
        """The pages that may hold one of ``terms`` (folded)."""
        return self.entries(self._scanned().holding(terms))

    def weighted(self, marks):
        """The pages that have a weight of one of ``marks`` (``signs.mark``)."""
        return self.entries(self._scanned().weighted(marks))

    def close(self):
        """Close the artefact."""
        if self._scan is not None:
            self._scan.close()
        self.artefact.close()

    def _scanned(self):
        if self._scan is None:
            self._scan = Scan(self.artefact)
        return self._scan


def open_shelf(scope, places, writing=True):
    """The Shelf of a scope. ``writing``: whether an artefact that is not current may be made so.

    Raises AbcdError when the store cannot be read.
    """
    observed = observe(scope)
    artefact = _current(scope, observed) if scope.index else None
    if artefact is None and writing and scope.index and scope.name != FOLDER:
        artefact = _built(scope)
    if artefact is None:
        artefact = compiled(scope, observed)
    dates = dates_of(scope, observed, writing and scope.name != FOLDER)
    return Shelf(scope, artefact, dates, sidecar_of(scope, places))


def folder_scope(folder, places):
    """The scope of any folder of pages. Raises Forbidden for one under ``~/.claude``, AbcdError when it is none."""
    at = resolve(os.path.abspath(folder), places.forbidden)
    if not os.path.isdir(at):
        raise AbcdError(f"{folder} is not a folder", "give --memory-dir a folder of markdown pages")
    home, name = os.path.split(at)
    index = os.path.join(home, ".index")
    if name == "memory" and resolve(index, places.forbidden) == index and os.path.isdir(index):
        return Scope(FOLDER, home, home, at, index, at + "/", provenance(index, places))
    return Scope(FOLDER, at, at, at, "", at + "/")


def sidecar_of(scope, places):
    """Where the usage of a scope is kept: in the user's folder, whatever the scope. How often somebody asked is theirs
    alone, and in an index folder a clone could say it. '' where there is no such folder."""
    user = places.real_user()
    if not user:
        return ""
    from hashlib import sha256

    name = sha256(os.fsencode(scope.store)).hexdigest()[:32]
    return os.path.join(user, ".index", "recalls", name)


def compiled(scope, observed):
    """The artefact of a scope, compiled from its pages into a file without a name."""
    settings, _ = observed.settings()
    settings = written_settings(settings)
    assembly = assemble(read_store(scope))
    with tempfile.TemporaryFile() as out:
        try:
            assembly.write(out, key_of(settings, observed.hashes()), settings)
        finally:
            assembly.close()
        out.flush()
        out.seek(0)
        return Artefact(os.dup(out.fileno()), scope.store)


def _current(scope, observed):
    """The artefact that is current, if it is this machine's and of the pages as they are now; else None."""
    settings, _ = observed.settings()
    try:
        artefact = open_ours(scope)
    except ArtefactError:
        return None
    if artefact.header["key"] == observed.key(settings):
        return artefact
    artefact.close()
    return None


def _built(scope):
    try:
        return Artefact.open(build(scope).path)
    except (AbcdError, OSError):
        return None
