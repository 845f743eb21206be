"""Which workspaces were ever built on this machine: ``recall --all`` asks here and scans nothing.

One JSON string a line in ``workspaces.jsonl`` under the user home's ``.index``, readable by its owner only.
"""

import json
import os

from abcd_index.build import publish
from abcd_index.errors import Forbidden
from abcd_index.scopes import resolve

FILE = "workspaces.jsonl"


def add(places, root):
    """Note a workspace root. Cheap when it is there already; a home that cannot be written is no error."""
    if not places.user or root in _read(places):
        return
    try:
        folder = os.path.join(places.user, ".index")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        fd = os.open(_path(places), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        return
    try:
        # One write in append mode: two builds at once leave two whole lines.
        os.write(fd, _line(root))
    except OSError:
        pass
    finally:
        os.close(fd)


def roots(places):
    """(roots that still hold a store, roots that do not), each sorted."""
    there, gone = [], []
    for root in sorted(_read(places)):
        (there if _holds_store(places, root) else gone).append(root)
    return there, gone


def prune(places, gone):
    """Forget the roots ``gone``. What cannot be written is only asked about again next time."""
    gone = set(gone)
    kept = [root for root in sorted(_read(places)) if root not in gone]
    try:
        publish.replace(_path(places), b"".join(_line(root) for root in kept))
        os.chmod(_path(places), 0o600)
    except OSError:
        pass


def _holds_store(places, root):
    try:
        return os.path.isdir(resolve(os.path.join(root, ".abcd", "memory"), places.forbidden))
    except (Forbidden, OSError, ValueError):
        return False


def _path(places):
    return os.path.join(places.user, ".index", FILE)


def _line(root):
    return json.dumps(root).encode("ascii") + b"\n"


def _read(places):
    if not places.user:
        return set()
    try:
        with open(_path(places), "rb") as handle:
            lines = handle.read().splitlines()
    except OSError:
        return set()
    found = set()
    for line in lines:
        try:
            root = json.loads(line)
        except ValueError:
            continue  # Half a line of a process that was killed.
        if isinstance(root, str) and os.path.isabs(root):
            found.add(root)
    return found
