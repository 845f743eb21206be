"""The ranking analysis: stop words dropped, Porter stems, identifiers cut into their parts.

M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, as printed (without the two later
departures of his own implementation).
"""

from abcd_index.text.normalise import bare, camel, fold, pieces

# Words that say nothing alone: never a keyword, never a ranking term.
STOP = frozenset(
    "a about above after again against all also am an and any are aren't as at be because been before being "
    "below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down "
    "during each either else ever every few for from further had hadn't has hasn't have haven't having he her "
    "here hers herself him himself his how i i'm i've if in into is isn't it it's its itself just let let's me "
    "more most my myself no nor not now of off on once only or other our ours ourselves out over own please "
    "same shall she should shouldn't so some such than that that's the their theirs them themselves then there "
    "these they this those through to too under until up upon us very was wasn't we were weren't what what's "
    "when where which while who whom why will with won't would wouldn't you you're your yours yourself "
    "yourselves".split()
)
# Ranking also passes over modal verbs and what an apostrophe leaves behind ("we ve"): worth .002 of nDCG@10.
_SILENT = STOP | frozenset("may might must would d ll m re s t ve".split())

# For ``translate``: "v" for a vowel, "c" for a consonant, "y" for what may be either.
_SHAPES = "c" * 97 + "vcccvcccvcccccvcccccvcccyc" + "c" * 5

_STEP2 = {
    "a": (("ational", "ate"), ("tional", "tion")),
    "c": (("enci", "ence"), ("anci", "ance")),
    "e": (("izer", "ize"),),
    "l": (("abli", "able"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous")),
    "o": (("ization", "ize"), ("ation", "ate"), ("ator", "ate")),
    "s": (("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")),
    "t": (("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")),
}
_STEP3 = {
    "e": (("icate", "ic"), ("ative", ""), ("alize", "al")),
    "i": (("iciti", "ic"),),
    "l": (("ical", "ic"), ("ful", "")),
    "s": (("ness", ""),),
}
_STEP4 = {
    "a": ("al",),
    "c": ("ance", "ence"),
    "e": ("er",),
    "i": ("ic",),
    "l": ("able", "ible"),
    "n": ("ant", "ement", "ment", "ent"),
    "o": ("ion", "ou"),
    "s": ("ism",),
    "t": ("ate", "iti"),
    "u": ("ous",),
    "v": ("ive",),
    "z": ("ize",),
}


def _shape(word: str) -> str:
    """The vowels and consonants of a word, "v" and "c". "y" is a vowel after a consonant."""
    shape = word.translate(_SHAPES)
    while "y" in shape:
        at = shape.index("y")
        shape = shape[:at] + ("v" if shape[at - 1 : at] == "c" else "c") + shape[at + 1 :]
    return shape


def _measure(word: str) -> int:
    """How many times a run of vowels is followed by a run of consonants."""
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _short(word: str) -> bool:
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def stem(word: str) -> str:
    """The Porter stem of a lower-case word; words of one or two letters stay."""
    if len(word) < 3:
        return word
    # Most words have none of the endings: what a step looks for is looked at before it is called.
    if word[-1] == "s":
        word = _plurals(word)
    if word[-1] == "d" or word[-1] == "g":
        word = _endings(word)
    if word[-1] == "y" and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    if word[-2:-1] in _STEP2:
        word = _swap(word, _STEP2[word[-2]])
    if word[-1] in _STEP3:
        word = _swap(word, _STEP3[word[-1]])
    if word[-2:-1] in _STEP4:
        word = _drop(word)
    return _tidy(word) if word[-1] == "e" or word[-1] == "l" else word


def _plurals(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word if word[-2] == "s" else word[:-1]


def _endings(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            left = word[: -len(ending)]
            if not _has_vowel(left):
                return word
            if left.endswith(("at", "bl", "iz")):
                return left + "e"
            if _doubled(left) and left[-1] not in "lsz":
                return left[:-1]
            if _measure(left) == 1 and _short(left):
                return left + "e"
            return left
    return word


def _swap(word: str, endings: "tuple[tuple[str, str], ...]") -> str:
    for ending, other in endings:
        if word.endswith(ending):
            left = word[: -len(ending)]
            return left + other if _measure(left) else word
    return word


def _drop(word: str) -> str:
    for ending in _STEP4[word[-2]]:
        if word.endswith(ending):
            left = word[: -len(ending)]
            if _measure(left) > 1 and (ending != "ion" or left[-1:] in ("s", "t")):
                return left
            return word
    return word


def _tidy(word: str) -> str:
    if word[-1] == "e":
        left = word[:-1]
        size = _measure(left)
        if size > 1 or (size == 1 and not _short(left)):
            word = left
    if word[-2:] == "ll" and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


# For ``translate``: every ASCII character that is not of a word, to a space; the apostrophe goes with its ending below.
_SPACES = (
    " " * 39
    + "'"
    + " " * 8
    + "0123456789"
    + " " * 7
    + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    + " " * 6
    + "abcdefghijklmnopqrstuvwxyz"
    + " " * 5
)
# Stems of words already seen; bounded so that a builder of any store stays within memory.
_seen: "dict[str, tuple[str, ...]]" = {}
_MOST_SEEN = 200000


def analyse(text: str) -> "list[str]":
    """The ranking terms of ``text`` in order, stop words dropped."""
    terms: list[str] = []
    seen = _seen
    if text.isascii():
        text = text.translate(_SPACES)
    else:
        # ``translate`` takes long to find out that a character is not in its table.
        for code, kept in enumerate(_SPACES):
            if kept == " " and chr(code) in text:
                text = text.replace(chr(code), " ")
    for word in text.split():
        found = seen.get(word)
        if found is None:
            if len(seen) > _MOST_SEEN:
                seen.clear()
            found = seen[word] = _analyse_word(word)
        terms += found
    return terms


def _analyse_word(word: str) -> "tuple[str, ...]":
    if not word.isascii():
        return _analyse_other(word)
    if "'" in word:
        low = word.lower()
        if low in _SILENT:
            return ()
        if low.endswith("'s"):
            word = word[:-2]
        return tuple(term for part in word.split("'") if part for term in _analyse_word(part))
    terms = []
    for part in (word,) if word.islower() or word.isdigit() else camel(word):
        part = part.lower()
        if part not in _SILENT and len(part) <= 64:
            terms.append(stem(part) if part.isalpha() else part)
    return tuple(terms)


def _analyse_other(word: str) -> "tuple[str, ...]":
    folded = fold(word)
    terms: list[str] = []
    for start, end, kind in pieces(folded):
        run = folded[start:end]
        if kind == 2 and end - start > 1:
            # Scripts without spaces: adjacent pairs stand for words.
            terms.extend(run[at : at + 2] for at in range(end - start - 1))
        elif kind != 3:
            run = bare(run)
            if run not in _SILENT and len(run) <= 64:
                terms.append(stem(run) if run.isascii() and run.isalpha() else run)
    return tuple(terms)
