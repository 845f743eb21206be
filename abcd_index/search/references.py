"""What a page names: files of the repository, links, other pages. And which of it is no longer there.

Nothing is guessed. A path in the text is dead when git's history knows it and HEAD does not; a path that git
never knew is an example, not a reference. A markdown link is dead when nothing lies where it leads; a wikilink,
when no page answers to it. What stands under ``## History`` is about the past and is not looked at.
"""

from __future__ import annotations

import os
import re
from typing import Dict, Iterable, Iterator, List, Mapping, NamedTuple, Tuple
from urllib.parse import unquote

from abcd_index.git.log import Gone
from abcd_index.store.markdown import with_history

_LINK = re.compile(r"(?<!!)\[[^\[\]]*\]\(\s*(<[^<>]*>|[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?:\s+[\"'(][^)]*)?\)")
_WIKI = re.compile(r"\[\[[^\[\]]+\]\]")
_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|#")
_ANY_URL = re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]*://\S+")
# A path, and what people hang on it: a line, a symbol, an anchor.
_PATH = re.compile(r"(?<![\w@/.~-])((?:\.{1,2}/)*[\w@+.-]+(?:/[\w@+.-]+)*)(?:(?::{1,2}|#)[\w.-]+)?")
_NAMES_FILE = re.compile(r"[^.].*\.[A-Za-z][A-Za-z0-9]{0,9}$")

PATH, LINK, WIKI = "path", "link", "wikilink"


class Reference(NamedTuple):
    """``kind``: path, link or wikilink; ``target``: what it names; ``line``: 1-based line of the file."""

    kind: str
    target: str
    line: int


def references(body: str, first_line: int = 1) -> List[Reference]:
    """The References of a page's text, in order, each target once for a kind. ``first_line``: of the body."""
    found: Dict[Tuple[str, str], Reference] = {}
    for (number, line, fenced), past in with_history(body):
        if past:
            continue
        bare = _ANY_URL.sub(" ", line)
        targets = []
        if not fenced:
            shown = _CODE.sub(" ", line)
            targets += [(LINK, _target(one)) for one in _LINK.findall(shown)]
            targets += [(WIKI, one) for one in _WIKI.findall(shown)]
            bare = _WIKI.sub(" ", _LINK.sub(" ", bare))
        targets += [(PATH, one) for one in _paths(bare)]
        for kind, target in targets:
            if target:
                found.setdefault((kind, target), Reference(kind, target, first_line + number))
    return list(found.values())


class Files:
    """What a repository has and had. ``tracked``: paths of HEAD; ``gone``: {path: git.log.Gone}; ``top`` and
    ``store``: absolute folders."""

    def __init__(self, top: str, store: str, tracked: Iterable[str], gone: Mapping[str, Gone]) -> None:
        self.top = top
        self.store = store
        self.tracked = set(tracked)
        self.gone = gone
        self._here = _by_name(self.tracked)
        self._was = _by_name(gone)

    def dead_path(self, path: str) -> Tuple[str, Gone] | None:
        """The (old path, Gone) that ``path`` means, or None when it is there or git never knew it.

        A path may be written from the top, from the store, or as its last parts.
        """
        path = os.path.normpath(path).replace(os.sep, "/")
        while path.startswith("../"):
            path = path[3:]
        if self._means(path, self._here) or os.path.exists(os.path.join(self.top, path)):
            return None
        was = self._means(path, self._was)
        # Several files of that name are gone: the one removed last, and if that is a tie the first by name.
        return max(((old, self.gone[old]) for old in sorted(was)), key=lambda one: one[1].date, default=None)

    def dead_link(self, target: str) -> Tuple[bool, Gone | None]:
        """(whether nothing lies where a link of a page leads, its Gone if history knows one)."""
        base = self.top if target.startswith("/") else self.store
        path = os.path.normpath(os.path.join(base, target.lstrip("/")))
        if os.path.exists(path) or os.path.exists(os.path.join(self.top, target)):
            return False, None
        inside = os.path.relpath(path, self.top).replace(os.sep, "/")
        return True, self.gone.get(inside)

    def _means(self, path: str, names: Mapping[str, List[str]]) -> List[str]:
        return [one for one in names.get(path.rpartition("/")[2], ()) if one == path or one.endswith("/" + path)]


def where_now(gone: Gone | None, files: Files) -> str:
    """The path that a removed file was last moved to, following later moves; '' when it was deleted."""
    seen = set()
    while gone is not None and gone.moved and gone.moved not in seen:
        if gone.moved in files.tracked:
            return gone.moved
        seen.add(gone.moved)
        gone = files.gone.get(gone.moved)
    return ""


def _paths(text: str) -> Iterator[str]:
    for match in _PATH.finditer(text):
        path = match[1].rstrip(".")
        if "/" in path.strip("/") or _NAMES_FILE.match(path):
            yield path


def _target(text: str) -> str:
    text = text.strip()
    if text.startswith("<"):
        text = text[1:-1]
    if _URL.match(text):
        return ""
    return str(unquote(text.split("#")[0].split("?")[0]))


def _by_name(paths: Iterable[str]) -> Dict[str, List[str]]:
    names: Dict[str, List[str]] = {}
    for path in paths:
        names.setdefault(path.rpartition("/")[2], []).append(path)
    return names
