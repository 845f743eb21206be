"""One page -> what the artefact needs of it, without looking at any other page."""

import orjson

from abcd_index.artefact.writer import line as json_line
from abcd_index.artefact.writer import record_line
from abcd_index.build.weights import Figures, pairs, weights
from abcd_index.text.patterns import entries
from abcd_index.text.porter import analyse


class Compiled:
    """One page, compiled; can be pickled.

    ``file``: its name. ``row``: its record without weights, with its term counts, as JSON (``finished``
    makes the record line of it). ``body``: the body line (bytes). ``postings``: [(key, entry)]. ``terms``
    and ``titles``: the distinct stems of the whole page and of its title. ``lengths``: stems in the title
    and in the text. ``links`` and ``lined`` (whether the catalogue has a line for it): what
    ``sidecars.Pages`` keeps of it.
    """

    __slots__ = ("file", "row", "body", "postings", "terms", "titles", "lengths", "links", "lined")


def compile_page(page, line):
    """``page``: a store ``Page``; ``line``: its catalogue line. Returns a Compiled."""
    compiled = Compiled()
    compiled.postings, recall = postings_of(page.keywords)
    record = {
        "file": page.name,
        "title": page.title,
        "name": page.slug,
        "type": page.type,
        "dialect": page.dialect,
        "summary": page.summary,
        "updated": page.updated or "",
        "recall": recall,
        "exclude": exclusions(page.exclude),
        "line": line,
        "size": len(page.body),
    }
    title, text = stems_of(page.title, page.summary, keywords_of(recall), page.body)
    record["pairs"] = pairs(title, text)
    figures = Figures(title, text)
    compiled.file = page.name
    compiled.lined = False
    compiled.row = orjson.dumps([record, figures.title, figures.body, *figures.lengths])
    compiled.body = json_line(page.body)
    compiled.terms, compiled.titles, compiled.lengths = figures.terms(), list(figures.title), figures.lengths
    compiled.links = ([page.description_name, page.ident], page.contradicts, page.supersedes, page.superseded_by,
                      page.updated)
    return compiled


def finished(row, title_mean, body_mean):
    """The record line (bytes) of a page's ``row``, with its weights."""
    record, title, body, title_length, body_length = orjson.loads(row)
    figures = Figures.of_counts(title, body, title_length, body_length)
    record["weights"], record["titles"] = weights(figures, title_mean, body_mean)
    return record_line(record)


def figures_of(title, summary, recall, body):
    """The term counts of a page's text, from what its record and body line hold."""
    return Figures(*stems_of(title, summary, keywords_of(recall), body))


def keywords_of(recall):
    """A page's keywords in an order that a record read back has too."""
    return [recall[normal] for normal in sorted(recall)]


def stems_of(title, summary, keywords, body):
    """(stems of the title, stems of the text). The keywords count as text: an own field for them was no gain."""
    return analyse(title), analyse("\n".join((summary, "\n".join(keywords), body)))


def postings_of(keywords):
    """([(key, entry)], {normal form: first spelling}) of a page's or domain's keywords."""
    postings, recall = [], {}
    for keyword in keywords:
        for key, entry in entries(keyword):
            recall.setdefault(entry[0], keyword)
            postings.append((key, entry))
    return postings, recall


def exclusions(words):
    """The postings of ``exclude`` words, as the record holds them: [[key, entry], ...]."""
    return [[key, entry] for word in words for key, entry in entries(word)]


def compile_domain(domain):
    """(record, postings) of a rules ``Domain``."""
    postings, recall = postings_of(tuple(domain.recall) + tuple(domain.aliases))
    record = {
        "name": domain.name,
        "state": domain.state,
        "aliases": list(domain.aliases),
        "rules": list(domain.rules),
        "exclude": exclusions(domain.exclude),
        "recall": recall,
    }
    return record, postings
