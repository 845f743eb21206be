"""Which scopes a command is asked to work on. Unlike the hook, a refused folder is an error here."""

import os

from abcd_index.errors import AbcdError
from abcd_index.scopes import USER, WORKSPACE, Places, resolve, user_scope, workspace_scope

ALL = "all"
START_USER = "run `abcd-index init --scope user` to start one"


class NothingHere(AbcdError):
    """No store where the command looked: exit status 1."""

    status = 1
    hint = "run `abcd-index init` in your project to start one"


def here(root=None):
    """The absolute folder that a command starts from: ``root`` or the working directory.

    Raises AbcdError when it is not a folder (any more).
    """
    try:
        path = os.path.abspath(root) if root else os.getcwd()
    except OSError as error:
        raise AbcdError(f"the working directory cannot be used: {error.strerror or error}") from error
    resolve(path, Places().forbidden)
    if root and not os.path.isdir(path):
        raise AbcdError(f"{root} is not a folder", "give --root a project's folder")
    return path


def pick(root=None, which=ALL, places=None):
    """The scopes to work on, narrow to wide. ``which``: workspace, user or all.

    Raises Forbidden for a folder that leads into ``~/.claude``, NothingHere when there is no store.
    """
    places = places or Places()
    cwd = here(root)
    finders = {WORKSPACE: [workspace_scope], USER: [user_scope], ALL: [workspace_scope, user_scope]}[which]
    found = [scope for scope in (find(cwd, places) for find in finders) if scope is not None]
    if not found:
        raise NothingHere(_nothing(cwd, which, places), START_USER if which == USER else "")
    return found


def _nothing(cwd, which, places):
    user = f"no user store at {places.user}/memory" if places.user else "no home folder for a user store"
    if which == USER:
        return user
    workspace = f"no .abcd/memory in {cwd} or above it"
    return workspace if which == WORKSPACE else f"{workspace}, and {user}"
