"""The words of what was pasted into a prompt.

Prompt path; loaded only where something was pasted.
"""

from abcd_index.agenthooks.tokens import PASTED, SIGN, cut
from abcd_index.text.normalise import bare, camel, folded, noise
from abcd_index.text.segment import SIGNS

# So many identifiers and the like of a paste are taken apart, further ones only as a whole.
MOST_APART = 300


def read_pasted(prompt):
    """Set ``run``, ``chunks``, ``accented`` and ``words`` of a Prompt from what was pasted.

    It is cut by one table, for all of it counts the same. A paste has thousands of words, few of them distinct and
    hardly any a keyword: only the distinct ones are looked at, and none is numbered."""
    text = prompt.pasted
    if not text.isascii():
        text = prompt.take_unspaced(text)
    glued = text is not prompt.pasted
    text = text.replace("\n\n", "\0")
    if text.isascii():
        text = text.translate(SIGNS)
    else:
        # ``translate`` takes long to find out that a character is not in its table.
        for char in {char for char in text if char < "\x80" and SIGNS[ord(char)] != char}:
            text = text.replace(char, SIGNS[ord(char)])
    chunks = list(dict.fromkeys(text.replace("\0", " ").split()))
    text = text.replace("\0", " \0 ")
    prompt.chunks = list(dict.fromkeys(prompt.pasted.split())) if glued else chunks
    parts = []
    if text.isascii() and "+" not in text and "#" not in text:
        text = text.lower()
        small = " ".join(chunks).lower().split()
        mixed = [chunk for chunk, low in zip(chunks, small) if chunk != low]
    else:
        text, small, mixed = _read_odd(prompt, text, chunks, parts)
    words = prompt.words
    for word in small:
        if word not in words:
            words[word] = ()
    for chunk in [chunk for chunk in mixed if not chunk.isupper() and not chunk.istitle()][:MOST_APART]:
        if len(chunk) < 32 or not noise(chunk):
            own = camel(chunk)
            if len(own) > 1:
                parts.append((PASTED, [part.lower() for part in own]))
    for _, own in parts:
        text += " \0 " + " ".join(own)
        for word in own:
            if word not in words:
                words[word] = ()
    prompt.run = " " + text + " "


def _read_odd(prompt, text, chunks, parts):
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
            folds[chunk] = " ".join([
                "\0" if item is None else item[1] + "#" if item[2] == SIGN else item[1] for item in items])
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
