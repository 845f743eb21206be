"""Which place artefacts are shared in, and whether this machine may speak to it.

A setting that came with a clone must not make a machine speak to a host that nobody here agreed to. So the
project's own ``config.json`` counts by itself only for ``git:<remote>``, a remote that somebody here has
configured; any other place has to be named on the command line, in the environment or in the person's own
``config.json``. Pages of the user scope go nowhere but where the command line says.
"""

import os
import re

from abcd_index import fs
from abcd_index.errors import AbcdError, Forbidden
from abcd_index.scopes import USER, guard
from abcd_index.settings import FILE, defaults, read_settings
from abcd_index.share.errors import plain

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


class Named:
    """A place and who named it. ``text``: as written; ``shown``: without secrets; ``who``: option,
    environment, user or workspace."""

    __slots__ = ("text", "shown", "who")

    def __init__(self, text, who):
        self.text = text
        self.shown = plain(text)
        self.who = who

    @property
    def agreed(self):
        """Whether this machine answers for what comes from there, once it is checked: its user named the place, or
        somebody here configured the remote."""
        return self.who != "workspace" or bool(self.remote)

    @property
    def remote(self):
        """The name of the git remote, or ''."""
        return self.text[len(GIT):] if self.text.startswith(GIT) else ""


def choose(scope, places, option=""):
    """The Named place of a scope. ``option``: what the command line says.

    Raises AbcdError when there is none, it is none, or nobody here has agreed to it; Forbidden for a folder that
    leads into ``~/.claude``.
    """
    if option:
        return _checked(Named(option, "option"), places)
    if scope.name == USER:
        raise AbcdError("pages of the user scope are private: no setting names a place for them",
                        "name it with --to or --from")
    given = places.get(VARIABLE)
    if given:
        return _checked(Named(given, "environment"), places)
    own = share_settings(places.user, places)["place"]
    if own:
        return _checked(Named(own, "user"), places)
    named = share_settings(scope.home, places)["place"]
    if not named:
        raise AbcdError("no place to share artefacts in is named",
                        'name it with --to or --from, or in .abcd/config.json: {"share": {"place": "git:origin"}}')
    named = _checked(Named(named, "workspace"), places)
    if not named.remote:
        raise AbcdError(
            f"the project's settings name {named.shown}, and nobody on this machine has agreed to that place",
            f"if you do: name it with --to or --from, in the variable {VARIABLE}, or as share.place in "
            f"{os.path.join(places.user or '~', FILE)}")
    return named


def share_settings(home, places):
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


def is_url(text):
    """Whether a place is one that fsspec opens."""
    return bool(_URL.match(text)) and not ON_DISK.match(text)


def folder_of(text):
    """The path of a place that is a folder."""
    on_disk = ON_DISK.match(text)
    return text[on_disk.end():] if on_disk else text


def _checked(named, places):
    if not named.text.isprintable():
        raise AbcdError(f"{ascii(named.shown)} is not the name of a place")
    if named.text.startswith(GIT) and not _REMOTE.fullmatch(named.remote):
        raise AbcdError(f"{named.shown} does not name a remote of the repository",
                        "write git: and its name, as `git remote` prints it")
    if not named.remote and not os.path.isabs(named.text) and ("::" in named.text or _NO_URL.match(named.text)):
        # One system that reads through another, a relative file: URL: they reach files that no guard sees.
        raise AbcdError(f"{named.shown} is neither git:<remote>, nor a URL of one place, nor a path",
                        "write the whole path")
    if not named.text.startswith(GIT) and not is_url(named.text) and not os.path.isabs(folder_of(named.text)):
        if named.who != "option":
            raise AbcdError(f"{named.shown} is neither git:<remote>, nor a URL, nor an absolute path",
                            "write the whole path")
        if not _PATH.search(named.text) and not os.path.isdir(named.text):
            # `git push origin` is what fingers know: that made a folder of this name in the work tree.
            raise AbcdError(f"{named.shown} may be a remote or a folder, and there is no such folder",
                            f"write git:{named.shown} or ./{named.shown}")
        named.text = os.path.abspath(folder_of(named.text))
    if ON_DISK.match(named.text):
        guard(folder_of(named.text), places)  # Neither the agent's folder, nor a link into it.
    return named
