"""What a prompt's typed words say of the pages that no declared keyword brings, and whether one was meant.

Prompt path. Three weaker kinds of evidence, each worth a line: the words of a declared phrase apart, the other name of
an abbreviation, and the text of a page. Only what was typed counts. The figure of a page is how much it says of the
prompt's words, over how many of them it does not say at all:

    sum of w (level + TITLE where the title says it) / (1 + MISSING * sum of w of the words that the page lacks)

with w = idf / idf of a word of one page, a share of what the rarest word has, so that one threshold holds for a
store of twenty pages and of a hundred thousand; a word that people say all day weighs less. How the numbers were found:
``docs/explanation/matching.md``.
"""

from abcd_index.agenthooks.match import ALIKE, APART, INFLECTED, Hit, run_at, spelled
from abcd_index.agenthooks.prompt import JOINED, PART, TYPED
from abcd_index.artefact.ranking import ROW_END, fingerprint, idf, level_of
from abcd_index.text.everyday import is_chore, is_everyday, other_names
from abcd_index.text.porter import analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from abcd_index.agenthooks.prompt import Prompt
    from abcd_index.artefact.format import Posting, Record
    from abcd_index.artefact.reader import Artefact

    # Where a term is in a page's weights: ``ranking.fingerprint``.
    Where = tuple[int, str, str, str]

    # A key and what is found under it: ``Artefact.keywords``.
    Postings = tuple[str, list[Posting]]

# Where a term is that no page says.
NOWHERE: "Where" = (0, "", "", "")

# The least figure that brings a page by its text alone; it has to say so many of the prompt's words.
THRESHOLD, LEAST_WORDS = 0.72, 2
# The least figure that tells that a keyword was meant.
SUPPORT = 0.38
# So many other words that say what a prompt is about, and hardly any of them the page's, are another subject.
TELLING = 2
# What an everyday word weighs, as a share of another as rare.
EVERYDAY_SHARE = 0.65
# What a word adds that the title says, and what one takes off that the page does not say.
TITLE, MISSING = 0.4, 0.2
# So many lines may come: of the pages that are nearly as good as the best.
MOST, NEAR = 3, 0.85
# Pages of which the record is read: what their rare words weigh together is at least this, and at least this share of
# the best one's.
MOST_READ, LEAST_LISTED, NEAR_LISTED = 6, 0.44, 0.5
# A keyword of which a word is in the text of so many pages at most is rare.
RARE = 4
# A keyword says little where more than this share of the pages say it; a store of fewer pages is too small to tell.
MANY, TELLING_STORE = 0.2, 20


class Found:
    """A page with evidence. ``figure``: of its text; ``held``: the prompt's stems that it says; ``hits``: keywords that
    it nearly declares; ``enough``: whether that brings its line."""

    __slots__ = ("page", "figure", "held", "hits", "enough")

    def __init__(self, page: int, figure: float, held: "list[str]", hits: "list[Hit]") -> None:
        self.page = page
        self.figure = figure
        self.held = held
        self.hits = hits
        self.enough = False


class Evidence:
    """A prompt's typed words against one artefact. ``postings``: what its words are keys of there; ``wanted``: the
    settings ``match``."""

    __slots__ = ("supports", "_brings", "_artefact", "_prompt", "_postings", "_stems", "_terms", "_listed", "_found")

    def __init__(
        self, artefact: "Artefact", prompt: "Prompt", postings: "Iterable[Postings]", wanted: "dict[str, str]"
    ) -> None:
        self.supports = wanted["generic"] == "support"
        self._brings = wanted["text"] == "line"
        self._artefact = artefact
        self._prompt = prompt
        self._postings = postings
        self._stems = prompt.typed_stems()
        # (stem, where it is in a page's weights, its weight, whether a page holds it); read when first asked for.
        self._terms: list[tuple[str, Where, float, bool]] | None = None
        self._listed: dict[int, float] = {}
        self._found: list[Found] | None = None

    def found(self) -> "list[Found]":
        """The pages that come near enough to be looked at, best first."""
        if self._found is None:
            self._found = self._look() if self._brings and self._artefact.pages else []
        return self._found

    def brings(self) -> bool:
        """Whether a page comes by it."""
        return any([found.enough for found in self.found()])

    def figure(self, record: "Record", own: "Collection[str]" = ()) -> "tuple[float, list[str]]":
        """(the figure of a page, the stems that it says), without the stems in ``own``."""
        weights, titles = record["weights"].split(ROW_END), record["titles"].split(ROW_END)
        total = missing = 0.0
        held = []
        for stem, where, weight, said in self._read():
            if stem in own:
                continue
            level = level_of(weights, where) if said else 0.0
            if level:
                held.append(stem)
                total += weight * (level + (TITLE if level_of(titles, where) else 0.0))
            else:
                missing += weight
        return total / (1 + MISSING * missing), held

    def against(self, record: "Record", hits: "list[Hit]") -> "tuple[str, float]":
        """(why the page of ``record`` comes as a line though ``hits`` of its keywords are typed, or ''; the support of
        the prompt's other words, 0.0 where none was asked for)."""
        own = stems_of(hits)
        phrase = any([hit.length > 1 for hit in hits])
        if self._generic(hits, own, phrase):
            why = "its keyword says little by itself, and no other word speaks for it"
        elif distinct(hits) == 1 and not phrase and self.telling(own) >= TELLING:
            why = "one keyword is all, and the prompt's other words are none of the page's"
        else:
            return "", 0.0
        support, _ = self.figure(record, own)
        return "" if support >= SUPPORT else why, support

    def telling(self, own: "Collection[str]") -> int:
        """How many of the prompt's words, but for ``own``, say what it is about."""
        return sum([stem not in own for stem in self._stems])

    def rare(self, hits: "list[Hit]") -> bool:
        """Whether hardly a page says all words of one of these keywords."""
        least = [min([self._artefact.term(stem)[0] for stem in stems_of([hit])] or [0]) for hit in hits]
        return min(least) <= RARE

    def _generic(self, hits: "list[Hit]", own: "Collection[str]", phrase: bool) -> bool:
        """Whether keywords tell their page from no other: people say their words of anything, or each is one word and
        stands in many of the store's pages."""
        if all([is_chore(word) for hit in hits for word in hit.normal.split()]):
            return True
        pages = self._artefact.pages
        if phrase or pages < TELLING_STORE or distinct(hits) > 1:
            return False
        return all([self._artefact.term(stem)[0] > MANY * pages for stem in own if stem in self._stems])

    def _read(self) -> "list[tuple[str, Where, float, bool]]":
        """Look the prompt's words up in the store, once."""
        if self._terms is not None:
            return self._terms
        artefact, self._terms = self._artefact, []
        rarest = idf(artefact.pages, 1)
        for stem in self._stems:
            holding, _, listed = artefact.term(stem)
            weight = EVERYDAY_SHARE if is_everyday(stem) else 1.0
            if not holding:
                self._terms.append((stem, NOWHERE, weight, False))
                continue
            weight *= idf(artefact.pages, holding) / rarest
            self._terms.append((stem, fingerprint(stem), weight, True))
            for page in listed:
                self._listed[page] = self._listed.get(page, 0.0) + weight
        return self._terms

    def _look(self) -> "list[Found]":
        nearly: dict[int, list[Hit]] = {}
        for hit in match_nearly(self._prompt, self._artefact, self._postings):
            for page in hit.pages[:MOST_READ]:
                nearly.setdefault(page, []).append(hit)
        pages = self._likely()
        looked_at = []
        for page in [*pages, *[page for page in nearly if page not in pages]]:
            figure, held = self.figure(self._artefact.record(page))
            looked_at.append(Found(page, figure, held, nearly.get(page, [])))
        looked_at.sort(key=lambda found: (-found.figure, found.page))
        return self._chosen(looked_at)

    def _likely(self) -> "list[int]":
        """The pages that hold one of the prompt's rare words, those with the most of them first."""
        self._read()
        listed = self._listed
        least = max(LEAST_LISTED, NEAR_LISTED * max(listed.values())) if listed else 0.0
        likely = [page for page in listed if listed[page] >= least]
        return sorted(likely, key=lambda page: (-listed[page], page))[:MOST_READ]

    def _chosen(self, looked_at: "list[Found]") -> "list[Found]":
        least, lines = THRESHOLD, 0
        for found in looked_at:
            if found.hits:
                own = {*stems_of(found.hits), *found.held}
                found.enough = found.figure >= SUPPORT or self.telling(own) < TELLING
            elif found.figure >= least and len(found.held) >= LEAST_WORDS:
                found.enough = True
                least = max(least, NEAR * found.figure)
            found.enough = found.enough and lines < MOST
            lines += found.enough
        return looked_at


def stems_of(hits: "Iterable[Hit]") -> "set[str]":
    """The ranking terms of keywords, as they are declared and as the prompt spells them."""
    return {stem for hit in hits for stem in analyse(hit.normal + " " + hit.seen)}


def distinct(hits: "list[Hit]") -> int:
    """How many of the keywords are different words; a word and its plural are one."""
    return len({" ".join(sorted(stems_of([hit]))) for hit in hits})


def match_nearly(prompt: "Prompt", artefact: "Artefact", found: "Iterable[Postings]") -> "list[Hit]":
    """The keywords of pages that are typed, but not as they are declared: the words of a phrase apart or out of order,
    the other name of an abbreviation. ``found``: the keys that the prompt's words are, with their postings."""
    hits: dict[str, Hit] = {}
    for _, postings in found:
        for entry, pages, _ in postings:
            normal = entry[0]
            if pages and normal.count(" ") + 1 == len(entry) > 1 and _all_typed(prompt, normal):
                hits[normal] = Hit(normal, INFLECTED, TYPED, len(entry), pages, [], normal)
                hits[normal].kind = APART
    others = _other_names(prompt)
    for key, postings in artefact.keywords(others) if others else ():
        other, said = others[key]
        for entry, pages, _ in postings:
            if pages and entry[0] == other:
                hits[other] = Hit(other, INFLECTED, TYPED, len(entry), pages, [], said)
                hits[other].kind = ALIKE
    return list(hits.values())


def _all_typed(prompt: "Prompt", phrase: str) -> bool:
    """Whether each word of a phrase is typed, wherever."""
    tokens = [token for token in prompt.tokens if token is not None and token[2] in (TYPED, PART, JOINED)]
    return all([any([spelled(word, exact, one) for word, exact, _ in tokens]) for one in phrase.split()])


def _other_names(prompt: "Prompt") -> "dict[str, tuple[str, str]]":
    """{key: (the other name, as the prompt says it)} of the typed abbreviations, and of what they stand for."""
    found = {}
    for word, places in prompt.words.items():
        for name, other in other_names(word) if places else ():
            if " " not in name or run_at(prompt.tokens, places[0], word, [name, *name.split()[1:]]):
                found[other.split()[0]] = (other, name)
    return found
