"""A store open for asking: its artefact, when its pages were touched, how often they were recalled.

The artefact that is current is used when it fits the pages. When it does not, it is made current first;
where nothing may be written (``--no-record``, ``--memory-dir``, a read-only index) the pages are compiled
into a file without a name, which the system forgets with the process.
"""

from __future__ import annotations

import os
import tempfile
from hashlib import sha256
from typing import Any, Dict, Iterable, Iterator, Sequence, Tuple

from abcd_index.artefact.provenance import open_ours
from abcd_index.artefact.reader import Artefact
from abcd_index.build.key import key_of
from abcd_index.build.run import assemble, build
from abcd_index.build.scan import Observed, observe
from abcd_index.errors import AbcdError, ArtefactError
from abcd_index.scopes import Places, Scope
from abcd_index.search import usage
from abcd_index.search.dates import Dates, dates_of
from abcd_index.search.scan import Fingerprint, Scan
from abcd_index.selector import FOLDER
from abcd_index.settings import written_settings
from abcd_index.store.read import read_store


class Document:
    """A page as the ranking sees it. ``number``: its ordinal in the artefact; ``record``: its record."""

    __slots__ = ("corpus", "number", "record", "_body")

    def __init__(self, corpus: Corpus, number: int, record: Dict[str, Any]) -> None:
        self.corpus = corpus
        self.number = number
        self.record = record
        self._body: str | None = None

    @property
    def file(self) -> str:
        """The page's file name."""
        return str(self.record["file"])

    @property
    def name(self) -> str:
        """What people call it."""
        return str(self.record["name"])

    @property
    def type(self) -> str:
        """Its type, '' for none."""
        return str(self.record["type"])

    @property
    def path(self) -> str:
        """The page's absolute path, spelled as the disk has it (its name may be decomposed there)."""
        return self.corpus.dates.paths.get(self.file) or os.path.join(self.corpus.scope.store, self.file)

    @property
    def touched(self) -> float:
        """When it was last touched, in seconds since 1970."""
        return self.corpus.dates.touched(self.file, self.path, self.record["updated"])

    @property
    def body(self) -> str:
        """The page's text."""
        if self._body is None:
            self._body = self.corpus.artefact.body(self.number)
        return self._body

    @property
    def names(self) -> Tuple[str, ...]:
        """What counts as its name. A page with a name of its own has that; others have slug and title."""
        if self.record["dialect"] == "agent":
            return (self.name,)
        return (self.name, self.record["title"])

    @property
    def description(self) -> str:
        """What counts as its description: its summary; of an abcd page without one, its catalogue line's."""
        record = self.record
        if record["summary"] or record["dialect"] != "abcd":
            return str(record["summary"])
        # ``- `file.md` - class | domain | summary``; in a line that was made the title stands there.
        summary = str(record["line"]).partition(" \u2014 ")[2].rpartition(" | ")[2].strip()
        return "" if summary in (record["title"], "(no summary)") else summary


class Corpus:
    """The pages of a ``scope``; ``sidecar``: the folder of its usage counts, or '' when there is no place for one;
    ``recalls``: {file: how often}."""

    def __init__(self, scope: Scope, artefact: Artefact, dates: Dates, sidecar: str) -> None:
        self.scope = scope
        self.artefact = artefact
        self.dates = dates
        self.sidecar = sidecar
        self.recalls = usage.counts(sidecar) if sidecar else {}
        self._scan: Scan | None = None

    def __enter__(self) -> Corpus:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def documents(self, numbers: Iterable[int] | None = None) -> Iterator[Document]:
        """The pages with these ordinals, all by default, in the artefact's order."""
        for number in range(self.artefact.pages) if numbers is None else numbers:
            yield Document(self, number, self.artefact.record(number))

    def holding(self, terms: Sequence[str]) -> Iterator[Document]:
        """The pages that may hold one of ``terms`` (folded)."""
        return self.documents(self._scanned().holding(terms))

    def weighted(self, fingerprints: Sequence[Fingerprint]) -> Iterator[Document]:
        """The pages that have a weight of one of these fingerprints of terms."""
        return self.documents(self._scanned().weighted(fingerprints))

    def close(self) -> None:
        """Close the artefact."""
        if self._scan is not None:
            self._scan.close()
        self.artefact.close()

    def _scanned(self) -> Scan:
        if self._scan is None:
            self._scan = Scan(self.artefact)
        return self._scan


def open_corpus(scope: Scope, places: Places, writing: bool = True) -> Corpus:
    """The Corpus of a scope. ``writing``: whether an artefact that is not current may be made so.

    Raises AbcdError when the store cannot be read.
    """
    observed = observe(scope)
    writing = writing and scope.name != FOLDER
    artefact = _current(scope, observed) if scope.index else None
    if artefact is None and writing and scope.index:
        artefact = _built(scope)
    if artefact is None:
        artefact = compiled(scope, observed)
    return Corpus(scope, artefact, dates_of(scope, observed, writing), sidecar_of(scope, places))


def sidecar_of(scope: Scope, places: Places) -> str:
    """Where the usage of a scope is kept: in the user's folder, whatever the scope. How often somebody asked is theirs
    alone, and in an index folder a clone could say it. '' where there is no such folder."""
    user = places.real_user()
    if not user:
        return ""
    return os.path.join(user, ".index", "recalls", sha256(os.fsencode(scope.store)).hexdigest()[:32])


def compiled(scope: Scope, observed: Observed) -> Artefact:
    """The artefact of a scope, compiled from its pages into a file without a name."""
    settings = written_settings(observed.settings()[0])
    assembly = assemble(read_store(scope))
    with tempfile.TemporaryFile() as out:
        try:
            assembly.write(out, key_of(settings, observed.hashes()), settings)
        finally:
            assembly.close()
        out.flush()
        out.seek(0)
        return Artefact(os.dup(out.fileno()), scope.store)


def _current(scope: Scope, observed: Observed) -> Artefact | None:
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


def _built(scope: Scope) -> Artefact | None:
    try:
        return Artefact.open(build(scope).path)
    except (AbcdError, OSError):
        return None
