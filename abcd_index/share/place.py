"""Which place artefacts are shared in, whether this machine may speak to it, and what can go wrong with it.

A setting that came with a clone must not make a machine speak to a host that nobody here agreed to. So the
project's own ``config.json`` counts by itself only for ``git:<remote>``, a remote that somebody here has
configured; any other place has to be named on the command line, in the environment or in the person's own
``config.json``. Pages of the user scope go nowhere but where the command line says.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from abcd_index import fs
from abcd_index.errors import AbcdError, CannotTell, Forbidden
from abcd_index.scopes import USER, Places, Scope, guard
from abcd_index.settings import FILE, ShareSettings, defaults, read_settings

VARIABLE = "ABCD_SHARE"
GIT = "git:"
# More than one letter: `C:` is a drive.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
# A folder, or a URL that means one.
ON_DISK = re.compile(r"(?:(?:file|local):(?://)?)?(?=[/\\]|[A-Za-z]:[/\\])", re.IGNORECASE)
# What means to be a URL, of a form that none has who can be told where it leads.
_NO_URL = re.compile(r"(?:file|local):(?!//(?:[/\\]|[A-Za-z]:[/\\]))|[A-Za-z][A-Za-z0-9+.-]+:(?!//)", re.IGNORECASE)
_PATH = re.compile(r"[/\\]|^\.")
_REMOTE = re.compile(r"[^-\s:][^\s:]*")
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


def without_secrets(text: object) -> str:
    """``text`` without the user names, passwords and query strings of addresses: it is printed and logged."""
    return _QUERY.sub(r"\1", _USER.sub(r"\1***@", str(text)))


@dataclass
class Place:
    """A place and who named it. ``text``: where it is; ``who``: option, environment, user or workspace; ``shown``: as
    it was written, without secrets."""

    text: str
    who: str
    shown: str = ""

    def __post_init__(self) -> None:
        self.shown = self.shown or without_secrets(self.text)

    @property
    def agreed(self) -> bool:
        """Whether this machine answers for what comes from there, once it is checked: its user named the place, or
        somebody here configured the remote."""
        return self.who != "workspace" or bool(self.remote)

    @property
    def remote(self) -> str:
        """The name of the git remote, or ''."""
        return self.text[len(GIT) :] if self.text.startswith(GIT) else ""


def find_place(scope: Scope, places: Places, option: str = "") -> Place:
    """The place of a scope. ``option``: what the command line says.

    Raises AbcdError when there is none, it is none, or nobody here has agreed to it; Forbidden for a folder that
    leads into ``~/.claude``.
    """
    if option:
        return _checked(Place(option, "option"), places)
    if scope.name == USER:
        raise AbcdError(
            "pages of the user scope are private: no setting names a place for them", "name it with --to or --from"
        )
    given = places.get(VARIABLE)
    if given:
        return _checked(Place(given, "environment"), places)
    own = share_settings(places.user, places)["place"]
    if own:
        return _checked(Place(own, "user"), places)
    theirs = share_settings(scope.home, places)["place"]
    if not theirs:
        raise AbcdError(
            "no place to share artefacts in is named",
            'name it with --to or --from, or in .abcd/config.json: {"share": {"place": "git:origin"}}',
        )
    named = _checked(Place(theirs, "workspace"), places)
    if not named.remote:
        raise AbcdError(
            f"the project's settings name {named.shown}, and nobody on this machine has agreed to that place",
            f"if you do: name it with --to or --from, in the variable {VARIABLE}, or as share.place in "
            f"{os.path.join(places.user or '~', FILE)}",
        )
    return named


def share_settings(home: str, places: Places) -> ShareSettings:
    """The ``share`` settings of a scope's home; the defaults where there are none."""
    if home:
        try:
            path = os.path.join(home, FILE)
            # A person may keep their own settings elsewhere; a link in a project is somebody else's word.
            data = fs.read(guard(path, places) if home in (places.user, places.real_user()) else path, 1 << 20)
            return read_settings(data)[0]["share"]
        except (OSError, ValueError, Forbidden):
            pass
    return defaults()["share"]


def is_url(text: str) -> bool:
    """Whether a place is one that fsspec opens."""
    return bool(_URL.match(text)) and not ON_DISK.match(text)


def folder_of(text: str) -> str:
    """The path of a place that is a folder."""
    on_disk = ON_DISK.match(text)
    return text[on_disk.end() :] if on_disk else text


def _checked(named: Place, places: Places) -> Place:
    if not named.text.isprintable():
        raise AbcdError(f"{ascii(named.shown)} is not the name of a place")
    if named.text.startswith(GIT) and not _REMOTE.fullmatch(named.remote):
        raise AbcdError(
            f"{named.shown} does not name a remote of the repository",
            "write git: and its name, as `git remote` prints it",
        )
    if not named.remote and not os.path.isabs(named.text) and ("::" in named.text or _NO_URL.match(named.text)):
        # One system that reads through another, a relative file: URL: they reach files that no guard sees.
        raise AbcdError(
            f"{named.shown} is neither git:<remote>, nor a URL of one place, nor a path", "write the whole path"
        )
    if not named.text.startswith(GIT) and not is_url(named.text) and not os.path.isabs(folder_of(named.text)):
        if named.who != "option":
            raise AbcdError(
                f"{named.shown} is neither git:<remote>, nor a URL, nor an absolute path", "write the whole path"
            )
        if not _PATH.search(named.text) and not os.path.isdir(named.text):
            # `git push origin` is what fingers know: that made a folder of this name in the work tree.
            raise AbcdError(
                f"{named.shown} may be a remote or a folder, and there is no such folder",
                f"write git:{named.shown} or ./{named.shown}",
            )
        named.text = os.path.abspath(folder_of(named.text))
    if ON_DISK.match(named.text):
        guard(folder_of(named.text), places)  # Neither the agent's folder, nor a link into it.
    return named
