"""Letters outside ASCII: normal forms, unseen characters, accents, scripts that write no spaces between words.

Prompt path, loaded when such text shows up (``unicodedata`` is a shared object of a megabyte).
"""

from unicodedata import category, combining, normalize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

# Letters that do not come apart into a base and an accent, and that people type as one all the same. The
# Cyrillic yo is mostly written without its dots.
_LETTERS = {
    "\xe6": "ae",
    "\xf0": "d",
    "\xf8": "o",
    "\xfe": "th",
    "\u0111": "d",
    "\u0127": "h",
    "\u0131": "i",
    "\u0142": "l",
    "\u0153": "oe",
    "\u0167": "t",
    "\u0451": "\u0435",
}

_UNSEEN = dict.fromkeys([0xAD, 0x34F, 0x61C, 0x640, 0x180E, 0xFEFF])
for _first, _end in ((0x200B, 0x2010), (0x202A, 0x202F), (0x2060, 0x2070), (0xFE00, 0xFE10), (0xE0000, 0xE0080)):
    _UNSEEN.update(dict.fromkeys(range(_first, _end)))
_UNSEEN[0x2018] = _UNSEEN[0x2019] = "'"


def visible(text: str) -> str:
    """``text`` without the characters that are not seen: soft hyphen, zero width, direction marks, variation
    selectors, tags, the Arabic stretch. Typographic apostrophes become the plain one."""
    return text if _UNSEEN.keys().isdisjoint(map(ord, set(text))) else text.translate(_UNSEEN)


def composed(text: str) -> str:
    """``text`` in NFKC, unseen characters dropped, its case kept."""
    text = normalize("NFKC", visible(text))
    # Some presentation forms hold the Arabic stretch.
    seen = visible(text)
    return text if seen is text else normalize("NFKC", seen)


def folded(text: str) -> str:
    """``fold`` for a composed text."""
    # Folding can undo the normalisation; casefold leaves accents alone.
    return normalize("NFKC", text.casefold())


def fold(text: str) -> str:
    """The exact folded form: NFKC, case folded, unseen characters dropped."""
    return visible(folded(composed(text)))


class _Bare(dict[int, str]):
    """Code of a letter -> what it is without its accent, found out when it first shows up."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = plain = _LETTERS.get(char) or _unmarked(char)
        return plain


_bare = _Bare()


def bare(token: str) -> str:
    """A folded token without accents: those of Latin and Greek letters, the vowel signs of Hebrew and Arabic.

    Marks that make another letter (dakuten, the Cyrillic breve, Indic vowels) stay.
    """
    if min(token) >= "\u0700" and max(token) < "\u1e00":
        return token
    if not token.isalnum():
        token = _unmarked(token)
    return token.translate(_bare)


def _unmarked(token: str) -> str:
    kept, base, strip = [], 0, False
    for char in normalize("NFD", token):
        code = ord(char)
        if combining(char):
            # Over any Arabic letter but alef, madda and hamza make another letter.
            if strip and not (0x653 <= code <= 0x655 and base != 0x627):
                continue
        else:
            base = code
            strip = code < 0x250 or 0x370 <= code < 0x400 or 0x590 <= code < 0x700
        kept.append(char)
    return normalize("NFC", "".join(kept))


def unspaced(char: str) -> bool:
    """Whether ``char`` is of a script that writes no spaces between words, or Hangul with its particles."""
    code = ord(char)
    return code >= 0xE00 and (
        0x3041 <= code <= 0x30FF
        or 0x4E00 <= code <= 0x9FFF
        or 0xAC00 <= code <= 0xD7AF
        or 0x3400 <= code <= 0x4DBF
        or 0x0E00 <= code <= 0x0EFF
        or 0x1000 <= code <= 0x109F
        or 0x1780 <= code <= 0x17FF
        or 0x20000 <= code <= 0x3FFFF
        or 0xF900 <= code <= 0xFAFF
        or code in (0x3005, 0x3006, 0x3007, 0x30FC)
    )


class _Kinds(dict[str, int]):
    """Character -> its kind (see ``words.kind_of``), found out when it first shows up."""

    def __missing__(self, char: str) -> int:
        if char <= "\x7f":
            kind = int(char.isalnum())
        elif unspaced(char):
            kind = 2 if char.isalnum() or category(char)[0] in "LM" else 0
        elif char.isalnum() or category(char) in ("Mn", "Mc"):
            kind = 1
        else:
            kind = 3 if category(char) == "So" else 0
        self[char] = kind
        return kind


kinds = _Kinds()


def pieces(text: str) -> "list[tuple[int, int, int]]":
    """The runs of one kind in a folded text: [(start, end, kind)], without what belongs to no word."""
    found, at, size = [], 0, len(text)
    while at < size:
        kind = kinds[text[at]]
        start = at
        at += 1
        if not kind:
            continue
        while at < size and kinds[text[at]] == kind:
            at += 1
        found.append((start, at, kind))
    return found


def swapped(text: str, chars: "Collection[str]", other: str) -> str:
    """``text`` with ``other`` in the place of each of the ``chars``."""
    if len(chars) > 150:
        return text.translate(dict.fromkeys(map(ord, chars), other))
    # ``translate`` takes long to find out that a character is not in its table.
    for char in chars:
        text = text.replace(char, other)
    return text


def unglued(text: str) -> "tuple[str, Sequence[str]]":
    """(``text`` with what is of scripts without spaces, and signs, replaced by breaks; the keys of those).

    A keyword of such a script stands under its first two characters, or its only one.
    """
    chars = dict.fromkeys(text)
    glued = [char for char in chars if char > "\x7f" and kinds[char] > 1]
    if not glued:
        return text, ()
    # A log says the same again and again.
    runs = dict.fromkeys(swapped(text, chars.keys() - glued, " ").split())
    keys = list(dict.fromkeys([run[at : at + 2] for run in runs for at in range(len(run) - 1)]))
    text = swapped(text, glued, "\0")
    while "\0\0\0" in text:
        text = text.replace("\0\0", "\0")
    return text.replace("\0", " \0 "), keys + glued
