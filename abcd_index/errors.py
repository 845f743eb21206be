"""The family of errors that this program raises on purpose.

Each carries what it is about as attributes; the one door that catches them (``cli``, or the hook's
``run``) turns them into a sentence. Standard library only: the prompt path imports this.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from abcd_index.artefact.reader import Artefact


class AbcdError(Exception):
    """Something a person can mend. ``hint`` says how."""

    hint = ""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        if hint:
            self.hint = hint


class Forbidden(AbcdError):
    """A path that resolves into ``~/.claude`` or ``$CLAUDE_CONFIG_DIR``; never opened."""

    hint = "abcd-index never touches that folder: copy the pages out of it and name the copy"


class Outside(AbcdError):
    """A store, its home or its index leads out of the scope's own root; neither read nor written."""


class ArtefactError(AbcdError):
    """The artefact cannot be used. Subclasses say why."""

    hint = "run `abcd-index build`"


class ArtefactMissing(ArtefactError):
    """No ``current`` file, or the artefact that it names is not there."""


class ArtefactUnknown(ArtefactMissing):
    """There is an artefact that this machine neither built, nor reproduced, nor fetched from where its user said."""


class ArtefactTorn(ArtefactError):
    """A part of the artefact is cut, flipped or not what its checksum says. ``artefact``: the open one, or None."""

    artefact: "Artefact | None" = None


class FormatTooNew(ArtefactError):
    """Written by a later release. ``found`` and ``known`` are format numbers."""

    hint = "upgrade abcd-index, or run `abcd-index build` to write this release's format"

    def __init__(self, found: int, known: int) -> None:
        super().__init__(f"the artefact has format {found}, this release reads up to {known}")
        self.found = found
        self.known = known


class CannotTell(AbcdError):
    """Neither right nor wrong can be said (ownership, another tool's version): exit 2, never 1."""
