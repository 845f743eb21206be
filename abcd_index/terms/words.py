"""Words: folding, plural and verb forms, stop words. The same functions serve build and prompt.

Two ways of looking at text meet here. *Matching* a keyword is near-exact: folded, light English
inflection. *Ranking* (``stem``) uses Porter stems. Nothing is imported until text outside ASCII shows up.
"""

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

# Words on which stripping an ending would lie.
WHOLE = frozenset(
    # plural look, singular or proper
    "aws axios bus canvas chaos class css dns dos ddos ecs eks express gas gps gis graphics has his https "
    "ios its jenkins kms kubernetes kudos lens macos mathematics means news nfs ntfs os pandas physics "
    "postgres process qos rails rds res rss sass series ses sls sms sns species sqs ssms statistics tls tos "
    "was xss yes ops devops gitops mlops sys vis plus minus thus does goes perhaps besides towards always "
    "sometimes texas paris atlas alias bias jboss ans les des las los sus iis cvs svs aes des "
    # -ed and -ing that are no endings
    "bed bleed bred breed embed exceed feed greed hundred indeed led need proceed red sacred seed shed sled "
    "speed succeed wed weed bring ceiling cling evening everything fling king lightning morning nothing ping "
    "ring sibling sing sling something spring sting string swing thing wing anything being during".split()
)

# Singulars in -i and -u: "apis" and "cpus" are plurals although -is and -us mostly are not.
_VOWEL_SINGULARS = frozenset(
    "abi ai api ci cli dpi emoji gui kpi pi roi spi taxi tui ui uri wifi cpu ecu gpu mcu menu mtu npu sku tpu "
    "vcpu".split()
)

# Characters that are not seen: soft hyphen, zero width, direction marks, variation selectors, tags.
_UNSEEN = dict.fromkeys(
    [0xAD, 0x34F, 0x61C, 0x180E, 0xFEFF] + list(range(0x200B, 0x2010)) + list(range(0x202A, 0x202F))
    + list(range(0x2060, 0x2070)) + list(range(0xFE00, 0xFE10)) + list(range(0xE0000, 0xE0080))
)
_UNSEEN[0x2019] = "'"
_UNSEEN[0x2018] = "'"

# What may stand between the words of a run, in a keyword as in a prompt.
SOFT = " \t\n\r\x0b\x0c\xa0-_\u2010\u2011\u2013"

_unicodedata = None


def unicodedata():
    """The module, loaded when text outside ASCII shows up (it is a shared object of a megabyte)."""
    global _unicodedata
    if _unicodedata is None:
        import unicodedata as loaded

        _unicodedata = loaded
    return _unicodedata


def fold(text):
    """The exact folded form: NFKC, case folded, unseen characters dropped."""
    if text.isascii():
        return text.lower()
    normalize = unicodedata().normalize
    # Folding can undo the normalisation, hence twice; casefold leaves accents alone.
    return normalize("NFKC", normalize("NFKC", text.translate(_UNSEEN)).casefold()).translate(_UNSEEN)


def bare(token):
    """A folded token without the accents of Latin and Greek letters.

    Marks that make another letter (dakuten, the Cyrillic breve, Indic vowels) stay.
    """
    if token.isascii():
        return token
    data = unicodedata()
    kept, strip = [], False
    for char in data.normalize("NFD", token):
        if data.combining(char):
            if strip:
                continue
        else:
            code = ord(char)
            strip = code < 0x250 or 0x370 <= code < 0x400
        kept.append(char)
    return data.normalize("NFC", "".join(kept))


def singulars(word):
    """The singulars that ``word`` may be the plural of; () for most words. English only."""
    size = len(word)
    if size < 3 or word[-1] != "s" or word in WHOLE or not word.isascii() or not word.isalpha():
        return ()
    if word[-2] in "iu":
        return (word[:-1],) if word[:-1] in _VOWEL_SINGULARS else ()
    if word[-2] == "s":
        return ()
    if word[-2] == "e" and size > 4:
        if word[-3] == "i":
            return word[:-3] + "y", word[:-1]
        if word[-3] in "sxzo" or word[-4:-2] in ("ch", "sh"):
            return word[:-2], word[:-1]
    return (word[:-1],)


def bases(word):
    """The base forms that ``word`` may be the -ing or -ed form of; () for most words. English only."""
    if word[-3:] == "ing" and len(word) > 5:
        stem = word[:-3]
    elif word[-2:] == "ed" and len(word) > 4 and word[-3] != "e":
        stem = word[:-2]
    else:
        return ()
    if word in WHOLE or not word.isascii() or not word.isalpha():
        return ()
    if not any(vowel in stem for vowel in "aeiouy"):
        return ()
    if stem[-1] == "i" and word[-1] == "d":
        return (stem[:-1] + "y",)
    if stem[-1] == stem[-2] and stem[-1] not in "aeiou":
        return stem, stem[:-1]
    return stem, stem + "e"


def prompt_forms(word):
    """The forms under which a prompt's word is looked up, itself first."""
    if len(word) < 3:
        return (word,)
    last = word[-1]
    if last == "s":
        return (word,) + singulars(word)
    if last == "g" or last == "d":
        return (word,) + bases(word)
    return (word,)


def keyword_forms(word):
    """The forms under which a keyword's word is indexed: itself and, for a plural, its singulars."""
    return (word,) + singulars(word)


def unspaced(char):
    """Whether ``char`` is of a script that writes no spaces between words, or Hangul with its particles."""
    code = ord(char)
    return code >= 0xE00 and (
        0x3041 <= code <= 0x30FF or 0x4E00 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7AF
        or 0x3400 <= code <= 0x4DBF or 0x0E00 <= code <= 0x0EFF or 0x1000 <= code <= 0x109F
        or 0x1780 <= code <= 0x17FF or 0x20000 <= code <= 0x3FFFF or 0xF900 <= code <= 0xFAFF
        or code in (0x3005, 0x3006, 0x3007, 0x30FC)
    )


def hangul(char):
    """Whether ``char`` is a Hangul syllable: words are spaced, particles are glued to their end."""
    return "\uac00" <= char <= "\ud7af"


def kind_of(char):
    """What ``char`` is in a folded text: 0 no part of a word, 1 of a word, 2 of a script without spaces,
    3 a sign such as an emoji."""
    if char <= "\x7f":
        return 1 if char.isalnum() else 0
    if unspaced(char):
        return 2 if char.isalnum() or unicodedata().category(char)[0] in "LM" else 0
    if char.isalnum():
        return 1
    category = unicodedata().category(char)
    if category == "Mn" or category == "Mc":
        return 1
    return 3 if category == "So" else 0


def pieces(text):
    """The runs of one kind in a folded text: [(start, end, kind)], without what belongs to no word."""
    found, at, size = [], 0, len(text)
    while at < size:
        kind = kind_of(text[at])
        start = at
        at += 1
        if not kind:
            continue
        while at < size and kind_of(text[at]) == kind:
            at += 1
        found.append((start, at, kind))
    return found


def stands_free(text, start, end):
    """Whether the literal ``text[start:end]`` is no part of a longer word or path.

    A side counts only where the literal itself ends in a word: ``c++`` is in "c++17", ``.net`` in
    "asp.net". Scripts without spaces have no such sides; Hangul has one on the left, for particles follow.
    """
    first, before = text[start], text[start - 1] if start else " "
    last, after = text[end - 1], text[end] if end < len(text) else " "
    if kind_of(first) == 1 and kind_of(before) == 1 or hangul(first) and hangul(before):
        return False
    if first in "/@-" and (before.isalnum() or before in "/.-_"):
        return False
    return not (kind_of(last) == 1 and kind_of(after) == 1)


def camel(word):
    """The parts of an identifier in mixed case (as written, not folded); [word] when it is none.

    Long and digit-laden words (hashes, base64) are not cut.
    """
    size = len(word)
    if size > 60 or size < 3 or not word.isascii() or word.islower() or word.isupper() or word.istitle():
        return [word]
    if sum(map(word.count, "0123456789")) * 3 > size:
        return [word]
    parts, start = [], 0
    for at in range(1, size):
        char = word[at]
        if char.isupper() and (not word[at - 1].isupper() or (at + 1 < size and word[at + 1].islower())):
            parts.append(word[start:at])
            start = at
    parts.append(word[start:])
    # "aGVsbG8gd29ybGQ" falls into confetti: such a word is no identifier.
    if len(parts) > 2 and size < 3 * len(parts):
        return [word]
    return parts
