"""YAML of a frontmatter block, with every scalar kept as the author wrote it.

The loader is a SafeLoader (libyaml's when it is there) that resolves nothing but null: ``no`` stays
``no``, ``3.10`` stays ``3.10``, ``2026-02-30`` is a text and no crash. It refuses what a frontmatter has no
use for and what makes YAML dangerous to walk: tags, aliases, deep nesting, tens of thousands of values.
Duplicate keys are noted with both their lines. python-frontmatter parses the page with ``PageHandler``,
which gives it our fences and this loader.
"""

import re

import frontmatter
import yaml
from frontmatter.default_handlers import YAMLHandler
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

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
LINE_ENDS = str.maketrans("\x85\u2028\u2029", "   ")


class Refused(Exception):
    """The block parses as YAML but holds what is not accepted. ``line``: 0-based in the block."""

    def __init__(self, code, line, message, fix):
        super().__init__(message)
        self.code = code
        self.line = line
        self.message = message
        self.fix = fix


class Mapping(dict):
    """A mapping; ``lines`` gives the 0-based line in the block of each key."""

    __slots__ = ("lines",)

    @classmethod
    def empty(cls):
        """One without keys."""
        found = cls()
        found.lines = {}
        return found


class Sequence(list):
    """A list; ``lines`` gives the 0-based line in the block of each item."""

    __slots__ = ("lines",)


class _Resolve:
    """Only null is resolved; every other scalar is text."""

    def resolve(self, kind, value, implicit):
        if kind is ScalarNode:
            return NULL if implicit[0] and value in NULLS else STR
        return SEQ if kind is SequenceNode else MAP

    def descend_resolver(self, current_node, current_index):
        pass

    def ascend_resolver(self):
        pass


class PageLoader(_Resolve, SafeLoader):
    """The loader: libyaml where it is there."""


class PlainLoader(_Resolve, yaml.SafeLoader):
    """The same in pure Python, for tests and for PyYAML without libyaml."""


class Loaded:
    """What a block holds. ``value``: a Mapping, a Sequence, a str or None. ``notes``: [(code, 0-based line
    in the block, what, fix)] of what does not stop it from being read."""

    __slots__ = ("value", "notes")

    def __init__(self, value, notes):
        self.value = value
        self.notes = notes


def load(block, loader=PageLoader):
    """The Loaded of ``block``. Raises yaml.YAMLError when it is no YAML, Refused when it is not accepted."""
    if len(block) > MAX_BLOCK:
        raise Refused("frontmatter-too-large", 0,
                      f"the frontmatter has {len(block):,} characters, more than {MAX_BLOCK:,}",
                      "move text from the frontmatter to the body, or close it with `---` earlier")
    if not block.isascii():
        block = block.translate(LINE_ENDS)
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


def _may_be_deep(block):
    """Whether a block could be nested more than SUSPICIOUS levels: each takes a bracket, or a column of
    the white space, dashes and question marks that a line begins with."""
    if block.count("[") + block.count("{") > SUSPICIOUS:
        return True
    for line in block.split("\n"):
        if len(line) > SUSPICIOUS and not line[:SUSPICIOUS].strip(" \t-?:"):
            return True
    return False


def _shallow(block, loader):
    """Refuse deep nesting by its events, which libyaml makes without recursion. Composing recurses, and
    with PyYAML up to 6.0.3 nothing stops it before the C stack ends and takes the process down."""
    depth = 0
    try:
        for event in yaml.parse(block, Loader=loader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > MAX_DEPTH:
                    raise _too_deep(event.start_mark)
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except yaml.scanner.ScannerError as error:
        if "nesting depth" in error.problem:  # libyaml's own limit, where it has one
            raise _too_deep(error.problem_mark) from None
        raise


def _too_deep(mark):
    return Refused("frontmatter-too-deep", mark.line,
                   f"more than {MAX_DEPTH} levels or {MAX_VALUES:,} values", "move the data to a file of its own")


def _no_anchor(block):
    """Refuse an anchor. The scan tells it from an ``&`` in prose, and costs only where one is likely."""
    if ANCHOR.search(block) is None:
        return
    for token in yaml.scan(block):
        if isinstance(token, yaml.AnchorToken):
            raise Refused("yaml-alias", token.start_mark.line, f"YAML takes `&{token.value}` for an anchor; "
                          "anchors and aliases are not accepted here",
                          "quote values that start with &")


class _Walk:
    """Nodes -> values, refusing what is not accepted."""

    __slots__ = ("block", "notes", "left", "seen", "hashes", "quick")

    def __init__(self, block):
        self.block = block
        self.notes = []
        self.left = MAX_VALUES
        # Without a `*` there is no alias, and no need to remember every node.
        self.seen = set() if "*" in block else None
        self.hashes = " #" in block or "\t#" in block
        self.quick = self.seen is None and not self.hashes

    def value(self, node, depth):
        if self.seen is not None:
            self._once(node)
        if node.__class__ is ScalarNode:
            return self._scalar(node)
        if node.tag not in KNOWN:
            raise _tagged(node)
        self.left -= len(node.value)
        if depth >= MAX_DEPTH or self.left < 0:
            raise _too_deep(node.start_mark)
        if node.__class__ is MappingNode:
            return self._mapping(node, depth + 1)
        quick = self.quick
        # ``is``: a text whose tag is the very object that ``resolve`` gave needs no further look.
        found = Sequence([item.value if quick and item.tag is STR else self.value(item, depth + 1)
                          for item in node.value])
        found.lines = [item.start_mark.line for item in node.value]
        return found

    def _scalar(self, node):
        if node.tag not in KNOWN:
            raise _tagged(node)
        if self.hashes and not node.style:
            self._comment(node)
        return None if node.tag == NULL else node.value

    def _mapping(self, node, depth):
        found = Mapping()
        lines = found.lines = {}
        quick = self.quick
        for key_node, value_node in node.value:
            if key_node.tag is not STR:
                self._key(key_node)
            key = key_node.value
            value = value_node.value if quick and value_node.tag is STR else self.value(value_node, depth)
            line = key_node.start_mark.line
            if key in found:
                self.notes.append(("duplicate-key", line, (key, lines[key], line), "keep one of them"))
                value = joined(found[key], value)
            found[key] = value
            lines[key] = line
        return found

    def _key(self, node):
        if node.__class__ is not ScalarNode:
            raise Refused("yaml-key", node.start_mark.line, "a key is a list or a mapping",
                          "quote values that start with { or [")
        if node.tag not in KNOWN:
            raise _tagged(node)

    def _once(self, node):
        """An alias gives the node that its anchor marks, so it is a node met twice."""
        if id(node) in self.seen:
            tokens = yaml.scan(self.block)
            line = next(token.start_mark.line for token in tokens if isinstance(token, yaml.AliasToken))
            raise Refused("yaml-alias", line, "YAML takes `*` at the start of a value for an alias, which is not "
                          "accepted here", "quote values that start with *")
        self.seen.add(id(node))

    def _comment(self, node):
        """P16: what follows ` #` on a plain scalar's line is lost without a word."""
        end = node.end_mark.index
        line_end = self.block.find("\n", end)
        rest = self.block[end:] if line_end < 0 else self.block[end:line_end]
        if rest[:1] in (" ", "\t") and rest.lstrip(" \t").startswith("#"):
            self.notes.append(("value-comment", node.end_mark.line, rest.strip(),
                               "quote the value, or drop the comment"))


def _tagged(node):
    tag = node.tag
    if tag.startswith("tag:yaml.org,2002:"):
        tag = "!!" + tag[18:]
    return Refused("yaml-tag", node.start_mark.line, f"YAML takes `{tag}` for a tag, which is not accepted here",
                   "quote values that start with !")


def joined(first, second):
    """What two values of one key come to: lists (and what counts as one) joined, else the later."""
    if isinstance(first, Sequence) and isinstance(second, Sequence):
        both = Sequence(first + second)
        both.lines = first.lines + second.lines
        return both
    return second


class PageHandler(YAMLHandler):
    """What python-frontmatter is given to parse one page with: the page's Cut, and the loader above.

    ``loaded`` holds the Loaded afterwards, since ``frontmatter.parse`` returns a plain dict.
    """

    def __init__(self, cut):
        super().__init__()
        self.cut = cut
        self.loaded = None

    def split(self, text):
        """The block and the body, by our fences."""
        return self.cut.block, self.cut.body

    def load(self, fm, **kwargs):
        """The block's value. Raises what ``load`` raises."""
        self.loaded = load(fm)
        return self.loaded.value


def parse(cut):
    """The Loaded of a page's Cut, through python-frontmatter. Raises what ``load`` raises."""
    handler = PageHandler(cut)
    frontmatter.parse(cut.text, handler=handler)
    return handler.loaded
