"""What a git hook does before it builds, where the settings ask for it: fetch, if a full build is ahead.

A build that takes over from the last artefact is faster than any download, so nothing is asked then. Off by
default; bounded by ``share.timeout``; and whatever goes wrong, the hook builds.
"""

from abcd_index.build import incremental
from abcd_index.build.run import existing
from abcd_index.build.scan import Observed, observe
from abcd_index.scopes import Places, Scope
from abcd_index.share.place import NotThere, find_place, share_settings


def fetch_first(scope: Scope, places: Places) -> str:
    """Make the artefact of ``scope`` current by fetching it, where that is wanted and saves a full build.

    Returns a sentence when it was tried and did not work, else ''. Never raises.
    """
    asked = [
        settings
        for settings in (share_settings(places.user, places), share_settings(scope.home, places))
        if settings["fetch"]
    ]
    if not asked:
        return ""
    try:
        observed = observe(scope)
        if not _in_full(observed):
            return ""
        from abcd_index.share.fetch import fetch

        fetch(scope, find_place(scope, places), seconds=asked[0]["timeout"], observed=observed)
    except NotThere:
        pass  # A commit that nobody pushed yet has none.
    except Exception as error:  # Whatever it is, the build that follows needs none of this.
        return f"built, not fetched: {error}"
    return ""


def _in_full(observed: Observed) -> bool:
    """Whether a build would have to compile most pages."""
    settings, _ = observed.settings()
    if existing(observed, observed.key(settings), settings) is not None:
        return False
    pages = [observed.page(name) for name, _ in observed.pages()]
    old = incremental.open_current(observed.scope)
    if old is None:
        return bool(pages)
    try:
        known = dict(old.hashes())
    finally:
        old.close()
    new = sum(source is not None and known.get(source.file) != source.hash for source in pages)
    return bool(new > incremental.WORTH_IT * len(pages))
