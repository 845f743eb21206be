"""When each page's content was last committed, in one walk through history."""

import os

from abcd_index.errors import CannotTell
from abcd_index.git import run as ask

_HEAD = b"\x02"
_BREAK = b"\x03"


def last_commit_dates(root, folder):
    """{file name in ``folder``: ISO date and time of the last commit that changed its content}.

    ``root``: any folder of the work tree; ``folder``: absolute, or relative to ``root``. A commit that
    only renames a page does not count. Pages that are not committed are missing, and in a shallow clone
    so are those that nothing but its cut end explains. Outside of git, or when git cannot tell, {}.
    """
    try:
        where = ask.place(root)
        if where is None:
            return {}
        inside = os.path.relpath(os.path.realpath(os.path.join(root, folder)), os.path.realpath(where.top))
        inside = inside.replace(os.sep, "/")
        names = {name for name in ask.tracked(where, f":(top,literal){inside}")
                 if name.rpartition("/")[0] == ("" if inside == "." else inside)}
        found = _walk(where, inside, names, _cut_commits(where))
    except CannotTell:
        return {}
    return {name.rpartition("/")[2]: date for name, date in found.items()}


def _cut_commits(where):
    """The commits whose parents a shallow clone does not have."""
    if not ask.is_shallow(where):
        return frozenset()
    try:
        with open(os.path.join(where.common_dir, "shallow"), "rb") as handle:
            return frozenset(handle.read().split())
    except OSError:
        raise CannotTell("where this shallow clone is cut off cannot be read") from None


def _walk(where, folder, names, cut):
    """Newest commit first; a page is done with at the first commit that changed it."""
    today = {os.fsencode(name): name for name in names}  # what a page was called at this point -> now
    found = {}
    fields = ask.lines_of_log(where, "--format=%x02%H%x03%cI", "--name-status", "-z", "-c", "-M", "HEAD", "--",
                              f":(top,literal){folder}")
    try:
        read_log(fields, today, found, cut)
    except StopIteration:
        pass
    finally:
        fields.close()
    return found


def read_log(fields, today, found, cut):
    """Read the fields of ``git log --format=%x02%H%x03%cI --name-status -z`` until every page is explained.

    ``today``: {path at this point of history: name now}, emptied as ``found`` ({name: ISO date}) grows. Raises
    StopIteration when history ends first.
    """
    commit = date = b""
    while today:
        field = next(fields).lstrip(b"\n")
        if field.startswith(_HEAD):
            commit, _, date = field[1:].partition(_BREAK)
            continue
        if not field:
            continue
        path = next(fields)
        renamed = field[:1] in b"RC" and field[1:].isdigit()
        if renamed:
            path, old = next(fields), path
        name = today.pop(path, None)
        if name is None or commit in cut:
            continue
        if renamed and field[1:] == b"100":
            today[old] = name
        else:
            found[name] = date.decode("ascii")


