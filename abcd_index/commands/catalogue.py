"""``abcd-index catalogue``: shows each page's line, or brings the catalogue up to date.

Lines that people wrote are kept byte for byte. ``--write`` only adds what is missing; dropping the lines of
pages that are gone needs ``--prune`` as well, because the line may be all that is left of a thought.
"""

import os
import re

from abcd_index import fs
from abcd_index.commands.console import FINDINGS, OK, Out, count
from abcd_index.commands.scope_selector import pick
from abcd_index.commands.writing import write_over
from abcd_index.errors import AbcdError
from abcd_index.scopes import Places

LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def run(root=None, which="all", write=False, prune=False, out=None, places=None):
    """Show or write the catalogues of the scopes that ``which`` names. Returns an exit status."""
    out = out or Out()
    places = places or Places()
    if prune and not write:
        raise AbcdError("--prune does nothing without --write")
    scopes = pick(root, which, places, out)
    return max(scopes.code, *[_write(scope, prune, out) if write else _show(scope, out) for scope in scopes])


class Listing:
    """A scope's catalogue beside its pages. ``name``: of the file; ``data``: its bytes, None when there is none yet.
    ``missing``: pages without a line, ``gone``: {line number: text} of lines whose pages are not there."""

    def __init__(self, scope):
        from abcd_index.store.catalogue import NAMES
        from abcd_index.store.read import list_store, read_store

        listed = list_store(scope).catalogue
        self.store = read_store(scope)
        self.name, path = listed or (NAMES[0], None)
        self.shown = scope.display("memory/" + self.name)
        self.data = None if path is None else fs.read(path)
        self.missing = [page for page in self.store.pages if page.name not in self.store.catalogue.lines]
        self.gone = self._gone()

    def _gone(self):
        used = set(self.store.catalogue.numbers.values())
        numbers = {f.line for f in self.store.findings if f.code == "catalogue-dangling" and f.line not in used}
        lines = LINE.findall(self.data or b"")
        return {number: lines[number - 1].decode("utf-8", "replace").rstrip("\r\n") for number in sorted(numbers)}


def _show(scope, out):
    from abcd_index.store.catalogue import line_of

    listing = Listing(scope)
    missing = {page.name for page in listing.missing}
    for page in listing.store.pages:
        line = line_of(page, listing.store)
        out.line(out.style("+ " + line, "green") if page.name in missing else "  " + line)
    for line in listing.gone.values():
        out.line(out.style("- " + line, "red"))
    lines = count(len(listing.store.catalogue.lines), "line")
    out.note(f"{scope.name}: {listing.shown}: {lines}, {len(missing)} missing (+), {len(listing.gone)} of pages "
             "that are gone (-)")
    if missing or listing.gone:
        out.note("hint: `abcd-index catalogue --write` adds the missing ones, --prune drops the others")
        return FINDINGS
    return OK


def _write(scope, prune, out):
    from abcd_index.store.catalogue import completed

    listing = Listing(scope)
    gone = listing.gone if prune else {}
    if not listing.missing and not gone:
        out.line(f"{scope.name}: {listing.shown} is up to date")
        return OK
    data = _without(listing.data, gone) if gone else listing.data
    data = completed(listing.name, data, listing.store.pages)
    if data == listing.data:
        raise AbcdError(f"{listing.shown} is not UTF-8 text", "save it as UTF-8, then run it again")
    write_over(scope, listing.shown, os.path.join(scope.store, listing.name), listing.data, data)
    out.line(f"{scope.name}: {listing.shown}: {count(len(listing.missing), 'line')} added"
             + (f", {count(len(gone), 'line')} dropped" if gone else ""))
    return OK


def _without(data, gone):
    """``data`` without the lines of those numbers; the others keep their bytes."""
    return b"".join(line for number, line in enumerate(LINE.findall(data), 1) if number not in gone)
