"""The finding on pages that have no keywords."""

from __future__ import annotations

from collections.abc import Sequence

from abcd_index.store.records import Finding, finding
from abcd_index.store.text import quoted

NAMED = 5


def without_keywords(names: Sequence[str], pages: int) -> list[Finding]:
    """At most one Finding on the ``names`` of those of a store's ``pages`` that have no keywords."""
    if not names:
        return []
    if len(names) == pages:
        which = "no page of this store has keywords: pages come"
    else:
        more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
        shown = ", ".join(f"`{quoted(name)}`" for name in names[:NAMED])
        which = f"{len(names):,} of {pages:,} pages have no keywords ({shown}{more}): they come"
    return [
        finding(
            "keywords-missing",
            "memory/" + names[0],
            f"{which} by their text only, as a line",
            "`abcd-index keywords` suggests some for each, with --write it adds them",
        )
    ]
