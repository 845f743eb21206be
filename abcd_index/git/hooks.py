"""The hook files: what ours look like, how one is put beside another tool's, and how that is undone.

Three forms. *Own*: there was no hook, the file is our stub. *Beside*: the hook that was there is a shell
script, and a short block in front of it calls a copy of the stub. *Kept*: it is something else (or not
executable, which git skips), so it moves aside and our file hands over to it. Whatever is done here can
be taken back to the byte; text between our two marks is ours, all other text is not.
"""

import os
import re
import stat
from pathlib import Path

from abcd_index.git import tracked

HOOKS = ("post-commit", "post-checkout", "post-merge", "post-rewrite")
# Only where a team keeps the artefact in the repository.
TRACKED_HOOKS = ("pre-commit",)
VERSION = 1
KEPT = "abcd-kept"
# What pre-commit and lefthook rename a hook to that was there before theirs; pre-commit goes on running it.
MOVED = (".legacy", ".old")
FOLDER = "abcd-index"

# The line for hooks that are not ours to write; it says nothing about this machine.
LINE = 'h="$(git rev-parse --git-common-dir)/abcd-index/${0##*/}"; [ ! -f "$h" ] || sh "$h" "$@"'

_BEGIN = re.compile(rb"^# >>> abcd-index (?P<hook>[a-z-]+) (?P<version>\d+)(?: (?P<form>beside))? >>>\n", re.M)
_END = b"# <<< abcd-index <<<"
# LINE, or one like it that names the hook. A path or a comment that holds the word calls nothing.
_CALL = re.compile(rb"^(?!\s*#).*\babcd-index/(?:\$\{0##\*/\}|\$\(basename |post-|pre-commit\b)", re.M)
_SHEBANG = b"#!/bin/sh\n"
_SHELLS = {"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"}


class HookFile:
    """A hook as it is on disk. ``state``: absent, own, beside, kept, foreign or calls (somebody else's,
    with our line in it). ``version`` of our block, or 0. ``data``: bytes, or None. ``runs``: whether git
    would run it."""

    __slots__ = ("name", "path", "data", "state", "version", "runs", "link")

    def __init__(self, name, path):
        self.name = name
        self.path = path
        self.link = os.path.islink(path)
        self.data = _content(path)
        self.runs = os.path.isfile(path) and os.access(path, os.X_OK)
        found = _block(self.data or b"")
        self.version = int(found.group("version")) if found else 0
        if found and found.group("form"):
            self.state = "beside"
        elif found:
            self.state = "kept" if b"abcd_kept=" in self.data else "own"
        elif self.data is None and not self.link:
            self.state = "absent"
        else:
            self.state = "calls" if _CALL.search(self.data or b"") else "foreign"

    @property
    def ours(self):
        """Whether our block is in it."""
        return self.state in ("own", "beside", "kept")

    @property
    def crlf(self):
        """Whether its first line ends in a way that no interpreter is found for."""
        return b"\r" in (self.data or b"").split(b"\n", 1)[0]


def stub(name, python):
    """The bytes of our hook ``name``, with the interpreter that it starts."""
    if name in TRACKED_HOOKS:
        return tracked.stub(name, python)
    data = (_templates() / name).read_bytes().replace(b"\r\n", b"\n")
    quoted = "'" + python.replace("\\", "/").replace("'", "'\\''") + "'"
    return data.replace(b"abcd_python=''", b"abcd_python=" + os.fsencode(quoted), 1)


def wanted(hook, python, sibling):
    """(form, bytes) that the file should have. ``sibling``: whether its folder lies beside FOLDER in the
    common git folder."""
    block = _own_block(hook.name, python)
    if hook.state == "absent":
        return "own", stub(hook.name, python)
    if hook.state == "own":
        return "own", _with_block(hook.data, block)
    if hook.state == "kept":
        return "kept", _with_block(hook.data, _with_kept(block, hook.name))
    if hook.state == "beside":
        return "beside", _with_block(hook.data, _beside_block(hook.name, sibling))
    if hook.runs and not hook.link and is_shell(hook.data):
        return "beside", insert(hook.data, _beside_block(hook.name, sibling))
    return "kept", _SHEBANG + _with_kept(block, hook.name)


def put(hook, form, data, kept_folder):
    """Write the hook. The file that it takes the place of moves to ``kept_folder``."""
    mode = 0o755
    if form == "kept" and hook.state == "foreign":
        os.makedirs(kept_folder, exist_ok=True)
        _move(hook.path, os.path.join(kept_folder, hook.name))
    elif hook.data is not None:
        mode = stat.S_IMODE(os.stat(hook.path).st_mode) | (0 if form == "beside" else 0o111)
    os.makedirs(os.path.dirname(hook.path), exist_ok=True)
    write(hook.path, data, mode)


def take_away(hook, kept_folder):
    """Undo ``put``. Returns what was done (removed, restored or cleaned) or None when nothing was ours."""
    if not hook.ours:
        return None
    rest = without_block(hook.data)
    if hook.state == "beside":
        write(hook.path, rest, stat.S_IMODE(os.stat(hook.path).st_mode))
        return "cleaned"
    kept = os.path.join(kept_folder, hook.name)
    if rest not in (_SHEBANG, b""):
        # Somebody wrote below our block: that stays, and what was kept stays where it is.
        write(hook.path, rest, stat.S_IMODE(os.stat(hook.path).st_mode))
        return "cleaned"
    if hook.state == "kept" and os.path.lexists(kept):
        os.unlink(hook.path)
        _move(kept, hook.path)
        return "restored"
    os.unlink(hook.path)
    return "removed"


def is_shell(data):
    """Whether a hook's text is run by a shell of the Bourne kind (also when it has no first line)."""
    if data is None or b"\0" in data[:8000]:
        return False
    if not data.startswith(b"#!"):
        return True
    words = data[2:].split(b"\n", 1)[0].decode("utf-8", "replace").split(" ")
    words = [word for word in words if word]
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return bool(words) and os.path.basename(words[0]) in _SHELLS


def insert(data, block):
    """``data`` with our block in front of everything but the first line that names the interpreter."""
    if not data.startswith(b"#!"):
        return block + data
    first, end, rest = data.partition(b"\n")
    if not end:
        return first + b"\n" + block.rstrip(b"\n")
    return first + end + block + rest


def without_block(data):
    """The inverse of ``insert``."""
    found = _block(data)
    if found is None:
        return data
    end = data.index(_END, found.start()) + len(_END)
    if data[end:end + 1] == b"\n":
        return data[:found.start()] + data[end + 1:]
    start = found.start() - (data[found.start() - 1:found.start()] == b"\n")
    return data[:start] + data[end:]


def write(path, data, mode):
    """Put a whole file in place of ``path`` in one step, with ``mode``."""
    temporary = f"{path}.abcd-{os.getpid()}"
    try:
        with open(temporary, "wb") as handle:
            handle.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        raise


def _templates():
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_githooks", package.parent / ".githooks"):
        if (folder / HOOKS[0]).is_file():
            return folder
    raise FileNotFoundError("the git hooks are missing from this installation")


def _own_block(name, python):
    return stub(name, python)[len(_SHEBANG):]


def _with_kept(block, name):
    """The hook that was here runs as it did: same arguments, same input, its own status. Counted, so that
    a tool that has taken our file for its own predecessor cannot make the two call each other for ever."""
    lines = (
        f"abcd_kept=${{0%/*}}/../{KEPT}/{name}\n"
        'ABCD_KEPT=${ABCD_KEPT-}x\n'
        'if [ -x "$abcd_kept" ] && [ "$ABCD_KEPT" != xxxxxxxx ]; then\n'
        '    export ABCD_KEPT\n'
        '    exec "$abcd_kept" "$@"\n'
        'fi\n'
    ).encode()
    return block.replace(_END, lines + _END)


def _beside_block(name, sibling):
    folder = "${0%/*}/.." if sibling else "$(git rev-parse --git-common-dir)"
    rebase = '[ ! -d "${GIT_DIR:-.git}/rebase-merge" ] && ' if name == "post-commit" else ""
    return (
        f"# >>> abcd-index {name} {VERSION} beside >>>\n"
        "# Makes the recall index current after git changed pages; `abcd-index uninstall` takes this away.\n"
        f'if {rebase}[ -f "{folder}/{FOLDER}/{name}" ]; then\n'
        f'    sh "{folder}/{FOLDER}/{name}" "$@" </dev/null || :\n'
        '    if [ "${ABCD_INDEX-}" = ping ]; then exit 0; fi\n'
        "fi\n"
        "# <<< abcd-index <<<\n"
    ).encode()


def _with_block(data, block):
    found = _block(data)
    end = data.index(_END, found.start()) + len(_END)
    tail = data[end:]
    return data[:found.start()] + block.rstrip(b"\n") + tail


def _block(data):
    found = _BEGIN.search(data)
    return found if found and _END in data[found.start():] else None


def _move(source, target):
    """Rename a file or link. A link to a neighbour is made to reach it from the other folder."""
    if os.path.islink(source):
        text = os.readlink(source)
        near = os.path.basename(os.path.dirname(source))
        here, there = f"../{near}/", f"../{os.path.basename(os.path.dirname(target))}/"
        if os.sep not in text:
            text = here + text
        elif text.startswith(there) and os.sep not in text[len(there):]:
            text = text[len(there):]
        if text != os.readlink(source):
            os.symlink(text, target)
            os.unlink(source)
            return
    os.replace(source, target)


def _content(path):
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except OSError:
        return None
