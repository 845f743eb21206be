"""A scope's files -> a Store. The only module of this room that opens files.

Times are the caller's business: whoever keeps them takes them before ``read_store`` reads.
"""

import os

from abcd_index import fs
from abcd_index.store.catalogue import read_catalogue
from abcd_index.store.links import alike, newer
from abcd_index.store.listing import FOLDER, Listing, list_store
from abcd_index.store.page import read_page
from abcd_index.store.records import Catalogue, Notes, Store
from abcd_index.store.rules import FILE as RULES
from abcd_index.store.rules import read_rules

MAX_PAGE = 4 * 1024 * 1024

__all__ = ["Listing", "list_store", "read_beside", "read_file", "read_one", "read_store", "unreadable"]


def read_store(scope, only=None, listing=None):
    """The Store of a scope.

    ``only``: names of pages to read; the others are left out of ``pages``, and findings that need every
    page (links, names alike) are not made. ``listing``: a Listing that is at hand already. Raises AbcdError
    when the store folder cannot be listed; whatever is wrong with a single file is a finding.
    """
    listing = listing or list_store(scope)
    findings, left_out, pages = list(listing.findings), list(listing.left_out), []
    for name, path in listing.pages:
        if only is not None and name not in only:
            continue
        page, found = read_one(name, path)
        findings += found
        if page is not None:
            pages.append(page)
        elif found:
            left_out.append(name)
    catalogue, domains, found = read_beside(listing)
    findings += found
    newer_pages = {}
    if only is None:
        newer_pages, found = newer(pages)
        findings += found + alike(pages)
    findings.sort(key=lambda finding: (finding.file, finding.line or 0))
    return Store(tuple(pages), catalogue, domains, tuple(findings), tuple(sorted(left_out)), newer_pages)


def read_one(name, path, data=None):
    """(Page or None, [Finding]) of one listed page. ``data``: its bytes when they are at hand already."""
    notes = Notes(FOLDER + name)
    if data is None:
        data = read_file(path, MAX_PAGE, notes, "page-unreadable", "page-too-large")
    elif len(data) > MAX_PAGE:
        notes.add("page-too-large", None, f"{len(data):,} bytes, more than {MAX_PAGE:,}", "split it into pages")
        data = None
    if data is None:
        return None, notes.found
    return read_page(name, data)


def unreadable(name, error):
    """[Finding] of a page that could not be read. ``error``: the OSError."""
    notes = Notes(FOLDER + name)
    notes.add("page-unreadable", None, f"cannot be read: {error.strerror or error}", "give read permission")
    return notes.found


def read_beside(listing, read=None):
    """(Catalogue, domains, [Finding]): what stands beside the pages.

    ``read(name)``: gives a file's bytes by its name in the scope's home or raises OSError, for who has read them
    already: what was hashed is what is compiled. Without it they are read here.
    """
    catalogue, found = _catalogue(listing, read)
    domains, more = _rules(listing, read)
    return catalogue, domains, found + more


def _data(name, path, read, notes, code):
    if read is None:
        return read_file(path, None, notes, code, code)
    try:
        return read(name)
    except OSError as error:
        notes.add(code, None, f"cannot be read: {error.strerror or error}", "give read permission")
        return None


def _catalogue(listing, read):
    names = [name for name, _ in listing.pages] + listing.left_out
    if listing.catalogue is None:
        if not listing.pages:
            return Catalogue(), []
        notes = Notes(FOLDER + "index.md")
        notes.add("catalogue-missing", None, f"there is no catalogue for {len(listing.pages)} pages",
                  "run `abcd-index catalogue --write`")
        return Catalogue(), notes.found
    name, path = listing.catalogue
    notes = Notes(FOLDER + name)
    data = _data(FOLDER + name, path, read, notes, "page-unreadable")
    if data is None:
        return Catalogue(), notes.found
    return read_catalogue(name, data, names)


def _rules(listing, read):
    if RULES not in listing.others:
        return (), []
    notes = Notes(RULES)
    data = _data(RULES, listing.others[RULES], read, notes, "rules-unreadable")
    if data is None:
        return (), notes.found
    return read_rules(data)


def read_file(path, limit, notes, unreadable, too_large):
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
            notes.add(too_large, None, f"{found.st_size:,} bytes, more than {limit:,}", "split it into pages")
            return None
        return _all(descriptor, found.st_size)
    except OSError as error:
        notes.add(unreadable, None, f"cannot be read: {error.strerror}", "check the disk and the permissions")
        return None
    finally:
        os.close(descriptor)


def _all(descriptor, size):
    """All bytes of an open file. One read where the size is true, as it nearly always is."""
    parts = [os.read(descriptor, size + 1)]
    while len(parts[-1]):
        parts.append(os.read(descriptor, 1 << 20))
    return b"".join(parts)
