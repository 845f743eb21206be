"""What a prompt's typed words say of the pages that no declared keyword brings, and whether one was meant.

Prompt path. Three weaker kinds of evidence, each worth a line: the words of a declared phrase apart, the other name of
an abbreviation, and the text of a page. Only what was typed counts. The figure of a page is how much it says of the
prompt's words, over how many of them it does not say at all:

    sum of w (level + TITLE where the title says it) / (1 + MISSING * sum of w of the words that the page lacks)

with w = min(1, idf / ln(pages + 1)), a share of what the rarest word could have, so that one threshold holds for a
store of twenty pages and of a hundred thousand; a word that people say all day weighs less. How the numbers were found:
``docs/explanation/matching.md``.
"""

from abcd_index.agenthooks.match import ALIKE, APART, INFLECTED, Hit, run_at, spelled
from abcd_index.agenthooks.prompt import JOINED, PART, TYPED
from abcd_index.artefact.ranking import ROW_END, fingerprint, idf, level_of, ln
from abcd_index.text.everyday import ABBREVIATIONS, CHORES, EVERYDAY
from abcd_index.text.porter import analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from abcd_index.agenthooks.prompt import Prompt
    from abcd_index.artefact.format import Record
    from abcd_index.artefact.reader import Artefact

    # Where a term is in a page's weights: ``ranking.fingerprint``.
    Where = tuple[int, str, str, str]

# The least figure that brings a page by its text alone; it has to say so many of the prompt's words.
THRESHOLD, LEAST_WORDS = 0.7, 2
# The least figure that tells that a keyword was meant.
SUPPORT = 0.35
# So many other words that say what a prompt is about, and none of them the page's, are another subject.
TELLING = 2
# What an everyday word weighs, as a share of another as rare.
EVERYDAY_SHARE = 0.65
# What a word adds that the title says, and what one takes off that the page does not say.
TITLE, MISSING = 0.4, 0.2
# Pages of which the record is read, and the lines that may come of them: those nearly as good as the best.
MOST_READ, MOST, NEAR = 12, 3, 0.85
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
    """A prompt's typed words against one artefact. ``wanted``: the settings ``match``."""

    __slots__ = ("supports", "_artefact", "_prompt", "_terms", "_listed", "_brings", "_found")

    def __init__(self, artefact: "Artefact", prompt: "Prompt", wanted: "dict[str, str]") -> None:
        self.supports = wanted["generic"] == "support"
        self._brings = wanted["text"] == "line"
        self._artefact = artefact
        self._prompt = prompt
        self._found: list[Found] | None = None
        # (stem, where it is in a page's weights, its weight, how many pages hold it)
        self._terms: list[tuple[str, Where, float, int]] = []
        self._listed: dict[int, float] = {}
        most = ln(artefact.pages + 1)
        for stem in prompt.typed_stems():
            holding, _, listed = artefact.term(stem)
            weight = min(1.0, idf(artefact.pages, holding) / most) if holding else 1.0
            if stem in EVERYDAY:
                weight *= EVERYDAY_SHARE
            self._terms.append((stem, fingerprint(stem), weight, holding))
            for page in listed:
                self._listed[page] = self._listed.get(page, 0.0) + weight

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
        for stem, where, weight, holding in self._terms:
            if stem in own:
                continue
            level = level_of(weights, where) if holding else 0.0
            if level:
                held.append(stem)
                total += weight * (level + (TITLE if level_of(titles, where) else 0.0))
            else:
                missing += weight
        return total / (1 + MISSING * missing), held

    def telling(self, own: "Collection[str]") -> int:
        """How many of the prompt's words, but for ``own``, say what it is about."""
        return sum([stem not in CHORES and stem not in own for stem, _, _, _ in self._terms])

    def generic(self, own: "Collection[str]", phrase: bool) -> bool:
        """Whether the words ``own`` of a page's keywords tell it from no other: people say them of anything, or a word
        that is no part of a ``phrase`` stands in many of the store's pages."""
        pages = self._artefact.pages
        many = {stem for stem, _, _, holding in self._terms if pages >= TELLING_STORE and holding > MANY * pages}
        return all([stem in CHORES or (stem in many and not phrase) for stem in own])

    def _look(self) -> "list[Found]":
        nearly: dict[int, list[Hit]] = {}
        for hit in match_nearly(self._prompt, self._artefact):
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
        listed = self._listed
        return sorted(listed, key=lambda page: (-listed[page], page))[:MOST_READ]

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


def match_nearly(prompt: "Prompt", artefact: "Artefact") -> "list[Hit]":
    """The keywords of pages that are typed, but not as they are declared: the words of a phrase apart or out of order,
    the other name of an abbreviation."""
    hits: dict[str, Hit] = {}
    typed = [form for form, places in prompt.forms().items() if places]
    others = _other_names(prompt)
    for form, postings in artefact.keywords([*typed, *[name for name in others if name not in typed]]):
        for entry, pages, _ in postings:
            normal = entry[0]
            other, said = others.get(form, ("", ""))
            if normal == other:
                hit = Hit(normal, INFLECTED, TYPED, len(entry), pages, [], said)
                hit.kind = ALIKE
            elif normal.count(" ") + 1 == len(entry) > 1 and _all_typed(prompt, entry):
                hit = Hit(normal, INFLECTED, TYPED, len(entry), pages, [], normal)
                hit.kind = APART
            else:
                continue
            if pages:
                hits.setdefault(normal, hit)
    return list(hits.values())


def _all_typed(prompt: "Prompt", entry: "list[str]") -> bool:
    """Whether each word of a phrase is typed, wherever."""
    tokens = [token for token in prompt.tokens if token is not None and token[2] in (TYPED, PART, JOINED)]
    return all([any([spelled(word, exact, one) for word, exact, _ in tokens]) for one in entry[0].split()])


def _other_names(prompt: "Prompt") -> "dict[str, tuple[str, str]]":
    """{key: (the other name, as the prompt says it)} of the typed abbreviations, and of what they stand for."""
    found = {}
    for word, places in prompt.words.items():
        for name, others in ABBREVIATIONS.get(word, ()) if places else ():
            if " " not in name or run_at(prompt.tokens, places[0], word, [name, *name.split()[1:]]):
                for other in others:
                    found[other.split()[0]] = (other, name)
    return found
