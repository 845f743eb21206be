"""Suggests `recall` keywords for a page: the words and pairs of words that set it apart in its store.

A suggestion's worth is what the ranking gives it: how much its terms weigh in this page times how rare they are
in the others (``artefact.ranking``). What each would surface beside the page is asked of the matcher itself, with
the keyword as the prompt.
"""

import re

from abcd_index.agenthooks.match import match
from abcd_index.agenthooks.prompt import Prompt
from abcd_index.artefact.ranking import Query
from abcd_index.store.markdown import Lines
from abcd_index.text.patterns import entries, normal_form, weakness
from abcd_index.text.porter import STOP, analyse

# Of a store this large a keyword's word may be in this share of the pages before it says too little.
COMMON_SHARE = 0.15
FEW = 3
_HEADINGS = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_WORD = re.compile(r"[^\W_](?:[\w'.+#-]*[\w+#])?")
_LINKS = re.compile(r"\]\([^)]*\)|https?://\S+|\[\[|\]\]")
_JOINT = re.compile(r"[ \t]+|-")


class Suggestion:
    """``keyword``; ``worth``; ``where``: title, description, heading, text; ``times`` in the page; ``pages`` whose
    text holds all its words; ``also``: file names that it would surface beside the page."""

    __slots__ = ("keyword", "worth", "where", "times", "pages", "also")

    def __init__(self, keyword, worth, where, times, pages, also):
        self.keyword = keyword
        self.worth = worth
        self.where = where
        self.times = times
        self.pages = pages
        self.also = also


def wanting(entry):
    """Why a page wants keywords, as the end of a sentence; '' when it has some that are not weak."""
    keywords = list(entry.record["recall"].values())
    if not keywords:
        return "has no keywords: no prompt ever brings it"
    reasons = [(keyword, weakness(keyword)) for keyword in keywords]
    if all(reason for _, reason in reasons):
        return "has only weak keywords: " + "; ".join(f"{keyword} {reason}" for keyword, reason in reasons)
    return ""


def suggest(entry, limit=5):
    """The best Suggestions for a page (an Entry), at most ``limit``."""
    record = entry.record
    places = [("title", record["title"]), ("description", entry.description)]
    text = _LINKS.sub(" ", "\n".join(line for _, line in Lines(entry.body).visible()))
    places += [("heading", heading) for heading in _HEADINGS.findall(text)] + [("text", _HEADINGS.sub("", text))]
    found = {}
    for where, part in places:
        for spelled in _candidates(part):
            row = found.setdefault(tuple(analyse(spelled)), [_small(spelled), where, 0])
            row[2] += 1
    known = {normal_form(keyword) for keyword in record["recall"].values()}
    # A file's whole name is what nobody types.
    known |= {normal_form(name) for name in (record["name"], record["title"]) if name.count("-") + name.count("_") > 1}
    scored = []
    for stems, (spelled, where, times) in found.items():
        worth, pages = _worth(entry, stems, times, where)
        if worth > 0 and _usable(spelled, known):
            scored.append(Suggestion(spelled, worth, where, times, pages, ()))
    scored.sort(key=lambda one: (-one.worth, one.keyword))
    return _chosen(entry, scored, limit)


def _candidates(text):
    """Words, and pairs of neighbours with nothing but a blank or hyphen in between."""
    words = list(_WORD.finditer(text))
    for word in words:
        if not _silent(word[0]):
            yield word[0]
    for word, after in zip(words, words[1:]):
        if (_JOINT.fullmatch(text, word.end(), after.start()) and min(len(word[0]), len(after[0])) > 2
                and not _silent(word[0]) and not _silent(after[0])):
            yield f"{word[0]} {after[0]}"


def _silent(word):
    return word.lower() in STOP or len(word) < 2 or not any(char.isalpha() for char in word)


def _worth(entry, stems, times, where):
    """(worth, pages whose text may hold all stems). A pair has to be said twice or stand in a heading to count."""
    artefact, record = entry.shelf.artefact, entry.record
    if not stems or len(stems) > 3 or (len(stems) > 1 and times < 2 and where not in ("title", "heading")):
        return 0.0, 0
    rows = Query(artefact, dict.fromkeys(stems, 1.0)).explain(record)
    said = {stem: text + title for stem, text, title in rows if " " not in stem}
    if len(said) < len(set(stems)):
        return 0.0, 0
    pages = min(artefact.term(stem)[0] for stem in stems)
    if len(stems) == 1 and pages > max(FEW, artefact.pages * COMMON_SHARE):
        return 0.0, 0
    # A pair is as telling as its rarer word and a little more, since it needs both.
    worth = max(said.values()) if len(said) == 1 else max(said.values()) * 0.8 + min(said.values()) * 0.4
    return worth, pages


def _usable(spelled, known):
    return bool(entries(spelled)) and not weakness(spelled) and normal_form(spelled) not in known


def _chosen(entry, scored, limit):
    """The best, without those that only repeat a better one, or that the page's keywords answer to already."""
    chosen, taken = [], []
    for one in scored:
        stems = set(analyse(one.keyword))
        if len(chosen) == limit:
            break
        if any(stems <= other or other <= stems for other in taken):
            continue
        pages = {page for hit in match(Prompt(one.keyword), entry.shelf.artefact.keyword) for page in hit.pages}
        if entry.number in pages:
            continue
        # What else a prompt of just this keyword brings today.
        one.also = tuple(entry.shelf.artefact.record(page)["file"] for page in sorted(pages))
        chosen.append(one)
        taken.append(stems)
    return chosen


def _small(spelled):
    """A spelling without the capitals of a heading; those of a name or an acronym stay."""
    return " ".join(word.lower() if word.istitle() else word for word in spelled.split(" "))
