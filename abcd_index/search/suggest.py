"""Suggests `recall` keywords for a page: the bare names of what it is about, and phrases of its own.

What the author wrote down for other tools (``aliases``, ``tags``) comes first. Of the rest those are worth most that
the page says often, in its name, title or description, that few pages of the store say, and that are no words of
ordinary prompts. What each would surface beside the page is asked of the matcher, with the keyword as the prompt.
"""

from __future__ import annotations

import os
from collections import Counter
from math import log
from typing import Any, Dict, List, Mapping, NamedTuple, Set, Tuple
from unicodedata import normalize

from abcd_index import fs
from abcd_index.agenthooks.evidence import MANY, TELLING_STORE
from abcd_index.agenthooks.match import match
from abcd_index.agenthooks.prompt import Prompt
from abcd_index.errors import AbcdError
from abcd_index.search.candidates import (
    ALIAS,
    DESCRIPTION,
    HEADING,
    NAME,
    REPEATED,
    TAG,
    TEXT,
    TITLE,
    Candidate,
    candidates,
    is_identifier,
)
from abcd_index.search.corpus import Corpus, Document
from abcd_index.store.edit import add_keywords
from abcd_index.store.links import Links
from abcd_index.store.offered import Offered, offered
from abcd_index.store.read import read_store
from abcd_index.text.patterns import entries, normal_form, weakness
from abcd_index.text.plain_words import PLAIN
from abcd_index.text.porter import analyse

# What more than this share of a store's pages say, or are tagged with, says too little of one of them; it may always
# be a few pages.
COMMON_SHARE = 0.2
FEW = 3
# Of the suggestions for a page so many may be tags.
MOST_TAGS = 3
# Where a suggestion comes from that somebody typed.
MISSED = "typed"
# What is worth less is not suggested, so a page may get fewer: LEAST, and SIZE x the logarithm of its words, for a
# short page says everything once.
LEAST = -2.3
SIZE = 0.4

# What a candidate is worth: a sum of these. Fitted by logistic regression to the keywords that authors wrote for
# others' pages, then rounded; no figure matters much for itself (``docs/explanation/matching.md``).
TIMES = 1.2  # x the logarithm of how often the page says it
RARE = 0.4  # x less the logarithm of how many pages say its rarest word, and its commonest
LENGTH = 0.05  # less, a character: the bare name before the long one
PLACE = {ALIAS: 20.0, TAG: 10.0, NAME: 0.7, TITLE: 0.3, DESCRIPTION: 1.1, HEADING: 0.45, TEXT: 0.0}
SUBJECT = 0.6  # of the name or title, and said again and again
NAMED = 0.5  # spelled as names are
PHRASE = 0.5
ORDINARY = 1.2  # less, a word of general English
CODE = 0.5  # less, an identifier that only the text has


class Suggestion(NamedTuple):
    """``keyword``; ``worth``; ``where``: title, description, heading, text; ``times`` in the page; ``pages`` whose
    text holds all its words; ``also_surfaces``: file names that it would surface beside the page."""

    keyword: str
    worth: float
    where: str
    times: int
    pages: int
    also_surfaces: Tuple[str, ...] = ()

    def values(self) -> Dict[str, Any]:
        """The suggestion as JSON has it."""
        return {**self._asdict(), "worth": round(self.worth, 4)}


def asked_for(corpus: Corpus, page: str | None) -> List[Document]:
    """The pages that a file name, stem or ``name`` means; with None those that want keywords."""
    if page is None:
        return [document for document in corpus.documents() if wanting(document)]
    page = page.rpartition("/")[2]
    file = Links(read_store(corpus.scope).pages).resolve(page)
    return [
        document for document in corpus.documents() if document.file == file or file is None and document.name == page
    ]


def wanting(document: Document) -> str:
    """Why a page wants keywords, as the end of a sentence; '' when it has some that are not weak."""
    keywords = list(document.record["recall"].values())
    if not keywords:
        return "has no keywords: only its text can bring it, as a line"
    weak = weak_keywords(document)
    return "has only weak keywords: " + "; ".join(weak) if len(weak) == len(keywords) else ""


def weak_keywords(document: Document) -> List[str]:
    """A sentence on each of a page's keywords that says little of it."""
    artefact = document.corpus.artefact
    found = []
    for normal, keyword in document.record["recall"].items():
        stems = [] if " " in normal or artefact.pages < TELLING_STORE else analyse(normal)
        pages = min((artefact.term(stem)[0] for stem in stems), default=0)
        if weakness(keyword):
            found.append(f"{keyword} {weakness(keyword)}")
        elif pages > MANY * artefact.pages:
            found.append(f"{keyword} stands in {pages:,} of {artefact.pages:,} pages; alone it brings only a line")
    return found


class Suggester:
    """Suggests keywords for the pages of a ``corpus``."""

    def __init__(self, corpus: Corpus) -> None:
        self.artefact = corpus.artefact
        self.most = max(FEW, self.artefact.pages * COMMON_SHARE)
        self.offered = {document.file: _offered(document) for document in corpus.documents()}
        self.tagged = Counter(normal_form(tag) for one in self.offered.values() for tag in one.tags)

    def suggest(self, document: Document, limit: int = 5) -> List[Suggestion]:
        """The best Suggestions for a page, at most ``limit``."""
        record = document.record
        known = {normal_form(keyword) for keyword in record["recall"].values()}
        found = candidates(record["name"], record["title"], document.description, document.body)
        for alias in self.offered[document.file].aliases:
            found.offer(ALIAS, alias)
        for tag in self.offered[document.file].tags:
            if self.tagged[normal_form(tag)] <= self.most:
                found.offer(TAG, tag)
        least = LEAST + SIZE * log(sum(one.times for one in found.values()) + 1)
        scored = [
            Suggestion(one.spelled, worth, one.where, one.times, pages)
            for one in found.values()
            for worth, pages in [self._worth(one)]
            if worth > least and _usable(one.spelled, known)
        ]
        scored.sort(key=lambda one: (-one.worth, one.keyword))
        return self._best(document, scored, limit)

    def _worth(self, one: Candidate) -> Tuple[float, int]:
        """(worth, pages whose text may hold all stems); LEAST for what is no keyword."""
        stems = dict.fromkeys(one.stems)
        pages = [max(self.artefact.term(stem)[0], 1) for stem in stems]
        phrase = " " in one.spelled
        if not phrase and min(pages) > self.most:
            return -99.0, 0
        if phrase and not one.places and not one.named and one.times < REPEATED:
            return -99.0, 0
        worth = TIMES * log(one.times) - RARE * (log(min(pages) + 1) + log(max(pages) + 1)) - LENGTH * len(one.spelled)
        worth += sum(PLACE[place] for place in one.places)
        if one.times >= REPEATED and one.places & {NAME, TITLE}:
            worth += SUBJECT
        if one.named:
            worth += NAMED
        if phrase:
            worth += PHRASE
        elif PLAIN.issuperset(stems):
            worth -= ORDINARY
        if is_identifier(one.spelled) and one.places <= {TEXT}:
            worth -= CODE
        return worth, min(pages)

    def _best(self, document: Document, scored: List[Suggestion], limit: int) -> List[Suggestion]:
        """The best, without those that only repeat a better one, or that the page's keywords answer to already."""
        best: List[Suggestion] = []
        taken: List[Set[str]] = []
        for one in scored:
            if len(best) == limit:
                break
            stems = set(analyse(one.keyword))
            if any(stems <= other or other <= stems for other in taken):
                continue
            if one.where == TAG and sum(other.where == TAG for other in best) == MOST_TAGS:
                continue
            # What else a prompt of just this keyword brings today.
            pages = {page for hit in match(Prompt(one.keyword), self.artefact.keyword) for page in hit.pages}
            if document.number not in pages:
                files = tuple(self.artefact.record(page)["file"] for page in sorted(pages))
                best.append(one._replace(also_surfaces=files))
                taken.append(stems)
        return best


def _offered(document: Document) -> Offered:
    try:
        return offered(fs.read(document.path))
    except (OSError, AbcdError):
        return Offered()


def missed_words(corpus: Corpus, misses: Mapping[str, int]) -> List[Tuple[Document, List[Suggestion]]]:
    """The pages that say a missed word, with those words, the most often typed first. ``misses``: {word: times}."""
    found: Dict[int, List[Suggestion]] = {}
    for word, times in sorted(misses.items(), key=lambda one: (-one[1], one[0])):
        if not _usable(word, set()) or any(hit.pages for hit in match(Prompt(word), corpus.artefact.keyword)):
            continue
        said = _saying(corpus, word)
        for number in said if len(said) <= FEW else ():
            also = tuple(corpus.artefact.record(other)["file"] for other in said if other != number)
            found.setdefault(number, []).append(Suggestion(word, float(times), MISSED, times, len(said), also))
    return [(document, found[document.number]) for document in corpus.documents(sorted(found))]


def _saying(corpus: Corpus, word: str) -> List[int]:
    """The pages whose text says all stems of a word; [] when they are too many to be listed."""
    stems = set(analyse(word))
    listed = [set(corpus.artefact.term(stem)[2]) for stem in stems]
    numbers = sorted(set.intersection(*listed)) if listed else []
    # The list may name pages of another term that looks alike.
    return [
        document.number
        for document in corpus.documents(numbers)
        if stems.issubset(analyse("\n".join((document.record["title"], document.record["summary"], document.body))))
    ]


def with_keywords(document: Document, data: bytes, keywords: List[str]) -> bytes:
    """A page's file with keywords added to what it holds. Raises AbcdError where that cannot be."""
    scope = document.corpus.scope
    if normalize("NFC", os.path.relpath(document.path, scope.store)) != document.file:
        raise AbcdError(
            f"{scope.display('memory/' + document.file)} is a symbolic link; nothing was written",
            "edit the page that it leads to",
        )
    return add_keywords(document.file, data, keywords)


def _usable(spelled: str, known: Set[str]) -> bool:
    return bool(entries(spelled)) and not weakness(spelled) and normal_form(spelled) not in known
