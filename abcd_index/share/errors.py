"""What can go wrong with a place, with secrets taken out of every sentence."""

import re

from abcd_index.errors import AbcdError, CannotTell

# A password may hold a slash, and one that belongs to a store often does: after a colon all counts up to the last @.
_USER = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)(?:[^\s/:@]*:[^\s'\"]*|[^\s/]*)@")
_QUERY = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://[^\s?#'\"]*)[?#][^\s'\"]*")


class NotThere(AbcdError):
    """The place has no artefact of these pages: exit status 1."""

    status = 1
    hint = "run `abcd-index build`, or `abcd-index push` where they were built"


class Unreachable(CannotTell):
    """The place did not answer, or refused."""

    hint = "the artefact from before still stands; `abcd-index build` needs no place"


class Damaged(AbcdError):
    """What the place has under this key is not the artefact of these pages. Nothing was published."""

    hint = "find out who wrote it and delete it there; `abcd-index build` makes the artefact from the pages"


def plain(text):
    """``text`` without the user names, passwords and query strings of addresses: it is printed and logged."""
    return _QUERY.sub(r"\1", _USER.sub(r"\1***@", str(text)))
