"""``abcd-index catalogue``: shows each page's line, or brings the catalogue up to date.

Lines that people wrote are kept byte for byte. ``--write`` only adds what is missing; dropping the lines of
pages that are gone needs ``--prune`` as well, because the line may be all that is left of a thought.
"""

from __future__ import annotations

import os
import re
from typing import Dict, List

from abcd_index import fs
from abcd_index.commands.console import FAILED, FINDINGS, OK, Console, count
from abcd_index.commands.writing import write_over
from abcd_index.errors import AbcdError
from abcd_index.scopes import Places, Scope
from abcd_index.selector import ALL, select
from abcd_index.store.records import Page

LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def run(
    root: str | None = None,
    which: str = ALL,
    write: bool = False,
    prune: bool = False,
    console: Console | None = None,
    places: Places | None = None,
) -> int:
    """Show or write the catalogues of the scopes that ``which`` names. Returns an exit status."""
    console, places = console or Console(), places or Places()
    if prune and not write:
        raise AbcdError("--prune does nothing without --write")
    selection = select(root, which, places)
    console.refusals(selection)
    statuses = [_write(scope, prune, console) if write else _show(scope, console) for scope in selection]
    return FAILED if selection.refused else max(statuses)


class Listing:
    """A scope's catalogue beside its pages. ``name``: of the file; ``data``: its bytes, None when there is none yet.
    ``missing``: pages without a line, ``gone``: {line number: text} of lines whose pages are not there."""

    def __init__(self, scope: Scope) -> None:
        from abcd_index.store.catalogue import NAMES
        from abcd_index.store.read import list_store, read_store

        listed = list_store(scope).catalogue
        self.store = read_store(scope)
        self.name: str = listed[0] if listed else NAMES[0]
        self.shown = scope.display("memory/" + self.name)
        self.data = fs.read(listed[1]) if listed else None
        self.missing: List[Page] = [page for page in self.store.pages if page.name not in self.store.catalogue.lines]
        self.gone = self._gone()

    def _gone(self) -> Dict[int, str]:
        used = set(self.store.catalogue.numbers.values())
        numbers = {f.line for f in self.store.findings if f.code == "catalogue-dangling" and f.line} - used
        lines = LINE.findall(self.data or b"")
        return {number: lines[number - 1].decode("utf-8", "replace").rstrip("\r\n") for number in sorted(numbers)}


def _show(scope: Scope, console: Console) -> int:
    from abcd_index.store.catalogue import line_of

    listing = Listing(scope)
    missing = {page.name for page in listing.missing}
    for page in listing.store.pages:
        line = line_of(page, listing.store)
        console.line(("+ " + line, "green") if page.name in missing else "  " + line)
    for line in listing.gone.values():
        console.line(("- " + line, "red"))
    lines = count(len(listing.store.catalogue.lines), "line")
    console.note(
        f"{scope.name}: {listing.shown}: {lines}, {len(missing)} missing (+), {len(listing.gone)} of pages "
        "that are gone (-)"
    )
    if missing or listing.gone:
        console.note("hint: `abcd-index catalogue --write` adds the missing ones, --prune drops the others")
        return FINDINGS
    return OK


def _write(scope: Scope, prune: bool, console: Console) -> int:
    from abcd_index.store.catalogue import completed

    listing = Listing(scope)
    gone = listing.gone if prune else {}
    if not listing.missing and not gone:
        console.line(f"{scope.name}: {listing.shown} is up to date")
        return OK
    data = _without(listing.data, gone) if listing.data and gone else listing.data
    data = completed(listing.name, data, listing.store.pages)
    if data == listing.data:
        raise AbcdError(f"{listing.shown} is not UTF-8 text", "save it as UTF-8, then run it again")
    write_over(scope, listing.shown, os.path.join(scope.store, listing.name), listing.data, data)
    console.line(
        f"{scope.name}: {listing.shown}: {count(len(listing.missing), 'line')} added"
        + (f", {count(len(gone), 'line')} dropped" if gone else "")
    )
    return OK


def _without(data: bytes, gone: Dict[int, str]) -> bytes:
    """``data`` without the lines of those numbers; the others keep their bytes."""
    return b"".join(line for number, line in enumerate(LINE.findall(data), 1) if number not in gone)
