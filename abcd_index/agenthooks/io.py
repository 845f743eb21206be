"""A hook's two pipes and its deadline, and where a session's files are.

Prompt path. Some hosts never close a hook's stdin, so a payload is complete when it parses, not when the
pipe ends; and nothing waits longer than the deadline. Answers leave in one piece, at the very end.
"""

import time

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os  # type: ignore[no-redef]  # another module under the same name

from abcd_index.artefact.format import TIMES_SUFFIX
from abcd_index.artefact.reader import CAREFUL, parse
from abcd_index.scopes import within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from abcd_index.artefact.reader import Artefact
    from abcd_index.scopes import Places, Scope

# Seconds for the whole of a prompt hook; the host holds the person's prompt back for it.
DEADLINE = 1.0
# Where a hundred hooks run at once, a test may give each of them more time: so many seconds at most.
LONGEST_DEADLINE = 60
# Most payloads fit into the first read; a pipe holds no more than the second size at a time.
FIRST, CHUNK = 1 << 13, 1 << 16
# A prompt is read up to so many characters at its start and its end (``agenthooks.prompt``, which is not loaded yet).
PROMPT_HEAD, PROMPT_TAIL = 16000, 8000
# Bytes of a payload that hold as much, of plain text and of text in which a character takes several.
HEAD, TAIL, DENSE = 24000, 12000, 5
CUT = " \x7f\x7f\x7f "
# No prompt is larger; a stream that never ends must not fill the memory.
LONGEST = 1 << 26

INDEX = "/.index"
SESSIONS = "/sessions"
# The secret that names of sessions and marks of prompts are made with: the files alone do not let anybody guess them.
KEY, KEY_LENGTH = "/key", 32
LEDGER = ".ledger"
FILL = ".fill"
ONCE = ".once-"

NEW = _os.O_WRONLY | _os.O_CREAT | _os.O_EXCL | getattr(_os, "O_CLOEXEC", 0)

try:
    from _json import encode_basestring_ascii as _quote
except ImportError:  # pragma: no cover - not CPython
    from json import dumps as _quote

quote: "Callable[[str], str]" = _quote


def preload(step: str) -> None:
    """Called before the modules of a ``step`` are imported, or a module of that name. The hook's script puts its own,
    faster way to load them here."""


def deadline(places: "Places", usual: float = DEADLINE) -> float:
    """Seconds that a hook has: ``usual``, or more where ``ABCD_DEADLINE`` says so."""
    said = places.get("ABCD_DEADLINE")
    return max(usual, min(int(said), LONGEST_DEADLINE)) if said.isdecimal() else usual


def arm(seconds: float = DEADLINE) -> None:
    """Raise SystemExit in ``seconds``, wherever the program is then; 0 calls that off."""
    try:
        import _signal  # type: ignore[import-not-found]  # the C half of signal

        _signal.signal(_signal.SIGALRM, _late)
        _signal.setitimer(_signal.ITIMER_REAL, seconds)
    except (ImportError, AttributeError, ValueError, OSError):
        # No such signal here, or not in the main thread: a clock of our own, which only a real process needs.
        if seconds and not hasattr(_os, "fork"):  # pragma: no cover - Windows
            import _thread

            _thread.start_new_thread(_leave_after, (seconds,))


def _late(signum: int, frame: object) -> None:
    raise SystemExit


def _leave_after(seconds: float) -> None:  # pragma: no cover - Windows
    time.sleep(seconds)
    _os._exit(0)


def read_all() -> "tuple[bytearray, dict[str, Any] | None]":
    """(what came on stdin, the JSON object that it is or None): read up to the end of a complete object, the end
    of the pipe, or the deadline."""
    data = bytearray()
    try:
        while len(data) < LONGEST:
            chunk = _os.read(0, CHUNK if data else FIRST)
            if not chunk:
                break
            data += chunk
            if chunk.rstrip()[-1:] == b"}":
                payload = payload_of(data)
                if payload is not None:
                    return data, payload
    except (OSError, SystemExit):
        pass
    return data, payload_of(data)


def payload_of(data: "bytes | bytearray") -> "dict[str, Any] | None":
    """The JSON object that ``data`` (bytes) is, as a dict; None for anything else. Byte order marks are dropped.

    Of a long prompt the middle, which is not looked at, may be left out."""
    while data[:3] == b"\xef\xbb\xbf":
        data = data[3:]
    return len(data) > 2 * (HEAD + TAIL) and _without_middle(data) or _object(data)


def _object(data: "bytes | bytearray") -> "dict[str, Any] | None":
    try:
        value = parse(data.decode("utf-8", "replace").strip())
    except (ValueError, LookupError, RecursionError, MemoryError):
        return None
    return value if type(value) is dict else None


def _without_middle(data: "bytes | bytearray") -> "dict[str, Any] | None":
    """A payload whose middle is all of one prompt, without that middle; None where it may be anything else."""
    head, tail = HEAD, TAIL
    if not data.isascii() or b"\\u" in data[:head] or b"\\u" in data[-tail:]:
        head, tail = DENSE * head, DENSE * tail
    # At a space no escape sequence and no character comes apart; and without a quote no string ends.
    start, end = data.rfind(b" ", 0, head), data.find(b" ", max(head, len(data) - tail))
    if start < 0 or end < 0 or data.find(b'"', start, end) >= 0:
        return None
    payload = _object(data[:start] + CUT.encode() + data[end:])
    prompt = payload and payload.get("prompt")
    if not isinstance(prompt, str):
        return None
    at = prompt.find(CUT)
    return payload if at > PROMPT_HEAD and len(prompt) - at - len(CUT) > PROMPT_TAIL else None


def send(data: bytes) -> bool:
    """Write ``data`` to stdout. False when the reader is gone or the disk is full."""
    try:
        while data:
            data = data[_os.write(1, data) :]
    except OSError:
        return False
    return True


def leave(status: int = 0) -> "NoReturn":
    """End the process now. Nothing is buffered, and tearing the interpreter down takes longer than the hook."""
    _os._exit(status)


class Session:
    """Where one session's files are: ``folder`` (0700), ``path`` without suffix, ``mark`` to know them by. ``key``:
    the person's secret."""

    __slots__ = ("folder", "path", "mark", "key")

    def __init__(self, folder: str, session: str, key: bytes) -> None:
        raw = session.encode("utf-8", "surrogatepass")
        name = keyed(key, raw)
        self.folder = folder
        self.path = folder + "/" + name
        self.mark = "%d %s" % (len(raw), name)
        self.key = key


def session_of(session: str, places: "Places", make: bool = False) -> "Session | None":
    """The Session of an id (text), or None: no id, no home, a home that leads into ``~/.claude``, or no secret there.

    ``make``: make the secret where there is none; without it no session was ever written down.
    """
    index = user_folder(places, INDEX) if session else ""
    key = secret(index, make) if index else b""
    return Session(index + SESSIONS, session, key) if key else None


def user_folder(places: "Places", name: str) -> str:
    """A folder of the user home with its links followed; '' when there is no home, or it leads into ``~/.claude``."""
    user = places.real_user()
    try:
        return within(user, name[1:], places) if user else ""
    except Exception:  # Forbidden, or a link loop: then there is no such folder for us.
        return ""


def keyed(key: bytes, data: bytes) -> str:
    """40 hex digits that tell ``data`` (bytes) from others and say nothing of it to who has no ``key``."""
    preload("keyed")
    try:
        from _blake2 import blake2b
    except ImportError:  # pragma: no cover - not CPython
        from hashlib import blake2b
    return blake2b(data, digest_size=20, key=key).hexdigest()


def marked(session: "Session", turn: str, prompt: str, *more: str) -> str:
    """The name that two deliveries of one prompt share: the host's own id of it (``turn``), else its text; and
    ``more`` that must be the same."""
    if not turn:
        # A long paste is told from another by its head and tail, and by its length if all of it was looked at.
        turn = "\n%d %s" % (min(len(prompt), 20000), prompt if len(prompt) < 4000 else prompt[:2000] + prompt[-2000:])
    return keyed(session.key, "\n".join([turn, *more]).encode("utf-8", "surrogatepass"))


def said(session: "Session", turn: str, prompt: str) -> str:
    """How the ledger writes that a prompt was said now."""
    return "%s@%d" % (marked(session, turn, prompt)[:16], time.time())


def secret(index: str, make: bool) -> bytes:
    """The 32 bytes of the user's own ``key`` file; b'' when there are none, or they cannot be read or made.

    ``index``: the folder that it is in. Of hooks that make it at the same moment all get the same.
    """
    path = index + KEY
    for attempt in range(2):
        found = _read_secret(path)
        if found is not None or attempt or not make or not _make_secret(index, path):
            break
    return found or b""


def _read_secret(path: str) -> "bytes | None":
    """None where there is no secret, b'' where there is one that cannot be used."""
    try:
        fd = _os.open(path, _os.O_RDONLY | CAREFUL)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return b""
    try:
        found = _os.read(fd, KEY_LENGTH + 1)
        return found if len(found) == KEY_LENGTH else b""
    except OSError:
        return b""
    finally:
        _os.close(fd)


def _make_secret(index: str, path: str) -> bool:
    """Put a secret at ``path`` whole, unless another hook was faster. Whether it is there."""
    if not make_folder(index, above=1):
        return False
    try:
        temporary = path + "-" + _os.urandom(8).hex() + ".tmp"
        made = make(temporary, _os.urandom(KEY_LENGTH), sync=True)
    except (OSError, NotImplementedError):  # No randomness, no secret.
        return False
    try:
        if made:
            _os.link(temporary, path)
    except FileExistsError:
        pass
    except OSError:  # A file system without hard links.
        try:
            _os.lstat(path)
        except OSError:
            _os.rename(temporary, path)
    finally:
        remove(temporary)
    return bool(made)


def make(path: str, data: bytes, sync: bool = False) -> "bool | None":
    """Make a new file, 0600. True; False when something is there already; None when it cannot be made."""
    try:
        fd = _os.open(path, NEW, 0o600)
    except FileExistsError:
        return False
    except (OSError, ValueError):
        return None
    try:
        if data and _os.write(fd, data) != len(data):
            return None
        if sync:
            _os.fsync(fd)
        return True
    except OSError:
        return None
    finally:
        _os.close(fd)


def create(session: "Session", suffix: str, data: bytes) -> "bool | None":
    """As ``make``, for a file of the session, whose folder is made where it is missing."""
    made = make(session.path + suffix, data)
    if made is None and make_folder(session.folder):
        made = make(session.path + suffix, data)
    return made


def make_folder(folder: str, above: int = 2) -> bool:
    """Make a folder of the user home, and up to ``above`` that are missing above it. Whether it is there now."""
    missing = [folder]
    while len(missing) <= above:
        missing.append(missing[-1].rpartition("/")[0])
    for path in reversed(missing):
        try:
            _os.mkdir(path, 0o700)
        except FileExistsError:
            continue
        except (OSError, ValueError):
            return False
    return True


def append(session: "Session", suffix: str, data: bytes, new: bool = False) -> bool:
    """Add to a file of the session in one write. False when it is not there or is no plain file. ``new``: make the
    file where there is none; hooks that do so at the same moment lose nothing of each other's."""
    flags = _os.O_WRONLY | _os.O_APPEND | CAREFUL | (_os.O_CREAT if new else 0)
    try:
        try:
            fd = _os.open(session.path + suffix, flags, 0o600)
        except FileNotFoundError:
            if not new or not make_folder(session.folder):
                return False
            fd = _os.open(session.path + suffix, flags, 0o600)
    except (OSError, ValueError):
        return False
    try:
        return _os.write(fd, data) == len(data)
    except OSError:
        return False
    finally:
        _os.close(fd)


def tick(session: "Session", turn: str, prompt: str) -> None:
    """Note a prompt that was given nothing, in a session that was given something before."""
    append(session, LEDGER, b". %s\n" % said(session, turn, prompt).encode("ascii"))


def replace(session: "Session", suffix: str, data: bytes) -> bool:
    """Put ``data`` in the place of a file of the session in one step. Whether that worked."""
    target = session.path + suffix
    for attempt in range(4):
        unique = ".%d-%d.tmp" % (_os.getpid(), attempt)
        made = create(session, suffix + unique, data)
        if made is None:
            remove(target + unique)
            return False
        if made:
            break
    else:
        return False
    try:
        _os.replace(target + unique, target)
        return True
    except OSError:
        try:
            _os.rmdir(target)  # Whoever made a folder of that name: an empty one gives way.
            _os.replace(target + unique, target)
            return True
        except OSError:
            remove(target + unique)
            return False


def load(session: "Session", suffix: str, most: int) -> "bytes | None":
    """As ``content``, of a file of the session."""
    return content(session.path + suffix, most)


def content(path: str, most: int) -> "bytes | None":
    """The first ``most`` + 1 bytes of a file; None when there is none, b'' when it cannot be read."""
    try:
        fd = _os.open(path, _os.O_RDONLY | CAREFUL)
    except (OSError, ValueError):
        return None
    try:
        return _os.read(fd, most + 1)
    except OSError:
        return b""
    finally:
        _os.close(fd)


def remove(path: str) -> None:
    """Remove a file; harmless when it is gone."""
    try:
        _os.unlink(path)
    except OSError:
        pass


def changed(path: str) -> int:
    """When ``path`` was written or put there last, in ns, whatever its own time was set to. Raises OSError."""
    stat = _os.lstat(path)
    return max(stat.st_mtime_ns, stat.st_ctime_ns)


def built(scope: "Scope", artefact: "Artefact") -> int:
    """When the build of an artefact began, in ns: the time of its sidecar. Raises OSError."""
    return _os.lstat(scope.index + "/" + artefact.header["key"] + TIMES_SUFFIX).st_mtime_ns


def moved(scope: "Scope", artefact: "Artefact", slack: int = 0) -> bool:
    """Whether a page came to or left a scope's store since its artefact was built (``slack`` ns later), or nobody knows
    when that was."""
    try:
        begun = built(scope, artefact)
    except (OSError, ValueError):
        return True
    try:
        return changed(scope.store) > begun + slack
    except (OSError, ValueError):
        return bool(artefact.pages)


def locked(path: str) -> bool:
    """Whether a process that lives holds the file at ``path``, see ``hold``."""
    lock = getattr(_os, "lockf", None)
    if lock is None:  # pragma: no cover - Windows
        return False
    try:
        fd = _os.open(path, _os.O_RDWR | CAREFUL)
    except (OSError, ValueError):
        return False
    try:
        lock(fd, _os.F_TEST, 0)
        return False
    except OSError:
        return True
    finally:
        _os.close(fd)


def hold(path: str) -> int:
    """Hold the file at ``path`` until this process ends, however it ends. Returns its descriptor. Raises OSError."""
    fd = _os.open(path, _os.O_RDWR | CAREFUL)
    _os.lockf(fd, _os.F_TLOCK, 0)
    return fd


def let_go() -> None:
    """Become a process of one's own that has nothing of the hook's: no terminal, no open file, no deadline."""
    arm(0)
    _os.setsid()
    _os.chdir("/")
    null = _os.open("/dev/null", _os.O_RDWR)
    for fd in (0, 1, 2):
        _os.dup2(null, fd)
    _os.closerange(3, 4096)


def working_directory() -> str:
    """The process's folder, or '' when it is gone."""
    try:
        return _os.getcwd()
    except OSError:
        return ""
