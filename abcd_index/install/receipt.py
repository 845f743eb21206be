"""What an installation found, kept where git does not look: so that uninstalling can give it back.

A JSON file in the work tree's own git folder (without git: in the index folder): ``settings`` maps a
settings file, relative to the project, to what was there before (base64, or null for no file) and the hash
of what was written; ``index`` says that the index folder was made by the installation.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from typing import Any, Dict, TypedDict

from abcd_index import fs
from abcd_index.git import run as git
from abcd_index.install.project import Project

NAME = "receipt.json"


class Saved(TypedDict):
    """A settings file: what was there ``before``, the hash of what was written, whether the folder was made."""

    before: str | None
    after: str | None
    folder: bool


class Receipt:
    """The receipt of a Project. Unreadable is empty."""

    def __init__(self, project: Project) -> None:
        self.path = _path(project)
        self.root = project.root
        self.data: Dict[str, Any] = {"settings": {}, "index": False}
        try:
            with open(self.path or "", encoding="utf-8") as handle:
                found = json.load(handle)
            self.data["settings"] = {
                name: entry for name, entry in found["settings"].items() if {"before", "after", "folder"} <= set(entry)
            }
            self.data["index"] = found.get("index") is True
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            pass

    def settings(self, path: str) -> Saved | None:
        """The entry of a settings file, or None."""
        entry: Saved | None = self.data["settings"].get(os.path.relpath(path, self.root))
        return entry

    def put_settings(self, path: str, entry: Saved | None) -> None:
        """Write down a settings file's entry; None takes it out."""
        name = os.path.relpath(path, self.root)
        if entry is None:
            self.data["settings"].pop(name, None)
        else:
            self.data["settings"][name] = entry
        self.save()

    def put_index(self, made: bool) -> None:
        """Write down whether the index folder is to go with the installation."""
        self.data["index"] = made
        self.save()

    def save(self) -> None:
        """Write the file; an empty receipt is no file."""
        if self.path is None:
            return
        if not self.data["settings"] and not self.data["index"]:
            fs.remove(self.path)
            return
        fs.make_folder(os.path.dirname(self.path))
        # What was in a settings file may be private.
        fs.replace(self.path, (json.dumps(self.data, indent=1) + "\n").encode("ascii"), 0o600)


def digest(text: str | None) -> str | None:
    """The hash of a text that tells whether it was edited since; None of None."""
    return None if text is None else hashlib.sha256(text.encode("utf-8")).hexdigest()


def packed(text: str | None) -> str | None:
    """A text as the receipt holds it."""
    return None if text is None else base64.b64encode(text.encode("utf-8")).decode("ascii")


def unpacked(text: str | None) -> str | None:
    """The inverse of ``packed``."""
    return None if text is None else base64.b64decode(text).decode("utf-8")


def _path(project: Project) -> str | None:
    if project.place is not None:
        return git.own_path(project.place, f"abcd-index/{NAME}")
    return os.path.join(project.scope.index, NAME) if project.scope is not None else None
