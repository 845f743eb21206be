"""One page -> what the artefact needs of it, without looking at any other page."""

from abcd_index.artefact.writer import line
from abcd_index.build.weights import Figures, pairs
from abcd_index.terms.keyword import entries
from abcd_index.terms.stem import analyse


class Compiled:
    """One page, compiled. ``record``: its record without weights and catalogue line. ``postings``:
    [(key, entry)]. ``figures``: its term counts. ``body``: the body line (bytes)."""

    __slots__ = ("record", "postings", "figures", "body")

    def __init__(self, record, postings, figures, body):
        self.record = record
        self.postings = postings
        self.figures = figures
        self.body = body


def compile_page(page):
    """``page``: a store ``Page``. Returns a Compiled."""
    postings, recall = postings_of(page.keywords)
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
        "size": len(page.body),
    }
    title, text = stems_of(page.title, page.summary, keywords_of(recall), page.body)
    record["pairs"] = pairs(title, text)
    return Compiled(record, postings, Figures(title, text), line(page.body))


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
