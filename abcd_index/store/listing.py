"""Which files of a scope are its pages, its catalogue and its rules. Names only: nothing is read.

A page is a file of the store folder itself (not of a folder below it) whose name is a page's (``artefact/names.py``).

Symbolic links are judged by where they say they lead, before anything there is looked at: a link is
followed only to a file inside the store folder, one component at a time. So a link into another folder -
``~/.claude`` above all - is never opened, stat-ed or listed.
"""

import os
import stat
import unicodedata

from abcd_index.artefact.names import is_markdown, is_page
from abcd_index.errors import AbcdError
from abcd_index.fs import TEMPORARY
from abcd_index.store.catalogue import NAMES
from abcd_index.store.records import Notes
from abcd_index.store.text import control, quoted

MAX_LINKS = 8
FOLDER = "memory/"


class Listing:
    """``pages``: [(name in NFC, path)] sorted by name. ``catalogue``: (name, path) or None. ``others``:
    {"rules.json": path, "config.json": path} of those that are there and safe to open. ``left_out``:
    names that look like pages and are none. ``findings``: [Finding]. ``exists``: whether there is a store
    folder. ``litter``: whether there may be temporary files in it. Paths are str (bytes that are not UTF-8 as
    surrogates), with every link followed."""

    __slots__ = ("pages", "catalogue", "others", "left_out", "findings", "exists", "litter")

    def __init__(self):
        self.pages = []
        self.catalogue = None
        self.others = {}
        self.left_out = []
        self.findings = []
        self.exists = True
        self.litter = False


def list_store(scope):
    """The Listing of a scope. Raises AbcdError when the store folder is there and cannot be listed: it must
    never look like an empty one."""
    listing = Listing()
    for name in ("rules.json", "config.json"):
        path = _beside(scope, name, listing)
        if path is not None:
            listing.others[name] = path
    try:
        with os.scandir(scope.store) as entries:
            found = [(entry.name, entry.is_symlink(), None if entry.is_symlink() else
                      entry.is_file(follow_symlinks=False)) for entry in entries]
    except FileNotFoundError:
        listing.exists = False
        return listing
    except OSError as error:
        raise AbcdError(f"{scope.store} cannot be listed: {error.strerror}",
                        "make it a folder that you can read") from None
    _Sorter(scope, listing).sort(found)
    return listing


class _Sorter:
    """Tells pages from what is none, in the order of their names, so that the outcome is the same on
    every file system."""

    def __init__(self, scope, listing):
        self.scope = scope
        self.listing = listing
        self.taken = {}
        self.names = {}

    def sort(self, found):
        catalogues = {}
        for raw, is_link, is_file in sorted(found, key=_order):
            if is_page(raw):
                self._page(raw, is_link, is_file)
            elif is_markdown(raw):
                self._catalogue(raw, is_link, is_file, catalogues)
            elif raw.startswith(TEMPORARY):
                self.listing.litter = True
        for name in NAMES:
            if name.lower() in catalogues:
                self.listing.catalogue = catalogues[name.lower()]
                break
        self.listing.pages.sort()

    def _catalogue(self, raw, is_link, is_file, catalogues):
        lower = raw.lower()
        if all(lower != name.lower() for name in NAMES):
            return
        path = self._target(raw, raw, is_link, is_file)
        # The exact spelling comes before another one beside it.
        if path is not None and (lower not in catalogues or raw in NAMES):
            catalogues[lower] = (raw, path)

    def _page(self, raw, is_link, is_file):
        name = self._name(raw)
        if name is None:
            return
        path = self._target(name, raw, is_link, is_file)
        if path is None:
            self.listing.left_out.append(name)
            return
        if name in self.names:
            self._add("names-alike", name, f"two files are named `{quoted(name)}` but for Unicode composition; "
                      "one of them is left out", "rename or delete one of them")
            return
        if path in self.taken:
            self._add("page-twice", name, f"`{quoted(name)}` and `{quoted(self.taken[path])}` are one file; "
                      "the name that sorts first is used", "delete the link")
            return
        self.names[name] = self.taken[path] = name
        self.listing.pages.append((name, path))

    def _name(self, raw):
        """The name in NFC, or None when it cannot be one."""
        shown = os.fsencode(raw).decode("utf-8", "backslashreplace")
        if not raw.isascii():
            try:
                # Names are bytes: under a locale that is not UTF-8 Python gives them as surrogates.
                raw = os.fsencode(raw).decode("utf-8")
            except UnicodeDecodeError:
                self._add("name-not-utf8", shown, "the file's name is not UTF-8", "rename it")
                self.listing.left_out.append(shown)
                return None
        if control(raw):
            self._add("name-control", quoted(shown), "the file's name holds a control character", "rename it")
            self.listing.left_out.append(quoted(shown))
            return None
        return raw if raw.isascii() else unicodedata.normalize("NFC", raw)

    def _target(self, name, raw, is_link, is_file):
        """The path to open, or None and a finding."""
        path = os.path.join(self.scope.store, raw)
        if is_link:
            inside = follow(path, self.scope.store)
            if inside is None:
                self._add("link-outside", name, "a symbolic link that leads out of the store, or nowhere; "
                          "it is not followed", "copy the page into the store")
                return None
            path, is_file = inside
        if not is_file:
            self._add("page-not-a-file", name, "a folder, a pipe or a device, not a file", "rename it")
            return None
        return path

    def _add(self, code, name, message, fix):
        notes = Notes(FOLDER + name)
        notes.add(code, None, message, fix)
        self.listing.findings += notes.found


def _order(entry):
    return os.fsencode(entry[0])


def _beside(scope, name, listing):
    """The path of a file of the scope's home, or None when it is not there or leads out of the home."""
    path = os.path.join(scope.home, name)
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        mode = 0
    if stat.S_ISLNK(mode):
        inside = follow(path, scope.home)
        if inside is not None and inside[1]:
            return inside[0]
    elif stat.S_ISREG(mode):
        return path
    notes = Notes(name)
    code = "rules-unreadable" if name == "rules.json" else "link-outside"
    notes.add(code, None, "no file, or a symbolic link that leads out of the folder; it is not followed",
              "put the file itself there")
    listing.findings += notes.found
    return None


def follow(path, folder):
    """(path of the file a link leads to, whether it is a regular file), or None when that is not inside
    ``folder``. Both are absolute; ``folder`` has no links in it.

    Only names are compared until a target is known to be inside; then each component is looked at
    without following it.
    """
    inside = folder.rstrip(os.sep) + os.sep
    for _ in range(MAX_LINKS):
        try:
            target = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
        except (OSError, ValueError):
            return None
        if not target.startswith(inside):
            return None
        mode = _mode_inside(target, inside)
        if mode is None:
            return None
        if not stat.S_ISLNK(mode):
            return target, stat.S_ISREG(mode)
        path = target
    return None


def _mode_inside(target, inside):
    """The mode of ``target``; None when it is not there or a folder on the way is a link."""
    at = inside.rstrip(os.sep)
    parts = target[len(inside):].split(os.sep)
    for number, part in enumerate(parts):
        at = at + os.sep + part
        try:
            mode = os.lstat(at).st_mode
        except (OSError, ValueError):
            return None
        if number < len(parts) - 1 and not stat.S_ISDIR(mode):
            return None
    return mode
