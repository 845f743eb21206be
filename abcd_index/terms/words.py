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

# Names in mixed case that are one word: "JavaScript" is not about Java.
NAMES = frozenset(
    "actionscript airflow bigquery bitbucket bytedance centos chatgpt chromeos circleci clickhouse cloudflare "
    "cloudformation cloudfront cloudwatch cmake cocoapods coffeescript couchdb datadog deepmind deepseek devops "
    "duckdb dynamodb ebay eslint fastapi freebsd github gitlab gitops graphql huggingface icloud influxdb intellij "
    "ios ipad ipados iphone javascript jetbrains jquery langchain latex leveldb linkedin llamaindex macos mariadb "
    "mongodb mysql netbsd nosql nuget numpy oauth oauth2 openai openapi openbsd opencv opensearch openshift openssh "
    "openssl openstack opentelemetry pagerduty paypal postgresql powerpoint powershell pycharm pypi pypy pytorch "
    "rabbitmq rocksdb rubygems scipy sqlite swiftui teamcity tensorflow typescript tvos vscode watchos webassembly "
    "webgl webgpu webkit webrtc whatsapp wordpress youtube zeromq".split()
)

# What may stand between the words of a run, in a keyword as in a prompt.
SOFT = " \t\n\r\x0b\x0c\xa0-_\u2010\u2011\u2013"

# Letters that do not come apart into a base and an accent, and that people type as one all the same. The
# Cyrillic yo is mostly written without its dots.
_LETTERS = {
    "\xe6": "ae", "\xf0": "d", "\xf8": "o", "\xfe": "th", "\u0111": "d", "\u0127": "h", "\u0131": "i",
    "\u0142": "l", "\u0153": "oe", "\u0167": "t", "\u0451": "\u0435",
}

_unicodedata = None
_unseen = None


def unicodedata():
    """The module, loaded when text outside ASCII shows up (it is a shared object of a megabyte)."""
    global _unicodedata
    if _unicodedata is None:
        import unicodedata as loaded

        _unicodedata = loaded
    return _unicodedata


def visible(text):
    """``text`` without the characters that are not seen: soft hyphen, zero width, direction marks, variation
    selectors, tags, the Arabic stretch. Typographic apostrophes become the plain one."""
    global _unseen
    if _unseen is None:
        _unseen = dict.fromkeys([0xAD, 0x34F, 0x61C, 0x640, 0x180E, 0xFEFF])
        for first, end in ((0x200B, 0x2010), (0x202A, 0x202F), (0x2060, 0x2070), (0xFE00, 0xFE10), (0xE0000, 0xE0080)):
            _unseen.update(dict.fromkeys(range(first, end)))
        _unseen[0x2018] = _unseen[0x2019] = "'"
    if _unseen.keys().isdisjoint(map(ord, set(text))):
        return text
    return text.translate(_unseen)


def composed(text):
    """``text`` in NFKC, unseen characters dropped, its case kept."""
    if text.isascii():
        return text
    normalize = unicodedata().normalize
    text = normalize("NFKC", visible(text))
    # Some presentation forms hold the Arabic stretch.
    seen = visible(text)
    return text if seen is text else normalize("NFKC", seen)


def fold(text):
    """The exact folded form: NFKC, case folded, unseen characters dropped."""
    if text.isascii():
        return text.lower()
    return visible(folded(composed(text)))


def folded(text):
    """``fold`` for a composed text."""
    # Folding can undo the normalisation; casefold leaves accents alone.
    return text.lower() if text.isascii() else unicodedata().normalize("NFKC", text.casefold())


class _Bare(dict):
    """Code of a letter -> what it is without its accent, found out when it first shows up."""

    def __missing__(self, code):
        char = chr(code)
        self[code] = plain = _LETTERS.get(char) or _unmarked(char)
        return plain


_bare = _Bare()


def bare(token):
    """A folded token without accents: those of Latin and Greek letters, the vowel signs of Hebrew and Arabic.

    Marks that make another letter (dakuten, the Cyrillic breve, Indic vowels) stay.
    """
    if token.isascii() or min(token) >= "\u0700":
        return token
    if not token.isalnum():
        token = _unmarked(token)
    return token.translate(_bare)


def _unmarked(token):
    data = unicodedata()
    kept, base, strip = [], 0, False
    for char in data.normalize("NFD", token):
        code = ord(char)
        if data.combining(char):
            # Over any Arabic letter but alef, madda and hamza make another letter.
            if strip and not (0x653 <= code <= 0x655 and base != 0x627):
                continue
        else:
            base = code
            strip = code < 0x250 or 0x370 <= code < 0x400 or 0x590 <= code < 0x700
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
        if word[-4:] == "zzes":
            return word[:-3], word[:-2]
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
    # Never down to two letters: "added" is not about "ad".
    if stem[-1] == stem[-2] and stem[-1] not in "aeiou":
        return (stem, stem[:-1]) if len(stem) > 3 else (stem,)
    if stem[-3:] == "ick" and len(stem) > 4:
        return stem, stem[:-1]
    return (stem, stem + "e") if len(stem) > 2 else (stem + "e",)


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


class _Kinds(dict):
    """Character -> its kind, found out when it first shows up."""

    def __missing__(self, char):
        if char <= "\x7f":
            kind = 1 if char.isalnum() else 0
        elif unspaced(char):
            kind = 2 if char.isalnum() or unicodedata().category(char)[0] in "LM" else 0
        elif char.isalnum():
            kind = 1
        else:
            category = unicodedata().category(char)
            kind = 1 if category == "Mn" or category == "Mc" else 3 if category == "So" else 0
        self[char] = kind
        return kind


# What a character is in a composed text: 0 no part of a word, 1 of a word, 2 of a script without spaces, 3 a
# sign such as an emoji.
kinds = _Kinds()


def pieces(text):
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


def unglued(text):
    """(``text`` with what is of scripts without spaces, and signs, replaced by breaks; the keys of those).

    A keyword of such a script stands under its first two characters, or its only one.
    """
    chars = dict.fromkeys(text)
    glued = [char for char in chars if char > "\x7f" and kinds[char] > 1]
    if not glued:
        return text, ()
    only = text.translate(dict.fromkeys(map(ord, chars.keys() - glued), " "))
    pairs = dict.fromkeys([only[at:at + 2] for at in range(len(only) - 1)])
    keys = [pair for pair in pairs if " " not in pair]
    text = text.translate(dict.fromkeys(map(ord, glued), "\0"))
    while "\0\0\0" in text:
        text = text.replace("\0\0", "\0")
    return text.replace("\0", " \0 "), keys + glued


def stands_free(text, start, end):
    """Whether the literal ``text[start:end]`` is no part of a longer word, option or path.

    A side counts only where the literal itself ends in a word: ``c++`` is in "c++17", ``.net`` in
    "asp.net". Scripts without spaces have no such sides; Hangul has one on the left, for particles follow.
    """
    first, before = text[start], text[start - 1] if start else " "
    last, after = text[end - 1], text[end] if end < len(text) else " "
    if kinds[first] == 1 and kinds[before] == 1 or hangul(first) and hangul(before):
        return False
    if first in "/@-":
        if before.isalnum() or before in "/.-_":
            return False
        # "--force-with-lease" is another option than "--force", "@a/b-c" another package than "@a/b".
        if after == "-" and text[end + 1:end + 2].isalnum():
            return False
    return not (kinds[last] == 1 and kinds[after] == 1)


_CAPITALS = {code: " " + chr(code) for code in range(65, 91)}


def camel(word):
    """The parts of an identifier in mixed case (as written, not folded); [word] when it is none.

    Long and digit-laden words (hashes, base64) are not cut, nor are names such as "GitHub".
    """
    size = len(word)
    if size > 60 or size < 3 or not word.isascii() or word.islower() or word.isupper() or word.istitle():
        return [word]
    if word.lower() in NAMES or not word.isalpha() and sum(map(word.count, "0123456789")) * 3 > size:
        return [word]
    parts = word.translate(_CAPITALS).split()
    if min(map(len, parts)) == 1:
        parts = _acronyms(word)
    # "aGVsbG8gd29ybGQ" falls into confetti: such a word is no identifier.
    if len(parts) > 2 and (size < 3 * len(parts) or sum([len(part) == 1 for part in parts]) > 1):
        return [word]
    return _named(parts) if len(parts) > 2 else parts


def _acronyms(word):
    parts, start = [], 0
    for at in range(1, len(word)):
        if not word[at].isupper():
            continue
        if word[at - 1].isupper():
            after = word[at + 1:at + 3]
            # The capital before a small letter begins a word, but an acronym may have a plural: "userIDs".
            if not after[:1].islower() or after == "s" or after[0] == "s" and after[1].isupper():
                continue
        parts.append(word[start:at])
        start = at
    return parts + [word[start:]]


def _named(parts):
    """The parts, those joined again that are the two halves of a name ("GitHubActions")."""
    found = [parts[0]]
    for part in parts[1:]:
        if (found[-1] + part).lower() in NAMES:
            found[-1] += part
        else:
            found.append(part)
    return found
