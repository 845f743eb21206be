"""What a page could be asked for by: the words of its name, title, description, headings and text, and its phrases.

A phrase is two or three words that belong together: those of a title, of a code span, or a pair that the page says
again and again. What nobody types as a keyword is no candidate: hashes, dates, versions, numbers with a unit, what a
link leads to, function words of any main language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from abcd_index.store.markdown import ATX, Lines, first_text
from abcd_index.text.everyday import is_everyday
from abcd_index.text.normalise import noise
from abcd_index.text.plain_words import FUNCTION
from abcd_index.text.porter import STOP, analyse

# Where a candidate stands, best first.
ALIAS, TAG, NAME, TITLE = "alias", "tag", "name", "title"
DESCRIPTION, HEADING, TEXT = "description", "heading", "text"
PLACES = (ALIAS, TAG, NAME, TITLE, DESCRIPTION, HEADING, TEXT)
# A pair of words that the text says as often is a phrase.
REPEATED = 3

_LINKS = re.compile(r"!?\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])|^ {0,3}\[[^\]\n]+\]:.*$", re.MULTILINE)
_WIKI = re.compile(r"\[\[(?:[^\]|\n]*\|)?([^\]\n]*)\]\]")
_AWAY = re.compile(r"<?\b[a-z][a-z0-9+.-]*://\S+|</?\w[^>\n]*>|\S+@\S+\.\w+")
_SPAN = re.compile(r"`([^`\n]{2,60})`|\*\*([^*\n]{2,60})\*\*")
_WORD = re.compile(r"[^\W_](?:[\w'.+#-]*[\w+#])?")
_JOINT = re.compile(r"[ \t]+")
_NUMBER = re.compile(r"v?\d[\d.,:/x-]*[a-z%]{0,4}|(?=[a-f-]*\d)(?:0x)?[0-9a-f-]{6,}|\w?\d{3,}\w?|[\d-]+", re.IGNORECASE)
_CHINESE = re.compile(r"[\u3400-\u9fff]{2,}|[\u30a1-\u30fa\u30fc]{2,}")
# Characters that stand between Chinese or Japanese words rather than in one.
_PARTICLES = re.compile(
    r"[的了在是和与或及对把被将为以于从到就都也还不没有"
    r"这那个们之其并而很更最可会能要让给用]+"
)
# Chinese and Japanese words are found as the characters that a page says together again and again.
_SHORTEST, _LONGEST = 2, 4
# What a title says of the kind of page, not of its subject.
_KINDS = frozenset(
    "adr basics checklist convention conventions decision details documentation faq feedback gotcha guide guideline "
    "guidelines handbook howto instructions introduction lesson lessons management memory notes overview pitfall "
    "policy process project readme reference rules runbook standards strategy summary tutorial user".split()
)


class Candidate:
    """``spelled``: as the page first spells it; ``stems``: its ranking terms; ``times``: how often the page says it;
    ``places``: where; ``named``: whether it looks like a name (capitals, an identifier, a code span)."""

    __slots__ = ("spelled", "stems", "times", "places", "named")

    def __init__(self, spelled: str, stems: tuple[str, ...]) -> None:
        self.spelled = spelled
        self.stems = stems
        self.times = 0
        self.places: set[str] = set()
        self.named = False

    @property
    def where(self) -> str:
        """The best place."""
        return next((place for place in PLACES if place in self.places), TEXT)


class Candidates(dict[str, Candidate]):
    """{stems in a row: Candidate} of a page."""

    def __init__(self) -> None:
        super().__init__()
        self._chinese: list[tuple[str, str]] = []

    def read(self, place: str, text: str) -> None:
        """Take up what a text at a ``place`` says."""
        subject = place in (NAME, TITLE)
        for run in _runs(text, subject):
            if _CHINESE.fullmatch(run[0][0]):
                self._chinese.append((place, run[0][0]))
                continue
            for word, inside in run:
                if not all(map(is_everyday, analyse(word))) and word.lower() not in _KINDS:
                    self._add(place, word, is_identifier(word) or inside and word[0].isupper())
            if 1 < len(run) < 4 and (subject or place == HEADING):
                self._add(place, " ".join(word for word, _ in run))
            for (first, _), (second, inside) in zip(run, run[1:]):
                both = inside and first[0].isupper() and second[0].isupper()
                self._add(place if subject else "", f"{first} {second}", both and place == TEXT)

    def offer(self, place: str, spelled: str) -> None:
        """Take up an alias or a tag as it is written."""
        if spelled.lower() not in _KINDS and not all(map(is_everyday, analyse(spelled))):
            self._add(place, spelled)
            one = self.get("".join(analyse(spelled)))
            if one is not None:
                one.spelled = spelled

    def read_spans(self, text: str) -> None:
        """Take up the code spans and what is set in bold of a text."""
        for span in _SPAN.finditer(text):
            for run in _runs(span[1] or span[2]):
                if len(run) < 4:
                    self._add(TEXT, " ".join(word for word, _ in run), True)

    def read_chinese(self) -> None:
        """Take up the groups of Chinese characters that are said again and again."""
        counts: Counter[str] = Counter()
        for _, run in self._chinese:
            for size in range(_SHORTEST, _LONGEST + 1):
                counts.update(run[at : at + size] for at in range(len(run) - size + 1))
        wholes = {run for place, run in self._chinese if len(run) <= _LONGEST and place != TEXT}
        longer = {
            part
            for group, times in counts.items()
            for part in (group[:-1], group[1:])
            if len(group) > _SHORTEST and counts[part] == times
        }
        for place, run in self._chinese:
            for group in _groups(run):
                if group not in FUNCTION and (group in wholes or counts[group] > 1 and group not in longer):
                    self._add(place, group)

    def _add(self, place: str, spelled: str, named: bool = False) -> None:
        stems = tuple(analyse(spelled))
        if not stems or len(stems) > 4:
            return
        key = "".join(stems)
        one = self.get(key)
        if one is None:
            one = self[key] = Candidate(small(spelled), stems)
        elif one.spelled.islower() and is_identifier(spelled):
            one.spelled, one.stems = spelled, stems
        one.times += 1
        one.named = one.named or named
        if place:
            one.places.add(place)


def candidates(name: str, title: str, description: str, body: str) -> Candidates:
    """The Candidates of a page's texts. A page without a description has its first line for one."""
    found = Candidates()
    lines = _plain("\n".join(line for _, line in Lines(body).visible())).split("\n")
    prose = "\n".join(line for line in lines if not ATX.match(line))
    found.read(NAME, name.replace("-", " ").replace("_", " "))
    found.read(TITLE, _plain(title))
    found.read(DESCRIPTION, _plain(description or first_text(body)))
    for line in lines:
        if ATX.match(line):
            found.read(HEADING, line.strip("# \t"))
    found.read(TEXT, prose)
    found.read_spans(prose)
    found.read_chinese()
    return found


def _plain(text: str) -> str:
    """A text without what links lead to, addresses and tags."""
    return _AWAY.sub(" ", _WIKI.sub(r"\1", _LINKS.sub(lambda link: link[1] or " ", text)))


def small(spelled: str) -> str:
    """A spelling without the capitals of a heading; those of an acronym or an identifier stay."""
    return " ".join(word.lower() if word.istitle() else word for word in spelled.split(" "))


def _runs(text: str, subject: bool = False) -> Iterator[list[tuple[str, bool]]]:
    """The runs of words that say something: [(word, whether it stands inside its sentence)], with nothing but blanks
    between them. Of Chinese and Japanese each piece is a run. ``subject``: words for kinds of pages end a run."""
    run: list[tuple[str, bool]] = []
    end = 0
    for found in _WORD.finditer(text):
        word, gap = found[0], text[end : found.start()]
        silent = _says_nothing(word) or subject and word.lower() in _KINDS
        if run and (silent or not _JOINT.fullmatch(gap)):
            yield run
            run = []
        inside = bool(end) and (_JOINT.fullmatch(gap) is not None or gap in (" (", " `"))
        end = found.end()
        chinese = _CHINESE.search(word)
        if chinese:
            for piece in _CHINESE.findall(word):
                yield from ([(one, False)] for one in _PARTICLES.split(piece) if len(one) >= _SHORTEST)
        elif not silent:
            run.append((word, inside))
    if run:
        yield run


def _groups(run: str) -> Iterator[str]:
    for size in range(_SHORTEST, _LONGEST + 1):
        for at in range(len(run) - size + 1):
            yield run[at : at + size]


def _says_nothing(word: str) -> bool:
    low = word.lower()
    return (
        len(word) < 2
        or low in STOP
        or low in FUNCTION
        and not word.isupper()
        or _NUMBER.fullmatch(word) is not None
        or len(word) > 40
        or len(word) > 12
        and noise(word)
        or not any(char.isalpha() for char in word)
    )


def is_identifier(word: str) -> bool:
    """Whether a word is spelled as names of code are: capitals after the first letter, a digit or a sign inside."""
    return word[1:] != word[1:].lower() or any(char in "._#+" or char.isdigit() for char in word)
