"""The numbers that decide: each is held from both sides by what a person would see when it moved.

A store is made in which the number only just decides one way, and one in which it only just decides the other way.
How near is in a comment at each; the numbers' reasons stand beside them in the code.
"""

import math
import os

import pytest

from abcd_index import fs
from abcd_index.agenthooks.match import match
from abcd_index.agenthooks.prompt import Prompt
from abcd_index.artefact.ranking import ln
from abcd_index.text.patterns import entries
from tests import hooked_store
from tests.hooked_store import page

hooked = hooked_store.hooked
END = "</abcd-memory>"
# Names, keywords and bodies that share no word with a prompt, one for each number.
FILLER = ["".join("bcdfghjklm"[int(digit)] + "u" for digit in str(n)) for n in range(200)]


def store(total, **groups):
    """{file: text} of ``total`` pages. ``groups``: {name: (how many, keywords, body)}; the rest has its own words."""
    pages = {}
    for name, (count, keywords, body) in groups.items():
        for n in range(count):
            pages["%s_%02d.md" % (name, n)] = page(keywords, body, "%s %s" % (name.title(), FILLER[len(pages)]))
    while len(pages) < total:
        word = FILLER[len(pages)]
        pages["z_%s.md" % word] = page([word], "Of %s." % word, "Z " + word)
    assert len(pages) == total
    return pages


@pytest.fixture
def by_keywords(hooked):
    """A store in which keywords alone decide: the numbers of text would move what these tests watch."""
    hooked.pages({})
    hooked.config(match={"text": "off", "generic": "whole"})
    return hooked


def ask(hooked, prompt, session="s1", free=90):
    """What a prompt brings while ``free`` percent of the window are."""
    hooked.free(free, session)
    return hooked.quick(prompt, session)


def brought(text):
    """([names of the pages that came whole or begun], [names of those that came as a line]), in order."""
    whole = [line.split("(", 1)[1].split("/")[-1].split(".md")[0] for line in text.split("\n") if line.startswith("## ")]
    return whole, [line.split("`")[1].split(".md")[0] for line in text.split("\n") if line.startswith("- `")]


@pytest.mark.parametrize("words, first", [(3, "phrase"), (2, "word")])
def test_what_a_further_word_of_a_keyword_adds(by_keywords, words, first):
    # Eight of forty pages have the phrase. It adds more than 0.49 and less than 0.75 of a word to the figure of one.
    by_keywords.pages(store(40, phrase=(8, ["token rotation"], "Body."), word=(words, ["gizmo"], "Body.")))
    assert brought(ask(by_keywords, "the token rotation, the gizmo"))[0][0].startswith(first)


@pytest.mark.parametrize("words, first", [(3, "phrase"), (2, "word")])
def test_no_more_than_four_words_of_a_keyword_count(by_keywords, words, first):
    # A phrase of six words counts 2.5 words, as one of four does: with 3.0 it were first, with 2.0 it were not, each time.
    by_keywords.pages(store(60, phrase=(24, ["token rotation of one signing host"], "Body."), word=(words, ["gizmo"], "Body.")))
    assert brought(ask(by_keywords, "the token rotation of one signing host, the gizmo"))[0][0].startswith(first)


@pytest.mark.parametrize("others, whole", [(7, 4), (8, 1)])
def test_how_near_to_the_best_a_page_must_be_in_moderate(by_keywords, others, whole):
    # A page that is 0.51 as good as the best one comes whole, one that is 0.48 as good does not.
    by_keywords.pages(store(40, best=(1, ["gizmo"], "Body."), other=(others, ["lever"], "Body.")))
    names, lines = brought(ask(by_keywords, "gizmo and lever", free=50))
    assert names[0] == "best_00" and len(names) == whole and len(lines) == others + 1 - whole


@pytest.mark.parametrize("total, whole", [(100, True), (99, False)])
def test_of_how_many_pages_one_makes_a_keyword_rare(by_keywords, total, whole):
    # Two pasted words bring a page whole only where both are rare: two pages of a hundred, not of ninety-nine.
    by_keywords.pages(store(total, both=(2, ["gizmo", "lever"], "Body.")))
    names, lines = brought(ask(by_keywords, "Why?\n```\nthe gizmo broke the lever\n```"))
    assert (len(names), len(lines)) == ((2, 0) if whole else (0, 2))


@pytest.mark.parametrize("count, whole", [(4, True), (3, False)])
def test_how_many_common_pasted_keywords_bring_a_page_whole(by_keywords, count, whole):
    words = ["gizmo", "lever", "spring", "bolt"][:count]
    by_keywords.pages(store(20, all=(3, words, "Body.")))
    names, lines = brought(ask(by_keywords, "Why?\n```\nthe gizmo, lever, spring and bolt\n```"))
    assert (len(names), len(lines)) == ((3, 0) if whole else (0, 3))


@pytest.mark.parametrize("over, whole", [(-30, True), (30, False)])
def test_what_whole_pages_leave_for_lines(by_keywords, over, whole):
    # A sixth of the room, where the others' lines need that much: a page of five sixths comes whole, to 30 characters.
    title = "Long " + "x" * 150
    pages = {"o_%02d.md" % n: page(["gizmo"], "Body.", title) for n in range(20)}
    by_keywords.pages({**pages, "best.md": page(["gizmo", "lever"], "Body.", "Best")})
    text = ask(by_keywords, "gizmo, lever", session="first")
    start = text.index("## ")
    room = 9000 - start - len(END)
    block = text[start:text.index("## ", start + 3)]
    body = "Body." + " x" * ((room - room // 6 + over - len(block)) // 2)
    (by_keywords.store / "best.md").write_text(page(["gizmo", "lever"], body, "Best"))
    by_keywords.build()
    text = ask(by_keywords, "gizmo, lever", session="second")
    assert brought(text)[0][0] == "best" and ("\n(first " not in text) == whole


@pytest.mark.parametrize("holding, first", [(26, "often"), (27, "rare")])
def test_what_a_word_counts_that_the_prompt_repeats(by_keywords, holding, first):
    # Eight times counts 4.5 times, (8 + 1) * 8 / (8 + 8): more than 4.44 and less than 4.65 of the rare word.
    by_keywords.pages(store(60, often=(1, ["gizmo"], "Of quartz here."), rare=(1, ["gizmo"], "Of zircon here."),
                     q=(holding - 1, ["lever"], "Of quartz here.")))
    prompt = "gizmo: zircon, then" + ", quartz, then" * 8
    assert brought(ask(by_keywords, prompt))[0][0].startswith(first)


@pytest.mark.parametrize("prompt, zone, weight", [
    ("the token rotation", 0, 1.0),
    ("the tokenRotation", 1, 0.7),
    ("token_rotation", 0, 1.0),
    ("why?\n```\nthe token rotation\n```", 2, 0.35),
    ("why?\n```\nthe token rotation\n```\nthe token rotation", 0, 1.0),
])
def test_a_phrase_counts_as_its_weakest_word(prompt, zone, weight):
    found = {}
    for key, entry in entries("token rotation"):
        found.setdefault(key, []).append((entry, [0], []))
    hit, = match(Prompt(prompt), lambda key: found.get(key, []))
    assert (hit.zone, hit.weight) == (zone, pytest.approx(weight))


@pytest.mark.parametrize("zones, zone", [((0, 0), 0), ((0, 1), 1), ((1, 0), 1), ((1, 2), 2), ((2, 0), 2), ((0, 4), 0)])
def test_of_words_from_two_zones_the_weaker_one_counts(zones, zone):
    prompt = Prompt("token rotation")
    prompt.tokens = [("token", "token", zones[0]), ("rotation", "rotation", zones[1]), None]
    entry = dict(entries("token rotation"))["token"]
    hit, = match(prompt, lambda key: [(entry, [0], [])] if key == "token" else [])
    assert hit.zone == zone


@pytest.fixture
def disk(monkeypatch):
    """What was done to the disk, in order: ("sync", inode) and ("rename", inode, folder's inode)."""
    done = []

    def watched(name, note):
        original = getattr(os, name)

        def call(*args, **kw):
            note(*args)
            return original(*args, **kw)

        monkeypatch.setattr(os, name, call)

    def renamed(source, target):
        if os.path.isfile(source):
            done.append(("rename", os.stat(source).st_ino, os.stat(os.path.dirname(target) or ".").st_ino))

    watched("fsync", lambda fd: done.append(("sync", os.fstat(fd).st_ino)))
    for name in ("replace", "rename", "link"):
        watched(name, renamed)
    return done


def outlasts_a_power_cut(done):
    """Whether each file was synced before it got its name, and its folder afterwards."""
    for at, (what, *inodes) in enumerate(done):
        if what == "rename":
            if ("sync", inodes[0]) not in done[:at] or ("sync", inodes[1]) not in done[at:]:
                return False
    return any(what == "rename" for what, *_ in done)


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot open a folder")
@pytest.mark.parametrize("write", [
    lambda path: fs.replace(path, b"new"),
    lambda path: fs.create(path, b"new"),
    lambda path: fs.adopt(path + ".made", path),
])
def test_a_file_is_synced_before_it_gets_its_name_and_its_folder_after(tmp_path, disk, write):
    (tmp_path / "x.made").write_bytes(b"new")
    write(str(tmp_path / "x"))
    assert (tmp_path / "x").read_bytes() == b"new" and outlasts_a_power_cut(disk)


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot open a folder")
def test_a_build_leaves_nothing_that_a_power_cut_takes(hooked, disk):
    hooked.pages({"a.md": page(["gizmo"], "Body.")})
    assert outlasts_a_power_cut(disk)
    del disk[:]
    hooked.pages({"a.md": page(["gizmo"], "Another body."), "b.md": page(["lever"], "Body.")})
    assert outlasts_a_power_cut(disk)


# Where a link in a store may lead. {name: what it holds}, made with the workspace as the folder they start in.
OUT = {
    "above": "../../../secret.md", "absolute": "{tmp}/secret.md", "workspace": "../../notes.md", "nowhere": "none.md",
    "beside": "../memory-others/p.md", "as long": "../memor2/p.md", "round": "round.md", "two steps": "step.md", "dots": "x/../../../../secret.md",
    "a folder": "..", "itself": ".",
}


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
@pytest.mark.parametrize("name", OUT)
def test_a_link_that_leads_out_of_the_store_is_not_followed(hooked, name):
    secret = page(["gizmo"], "Secret.")
    (hooked.sandbox.tmp / "secret.md").write_text(secret)
    (hooked.root / "notes.md").write_text(secret)
    hooked.sandbox.pages(hooked.root, {"a.md": page(["lever"], "Body.")})
    # What has the names of something in the store is not in it: a folder that begins like it, one of equal length.
    for folder, text in (("memory-others", secret), ("memor2", secret), ("memory/-others", "No."), ("memory", "No.")):
        os.makedirs(hooked.root / ".abcd" / folder, exist_ok=True)
        (hooked.root / ".abcd" / folder / "p.md").write_text(text)
    # The second step of two leads out.
    (hooked.store / "step.md").symlink_to(hooked.sandbox.tmp / "secret.md")
    (hooked.store / "x").mkdir()
    (hooked.store / (name.replace(" ", "_") + "_link.md")).symlink_to(OUT[name].format(tmp=hooked.sandbox.tmp))
    (hooked.store / "round.md").symlink_to(name.replace(" ", "_") + "_link.md")
    hooked.build()
    assert hooked.quick("gizmo") == "" and "Body." in hooked.quick("lever")
    assert b"Secret." not in b"".join(path.read_bytes() for path in hooked.index.glob("*.idx"))


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
@pytest.mark.parametrize("target", ["a/real.txt", "./a/../a/real.txt", "{store}/a/real.txt", "first.md"])
def test_a_link_within_the_store_is(hooked, target):
    (hooked.store / "a").mkdir(parents=True)
    (hooked.store / "a" / "real.txt").write_text(page(["gizmo"], "Here."))
    if target == "first.md":
        (hooked.store / ".first").symlink_to("a/real.txt")
        target = ".first"
    (hooked.store / "b.md").symlink_to(target.format(store=hooked.store))
    hooked.build()
    assert "Here." in hooked.quick("gizmo")


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
@pytest.mark.parametrize("name", ["memory/index.md", "rules.json"])
def test_nor_is_one_in_place_of_the_catalogue_or_the_rules(hooked, name):
    outside = hooked.sandbox.tmp / "outside"
    outside.write_text('- `a.md` \u2014 Secret.\n' if name.endswith(".md") else
                       '{"schema_version": 1, "domains": {"d": {"recall": ["gizmo"], "rules": ["Secret."]}}}')
    hooked.sandbox.pages(hooked.root, {"a.md": page(["gizmo"], "Body.")})
    (hooked.root / ".abcd" / name).symlink_to(outside)
    hooked.build()
    text = ask(hooked, "gizmo", free=10)
    assert "a.md" in text and "Secret" not in text


def test_the_logarithm_is_one():
    """Seven digits, over what the number of pages can make of it."""
    for x in [1 + n / 997 for n in range(4000)] + [1.7 ** n for n in range(1, 40)]:
        assert ln(x) == pytest.approx(math.log(x), rel=3e-8, abs=3e-8)
