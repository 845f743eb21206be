"""A keyword as a person wrote it -> the entries under which the artefact holds it. Build side only.

An entry is a JSON list. Its first element is the keyword's normal form, on which scopes compare keywords.
``[normal]`` is one word, the key itself; ``[normal, word, ...]`` a run whose first word is the key;
``[normal, ""]`` a literal, searched as written (``C++``, ``node.js``, ``@scope/pkg``, Chinese).
"""

from functools import lru_cache

from abcd_index.text.everyday import is_chore
from abcd_index.text.normalise import SOFT, bare, camel, fold, keyword_forms, kind_of, pieces
from abcd_index.text.porter import STOP

LONGEST = 200


def entries(keyword: str) -> "list[tuple[str, list[str]]]":
    """[(key, entry)] of a keyword, [] when it can never match.

    A plural stands under its singular too, an identifier (``useSession``) also as its words in a row.
    """
    return [(key, list(entry)) for key, entry in _entries(keyword)]


# Pages share keywords, and builders ask of each page.
@lru_cache(maxsize=1 << 15)
def _entries(keyword: str) -> "list[tuple[str, list[str]]]":
    normal = normal_form(keyword)
    if not normal or len(normal) > LONGEST:
        return []
    if _is_literal(normal):
        if _says_nothing(normal):
            return []
        return [(key, [text, ""]) for text in _versions(normal) for key in [_literal_key(text)] if key]
    words = _split(normal)
    if not words or _says_nothing(normal):
        return []
    found = _run(normal, words)
    for parts in _identifier_runs(keyword, words):
        found += [item for item in _run(normal, parts) if item not in found]
    return found


def _versions(normal: str) -> "list[str]":
    """A version with and without its "v", as people write it; else ``normal`` alone."""
    number = normal[1:] if normal[:1] == "v" else normal
    parts = number.split(".")
    if len(parts) > 1 and number.isascii() and all(part.isdigit() for part in parts):
        return [normal, "v" + number if normal == number else number]
    return [normal]


@lru_cache(maxsize=1 << 15)
def normal_form(keyword: str) -> str:
    """Folded, white space made one, soft separators of a plain run made spaces."""
    text = " ".join(fold(keyword).split())
    if _is_literal(text):
        return text
    return " ".join(_split(text))


def weakness(keyword: str) -> str:
    """Why a keyword is weak or never matches, as the end of a sentence; '' when nothing is to be said."""
    normal = normal_form(keyword)
    if not _entries(keyword):
        if not fold(keyword).strip():
            return "is blank and never matches"
        if len(normal) > LONGEST:
            return f"is longer than {LONGEST} characters and never matches"
        if _says_nothing(normal):
            return "is made of stop words only and never matches"
        return "has no letter or digit and never matches"
    if _is_literal(normal):
        if len(normal) == 1 and kind_of(normal) == 2:
            return "is one character, which is in many words"
        return ""
    words = _split(normal)
    if len(normal) == 1:
        return f"is one {'digit' if normal.isdigit() else 'letter'}: it matches wherever that stands alone"
    if len(words) == 1 and is_chore(normal):
        return "is an everyday word: alone it brings only a line"
    return ""


def _says_nothing(normal: str) -> bool:
    """Whether a normal form is made of stop words only."""
    words = _split(normal)
    return bool(words) and all(word in STOP for word in words)


def _split(text: str) -> "list[str]":
    if text.isascii():
        # Of the soft signs these are no white space.
        return text.replace("-", " ").replace("_", " ").split()
    for sign in SOFT:
        if sign in text:
            text = text.replace(sign, " ")
    return text.split()


def _is_literal(text: str) -> bool:
    """Whether ``text`` (folded) has to be searched as written."""
    if text[:1] in ("-", "_") and text.strip("-_"):
        return True
    words = _split(text)
    for word in words:
        if word.isalnum() and word.isascii():
            continue
        runs = pieces(word)
        if len(runs) != 1 or runs[0] != (0, len(word), 1):
            return True
    return False


def _literal_key(text: str) -> str:
    """The key of a literal: its first run of word characters, as the prompt cuts it."""
    for start, end, kind in pieces(text):
        run = text[start:end]
        return bare(run) if kind == 1 else run[:2]
    return ""


def _run(normal: str, words: "list[str]") -> "list[tuple[str, list[str]]]":
    first, rest = words[0], words[1:]
    return [(bare(form), [normal] + rest) for form in keyword_forms(first)]


def _identifier_runs(keyword: str, words: "list[str]") -> "list[list[str]]":
    """The words in a row of a keyword in mixed case: one list, or none."""
    if keyword.islower() and keyword.isascii():
        return []
    parts, cut = [], False
    for word in _split(keyword):
        own = camel(word)
        cut = cut or len(own) > 1
        parts += [fold(part) for part in own]
    return [parts] if cut and parts != words and not all(part in STOP for part in parts) else []
