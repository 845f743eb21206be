"""The words that a piece of a prompt without white space stands for.

Prompt path. A piece is a word, an identifier, a file name, a path, a URL or what stands between words.
"""

from abcd_index.text.normalise import bare, camel, folded, noise, pieces

# Kinds of a token. A SIGN is looked up only for keywords that are searched as written; JOINED words, of a
# name with underscores, are PART alone and TYPED in a row.
TYPED, PART, PASTED, SIGN, JOINED = 0, 1, 2, 3, 4

_RIGHT = ".,;:!?)]}\"'`*_>~"
_LEFT = "([{\"'`*_<~"
_BREAKS = frozenset(".,;:!?)]}")


def cut(chunk, parts):
    """One white-space-free chunk -> its tokens, None where a run of words ends.

    The parts of identifiers are added to ``parts``.
    """
    if chunk.isalpha():
        return _word(chunk, TYPED, parts)
    core = chunk.rstrip(_RIGHT).lstrip(_LEFT)
    if core.isalpha():
        items = _word(core, TYPED, parts)
        at = chunk.find(core)
        if not _BREAKS.isdisjoint(chunk[at + len(core):]):
            items = items + [None]
        if at and chunk[:at].strip("\"'`*_"):
            items = [None] + items
        return items
    if not core:
        return [None] if chunk.strip("-_*") else []
    return _complex(chunk, parts)


def _word(word, kind, parts):
    """A word; one in mixed case is an identifier and also stands for its parts."""
    if not word.isascii():
        exact = folded(word)
        return [(bare(exact), exact, kind)]
    low = word.lower()
    if low != word and not word.istitle() and not word.isupper():
        own = camel(word)
        if len(own) > 1:
            parts.append((PASTED if kind == PASTED else PART, [part.lower() for part in own]))
    return [(low, low, kind)]


def _complex(chunk, parts):
    if len(chunk) > 31 and noise(chunk):
        return [None] + [(run, run, PASTED) for run in (chunk[start:end].lower() for start, end, _ in pieces(chunk))
                         if len(run) > 3] + [None]
    kind = path_kind(chunk)
    items, last = [], 0
    for number, (start, end, _) in enumerate(pieces(chunk)):
        between = chunk[last:start]
        if between and between.strip("-_\u2010\u2011\u2013"):
            items.append(None)
        run = chunk[start:end]
        if between == "'" and run in ("s", "S") and number:
            if items and items[-1] is None:
                items.pop()  # "auth's": the word alone
        else:
            part = JOINED if kind == TYPED and (between == "_" or chunk[end:end + 1] == "_") else kind
            signs = chunk[end:end + 2]
            if signs[:1] in ("#", "+") and (len(run) == 1 or signs == "++"):
                exact = folded(run)
                items.append((bare(exact), exact, SIGN))
            else:
                items += _word(run, part, parts)
        last = end
    if chunk[last:].strip("-_\"'`*"):
        items.append(None)
    return items


def path_kind(chunk):
    """PASTED for a URL or a path, PART for a file name, else TYPED."""
    if "://" in chunk or chunk.startswith("www."):
        return PASTED
    core = chunk.rstrip(_RIGHT).lstrip(_LEFT)
    slashes = core.count("/") + core.count("\\")
    name = core.replace("\\", "/").rpartition("/")[2] if slashes else core
    stem, dot, ending = name.rpartition(".")
    file = bool(dot and stem and len(ending) <= 5 and ending.isalnum() and not ending.isdigit() and stem[-1].isalnum())
    if slashes and (slashes > 1 or file or core[0] in "~." or core[-1] == "/"):
        return PASTED
    # "host.com/deploy", but not "Node.js/React".
    if slashes and "." in core[:core.find("/")] and not core[:core.find("/")].lower().endswith((".js", ".net")):
        return PASTED
    if core[:1] == "@" and (slashes or file):
        return PASTED
    return PART if file or "@" in core[1:] else TYPED
