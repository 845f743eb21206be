"""``benchmarks/prompts``: its figures on a set so small that they are computed by hand, its data, and its hook."""

import json
from collections import Counter

import pytest

from benchmarks.prompts import __main__ as program
from benchmarks.prompts import peers, table
from benchmarks.prompts.scoring import LINE, WHOLE, Answer, chats, interval, scores, without_given
from benchmarks.prompts.sets import OWN, Asked, read_set
from benchmarks.prompts.workspace import KEYWORDS


def asked(name, rel, text="", chat="", turn=0):
    return Asked(name, "", "plain", text, rel, chat, turn)


PROMPTS = [asked("a", {"one": 3, "two": 2}), asked("b", {"two": 3, "three": 1}), asked("c", {}), asked("d", {}),
           asked("e", {"three": 1})]
ANSWERS = {"a": Answer((("one", WHOLE), ("four", LINE)), 100), "b": Answer((("three", WHOLE), ("two", LINE)), 50),
           "c": Answer((("one", WHOLE),), 40), "d": Answer((("four", LINE),), 10), "e": Answer()}


def test_scores_are_those_computed_by_hand():
    # Wanted: one, two, two. Right: one (whole), two (line). Wrong: four twice (lines), one (whole). Three touches.
    found = scores(PROMPTS, ANSWERS)
    assert (found.precision, found.recall) == (2 / 5, 2 / 3)
    assert found.f1 == pytest.approx(2 * 0.4 * (2 / 3) / (0.4 + 2 / 3))
    assert (found.best_came, found.best_whole, found.best_first) == (1, 0.5, 0.5)
    assert (found.silent, found.no_whole) == (0, 0.5)
    assert (found.precision_whole, found.wrong_whole, found.wrong_lines) == (0.5, 1, 2)
    assert found.characters == 40


def test_shares_of_nothing_are_none():
    found = scores([PROMPTS[2]], {"c": Answer()})
    assert found.precision is found.recall is found.best_came is found.precision_whole is None
    assert (found.f1, found.silent) == (0, 1)


def test_the_interval_holds_the_figure_and_is_the_same_every_time():
    low, high = interval(PROMPTS, ANSWERS)
    assert 0 <= low < scores(PROMPTS, ANSWERS).f1 < high <= 1
    assert (low, high) == interval(PROMPTS, ANSWERS)
    assert interval(PROMPTS[:1], ANSWERS) == (0.5, 0.5)  # 1 right, 1 wrong, 2 wanted


def test_a_page_that_comes_again_in_its_chat_is_a_repeat():
    turns = [asked("a", None, chat="x"), asked("b", None, chat="x", turn=1), asked("c", None, chat="y")]
    found = chats(turns, {"a": Answer((("one", WHOLE),), 90), "b": Answer((("one", LINE), ("two", LINE)), 30),
                          "c": Answer((("one", WHOLE),), 30)})
    assert found == (3, 50, 4, 0.25)


def test_a_page_that_its_chat_has_need_not_come_again():
    turns = [asked("a", {"one": 3}, chat="x"), asked("b", {"one": 3, "two": 2}, chat="x", turn=1),
             asked("c", None, chat="y"), asked("d", {"one": 3}, chat="y", turn=1)]
    came = {name: Answer((("one", WHOLE),)) for name in "abc"}
    found = without_given(turns, {**came, "d": Answer()})
    assert [turn.rel for turn in found] == [{"one": 3}, {"one": 1, "two": 2}, None, {"one": 1}]


def test_a_substring_is_found_inside_words_and_in_any_case():
    pages = {"one": ("", ("Auth",)), "two": ("", ("a b",)), "three": ("", ())}
    found = peers.substring(pages, [asked("p", {}, "the AUTHOR of a book")])
    assert found["p"].pages == (("one", ""), ("two", ""))


def test_a_threshold_is_that_of_the_other_half():
    wants, rankings = {"one": 3}, {}
    prompts = [asked("a", wants), asked("b", wants), asked("c", {}), asked("d", {})]
    for name, figure in (("a", 5.0), ("c", 2.0), ("b", 9.0), ("d", 6.0)):
        rankings[name] = [("one", figure)]
    assert peers.best_threshold([prompts[0], prompts[2]], rankings) == 5.0
    assert peers.best_threshold([prompts[1], prompts[3]], rankings) == 9.0
    found = peers.cross_validated(prompts, rankings)
    # a and c are cut at 9, b and d at 5.
    assert {name: len(answer.pages) for name, answer in found.items()} == {"a": 0, "c": 0, "b": 1, "d": 1}


def test_the_set_is_well_formed():
    given = read_set()
    ids, prompts = [note.id for note in given.notes], [prompt.id for prompt in given.prompts]
    assert len(ids) >= 48 and len(prompts) >= 150
    assert len(set(ids)) == len(ids) and len(set(prompts)) == len(prompts)
    assert len({(note.store, note.file) for note in given.notes}) == len(ids)
    stores = {note.id: note.store for note in given.notes}
    for prompt in given.prompts:
        assert prompt.text.strip() and all(stores.get(page) == prompt.store for page in prompt.rel), prompt.id
        assert set(prompt.rel.values()) <= {1, 2, 3}
        assert prompt.kind.startswith("none-") is (not prompt.rel), prompt.id
    wanted = Counter(page for prompt in given.prompts for page in prompt.wanted())
    assert set(ids) - set(wanted) <= {"export-formats-old"}
    assert 0.4 < sum(not prompt.rel for prompt in given.prompts) / len(prompts) < 0.6
    assert all(40 <= len(note.body.split()) <= 300 for note in given.notes)
    assert sum(not note.keywords for note in given.notes) >= 4


def test_a_note_is_written_with_or_without_its_keywords():
    note = read_set().notes[0]
    assert 'recall: ["gap lock", "deadlock", "seat holds"]\n---\n' in note.text(True)
    assert "recall" not in note.text(False)


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return program.Bench(tmp_path_factory.mktemp("bench"), read_set(), "author")


def test_the_function_and_the_process_give_the_same(bench):
    prompts = bench.given.prompts[:3] + bench.given.prompts[-2:]
    here = bench.ask([prompt._replace(chat="here-" + prompt.id) for prompt in prompts])
    there = bench.ask([prompt._replace(chat="there-" + prompt.id) for prompt in prompts], in_processes=True)
    assert here == there
    assert here[prompts[0].id].pages[0] == ("gap-locks", WHOLE)


def test_a_chat_is_one_session(bench):
    first = bench.given.prompts[0]
    turns = [first._replace(id="t%d" % turn, chat="chat", turn=turn) for turn in range(2)]
    found = bench.ask(turns)
    assert found["t0"].pages and ("gap-locks", WHOLE) not in found["t1"].pages


def test_lines_and_whole_pages_are_told_apart(bench):
    store = bench.stores["ferry"]
    text = ("## Two holds  (.abcd/memory/pitfall_db_gap_locks.md · workspace · matched: deadlock)\n## Status\n"
            "- `howto_db_flyway.md` — howto | db | Changing\n- [No page](elsewhere.md) — x\n")
    assert store.answer(text) == Answer((("gap-locks", WHOLE), ("flyway", LINE)), len(text))


def test_the_table_is_printed_and_another_set_can_be_given(tmp_path, monkeypatch, capsys):
    page = {"id": "one", "file": "a/note.md", "frontmatter": "name: Ducks\n", "body": "All about ducks.",
            "author_keywords": ["duck"]}
    prompts = [{"id": "p", "prompt": "where is the duck?", "rel": {"one": 3}, "kind": "plain", "chat": "c", "turn": 0},
               {"id": "q", "prompt": "thanks", "rel": {}, "kind": "none", "chat": "c", "turn": 1}]
    (tmp_path / "pages.jsonl").write_text(json.dumps(page) + "\n")
    (tmp_path / "prompts.jsonl").write_text("".join(json.dumps(prompt) + "\n" for prompt in prompts))
    monkeypatch.setattr("sys.argv", ["prompts", "--set", str(tmp_path), "--systems", "hook", "substring", "--kinds"])
    assert program.main() == 0
    out = capsys.readouterr().out
    assert out.startswith("keywords: author") and "substring" in out and "plain (1)" in out
    monkeypatch.setattr("sys.argv", ["prompts", "--set", str(tmp_path), "--chats"])
    assert program.main() == 0
    assert "2 turns" in capsys.readouterr().out


def test_the_kept_figures_are_of_this_set():
    data = json.loads(table.RESULTS.read_text(encoding="utf-8"))
    given = read_set(OWN)
    assert (data["notes"], data["prompts"]) == (len(given.notes), len(given.prompts))
    assert set(data["figures"]) == set(KEYWORDS)
    assert {"hook", "substring"} <= set(data["figures"]["author"])
