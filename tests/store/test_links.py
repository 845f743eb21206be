"""Links between pages, names that are alike, and which page is the newer."""

import pytest

from abcd_index.store.links import alike, newer, resolve
from abcd_index.store.records import Page


def page(name, own="", updated=None, lines=None, **links):
    return Page(name=name, title=name, description_name=own, updated=updated, lines=lines or {},
                ident=links.pop("ident", ""), **{key: tuple(value) for key, value in links.items()})


PAGES = [page("project_settings_surface.md", own="settings-surface"), page("\u00fcbung.md"), page("Fog.md"),
         page("fog-2.md", own="Fog"), page("adr.md", ident="adr-12")]


@pytest.mark.parametrize("link, name", [
    ("Fog.md", "Fog.md"),
    ("Fog", "Fog.md"),
    ("./Fog.md", "Fog.md"),
    ("[[Fog]]", "Fog.md"),
    ("[[Fog|the fog]]", "Fog.md"),
    ("[[Fog#Part]]", "Fog.md"),
    (" `Fog.md` ", "Fog.md"),
    ("FOG.MD", "Fog.md"),
    ("settings-surface", "project_settings_surface.md"),
    ("settings_surface", "project_settings_surface.md"),
    ("Settings Surface", "project_settings_surface.md"),
    ("project-settings-surface", "project_settings_surface.md"),
    ("u\u0308bung", "\u00fcbung.md"),
    ("[[\u00dcBUNG]]", "\u00fcbung.md"),
    ("adr-12", "adr.md"),
    ("ADR_12", "adr.md"),
    ("fog-3", None),
    ("", None),
    ("[[]]", None),
])
def test_resolve(link, name):
    assert resolve(link, PAGES) == name


def codes(findings):
    return [(finding.code, finding.file) for finding in findings]


def test_newer_by_each_field():
    pages = [page("a.md", contradicts=["b.md"]), page("b.md"), page("c.md", supersedes=["[[d]]"]), page("d.md"),
             page("e.md", superseded_by=["f"]), page("f.md")]
    assert newer(pages) == ({"b.md": "a.md", "d.md": "c.md", "e.md": "f.md"}, [])


def test_of_several_the_latest_counts_then_the_name():
    old = page("old.md", updated="2020-01-01")
    pages = [page("a.md", contradicts=["old"]), page("b.md", updated="2026-02-01", contradicts=["old"]),
             page("c.md", updated="2026-01-01", contradicts=["old"]), old]
    assert newer(pages)[0] == {"old.md": "b.md"}
    undated = [page("b.md", contradicts=["old"]), page("a.md", contradicts=["old"]), old]
    assert newer(undated)[0] == {"old.md": "a.md"}


def test_links_that_lead_nowhere_or_to_the_page_itself():
    found, findings = newer([page("a.md", lines={"contradicts": 3}, contradicts=["gone.md", "a"])])
    assert found == {}
    assert [(f.code, f.file, f.line) for f in findings] == [
        ("link-unknown", "memory/a.md", 3), ("link-itself", "memory/a.md", 3)]


def test_a_circle_is_broken_at_its_latest_page():
    pages = [page("a.md", updated="2026-01-01", contradicts=["b"]),
             page("b.md", updated="2026-02-01", contradicts=["a"])]
    found, findings = newer(pages)
    assert found == {"a.md": "b.md"}
    assert codes(findings) == [("link-circle", "memory/a.md")]


def test_in_a_circle_without_dates_no_page_is_old():
    pages = [page("a.md", contradicts=["b"]), page("b.md", contradicts=["c"]), page("c.md", contradicts=["a"]),
             page("d.md", supersedes=["e"]), page("e.md")]
    found, findings = newer(pages)
    assert found == {"e.md": "d.md"}
    assert codes(findings) == [("link-circle", "memory/a.md")]


def test_a_long_chain_is_walked_once():
    pages = [page(f"{n:05}.md", contradicts=[f"{n + 1:05}.md"]) for n in range(20000)] + [page("20000.md")]
    found, findings = newer(pages)
    assert (len(found), findings) == (20000, [])


def test_p55_names_that_are_alike():
    found = alike([page("alpha.md"), page("Alpha.md"), page("beta-x.md"), page("beta_x.md"), page("c.md", own="beta x"),
                   page("d.md", own="D")])
    assert codes(found) == [("names-alike", "memory/alpha.md"), ("names-alike", "memory/beta_x.md"),
                            ("names-alike", "memory/c.md")]
    assert "`alpha.md` and `Alpha.md`" in found[0].message
