"""What an artefact says of the pages, held against the pages: two visitors for ``format.decode``."""

from abcd_index.terms.keyword import entries
from abcd_index.verify.format import Visitor

FIELDS = ("title", "type", "summary")


class Headlines(Visitor):
    """Names the pages that an artefact of other pages holds differently, lacks or has too many."""

    def __init__(self, store):
        self.pages = {page.name: page for page in store.pages}
        self.lines = {page.name: store.line(page) for page in store.pages}
        self.files = []
        self.changed = set()

    def record(self, number, record):
        self.files.append(record["file"])
        page = self.pages.get(record["file"])
        if page is not None and not self._same(page, record):
            self.changed.add(page.name)

    def body(self, number, body):
        page = self.pages.get(self.files[number])
        if page is not None and page.body != body:
            self.changed.add(page.name)

    def pages_that_differ(self):
        """[(what, file)]: what is changed, added or removed; file is relative to the scope's home."""
        there = set(self.files)
        found = [("changed", name) for name in self.changed]
        found += [("added", name) for name in self.pages if name not in there]
        found += [("removed", name) for name in there if name not in self.pages]
        return [(what, "memory/" + name) for what, name in found]

    def _same(self, page, record):
        return (
            all(record[field] == getattr(page, field) for field in FIELDS)
            and record["updated"] == (page.updated or "")
            and record["line"] == self.lines[page.name]
            and list(record["recall"].values()) == _spellings(page, record)
        )


class Contents(Headlines):
    """Names every way in which an artefact with the pages' own key does not hold what they say."""

    def __init__(self, store):
        super().__init__(store)
        self.store = store
        self.differences = []

    def compare(self, decoded):
        """Fill ``differences`` (sentences), when all records and bodies have been seen."""
        found = []
        for what, name in sorted(self.pages_that_differ(), key=lambda pair: pair[1]):
            found.append(f"{name} {what}")
        found += self._postings(decoded)
        if decoded.newer != self.store.newer():
            found.append("the list of newer pages")
        names = [domain.name for domain in sorted(self.store.domains, key=lambda d: d.name)]
        if [domain["name"] for domain in decoded.domains] != names:
            found.append("the rule domains")
        else:
            for domain, there in zip(sorted(self.store.domains, key=lambda d: d.name), decoded.domains):
                if there["rules"] != list(domain.rules) or there["state"] != domain.state:
                    found.append(f"the rules of {domain.name}")
        self.differences = found

    def _postings(self, decoded):
        """Keywords that a page declares and the buckets do not hold, and the reverse."""
        ordinals = {name: number for number, name in enumerate(self.files)}
        wanted = {}
        for page in self.store.pages:
            for keyword in page.keywords:
                for key, entry in entries(keyword):
                    if page.name in ordinals:
                        wanted.setdefault((key, entry[0]), set()).add(ordinals[page.name])
        there = {}
        for key, postings in decoded.keywords.items():
            for entry, pages, _ in postings:
                if pages:
                    there.setdefault((key, entry[0]), set()).update(pages)
        different = sorted(pair for pair in set(wanted) | set(there) if wanted.get(pair) != there.get(pair))
        return [f"the pages of keyword {normal!r}" for _, normal in different]


def _spellings(page, record):
    """The keywords of ``page`` that can match, under the record's normal forms and in its order."""
    first = {}
    for keyword in page.keywords:
        for _, entry in entries(keyword):
            first.setdefault(entry[0], keyword)
    return [first.get(normal) for normal in record["recall"]] if len(first) == len(record["recall"]) else None
