"""What an artefact says of the pages, held against the pages: two visitors for ``format.decode``."""

from abcd_index.verify.format import Visitor
from abcd_index.verify.recompute import digest, forms

FIELDS = ("title", "type", "summary", "dialect")


def _headline(record):
    """What of a record is compared with its page."""
    return {name: record[name] for name in ("file", "updated", "line", "recall", *FIELDS)}


class Headlines(Visitor):
    """Names the pages that an artefact of other pages holds differently, lacks or has too many."""

    def __init__(self, fresh):
        self.fresh = fresh
        self.pages = {page.name: page for page in fresh.pages}
        self.files = []
        self.changed = set()

    keep_record = staticmethod(_headline)
    keep_body = staticmethod(digest)

    def record(self, number, record):
        self.files.append(record["file"])
        page = self.pages.get(record["file"])
        if page is not None and not self._same(page, record):
            self.changed.add(page.name)

    def body(self, number, body):
        name = self.files[number]
        if name in self.pages and self.fresh.bodies[name] != (digest(body) if isinstance(body, str) else body):
            self.changed.add(name)

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
            and record["line"] == self.fresh.lines[page.name]
            and record["recall"] == _spellings(page)
        )


class Contents(Headlines):
    """Names every way in which an artefact with the pages' own key does not hold what they say."""

    def differences(self, decoded):
        """Sentences, when all records and bodies have been seen."""
        found = [f"{name} {what}" for what, name in sorted(self.pages_that_differ(), key=lambda pair: pair[1])]
        found += self._postings(decoded)
        if decoded.newer != self.fresh.newer:
            found.append("the list of newer pages")
        return found + self._domains(decoded.domains)

    def _postings(self, decoded):
        """Keywords that a page declares and the buckets do not hold, and the reverse."""
        ordinals = {name: number for number, name in enumerate(self.files)}
        wanted, there = {}, {}
        for page in self.fresh.pages:
            if page.name in ordinals:
                for keyword in page.keywords:
                    for key, entry in forms(keyword):
                        wanted.setdefault((key, entry[0]), set()).add(ordinals[page.name])
        for key, postings in decoded.keywords.items():
            for entry, pages, *_ in postings:
                if pages:
                    there.setdefault((key, entry[0]), set()).update(pages)
        different = sorted(pair for pair in set(wanted) | set(there) if wanted.get(pair) != there.get(pair))
        return [f"the pages of keyword {normal!r}" for _, normal in different]

    def _domains(self, there):
        if [domain["name"] for domain in there] != [domain.name for domain in self.fresh.domains]:
            return ["the rule domains"]
        return [f"the rules of {domain.name}" for domain, found in zip(self.fresh.domains, there)
                if found["rules"] != list(domain.rules) or found["state"] != domain.state]


def _spellings(page):
    """{normal form: keyword as first spelled} of the keywords of ``page`` that can match."""
    first = {}
    for keyword in page.keywords:
        for _, entry in forms(keyword):
            first.setdefault(entry[0], keyword)
    return first
