"""``keywords [PAGE]``: suggests `recall` keywords for pages that have none or weak ones; ``--write`` adds them."""

import os
from unicodedata import normalize

from abcd_index import fs
from abcd_index.commands.console import FINDINGS, OK, Out, count
from abcd_index.commands.scope_selector import ALL, pick
from abcd_index.commands.writing import write_over
from abcd_index.errors import AbcdError
from abcd_index.scopes import Places
from abcd_index.search.corpus import open_shelf
from abcd_index.search.excerpts import Paths
from abcd_index.search.suggest import suggest, wanting
from abcd_index.store.edit import add_keywords
from abcd_index.store.links import Links
from abcd_index.store.read import read_store


def run(page=None, root=None, scope=ALL, write=False, limit=5, as_json=False, out=None):
    """Suggest, or with ``write`` add, keywords. Returns 1 when a page still wants some, else 0.

    ``page``: a file name, stem or ``name``; without it every page that has no keywords or only weak ones.
    ``limit``: at most this many suggestions a page.
    """
    out = out or Out()
    places = Places()
    paths = Paths(places)
    rows, wants = [], False
    scopes = pick(root, scope, places, out)
    for one in scopes:
        shelf = open_shelf(one, places, writing=True)
        try:
            for entry in _wanted(shelf, page):
                row = _Row(entry, limit)
                rows.append(row)
                if write and row.suggestions:
                    row.written = _write(out, entry, row.words(), one)
                wants = wants or not row.written
        finally:
            shelf.close()
    if page is not None and not rows:
        raise AbcdError(f"no page answers to {page}", "give a file name, its stem, or the page's `name`")
    if as_json:
        out.data({"pages": [row.data() for row in rows]}, indent=2)
    else:
        _print(out, rows, paths, write)
    return max(scopes.code, FINDINGS if wants else OK)


class _Row:
    """A page and what is suggested for it."""

    def __init__(self, entry, limit):
        self.file = entry.file
        self.path = entry.path
        self.title = entry.record["title"]
        self.reason = wanting(entry)
        self.suggestions = suggest(entry, limit)
        self.written = False

    def words(self):
        """The keywords alone."""
        return [one.keyword for one in self.suggestions]

    def data(self):
        """The row as JSON has it."""
        return {"file": self.file, "path": self.path, "wants": self.reason, "written": self.written,
                "suggestions": [{"keyword": one.keyword, "worth": round(one.worth, 4), "where": one.where,
                                 "times": one.times, "pages": one.pages, "also_surfaces": list(one.also)}
                                for one in self.suggestions]}


def _wanted(shelf, page):
    """The entries that are asked about."""
    if page is None:
        return [entry for entry in shelf.entries() if wanting(entry)]
    page = page.rpartition("/")[2]
    name = Links(read_store(shelf.scope).pages).resolve(page)
    return [entry for entry in shelf.entries() if entry.file == name or name is None and entry.record["name"] == page]


def _write(out, entry, words, scope):
    """Whether the keywords were added to the page's file."""
    shown = scope.display("memory/" + entry.file)
    try:
        if normalize("NFC", os.path.relpath(entry.path, scope.store)) != entry.file:
            raise AbcdError(f"{shown} is a symbolic link; nothing was written", "edit the page that it leads to")
        data = fs.read(entry.path)
        write_over(scope, shown, entry.path, data, add_keywords(entry.file, data, words))
        return True
    except AbcdError as error:
        out.complain(error, error.hint)
    except OSError as error:
        out.complain(f"{shown} was not written: {error.strerror or error}")
    return False


def _print(out, rows, paths, write):
    if not rows:
        out.line("Every page has keywords that are not weak.")
    for number, row in enumerate(rows):
        if number:
            out.line()
        name = out.style(paths.short(row.path), "bold")
        out.line(f"{name}  {row.title}" + (f"; {row.reason}" if row.reason else ""))
        if not row.suggestions:
            out.line("  nothing in it sets it apart: write keywords by hand")
        wide = max([len(one.keyword) for one in row.suggestions], default=0)
        for one in row.suggestions:
            more = f" and {len(one.also) - 3} more" if one.also[3:] else ""
            also = f"also surfaces {', '.join(one.also[:3])}{more}"
            out.line(f"  {out.style(one.keyword, 'cyan')}{' ' * (wide - len(one.keyword))}  "
                     f"{_said(one)}; {also if one.also else 'surfaces nothing else'}")
        if row.written:
            out.line(out.style("  added to its frontmatter", "green"))
    if rows and not write:
        out.note("hint: `abcd-index keywords PAGE --write` adds what is suggested for a page")


def _said(one):
    times = "once" if one.times == 1 else f"{one.times} times"
    return f"{one.where}, {times}; its words are in {count(one.pages, 'page')}"
