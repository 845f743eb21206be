"""The changelog keeps its form, so that a release is one edit and a reader finds the format's line."""

import re

from abcd_index import __version__

from .markdown import ROOT

TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
HEAD = re.compile(r"^## \[(Unreleased|\d+\.\d+\.\d+)\](?: - (\d{4}-\d{2}-\d{2}))?$")
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def versions():
    """(version, date, text) of each section, as written from the top."""
    parts = re.split(r"^(?=## )", TEXT, flags=re.M)[1:]
    for part in parts:
        first, _, rest = part.partition("\n")
        found = HEAD.match(first)
        assert found, f"not a version heading: {first!r}"
        yield found.group(1), found.group(2), rest


def test_versions_go_down_and_releases_have_dates():
    listed = list(versions())
    assert listed[0][0] == "Unreleased"
    released = [tuple(map(int, version.split("."))) for version, _, _ in listed[1:]]
    assert released == sorted(released, reverse=True)
    assert all(date for _, date, _ in listed[1:])


def test_sections_are_of_known_kinds_and_hold_entries():
    for version, _, text in versions():
        kinds = re.findall(r"^### (.*)$", text, flags=re.M)
        assert set(kinds) <= KINDS, version
        for kind in kinds:
            body = text.split(f"### {kind}\n", 1)[1].split("\n### ", 1)[0]
            assert re.search(r"^- \S", body, flags=re.M), f"{version}: {kind} is empty"


def test_each_version_says_what_became_of_the_format():
    for version, _, text in versions():
        assert re.search(r"format unchanged|rebuild needed|^Format \d+", text, flags=re.M | re.I), version


def test_the_version_of_the_package_is_released_or_to_be():
    listed = [version for version, _, _ in versions()]
    assert __version__ in listed or listed[0] == "Unreleased"
