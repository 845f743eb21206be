"""Opens a place, with a folder for what is on its way."""

import os
import shutil
import tempfile
import time
from contextlib import contextmanager

from abcd_index.build import publish
from abcd_index.share.folder_place import ABANDONED, Folder
from abcd_index.share.place import folder_of, is_url

_WORK = ".tmp-share-"


@contextmanager
def opened(named, scope, seconds):
    """(place, folder) of a Named place. The folder is in the index folder, so that what arrives needs no further
    copy, and goes when the block ends; one that a killed process left is swept up by a later one."""
    publish.prepare(scope.index)
    _sweep(scope.index)
    work = tempfile.mkdtemp(prefix=_WORK, dir=scope.index)
    place = None
    try:
        place = _open(named, scope, work, seconds)
        yield place, work
    finally:
        if place is not None:
            place.close()
        # git writes its objects read-only, and so are the folders on some systems.
        shutil.rmtree(work, ignore_errors=True)


def _open(named, scope, work, seconds):
    if named.remote:
        from abcd_index.share.git_place import GitPlace

        return GitPlace(scope.root, named.remote, work, seconds)
    if is_url(named.text):
        from abcd_index.share.url_place import UrlPlace

        return UrlPlace(named.text, named.shown, work, seconds)
    return Folder(folder_of(named.text), named.shown)


def _sweep(index):
    try:
        with os.scandir(index) as entries:
            old = [entry.path for entry in entries if entry.name.startswith(_WORK)
                   and entry.stat(follow_symlinks=False).st_mtime < time.time() - ABANDONED
                   and entry.is_dir(follow_symlinks=False)]
    except OSError:
        return
    for path in old:
        shutil.rmtree(path, ignore_errors=True)
