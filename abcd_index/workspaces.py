"""Which workspaces were ever built on this machine: ``recall --all`` asks here and scans nothing.

One JSON string a line in ``workspaces.jsonl`` under the user home's ``.index``, readable by its owner only.
"""

from __future__ import annotations

import json
import os
from typing import Iterable

from abcd_index import fs
from abcd_index.errors import Forbidden
from abcd_index.scopes import Places, resolve

FILE = "workspaces.jsonl"


def add(places: Places, root: str) -> None:
    """Note a workspace root. Cheap when it is there already; a home that cannot be written is no error."""
    if not places.real_user() or root in _read(places):
        return
    try:
        fs.make_private(os.path.dirname(_path(places)))
        # One write in append mode: two builds at once leave two whole lines.
        fs.append(_path(places), _line(root))
    except OSError:
        pass


def roots(places: Places) -> tuple[list[str], list[str]]:
    """(roots that still hold a store, roots that do not), each sorted."""
    there: list[str] = []
    missing: list[str] = []
    for root in sorted(_read(places)):
        (there if _holds_store(places, root) else missing).append(root)
    return there, missing


def prune(places: Places, gone: Iterable[str]) -> None:
    """Forget the roots ``gone``. What cannot be written is only asked about again next time."""
    gone = set(gone)
    kept = [root for root in sorted(_read(places)) if root not in gone]
    try:
        fs.replace(_path(places), b"".join(_line(root) for root in kept), 0o600)
    except OSError:
        pass


def _holds_store(places: Places, root: str) -> bool:
    try:
        return os.path.isdir(resolve(os.path.join(root, ".abcd", "memory"), places.forbidden))
    except (Forbidden, OSError, ValueError):
        return False


def _path(places: Places) -> str:
    return os.path.join(places.real_user(), ".index", FILE)


def _line(root: str) -> bytes:
    return json.dumps(root).encode("ascii") + b"\n"


def _read(places: Places) -> set[str]:
    if not places.real_user():
        return set()
    try:
        lines = fs.read(_path(places)).splitlines()
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
