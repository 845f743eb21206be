"""What lies beside an artefact: file times for the prompt hook, page links for the next build.

Neither is part of the key. A clone can hold both, with any content; but each names the change time (ctime) of the
artefact's file, which no clone can know, and is not used where that is another. The times (``artefact/times.py``
reads them) are rows in the artefact's order;
the pages sidecar is lines of JSON. The first is an object: ``files`` (names in order), ``names`` ({file:
[name: field, id: field], where it has one}), ``links`` ({file: [contradicts, supersedes, superseded_by, updated]},
where there are any), ``lined`` (files that the catalogue has a line for), ``catalogue`` and ``rules`` (content
hashes), ``terms`` (distinct stems in the store) and ``stamp`` (size and times of the artefact's file). The next
hold the exact counts that the artefact rounds: for each of its lines of counts {stem: [pages, titles]}. The last one
is the seal (``publish.sealed``).
"""

import os

import orjson

from abcd_index import fs
from abcd_index.artefact.format import PAGES_SUFFIX, PARTS, SUFFIX, TIMES_SUFFIX
from abcd_index.artefact.reader import Artefact
from abcd_index.build import publish
from abcd_index.build.scan import TICK_NS
from abcd_index.store.records import Page


class Pages:
    """The pages sidecar. ``files``: file names in the artefact's order. ``links`` is None for an artefact
    that came from elsewhere: it can be used, not built upon."""

    FIELDS = ("files", "names", "links", "lined", "catalogue", "rules", "terms", "stamp")
    __slots__ = (*FIELDS, "_counts")

    def __init__(self, catalogue="", rules=""):
        self.files = []
        self.names = {}
        self.links = {}
        self.lined = []
        self.catalogue = catalogue
        self.rules = rules
        self.terms = 0
        self.stamp = None
        self._counts = []

    def counts_in(self, number):
        """The exact counts of the terms in line ``number`` of the artefact's counts: {stem: [pages, titles]}.

        Raises ValueError or IndexError when the sidecar is damaged.
        """
        return orjson.loads(self._counts[number])

    def counts(self):
        """The exact counts of all terms, as ``writer.shelved``. Raises ValueError when the sidecar is damaged."""
        return list(map(orjson.loads, self._counts))

    def count(self, counts):
        """Note the exact counts of all terms, as ``writer.shelved``."""
        self.terms = sum(map(len, counts))
        self._counts = list(map(orjson.dumps, counts))

    def recount(self, changed, terms):
        """Note the exact counts in some lines: ``changed`` is {number: counts}, ``terms`` the distinct stems now."""
        self.terms = terms
        for number, counts in changed.items():
            self._counts[number] = orjson.dumps(counts)

    def note(self, page):
        """Add a Compiled; in the order of the artefact."""
        self.files.append(page.file)
        names, *links = page.links
        if any(names):
            self.names[page.file] = names
        if any(links[:3]):
            self.links[page.file] = links
        if page.lined:
            self.lined.append(page.file)

    def take_over(self, old, name):
        """Add a page as it stands in an older sidecar."""
        self.files.append(name)
        if name in old.names:
            self.names[name] = old.names[name]
        if name in old.links:
            self.links[name] = old.links[name]
        if name in old.lined:
            self.lined.append(name)

    def light(self, dates):
        """Pages that hold no more than links need. ``dates``: {file: updated} for pages without links."""
        nameless = ["", ""]
        return [Page(name=name, title="", description_name=self.names.get(name, nameless)[0],
                     ident=self.names.get(name, nameless)[1],
                     contradicts=tuple(self.links[name][0]) if name in self.links else (),
                     supersedes=tuple(self.links[name][1]) if name in self.links else (),
                     superseded_by=tuple(self.links[name][2]) if name in self.links else (),
                     updated=self.links[name][3] if name in self.links else dates.get(name))
                for name in self.files]

    def write(self, index, key):
        """Put the sidecar beside the artefact of ``key``, with its stamp."""
        self.stamp = stamp(os.path.join(index, key + SUFFIX))
        first = orjson.dumps({name: list(value) if name == "lined" else value
                              for name, value in ((name, getattr(self, name)) for name in self.FIELDS)},
                             option=orjson.OPT_SORT_KEYS)
        fs.replace(os.path.join(index, key + PAGES_SUFFIX),
                   publish.sealed(b"".join(line + b"\n" for line in [first, *self._counts])))

    @classmethod
    def read(cls, index, key):
        """The sidecar of ``key``, or None when it is missing, damaged, or of another file than is there now."""
        pages = cls()
        try:
            data = fs.read(os.path.join(index, key + PAGES_SUFFIX))
            first, *pages._counts, _ = publish.unsealed(data).split(b"\n")
            found = orjson.loads(first)
            for name in cls.FIELDS:
                setattr(pages, name, found[name])
            pages.lined = dict.fromkeys(pages.lined)
            return pages if pages.stamp == stamp(os.path.join(index, key + SUFFIX)) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @classmethod
    def of_sound(cls, index, key):
        """The sidecar of an artefact that was not written here. Reads and checks every line of it.

        Raises ArtefactError when one is damaged.
        """
        pages = cls()
        pages.links = None
        artefact = Artefact.open(os.path.join(index, key + SUFFIX))
        try:
            for part in PARTS:
                for number in range(artefact.header["parts"][part][1]):
                    if part == "records":
                        pages.files.append(artefact.record(number)["file"])
                    else:
                        artefact.entry(part, number)
        finally:
            artefact.close()
        pages.write(index, key)
        return pages


def stamp(path):
    """Size and times of a file: when they are what they were, so is the file."""
    found = os.lstat(path)
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def write_times(observed, key, pages):
    """The sidecar that lets the prompt hook see which matched pages changed since.

    ``pages``: the Pages of the artefact.
    """
    index = observed.scope.index
    folder, changed = (0, 0) if observed.racy(*observed.folder) else observed.folder
    head = {"artefact": stamp(os.path.join(index, key + SUFFIX)), "changed": changed, "folder": folder, "key": key,
            "rules": _beside(observed, "rules.json"), "config": _beside(observed, "config.json")}
    listed = [name for name, _ in observed.listing.pages]
    rows = [orjson.dumps(head, option=orjson.OPT_SORT_KEYS) + b"\n",
            *[_row(observed, name) for name in pages.files],
            # Who looks at the whole folder finds these too, and must not take them for new.
            *[_row(observed, name) for name in sorted(set(listed).difference(pages.files))]]
    path, data = os.path.join(index, key + TIMES_SUFFIX), b"".join(rows)
    if _content(path) != data:
        fs.replace(path, data)
    # For `find -newer` in the git hooks: what is written from now on is newer than the build's start.
    # A tick earlier: a file's time is that of the last tick, not of the moment.
    fs.set_time(path, observed.started - TICK_NS)


def _row(observed, name):
    """A page's row (bytes); zeros where its file was not read."""
    source = observed.page(name)
    if source is None or len(source.hash) != 64:
        return b"%016x%016x%08x%064x\n" % (0, 0, 0, 0)
    mtime, ctime = (0, 0) if observed.racy(source.mtime, source.ctime) else (source.mtime, source.ctime)
    return b"%016x%016x%08x%s\n" % (mtime, ctime, min(source.size, 0xFFFFFFFF), source.hash.encode("ascii"))


def _beside(observed, name):
    """[mtime_ns, ctime_ns, size, sha256] of a file beside the store before it was read, None when it was not there."""
    source = observed.sources.get(name)
    if source is None:
        return None
    sure = len(source.hash) == 64 and not observed.racy(source.mtime, source.ctime)
    return [source.mtime if sure else 0, source.ctime, source.size, source.hash]


def _content(path):
    try:
        return fs.read(path)
    except OSError:
        return None
