"""Every relative link of the docs leads somewhere, down to the heading."""

import re

import pytest

from .markdown import ROOT, anchors, name, pages, split, without_code

LINK = re.compile(r"\[[^\]]*\]\(<?([^)\s>]+)>?[^)]*\)")


def links(text):
    prose = split(text)[1]
    for number, line in enumerate(without_code(prose).split("\n"), 1):
        for target in LINK.findall(line):
            if not re.match(r"[a-z]+:", target):
                yield number, target


@pytest.mark.parametrize("page", pages(), ids=name)
def test_relative_links_resolve(page):
    wrong = []
    for number, target in links(page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        full = (page.parent / path).resolve() if path else page
        if not full.exists():
            wrong.append(f"{name(page)}:{number}: {target} is not there")
        elif ROOT not in full.parents and full != ROOT:
            wrong.append(f"{name(page)}:{number}: {target} leads out of the repository")
        elif anchor and full.suffix == ".md" and anchor not in anchors(full.read_text(encoding="utf-8")):
            wrong.append(f"{name(page)}:{number}: {target}: no such heading")
    assert not wrong, "\n".join(wrong)


def test_every_page_of_the_docs_is_linked_from_another():
    linked = set()
    for page in pages():
        for _, target in links(page.read_text(encoding="utf-8")):
            linked.add((page.parent / target.partition("#")[0]).resolve())
    alone = [name(page) for page in (ROOT / "docs").rglob("*.md")
             if page.resolve() not in linked and name(page) != "docs/index.md"]
    assert not alone, f"no page links to {alone}"
