"""An artefact of every format there has been. Today's readers still read them; the files are never made anew.

Where a change makes one unreadable, the format's number has to rise, and a file of the new number comes beside it.
"""

import io

import pytest
from conftest import ROOT

from abcd_index.agenthooks.match import match
from abcd_index.agenthooks.prompt import Prompt
from abcd_index.artefact.bm25f import Query
from abcd_index.artefact.format import FORMAT, LISTING
from abcd_index.artefact.reader import Artefact
from abcd_index.verify.format import decode

FOLDER = ROOT / "tests" / "data" / "formats"
FILES = sorted(FOLDER.glob("*.idx"))


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def artefact(request):
    opened = Artefact.open(str(request.param))
    yield opened
    opened.close()


def test_there_is_one_of_each():
    assert [path.stem for path in FILES] == [str(number + 1) for number in range(FORMAT)]


def test_the_prompt_finds_its_pages(artefact):
    def found(prompt):
        return {artefact.record(page)["file"] for hit in match(Prompt(prompt), artefact.keyword) for page in hit.pages}

    assert (artefact.pages, artefact.domains) == (3, 1)
    assert found("why does the LOGIN fail?") == {"pitfall_web_login_loop.md"}
    assert found("a redirect loop when we sign in") == {"pitfall_web_login_loop.md"}
    assert found("the rate limits of the gateway") == {"project_old_limit.md", "project_rate_limit.md"}
    assert found("is C++ naive?") == {"project_rate_limit.md"}
    assert found("nothing of the kind") == set()


def test_a_page_is_whole(artefact):
    record = artefact.record(2)
    assert record["file"] == "project_rate_limit.md" and record["name"] == record["title"] == "rate-limit"
    assert (record["dialect"], record["type"], record["updated"]) == ("agent", "project", "2025-03-02")
    assert record["line"] == "- [Rate limit](project_rate_limit.md) \u2014 ask before raising it"
    assert record["recall"] == {"c++": "C++", "na\u00efve": "na\u00efve", "rate limit": "rate limit"}
    assert artefact.body(2).startswith("Ten requests a second") and len(artefact.body(2)) == record["size"]
    first = artefact.record(0)
    assert (first["dialect"], first["type"], first["name"], first["summary"]) == ("abcd", "pitfall", "login_loop", "")
    assert first["line"] == "- `pitfall_web_login_loop.md` \u2014 session_memory | web | The login page and its redirect loop"
    assert first["exclude"] == [["blogin", ["blogin"]]]
    assert artefact.newer("project_old_limit.md") == "project_rate_limit.md"
    assert artefact.domain(0)["rules"] == ["Never rewrite main."]


def test_the_ranking_knows_its_terms(artefact):
    if artefact.header["format"] < LISTING:
        assert artefact.term("limit") == (0, 0, [])
        return
    assert artefact.term("limit") == (2, 2, [1, 2]) and artefact.term("burst") == (1, 0, [2])
    assert artefact.term("absent") == (0, 0, [])
    query = Query(artefact, {"ten": 1.0, "request": 1.0})
    scores = [query.score(artefact.record(page)) for page in range(3)]
    assert scores[2] > scores[1] > scores[0] == 0


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_parser_of_the_specification_reads_it(path):
    data = path.read_bytes()
    decoded = decode(io.BytesIO(data), len(data))
    assert decoded.files == ["pitfall_web_login_loop.md", "project_old_limit.md", "project_rate_limit.md"]
    assert decoded.newer == {"project_old_limit.md": "project_rate_limit.md"}
