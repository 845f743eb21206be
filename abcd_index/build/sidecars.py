"""What lies beside an artefact: file times for the prompt hook, page links for the next build.

Neither is part of the key. The times (``artefact/times.py`` reads them) are rows in the artefact's order;
the pages sidecar is one JSON object: ``files`` (names in order), ``names`` ({file: name: field, where it
has one}), ``links`` ({file: [contradicts, supersedes, superseded_by, updated]}, where there are any) and
``catalogue`` (content hash of the catalogue).
"""

import os

import orjson

from abcd_index.artefact.format import PAGES_SUFFIX, ROW, TIMES_SUFFIX
from abcd_index.artefact.reader import Artefact
from abcd_index.build import publish
from abcd_index.store.records import Page


class Pages:
    """The pages sidecar. ``files``: file names in the artefact's order."""

    __slots__ = ("files", "names", "links", "catalogue")

    def __init__(self, files=(), names=None, links=None, catalogue=""):
        self.files = list(files)
        self.names = names or {}
        self.links = links or {}
        self.catalogue = catalogue

    def note(self, page):
        """Add a store ``Page``; in the order of the artefact."""
        self.files.append(page.name)
        if page.description_name:
            self.names[page.name] = page.description_name
        if page.contradicts or page.supersedes or page.superseded_by:
            self.links[page.name] = [page.contradicts, page.supersedes, page.superseded_by, page.updated]

    def take_over(self, old, name):
        """Add a page as it stands in an older sidecar."""
        self.files.append(name)
        if name in old.names:
            self.names[name] = old.names[name]
        if name in old.links:
            self.links[name] = old.links[name]

    def light(self, dates):
        """Pages that hold no more than links need. ``dates``: {file: updated} for pages without links."""
        return [Page(name=name, title="", description_name=self.names.get(name, ""),
                     contradicts=tuple(self.links[name][0]) if name in self.links else (),
                     supersedes=tuple(self.links[name][1]) if name in self.links else (),
                     superseded_by=tuple(self.links[name][2]) if name in self.links else (),
                     updated=self.links[name][3] if name in self.links else dates.get(name))
                for name in self.files]

    def write(self, index, key):
        """Put the sidecar beside the artefact of ``key``."""
        publish.replace(os.path.join(index, key + PAGES_SUFFIX), orjson.dumps(
            {"files": self.files, "names": self.names, "links": self.links, "catalogue": self.catalogue},
            option=orjson.OPT_SORT_KEYS))

    @classmethod
    def read(cls, index, key):
        """The sidecar of ``key``, or None. An artefact that came from elsewhere has none."""
        try:
            with open(os.path.join(index, key + PAGES_SUFFIX), "rb") as handle:
                found = orjson.loads(handle.read())
            return cls(found["files"], found["names"], found["links"], found["catalogue"])
        except (OSError, ValueError, KeyError, TypeError):
            return None


def files_of(index, key):
    """The file names of the pages of an artefact, in its order."""
    pages = Pages.read(index, key)
    if pages is not None:
        return pages.files
    artefact = Artefact.open(os.path.join(index, key + ".idx"))
    try:
        return [artefact.record(page)["file"] for page in range(artefact.pages)]
    finally:
        artefact.close()


def write_times(observed, key):
    """The sidecar that lets the prompt hook see which matched pages changed since."""
    index = observed.scope.index
    head = orjson.dumps({"folder": 0 if observed.racy(observed.folder) else observed.folder, "key": key})
    rows = [head + b"\n"]
    for name in files_of(index, key):
        source = observed.page(name)
        if source is None or len(source.hash) != 64:
            rows.append(b"%016x%08x%064x\n" % (0, 0, 0))
            continue
        mtime = 0 if observed.racy(source.mtime) else source.mtime
        rows.append(b"%016x%08x%s\n" % (mtime, min(source.size, 0xFFFFFFFF), source.hash.encode("ascii")))
    assert all(len(row) == ROW for row in rows[1:])
    path, data = os.path.join(index, key + TIMES_SUFFIX), b"".join(rows)
    if _content(path) != data:
        publish.replace(path, data)
    # For `find -newer` in the git hooks: what is written from now on is newer than the build's start.
    os.utime(path, ns=(observed.started, observed.started))


def _content(path):
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except OSError:
        return None
