"""Suggests `recall` keywords for a page: the words and pairs of words that set it apart in its store.

A suggestion's worth is what the ranking gives it: how much its terms weigh in this page times how rare they are
in the others (``artefact.ranking``). What each would surface beside the page is asked of the matcher itself, with
the keyword as the prompt.
"""

from __future__ import annotations

import os
import re
from typing import Any, Dict, Iterator, List, NamedTuple, Set, Tuple
from unicodedata import normalize

from abcd_index.agenthooks.match import match
from abcd_index.agenthooks.prompt import Prompt
from abcd_index.artefact.ranking import Query
from abcd_index.errors import AbcdError
from abcd_index.search.corpus import Corpus, Document
from abcd_index.store.edit import add_keywords
from abcd_index.store.links import Links
from abcd_index.store.markdown import Lines
from abcd_index.store.read import read_store
from abcd_index.text.patterns import entries, normal_form, weakness
from abcd_index.text.porter import STOP, analyse

# Of a store this large a keyword's word may be in this share of the pages before it says too little.
COMMON_SHARE = 0.15
FEW = 3
_HEADINGS = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_WORD = re.compile(r"[^\W_](?:[\w'.+#-]*[\w+#])?")
_LINKS = re.compile(r"\]\([^)]*\)|https?://\S+|\[\[|\]\]")
_JOINT = re.compile(r"[ \t]+|-")


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
        return "has no keywords: no prompt ever brings it"
    reasons = [(keyword, weakness(keyword)) for keyword in keywords]
    if all(reason for _, reason in reasons):
        return "has only weak keywords: " + "; ".join(f"{keyword} {reason}" for keyword, reason in reasons)
    return ""


def suggest(document: Document, limit: int = 5) -> List[Suggestion]:
    """The best Suggestions for a page, at most ``limit``."""
    record = document.record
    scored = []
    for stems, (spelled, where, times) in _found(document).items():
        worth, pages = _worth(document, stems, times, where)
        if worth > 0:
            scored.append(Suggestion(spelled, worth, where, times, pages))
    known = {normal_form(keyword) for keyword in record["recall"].values()}
    # A file's whole name is what nobody types.
    known |= {normal_form(name) for name in (record["name"], record["title"]) if name.count("-") + name.count("_") > 1}
    scored = [one for one in scored if _usable(one.keyword, known)]
    scored.sort(key=lambda one: (-one.worth, one.keyword))
    return _best(document, scored, limit)


def with_keywords(document: Document, data: bytes, keywords: List[str]) -> bytes:
    """A page's file with keywords added to what it holds. Raises AbcdError where that cannot be."""
    scope = document.corpus.scope
    if normalize("NFC", os.path.relpath(document.path, scope.store)) != document.file:
        raise AbcdError(
            f"{scope.display('memory/' + document.file)} is a symbolic link; nothing was written",
            "edit the page that it leads to",
        )
    return add_keywords(document.file, data, keywords)


def _found(document: Document) -> Dict[Tuple[str, ...], Tuple[str, str, int]]:
    """{stems: (spelling, where it stands first, how often)} of the words and pairs of a page."""
    text = _LINKS.sub(" ", "\n".join(line for _, line in Lines(document.body).visible()))
    parts = [("title", document.record["title"]), ("description", document.description)]
    parts += [("heading", heading) for heading in _HEADINGS.findall(text)] + [("text", _HEADINGS.sub("", text))]
    found: Dict[Tuple[str, ...], Tuple[str, str, int]] = {}
    for where, part in parts:
        for spelled in _candidates(part):
            stems = tuple(analyse(spelled))
            first, place, times = found.get(stems, (_small(spelled), where, 0))
            found[stems] = (first, place, times + 1)
    return found


def _candidates(text: str) -> Iterator[str]:
    """Words, and pairs of neighbours with nothing but a blank or hyphen in between."""
    words = list(_WORD.finditer(text))
    for word in words:
        if not _silent(word[0]):
            yield word[0]
    for word, after in zip(words, words[1:]):
        if (
            _JOINT.fullmatch(text, word.end(), after.start())
            and min(len(word[0]), len(after[0])) > 2
            and not _silent(word[0])
            and not _silent(after[0])
        ):
            yield f"{word[0]} {after[0]}"


def _silent(word: str) -> bool:
    return word.lower() in STOP or len(word) < 2 or not any(char.isalpha() for char in word)


def _worth(document: Document, stems: Tuple[str, ...], times: int, where: str) -> Tuple[float, int]:
    """(worth, pages whose text may hold all stems). A pair has to be said twice or stand in a heading to count."""
    artefact = document.corpus.artefact
    if not stems or len(stems) > 3 or (len(stems) > 1 and times < 2 and where not in ("title", "heading")):
        return 0.0, 0
    rows = Query(artefact, dict.fromkeys(stems, 1.0)).explain(document.record)
    weights = {stem: text + title for stem, text, title in rows if " " not in stem}
    if len(weights) < len(set(stems)):
        return 0.0, 0
    pages = min(artefact.term(stem)[0] for stem in stems)
    if len(stems) == 1 and pages > max(FEW, artefact.pages * COMMON_SHARE):
        return 0.0, 0
    # A pair is as telling as its rarer word and a little more, since it needs both.
    most, least = max(weights.values()), min(weights.values())
    worth = most if len(weights) == 1 else most * 0.8 + least * 0.4
    return worth, pages


def _usable(spelled: str, known: Set[str]) -> bool:
    return bool(entries(spelled)) and not weakness(spelled) and normal_form(spelled) not in known


def _best(document: Document, scored: List[Suggestion], limit: int) -> List[Suggestion]:
    """The best, without those that only repeat a better one, or that the page's keywords answer to already."""
    best: List[Suggestion] = []
    taken: List[Set[str]] = []
    artefact = document.corpus.artefact
    for one in scored:
        stems = set(analyse(one.keyword))
        if len(best) == limit:
            break
        if any(stems <= other or other <= stems for other in taken):
            continue
        # What else a prompt of just this keyword brings today.
        pages = {page for hit in match(Prompt(one.keyword), artefact.keyword) for page in hit.pages}
        if document.number not in pages:
            best.append(one._replace(also_surfaces=tuple(artefact.record(page)["file"] for page in sorted(pages))))
            taken.append(stems)
    return best


def _small(spelled: str) -> str:
    """A spelling without the capitals of a heading; those of a name or an acronym stay."""
    return " ".join(word.lower() if word.istitle() else word for word in spelled.split(" "))
