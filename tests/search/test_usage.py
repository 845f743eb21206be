"""No recall is lost and none counts twice: many processes at once, kills, logs that are folded."""

import json
import os
import subprocess
import sys

from abcd_index.search import usage
from tests.conftest import ROOT

WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from abcd_index.search import usage
usage.FOLD = int(sys.argv[4])
for _ in range(int(sys.argv[3])):
    assert usage.record(sys.argv[2], ["a.md", "b.md"])
"""


def write(folder, times, fold=usage.FOLD):
    return subprocess.Popen([sys.executable, "-c", WRITER, str(ROOT), str(folder), str(times), str(fold)])


def test_nothing_recalled_yet(tmp_path):
    assert usage.counts(str(tmp_path)) == {}
    assert usage.counts(str(tmp_path / "nowhere")) == {}


def test_each_surfaced_page_counts_once_a_recall(tmp_path):
    usage.record(str(tmp_path), ["a.md", "a.md", "b.md"])
    usage.record(str(tmp_path), ["a.md"])
    assert usage.counts(str(tmp_path)) == {"a.md": 2, "b.md": 1}


def test_recalls_at_once_lose_no_count(tmp_path):
    writers = [write(tmp_path, 40) for _ in range(6)]
    assert [writer.wait() for writer in writers] == [0] * 6
    assert usage.counts(str(tmp_path)) == {"a.md": 240, "b.md": 240}


def test_logs_folded_by_writers_at_once_lose_no_count(tmp_path):
    writers = [write(tmp_path, 40, fold=200) for _ in range(4)]
    seen = 0
    while any(writer.poll() is None for writer in writers):
        now = usage.counts(str(tmp_path)).get("a.md", 0)
        assert now >= seen  # A reader never sees a count go back.
        seen = now
    assert [writer.returncode for writer in writers] == [0] * 4
    assert usage.counts(str(tmp_path)) == {"a.md": 160, "b.md": 160}
    assert json.loads((tmp_path / usage.STATS).read_text())["counts"]["a.md"] > 100


def test_a_killed_writer_costs_nobody_elses_count(tmp_path):
    writers = [write(tmp_path, 400, fold=300) for _ in range(3)]
    writers[0].kill()
    assert [writer.wait() for writer in writers][1:] == [0, 0]
    counts = usage.counts(str(tmp_path))
    assert 800 <= counts["a.md"] <= 1200


def test_half_a_line_is_passed_over(tmp_path):
    usage.record(str(tmp_path), ["a.md"])
    with open(tmp_path / "recall-log-0.jsonl", "ab") as log:
        log.write(b'[12345, ["a.m')
    assert usage.counts(str(tmp_path)) == {"a.md": 1}
    usage.record(str(tmp_path), ["a.md"])
    assert usage.counts(str(tmp_path)) == {"a.md": 2}


def test_a_fold_that_was_killed_before_its_log_went_does_not_count_twice(tmp_path, monkeypatch):
    usage.record(str(tmp_path), ["a.md"])
    monkeypatch.setattr(usage, "FOLD", 1)
    monkeypatch.setattr(os, "unlink", lambda path: None)
    usage.record(str(tmp_path), ["a.md"])
    assert usage.counts(str(tmp_path)) == {"a.md": 2}
    assert (tmp_path / "recall-log-0.jsonl").exists()


def test_stats_that_cannot_be_read_start_anew(tmp_path):
    for number, text in enumerate(("", "[]", '{"version": 9}', '{"version": 1, "log": "../../x", "counts": {}}')):
        (tmp_path / usage.STATS).write_text(text)
        assert usage.record(str(tmp_path), ["a.md"])
        assert usage.counts(str(tmp_path)) == {"a.md": number + 1}
    assert not (tmp_path.parent.parent / "x").exists()


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    assert usage.record(str(tmp_path / "file"), ["a.md"]) is False
