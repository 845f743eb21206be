"""Opens a place, with a folder for what is on its way."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import Iterator

from abcd_index import fs
from abcd_index.build import publish
from abcd_index.scopes import Scope
from abcd_index.share.backends.backend import Backend
from abcd_index.share.backends.folder import Folder
from abcd_index.share.place import Place, folder_of, is_url


@contextmanager
def opened(place: Place, scope: Scope, seconds: float) -> Iterator[tuple[Backend, str]]:
    """(backend, folder) of a place. The folder is in the index folder, so that what arrives needs no further
    copy, and goes when the block ends; one that a killed process left is swept up by the next."""
    publish.prepare(scope.index)
    with fs.work_folder(scope.index, publish.ON_ITS_WAY) as work:
        with closing(_open(place, scope, work, seconds)) as backend:
            yield backend, work


def _open(place: Place, scope: Scope, work: str, seconds: float) -> Backend:
    if place.remote:
        from abcd_index.share.backends.git import Git

        return Git(scope.root, place.remote, work, seconds)
    if is_url(place.text):
        from abcd_index.share.backends.url import Url

        return Url(place.text, place.shown, work, seconds)
    return Folder(folder_of(place.text), place.shown, seconds)
