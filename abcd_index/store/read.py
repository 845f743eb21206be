"""A scope's files -> a Store. The only module of this room that opens files.

Which files are pages is decided by their names (``artefact/names.py``); the catalogue and ``rules.json`` stand beside
them. Folders below the store folder are not read.

Symbolic links are judged by where they say they lead, before anything there is looked at: a link is
followed only to a file inside the store folder, one component at a time. So a link into another folder -
``~/.claude`` above all - is never opened, stat-ed or listed.

Times are the caller's business: whoever keeps them takes them before anything is read.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from abcd_index import fs
from abcd_index.artefact.names import is_markdown, is_page
from abcd_index.errors import AbcdError
from abcd_index.store.catalogue import NAMES, read_catalogue
from abcd_index.store.copies import copies_of, copy_findings
from abcd_index.store.links import alike, newer
from abcd_index.store.page import FOLDER, read_page
from abcd_index.store.records import Catalogue, Domain, Finding, Notes, Page, Store, finding
from abcd_index.store.rules import FILE as RULES
from abcd_index.store.rules import read_rules
from abcd_index.store.text import content_hash, control, quoted

if TYPE_CHECKING:
    from abcd_index.scopes import Scope

MAX_PAGE = 4 * 1024 * 1024
MAX_LINKS = 8


class StoreFile(NamedTuple):
    """A file of the store: its name in NFC, and the path to open, with every link followed (a str; bytes that are not
    UTF-8 are surrogates in it)."""

    name: str
    path: str


@dataclass
class Listing:
    """The files of a scope. ``pages``: sorted by name. ``others``: {"rules.json": path, "config.json": path} of those
    that are there and safe to open. ``left_out``: names that look like pages and are none. ``exists``: whether there
    is a store folder. ``litter``: whether there may be temporary files in it."""

    pages: list[StoreFile] = field(default_factory=list)
    catalogue: StoreFile | None = None
    others: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    exists: bool = True
    litter: bool = False


class _Entry(NamedTuple):
    """What a folder's listing says of a file; ``is_file`` is None for a link."""

    name: str
    is_link: bool
    is_file: bool


def list_store(scope: Scope) -> Listing:
    """The Listing of a scope. Raises AbcdError when the store folder is there and cannot be listed: it must
    never look like an empty one."""
    listing = Listing()
    for name in (RULES, "config.json"):
        path = _beside(scope, name, listing)
        if path is not None:
            listing.others[name] = path
    try:
        with os.scandir(scope.store) as entries:
            found = [_Entry(entry.name, entry.is_symlink(), entry.is_file(follow_symlinks=False)) for entry in entries]
    except FileNotFoundError:
        listing.exists = False
        return listing
    except OSError as error:
        raise AbcdError(
            f"{scope.store} cannot be listed: {error.strerror}", "make it a folder that you can read"
        ) from None
    _Sorter(scope, listing).sort(found)
    return listing


class _Sorter:
    """Tells pages from what is none, in the order of their names, so that the outcome is the same on
    every file system."""

    def __init__(self, scope: Scope, listing: Listing) -> None:
        self.scope = scope
        self.listing = listing
        self.by_path: dict[str, str] = {}
        self.names: set[str] = set()

    def sort(self, found: list[_Entry]) -> None:
        catalogues: dict[str, StoreFile] = {}
        for entry in sorted(found, key=lambda entry: os.fsencode(entry.name)):
            if is_page(entry.name):
                self._page(entry)
            elif is_markdown(entry.name):
                self._catalogue(entry, catalogues)
            elif entry.name.startswith(fs.TEMPORARY):
                self.listing.litter = True
        self.listing.catalogue = next((catalogues[name.lower()] for name in NAMES if name.lower() in catalogues), None)
        self.listing.pages.sort()

    def _catalogue(self, entry: _Entry, catalogues: dict[str, StoreFile]) -> None:
        lower = entry.name.lower()
        if all(lower != name.lower() for name in NAMES):
            return
        path = self._target(entry.name, entry)
        # The exact spelling comes before another one beside it.
        if path is not None and (lower not in catalogues or entry.name in NAMES):
            catalogues[lower] = StoreFile(entry.name, path)

    def _page(self, entry: _Entry) -> None:
        name = self._name(entry.name)
        if name is None:
            return
        path = self._target(name, entry)
        if path is None:
            self.listing.left_out.append(name)
        elif name in self.names:
            self._add(
                "names-alike",
                name,
                f"two files are named `{quoted(name)}` but for Unicode composition; one of them is left out",
                "rename or delete one of them",
            )
        elif path in self.by_path:
            self._add(
                "page-twice",
                name,
                f"`{quoted(name)}` and `{quoted(self.by_path[path])}` are one file; the name that sorts first is used",
                "delete the link",
            )
        else:
            self.names.add(name)
            self.by_path[path] = name
            self.listing.pages.append(StoreFile(name, path))

    def _name(self, raw: str) -> str | None:
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

    def _target(self, name: str, entry: _Entry) -> str | None:
        """The path to open, or None and a finding."""
        path, is_file = os.path.join(self.scope.store, entry.name), entry.is_file
        if entry.is_link:
            inside = follow(path, self.scope.store)
            if inside is None:
                self._add(
                    "link-outside",
                    name,
                    "a symbolic link that leads out of the store, or nowhere; it is not followed",
                    "copy the page into the store",
                )
                return None
            path, is_file = inside
        if not is_file:
            self._add("page-not-a-file", name, "a folder, a pipe or a device, not a file", "rename it")
            return None
        return path

    def _add(self, code: str, name: str, message: str, fix: str) -> None:
        self.listing.findings.append(finding(code, FOLDER + name, message, fix))


def _beside(scope: Scope, name: str, listing: Listing) -> str | None:
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
    listing.findings.append(
        finding(
            "rules-unreadable" if name == RULES else "link-outside",
            name,
            "no file, or a symbolic link that leads out of the folder; it is not followed",
            "put the file itself there",
        )
    )
    return None


def follow(path: str, folder: str) -> tuple[str, bool] | None:
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


def _mode_inside(target: str, inside: str) -> int | None:
    """The mode of ``target``; None when it is not there or a folder on the way is a link."""
    at, mode = inside.rstrip(os.sep), None
    parts = target[len(inside) :].split(os.sep)
    for number, part in enumerate(parts):
        at = at + os.sep + part
        try:
            mode = os.lstat(at).st_mode
        except (OSError, ValueError):
            return None
        if number < len(parts) - 1 and not stat.S_ISDIR(mode):
            return None
    return mode


def read_store(scope: Scope, only: Collection[str] | None = None, listing: Listing | None = None) -> Store:
    """The Store of a scope.

    ``only``: names of pages to read; the others are left out of ``pages``, and findings that need every
    page (links, names alike) are not made. ``listing``: a Listing that is at hand already. Raises AbcdError
    when the store folder cannot be listed; whatever is wrong with a single file is a finding.
    """
    listing = listing or list_store(scope)
    findings, left_out, pages = list(listing.findings), list(listing.left_out), []
    contents: list[tuple[str, int, str]] = []
    for name, path in listing.pages:
        if only is not None and name not in only:
            continue
        notes = Notes(FOLDER + name)
        data = _read_file(path, MAX_PAGE, notes, "page-unreadable", "page-too-large")
        page, found = (None, notes.found) if data is None else read_page(name, data)
        if data:
            contents.append((name, len(data), content_hash(data)))
        findings += found
        if page is not None:
            pages.append(page)
        elif found:
            left_out.append(name)
    beside = read_beside(listing)
    findings += beside.findings
    newer_pages: dict[str, str] = {}
    if only is None:
        copies = copies_of(contents)
        findings += copy_findings(copies)
        left_out += [page.name for page in pages if page.name in copies]
        pages = [page for page in pages if page.name not in copies]
        newer_pages, found = newer(pages)
        findings += found + alike(pages)
    findings.sort(key=lambda one: (one.file, one.line or 0))
    return Store(tuple(pages), beside.catalogue, beside.domains, tuple(findings), tuple(sorted(left_out)), newer_pages)


def read_one(name: str, data: bytes) -> tuple[Page | None, list[Finding]]:
    """(Page or None, findings) of one listed page, of which ``data`` was read."""
    if len(data) <= MAX_PAGE:
        return read_page(name, data)
    notes = Notes(FOLDER + name)
    _too_large(len(data), MAX_PAGE, notes, "page-too-large")
    return None, notes.found


def unreadable(name: str, error: OSError) -> list[Finding]:
    """The finding on a page that could not be read."""
    return [
        finding("page-unreadable", FOLDER + name, f"cannot be read: {error.strerror or error}", "give read permission")
    ]


class Beside(NamedTuple):
    """What stands beside the pages, and what is wrong with it."""

    catalogue: Catalogue
    domains: tuple[Domain, ...]
    findings: list[Finding]


def read_beside(listing: Listing, read: Callable[[str], bytes] | None = None) -> Beside:
    """The catalogue and the rules.

    ``read(name)``: gives a file's bytes by its name in the scope's home or raises OSError, for who has read them
    already: what was hashed is what is compiled. Without it they are read here.
    """
    catalogue, found = _catalogue(listing, read)
    domains, more = _rules(listing, read)
    return Beside(catalogue, domains, found + more)


def _data(name: str, path: str, read: Callable[[str], bytes] | None, notes: Notes, code: str) -> bytes | None:
    if read is None:
        return _read_file(path, None, notes, code, code)
    try:
        return read(name)
    except OSError as error:
        notes.add(code, None, f"cannot be read: {error.strerror or error}", "give read permission")
        return None


def _catalogue(listing: Listing, read: Callable[[str], bytes] | None) -> tuple[Catalogue, list[Finding]]:
    names = [name for name, _ in listing.pages] + listing.left_out
    if listing.catalogue is None:
        if not listing.pages:
            return Catalogue(), []
        return Catalogue(), [
            finding(
                "catalogue-missing",
                FOLDER + "index.md",
                f"there is no catalogue for {len(listing.pages)} pages",
                "run `abcd-index catalogue --write`",
            )
        ]
    name, path = listing.catalogue
    notes = Notes(FOLDER + name)
    data = _data(FOLDER + name, path, read, notes, "page-unreadable")
    if data is None:
        return Catalogue(), notes.found
    return read_catalogue(name, data, names)


def _rules(listing: Listing, read: Callable[[str], bytes] | None) -> tuple[tuple[Domain, ...], list[Finding]]:
    if RULES not in listing.others:
        return (), []
    notes = Notes(RULES)
    data = _data(RULES, listing.others[RULES], read, notes, "rules-unreadable")
    if data is None:
        return (), notes.found
    return read_rules(data)


def _read_file(path: str, limit: int | None, notes: Notes, unreadable: str, too_large: str) -> bytes | None:
    """The bytes of a regular file, or None: it is gone (no finding), cannot be read, or is larger than
    ``limit`` bytes.

    Opened without following a link and without waiting, so that a pipe put in the file's place since it
    was listed neither leads anywhere nor hangs.
    """
    try:
        descriptor = fs.open_plain(path)
    except FileNotFoundError:
        return None
    except fs.NotPlain:
        notes.add(unreadable, None, "not a regular file any more", "put the file back")
        return None
    except OSError as error:
        notes.add(unreadable, None, f"cannot be opened: {error.strerror}", "give read permission")
        return None
    try:
        found = os.fstat(descriptor)
        if limit is not None and found.st_size > limit:
            _too_large(found.st_size, limit, notes, too_large)
            return None
        return _all(descriptor, found.st_size)
    except OSError as error:
        notes.add(unreadable, None, f"cannot be read: {error.strerror}", "check the disk and the permissions")
        return None
    finally:
        os.close(descriptor)


def _too_large(size: int, limit: int, notes: Notes, code: str) -> None:
    notes.add(code, None, f"{size:,} bytes, more than {limit:,}", "split it into pages")


def _all(descriptor: int, size: int) -> bytes:
    """All bytes of an open file. One read where the size is true, as it nearly always is."""
    parts = [os.read(descriptor, size + 1)]
    while len(parts[-1]):
        parts.append(os.read(descriptor, 1 << 20))
    return b"".join(parts)
