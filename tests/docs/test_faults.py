"""The page about faults shows the results that are kept."""

from tests.faults import report


def test_the_page_shows_the_results():
    page = report.PAGE.read_text(encoding="utf-8")
    shown = page.partition(report.BEGIN)[2].partition(report.END)[0]
    assert shown == report.markdown(), "python -m tests.faults --record writes both"


def test_the_results_are_those_of_the_long_form():
    rows = report.kept()["rows"]
    tried = {row["kind"]: row["tried"] for row in rows}
    assert sum(count for kind, count in tried.items() if kind.startswith("killed")) >= 3000
    assert sum(count for kind, count in tried.items() if kind.endswith((", once", ", lasting"))) >= 4000
    assert sum(count for kind, count in tried.items() if kind.startswith("damaged") and "verify" not in kind) >= 30000
    assert not [row for row in rows if row["lost"] or row["wrong"]]
