"""The pages and rules that a prompt's keywords surface, best first.

Prompt path, loaded only when a keyword matched. Two steps, so that a keyword that thousands of pages share
costs a few dozen records: candidates are chosen by their keywords alone (specific beats generic), then those
few are ranked by their keywords and the BM25F of their text together. Every figure stays on the candidate.
"""

from abcd_index.agenthooks.evidence import distinct
from abcd_index.agenthooks.match import ALIKE, APART, DECLARED
from abcd_index.agenthooks.prompt import PASTED
from abcd_index.artefact.bm25f import Query
from abcd_index.artefact.format import checksum
from abcd_index.artefact.ranking import idf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from abcd_index.agenthooks.evidence import Evidence, Found
    from abcd_index.agenthooks.ledger import Ledger
    from abcd_index.agenthooks.match import Exclusions, Hit
    from abcd_index.agenthooks.prompt import Prompt
    from abcd_index.artefact.format import Record
    from abcd_index.artefact.reader import Artefact
    from abcd_index.scopes import Scope

# Candidates that are ranked in full, over all scopes.
MOST = 24
# Records that are read to find them: seen and excluded pages do not use up the places of others.
MOST_READ = 4 * MOST
# A phrase says more than a word: what each further word of a keyword adds, and how many of them count.
PHRASE = 0.5
LONGEST_PHRASE = 4
# A keyword was chosen by a person for this page, a word of the text was not.
KEYWORD_SHARE = 3.0
# A keyword that at most one page in so many has is rare.
RARE = 50
# What pasted keywords must amount to before their page comes whole, see `only_pasted`.
ENOUGH = 4
# A file's name counts as typed for a keyword of so many pages.
NAMED = 3
ONLY_PASTED = "its keywords are only in pasted text"
# Words of a keyword that a prompt is about that was pasted whole.
ERROR = 3
# Why weaker evidence than a keyword brings a line at most.
WEAKER = {
    DECLARED: "its text brought it",
    APART: "the words of its keyword are apart",
    ALIKE: "the prompt has another name for its keyword",
}


class Source:
    """One scope's part in a prompt. ``hits``: the keywords that count here. ``order``: its place from narrow
    to wide. ``total``: pages of all scopes together, so that rarity in a small scope and in a large one can be
    compared. ``evidence``: what the typed words say of its pages, None where the settings want the keywords alone."""

    __slots__ = ("scope", "artefact", "hits", "order", "total", "evidence")

    def __init__(  # what it is made of; nothing else is decided here
        self,
        scope: "Scope",
        artefact: "Artefact",
        hits: "list[Hit]",
        order: int,
        total: int,
        evidence: "Evidence | None",
    ) -> None:
        self.evidence = evidence
        self.scope = scope
        self.artefact = artefact
        self.hits = hits
        self.order = order
        self.total = total


class Candidate:
    """A page that matched, with every figure that decides about it.

    ``hits``: its Hits in the order of the prompt; ``words``: their keywords as the page spells them. ``keyword``:
    what the keywords say of it, ``text``: BM25F of its text, ``total``: both. ``support``: what the typed words say
    of it without the keywords, 0 where none was asked for. ``found``: what brought it where no keyword did. ``seen``:
    the form that the session has had, 0 for none, and ``seen_at`` its prompt. ``newer``: the page that speaks against
    this one. ``only_line``: why it comes as a line at most, or ''. ``state``: see ``freshness``. ``form`` and ``why``:
    the verdict.
    """

    __slots__ = (
        "source",
        "page",
        "hits",
        "keyword",
        "text",
        "total",
        "record",
        "signature",
        "seen",
        "seen_at",
        "newer",
        "support",
        "found",
        "only_line",
        "state",
        "form",
        "why",
    )

    def __init__(self, source: "Source", page: int, keyword: float) -> None:
        self.source = source
        self.page = page
        self.hits = [hit for hit in source.hits if _holds(hit.pages, page)]
        self.keyword = keyword
        self.text = self.total = 0.0
        # Filled in before anything else is asked of a candidate.
        self.record: Record = {}
        self.signature = ""
        self.seen = self.seen_at = 0
        self.newer = ""
        self.support = 0.0
        self.found: Found | None = None
        self.only_line = ""
        self.state = ""
        self.form = "none"
        self.why = ""

    @property
    def words(self) -> "list[str]":
        """The keywords that matched, as the page first spells them; "text" where none did."""
        recall = self.record["recall"]
        hits = self.hits or (self.found.hits if self.found is not None else [])
        return [recall.get(hit.normal, hit.normal) for hit in hits] or ["text"]

    @property
    def path(self) -> str:
        """The page's file as a reader would open it."""
        file: str = self.record["file"]
        return self.source.scope.shown + file


def figure(hit: "Hit", total: int) -> float:
    """What a keyword says of its pages; ``total``: pages of all scopes."""
    return hit.weight * idf(total, len(hit.pages)) * (1 + PHRASE * (min(hit.length, LONGEST_PHRASE) - 1))


def signature(source: "Source", part: str, number: int, name: str) -> str:
    """What the ledger knows a page or a domain by: scope, name and content, one word of ASCII."""
    stamp = source.artefact.stamp(part, number).decode("ascii", "replace").strip()
    return "%s%x.%s" % (source.scope.name[0], checksum(name.encode("utf-8", "surrogatepass")), stamp)


def candidates(
    prompt: "Prompt",
    sources: "list[Source]",
    ledger: "Ledger | None",
    excluded: "Callable[[Prompt, Exclusions], str]",
    full: int,
    explain: bool = False,
) -> "tuple[list[Candidate], list[Candidate], int]":
    """(the best candidates in order, passed over, more): what a prompt's keywords surface.

    ``full``: the form that leaves nothing more to send. Passed over are candidates that were seen, are
    excluded or (with ``explain``) beyond the best; ``more`` counts those beyond.
    """
    taken: list[Candidate] = []
    passed: list[Candidate] = []
    pool = sorted(_pool(sources, len(ledger.seen) if ledger else 0))
    at = 0
    for _, order, page, keyword in pool[:MOST_READ]:
        if len(taken) == MOST:
            break
        at += 1
        candidate = Candidate(sources[order], page, keyword)
        if _open(candidate, prompt, ledger, excluded, full):
            taken.append(candidate)
        else:
            passed.append(candidate)
    if explain:
        for _, order, page, keyword in pool[at : at + MOST]:
            candidate = Candidate(sources[order], page, keyword)
            candidate.record = candidate.source.artefact.record(page)
            candidate.total = KEYWORD_SHARE * keyword
            candidate.why = "beyond the best %d by its keywords" % MOST
            passed.append(candidate)
    more, nearly = _without_keyword(sources, taken + passed, explain)
    for candidate in more:
        (taken if _open(candidate, prompt, ledger, excluded, full) else passed).append(candidate)
    for candidate in nearly:
        candidate.record = candidate.source.artefact.record(candidate.page)
        candidate.why = "its text does not say enough of the prompt"
        passed.append(candidate)
    _rank(prompt, taken, explain)
    taken = [candidate for candidate in taken if not _leave_out(candidate, taken, passed)]
    return taken, passed, _all(sources) - at


def _without_keyword(
    sources: "list[Source]", known: "list[Candidate]", explain: bool
) -> "tuple[list[Candidate], list[Candidate]]":
    """(the pages that weaker evidence than a keyword brings, those that it nearly brought). Those of a wider scope
    yield to what a narrower one declares, and nothing comes beside a page that comes whole, unless ``explain``."""
    narrowest = min([candidate.source.order for candidate in known] or [len(sources)])
    here = {(candidate.source.order, candidate.page) for candidate in known}
    taken: list[Candidate] = []
    passed: list[Candidate] = []
    if any([not candidate.only_line for candidate in known]):
        return taken, passed
    for source in sources:
        if source.evidence is None or source.order > narrowest:
            continue
        for found in source.evidence.found():
            if (source.order, found.page) not in here and (found.enough or explain):
                candidate = Candidate(source, found.page, 0.0)
                candidate.found, candidate.support = found, found.figure
                (taken if found.enough else passed).append(candidate)
    return taken, passed


def _pool(sources: "list[Source]", seen: int) -> "Iterator[tuple[float, int, int, float]]":
    """(-figure, order of the scope, page, figure) of the pages that may be among the best."""
    most = MOST_READ + seen
    for source in sources:
        found: dict[int, float] = {}
        counted: dict[str, list[int]] = {}
        for hit in sorted([hit for hit in source.hits if hit.pages], key=lambda hit: len(hit.pages)):
            worth = figure(hit, source.total)
            if len(hit.pages) <= most:
                # A word and its plural, both of a page, count once.
                before = counted.setdefault(hit.seen, [])
                for page in hit.pages:
                    if not before or page not in before:
                        found[page] = found.get(page, 0.0) + worth
                counted[hit.seen] = before + hit.pages if before else hit.pages
                continue
            # A keyword of thousands of pages: it counts for those that are there, and adds a few of its own.
            holding = set(hit.pages)
            for page in found:
                if page in holding:
                    found[page] += worth
            for page in hit.pages[:most]:
                if len(found) >= most:
                    break
                found.setdefault(page, worth)
        for page, worth in found.items():
            yield -round(worth, 9), source.order, page, worth


def _all(sources: "list[Source]") -> int:
    """How many pages match at all."""
    count = 0
    for source in sources:
        lists = [hit.pages for hit in source.hits if hit.pages]
        count += len(lists[0]) if len(lists) == 1 else len(set().union(*lists))
    return count


def _open(
    candidate: "Candidate",
    prompt: "Prompt",
    ledger: "Ledger | None",
    excluded: "Callable[[Prompt, Exclusions], str]",
    full: int,
) -> bool:
    """Read the candidate's record. False when the page cannot come at all; ``why`` then says so."""
    artefact = candidate.source.artefact
    candidate.record = record = artefact.record(candidate.page)
    candidate.signature = signature(candidate.source, "bodies", candidate.page, record["file"])
    if ledger is not None and candidate.signature in ledger.seen:
        candidate.seen, candidate.seen_at = ledger.seen[candidate.signature]
        if candidate.seen >= full:
            ago = ledger.prompts - candidate.seen_at
            candidate.why = "the session has it already, since %d prompt%s ago" % (ago, "" if ago == 1 else "s")
            return False
    word = excluded(prompt, record["exclude"]) if record["exclude"] else ""
    if word:
        candidate.why = candidate.only_line = "the prompt says %r, which the page excludes" % word
        return False
    candidate.newer = artefact.newer(record["file"])
    candidate.only_line = _only_line(candidate, prompt)
    return True


def _leave_out(candidate: "Candidate", taken: "list[Candidate]", passed: "list[Candidate]") -> bool:
    """Whether a page that only a paste brings does not come: too little of it was pasted, or a better one comes."""
    evidence = candidate.source.evidence
    if candidate.only_line != ONLY_PASTED or evidence is None or not evidence.supports:
        return False
    if distinct(candidate.hits) < 2 and not evidence.rare(candidate.hits):
        candidate.why = "one keyword that is not rare is all that was pasted of it"
    elif any([other.only_line == ONLY_PASTED and other not in passed for other in taken[: taken.index(candidate)]]):
        candidate.why = "a paste brings one line at most"
    else:
        return False
    passed.append(candidate)
    return True


def _only_line(candidate: "Candidate", prompt: "Prompt") -> str:
    """Why the page comes as a line at most, or ''."""
    hits, evidence = candidate.hits, candidate.source.evidence
    if candidate.found is not None:
        return WEAKER[candidate.found.hits[0].kind if candidate.found.hits else DECLARED]
    typed = [hit for hit in hits if hit.zone != PASTED or _is_named(hit, prompt)]
    if not typed and is_only_pasted(hits, candidate.source.total):
        # A prompt that is nothing but an error which holds a phrase is about the page that declares it.
        if not prompt.typed.strip() and any([hit.length >= ERROR for hit in hits]):
            return ""
        return ONLY_PASTED
    if evidence is None or not evidence.supports or not typed:
        return ""
    why, candidate.support = evidence.against(candidate.record, typed)
    return why


def _is_named(hit: "Hit", prompt: "Prompt") -> bool:
    """Whether a keyword of few pages is the name of a file that was typed: that speaks of it as a word does."""
    return len(hit.pages) <= NAMED and prompt.named(hit.seen)


def is_only_pasted(hits: "list[Hit]", total: int) -> bool:
    """Whether a page's keywords were all pasted, and are too few and too common to bring it whole.

    Each counts one, and one more if it is a phrase, and one more if it is rare.
    """
    strength = 0
    for hit in hits:
        if hit.zone != PASTED:
            return False
        strength += 1 + (hit.length > 1) + (len(hit.pages) * RARE <= total)
    return len(hits) < 2 or strength < ENOUGH


def _rank(prompt: "Prompt", taken: "list[Candidate]", explain: bool) -> None:
    """Give the candidates their figures and put them in order."""
    queries: dict[int, Query] = {}
    stems = prompt.stems() if len(taken) > 1 or explain else None
    for candidate in taken:
        source = candidate.source
        if stems is not None:
            query = queries.get(source.order)
            if query is None:
                query = queries[source.order] = Query(source.artefact, stems)
            candidate.text = query.score(candidate.record)
        candidate.total = round(KEYWORD_SHARE * candidate.keyword + candidate.text, 6)
    newest = {(c.source.order, c.record["file"]): c for c in taken}
    for candidate in taken:
        newer = newest.get((candidate.source.order, candidate.newer))
        if newer is not None and newer.total <= candidate.total:
            # What was said later ranks above what it speaks against.
            candidate.total = newer.total - 0.000001
    taken.sort(key=lambda c: (c.found is not None, -c.total, c.source.order, c.record["file"]))


def explain_text(prompt: "Prompt", candidate: "Candidate") -> "list[tuple[str, float, float]]":
    """The addends of the candidate's text figure: [(stem, from the text, from the title)]."""
    return Query(candidate.source.artefact, prompt.stems()).explain(candidate.record)


def _holds(pages: "list[int]", page: int) -> bool:
    """Whether an ascending list of ordinals holds ``page``."""
    low, high = 0, len(pages)
    while low < high:
        middle = (low + high) // 2
        if pages[middle] < page:
            low = middle + 1
        else:
            high = middle
    return low < len(pages) and pages[low] == page
