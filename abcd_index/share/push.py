"""Push: the artefact of the pages on disk goes to a place, under its key."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from abcd_index import fs
from abcd_index.build.manifest import Pages
from abcd_index.build.run import Built, build
from abcd_index.errors import AbcdError
from abcd_index.share.backends.connect import opened
from abcd_index.share.bundle import Counts, write_bundle
from abcd_index.share.check import sound
from abcd_index.share.place import Place


class Pushed(NamedTuple):
    """What ``push`` did. ``state``: 'pushed', or 'there' when the same bytes were there already. ``pruned``: how
    many artefacts of other keys were deleted. ``size``: bytes of the artefact. ``seconds``: wall time."""

    state: str
    key: str
    size: int
    pruned: int
    seconds: float


def push(built: Built, named: Place, keep: int | None = None, seconds: float = 600) -> Pushed:
    """Hand out an artefact. ``built``: what ``build`` returned; ``named``: a Place; ``keep``: how many
    artefacts may stay there, None for all; ``seconds``: how long the place may take.

    Raises AbcdError: Damaged when other bytes are there under the key, Unreachable when the place refuses.
    """
    begun = time.perf_counter()
    counts = _counts(built)
    sound(built.path, counts)
    size, pruned = os.path.getsize(built.path), 0
    with opened(named, built.scope, seconds) as (backend, work):
        try:
            bundle = os.path.join(work, "bundle")
            with fs.work_file(bundle) as out:
                write_bundle(built.path, counts, out)
            sent = backend.put(built.key, bundle)
            if keep is not None:
                pruned = backend.prune(keep, built.key)
        except OSError as error:
            raise AbcdError(f"{named.shown}: {error.strerror or error}") from None
    return Pushed("pushed" if sent else "there", built.key, size, pruned, time.perf_counter() - begun)


def _counts(built: Built) -> Counts:
    """The exact counts of the artefact's terms. One whose sidecar is gone is built again."""
    index = built.scope.index
    pages = Pages.read(index, built.key)
    if pages is None or pages.links is None:
        built = build(built.scope, force=True)
        pages = Pages.read(index, built.key)
    try:
        if pages is not None:
            counts: Counts = pages.counts()
            return counts
    except (AttributeError, ValueError):
        pass
    raise AbcdError("the artefact keeps changing while it is read", "push again")
