"""Is there frontmatter, where does the body begin, and what can be read of it?

Raw YAML is never indexed as body, and prose never becomes a field. Where the two cannot be told apart for
certain the page is read as body and a finding says so; only a frontmatter that never ends leaves a page
out, because then nobody knows where its body begins.
"""

import re

import yaml

from abcd_index.store.advice import Advice, explain, named
from abcd_index.store.fences import closed_at, cut, dots
from abcd_index.store.loader import Mapping, Refused, parse
from abcd_index.store.salvage import LISTS, NESTS, TEXTS, salvage
from abcd_index.store.text import quoted

# Keys that are read, and keys that other tools write: either makes a block frontmatter beyond doubt.
READ = frozenset(TEXTS | LISTS | NESTS)
OTHERS = frozenset((
    "aliases", "author", "authors", "category", "categories", "cssclass", "cssclasses", "created", "creator",
    "draft", "id", "importance", "keywords", "lang", "language", "layout", "license", "licence", "lifecycle", "kind",
    "model", "nodetype", "node_type", "originsessionid", "permalink", "priority", "publish", "severity", "slug",
    "source", "status", "tag", "tags", "tools", "topic_hash", "url", "version", "schedule", "mode", "enabled",
    "allowed-tools", "color", "globs", "paths", "timestamp", "related", "relatedto", "owner", "owners",
))
KEY_LINE = re.compile(r"[\s\u200b\u2060\ufeff]*[\"']?([^\W\d][\w.\u200b\u2060\ufeff-]*)[\"']?[ \t]*:(?=\s|$)")
MARGIN_LINE = re.compile(r"^(?:recall|description|metadata|contradicts|name|source)[ \t]*:", re.MULTILINE)
IDENTIFIER = re.compile(r"[\w.$<-][\w.$/-]*")
# A second block stands within this many characters of the first, or is none.
LEADING = 200
# What somebody meant as a fence: text behind it, or dashes that a word processor joined.
NEARLY_FENCE = re.compile(r"\s*(?:-{3,}(?:\s.*)?|[\u2010-\u2015\u2212-]{1,3})$")
STRUCTURE = re.compile(r"\s|[-#\[\]{}&*!|>'\"%@`]|[^\s:][^:]*:(?:\s|$)")


class Front:
    """``fields``: a Mapping (empty without frontmatter); ``body`` as in the file; ``block_line``: the
    file's line of line 0 in ``fields``. ``comments``: file lines with a lost comment. ``present``: whether
    the page has frontmatter at all."""

    __slots__ = ("fields", "body", "body_line", "block_line", "comments", "present")

    def __init__(self, body, body_line=1, fields=None, block_line=1):
        self.body = body
        self.body_line = body_line
        self.present = fields is not None
        self.fields = Mapping.empty() if fields is None else fields
        self.block_line = block_line
        self.comments = set()


def read_front(text, notes):
    """The Front of a page's text (LF line ends), or None when the page has to be left out."""
    page = cut(text)
    if page is None:
        _elsewhere(text, notes)
        return Front(text)
    at = dots(page)
    if at is not None and starts_like_fields(page.block[:at]):
        notes.add("frontmatter-dots", page.block_line + page.block.count("\n", 0, at),
                  "the frontmatter is closed by `...`", "write `---` there")
        page = closed_at(page, at)
    if not page.closed:
        return _unclosed(page, notes)
    try:
        loaded = parse(page)
    except (yaml.YAMLError, Refused, ValueError, RecursionError) as error:
        return _broken(page, error, notes)
    fields = _fields(page, loaded.value, notes)
    if fields is None:
        return _rule(page, notes)
    front = Front(page.body, page.body_line, fields, page.block_line)
    if loaded.notes:
        _note_all(front, loaded.notes, notes)
    _skip_second(front, notes)
    return front


def _fields(page, value, notes):
    """The block's Mapping when it is frontmatter, None when it is prose between two rules."""
    if isinstance(value, Mapping) and not READ.isdisjoint(value):
        return value
    blank_first = not page.block.partition("\n")[0].strip()
    if value is None and not (blank_first and page.block.strip()):
        return Mapping.empty()
    if not isinstance(value, Mapping) or blank_first:
        return None
    if any(_known(key) for key in value):
        return value
    if not all(IDENTIFIER.fullmatch(key) for key in value):
        return None
    if value:
        notes.add("frontmatter-unknown-keys", page.block_line,
                  "no key of the frontmatter is one that is read: " + quoted(", ".join(value)),
                  "add `recall: [...]`, or a blank line after the first `---` if this is prose")
    return value


def _known(key):
    return key in READ or key.lower() in READ or key.lower() in OTHERS


def _rule(page, notes):
    notes.add("page-starts-with-rule", page.open_line,
              "the page starts with a rule `---`, not with frontmatter; all of it is read as body",
              "write `***` for the rule, or `key: value` lines below the first `---`")
    return Front(page.text)


def _note_all(front, found, notes):
    for code, at, message, fix in found:
        line = front.block_line + at
        if code == "duplicate-key":
            key, first, second = message
            message = (f"`{quoted(key)}` is given twice, on lines {front.block_line + first} and "
                       f"{front.block_line + second}")
        elif code == "value-comment":
            front.comments.add(line)
            message = f"text after # is a YAML comment and is lost: {quoted(message)}"
        notes.add(code, line, message, fix)


def _unclosed(page, notes):
    if not page.block.strip():
        notes.add("page-empty", page.open_line, "the page holds a lone `---` and no text", "write the page")
        return Front("", page.body_line)
    if starts_like_fields(page.block):
        _never_closed(page, notes)
        return None
    return _rule(page, notes)


def _never_closed(page, notes):
    lines = page.block.split("\n")
    last = 0
    for number, line in enumerate(lines):
        if not line.strip():
            break
        last = number
    near = next((n for n, line in enumerate(lines) if NEARLY_FENCE.match(line)), None)
    hint, fix = "", f"add a line `---` after line {page.block_line + last}"
    if near is not None:
        hint = f" (line {page.block_line + near} is no fence: {quoted(lines[near])})"
        fix = f"write `---` and nothing else on line {page.block_line + near}"
    notes.add("frontmatter-not-closed", page.open_line,
              f"frontmatter opened at line {page.open_line} is never closed{hint}", fix)


def _broken(page, error, notes):
    """YAML that fails: prose between rules, a missing fence, or one mistake in real frontmatter."""
    if not starts_like_fields(page.block) and not MARGIN_LINE.search(page.block):
        return _rule(page, notes)
    if isinstance(error, Refused):
        advice = Advice(error.code, error.line, named(error.message, page.block.split("\n"), error.line), error.fix)
    else:
        advice = explain(error, page.block)
        if _swallowed(page.block, advice.line):
            _never_closed(page, notes)
            return None
    fields = salvage(page.block)
    saved = [key for key in fields if key in READ]
    message = advice.message + ("; read all the same: " + ", ".join(saved) if saved else "")
    if "recall" not in fields and re.search(r"^recall[ \t]*:", page.block, re.MULTILINE):
        message += "; its keywords cannot be read until this is mended"
    notes.add(advice.code, page.block_line + advice.line, message, advice.fix)
    front = Front(page.body, page.body_line, fields, page.block_line)
    _skip_second(front, notes)
    return front


def _swallowed(block, line):
    """Whether the closing fence is really a rule in the body: prose stands right above it, below a blank
    line, and that is where YAML fails."""
    lines = block.rstrip("\n").split("\n")
    blank = next((n for n, text in enumerate(lines) if not text.strip()), None)
    if blank is None or line < blank:
        return False
    last = next((text for text in reversed(lines) if text.strip()), "")
    return not STRUCTURE.match(last)


def starts_like_fields(block):
    """Whether the first line that says something is a key; below a blank line, one that is read."""
    blank_first = not block.partition("\n")[0].strip()
    for line in block.split("\n"):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = KEY_LINE.match(line)
        return bool(found) and (not blank_first or found.group(1) in READ)
    return False


def _skip_second(front, notes):
    """A second block right below the first: some tool did not see the first one. Neither is it prose."""
    if front.body.find("---", 0, LEADING) < 0 or front.body.lstrip()[:3] != "---":
        return
    second = cut(front.body)
    if second is None or not second.closed or not starts_like_fields(second.block) or \
            not second.block.strip() or not _holds_known(second.block):
        return
    notes.add("frontmatter-second", front.body_line + second.open_line - 1,
              f"second frontmatter block at line {front.body_line + second.open_line - 1}; the first one counts",
              "merge the two blocks")
    front.body = second.body
    front.body_line += second.body_line - 1


def _holds_known(block):
    return any(_known(found.group(1)) for found in map(KEY_LINE.match, block.split("\n")) if found)


def _elsewhere(text, notes):
    """Frontmatter that is not where, or not what, it should be: one warning, and the page is body."""
    first = text.lstrip()[:4]
    if first[:2] == "{\n" and "\n}" in text or first[:3] == "+++" and text.count("\n+++"):
        kind = "JSON" if first[0] == "{" else "TOML"
        notes.add("frontmatter-not-yaml", text[: len(text) - len(text.lstrip())].count("\n") + 1,
                  f"{kind} frontmatter is not read; the page is read as body", "write it as YAML between `---` lines")
        return
    at = 0 if text.startswith("recall:") else text.find("\nrecall:") + 1
    if not at and not text.startswith("recall:") or text.count("```", 0, at) % 2:
        return
    fence = text.rfind("\n---", 0, at) + 1
    if fence and text.find("\n---", at) >= 0:
        notes.add("frontmatter-not-first", text.count("\n", 0, fence) + 1,
                  "frontmatter stands below other text and is read as body", "move it to the top of the page")
    elif text.count("\n", 0, at) < 10:
        notes.add("frontmatter-not-opened", text.count("\n", 0, at) + 1,
                  "`recall:` stands outside of frontmatter and is read as body",
                  "put the fields between two lines `---` at the top of the page")
