"""A prompt read: its parts, its limits, the weights of its ranking terms; hits and their weights."""

import subprocess
import sys

import pytest

from abcd_index.agenthooks.match import EXACT, INFLECTED, UNACCENTED, ZONE_WEIGHT, excluded, match
from abcd_index.agenthooks.prompt import HEAD, PART, PASTED, TAIL, TYPED, Prompt
from abcd_index.text.patterns import entries
from abcd_index.text.segment import PARAGRAPH, PASTED_HEAD, PASTED_TAIL, ends


def lookup(*keywords):
    postings = {}
    for number, keyword in enumerate(keywords):
        for key, entry in entries(keyword):
            postings.setdefault(key, []).append([entry, [number], []])
    return lambda key: postings.get(key, [])


def only(keyword, text):
    hits = match(Prompt(text), lookup(keyword))
    assert len(hits) <= 1
    return hits[0] if hits else None


# Weights

@pytest.mark.parametrize("keyword, text, weight", [
    ("deploy", "deploy", EXACT),
    ("deploy", "deploys", INFLECTED),
    ("déploiement", "deploiement", UNACCENTED),
    ("deploy", "DeployHandler", ZONE_WEIGHT[PART]),
    ("deploys", "DeployHandler", INFLECTED * ZONE_WEIGHT[PART]),
    ("deploy", "see https://h/deploy", ZONE_WEIGHT[PASTED]),
    ("code review", "code reviews", INFLECTED),
    ("naïve approach", "naive approach", UNACCENTED),
    ("C++", "why?\n```\nC++\n```", ZONE_WEIGHT[PASTED]),
])
def test_weight_is_spelling_times_zone(keyword, text, weight):
    assert only(keyword, text).weight == pytest.approx(weight)


@pytest.mark.parametrize("text", [
    "deploys, https://h/deploy and then deploy",
    "deploy\n\n> deploys",
    "> deploys\n\ndeploy",
    "```\ndeploy\n```\nDeployHandler and deploy",
])
def test_the_best_place_counts(text):
    hit = only("deploy", text)
    assert (hit.weight, hit.zone, hit.seen) == (EXACT, TYPED, "deploy")


def test_a_run_counts_as_little_as_its_least_word():
    assert only("login deploy", "login https://h/x") is None
    hit = only("rate limit", "why?\n```\nrate limits\n```")
    assert hit.zone == PASTED and hit.seen == "rate limits" and hit.length == 2


def test_one_hit_for_each_keyword_and_in_the_order_of_the_prompt():
    hits = match(Prompt("the rate limit of auth, then auth"), lookup("auth", "limit", "rate limit", "rate", "rate-limit"))
    assert [(hit.normal, hit.length) for hit in hits] == [("rate limit", 2), ("rate", 1), ("limit", 1), ("auth", 1)]


def test_pages_and_domains_of_a_hit_are_the_postings():
    hit, = match(Prompt("auth"), lambda key: [[["auth"], [1, 5], [2]]] if key == "auth" else [])
    assert (hit.pages, hit.domains, hit.seen) == ([1, 5], [2], "auth")


def test_exclude_names_the_first_word_that_is_there():
    words = [pair for word in ("draft", "dry run", "草稿") for pair in entries(word)]
    assert excluded(Prompt("only drafts"), words) == "draft"
    assert excluded(Prompt("a DRY-RUN"), words) == "dry run"
    assert excluded(Prompt("这是草稿吗"), words) == "草稿"
    assert excluded(Prompt("run it dry"), words) == ""
    assert excluded(Prompt("draft"), []) == ""
    # As an artefact holds them.
    assert excluded(Prompt("a draft"), [["draft", ["draft"]]]) == "draft"


# Parts

def test_slash_command():
    prompt = Prompt("/plan-it the auth module")
    assert (prompt.command, prompt.typed, prompt.machine) == ("/plan-it", "the auth module", False)
    assert Prompt("/etc/x y").command == ""
    assert Prompt("/").command == ""
    assert Prompt("a /plan").command == ""
    assert Prompt("/plan\nthe auth").typed == "the auth"


def test_stars():
    assert Prompt("*DEPLOY, (*Auth) *my-domain **bold** *it* a*b * x *.py\n```\n*no\n```").starred == {"deploy", "auth", "my-domain"}


def test_empty_and_machine():
    for text in ("", " ", "\n\n", "...", "\ufeff", "\u200d"):
        assert Prompt(text).empty, text
        assert Prompt(text).forms() == {} and Prompt(text).stems() == {}
    prompt = Prompt("<task-notification>deploy")
    assert prompt.machine and prompt.empty and prompt.stems() == {}
    assert not Prompt("the").empty, "a stop word may begin a phrase"


def test_line_ends_of_every_system():
    for end in ("\n", "\r\n", "\r"):
        prompt = Prompt(end.join(("why?", "```", "deploy", "```", "auth")))
        assert "auth" in prompt.typed and "deploy" not in prompt.typed and "deploy" in prompt.pasted


def test_typed_and_pasted_of_a_mixed_prompt():
    prompt = Prompt("why?\n\n```py\nfoo()\n```\n> quoted\n2026-07-01 12:00:00 logged\n<!-- aside -->\nand so?")
    assert prompt.typed.split() == ["why?", "and", "so?"]
    assert all(word in prompt.pasted for word in ("foo()", "quoted", "logged", "aside"))


# Limits

def test_the_middle_of_a_huge_prompt_is_not_read():
    filler = "word " * 20000
    prompt = Prompt("deploy now\n\n" + filler + "\n\nunseen\n\n" + filler + "\n\nand auth?")
    assert only("deploy", prompt.typed) and only("auth", prompt.typed)
    assert "unseen" not in prompt.words
    assert len(prompt.typed) <= 2 * PARAGRAPH + 2
    assert len(prompt.pasted) <= PASTED_HEAD + PASTED_TAIL + 2


def test_a_word_in_the_middle_of_a_long_paste_is_pasted():
    lines = "\n".join("some line %d of it" % i for i in range(250))
    text = "why does it fail?\n\n" + lines[:2500] + "\ndeploy\n" + lines[2500:] + "\n\nplease auth"
    assert only("fail", text).zone == TYPED
    assert only("auth", text).zone == TYPED
    assert only("deploy", text).zone == PASTED


def test_a_long_typed_line_is_typed_at_both_ends():
    text = "deploy " + "x " * 3000 + "auth"
    assert only("deploy", text).zone == only("auth", text).zone == TYPED


@pytest.mark.parametrize("blob", ["a" * 10 ** 6, "一" * 10 ** 5, "a\n" * 10 ** 5, "ab cd " * 10 ** 5])
def test_what_stands_around_a_blob_is_found(blob):
    hits = match(Prompt("deploy it\n" + blob + "\nwith auth"), lookup("deploy", "auth"))
    assert [hit.normal for hit in hits] == ["deploy", "auth"]


def test_a_cut_leaves_no_half_word():
    text = "x" * (HEAD - 3) + " deployment " + "y " * 20000
    assert only("deploy", text) is None
    text = "y " * 20000 + "redeploy " + "x" * (TAIL - 7)
    assert only("deploy", text) is None
    assert ends("abc def ghi", 100, 100) == "abc def ghi"


def test_work_grows_with_the_limit_and_not_with_the_prompt():
    """A megabyte of anything leaves no more tokens than the limits allow for."""
    for part in ("a.", "aB ", "<!-- x -->", "> q\n", "*x ", "一二", "é ", "/a", "```\n", '<abcd-memory bracket="', "x1Y2", "\ufdfa"):
        prompt = Prompt(part * (10 ** 6 // len(part)))
        assert len(prompt.tokens) < 30000, part
        assert len(prompt.typed) + len(prompt.pasted) < 40000, part
        prompt.stems()


PASTES = {
    "a log": "2026-07-01T12:00:%02d INFO deploy of worker %d took 10.0.%d.1",
    "a stack": "\tat com.acme.DeployService.retry%d(DeployService.java:%d) at HTTPServerError %d",
    "JSON": '{"deploy": %d, "userId": "%d", "tags": ["a", "b%d"]}',
    "source": "    def deploy_%d(self, retryCount=%d):  # it's C++ and C#%d\n\n",
    "other letters": "\u0434\u0435\u043f\u043b\u043e\u0439 %d caf\xe9 %d \u2192 deploy %d",
    "no spaces between words": "\u90e8\u7f72\u5931\u6557%d\u3001\u518d\u8a66\u884c %d deploy=%d",
}


@pytest.mark.parametrize("line", PASTES.values(), ids=PASTES)
def test_pasted_text_is_searched_and_not_numbered(line):
    text = "why?\n```\nthe rate limits of d\xe9ploy\n" + "\n".join([line % (n, n, n) for n in range(500)])
    prompt = Prompt(text)
    assert len(prompt.tokens) < 10, "only what was typed has positions"
    found = {hit.normal: (hit.zone, hit.seen) for hit in match(prompt, lookup(
        "deploy", "d\xe9ploy", "rate limit", "limits of", "the limit", "C++", "retry count", "http server error"))}
    assert found["rate limit"] == (PASTED, "rate limits") and found["limits of"] == (PASTED, "limits of")
    assert found["d\xe9ploy"] == (PASTED, "d\xe9ploy") and "deploy" in found and "the limit" not in found
    for keyword, spelling in (("C++", "C++"), ("retry count", "retryCount"), ("http server error", "HTTPServerError")):
        assert (keyword.lower() in found) == (spelling in line), keyword


# Ranking terms

def test_of_a_long_paste_the_first_and_the_last_words_are_ranking_terms():
    words = ["%s%s" % (a, b) for a in "bdfgklmnpr" for b in ("ap", "ep", "ip", "op", "up", "ak", "ek", "ik", "ok", "uk", "am", "em")]
    stems = Prompt("why?\n```\n" + "\n".join(["%d %s" % pair for pair in enumerate(words)]) + "\n```").stems()
    assert {words[0], words[39], words[-1], words[-20]} <= set(stems)
    assert words[40] not in stems and words[-21] not in stems
    assert len(Prompt("why?\n```\n" + " ".join(words[:60])).stems()) == 60
    assert "\u7f72\u5931" in Prompt("why?\n```\n\u90e8\u7f72\u5931\u6557\n```").stems()

def test_stems_count_what_was_typed_and_little_of_what_was_pasted():
    stems = Prompt("deploy the deploys of auth\n```\nrollback auth\n```").stems()
    assert stems["deploi"] > stems["auth"] == 1.0 > stems["rollback"] > 0
    assert "the" not in stems


def test_matching_loads_next_to_nothing():
    code = ("import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules)\n"
            "from abcd_index.agenthooks.match import match\nfrom abcd_index.agenthooks.prompt import Prompt\n"
            "match(Prompt('fix the AuthLogin of src/x.py, please'), lambda key: [])\n"
            "print(sorted(set(sys.modules) - before))")
    root = __file__.rpartition("tests")[0]
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, root], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(["abcd_index", "abcd_index.agenthooks", "abcd_index.agenthooks.match",
                                       "abcd_index.agenthooks.prompt", "abcd_index.text",
                                       "abcd_index.text.normalise"])


# Files that are named

@pytest.mark.parametrize("text, seen", [
    ("open src/auth/login.ts", "login"), ("see `src/auth/login.test.ts`,", "login"), ("open app/package.json", "package.json"),
    ("open app/my.config.json", "config.json"), ("look into src/login/", "login"), ("C:\\shop\\login.py fails", "login"),
    ("see docs/canvas-transforms.md.", "canvas transforms"), ("@src/login.ts", "login")])
def test_a_typed_path_names_its_file(text, seen):
    assert Prompt(text).named(seen)


@pytest.mark.parametrize("text, seen", [
    ("open src/a/x.json", "json"), ("open app/package.json", "json"), ("open src/auth/login.ts", "auth"),
    ("https://example.org/login", "login"), ("login", "login"), ("why?\n```\nsrc/auth/login.ts\n```", "login")])
def test_other_words_name_no_file(text, seen):
    assert not Prompt(text).named(seen)


@pytest.mark.parametrize("text", ["fix undo.layers", "fix undo.layers()", "(undo.layers) is slow", "undo.layers, then?"])
def test_a_dotted_name_is_one_name(text):
    prompt = Prompt(text)
    kinds = {token[0]: token[2] for token in prompt.tokens if token is not None}
    assert kinds["undo"] == kinds["layers"] == PART
