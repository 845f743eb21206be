"""Porter's stemmer against the examples of the paper, and the ranking analysis."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abcd_index.text.porter import _SHAPES, _SPACES, _shape, analyse, stem

# M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980: the examples of each step, here with what
# the whole algorithm makes of them.
PAPER = """
caresses caress
ponies poni
ties ti
caress caress
cats cat
feed feed
agreed agre
plastered plaster
bled bled
motoring motor
sing sing
conflated conflat
troubled troubl
sized size
hopping hop
tanned tan
falling fall
hissing hiss
fizzed fizz
failing fail
filing file
happy happi
sky sky
relational relat
conditional condit
rational ration
valenci valenc
hesitanci hesit
digitizer digit
conformabli conform
radicalli radic
differentli differ
vileli vile
analogousli analog
vietnamization vietnam
predication predic
operator oper
feudalism feudal
decisiveness decis
hopefulness hope
callousness callous
formaliti formal
sensitiviti sensit
sensibiliti sensibl
triplicate triplic
formative form
formalize formal
electriciti electr
electrical electr
hopeful hope
goodness good
revival reviv
allowance allow
inference infer
airliner airlin
gyroscopic gyroscop
adjustable adjust
defensible defens
irritant irrit
replacement replac
adjustment adjust
dependent depend
adoption adopt
homologou homolog
communism commun
activate activ
angulariti angular
homologous homolog
effective effect
bowdlerize bowdler
probate probat
rate rate
cease ceas
controll control
roll roll
generalizations gener
oscillators oscil
connect connect
connected connect
connecting connect
connection connect
connections connect
"""
# Words of this trade, so that a change of the stemmer shows.
TRADE = """
deploy deploi
deploying deploi
deployment deploy
commit commit
committed commit
committing commit
retries retri
retry retri
caching cach
cache cach
authentication authent
migration migrat
migrations migrat
queries queri
running run
tests test
a a
is is
by by
"""


@pytest.mark.parametrize("table", [PAPER, TRADE], ids=["paper", "trade"])
def test_stems(table):
    pairs = [line.split() for line in table.split("\n") if line]
    wrong = [(word, stem(word), wanted) for word, wanted in pairs if stem(word) != wanted]
    assert not wrong


@given(st.text("abcdefghijklmnopqrstuvwxyz", max_size=30))
def test_a_stem_is_never_longer_than_a_letter_more_and_never_empty(word):
    found = stem(word)
    assert len(found) <= len(word) and bool(found) == bool(word)
    assert found[:2] == word[:2] or len(word) < 4


@pytest.mark.parametrize("text, terms", [
    ("", []),
    ("the and of", []),
    ("It's the user's own file", ["user", "file"]),
    ("We've deployed; they'd deploy", ["deploi", "deploi"]),
    ("don't", []),
    ("AuthLoginHandler", ["auth", "login", "handler"]),
    ("auth_login.py", ["auth", "login", "py"]),
    ("HTTP2 x9", ["http2", "x9"]),
    ("ÜBUNG übung ubung", ["ubung", "ubung", "ubung"]),
    ("文章发布", ["文章", "章发", "发布"]),
    ("布", ["布"]),
    ("деплой", ["деплой"]),
    ("x" * 65, []),
    ("a🚀deploy", ["deploi"]),
], ids=range(14))
def test_analysis(text, terms):
    assert analyse(text) == terms


@given(st.text(max_size=80), st.text(max_size=80))
def test_analysis_of_lines_is_that_of_each(one, other):
    assert analyse(one + "\n" + other) == analyse(one) + analyse(other)


def consonant(word, at):
    """The paper's definition: a letter other than a, e, i, o, u, and other than y preceded by a consonant."""
    return word[at] not in "aeiou" and (word[at] != "y" or at == 0 or not consonant(word, at - 1))


@given(st.text(st.sampled_from("aeiouyybcdlstz"), max_size=12))
def test_vowels_and_consonants_are_those_of_the_paper(word):
    assert _shape(word) == "".join("c" if consonant(word, at) else "v" for at in range(len(word)))


def test_tables_hold_what_they_say():
    assert [_SHAPES[ord(char)] for char in "abcdefghijklmnopqrstuvwxyz"] == list("vcccvcccvcccccvcccccvcccyc")
    for code in range(128):
        kept = chr(code).isalnum() or chr(code) == "'"
        assert _SPACES[code] == (chr(code) if kept else " ")


@given(st.text(st.sampled_from("abcXY'9 .-_\t\n\x1c\xe9\u2014\u017f\xdf\xa0\u2003\u6587\u5b57"), max_size=30))
def test_signs_are_cut_alike_with_and_without_other_letters(text):
    ascii_only = "".join(char for char in text if char.isascii())
    assert analyse(ascii_only + " \u2014") == analyse(ascii_only)
    words = text.translate({code: " " for code in range(128) if not chr(code).isalnum() and code != 39}).split()
    assert analyse(text) == [term for word in words for term in analyse(word)]
