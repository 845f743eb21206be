"""Which keywords of a store are in a prompt, how well and where.

Prompt path. ``lookup(key)`` is the artefact's: the postings [entry, pages, domains] under a key. Keywords
are looked up by their first word only, for the distinct words of the prompt.
"""

from abcd_index.agenthooks.prompt import JOINED, PART, PASTED, SIGN, TYPED, path_kind
from abcd_index.text.normalise import bare, prompt_forms, singulars, stands_free

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from abcd_index.agenthooks.prompt import Prompt, Token
    from abcd_index.artefact.format import Posting

    # (weight, zone, length, spelling in the prompt) of a keyword's best place in it.
    _Place = tuple[float, int, int, str]
    # Pairs of key and entry: the words that keep a page out.
    Exclusions = Sequence[tuple[str, list[str]]]


# How much a hit counts by where it was found: typed, part of an identifier, pasted.
ZONE_WEIGHT = (1.0, 0.7, 0.35)
# And by how it was spelled.
EXACT, INFLECTED, UNACCENTED = 1.0, 0.9, 0.85
# A word that a paste repeats a thousand times is compared here this often.
_MOST_PLACES = 60


# Kinds of a hit: as its page declares it; the words of a phrase apart; under another name.
DECLARED, APART, ALIKE = 0, 1, 2


class Hit:
    """A keyword that is in the prompt. ``normal``: its normal form. ``weight``: 0 .. 1, spelling times
    zone. ``zone``: 0 typed, 1 part of an identifier, 2 pasted. ``length``: its words. ``pages`` and
    ``domains``: ordinals that declare it. ``seen``: the prompt's spelling. ``kind``: DECLARED, APART or ALIKE."""

    __slots__ = ("normal", "weight", "zone", "length", "pages", "domains", "seen", "kind")

    def __init__(
        self, normal: str, weight: float, zone: int, length: int, pages: "list[int]", domains: "list[int]", seen: str
    ) -> None:
        self.normal = normal
        self.weight = weight
        self.zone = zone
        self.length = length
        self.pages = pages
        self.domains = domains
        self.seen = seen
        self.kind = DECLARED


def match(prompt: "Prompt", lookup: "Callable[[str], list[Posting]]") -> "list[Hit]":
    """The hits of ``prompt``, one for each normal form (the best), in the order of the prompt."""
    return match_all(prompt, lambda forms: [(form, lookup(form)) for form in forms])


def match_all(
    prompt: "Prompt", lookup_all: "Callable[[Collection[str]], Iterable[tuple[str, list[Posting]]]]"
) -> "list[Hit]":
    """As ``match``, with a lookup of many keys at once: keys -> [(key, postings)]."""
    hits: dict[str, Hit] = {}
    forms = prompt.forms()
    for form, postings in lookup_all(forms):
        for entry, pages, domains in postings:
            found = _found(prompt, form, forms[form], entry)
            if found is None:
                continue
            weight, zone, length, seen = found
            normal = entry[0]
            before = hits.get(normal)
            if before is None or weight > before.weight:
                hits[normal] = Hit(normal, weight, zone, length, pages, domains, seen)
    return list(hits.values())


def excluded(prompt: "Prompt", exclude: "Exclusions") -> str:
    """The first of the ``exclude`` words (pairs of key and entry) that is in the prompt, or ''."""
    if exclude:
        forms = prompt.forms()
        for key, entry in exclude:
            places = forms.get(key)
            if places is not None and _found(prompt, key, places, entry) is not None:
                word: str = entry[0]
                return word
    return ""


def _found(prompt: "Prompt", form: str, places: "Sequence[int]", entry: "list[str]") -> "_Place | None":
    """(weight, zone, length, spelling in the prompt) of the best place, or None."""
    if len(entry) > 1 and entry[1] == "":
        return _literal(prompt, entry[0])
    best = None
    for place in places[:_MOST_PLACES]:
        found = run_at(prompt.tokens, place, form, entry)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
            if best[0] == 1.0:
                break
    if best is None or best[0] < ZONE_WEIGHT[PASTED]:
        for exact in prompt.pasted_as(form):
            found = _pasted(prompt.run, exact, entry)
            if found is not None and (best is None or found[0] > best[0]):
                best = found
    return best


def _pasted(run: str, exact: str, entry: "list[str]") -> "_Place | None":
    """As ``run_at``, for a word of what was pasted; the best place of it."""
    first = (bare(exact), exact, PASTED)
    if len(entry) == 1:
        return run_at((first,), 0, exact, entry)
    best = None
    word = " " + exact + " "
    at = run.find(word)
    for _ in range(_MOST_PLACES):
        if at < 0:
            break
        row = run[at:].split(None, len(entry))[: len(entry)]
        found = run_at([first] + [(bare(other), other, PASTED) for other in row[1:]], 0, exact, entry)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
        at = run.find(word, at + len(word) - 1)
    return best


def run_at(tokens: "Sequence[Token | None]", place: int, form: str, entry: "list[str]") -> "_Place | None":
    """The place of an entry's words in a row from ``place`` on, or None. ``form``: under which the first was found."""
    found = tokens[place]
    if found is None or found[2] == SIGN:
        return None
    word, exact, zone = found
    if len(entry) == 1:
        if zone == JOINED:
            zone = PART
        return spelled(word, exact, entry[0]) * ZONE_WEIGHT[zone], zone, 1, exact
    normal = entry[0]
    if normal.count(" ") + 1 == len(entry):
        quality = spelled(word, exact, normal[: normal.index(" ")])
    else:
        # An identifier, found as its words in a row.
        quality = INFLECTED
    if zone == JOINED:
        zone = TYPED
    seen = exact
    for wanted in entry[1:]:
        place += 1
        token = tokens[place] if place < len(tokens) else None
        if token is None or token[2] == SIGN:
            return None
        own = spelled(token[0], token[1], wanted)
        if not own:
            return None
        quality = min(quality, own)
        if zone < token[2] < SIGN:
            zone = token[2]
        seen += " " + token[1]
    return quality * ZONE_WEIGHT[zone], zone, len(entry), seen


def spelled(word: str, exact: str, wanted: str) -> float:
    """How well a prompt's word spells a keyword's word; 0 when it does not."""
    if exact == wanted:
        return EXACT
    plain = bare(wanted)
    if word == plain:
        return UNACCENTED
    if plain in prompt_forms(word) or word in singulars(plain):
        return INFLECTED
    for form in prompt_forms(word):
        if form in singulars(plain):
            return INFLECTED
    return 0


def _literal(prompt: "Prompt", literal: str) -> "_Place | None":
    length = literal.count(" ") + 1
    best = None
    for zone, text in zip((TYPED, PASTED), prompt.folded()):
        start = text.find(literal)
        for _ in range(_MOST_PLACES):
            if start < 0:
                break
            end = start + len(literal)
            if stands_free(text, start, end):
                if zone == PASTED or not _in_path(text, start, end, literal):
                    return ZONE_WEIGHT[zone], zone, length, literal
                best = ZONE_WEIGHT[PASTED], PASTED, length, literal
            start = text.find(literal, start + 1)
    return best


def _in_path(text: str, start: int, end: int, literal: str) -> bool:
    """Whether ``text[start:end]`` is but a piece of a URL or a path, while ``literal`` is of neither."""
    if "/" in literal or "\\" in literal:
        return False
    start = text.rfind(" ", 0, start) + 1
    stop = text.find(" ", end)
    chunk = text[start:] if stop < 0 else text[start:stop]
    return path_kind(chunk) == PASTED
