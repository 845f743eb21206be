"""What a YAML error means to the person who wrote the page.

PyYAML reports where its scanner gave up, in its own words and often a line late ("did not find expected
node content"). What went wrong is one of a dozen habits, and the text around the place tells which.
"""

import re

from abcd_index.store.text import quoted

KEY = re.compile(r"[ \t]*(?:- +)?([^\s#:\[\]{},\"'](?:[^:\n]|:(?!\s|$))*):(?:\s|$)")
VALUE = re.compile(r"[ \t]*(?:- +)?(?:[^\s:\"'][^:\n]*:[ \t]+)?(.*)")
CONTROL = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A no-break or zero-width space in the indentation, behind a key's colon or behind a dash.
ODD_SPACE = re.compile(r"[ \t]*(?:-[ \t]+)?(?:-|[\"']?[\w.-]+[\"']?[ \t]*:)?([^\S \t\n]|[\u200b\u2060\ufeff])")
RESERVED = "@`%"


class Advice:
    """``line`` is 0-based in the block; ``message`` and ``fix`` are what a Finding says."""

    __slots__ = ("code", "line", "message", "fix")

    def __init__(self, code, line, message, fix):
        self.code = code
        self.line = line
        self.message = message
        self.fix = fix


def explain(error, block):
    """The Advice on a yaml.YAMLError (or any other exception) from parsing ``block``."""
    lines = block.split("\n")
    if getattr(error, "problem_mark", None) is None:
        return _unmarked(error, block, lines)
    problem = f"{error.context or ''} {error.problem or ''}"
    at = error.problem_mark.index
    line = min(block.count("\n", 0, at), len(lines) - 1)
    first = line
    if error.context_mark is not None:
        first = min(block.count("\n", 0, error.context_mark.index), line)
    for look in (_conflict, _tab, _odd_space, _alias, _reserved, _backslash, _colon, _wikilinks, _open_quote,
                 _hash, _brackets, _after_quote, _block_text, _no_key):
        advice = look(problem, lines, first, line, block[at:at + 1])
        if advice is not None:
            break
    else:
        advice = Advice("yaml-invalid", line, f"not valid YAML: {_words(error)}",
                        "quote the value, or look at the line above")
    column = at - block.rfind("\n", 0, at) - 1
    advice.message = _with_line(advice, lines, column if advice.line == line else 0)
    return advice


def _unmarked(error, block, lines):
    found = CONTROL.search(block)
    if found is not None:
        line = block.count("\n", 0, found.start())
        advice = Advice("yaml-control", line, f"control character U+{ord(found.group()):04X}", "delete it")
    else:
        advice = Advice("yaml-invalid", 0, f"the frontmatter cannot be read ({type(error).__name__})",
                        "write it as plain `key: value` lines")
    advice.message = _with_line(advice, lines)
    return advice


def _with_line(advice, lines, column=0):
    """The message, the field it is about before it and the offending line behind it."""
    line = lines[advice.line] if advice.line < len(lines) else ""
    message = named(advice.message, lines, advice.line)
    return f"{message}: {quoted(line, column)}" if line.strip() else message


def named(message, lines, number):
    """``message`` with the field in front that line ``number`` belongs to."""
    name = field(lines, number)
    return f"`{name}`: {message}" if name else message


def field(lines, number):
    """The key at or above a line that starts at the margin, or ''."""
    for line in reversed(lines[: number + 1]):
        found = KEY.match(line)
        if found and line[:1] not in " \t-":
            return quoted(found.group(1))
    return ""


def value_of(line):
    """What stands after the line's key (or dash)."""
    return VALUE.match(line).group(1)


def _words(error):
    return " ".join(quoted(part) for part in (error.context, error.problem) if part)


def _conflict(problem, lines, first, line, char):
    for number, text in enumerate(lines):
        if text.startswith("<<<<<<< "):
            return Advice("conflict-markers", number, "an unresolved merge conflict", "resolve the conflict")
    return None


def _tab(problem, lines, first, line, char):
    text = lines[line]
    if "\t" in text[: len(text) - len(text.lstrip())]:
        return Advice("yaml-tab", line, "tab used for indentation", "indent with blanks")
    return None


def _odd_space(problem, lines, first, line, char):
    # The line above too: without its blank, a key there is text that goes on below.
    for number in (first, line, max(line - 1, 0)):
        found = ODD_SPACE.match(lines[number])
        if found:
            return Advice("yaml-space", number, f"U+{ord(found.group(1)):04X} stands where YAML needs a plain blank",
                          "type a plain blank there")
    return None


def _alias(problem, lines, first, line, char):
    if "alias" in problem or "anchor" in problem:
        mark, kind = ("&", "anchor") if "anchor" in problem else ("*", "alias")
        return Advice("yaml-alias", line, f"YAML takes `{mark}` at the start of a value for an {kind}, which is not "
                      "accepted here", f"quote values that start with {mark}")
    return None


def _reserved(problem, lines, first, line, char):
    if "cannot start any token" in problem and char and char in RESERVED:
        shown = "a backtick" if char == "`" else f"`{char}`"
        return Advice("yaml-start", line, f"the value starts with {shown}, which YAML reserves",
                      f"quote values that start with {char}")
    if "directive" in problem:
        return Advice("yaml-start", line, "the line starts with `%`, which YAML reserves",
                      "quote values that start with %")
    return None


def _backslash(problem, lines, first, line, char):
    if "escape" in problem or "hexdec" in problem:
        return Advice("yaml-backslash", line, "a backslash inside double quotes starts an escape",
                      "use single quotes for backslashes")
    return None


def _colon(problem, lines, first, line, char):
    if "mapping values are not allowed" in problem:
        return Advice("yaml-colon", line, "`: ` inside an unquoted value", "quote the value")
    return None


def _wikilinks(problem, lines, first, line, char):
    value = value_of(lines[line])
    if value.startswith("[[") and value.partition("]]")[2].lstrip().startswith(","):
        return Advice("yaml-brackets", line, "several [[links]] without quotes or outer brackets",
                      'quote each link and put brackets around them: ["[[a]]", "[[b]]"]')
    return None


def _open_quote(problem, lines, first, line, char):
    if "quoted scalar" in problem:
        return Advice("yaml-quote", first, "the quote is never closed", "close the quote, or drop it")
    return None


def _hash(problem, lines, first, line, char):
    """A comment that swallowed the end of a list: the error shows up lines later."""
    if "flow" not in problem:
        return None
    for number in range(line, -1, -1):
        text = lines[number]
        if _swallowing(text) or (number > first and re.match(r"\s*[^\s#].*\s#", text)):
            return Advice("yaml-comment", number, "# starts a comment, so the list is never closed",
                          "quote the item that has the #")
        if number < line and "]" in text and number < first:
            break
    return None


def _swallowing(text):
    """Whether a ``#`` starts a comment inside brackets that this line opens."""
    found = re.search(r"[\s,\[]#", text)
    return found is not None and text.rfind("[", 0, found.start() + 1) > text.rfind("]", 0, found.start() + 1)


def _brackets(problem, lines, first, line, char):
    if "flow" not in problem and char not in ("]", "}", ","):
        return None
    number = first if first < line and "[" in lines[first] or "{" in lines[first] else line
    return Advice("yaml-brackets", number, "a list or mapping in brackets that is not closed or holds "
                  "[ ] { } , ? unquoted", "quote the items that hold such characters, and close the bracket")


def _after_quote(problem, lines, first, line, char):
    value = value_of(lines[line]).strip()
    if value[:1] in ("'", '"') and ("expected key" in problem or "block end" in problem or "block mapping" in problem):
        return Advice("yaml-quote", line, f"text follows the closing {value[0]}",
                      "double the ' inside single quotes, or quote with the other kind")
    return None


def _block_text(problem, lines, first, line, char):
    if "block scalar" in problem:
        return Advice("yaml-start", line, "text follows `|` or `>`, which start a text on the next lines",
                      "quote the value, or move the text to the next line and indent it")
    return None


def _no_key(problem, lines, first, line, char):
    """A line at the margin that is neither a key nor indented."""
    if "could not find expected ':'" in problem or "simple key" in problem:
        number = first
    elif "expected key" in problem or "sequence entries" in problem or "'-' indicator" in problem or \
            "block end" in problem or "node content" in problem:
        number = line
    else:
        return None
    if "sequence entries" in problem:
        return Advice("yaml-start", number, "the value starts with `- `", "quote values that start with -")
    return Advice("yaml-indent", number, "neither a `key: value` nor an indented continuation of the line above",
                  "indent the line, or quote the text it belongs to")
