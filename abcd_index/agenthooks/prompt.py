"""A prompt read once: what was typed, what was pasted, and the words to look up.

Prompt path. Linear in the prompt, and the prompt is read up to a limit, head and tail. What a person
typed counts in full; code fences, logs, quotes, comments, URLs and paths count less (``PASTED``), parts of
identifiers a little less (``PART``).
"""

from abcd_index.agenthooks.tokens import PART, SIGN, cut
from abcd_index.text.normalise import bases, composed, fold, folded, letters, singulars

HEAD, TAIL = 16000, 8000
# A single line longer than this is looked at as if something was pasted into it.
_LINE = 4000


class Prompt:
    """A prompt's words. ``machine``: no person typed it. ``words``: {folded word: positions of those typed}.

    ``tokens``: at each position of what was typed (bare word, exact word, kind) or None where a run ends.
    ``run``: the exact words of what was pasted, each between spaces, "\\0" where a run ends. ``stars``: folded
    names written ``*NAME``. ``chunks``: the distinct pieces of what was pasted, ``accented``: {bare word: exact words}
    of it. ``command``: the name of a slash command, or ''. ``typed`` and ``pasted``: the
    two parts of its text.
    """

    __slots__ = ("machine", "command", "stars", "typed", "pasted", "tokens", "run", "words", "_forms", "_folded",
                 "_inflected", "accented", "chunks")

    def __init__(self, text):
        self.machine = False
        self.command = ""
        self.stars = set()
        self.typed = self.pasted = ""
        self.tokens = []
        self.run = ""
        self.words = {}
        self._inflected = {}
        self.accented = {}
        self.chunks = ()
        self._forms = None
        self._folded = None
        if len(text) > HEAD + TAIL:
            text = _limited(text)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        text = text.lstrip("\ufeff \t\n")
        first = text[:1]
        if ("\n" in text or "<" in text or "```" in text or first in "[(>0123456789" or len(text) > _LINE
                or text[:7].lower() == "caveat:"):
            from abcd_index.text.segment import machine, sections

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
            from abcd_index.agenthooks.pasted import read_pasted

            read_pasted(self)
        if "*" in self.typed:
            self._stars()

    @property
    def empty(self):
        """Whether there is nothing to look up."""
        return not self.words

    def forms(self):
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

    def pasted_as(self, form):
        """The pasted words, exact, that are looked up under ``form``."""
        found = []
        if self.run:
            for word in (form, *self._inflected.get(form, ())):
                if " " + word + " " in self.run:
                    found.append(word)
                found += self.accented.get(word, ())
        return found

    def folded(self):
        """(typed, pasted) folded, white space made one: where literals are searched."""
        if self._folded is None:
            typed = self.command + " " + self.typed if self.command else self.typed
            self._folded = (" ".join(folded(typed).split()), " ".join(folded(self.pasted).split()))
        return self._folded

    def stems(self):
        """{stem: how often}: the ranking terms of the prompt, in its order. Pasted words count little, only where
        they were not typed too, and only the first and the last ones."""
        from abcd_index.text.porter import analyse

        weights = {}
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

    def _command(self, text):
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

    def _read_typed(self):
        text = self.typed
        if not text.isascii():
            text = self.take_unspaced(text)
        if "\n\n" in text:
            text = text.replace("\n\n", " \0 ")
        seen = {"\0": _END}
        parts = []
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

    def _add_parts(self, identifiers, kind):
        """Set the parts of identifiers behind the text, each a run of its own. ``kind``: the least they count."""
        tokens, words = self.tokens, self.words
        tokens.append(None)
        for own, parts in identifiers:
            own = max(own, kind)
            for part in parts:
                words.setdefault(part, []).append(len(tokens))
                tokens.append((part, part, own))
            tokens.append(None)

    def take_unspaced(self, text):
        """Take what is of scripts without spaces out of ``text``; it is found as written, wherever it stands."""
        text, keys = letters().unglued(text)
        for key in keys:
            self.words.setdefault(key, ())
        return text

    def _stars(self):
        for chunk in self.typed.split():
            chunk = chunk.lstrip("([{\"'`")
            if chunk[:1] == "*" and chunk[-1:] != "*":
                name = chunk[1:].rstrip(".,;:!?)]}\"'`")
                if name and name[-1] != "*" and name[0].isalnum():
                    self.stars.add(fold(name))


_END = (None,)
# So many distinct words of a paste are ranking terms: its first and its last ones.
_FIRST, _LAST = 40, 20


def _limited(text, head=HEAD, tail=TAIL):
    from abcd_index.text.segment import ends

    return ends(text, head, tail)


def _composed(text):
    if text.isascii():
        return text
    text = composed(text)
    # One character can become eighteen.
    return text if len(text) <= 2 * _LINE else _limited(text, _LINE, _LINE)
