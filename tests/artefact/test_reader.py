"""The artefact as its specification says, and every way in which a file can be hurt."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abcd_index.artefact import writer
from abcd_index.artefact.bm25f import Query
from abcd_index.artefact.format import PARTS, bucket, checksum
from abcd_index.artefact.ranking import COUNTS, SIGNS, counted, fingerprint, level_of, whole
from abcd_index.artefact.reader import Artefact, current_key, open_current, parse
from abcd_index.errors import ArtefactError, ArtefactMissing, ArtefactTorn, FormatTooNew

KEY = "0123456789abcdef0123456789abcdef01234567"


def weight(term, level):
    """The two signs of one weight."""
    _, first, least, _ = fingerprint(term)
    return first + SIGNS[SIGNS.index(least) + level]


def make(pages=3, keywords=None, key=KEY, padding=0):
    keywords = keywords or {"auth": [[["auth"], [0, 1], []]], "login": [[["login"], [2], [0]]]}
    records = [[weight("auth", 7), f"p{i}.md", f"Page {i}", 9] for i in range(pages)]
    parts = {
        "keywords": [writer.Line(d) for d in writer.buckets(keywords)],
        "terms": [writer.Line(writer.terms_line(s, pages)) for s in writer.terms_by_bucket(
            {"auth": writer.Term(2, 1, [0, 1]), "login": writer.Term(1, 0, [1])})],
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
    assert artefact.term("auth") == (2, 1, [0, 1])
    assert artefact.term("login") == (1, 0, [1])
    assert artefact.term("nothing") == (0, 0, [])
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
        assert len(cells) == 20 * count
        for n in range(count):
            cell = cells[20 * n:20 * n + 20]
            start, length, check = int(cell[:8], 32), int(cell[8:14], 32), int(cell[14:], 32)
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


DAMAGES = {
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


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_a_wounded_file_is_torn(path, damage):
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with pytest.raises(ArtefactTorn):
        Artefact.open(str(path))


@pytest.mark.parametrize("field, value", [
    ("newer", [1.5, 2, 3]), ("newer", [None, 2, 3]), ("filter", ["1", 9]), ("filter", [True, 9]), ("lengths", [1.0, 2]),
    ("parts", {part: [1.0, 0] for part in PARTS}), ("parts", {part: [0, False] for part in PARTS}), ("newer", 7),
    ("lengths", None), ("parts", [])])
def test_a_header_of_no_numbers_is_torn(path, field, value):
    first, _, rest = path.read_bytes().split(b"\n", 2)
    header = json.loads(first)
    header[field] = value
    for _ in range(3):
        first = json.dumps(header).encode()
        data = b"%s\n%10d\n%s" % (first, checksum(first), rest)
        header["size"] = len(data)
    path.write_bytes(data)
    with pytest.raises(ArtefactTorn):
        Artefact.open(str(path))


def test_a_newer_format_names_both_numbers(path):
    path.write_bytes(path.read_bytes().replace(b'"format":2', b'"format":9', 1))
    with pytest.raises(FormatTooNew) as caught:
        Artefact.open(str(path))
    assert (caught.value.found, caught.value.known) == (9, 2)
    assert "9" in str(caught.value) and "2" in str(caught.value)


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
    row = weight("auth", 1) + weight("login", 7)
    assert level_of([row], fingerprint("login")) == 7.5 / 8
    assert level_of([row], fingerprint("auth")) == 1.5 / 8
    assert level_of([row], fingerprint("other")) == 0
    assert level_of(["a" + row + "a"], fingerprint("auth")) == 0  # there, but across two weights


def test_a_level_is_read_in_its_own_row():
    rows = ["", "", "", "", ""]
    rows[fingerprint("auth")[0] % 5] = weight("auth", 3)
    assert level_of(rows, fingerprint("auth")) == 3.5 / 8
    assert level_of(rows[1:] + rows[:1], fingerprint("auth")) == 0


@given(counts=st.dictionaries(st.text(min_size=1, max_size=6), st.tuples(st.integers(1, 10**6), st.integers(0, 10**6)),
                              max_size=60))
def test_counts_are_never_too_large_and_at_most_a_quarter_too_small(tmp_path_factory, counts):
    # Not a rare term among them: those are exact.
    counts = {term: writer.Term(pages + 12, titles) for term, (pages, titles) in counts.items()}
    lines = [writer.terms_line(bucket, 10**6) for bucket in writer.terms_by_bucket(counts)]
    path = tmp_path_factory.getbasetemp() / "counts.idx"
    out = io.BytesIO()
    parts = {part: [writer.Line(line) for line in lines] if part == "terms" else [] for part in PARTS}
    writer.write(out, KEY, (1, 1), {}, (0, 0), parts, writer.key_filter({}), {})
    path.write_bytes(out.getvalue())
    artefact = Artefact.open(str(path))
    signs = [counted(term) for term in counts]
    for term, (pages, titles, _) in counts.items():
        found = artefact.term(term)
        if signs.count(counted(term)) == 1:
            assert pages * 3 / 4 - 1 < found[0] <= pages and titles * 3 / 4 - 1 < found[1] <= titles
        else:
            assert found[0] > 0
    artefact.close()


def test_the_steps_of_counts():
    assert list(COUNTS[:33]) == list(range(33)) and len(COUNTS) == len(SIGNS)
    assert all(after == before * 5 // 4 for before, after in zip(COUNTS[32:], COUNTS[33:]))


WORDS = st.text(max_size=12)


@given(record=st.fixed_dictionaries({
    "file": st.from_regex(r"[a-z_{}]{0,20}\.md", fullmatch=True), "title": WORDS, "summary": WORDS, "name": WORDS,
    "type": st.sampled_from(["", "pitfall", "a"]), "dialect": st.sampled_from(["abcd", "agent", "plain"]),
    "updated": st.sampled_from(["", "2025-01-01"]), "recall": st.dictionaries(WORDS, WORDS, max_size=4),
    "exclude": st.lists(st.just(["a", ["a"]]), max_size=2), "size": st.integers(0, 9), "weights": st.just("ab"),
    "titles": st.sampled_from(["", "ab"]), "pairs": st.sampled_from(["", "-"])}), data=st.data())
def test_a_record_comes_back_whole(record, data):
    record["line"] = data.draw(st.sampled_from([
        "- [{title}]({file}) \u2014 {summary}".format(**record), "- `{file}` \u2014 x | {title}".format(**record),
        "{file}{title}{summary}", "", "- " + record["summary"] + record["title"]]))
    line = writer.record_line(record)
    assert {**whole(json.loads(line)), "exclude": list(whole(json.loads(line))["exclude"])} == record
    assert writer.record_line(whole(json.loads(line))) == line
    assert len(line) < len(writer.line(record))


@pytest.mark.parametrize("value", [7, [], "x", {}, {"file": "a.md"}, ["", 1, "", 2], ["", "a.md"], ["", 3, None, 2],
                                   ["", "a.md", [], 1], ["", "a.md", "", "1"], ["", "a.md", "", 1, [], "", []],
                                   ["", "a.md", "", 1, "", "", [["a"]]], ["", "a.md", "", 1, "", "", [], [7]],
                                   ["", "a.md", "", 1, "", "", [], "", "", "abcd", "", "", "", {"a": 7}],
                                   ["", "a.md", "", 1, "", "", [], "", "", "abcd", "", "", "", {}, 7],
                                   ["", 7, "", 1, "", "", [], ["x"], "", "abcd", "", "", ""],
                                   ["", "a.md", "", 1, "", "", 7], ["", "a.md", "", 1, "", "", [], []]])
def test_what_is_no_record_is_torn(tmp_path, value):
    out = io.BytesIO()
    parts = {part: [writer.Line(writer.line(value))] if part == "records" else [] for part in PARTS}
    writer.write(out, KEY, (1, 1), {}, (0, 0), parts, writer.key_filter({}), {})
    path = tmp_path / "odd.idx"
    path.write_bytes(out.getvalue())
    with pytest.raises(ArtefactTorn):
        Artefact.open(str(path)).record(0)


def test_a_newer_page_that_is_no_name_is_torn(tmp_path):
    out = io.BytesIO()
    writer.write(out, KEY, (1, 1), {}, (0, 0), {part: [] for part in PARTS}, writer.key_filter({}), {"a.md": ["b.md"]})
    path = tmp_path / "odd.idx"
    path.write_bytes(out.getvalue())
    artefact = Artefact.open(str(path))
    assert artefact.newer("b.md") == ""
    with pytest.raises(ArtefactTorn):
        artefact.newer("a.md")


def test_score_is_the_sum_of_what_it_explains(path):
    artefact = Artefact.open(str(path))
    query = Query(artefact, {"auth": 1.0, "login": 2.0, "nothing": 1.0})
    record = artefact.record(0)
    rows = query.explain(record)
    assert [row[0] for row in rows] == ["auth"]
    assert query.score(record) == pytest.approx(sum(text + title for _, text, title in rows))
    assert query.score(record) > 0
