"""How commands change what people wrote: only regular files, only what was read, and with a sentence otherwise."""

from __future__ import annotations

from abcd_index import fs
from abcd_index.build import publish
from abcd_index.errors import AbcdError
from abcd_index.scopes import Scope

# As earlier releases named what they were writing.
_FORMER = ".abcd-index-"


def write_over(scope: Scope, shown: str, path: str, before: bytes | None, after: bytes) -> None:
    """Put ``after`` at ``path``, a file of the store, where ``before`` was read (None: where nothing is).

    ``shown``: the file as people see it. Raises AbcdError when something else is there, a link for example, or when
    the file was changed meanwhile; it then is as it was.
    """
    try:
        fs.edit(path, before, after, workshop(scope))
    except fs.NotPlain:
        raise AbcdError(
            f"{shown} is a symbolic link or no regular file; nothing was written", "put the file itself there"
        ) from None
    except fs.Changed:
        raise AbcdError(f"{shown} was changed meanwhile; nothing was written", "run it again") from None
    except OSError as error:
        raise AbcdError(f"{shown} was not written: {error.strerror or error}") from None


def workshop(scope: Scope) -> str:
    """The folder for files on their way into a scope's store, where git sees none of them: the index folder, '' when
    there is no way to have one. What killed writers left there and in the store is swept."""
    for prefix in (fs.TEMPORARY, _FORMER):
        fs.remove_leftovers(scope.store, prefix)
    if not scope.index:
        return ""
    try:
        publish.prepare(scope.index)
    except OSError:
        return ""
    fs.remove_leftovers(scope.index)
    return scope.index
