"""Words: folding, plural and verb forms, identifiers. The same functions serve build and prompt.

Two ways of looking at text meet in this room. *Matching* a keyword is near-exact: folded, light English
inflection. *Ranking* (``stem``) uses Porter stems. What lies outside ASCII is in ``letters``.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

# Part of the key: raise when the same keyword or text gives other keys, entries or stems.
TOKENS_VERSION = 2

# Words on which stripping an ending would lie.
WHOLE = frozenset(
    # plural look, singular or proper
    "aws axios bus canvas chaos class css dns dos ddos ecs eks express gas gps gis graphics has his https "
    "ios its jenkins kms kubernetes kudos lens macos mathematics means news nfs ntfs os pandas physics "
    "postgres process qos rails rds res rss sass series ses sls sms sns species sqs ssms statistics tls tos "
    "was xss yes ops devops gitops mlops sys vis plus minus thus does goes perhaps besides towards always "
    "sometimes texas paris atlas alias bias jboss ans les des las los sus iis cvs svs aes bios "
    "cons cosmos emacs lfs nas whereas windows "
    # -ed and -ing that are no endings
    "bed bleed bred breed embed exceed feed greed hundred indeed led need proceed red sacred seed shed sled "
    "speed succeed wed weed bring ceiling cling evening everything fling king lightning morning nothing ping "
    "ring sibling sing sling something spring sting string swing thing wing according anything being during".split()
)

# Singulars in -i and -u: "apis" and "cpus" are plurals although -is and -us mostly are not.
_VOWEL_SINGULARS = frozenset(
    "abi ai api ci cli dpi emoji gui kpi pi roi spi taxi tui ui uri wifi cpu ecu gpu mcu menu mtu npu sku tpu "
    "vcpu".split()
)

# Plurals that no rule here undoes.
_IRREGULAR = {
    "analyses": "analysis",
    "appendices": "appendix",
    "axes": "axis",
    "crises": "crisis",
    "diagnoses": "diagnosis",
    "hypotheses": "hypothesis",
    "indices": "index",
    "matrices": "matrix",
    "parentheses": "parenthesis",
    "vertices": "vertex",
}

# Names in mixed case that are one word: "JavaScript" is not about Java.
NAMES = (
    "actionscript airflow bigquery bitbucket bytedance centos chatgpt chromeos circleci clickhouse cloudflare "
    "cloudformation cloudfront cloudwatch cmake cocoapods coffeescript couchdb datadog deepmind deepseek devops "
    "duckdb dynamodb ebay eslint fastapi freebsd github gitlab gitops graphql huggingface icloud influxdb intellij "
    "ios ipad ipados iphone javascript jetbrains jquery langchain latex leveldb linkedin llamaindex macos mariadb "
    "mongodb mysql netbsd nosql nuget numpy oauth oauth2 openai openapi openbsd opencv opensearch openshift openssh "
    "openssl openstack opentelemetry pagerduty paypal postgresql powerpoint powershell pycharm pypi pypy pytorch "
    "rabbitmq rocksdb rubygems scipy sqlite swiftui teamcity tensorflow typescript tvos vscode watchos webassembly "
    "webgl webgpu webkit webrtc whatsapp wordpress youtube zeromq"
)

# What may stand between the words of a run, in a keyword as in a prompt.
SOFT = " \t\n\r\x0b\x0c\xa0-_\u2010\u2011\u2013"

_letters: "ModuleType | None" = None
_names: "frozenset[str] | None" = None


def letters() -> "ModuleType":
    """``text.letters``, loaded when text outside ASCII shows up."""
    global _letters
    if _letters is None:
        from abcd_index.text import letters as loaded

        _letters = loaded
    return _letters


def fold(text: str) -> str:
    """The exact folded form: NFKC, case folded, unseen characters dropped."""
    return text.lower() if text.isascii() else letters().fold(text)


def composed(text: str) -> str:
    """``text`` in NFKC, unseen characters dropped, its case kept."""
    return text if text.isascii() else letters().composed(text)


def folded(text: str) -> str:
    """``fold`` for a composed text."""
    return text.lower() if text.isascii() else letters().folded(text)


def bare(token: str) -> str:
    """A folded token without accents: those of Latin and Greek letters, the vowel signs of Hebrew and Arabic.

    Marks that make another letter (dakuten, the Cyrillic breve, Indic vowels) stay.
    """
    return token if token.isascii() else letters().bare(token)


def singulars(word: str) -> "tuple[str, ...]":
    """The singulars that ``word`` may be the plural of; () for most words. English only."""
    size = len(word)
    if size < 3 or word[-1] != "s" or word in WHOLE or not word.isascii() or not word.isalpha():
        return ()
    if word[-2] in "iu":
        return (word[:-1],) if word[:-1] in _VOWEL_SINGULARS else ()
    if word[-2] == "s":
        return ()
    if word[-2] == "e" and size > 3:
        if word in _IRREGULAR:
            return (_IRREGULAR[word],)
        if size == 4:
            return (word[:-1],)
        if word[-3] == "i":
            return word[:-3] + "y", word[:-1]
        if word[-4:] == "zzes":
            return word[:-3], word[:-2]
        if word[-3] in "sxzo" or word[-4:-2] in ("ch", "sh"):
            return word[:-2], word[:-1]
    return (word[:-1],)


def bases(word: str) -> "tuple[str, ...]":
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
        # "passing", "calling" and "staffing" have the doubled letter of their own, "cancelling" has not.
        own = stem[-1] in "sf" or stem[-1] == "l" and len(stem) < 6
        return (stem,) if own or len(stem) < 4 else (stem, stem[:-1])
    if stem[-3:] == "ick" and len(stem) > 4:
        return stem, stem[:-1]
    return (stem, stem + "e") if len(stem) > 2 else (stem + "e",)


def prompt_forms(word: str) -> "tuple[str, ...]":
    """The forms under which a prompt's word is looked up, itself first."""
    if len(word) < 3:
        return (word,)
    last = word[-1]
    if last == "s":
        return (word,) + singulars(word)
    if last == "g" or last == "d":
        return (word,) + bases(word)
    return (word,)


def keyword_forms(word: str) -> "tuple[str, ...]":
    """The forms under which a keyword's word is indexed: itself and, for a plural, its singulars."""
    return (word,) + singulars(word)


def kind_of(char: str) -> int:
    """What a character is in a composed text: 0 no part of a word, 1 of a word, 2 of a script without spaces,
    3 a sign such as an emoji."""
    return int(char.isalnum()) if char <= "\x7f" else letters().kinds[char]


def pieces(text: str) -> "list[tuple[int, int, int]]":
    """The runs of one kind in a folded text: [(start, end, kind)], without what belongs to no word."""
    if not text.isascii():
        others: list[tuple[int, int, int]] = letters().pieces(text)
        return others
    found, at, size = [], 0, len(text)
    while at < size:
        start = at
        while at < size and text[at].isalnum():
            at += 1
        if at > start:
            found.append((start, at, 1))
        at += 1
    return found


def stands_free(text: str, start: int, end: int) -> bool:
    """Whether the literal ``text[start:end]`` is no part of a longer word, option or path.

    A side counts only where the literal itself ends in a word: ``c++`` is in "c++17", ``.net`` in
    "asp.net". Scripts without spaces have no such sides; Hangul has one on the left, for particles follow.
    """
    first, before = text[start], text[start - 1] if start else " "
    last, after = text[end - 1], text[end] if end < len(text) else " "
    if kind_of(first) == 1 == kind_of(before) or _hangul(first) and _hangul(before):
        return False
    if first in "/@-":
        if before.isalnum() or before in "/.-_":
            return False
        # "--force-with-lease" is another option than "--force", "@a/b-c" another package than "@a/b".
        if after == "-" and text[end + 1 : end + 2].isalnum():
            return False
    return not kind_of(last) == 1 == kind_of(after)


def _hangul(char: str) -> bool:
    """Whether ``char`` is a Hangul syllable: words are spaced, particles are glued to their end."""
    return "\uac00" <= char <= "\ud7af"


def noise(chunk: str) -> bool:
    """Whether a long chunk is base64 or a hash: small letters, capitals and digits take turns all the time."""
    head = chunk[:32]
    if not head.isascii():
        return False
    sorts = head.translate(_SORTS).replace("-", "")
    if "A" not in sorts and sorts.count("0") < 4:
        return False
    turns = 0
    for turn in ("aA", "Aa", "a0", "0a", "A0", "0A"):
        turns += sorts.count(turn)
    return turns > 10


# For ``translate``: "a" for every small letter of ASCII, "A" for every capital, "0" for every digit.
_SORTS = "-" * 48 + "0" * 10 + "-" * 7 + "A" * 26 + "-" * 6 + "a" * 26 + "-" * 5


# For ``translate``: capitals to spaces, one for one, which Python does in C.
_CAPITALS = "-" * 65 + " " * 26 + "-" * 37


def camel(word: str) -> "list[str]":
    """The parts of an identifier in mixed case (as written, not folded); [word] when it is none.

    Long and digit-laden words (hashes, base64) are not cut, nor are names such as "GitHub".
    """
    size = len(word)
    if size > 60 or size < 3 or not word.isascii() or word.islower() or word.isupper() or word.istitle():
        return [word]
    if _is_name(word) or not word.isalpha() and sum(map(word.count, "0123456789")) * 3 > size:
        return [word]
    tail, *tails = word.translate(_CAPITALS).split(" ")
    parts, at = [word[: len(tail)]] if tail else [], len(tail)
    for tail in tails:
        parts.append(word[at : at + 1 + len(tail)])
        at += 1 + len(tail)
    if min(map(len, parts)) == 1:
        parts = _acronyms(word)
    # "aGVsbG8gd29ybGQ" falls into confetti: such a word is no identifier.
    if len(parts) > 2 and (size < 3 * len(parts) or sum([len(part) == 1 for part in parts]) > 1):
        return [word]
    return _named(parts) if len(parts) > 2 else parts


def _is_name(word: str) -> bool:
    global _names
    if _names is None:
        _names = frozenset(NAMES.split())
    return word.lower() in _names


def _acronyms(word: str) -> "list[str]":
    parts, start = [], 0
    for at in range(1, len(word)):
        if not word[at].isupper():
            continue
        if word[at - 1].isupper():
            after = word[at + 1 : at + 3]
            # The capital before a small letter begins a word, but an acronym may have a plural: "userIDs".
            if not after[:1].islower() or after == "s" or after[0] == "s" and after[1].isupper():
                continue
        parts.append(word[start:at])
        start = at
    return parts + [word[start:]]


def _named(parts: "list[str]") -> "list[str]":
    """The parts, those joined again that are the two halves of a name ("GitHubActions")."""
    found = [parts[0]]
    for part in parts[1:]:
        if _is_name(found[-1] + part):
            found[-1] += part
        else:
            found.append(part)
    return found
