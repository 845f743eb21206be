"""Opens a place, with a folder for what is on its way."""

from contextlib import closing, contextmanager

from abcd_index import fs
from abcd_index.build import publish
from abcd_index.share.backends.folder import Folder
from abcd_index.share.place import folder_of, is_url


@contextmanager
def opened(named, scope, seconds):
    """(place, folder) of a Named place. The folder is in the index folder, so that what arrives needs no further
    copy, and goes when the block ends; one that a killed process left is swept up by the next."""
    publish.prepare(scope.index)
    with fs.work_folder(scope.index, publish.ON_ITS_WAY) as work, closing(_open(named, scope, work, seconds)) as place:
        yield place, work


def _open(named, scope, work, seconds):
    if named.remote:
        from abcd_index.share.backends.git import GitPlace

        return GitPlace(scope.root, named.remote, work, seconds)
    if is_url(named.text):
        from abcd_index.share.backends.url import UrlPlace

        return UrlPlace(named.text, named.shown, work, seconds)
    return Folder(folder_of(named.text), named.shown, seconds)
