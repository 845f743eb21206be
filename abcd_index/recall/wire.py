"""A hook's two pipes and its deadline, and where a session's files are.

Prompt path. Some hosts never close a hook's stdin, so a payload is complete when it parses, not when the
pipe ends; and nothing waits longer than the deadline. Answers leave in one piece, at the very end.
"""

try:
    import posix as _os
except ImportError:  # pragma: no cover - Windows
    import os as _os

from abcd_index.artefact.reader import CAREFUL, parse
from abcd_index.scopes import fingerprint, resolve

# Seconds for the whole of a prompt hook; the host holds the person's prompt back for it.
DEADLINE = 1.0
# Most payloads fit into the first read; a pipe holds no more than the second size at a time.
FIRST, CHUNK = 1 << 13, 1 << 16
# A prompt is read up to so many characters at its start and its end (``terms.prompt``, which is not loaded yet).
PROMPT_HEAD, PROMPT_TAIL = 16000, 8000
# Bytes of a payload that hold as much, of plain text and of text in which a character takes several.
HEAD, TAIL, DENSE = 24000, 12000, 5
CUT = " \x7f\x7f\x7f "
# No prompt is larger; a stream that never ends must not fill the memory.
LONGEST = 1 << 26

SESSIONS = "/.index/sessions"
LEDGER = ".ledger"
FILL = ".fill"
ONCE = ".once-"
# The ledger's line for a prompt that was given nothing.
TICK = b".\n"

NEW = _os.O_WRONLY | _os.O_CREAT | _os.O_EXCL | getattr(_os, "O_CLOEXEC", 0)

try:
    from _json import encode_basestring_ascii as quote
except ImportError:  # pragma: no cover - not CPython
    import json

    quote = json.dumps


def ahead(step):
    """Called before the modules of a ``step`` are imported, or a module of that name. The hook's script puts its own,
    faster way to load them here."""


def arm(seconds=DEADLINE):
    """Raise SystemExit in ``seconds``, wherever the program is then; 0 calls that off."""
    try:
        import _signal

        _signal.signal(_signal.SIGALRM, _late)
        _signal.setitimer(_signal.ITIMER_REAL, seconds)
    except (ImportError, AttributeError, ValueError, OSError):
        # No such signal here, or not in the main thread: a clock of our own, which only a real process needs.
        if seconds and not hasattr(_os, "fork"):  # pragma: no cover - Windows
            import _thread

            _thread.start_new_thread(_leave_after, (seconds,))


def _late(signum, frame):
    raise SystemExit


def _leave_after(seconds):  # pragma: no cover - Windows
    import time

    time.sleep(seconds)
    _os._exit(0)


def read_all():
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


def payload_of(data):
    """The JSON object that ``data`` (bytes) is, as a dict; None for anything else. Byte order marks are dropped.

    Of a long prompt the middle, which is not looked at, may be left out."""
    while data[:3] == b"\xef\xbb\xbf":
        data = data[3:]
    return len(data) > 2 * (HEAD + TAIL) and _without_middle(data) or _object(data)


def _object(data):
    try:
        value = parse(data.decode("utf-8", "replace").strip())
    except (ValueError, LookupError, RecursionError, MemoryError):
        return None
    return value if type(value) is dict else None


def _without_middle(data):
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


def send(data):
    """Write ``data`` to stdout. False when the reader is gone or the disk is full."""
    try:
        while data:
            data = data[_os.write(1, data):]
    except OSError:
        return False
    return True


def leave(status=0):
    """End the process now. Nothing is buffered, and tearing the interpreter down takes longer than the hook."""
    _os._exit(status)


class Session:
    """Where one session's files are: ``folder`` (0700), ``path`` without suffix, ``mark`` to know them by."""

    __slots__ = ("folder", "path", "mark")

    def __init__(self, folder, session):
        raw = session.encode("utf-8", "surrogatepass")
        name = fingerprint(raw)
        self.folder = folder
        self.path = folder + "/" + name
        self.mark = "%d %s" % (len(raw), name)


def session_of(session, places):
    """The Session of an id (text), or None: no id, no home, or a home that leads into ``~/.claude``."""
    folder = user_folder(places, SESSIONS) if session else ""
    return Session(folder, session) if folder else None


def user_folder(places, name):
    """A folder of the user home with its links followed; '' when there is no home, or it leads into ``~/.claude``."""
    user = places.user
    if not user.startswith("/") and user[1:2] != ":":
        return ""
    try:
        return resolve(user + name, places.forbidden)
    except Exception:  # Forbidden, or a link loop: then there is no such folder for us.
        return ""


def create(session, suffix, data):
    """Make a new file of the session. True; False when it is there already; None when it cannot be made."""
    for _ in range(2):
        try:
            fd = _os.open(session.path + suffix, NEW, 0o600)
        except FileExistsError:
            return False
        except FileNotFoundError:
            if not make_folder(session.folder):
                return None
            continue
        except (OSError, ValueError):
            return None
        try:
            if data:
                _os.write(fd, data)
            return True
        except OSError:
            return None
        finally:
            _os.close(fd)
    return None


def make_folder(folder, above=2):
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


def append(session, suffix, data):
    """Add to a file of the session in one write. False when it is not there or is no plain file."""
    try:
        fd = _os.open(session.path + suffix, _os.O_WRONLY | _os.O_APPEND | CAREFUL)
    except (OSError, ValueError):
        return False
    try:
        return _os.write(fd, data) == len(data)
    except OSError:
        return False
    finally:
        _os.close(fd)


def replace(session, suffix, data):
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


def load(session, suffix, most):
    """The first ``most`` + 1 bytes of a file of the session; None when there is none, b'' when it cannot be read."""
    try:
        fd = _os.open(session.path + suffix, _os.O_RDONLY | CAREFUL)
    except (OSError, ValueError):
        return None
    try:
        return _os.read(fd, most + 1)
    except OSError:
        return b""
    finally:
        _os.close(fd)


def remove(path):
    """Remove a file; harmless when it is gone."""
    try:
        _os.unlink(path)
    except OSError:
        pass


def modified(path):
    """mtime of ``path`` in ns. Raises OSError."""
    return _os.lstat(path).st_mtime_ns


def working_directory():
    """The process's folder, or '' when it is gone."""
    try:
        return _os.getcwd()
    except OSError:
        return ""
