"""Push: the artefact of the pages on disk goes to a place, under its key."""

import os
import time

from abcd_index import fs
from abcd_index.build.manifest import Pages
from abcd_index.build.run import build
from abcd_index.errors import AbcdError
from abcd_index.share.backends import connect as places
from abcd_index.share.bundle import wrap
from abcd_index.share.check import sound


class Pushed:
    """What ``push`` did. ``state``: 'pushed', or 'there' when the same bytes were there already. ``pruned``: how
    many artefacts of other keys were deleted. ``size``: bytes of the artefact. ``seconds``: wall time."""

    __slots__ = ("state", "key", "size", "pruned", "seconds")


def push(built, named, keep=None, seconds=600):
    """Hand out an artefact. ``built``: what ``build`` returned; ``named``: a Named place; ``keep``: how many
    artefacts may stay there, None for all; ``seconds``: how long the place may take.

    Raises AbcdError: Damaged when other bytes are there under the key, Unreachable when the place refuses.
    """
    begun = time.perf_counter()
    counts = _counts(built)
    sound(built.path, counts)
    pushed = Pushed()
    pushed.key, pushed.size, pushed.pruned = built.key, os.path.getsize(built.path), 0
    with places.opened(named, built.scope, seconds) as (place, work):
        try:
            parcel = os.path.join(work, "parcel")
            with fs.work_file(parcel) as out:
                wrap(built.path, counts, out)
            pushed.state = "pushed" if place.put(built.key, parcel) else "there"
            if keep is not None:
                pushed.pruned = place.prune(keep, built.key)
        except OSError as error:
            raise AbcdError(f"{named.shown}: {error.strerror or error}") from None
    pushed.seconds = time.perf_counter() - begun
    return pushed


def _counts(built):
    """The exact counts of the artefact's terms. One whose sidecar is gone is built again."""
    index = built.scope.index
    pages = Pages.read(index, built.key)
    if pages is None or pages.links is None:
        built = build(built.scope, force=True)
        pages = Pages.read(index, built.key)
    try:
        return pages.counts()
    except (AttributeError, ValueError):
        raise AbcdError("the artefact keeps changing while it is read", "push again") from None
