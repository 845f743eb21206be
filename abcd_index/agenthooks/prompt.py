"""A prompt read once: what was typed, what was pasted, and the words to look up.

Prompt path. Linear in the prompt, and the prompt is read up to a limit, head and tail. What a person
typed counts in full; code fences, logs, quotes, comments, URLs and paths count less (``PASTED``), parts of
identifiers a little less (``PART``).
"""

from abcd_index.text.normalise import bare, bases, camel, composed, fold, folded, letters, noise, pieces, singulars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    # (bare word, exact word, kind)
    Token = tuple[str, str, int]


HEAD, TAIL = 16000, 8000
# A single line longer than this is looked at as if something was pasted into it.
_LINE = 4000

# Kinds of a token. A SIGN is looked up only for keywords that are searched as written; JOINED words, of a
# name with underscores, are PART alone and TYPED in a row.
TYPED, PART, PASTED, SIGN, JOINED = 0, 1, 2, 3, 4

_RIGHT = ".,;:!?)]}\"'`*_>~"
_LEFT = "([{\"'`*_<~"
_AROUND = _LEFT + _RIGHT
_BREAKS = frozenset(".,;:!?)]}")
# So many identifiers and the like of a paste are taken apart, further ones only as a whole.
MOST_APART = 300
_END = (None,)
# So many distinct words of a paste are ranking terms: its first and its last ones.
_FIRST, _LAST = 40, 20


class Prompt:
    """A prompt's words. ``machine``: no person typed it. ``words``: {folded word: positions of those typed}.

    ``tokens``: at each position of what was typed (bare word, exact word, kind) or None where a run ends.
    ``run``: the exact words of what was pasted, each between spaces, "\\0" where a run ends. ``starred``: folded
    names written ``*NAME``. ``chunks``: the distinct pieces of what was pasted, ``accented``: {bare word: exact words}
    of it. ``command``: the name of a slash command, or ''. ``typed`` and ``pasted``: the
    two parts of its text.
    """

    __slots__ = (
        "machine",
        "command",
        "starred",
        "typed",
        "pasted",
        "tokens",
        "run",
        "words",
        "_forms",
        "_folded",
        "_inflected",
        "accented",
        "chunks",
    )

    def __init__(self, text: str) -> None:
        self.machine = False
        self.command = ""
        self.starred: set[str] = set()
        self.typed = self.pasted = ""
        self.tokens: list[Token | None] = []
        self.run = ""
        self.words: dict[str, list[int]] = {}
        self._inflected: dict[str, list[str]] = {}
        self.accented: dict[str, list[str]] = {}
        self.chunks: Sequence[str] = ()
        self._forms: dict[str, Sequence[int]] | None = None
        self._folded: tuple[str, str] | None = None
        if len(text) > HEAD + TAIL:
            text = _beginning(text)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        text = text.lstrip("\ufeff \t\n")
        first = text[:1]
        if (
            "\n" in text
            or "<" in text
            or "```" in text
            or first in "[(>0123456789"
            or len(text) > _LINE
            or "[" in text
            and "#" in text
            or "Error: " in text
            or first > "\x7f"
            or text[:7].lower() == "caveat:"
        ):
            from abcd_index.text.segment import machine, sections, unwrapped

            text = unwrapped(text)
            first = text[:1]
            self.machine = machine(text)
            if self.machine:
                return
            if first == "/":
                text = self._command(text)
            self.typed, self.pasted = sections(text)
        else:
            self.typed = self._command(text) if first == "/" else text
        self.typed, self.pasted = _composed(self.typed), _composed(self.pasted)
        self._read_typed()
        if self.pasted:
            _read_pasted(self)
        if "*" in self.typed:
            self._read_starred()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look up."""
        return not self.words

    def forms(self) -> "dict[str, Sequence[int]]":
        """{form: positions}: every form under which a word of the prompt is looked up. Where a pasted word stands is
        not among them, see ``pasted_as``."""
        forms = self._forms
        if forms is None:
            forms = self._forms = dict(self.words)
            for word, places in self.words.items():
                last = word[-1]
                if last == "s":
                    more = singulars(word)
                elif last == "g" or last == "d":
                    more = bases(word)
                else:
                    continue
                for form in more:
                    forms[form] = [*forms[form], *places] if form in forms else places
                    if self.run:
                        self._inflected.setdefault(form, []).append(word)
        return forms

    def pasted_as(self, form: str) -> "list[str]":
        """The pasted words, exact, that are looked up under ``form``."""
        found = []
        if self.run:
            for word in (form, *self._inflected.get(form, ())):
                if " " + word + " " in self.run:
                    found.append(word)
                found += self.accented.get(word, ())
        return found

    def folded(self) -> "tuple[str, str]":
        """(typed, pasted) folded, white space made one: where literals are searched."""
        if self._folded is None:
            typed = self.command + " " + self.typed if self.command else self.typed
            self._folded = (" ".join(folded(typed).split()), " ".join(folded(self.pasted).split()))
        return self._folded

    def typed_stems(self) -> "list[str]":
        """The distinct ranking terms of what was typed that may tell a page from another: no letters, no numbers,
        nothing that people say of anything."""
        from abcd_index.text.everyday import is_chore
        from abcd_index.text.porter import analyse

        telling = [chunk for chunk in self.typed.split() if not is_chore(chunk.strip(_AROUND).lower())]
        return [stem for stem in dict.fromkeys(analyse(" ".join(telling))) if len(stem) > 1 and not stem.isdigit()]

    def named(self, seen: str) -> bool:
        """Whether ``seen``, words of the prompt, are in the last part of a typed path: the file that it names. What a
        file ends in says nothing of it, but with the words before: "package.json", not "json"."""
        wanted = " " + _words(seen) + " "
        for chunk in self.typed.split():
            if path_kind(chunk) == PASTED and "://" not in chunk and not chunk.startswith("www."):
                name = chunk.rstrip(_RIGHT).replace("\\", "/").rstrip("/").rpartition("/")[2].lower()
                stem = name.rpartition(".")[0] or name
                if (
                    wanted in " " + _words(stem) + " "
                    or wanted.count(" ") > 2
                    and (" " + _words(name) + " ").endswith(wanted)
                ):
                    return True
        return False

    def stems(self) -> "dict[str, float]":
        """{stem: how often}: the ranking terms of the prompt, in its order. Pasted words count little, only where
        they were not typed too, and only the first and the last ones."""
        from abcd_index.text.porter import analyse

        weights: dict[str, float] = {}
        for term in analyse(self.typed):
            weights[term] = weights.get(term, 0.0) + 1.0
        if self.pasted:
            # Times, addresses and ids of a log tell no page from another.
            chunks = [chunk for chunk in self.chunks if not chunk[0].isdigit()]
            if len(chunks) > _FIRST + _LAST:
                chunks = chunks[:_FIRST] + chunks[-_LAST:]
            for term in analyse(" ".join(chunks)):
                if term not in weights:
                    weights[term] = 0.2
        return weights

    def _command(self, text: str) -> str:
        """Take a slash command's name off; the name reaches only keywords that are written with a slash."""
        name, _, rest = text.partition("\n") if "\n" in text.split(" ", 1)[0] else text.partition(" ")
        plain = name[1:].replace("-", "a").replace("_", "a").replace(":", "a").replace(".", "a")
        if not plain.isalnum():
            return text
        self.command = name = composed(name)
        for item in cut(name, []):
            if item is not None:
                self.words.setdefault(item[0], []).append(len(self.tokens))
                self.tokens.append((item[0], item[1], SIGN))
        if not name.isascii():
            self.take_unspaced(name)
        self.tokens.append(None)
        return rest

    def _read_typed(self) -> None:
        text = self.typed
        if not text.isascii():
            text = self.take_unspaced(text)
        if "\n\n" in text:
            text = text.replace("\n\n", " \0 ")
        seen: dict[str, Sequence[Token | None]] = {"\0": _END}
        parts: list[tuple[int, list[str]]] = []
        tokens, words = self.tokens, self.words
        for chunk in text.split():
            items = seen.get(chunk)
            if items is None:
                items = seen[chunk] = cut(chunk, parts)
            for item in items:
                if item is not None:
                    places = words.get(item[0])
                    if places is None:
                        words[item[0]] = [len(tokens)]
                    else:
                        places.append(len(tokens))
                tokens.append(item)
        self._add_parts(parts, PART)

    def _add_parts(self, identifiers: "list[tuple[int, list[str]]]", kind: int) -> None:
        """Set the parts of identifiers behind the text, each a run of its own. ``kind``: the least they count."""
        tokens, words = self.tokens, self.words
        tokens.append(None)
        for own, parts in identifiers:
            own = max(own, kind)
            for part in parts:
                words.setdefault(part, []).append(len(tokens))
                tokens.append((part, part, own))
            tokens.append(None)

    def take_unspaced(self, text: str) -> str:
        """Take what is of scripts without spaces out of ``text``; it is found as written, wherever it stands."""
        text, keys = letters().unglued(text)
        for key in keys:
            self.words.setdefault(key, [])
        return text

    def _read_starred(self) -> None:
        for chunk in self.typed.split():
            chunk = chunk.lstrip("([{\"'`")
            if chunk[:1] == "*" and chunk[-1:] != "*":
                name = chunk[1:].rstrip(".,;:!?)]}\"'`")
                if name and name[-1] != "*" and name[0].isalnum():
                    self.starred.add(fold(name))


def _words(name: str) -> str:
    """The words of a name, one space between them."""
    return " ".join([name[start:end] for start, end, _ in pieces(name)])


def _beginning(text: str) -> str:
    """A long prompt to its limit, without the blocks in front: where they end must not be in what is left out."""
    from abcd_index.text.segment import unwrapped

    return _limited(unwrapped(text.lstrip("\ufeff \t\r\n")))


def _limited(text: str, head: int = HEAD, tail: int = TAIL) -> str:
    from abcd_index.text.segment import ends

    return ends(text, head, tail)


def _composed(text: str) -> str:
    if text.isascii():
        return text
    text = composed(text)
    # One character can become eighteen.
    return text if len(text) <= 2 * _LINE else _limited(text, _LINE, _LINE)


def cut(chunk: str, parts: "list[tuple[int, list[str]]]") -> "list[Token | None]":
    """One white-space-free chunk -> its tokens, None where a run of words ends.

    The parts of identifiers are added to ``parts``.
    """
    if chunk.isalpha():
        return _word(chunk, TYPED, parts)
    core = chunk.rstrip(_RIGHT).lstrip(_LEFT)
    if core.isalpha():
        items = _word(core, TYPED, parts)
        at = chunk.find(core)
        if not _BREAKS.isdisjoint(chunk[at + len(core) :]):
            items.append(None)
        if at and chunk[:at].strip("\"'`*_"):
            items.insert(0, None)
        return items
    if not core:
        return [None] if chunk.strip("-_*") else []
    return _complex(chunk, parts)


def _word(word: str, kind: int, parts: "list[tuple[int, list[str]]]") -> "list[Token | None]":
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


def _complex(chunk: str, parts: "list[tuple[int, list[str]]]") -> "list[Token | None]":
    if len(chunk) > 31 and noise(chunk):
        return (
            [None]
            + [
                (run, run, PASTED)
                for run in (chunk[start:end].lower() for start, end, _ in pieces(chunk))
                if len(run) > 3
            ]
            + [None]
        )
    kind = path_kind(chunk)
    items: list[Token | None] = []
    last = 0
    for number, (start, end, _) in enumerate(pieces(chunk)):
        between = chunk[last:start]
        if between and between.strip("-_\u2010\u2011\u2013"):
            items.append(None)
        run = chunk[start:end]
        if between == "'" and run in ("s", "S") and number:
            if items and items[-1] is None:
                items.pop()  # "auth's": the word alone
        else:
            part = JOINED if kind == TYPED and (between == "_" or chunk[end : end + 1] == "_") else kind
            signs = chunk[end : end + 2]
            if signs[:1] in ("#", "+") and (len(run) == 1 or signs == "++"):
                exact = folded(run)
                items.append((bare(exact), exact, SIGN))
            else:
                items += _word(run, part, parts)
        last = end
    if chunk[last:].strip("-_\"'`*"):
        items.append(None)
    return items


def path_kind(chunk: str) -> int:
    """PASTED for a URL or a path, PART for a file name, else TYPED."""
    if "://" in chunk or chunk.startswith("www."):
        return PASTED
    core = chunk.rstrip(_RIGHT).lstrip(_LEFT)
    if core[-1:] == "(":
        core = core[:-1]  # "undo.layers()"
    slashes = core.count("/") + core.count("\\")
    name = core.replace("\\", "/").rpartition("/")[2] if slashes else core
    stem, dot, ending = name.rpartition(".")
    file = bool(dot and stem and len(ending) <= 5 and ending.isalnum() and not ending.isdigit() and stem[-1].isalnum())
    if slashes and (slashes > 1 or file or core[0] in "~." or core[-1] == "/"):
        return PASTED
    # "host.com/deploy", but not "Node.js/React".
    if slashes and "." in core[: core.find("/")] and not core[: core.find("/")].lower().endswith((".js", ".net")):
        return PASTED
    if core[:1] == "@" and (slashes or file):
        return PASTED
    # "undo.layers" is one name; "Then.now" is two sentences.
    dotted = dot and len(stem) > 1 and name.islower() and ending.isalpha() and stem[-1].isalpha()
    return PART if file or dotted or "@" in core[1:] else TYPED


def _read_pasted(prompt: "Prompt") -> None:
    """Set ``run``, ``chunks``, ``accented`` and ``words`` of a Prompt from what was pasted.

    It is cut by one table, for all of it counts the same. A paste has thousands of words, few of them distinct and
    hardly any a keyword: only the distinct ones are looked at, and none is numbered."""
    text = prompt.pasted
    if not text.isascii():
        text = prompt.take_unspaced(text)
    unspaced = text is not prompt.pasted
    text = _without_signs(text.replace("\n\n", "\0"))
    chunks = list(dict.fromkeys(text.replace("\0", " ").split()))
    text = text.replace("\0", " \0 ")
    prompt.chunks = list(dict.fromkeys(prompt.pasted.split())) if unspaced else chunks
    parts: list[tuple[int, list[str]]] = []
    if text.isascii() and "+" not in text and "#" not in text:
        text = text.lower()
        small = " ".join(chunks).lower().split()
        mixed = [chunk for chunk, low in zip(chunks, small) if chunk != low]
    else:
        text, small, mixed = _read_odd(prompt, text, chunks, parts)
    words = prompt.words
    for word in small:
        if word not in words:
            words[word] = []
    for chunk in [chunk for chunk in mixed if not chunk.isupper() and not chunk.istitle()][:MOST_APART]:
        if len(chunk) < 32 or not noise(chunk):
            own = camel(chunk)
            if len(own) > 1:
                parts.append((PASTED, [part.lower() for part in own]))
    for _, own in parts:
        text += " \0 " + " ".join(own)
        for word in own:
            if word not in words:
                words[word] = []
    prompt.run = " " + text + " "


def _without_signs(text: str) -> str:
    """Pasted text with a space in the place of what belongs to no word."""
    from abcd_index.text.segment import SIGNS

    if text.isascii():
        return text.translate(SIGNS)
    # ``translate`` takes long to find out that a character is not in its table.
    for char in {char for char in text if char < "\x80" and SIGNS[ord(char)] != char}:
        text = text.replace(char, SIGNS[ord(char)])
    return text


def _read_odd(
    prompt: "Prompt", text: str, chunks: "list[str]", parts: "list[tuple[int, list[str]]]"
) -> "tuple[str, list[str], list[str]]":
    """(run, words, chunks in mixed case) of pasted text that is not all ASCII letters and digits."""
    small, mixed = [], []
    folds = {"\0": "\0"}
    apart = MOST_APART
    for chunk in chunks:
        exact = folded(chunk)
        if not chunk.isalnum() and apart:
            apart -= 1
            items = cut(chunk, parts)
            small += [item[0] for item in items if item is not None]
            # "c" of "C++" is looked up for keywords that are searched as written, and is no word of a run.
            folds[chunk] = " ".join(
                ["\0" if item is None else item[1] + "#" if item[2] == SIGN else item[1] for item in items]
            )
            for item in items:
                if item is not None and item[0] != item[1] and item[2] != SIGN:
                    prompt.accented.setdefault(item[0], []).append(item[1])
            continue
        folds[chunk] = exact
        word = bare(exact)
        small.append(word)
        if word != exact:
            prompt.accented.setdefault(word, []).append(exact)
        elif exact != chunk:
            mixed.append(chunk)
    return " ".join([folds[chunk] for chunk in text.split()]), small, mixed
