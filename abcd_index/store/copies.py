"""Copies of a page: what a sync tool's conflicts and backups leave in a store, the same bytes under another name.

A copy is left out, so that the page comes once; an edit makes it a page of its own again. A short text may be a form
that somebody has just begun to fill in several times, so there the names have to say it too: "x (conflict).md" and
"Copy of x.md" are named after "x.md".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from abcd_index.store.records import Finding, finding
from abcd_index.store.text import quoted

# Two files of so many bytes do not come to be the same by chance.
LONG = 500


def copies_of(contents: Iterable[tuple[str, int, str]]) -> dict[str, str]:
    """{file: the file whose copy it is} of (file, size, what stands for its content). The page itself is the one with
    the shortest name, then the one that sorts first."""
    alike: dict[str, list[str]] = {}
    long = set()
    for name, size, content in contents:
        alike.setdefault(content, []).append(name)
        if size >= LONG:
            long.add(content)
    found: dict[str, str] = {}
    for content, names in alike.items():
        names.sort(key=lambda name: (len(name), name))
        for at, name in enumerate(names):
            first = next((one for one in names[:at] if content in long or _named_after(name, one)), None)
            if first is not None:
                found[name] = found.get(first, first)
    return found


def _named_after(name: str, other: str) -> bool:
    """Whether a file's name is another's with something before or after, or the same in another folder."""
    same_folder = name.rpartition("/")[0] == other.rpartition("/")[0]
    name, other = _stem(name), _stem(other)
    if name == other:
        return not same_folder
    at = name.find(other)
    before, after = name[at - 1 : at], name[at + len(other) :][:1]
    return at >= 0 and not before.isalnum() and not after.isalnum()


def _stem(name: str) -> str:
    return name.rpartition("/")[2].rpartition(".")[0].casefold()


def copy_findings(copies: Mapping[str, str]) -> list[Finding]:
    """A Finding for each copy."""
    return [
        finding(
            "page-copy",
            "memory/" + name,
            f"the same text as `{quoted(first)}`; that one is used",
            "delete one of the two, or change its text",
        )
        for name, first in sorted(copies.items())
    ]
