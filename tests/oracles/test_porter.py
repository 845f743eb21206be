"""Our Porter stemmer beside another implementation of the same algorithm, over English words and made ones."""

import itertools

import pytest

from abcd_index.text.porter import stem

snowballstemmer = pytest.importorskip("snowballstemmer")
english_words = pytest.importorskip("english_words")

# Of Webster's list, so many are left out between two that are taken: the test stays below two seconds.
EVERY = 4
# Stems of one to three syllables that end in every letter, doubled ones and "y" among them.
STEMS = ("a b cr sky ow tray bo fly tre ab add ebb egg fall hiss fizz hop tan trek trekk savv rev plan occur motor "
         "fil sens troubl siz conflat rat oper hesit digit conform radic differ vil analog vietnam feudal decis hope "
         "callous form electr good reviv allow infer airlin gyroscop adjust defens irrit replac depend adopt homolog "
         "commun activ angular effect bowdler gener oscill connect queri retri lay employ tool hug gog llam").split()
# What the paper's steps look for, the parts of them, and pairs of two.
ENDINGS = ("s ss sses ies es eed ed ing y ational tional enci anci izer abli alli entli eli ousli ization ation ator "
           "alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness al ance ence er ic "
           "able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e l ll at bl iz logi bli").split()
# Stated differences. The paper's rule "double consonant and not (L or S or Z)" holds for every consonant; the other
# implementation knows only these. And words of one or two letters stay as they are, as in Porter's own programs:
# "is" and "as" would otherwise be "i" and "a".
UNDOUBLED = tuple("bdfgmnprt")


def undoubled_by_us_alone(word):
    """Whether "-ed" or "-ing" leaves a double consonant that the other implementation does not know."""
    for ending in ("ed", "ing"):
        left = word[: -len(ending)]
        if word.endswith(ending) and len(left) > 1 and left[-1] == left[-2]:
            return left[-1] not in UNDOUBLED and left[-1] not in "aeioulsz"
    return False


def differences(words):
    """[(word, ours, theirs)] of the words that the two implementations stem differently, stated ones left out."""
    theirs = snowballstemmer.stemmer("porter").stemWords(words)
    return [(word, stem(word), other) for word, other in zip(words, theirs)
            if stem(word) != other and len(word) > 2 and not undoubled_by_us_alone(word)]


def test_english_words():
    words = sorted(english_words.get_english_words_set(["web2"], alpha=True, lower=True))[::EVERY]
    words = [word for word in words if word.isascii()]
    assert len(words) > 50_000
    assert differences(words) == []


def test_every_ending_on_every_stem():
    endings = ENDINGS + [one + other for one, other in itertools.product(ENDINGS, ENDINGS)]
    words = sorted({first + ending for first in STEMS for ending in endings[::3] + ENDINGS})
    assert len(words) > 50_000
    assert differences(words) == []


@pytest.mark.parametrize("word, ours, theirs", [
    ("untrekked", "untrek", "untrekk"), ("savvied", "savvi", "savvi"), ("hajjing", "haj", "hajj"),
    ("is", "is", "i"), ("as", "as", "a"), ("ay", "ay", "ai"),
])
def test_the_stated_differences_are_there(word, ours, theirs):
    assert (stem(word), snowballstemmer.stemmer("porter").stemWord(word)) == (ours, theirs)
