"""An artefact that is marked as in use is still one to build upon."""

import os

from abcd_index.build import publish
from abcd_index.build.run import build
from abcd_index.scopes import Places, workspace_at

TEXT = "".join(f"line {n} says what was learned\n" for n in range(40))
PAGES = {f"page_{n:02d}.md": f"---\nrecall: [word{n}]\n---\n# Page {n}\n\n{TEXT}" for n in range(30)}


def test_a_build_after_it_compiles_what_changed(sandbox):
    store = sandbox.pages(sandbox.tmp / "w", PAGES)
    scope = workspace_at(str(sandbox.tmp / "w"), Places(sandbox.env))
    key = build(scope).key
    publish.touch(scope.index, key)
    (store / "page_03.md").write_text(PAGES["page_03.md"] + "More.\n")
    assert build(scope).recompiled == 1


def test_it_outlives_those_that_are_not(sandbox):
    store = sandbox.pages(sandbox.tmp / "w", PAGES)
    scope = workspace_at(str(sandbox.tmp / "w"), Places(sandbox.env))
    keys = []
    for number in range(4):
        (store / "page_03.md").write_text(PAGES["page_03.md"] + f"More {number}.\n")
        keys.append(build(scope).key)
        for suffix in (".idx", ".times", ".pages"):
            os.utime(os.path.join(scope.index, keys[-1] + suffix), (1000 + number, 1000 + number))
    publish.touch(scope.index, keys[0])
    publish.prune(scope.index, 2, keys[3])
    assert {name for name in keys if os.path.exists(os.path.join(scope.index, name + ".idx"))} == {keys[0], keys[3]}
