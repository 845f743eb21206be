"""Ranking quality on the collection that is kept here; the measures themselves; the gate."""

import json
import sys

import pytest
from conftest import ROOT

from abcd_index.artefact import bm25f as score
from abcd_index.build import weights

sys.path.insert(0, str(ROOT))

from benchmarks.quality import ours, texts  # noqa: E402
from benchmarks.quality.__main__ import Row, measure, table  # noqa: E402
from benchmarks.quality.gate import gate  # noqa: E402
from benchmarks.quality.measures import measures, p_value  # noqa: E402


def test_measures_of_a_perfect_ranking():
    assert measures(["a", "b"], {"a": 2, "b": 1}) == (1.0, 1.0, 1.0)


def test_measures_as_trec_eval_has_them():
    # gain 1/log2(3) + 2/log2(5); the best order gives 2 + 1/log2(3)
    ndcg, rr, recall = measures(["x", "b", "y", "a"], {"a": 2, "b": 1, "c": 0})
    assert ndcg == pytest.approx((0.63093 + 0.86135) / 2.63093, abs=1e-4)
    assert (rr, recall) == (0.5, 1.0)


def test_only_the_first_ten_count():
    assert measures([str(number) for number in range(20)], {"15": 1}) == (0.0, 0.0, 0.0)


def test_chance_of_equal_and_of_different_engines():
    same = {str(number): (0.5, 0, 0) for number in range(40)}
    better = {str(number): (0.9, 0, 0) for number in range(40)}
    assert p_value(same, same) == 1.0
    assert p_value(better, same) < 0.001


def test_the_gate_is_missed_when_a_peer_is_better():
    rows = {("bm25f", "c"): Row({str(n): (0.5, 0, 0) for n in range(40)}, 0, 0),
            ("peer", "c"): Row({str(n): (0.6, 0, 0) for n in range(40)}, 0, 0)}
    lines, held = gate("bm25f", ["peer"], ["c"], rows)
    assert not held and "MISSED" in "".join(lines)
    lines, held = gate("peer", ["bm25f"], ["c"], rows)
    assert held and "MISSED" not in "".join(lines)


def test_the_collection_of_notes_is_whole():
    notes = texts.notes()
    known = {doc["id"] for doc in notes.docs}
    assert len(notes.docs) >= 40 and len(notes.queries) >= 80
    assert all(set(pages) <= known and max(pages.values()) > 0 for pages in notes.relevant.values())
    assert {page for pages in notes.relevant.values() for page in pages} == known


def test_bm25f_finds_the_pages_of_the_notes():
    row = measure(texts.notes(), ours.ENGINES["bm25f"])
    signal = measure(texts.notes(), ours.ENGINES["signal"])
    assert row.mean(0) > 0.82 and row.mean(1) > 0.80 and row.mean(2) > 0.89
    assert row.mean(0) > signal.mean(0) + 0.25
    assert len(table("x", ["bm25f"], ["notes"], lambda engine, name: row.mean(0))) == 2


def test_the_documented_table_is_the_one_that_was_measured():
    rows = {"bm25f": "bm25f", "lunr.py": "lunr", "tantivy": "tantivy", "Whoosh (BM25F)": "whoosh", "signal": "signal",
            "bm25s with a stemmer": "bm25s", "SQLite FTS5, Porter, title 5:1": "fts5", "rank_bm25": "rank_bm25"}
    found = json.loads((ROOT / "benchmarks" / "quality" / "results.json").read_text())
    names = ["notes", "cacm", "cran", "mddocs", "stackfaq"]
    lines = (ROOT / "docs" / "explanation" / "ranking.md").read_text(encoding="utf-8").splitlines()
    for shown, engine in rows.items():
        values = [found[name][engine]["nDCG@10"] for name in names]
        cells = " | ".join(f"{value:.4f}" for value in values + [sum(values) / len(values)])
        assert f"| {shown} | {cells} |" in lines


def test_the_documented_figures_are_those_of_the_code():
    text = (ROOT / "docs" / "explanation" / "ranking.md").read_text(encoding="utf-8")
    assert f"`c / (c + {weights.K1})`" in text and f"{score.TITLE_SHARE} x idf_title" in text
    assert f"{score.NEIGHBOURS} more" in text and f"query's {score.MOST_TERMS} weightiest terms" in text
    assert f"first {score.MOST_PAIRS} pairs" in text
    assert (score.REPEATS, weights.B_BODY, weights.B_TITLE, weights.TITLE_WEIGHT, weights.PAIR_BITS) == (8, .75, .75, 3, 3)
