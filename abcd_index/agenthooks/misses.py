"""Counts the words that a person typed, that a page says, and that brought nothing. ``docs/reference/settings.md``.

Prompt path; loaded only where the user's own ``config.json`` holds ``"misses": true``. One file for each store: lines
of a word and a count, sorted by word, so that nothing tells when or with what others it was typed.
"""

from abcd_index.agenthooks.io import INDEX, Session, load, replace, user_folder
from abcd_index.artefact.reader import parse
from abcd_index.scopes import fingerprint
from abcd_index.text.everyday import is_chore, is_everyday
from abcd_index.text.porter import analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from abcd_index.agenthooks.prompt import Prompt
    from abcd_index.artefact.reader import Artefact
    from abcd_index.scopes import Places, Scope

FOLDER = "/misses"
# Words of a store, characters of a word, and what a count may come to.
MOST, LONGEST, MOST_TIMES = 500, 40, 999
# Words of one prompt that are counted.
A_PROMPT = 20


class Place(Session):
    """Where a store's counts are: ``folder``, and ``path`` of the file in it."""

    __slots__ = ()

    def __init__(self, folder: str, store: str) -> None:
        self.folder = folder
        self.path = folder + "/" + fingerprint(store.encode("utf-8", "surrogateescape"))


def switched_on(config: bytes) -> bool:
    """Whether the bytes of the user's ``config.json`` ask for it."""
    try:
        settings = parse(config.decode("utf-8-sig"))
    except ValueError:
        return False
    return type(settings) is dict and settings.get("misses") is True


def count(prompt: "Prompt", opened: "list[tuple[Scope, Artefact]]", places: "Places") -> None:
    """Count the words of a ``prompt`` that brought nothing from the open artefacts."""
    index = user_folder(places, INDEX)
    if not index:
        return
    for scope, artefact in opened:
        words = missed(prompt, artefact)
        if words:
            place = Place(index + FOLDER, scope.store)
            found = read(load(place, "", MOST * (4 * LONGEST + 5)) or b"")
            for word in words:
                if word in found or len(found) < MOST:
                    found[word] = min(found.get(word, 0) + 1, MOST_TIMES)
            replace(place, "", "".join(["%s %d\n" % (word, found[word]) for word in sorted(found)]).encode("utf-8"))


def missed(prompt: "Prompt", artefact: "Artefact") -> "list[str]":
    """The typed words that few pages say, and nobody says of anything."""
    words = []
    for word, typed in prompt.words.items():
        if not typed or not 2 < len(word) <= LONGEST or word.isdigit() or not word.isprintable() or is_chore(word):
            continue
        stems = analyse(word)
        if len(stems) == 1 and not is_everyday(stems[0]) and artefact.term(stems[0])[2]:
            words.append(word)
    return words[:A_PROMPT]


def read(data: bytes) -> "dict[str, int]":
    """{word: times} of a file's bytes; lines that are none are passed over."""
    found = {}
    for line in data.decode("utf-8", "replace").split("\n")[:MOST]:
        word, _, times = line.partition(" ")
        if word.isprintable() and 0 < len(word) <= LONGEST and times.isdecimal() and len(times) < 4:
            found[word] = int(times)
    return found
