"""The cheapest build: some pages were edited, and what they changed fits into the artefact's own frame.

Every line that did not change is copied as it is, unread. Only the buckets of the terms that came or went
are opened. ``patched`` gives up (None) as soon as something else would move (a keyword, a page, a link, a
mean length, the number of buckets); ``delta`` or a full build then does it, to the same bytes.
"""

from abcd_index.artefact.format import PARTS, bucket
from abcd_index.artefact.writer import Line, counts_line, terms_count
from abcd_index.build.assemble import Assembly
from abcd_index.build.compile import figures_of, finished, postings_of


class Patched:
    """The parts of the new artefact. ``lengths``: as in its header; ``counts``: {line: exact counts} where they
    changed; ``terms``: distinct stems in the store."""

    __slots__ = ("parts", "lengths", "counts", "terms")


def patched(old, compiled):
    """The Patched of the artefact in which the pages of ``compiled`` ({file: Compiled}) are what they are
    now, or None. The files are the same ones, in the same order."""
    counts = {}
    lengths = list(old.artefact.header["lengths"])
    for file, page in compiled.items():
        before = _before(old, file)
        if before is None or not _same_frame(old, before, page):
            return None
        figures = before.figures
        _count(counts, figures.terms(), figures.title, -1)
        _count(counts, page.terms, page.titles, 1)
        lengths = [total - was + now for total, was, now in zip(lengths, figures.lengths, page.lengths)]
    means = Assembly.mean_lengths(lengths, len(old.numbers))
    if means != Assembly.mean_lengths(old.artefact.header["lengths"], len(old.numbers)):
        return None
    result = Patched()
    result.lengths = lengths
    parts = {part: old.cells(part) for part in PARTS}
    result.counts, result.terms = _patch_terms(old, counts, parts["terms"])
    if result.counts is None:
        return None
    for file, page in compiled.items():
        number = old.numbers[file]
        parts["records"][number] = Line(finished(page.row, *means))
        parts["bodies"][number] = Line(page.body)
    result.parts = parts
    return result


class _Before:
    __slots__ = ("figures", "postings", "links")


def _before(old, file):
    number = old.numbers.get(file)
    if number is None:
        return None
    record = old.record(number)
    before = _Before()
    before.figures = figures_of(record["title"], record["summary"], record["recall"], old.value("bodies", number))
    before.postings = sorted(postings_of(tuple(record["recall"].values()))[0])
    before.links = [old.pages.names.get(file, ["", ""]), *old.pages.links.get(file, ([], [], []))[:3]]
    return before


def _same_frame(old, before, page):
    links = [page.links[0], *map(list, page.links[1:4])]
    # A page's date decides between links, so it counts where the store has any.
    return sorted(page.postings) == before.postings and links == before.links and not old.pages.links


def _count(counts, terms, titles, sign):
    for column, stems in enumerate((terms, titles)):
        for stem in stems:
            counts.setdefault(stem, [0, 0])[column] += sign


def _patch_terms(old, changes, cells):
    """Put the lines of the changed counts in their places. ({line: counts}, distinct stems then), or (None, 0)."""
    shelves, distinct = {}, old.pages.terms
    for stem, (pages, titles) in changes.items():
        if not pages and not titles:
            continue
        if not cells:
            return None, 0
        number = bucket(stem, len(cells))
        shelf = shelves.get(number)
        if shelf is None:
            shelf = shelves[number] = old.pages.counts_in(number)
        was = shelf.get(stem, (0, 0))
        now = (was[0] + pages, was[1] + titles)
        distinct += (now[0] > 0) - (was[0] > 0)
        if now[0] > 0:
            shelf[stem] = now
        else:
            shelf.pop(stem, None)
    if terms_count(distinct) != len(cells):
        return None, 0
    for number, shelf in shelves.items():
        cells[number] = Line(counts_line(shelf))
    return shelves, distinct
