"""``benchmarks/mutants.py`` changes one place at a time, and tells what the tests notice from what they do not."""

from benchmarks import mutants

TEXT = """
LIMIT = 3

def f(x, log):
    log(x)
    if x > LIMIT and not x == 7:
        return x + 1
    return -x
"""


def test_each_mutant_changes_one_place_and_can_be_compiled():
    found = mutants.mutants(TEXT)
    said = {(line, before, after) for line, before, after, _ in found}
    assert {(2, "3", "4"), (5, "log(x)", "pass"), (6, "x > LIMIT", "x >= LIMIT"), (6, "not x == 7", "x == 7"),
            (7, "x + 1", "x - 1"), (8, "return -x", "return None")} <= said
    assert len({text for *_, text in found}) == len(found) == len(said)
    for *_, text in found:
        compile(text, "mutant", "exec")


def test_survivors_are_what_the_tests_do_not_notice(tmp_path, monkeypatch, capsys):
    for folder in ("p", "tests"):
        (tmp_path / folder).mkdir()
    (tmp_path / "p" / "m.py").write_text("def f(x):\n    return x > 3\n")
    (tmp_path / "tests" / "test_m.py").write_text("from p.m import f\n\ndef test_f():\n    assert f(9) and not f(1)\n")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    assert mutants.main(["p/m.py", "--", "tests"]) == 1
    shown = capsys.readouterr().out
    assert "p/m.py:2: survived: x > 3  ->  x >= 3\n" in shown and "p/m.py:2: survived: 3  ->  4\n" in shown
    assert "2 of 3 mutants survived" in shown
    (tmp_path / "tests" / "test_m.py").write_text("def test_f():\n    assert 0\n")
    assert mutants.main(["p/m.py", "--", "tests"]) == 2
