"""The artefact as its specification says, and every way in which a file can be hurt."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcd_index.artefact import writer
from abcd_index.artefact.format import PARTS, bucket, checksum, slot
from abcd_index.artefact.reader import Artefact, current_key, open_current, parse
from abcd_index.artefact.score import Query, level_of
from abcd_index.errors import ArtefactError, ArtefactMissing, ArtefactTorn, FormatTooNew

KEY = "0123456789abcdef0123456789abcdef01234567"


def make(pages=3, keywords=None, key=KEY, padding=0):
    keywords = keywords or {"auth": [[["auth"], [0, 1], []]], "login": [[["login"], [2], [0]]]}
    records = [{"file": f"p{i}.md", "title": f"Page {i}", "weights": slot("auth") + "z", "titles": "", "pairs": ""}
               for i in range(pages)]
    parts = {
        "keywords": [writer.Line(d) for d in writer.buckets(keywords)],
        "terms": [writer.Line(d) for d in writer.buckets({"auth": [2, 1], "login": 1})],
        "domains": [writer.Line(writer.line({"name": "GIT", "rules": ["r"]}))],
        "records": [writer.Line(writer.line(r)) for r in records],
        "bodies": [writer.Line(writer.line(f"body {i} é\n" + "x" * padding)) for i in range(pages)],
    }
    out = io.BytesIO()
    writer.write(out, key, (1, 1), {"refresh_every": 15}, (3, 30), parts, writer.key_filter(keywords), {"p0.md": "p1.md"})
    return out.getvalue()


@pytest.fixture
def path(tmp_path):
    target = tmp_path / (KEY + ".idx")
    target.write_bytes(make())
    return target


def test_every_line_is_one_json_value(path):
    for line in path.read_bytes().splitlines():
        json.loads(line)


def test_reads_back_what_was_written(path):
    artefact = Artefact.open(str(path))
    assert (artefact.pages, artefact.domains) == (3, 1)
    assert artefact.keyword("auth") == [[["auth"], [0, 1], []]]
    assert artefact.keyword("login") == [[["login"], [2], [0]]]
    assert artefact.keyword("nothing") == []
    assert artefact.term("auth") == (2, 1)
    assert artefact.term("login") == (1, 0)
    assert artefact.term("nothing") == (0, 0)
    assert artefact.record(2)["file"] == "p2.md"
    assert artefact.body(1) == "body 1 é\n"
    assert artefact.domain(0)["name"] == "GIT"
    assert artefact.newer("p0.md") == "p1.md"
    assert artefact.newer("p1.md") == ""


def test_lines_beyond_the_first_read_are_found(tmp_path):
    target = tmp_path / "big.idx"
    target.write_bytes(make(pages=50, padding=5000))
    artefact = Artefact.open(str(target))
    assert artefact.body(49).startswith("body 49")
    assert artefact.record(49)["file"] == "p49.md"
    with pytest.raises(ArtefactTorn):
        artefact.record(50)


def test_cells_say_where_the_lines_are(path):
    data = path.read_bytes()
    header = json.loads(data.split(b"\n", 1)[0])
    assert header["size"] == len(data)
    for part in PARTS:
        at, count = header["parts"][part]
        cells = json.loads(data[at:data.index(b"\n", at)])
        assert len(cells) == 25 * count
        for n in range(count):
            cell = cells[25 * n:25 * n + 25]
            start, length, check = int(cell[:10], 16), int(cell[10:17], 16), int(cell[17:], 16)
            line = data[start:start + length]
            assert data[start + length:start + length + 1] == b"\n"
            assert checksum(line) == check
            json.loads(line)


def test_a_filter_never_denies_a_key():
    keys = [f"key{i}" for i in range(2000)]
    bits, digits = writer.key_filter(keys)
    for key in keys:
        bit = bucket(key, bits)
        assert int(digits[bit >> 2], 16) >> (bit & 3) & 1
    denied = sum(not int(digits[(b := bucket(f"no{i}", bits)) >> 2], 16) >> (b & 3) & 1 for i in range(2000))
    assert denied > 1500


WOUNDS = {
    "empty": lambda d: b"",
    "header only": lambda d: d[:d.index(b"\n") + 1],
    "cut in the middle": lambda d: d[:len(d) // 2],
    "one byte short": lambda d: d[:-1],
    "one byte more": lambda d: d + b"\n",
    "not ours": lambda d: b'{"magic": "other"}\n1\n',
    "an array": lambda d: b"[]\n1\n",
    "binary": lambda d: bytes(range(256)) * 20,
    "header flipped": lambda d: d.replace(b'"tokens":1', b'"tokens":2', 1),
}


@pytest.mark.parametrize("wound", sorted(WOUNDS))
def test_a_wounded_file_is_torn(path, wound):
    path.write_bytes(WOUNDS[wound](path.read_bytes()))
    with pytest.raises(ArtefactTorn):
        Artefact.open(str(path))


def test_a_newer_format_names_both_numbers(path):
    path.write_bytes(path.read_bytes().replace(b'"format":1', b'"format":9', 1))
    with pytest.raises(FormatTooNew) as caught:
        Artefact.open(str(path))
    assert (caught.value.found, caught.value.known) == (9, 1)
    assert "9" in str(caught.value) and "1" in str(caught.value)


def test_a_flipped_byte_never_yields_other_text(path):
    """Each byte of the file in turn: the answers are the old ones or a documented error."""
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        try:
            artefact = Artefact.open(str(path))
        except ArtefactError:
            continue
        for ask, right in ((lambda a: a.keyword("auth"), [[["auth"], [0, 1], []]]),
                           (lambda a: a.body(1), "body 1 é\n"), (lambda a: a.record(0)["title"], "Page 0"),
                           (lambda a: a.newer("p0.md"), "p1.md")):
            try:
                answer = ask(artefact)
            except ArtefactTorn:
                continue
            # A filter bit that was lost makes a keyword unfindable; nothing can make it other pages.
            assert answer in (right, [])
        artefact.close()


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=2000))
def test_any_bytes_raise_only_documented_errors(tmp_path_factory, data):
    target = tmp_path_factory.mktemp("any") / "x.idx"
    target.write_bytes(data)
    with pytest.raises(ArtefactError):
        Artefact.open(str(target))


@settings(max_examples=200, deadline=None)
@given(text=st.text())
def test_parse_gives_json_or_value_error(text):
    try:
        right = json.loads(text)
    except (ValueError, RecursionError):
        with pytest.raises(ValueError):
            parse(text)
    else:
        if "NaN" not in text and "Infinity" not in text:
            assert parse(text) == right


def test_current_names_a_key_and_nothing_else(tmp_path, path):
    index = str(tmp_path)
    with pytest.raises(ArtefactMissing):
        open_current(index)
    (tmp_path / "current").write_text(KEY + "\n")
    assert open_current(index).pages == 3
    for bad in ("../x\n", "", "a/b", "a\0b"):
        (tmp_path / "current").write_text(bad)
        with pytest.raises(ArtefactMissing):
            current_key(index)


def test_an_artefact_under_another_name_is_not_used(tmp_path, path):
    path.rename(tmp_path / "ffff.idx")
    (tmp_path / "current").write_text("ffff\n")
    with pytest.raises(ArtefactTorn):
        open_current(str(tmp_path))


def test_a_link_instead_of_an_artefact_is_not_followed(tmp_path, path):
    (tmp_path / "link.idx").symlink_to(path)
    with pytest.raises(ArtefactMissing):
        Artefact.open(str(tmp_path / "link.idx"))


def test_a_level_is_read_at_its_own_place():
    weights = slot("auth") + "F" + slot("login") + "z"
    assert level_of(weights, slot("login")) == 63
    assert level_of(weights, slot("other")) == 0
    assert level_of("aabbbccc" , "bbb") == 0  # there, but across two weights


def test_score_is_the_sum_of_what_it_explains(path):
    artefact = Artefact.open(str(path))
    query = Query(artefact, {"auth": 1.0, "login": 2.0, "nothing": 1.0})
    record = artefact.record(0)
    rows = query.explain(record)
    assert [row[0] for row in rows] == ["auth"]
    assert query.score(record) == pytest.approx(sum(text + title for _, text, title in rows))
    assert query.score(record) > 0
