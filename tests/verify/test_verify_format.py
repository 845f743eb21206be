"""The strict parser: what it reads, and a table of damages with the words that name each."""

import io

import pytest
from artefacts import artefact, record
from hypothesis import given, settings
from hypothesis import strategies as st

from abcd_index.build import workers
from abcd_index.errors import FormatTooNew
from abcd_index.verify.format import Visitor, decode
from abcd_index.verify.json_parser import Corrupt, Wrong, checksum


class Collect(Visitor):
    def __init__(self):
        self.records = []
        self.bodies = []

    def record(self, number, value):
        self.records.append(value)

    def body(self, number, value):
        self.bodies.append(value)


def read(data, visitor=None):
    return decode(io.BytesIO(data), len(data), visitor)


def test_reads_everything_that_was_written():
    seen = Collect()
    decoded = read(artefact(newer={"a.md": "b.md"}), seen)
    assert decoded.files == ["a.md", "b.md"]
    assert decoded.keywords == {"auth": [[["auth"], [0, 1]]], "log": [[["log in", "in"], [1]]]}
    assert decoded.terms == 2
    assert decoded.newer == {"a.md": "b.md"}
    assert seen.bodies == ["Hallo", "\u00e9\x01\n"]
    assert seen.records[0]["recall"] == {"auth": "Auth"} and seen.records[0]["line"] == "- `a.md`"
    assert (seen.records[0]["dialect"], seen.records[0]["pairs"], seen.records[0]["exclude"]) == ("abcd", "", [])
    assert seen.records[1]["recall"] == {"auth": "auth", "log in": "log in"}


@pytest.fixture
def several(monkeypatch):
    """Workers even for a handful of pages."""
    monkeypatch.setattr(workers, "WORTH_IT", 1)
    monkeypatch.setattr(workers, "CHUNK", 2)
    monkeypatch.setattr(workers, "_cores", lambda: 2)


def test_several_processes_see_what_one_does(several):
    names = ["%02d.md" % number for number in range(9)]
    data = artefact([record(name, size=len(name), weights="!!$%") for name in names], names, {}, [])
    seen = Collect()
    assert read(data, seen).files == names
    assert [value["file"] for value in seen.records] == names == seen.bodies
    # Of two damages the first one is told, also where another process meets the second.
    for damage in (data.replace(b'"03.md"', b'"03,md"'), data.replace(b'"03.md"', b'"03,md"').replace(b'"07.md"', b'"07,md"')):
        with pytest.raises(Corrupt, match="^records 3:"):
            read(damage)
    for end in range(data.index(b'"00.md"'), len(data), 7):
        with pytest.raises(Corrupt):
            read(data[:end])


def test_an_empty_store_has_an_artefact_too():
    assert read(artefact([], [], {}, [])).files == []


def test_every_cut_is_noticed():
    data = artefact()
    for end in range(len(data)):
        with pytest.raises(Corrupt):
            read(data[:end])


def test_every_flipped_byte_is_noticed():
    data = artefact()
    for at in range(len(data)):
        hurt = data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]
        with pytest.raises((Corrupt, Wrong, FormatTooNew)):
            read(hurt)


def test_a_longer_file_is_noticed():
    with pytest.raises(Corrupt):
        read(artefact() + b"{}\n")


def test_a_newer_format_is_not_called_damaged():
    first, rest = artefact().split(b"\n", 1)
    with pytest.raises(FormatTooNew) as caught:
        read(first.replace(b'"format":2', b'"format":9') + b"\n" + rest)
    assert (caught.value.found, caught.value.known) == (9, 2)


def test_the_checksum_is_the_one_of_the_specification():
    assert checksum(b"{}") == int.from_bytes(b"{}", "big") % 1073741789
    assert checksum(b"\xff" * 9) == (2 ** 72 - 1) % 1073741789


# Each is whole by its own checksums, and not what docs/format.md says.
WRONG = {
    "the records are not in the order": dict(records=[record("b.md"), record("a.md")], bodies=["", ""],
                                             postings={}, terms=[]),
    "ordinals do not ascend": dict(postings={"auth": [[["auth"], [1, 0]]]}),
    "an ordinal is beyond the end": dict(postings={"auth": [[["auth"], [7]]]}),
    "a posting of nothing": dict(postings={"auth": [[["auth"], []]]}),
    "no normal form": dict(postings={"auth": [[[], [0]]]}),
    "has no postings": dict(postings={"auth": []}),
    "a posting is not [entry, pages]": dict(postings={"auth": [[["auth"], [0], []]]}),
    "a term's cell is cut": dict(terms=["!!#"]),
    "a sign that stands for nothing": dict(terms=["!!!\\"]),
    "a term's pages do not ascend": dict(terms=["!!!#!"]),
    "a term of many pages lists some": dict(terms=["!!A!!"]),
    "a term is in more titles than pages": dict(terms=["!!$!"]),
    "a page beyond the end": dict(terms=["!!!~"]),
    "terms are not in order": dict(terms=["!#!! !!!!"]),
    "no remainder": dict(terms=["~~!!"]),
    "has not its body's size": dict(records=[record("a.md", size=4)], bodies=["12345"], postings={}, terms=[]),
    "not made of two signs": dict(records=[record("a.md", weights="!!#")], bodies=[""], postings={}, terms=[]),
    "order of its marks": dict(records=[record("a.md", weights="$%!!")], bodies=[""], postings={}, terms=[]),
    "not a mark and a level": dict(records=[record("a.md", weights="~~")], bodies=[""], postings={}, terms=[]),
    "not in the alphabet": dict(records=[record("a.md", titles="--\u00e9!")], bodies=[""], postings={}, terms=[]),
    "not among the first 64": dict(records=[record("a.md", pairs="~")], bodies=[""], postings={}, terms=[]),
    "a keyword stands there twice": dict(records=[record("a.md", recall=["a"], spelled={"a": "A"})], bodies=[""],
                                         postings={}, terms=[]),
    "form is of another type": dict(records=[record("a.md", form=7)], bodies=[""], postings={}, terms=[]),
    "record of 'a.md': form": dict(records=[record("a.md", form=[])], bodies=[""], postings={}, terms=[]),
    "size is missing": dict(records=[["", "a.md", "t"]], bodies=[""], postings={}, terms=[]),
    "not a list of a record's fields": dict(records=[{"file": "a.md"}], bodies=[""], postings={}, terms=[]),
    "title is of another type": dict(records=[record("a.md", title=7)], bodies=[""], postings={},
                                                terms=[]),
    "not as many bodies": dict(records=[record("a.md")], bodies=[], postings={}, terms=[]),
    "is not a page": dict(newer={"a.md": "gone.md"}),
    "or ['a.md'] is not a page": dict(newer={"a.md": ["a.md"]}),
    "header: key": dict(key="nothex"),
    "state is missing": dict(domains=[{"name": "X", "aliases": [], "rules": [], "exclude": [], "recall": {}}]),
}


@pytest.mark.parametrize("words", sorted(WRONG))
def test_what_is_whole_but_wrong(words):
    with pytest.raises(Wrong) as caught:
        read(artefact(**WRONG[words]))
    assert words in str(caught.value)


def test_a_keyword_in_the_wrong_bucket(monkeypatch):
    from abcd_index.artefact import writer

    monkeypatch.setattr(writer, "bucket", lambda key, count: 0)
    postings = {f"k{n}": [[[f"k{n}"], [0]]] for n in range(40)}
    with pytest.raises((Wrong, Corrupt)) as caught:
        read(artefact(postings=postings))
    assert "another bucket" in str(caught.value)


def test_a_filter_that_hides_a_keyword(monkeypatch):
    from abcd_index.artefact import writer

    real = writer.key_filter
    monkeypatch.setattr(writer, "key_filter", lambda keys: real(["auth"] * len(list(keys))))
    with pytest.raises(Wrong) as caught:
        read(artefact())
    assert "filter" in str(caught.value)


def test_white_space_and_unsorted_keys_are_not_the_format():
    from abcd_index.artefact import writer

    for line in (b'{"b.md": "a.md"}', b'{"b.md":"a.md","a.md":"b.md"}', b'{"a.md":"b.md","a.md":"b.md"}'):
        data = artefact()
        made = writer.line
        writer.line = lambda value, made=made, line=line: line if value == {"x": "y"} else made(value)
        try:
            data = artefact(newer={"x": "y"})
        finally:
            writer.line = made
        with pytest.raises(Wrong) as caught:
            read(data)
        assert "sorted" in str(caught.value)


def only_documented(data):
    try:
        read(data)
    except (Corrupt, Wrong, FormatTooNew):
        pass


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_raise_only_what_is_documented(data):
    only_documented(data)
    only_documented(artefact().split(b"\n")[0] + b"\n" + data)


@settings(deadline=None)
@given(st.integers(0, 10**9), st.binary(max_size=8), st.integers(0, 40))
def test_any_edit_raises_only_what_is_documented(place, put, cut):
    data = artefact()
    at = place % len(data)
    only_documented(data[:at] + put + data[at + cut:])


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
                    max_leaves=8)


@settings(deadline=None)
@given(st.sampled_from(["filter", "format", "key", "lengths", "magic", "newer", "parts", "records", "settings", "size",
                        "tokens"]), JSON)
def test_any_header_raises_only_what_is_documented(field, value):
    """With a checksum that fits, so that the field itself is what is judged."""
    import json

    first, _, rest = artefact().partition(b"\n")
    header = json.loads(first)
    header[field] = value
    line = json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
    only_documented(line + b"\n%10d\n" % checksum(line) + rest.partition(b"\n")[2])


def test_nesting_out_of_all_reason_is_damage():
    with pytest.raises(Corrupt):
        read(b"[" * 100_000 + b"\n")
