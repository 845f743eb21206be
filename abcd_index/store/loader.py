"""YAML of a frontmatter block, with every scalar kept as the author wrote it.

The loader is a SafeLoader (libyaml's when it is there) that resolves nothing but null: ``no`` stays
``no``, ``3.10`` stays ``3.10``, ``2026-02-30`` is a text and no crash. It refuses what a frontmatter has no
use for and what makes YAML dangerous to walk: tags, aliases, deep nesting, tens of thousands of values.
Duplicate keys are noted with both their lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Union

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from yaml import SafeLoader
else:
    try:
        from yaml import CSafeLoader as SafeLoader
    except ImportError:  # pragma: no cover - PyYAML built without libyaml
        from yaml import SafeLoader

MAX_BLOCK = 64 * 1024
MAX_DEPTH = 32
MAX_VALUES = 5000
SUSPICIOUS = 100

STR = "tag:yaml.org,2002:str"
NULL = "tag:yaml.org,2002:null"
SEQ = "tag:yaml.org,2002:seq"
MAP = "tag:yaml.org,2002:map"
NULLS = frozenset(("", "~", "null", "Null", "NULL"))
KNOWN = frozenset((STR, NULL, SEQ, MAP))

# An anchor where a value may start. `R&D` and `a & b` are none.
ANCHOR = re.compile(r"(?:^|[\s\[{,])(&[^\s&,\[\]{}]+)")
# To YAML these end a line; to everybody else they are characters of the text.
_LINE_ENDS = str.maketrans("\x85\u2028\u2029", "   ")


class Refused(Exception):
    """The block parses as YAML but holds what is not accepted. ``line``: 0-based in the block."""

    def __init__(self, code: str, line: int, message: str, fix: str) -> None:
        super().__init__(message)
        self.code = code
        self.line = line
        self.message = message
        self.fix = fix


# What a block, or a value in it, can be.
Yaml = Union[str, None, "Mapping", "Sequence"]


class Mapping(dict[str, Yaml]):
    """A mapping; ``lines`` gives the 0-based line in the block of each key."""

    __slots__ = ("lines",)

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, int] = {}


class Sequence(list[Yaml]):
    """A list; ``lines`` gives the 0-based line in the block of each item."""

    __slots__ = ("lines",)

    def __init__(self, items: Iterable[Yaml], lines: Iterable[int] = ()) -> None:
        super().__init__(items)
        self.lines = list(lines)


class _Resolve:
    """Only null is resolved; every other scalar is text."""

    def resolve(self, kind: type[Node], value: str | None, implicit: tuple[bool, bool]) -> str:
        if kind is ScalarNode:
            return NULL if implicit[0] and value in NULLS else STR
        return SEQ if kind is SequenceNode else MAP

    def descend_resolver(self, current_node: Node | None, current_index: object) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass


class PageLoader(_Resolve, SafeLoader):
    """The loader: libyaml where it is there."""


class PlainLoader(_Resolve, yaml.SafeLoader):
    """The same in pure Python, for tests and for PyYAML without libyaml."""


class Note(NamedTuple):
    """Something in a block that does not stop it from being read. ``line``: 0-based in the block; ``what``: the text
    that is lost, or the key that is there twice; ``first``: the line on which that key was first."""

    code: str
    line: int
    what: str
    fix: str
    first: int = 0


class Loaded(NamedTuple):
    """What a block holds, and what was noted of it."""

    value: Yaml
    notes: list[Note]


def with_lf_only(block: str) -> str:
    """``block``, as long as before, with blanks for what only YAML takes for the end of a line."""
    return block if block.isascii() else block.translate(_LINE_ENDS)


def load(block: str, loader: type[PageLoader] | type[PlainLoader] = PageLoader) -> Loaded:
    """The Loaded of ``block``. Raises yaml.YAMLError when it is no YAML, Refused when it is not accepted."""
    if len(block) > MAX_BLOCK:
        raise Refused(
            "frontmatter-too-large",
            0,
            f"the frontmatter has {len(block):,} characters, more than {MAX_BLOCK:,}",
            "move text from the frontmatter to the body, or close it with `---` earlier",
        )
    block = with_lf_only(block)
    if "&" in block:
        _no_anchor(block)
    if _may_be_deep(block):
        _shallow(block, loader)
    reader = loader(block)
    try:
        node = reader.get_single_node()
    finally:
        reader.dispose()
    walk = _Walk(block)
    return Loaded(None if node is None else walk.value(node, 0), walk.notes)


def _may_be_deep(block: str) -> bool:
    """Whether a block could be nested more than SUSPICIOUS levels: each takes a bracket, or a column of
    the white space, dashes and question marks that a line begins with."""
    if block.count("[") + block.count("{") > SUSPICIOUS:
        return True
    for line in block.split("\n"):
        if len(line) > SUSPICIOUS and not line[:SUSPICIOUS].strip(" \t-?:"):
            return True
    return False


def _shallow(block: str, loader: type[PageLoader] | type[PlainLoader]) -> None:
    """Refuse deep nesting by its events, which libyaml makes without recursion. Composing recurses, and
    with PyYAML up to 6.0.3 nothing stops it before the C stack ends and takes the process down."""
    depth = 0
    try:
        for event in yaml.parse(block, Loader=loader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > MAX_DEPTH:
                    raise _too_deep(event.start_mark.line if event.start_mark else 0)
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except yaml.scanner.ScannerError as error:
        if "nesting depth" in (error.problem or ""):  # libyaml's own limit, where it has one
            raise _too_deep(error.problem_mark.line if error.problem_mark else 0) from None
        raise


def _too_deep(line: int) -> Refused:
    return Refused(
        "frontmatter-too-deep",
        line,
        f"more than {MAX_DEPTH} levels or {MAX_VALUES:,} values",
        "move the data to a file of its own",
    )


def _no_anchor(block: str) -> None:
    """Refuse an anchor. The scan tells it from an ``&`` in prose, and costs only where one is likely."""
    if ANCHOR.search(block) is None:
        return
    for token in yaml.scan(block):
        if isinstance(token, yaml.AnchorToken):
            raise Refused(
                "yaml-alias",
                token.start_mark.line,
                f"YAML takes `&{token.value}` for an anchor; anchors and aliases are not accepted here",
                "quote values that start with &",
            )


class _Walk:
    """Nodes -> values, refusing what is not accepted."""

    __slots__ = ("block", "notes", "left", "seen", "hashes", "quick")

    def __init__(self, block: str) -> None:
        self.block = block
        self.notes: list[Note] = []
        self.left = MAX_VALUES
        # Without a `*` there is no alias, and no need to remember every node.
        self.seen: set[int] | None = set() if "*" in block else None
        self.hashes = " #" in block or "\t#" in block
        self.quick = self.seen is None and not self.hashes

    def value(self, node: Node, depth: int) -> Yaml:
        if self.seen is not None:
            self._once(node, self.seen)
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if node.tag not in KNOWN:
            raise _tagged(node)
        self.left -= len(node.value)
        if depth >= MAX_DEPTH or self.left < 0:
            raise _too_deep(node.start_mark.line)
        if isinstance(node, MappingNode):
            return self._mapping(node, depth + 1)
        quick = self.quick
        # ``is``: a text whose tag is the very object that ``resolve`` gave needs no further look.
        return Sequence(
            [item.value if quick and item.tag is STR else self.value(item, depth + 1) for item in node.value],
            [item.start_mark.line for item in node.value],
        )

    def _scalar(self, node: ScalarNode) -> str | None:
        if node.tag not in KNOWN:
            raise _tagged(node)
        if self.hashes and not node.style:
            self._comment(node)
        return None if node.tag == NULL else str(node.value)

    def _mapping(self, node: MappingNode, depth: int) -> Mapping:
        found = Mapping()
        lines = found.lines
        quick = self.quick
        for key_node, value_node in node.value:
            if key_node.tag is not STR:
                self._key(key_node)
            key = key_node.value
            value = value_node.value if quick and value_node.tag is STR else self.value(value_node, depth)
            line = key_node.start_mark.line
            if key in found:
                self.notes.append(Note("duplicate-key", line, key, "keep one of them", lines[key]))
                value = joined(found[key], value)
            found[key] = value
            lines[key] = line
        return found

    def _key(self, node: Node) -> None:
        if not isinstance(node, ScalarNode):
            raise Refused(
                "yaml-key", node.start_mark.line, "a key is a list or a mapping", "quote values that start with { or ["
            )
        if node.tag not in KNOWN:
            raise _tagged(node)

    def _once(self, node: Node, seen: set[int]) -> None:
        """An alias gives the node that its anchor marks, so it is a node met twice."""
        if id(node) in seen:
            tokens = yaml.scan(self.block)
            line = next(token.start_mark.line for token in tokens if isinstance(token, yaml.AliasToken))
            raise Refused(
                "yaml-alias",
                line,
                "YAML takes `*` at the start of a value for an alias, which is not accepted here",
                "quote values that start with *",
            )
        seen.add(id(node))

    def _comment(self, node: ScalarNode) -> None:
        """What follows ` #` on a plain scalar's line is lost without a word."""
        end = node.end_mark.index
        line_end = self.block.find("\n", end)
        rest = self.block[end:] if line_end < 0 else self.block[end:line_end]
        if rest[:1] in (" ", "\t") and rest.lstrip(" \t").startswith("#"):
            self.notes.append(
                Note("value-comment", node.end_mark.line, rest.strip(), "quote the value, or drop the comment")
            )


def _tagged(node: Node) -> Refused:
    tag = node.tag
    if tag.startswith("tag:yaml.org,2002:"):
        tag = "!!" + tag[18:]
    return Refused(
        "yaml-tag",
        node.start_mark.line,
        f"YAML takes `{tag}` for a tag, which is not accepted here",
        "quote values that start with !",
    )


def joined(first: Yaml, second: Yaml) -> Yaml:
    """What two values of one key come to: lists (and what counts as one) joined, else the later."""
    if isinstance(first, Sequence) and isinstance(second, Sequence):
        return Sequence([*first, *second], first.lines + second.lines)
    return second
