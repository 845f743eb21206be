"""The hook files: what ours look like, how one is put beside another tool's, and how that is undone.

Three forms. *Own*: there was no hook, the file is our stub. *Beside*: the hook that was there is a shell
script, and a short block in front of it calls a copy of the stub. *Kept*: it is something else (or not
executable, which git skips), so it moves aside and our file hands over to it. Whatever is done here can
be taken back to the byte; text between our two marks is ours, all other text is not.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from abcd_index import fs

HOOKS = ("post-commit", "post-checkout", "post-merge", "post-rewrite")
# Only where a team keeps the artefact in the repository.
TRACKED_HOOKS = ("pre-commit",)
VERSION = 2
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
# Where the text of ``common.sh`` goes.
_SOURCED = b'[ ! -f "${0%/*}/common.sh" ] || . "${0%/*}/common.sh"\n'
# What the hooks say of themselves, each in two lines; the one of tracked mode says this instead.
_BEFORE_COMMIT = (
    b"# Before a commit that changes pages, this builds their artefact and stages it, because the settings ask for a",
    b"# tracked one. It never keeps a commit from being made. ABCD_INDEX=0 switches it off.",
)
_SHEBANG = b"#!/bin/sh\n"
_SHELLS = {"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"}


class HookFile:
    """A hook as it is on disk. ``state``: absent, own, beside, kept, foreign, calls (somebody else's,
    with our line in it) or unreadable (something is there, and nothing can be said of it). ``version`` of our block,
    or 0. ``data``: its bytes, b"" when it cannot be read. ``runs``: whether git would run it."""

    __slots__ = ("name", "path", "data", "state", "version", "runs", "link")

    def __init__(self, name: str, path: str) -> None:
        self.name = name
        self.path = path
        self.link = os.path.islink(path)
        data = _content(path)
        self.data = data or b""
        self.runs = os.path.isfile(path) and os.access(path, os.X_OK)
        found = _block(self.data)
        self.version = int(found.group("version")) if found else 0
        if found and found.group("form"):
            self.state = "beside"
        elif found:
            self.state = "kept" if b"abcd_kept=" in self.data else "own"
        elif data is None and not self.link:
            self.state = "unreadable" if _may_be_there(path) else "absent"
        else:
            self.state = "calls" if _CALL.search(self.data) else "foreign"

    @property
    def ours(self) -> bool:
        """Whether our block is in it."""
        return self.state in ("own", "beside", "kept")

    @property
    def crlf(self) -> bool:
        """Whether its first line ends in a way that no interpreter is found for."""
        return b"\r" in self.data.split(b"\n", 1)[0]


def stub(name: str, python: str) -> bytes:
    """The bytes of our hook ``name``, with the interpreter that it starts."""
    if name in TRACKED_HOOKS:
        lines = _template(HOOKS[0]).replace(HOOKS[0].encode(), name.encode()).split(b"\n")
        data = b"\n".join([*lines[:2], *_BEFORE_COMMIT, *lines[4:]])
    else:
        data = _template(name)
    data = data.replace(_SOURCED, _template("common.sh").split(b"\n", 2)[2])
    return data.replace(b"abcd_python=''", b"abcd_python=" + os.fsencode(quoted(python)), 1)


def quoted(python: str) -> str:
    """The path of an interpreter as a word of the shell."""
    return "'" + python.replace("\\", "/").replace("'", "'\\''") + "'"


def wanted(hook: HookFile, python: str, sibling: bool) -> tuple[str, bytes]:
    """(form, bytes) that the file should have. ``sibling``: whether its folder lies beside FOLDER in the
    common git folder."""
    block = _own_block(hook.name, python)
    if hook.state == "absent":
        return "own", stub(hook.name, python)
    if hook.state == "kept-alone":
        return "kept", _SHEBANG + _with_kept(block, hook.name)
    if hook.state == "own":
        return "own", _with_block(hook.data, block)
    if hook.state == "kept":
        return "kept", _with_block(hook.data, _with_kept(block, hook.name))
    if hook.state == "beside":
        return "beside", _with_block(hook.data, _beside_block(hook.name, sibling))
    if hook.runs and not hook.link and is_shell(hook.data):
        return "beside", insert(hook.data, _beside_block(hook.name, sibling))
    return "kept", _SHEBANG + _with_kept(block, hook.name)


def put_aside(hook: HookFile) -> str:
    """The name of the file beside a foreign hook that holds our block and that the hook is taken to run: under the
    name that pre-commit gives to what it found, or under one whose ending the hook's own text says. '' for none."""
    folder = os.path.dirname(hook.path)
    for name in sorted(os.listdir(folder)):
        ending = name[len(hook.name) :]
        if (
            name.startswith(hook.name)
            and ending
            and HookFile(hook.name, os.path.join(folder, name)).ours
            and (ending == MOVED[0] or os.fsencode(ending) in hook.data)
        ):
            return name
    return ""


def put(hook: HookFile, form: str, data: bytes, kept_folder: str) -> None:
    """Write the hook. A hook that it takes the place of is first kept in ``kept_folder``; the last step is one rename,
    so that at every moment either theirs runs or ours, which hands over to it."""
    mode = 0o755
    for folder in (kept_folder, os.path.dirname(hook.path)):
        fs.remove_leftovers(folder)
    if form == "kept" and hook.state == "foreign":
        fs.make_folder(kept_folder)
        kept = os.path.join(kept_folder, hook.name)
        if os.path.lexists(kept) and _content(kept) != hook.data:
            fs.move(kept, _free(kept))  # Another's, from before; who knows whether it is wanted.
        fs.keep(hook.path, kept, _near(hook.path, kept))
    elif os.path.isfile(hook.path):
        mode = stat.S_IMODE(os.stat(hook.path).st_mode) | (0 if form == "beside" else 0o111)
    fs.make_folder(os.path.dirname(hook.path))
    fs.replace(hook.path, data, mode)


def take_away(hook: HookFile, kept_folder: str) -> str | None:
    """Undo ``put``. Returns what was done (removed, restored or cleaned) or None when nothing was ours."""
    if not hook.ours:
        return None
    rest = without_block(hook.data)
    kept = os.path.join(kept_folder, hook.name)
    mode = stat.S_IMODE(os.stat(hook.path).st_mode)
    started = os.path.join(os.path.dirname(hook.path), hook.name)
    if started != hook.path and _content(started) in (rest, _content(kept) if hook.state == "kept" else rest):
        # Another tool put its own hook aside because ours was in it or before it; it would now call itself.
        fs.remove(hook.path)
        if hook.state == "kept":
            fs.remove(kept)
        return "removed"
    if hook.state == "beside" or rest not in (_SHEBANG, b""):
        # Text that is not ours stays, and beside it what was kept stays where it is.
        fs.replace(hook.path, rest, mode)
        return "cleaned"
    if os.path.lexists(kept):
        text = _near(kept, hook.path)
        if text is None:
            fs.move(kept, hook.path)
        else:
            fs.keep(kept, hook.path, text)
            fs.remove(kept)
        return "restored"
    fs.remove(hook.path)
    return "removed"


def restore(name: str, folder: str, kept_folder: str) -> None:
    """Give back a hook that was kept and whose place is empty: an installation or its removal was cut short."""
    path, kept = os.path.join(folder, name), os.path.join(kept_folder, name)
    if os.path.lexists(kept) and not os.path.lexists(path):
        fs.keep(kept, path, _near(kept, path))
        fs.remove(kept)


def is_shell(data: bytes) -> bool:
    """Whether a hook's text is run by a shell of the Bourne kind (also when it has no first line)."""
    if b"\0" in data[:8000]:
        return False
    if not data.startswith(b"#!"):
        return True
    words = data[2:].split(b"\n", 1)[0].decode("utf-8", "replace").split(" ")
    words = [word for word in words if word]
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return bool(words) and os.path.basename(words[0]) in _SHELLS


def insert(data: bytes, block: bytes) -> bytes:
    """``data`` with our block in front of everything but the first line that names the interpreter."""
    if not data.startswith(b"#!"):
        return block + data
    first, end, rest = data.partition(b"\n")
    if not end:
        return first + b"\n" + block.rstrip(b"\n")
    return first + end + block + rest


def without_block(data: bytes) -> bytes:
    """The inverse of ``insert``."""
    found = _block(data)
    if found is None:
        return data
    end = data.index(_END, found.start()) + len(_END)
    if data[end : end + 1] == b"\n":
        return data[: found.start()] + data[end + 1 :]
    start = found.start() - (data[found.start() - 1 : found.start()] == b"\n")
    return data[:start] + data[end:]


def _template(name: str) -> bytes:
    """The bytes of a file of ``.githooks``. Raises FileNotFoundError."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_githooks", package.parent / ".githooks"):
        if (folder / name).is_file():
            return (folder / name).read_bytes().replace(b"\r\n", b"\n")
    raise FileNotFoundError("the git hooks are missing from this installation")


def _own_block(name: str, python: str) -> bytes:
    return stub(name, python)[len(_SHEBANG) :]


def _with_kept(block: bytes, name: str) -> bytes:
    """The hook that was here runs as it did: same arguments, same input, its own status. Counted, so that
    a tool that has taken our file for its own predecessor cannot make the two call each other for ever."""
    lines = (
        f"abcd_kept=${{0%/*}}/../{KEPT}/{name}\n"
        "ABCD_KEPT=${ABCD_KEPT-}x\n"
        f'abcd_ran="${{0%/*}}/{name}"\n'
        f"case ${{0##*/}} in {name}) abcd_ran= ;; esac\n"
        'if [ -x "$abcd_kept" ] && [ "$ABCD_KEPT" != xxxxxxxx ] &&\n'
        '    { [ -z "$abcd_ran" ] || ! cmp -s "$abcd_kept" "$abcd_ran"; }; then\n'
        "    export ABCD_KEPT\n"
        '    exec "$abcd_kept" "$@"\n'
        "fi\n"
    ).encode()
    return block.replace(_END, lines + _END)


def _beside_block(name: str, sibling: bool) -> bytes:
    folder = "${0%/*}/.." if sibling else "$(git rev-parse --git-common-dir)"
    rebase = '[ ! -d "${GIT_DIR:-.git}/rebase-merge" ] && ' if name == "post-commit" else ""
    return (
        f"# >>> abcd-index {name} {VERSION} beside >>>\n"
        "# Makes the recall index current after git changed pages; `abcd-index uninstall` takes this away.\n"
        f'if {rebase}[ -f "{folder}/{FOLDER}/{name}" ]; then\n'
        f'    sh "{folder}/{FOLDER}/{name}" "$@" </dev/null || :\n'
        '    if [ "${ABCD_INDEX-}" = ping ]; then exit 0; fi\n'
        "fi\n"
        # Put aside by the tool that this hook is of, which no longer knew it: what follows has run already.
        f"case ${{0##*/}} in {name}) ;; *)\n"
        '    if sed \'/^# >>> abcd-inde[x] /,/^# <<< abcd-inde[x] <<</d\' "$0" | cmp -s - "${0%/*}/'
        f'{name}"; then exit 0; fi ;;\n'
        "esac\n"
        "# <<< abcd-index <<<\n"
    ).encode()


def _with_block(data: bytes, block: bytes) -> bytes:
    found = _block(data)
    if found is None:
        raise ValueError("no block of abcd-index is in this hook")
    end = data.index(_END, found.start()) + len(_END)
    return data[: found.start()] + block.rstrip(b"\n") + data[end:]


def _block(data: bytes) -> re.Match[bytes] | None:
    found = _BEGIN.search(data)
    return found if found and _END in data[found.start() :] else None


def _near(source: str, target: str) -> str | None:
    """What the link ``source`` must say at ``target``, the other one of two folders side by side, where that is not
    what it says; None for a file and for a link that may stay as it is."""
    if not os.path.islink(source):
        return None
    text = was = os.readlink(source)
    here, there = (f"../{os.path.basename(os.path.dirname(path))}/" for path in (source, target))
    if os.sep not in text:
        text = here + text
    elif text.startswith(there) and os.sep not in text[len(there) :]:
        text = text[len(there) :]
    return None if text == was else text


def _free(path: str) -> str:
    number = 1
    while os.path.lexists(f"{path}.{number}"):
        number += 1
    return f"{path}.{number}"


def _may_be_there(path: str) -> bool:
    try:
        os.lstat(path)
        return True
    except OSError as error:
        return not isinstance(error, (FileNotFoundError, NotADirectoryError))


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except OSError:
        return None
