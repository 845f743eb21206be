"""What holds for any keyword and any prompt."""

import unicodedata

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from abcd_index.agenthooks.match import excluded, match
from abcd_index.agenthooks.prompt import JOINED, PART, PASTED, SIGN, TYPED, Prompt
from abcd_index.text.normalise import bare, camel, fold, noise
from abcd_index.text.patterns import entries, normal_form, weakness
from abcd_index.text.porter import analyse

# Characters that have given matchers trouble, often enough to meet one another.
ODD = ("aAbBsSeEdDiInNgG019 _-./\\'\"`*#+@:()[]{}<>!?,;~|&=$^%\n\t\r\0\xa0\xad\u0301\u0308\u200b\u200d\u202e\ufeff\u2019"
       "\u2011\u2013\u2014éßıİœøšЙйёЁاأآؤـًשּׁनियम发布デプ\u3099ﾃﾞ배포를กำ\u0e33ĳﬁ½²㎏Ⅷ𝓪𠮷🚀👩❤️#️⃣\u1e9e\u0345ΐς\ud800")
text = st.text(st.one_of(st.sampled_from(ODD), st.characters()), max_size=60)
keyword = st.text(st.one_of(st.sampled_from(ODD), st.characters()), max_size=12)
pieces_of_prompts = st.lists(st.one_of(text, st.sampled_from([
    "```", "\n", "\n\n", "> ", "<!--", "-->", "<abcd-memory bracket=\"FRESH\">", "</abcd-memory>", "ERROR ", "/plan ",
    "*DEPLOY", "https://h/x", "src/auth/x.py", "C++", "useSession", "2026-07-01 12:00:00 ", "<task-notification>", "commit"])),
    max_size=12).map("".join)


def hits(word, prompt):
    postings = {}
    for key, entry in entries(word):
        postings.setdefault(key, []).append([entry, [0], []])
    return match(prompt, lambda key: postings.get(key, []))


@given(keyword, pieces_of_prompts)
@settings(max_examples=400, deadline=None)
def test_nothing_raises_and_figures_are_in_bounds(word, prompt_text):
    prompt = Prompt(prompt_text)
    for hit in hits(word, prompt):
        assert 0 < hit.weight <= 1
        assert hit.zone in (TYPED, PART, PASTED)
        assert hit.normal == normal_form(word)
        assert 1 <= hit.length <= 200
        assert hit.seen
    excluded(prompt, entries(word))
    assert all(weight > 0 for weight in prompt.stems().values())
    assert isinstance(weakness(word), str)
    analyse(prompt_text)


@given(pieces_of_prompts)
@settings(max_examples=300, deadline=None)
def test_positions_are_those_of_the_tokens(prompt_text):
    prompt = Prompt(prompt_text)
    at = {}
    for place, token in enumerate(prompt.tokens):
        if token is not None:
            word, exact, kind = token
            assert word and exact and kind in (TYPED, PART, PASTED, SIGN, JOINED)
            assert not word.isspace() and bare(exact) == word
            at.setdefault(word, []).append(place)
    assert at == {word: places for word, places in prompt.words.items() if places}
    assert prompt.empty == (not prompt.words)
    assert set(prompt.words) <= set(prompt.forms())
    for word, places in prompt.words.items():
        assert set(places) <= set(prompt.forms()[word])


@given(pieces_of_prompts)
@settings(max_examples=300, deadline=None)
def test_pasted_words_are_those_of_the_run(prompt_text):
    prompt = Prompt("why?\n```\n" + prompt_text)
    run = {word for word in prompt.run.split() if word[-1] != "#" and word != "\0"}
    for word in run:
        assert bare(word) in prompt.words
        assert word in prompt.pasted_as(bare(word))
    for form in prompt.forms():
        for exact in prompt.pasted_as(form):
            assert " " + exact + " " in prompt.run


@given(keyword)
@settings(max_examples=1500, deadline=None)
@example("C++").via("symbols")
@example("\u1e9e").via("a capital that folds to two letters")
@example("x\u0345").via("folding undoes the normalisation")
@example("-a").via("an option")
@example("a'S b")
def test_a_keyword_finds_itself(word):
    # On one line: a line of its own that begins with ">" is a quote.
    word = " ".join(word.split())
    known = entries(word)
    prompt = Prompt(word)
    assume(known and not prompt.machine)
    found = hits(word, prompt)
    assert len(found) == 1
    assert hits(word, Prompt("x " + word + " x")), "in the middle of a prompt"


@given(st.text(st.characters(categories=["L", "N", "Pd", "Zs"]), max_size=12),
       st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
@settings(max_examples=800, deadline=None)
@example("D\xe9ploiement", "NFD")
@example("\uff24\uff25\uff30", "NFKC")
@example("\ubc30\ud3ec", "NFD")
@example("\u0e01\u0e33", "NFKD")
def test_another_form_or_case_finds_it_too(word, form):
    known = entries(word)
    assume(known)
    for other in (unicodedata.normalize(form, word), word.casefold(), word.upper() if fold(word.upper()) == fold(word) else word):
        if Prompt(other).command:
            continue
        assert hits(word, Prompt(other)), other
        assert normal_form(other) == normal_form(word)
        assert entries(other) or not entries(word)


@given(keyword)
@settings(max_examples=500, deadline=None)
def test_the_normal_form_is_stable(word):
    normal = normal_form(word)
    assert fold(normal) == normal
    # A version stands there with its "v" and without.
    assert all(entry[0].lstrip("v") == normal.lstrip("v") for _, entry in entries(word))
    assert all(key and key == bare(key) for key, _ in entries(word))
    assert normal_form(normal) == normal or not entries(word)


@given(st.text(max_size=40).map(lambda words: "".join(words.split())))
def test_an_identifier_comes_apart_without_loss(word):
    assert "".join(camel(word)) == word
    assert all(camel(word)) or not word


@given(st.text(st.sampled_from("aaabAABZ0019-_/+= \xe9"), max_size=40))
@example("aB3dE5gH1jK2mN4pQ6sT8vW0yZ").via("base64")
def test_noise_is_more_than_ten_turns(chunk):
    head = chunk[:32]
    sorts = ["a" if char.islower() else "A" if char.isupper() else "0" for char in head if char.isalnum()]
    turns = sum(a != b for a, b in zip(sorts, sorts[1:]))
    few = "A" not in sorts and sorts.count("0") < 4
    assert noise(chunk) == (head.isascii() and turns > 10 and not few)


