"""Where a scope's store and index are, and the guard that keeps ``~/.claude`` out.

Prompt path: standard library only, and of that only the ``posix`` module (``os`` elsewhere). Nothing
below looks at a path before the guard has followed its links, one component at a time, and has seen
that none of them leads into ``~/.claude`` or ``$CLAUDE_CONFIG_DIR``. A clone keeps symbolic links, so what a
scope's links lead to is judged too: store and index lie inside the scope's own root, and only the user's own
``config.json`` (``stores``) names places elsewhere.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os as _os
    from collections.abc import Callable, Collection, Iterable, Mapping

    WINDOWS = False
else:
    try:
        import posix as _os

        WINDOWS = False
    except ImportError:  # pragma: no cover - Windows
        import os as _os

        WINDOWS = True

WORKSPACE = "workspace"
USER = "user"
DEFAULT_HOME = ".abcd.noindex"
MAX_LINKS = 40
MAX_DEPTH = 100
# Below the user's folder: which artefacts this machine made or checked, a file for each index.
PROVENANCE = "/.index/provenance/"
# Two Mersenne primes: residues of a text, stirred. No hash module is loaded for that.
_P, _STIR_P = (1 << 61) - 1, 0x1C7D2E9F4B3A6851
_Q, _STIR_Q = (1 << 89) - 1, 0x19E3779B97F4A7C15F39CC1

# Set by the programs that build and show (not by the prompt hook, which lists no folder): also keep out of
# the place that ~/.claude leads to where it is itself a link. What is never built is never injected.
follow_forbidden = False


class Scope:
    """One store and its index.

    ``name``: ``workspace`` or ``user``. ``root``: the workspace root (the home itself for the user
    scope). ``home``: the folder that holds ``memory/``, ``rules.json`` and ``config.json``.
    ``store`` and ``index``: absolute, links followed. ``shown``: what a reader sees before a file name.
    ``provenance``: the file in the user's folder that lists the artefacts of this index that this machine made or
    checked, '' where there is no such folder (``artefact/provenance.py``).
    """

    __slots__ = ("name", "root", "home", "store", "index", "shown", "provenance")

    def __init__(
        self, name: str, root: str, home: str, store: str, index: str, shown: str, provenance: str = ""
    ) -> None:
        self.name = name
        self.root = root
        self.home = home
        self.store = store
        self.index = index
        self.shown = shown
        self.provenance = provenance

    def display(self, file: str) -> str:
        """``file`` relative to the scope's home (``memory/x.md``, ``rules.json``) as people see it."""
        base = self.shown[: -len("memory/")]
        return base + file

    def __repr__(self) -> str:
        return f"Scope({self.name}, {self.home})"


class Places:
    """What the environment says: ``home`` (``$HOME`` or ''), ``user`` (``$ABCD_HOME``), ``temp`` roots.
    ``get(name)``: any other variable as text, '' when it is not set."""

    __slots__ = ("home", "user", "temp", "forbidden", "get", "_real_user")

    def __init__(self, environ: "Mapping[str, str] | None" = None) -> None:
        self.get = get = _getter(environ)
        home = _clean(get("HOME") or (get("USERPROFILE") if WINDOWS else ""))
        self.home = home
        self.user = _clean(get("ABCD_HOME")) or (_join(home, DEFAULT_HOME) if home else "")
        self.temp = {_clean(t) for t in ("/tmp", "/var/tmp", "/private/tmp", get("TMPDIR"), get("TEMP")) if t}
        named = [_clean(get("CLAUDE_CONFIG_DIR")), _join(home, ".claude") if home else ""]
        self.forbidden = _forbidden([p for p in named if p])
        self._real_user: str | None = None

    def real_user(self) -> str:
        """``user`` with its links followed; '' when there is none, or it leads into ``~/.claude``."""
        if self._real_user is None:
            try:
                self._real_user = resolve(self.user, self.forbidden) if _absolute(self.user) else ""
            except Exception:  # Forbidden, or a link loop: then there is no such folder for us.
                self._real_user = ""
        return self._real_user


def find_scopes(cwd: object, places: Places) -> "list[Scope]":
    """The scopes of a session in ``cwd`` that hold a store or rules, narrow to wide.

    A scope that the guard refuses is left out: the prompt path ignores it. ``cwd`` may be anything;
    missing, relative or not a folder means the user scope only.
    """
    scopes = []
    for find in (workspace_scope, user_scope):
        try:
            scope = find(cwd, places)
        except Exception:  # Forbidden, a link loop, a name that no file can have.
            continue
        if scope is not None:
            scopes.append(scope)
    return scopes


def workspace_scope(cwd: object, places: Places) -> "Scope | None":
    """The workspace scope seen from ``cwd``, or None.

    Raises Forbidden when its folder leads into ``~/.claude``, Outside when it leads out of the workspace.
    """
    if not isinstance(cwd, str) or "\0" in cwd or not _absolute(cwd):
        return None
    at = resolve(cwd, places.forbidden)
    if not _is_dir(at):
        return None
    barred = {p for p in places.temp if p} | {places.home, "/", ""}
    for _ in range(MAX_DEPTH):
        if at not in barred and _holds_store(at, places):
            return _workspace(at, places)
        elsewhere = _repository_above(at)
        if elsewhere is not None:
            # A linked worktree without an .abcd of its own uses the main checkout's.
            elsewhere = elsewhere and resolve(elsewhere, places.forbidden)
            if elsewhere and elsewhere not in barred and _holds_store(elsewhere, places):
                return _workspace(elsewhere, places)
            return None
        up = _parent(at)
        if up == at or at == places.home:
            return None
        at = up
    return None


def workspace_at(root: str, places: Places) -> Scope:
    """The scope of a folder that a person named, whether or not it holds a store yet."""
    return _workspace(resolve(root, places.forbidden), places)


def user_scope(cwd: object, places: Places) -> "Scope | None":
    """The user scope, or None when its store does not exist. ``cwd`` is not looked at."""
    if not places.user or not _absolute(places.user):
        return None
    scope = user_at(places)
    return scope if _is_dir(scope.store) else None


def user_at(places: Places) -> Scope:
    """The user scope, whether or not it holds a store yet. ``places.user`` is absolute."""
    return _scope(USER, places.user, resolve(places.user, places.forbidden), _shown(places), places)


def _workspace(root: str, places: Places) -> Scope:
    return _scope(WORKSPACE, root, _inside(root, root, ".abcd", places), ".abcd/memory/", places)


def _scope(name: str, root: str, home: str, shown: str, places: Places) -> Scope:
    """``home``: with its links followed."""
    base = home if name == USER else root
    index = within(home, ".index", places)
    if index != _join(home, ".index"):
        # The index is ours alone: there is no reason for a link, and what is deleted there must be what we made.
        raise _outside(_join(home, ".index"), index, "remove that link; the index is built anew")
    return Scope(name, root, home, _inside(base, home, "memory", places), index, shown, provenance(index, places))


def provenance(index: str, places: Places) -> str:
    """The file in the user's folder that is about the index folder ``index``, '' where there is no such folder."""
    user = places.real_user()
    return user + PROVENANCE + fingerprint(index.encode("utf-8", "surrogateescape")) if user else ""


def _inside(root: str, folder: str, name: str, places: Places) -> str:
    """``name`` in ``folder`` with its links followed. Raises Outside when they lead out of ``root``, into a git folder
    or, from a workspace, into the user's own folder; places that the user's ``config.json`` names are allowed."""
    here = _join(folder, name)
    real = within(folder, name, places)
    if real == here and folder.startswith(root):
        return real
    user = places.real_user()
    private = user and root != user and (real + "/").startswith(user + "/")
    if not private and (
        (real + "/").startswith(root + "/")
        and ".git" not in real[len(root) :].casefold().split("/")
        or allowed_by(real, user)
    ):
        return real
    raise _outside(
        here,
        real,
        ""
        if private
        else 'keep it inside; or, if it is yours, add its folder to "stores" in %s/config.json' % places.user,
    )


def allowed_by(real: str, user: str) -> str:
    """The entry of ``stores`` in the user's own settings that lets a store or its home be at ``real``, or ''."""
    from abcd_index.artefact.reader import parse

    try:
        stores = parse(_small_file(_join(user, "config.json"), 1 << 16))["stores"]
        named = [store for store in stores if _absolute(store) and (real + "/").startswith(_clean(store) + "/")]
        return named[0] if named else ""
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""


def _outside(path: str, real: str, hint: str = "") -> Exception:
    from abcd_index.errors import Outside

    return Outside(f"{path} leads to {real}, which is not inside the place that it belongs to", hint)


def fingerprint(data: bytes) -> str:
    """39 hex digits that tell two texts (bytes) apart. No secret: what must not be guessed is keyed elsewhere."""
    number = int.from_bytes(b"\1" + data, "big")
    return "%016x%023x" % (number % _P * _STIR_P % _P, number % _Q * _STIR_Q % _Q)


def _shown(places: Places) -> str:
    home, user = places.home, places.user
    if home and user.startswith(home + "/"):
        user = "~" + user[len(home) :]
    return user + "/memory/"


def _holds_store(folder: str, places: Places) -> bool:
    """Whether ``folder`` (links followed) has an ``.abcd`` with pages or rules. lstat first: a link there is not
    yet judged."""
    try:
        _os.lstat(_join(folder, ".abcd"))
    except (OSError, ValueError):
        return False
    home = _inside(folder, folder, ".abcd", places)
    return _is_dir(_inside(folder, home, "memory", places)) or _is_file(_inside(folder, home, "rules.json", places))


def repository(folder: str) -> "tuple[str, str, str] | None":
    """(top, git folder, common git folder) of the repository around ``folder`` (absolute), or None; git is not asked.

    The git folder is a linked worktree's own, the common one what all its worktrees share; else the two are equal.
    """
    top = _clean(folder)
    while (git := _git_folder(top)) is None:
        up = _parent(top)
        if up == top:
            return None
        top = up
    if not git:
        return None
    common = _small_file(_join(git, "commondir")).strip()
    return top, git, _normal(common if _absolute(common) else _join(git, common)) if common else git


def _git_folder(folder: str) -> "str | None":
    """The git folder of the repository whose top is ``folder``. None: it is no top. '': its ``.git`` names none."""
    git = _join(folder, ".git")
    try:
        # A link there is not yet judged: it is not followed to tell what it is.
        if _os.lstat(git).st_mode & 0o170000 != 0o100000:
            return git
    except (OSError, ValueError):
        return None
    text = _small_file(git)
    if not text.startswith("gitdir:"):
        return ""
    target = text[7:].rstrip("\r\n").lstrip(" ")
    if WINDOWS:  # pragma: no cover - Windows
        target = target.replace("\\", "/")
    return _normal(target if _absolute(target) else _join(folder, target))


def _repository_above(folder: str) -> "str | None":
    """None: no repository top here. '': a top, stop. A path: look there instead, then stop.

    ``.git`` is a file in a linked worktree (its main checkout is named in it) and in a submodule
    (the superproject is one of the folders above, so the walk goes on).
    """
    git = _git_folder(folder)
    if git is None or git == _join(folder, ".git"):
        return None if git is None else ""
    if "/.git/worktrees/" in git:
        return git[: git.index("/.git/worktrees/")]
    return None if "/modules/" in git else ""


def _small_file(path: str, most: int = 4096) -> str:
    try:
        fd = _os.open(path, _os.O_RDONLY | getattr(_os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return ""
    try:
        return _os.read(fd, most).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    finally:
        _os.close(fd)


def guard(path: str, places: Places) -> str:
    """``path`` with every link followed. Raises Forbidden when it leads into ``~/.claude``."""
    return resolve(path, places.forbidden)


def resolve(path: str, forbidden: "Collection[str]" = ()) -> str:
    """``path`` absolute, without links, ``.`` or ``..``; what does not exist is kept as written.

    A component is compared with the forbidden folders before it is looked at, so that nothing in
    them is ever touched. Raises Forbidden, or OSError on a link loop.
    """
    if WINDOWS:  # pragma: no cover - Windows
        real = _os.path.realpath(path).replace("\\", "/")
        _refuse(real, path, forbidden)
        return real
    todo = path.split("/")
    todo.reverse()
    done = ""
    links = 0
    while todo:
        part = todo.pop()
        if not part or part == ".":
            continue
        if part == "..":
            done = done.rpartition("/")[0]
            continue
        here = done + "/" + part
        _refuse(here, path, forbidden)
        try:
            target = _os.readlink(here)
        except (OSError, ValueError):
            done = here
            continue
        links += 1
        if links > MAX_LINKS:
            raise OSError(f"too many links: {path}")
        if target.startswith("/"):
            done = ""
        rest = target.split("/")
        rest.reverse()
        todo.extend(rest)
    return done or "/"


def within(folder: str, name: str, places: Places) -> str:
    """As ``resolve`` for what a folder holds whose own links were followed already: one look instead of one for each
    folder above. Raises as ``resolve`` does."""
    here = _join(folder, name)
    if not WINDOWS:
        _refuse(here, here, places.forbidden)
        try:
            _os.readlink(here)
        except (OSError, ValueError):
            return here
    return resolve(here, places.forbidden)


def _refuse(here: str, path: str, forbidden: "Collection[str]") -> None:
    # Folded: on macOS and Windows ~/.Claude is the same folder, and elsewhere nobody misses it.
    if forbidden and here.casefold() in forbidden:
        from abcd_index.errors import Forbidden

        raise Forbidden(f"{path} leads into {here}, which abcd-index never opens")


def _forbidden(named: "Iterable[str]") -> "set[str]":
    """The folders that are off limits: as named, and with the links of their parents followed."""
    found = set()
    for path in named:
        if not _absolute(path):
            # As the agent reads it: from the folder that it was started in.
            path = _join(_clean(_os.getcwd()), path)
        # `.` and `..` are read both ways: by their letters, as agents do, and through links, as the system does.
        plain = _normal(path)
        for each in {plain, path if _join(path, "").find("/../") >= 0 else plain}:
            found.update(_as_named(each))
    return found


def _as_named(path: str) -> "set[str]":
    """``path`` folded: as it is, and with the links of its parents followed."""
    found = {path.casefold()}
    try:
        if path.endswith("/.."):
            return {resolve(path).casefold()}
        parent = _parent(path)
        name = path[len(parent) :].strip("/")
        real = resolve(parent)
    except OSError:
        return found
    found.add(_join(real, name).casefold())
    if follow_forbidden:
        found.update(_led_to(real, name))
    return found


def _led_to(folder: str, name: str) -> "set[str]":
    """Where the forbidden folder itself leads, when it is a link: its target is off limits too.

    The folder around it is listed and the link read; neither looks at anything in it.
    """
    try:
        with _os.scandir(folder) as entries:
            linked = any([entry.name == name and entry.is_symlink() for entry in entries])
        return {resolve(_join(folder, name)).casefold()} if linked else set()
    except OSError:
        return set()


def _getter(environ: "Mapping[str, str] | None") -> "Callable[[str], str]":
    if environ is not None:
        return lambda name: environ.get(name) or ""
    if WINDOWS:  # pragma: no cover - Windows
        return lambda name: _os.environ.get(name) or ""
    raw: Mapping[bytes, bytes] = _os.environ  # type: ignore[assignment]  # posix keeps bytes.
    return lambda name: raw.get(name.encode(), b"").decode("utf-8", "surrogateescape")


def _clean(path: str) -> str:
    if not path:
        return ""
    if WINDOWS:  # pragma: no cover - Windows
        path = path.replace("\\", "/")
    return path.rstrip("/") or "/"


def _absolute(path: str) -> bool:
    return path.startswith("/") or (WINDOWS and len(path) > 2 and path[1] == ":")


def _join(folder: str, name: str) -> str:
    return folder + name if folder.endswith("/") else folder + "/" + name


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def _normal(path: str) -> str:
    done: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if done:
                done.pop()
        elif part and part != ".":
            done.append(part)
    return ("" if WINDOWS else "/") + "/".join(done)


def _is_dir(path: str) -> bool:
    try:
        return _os.stat(path).st_mode & 0o170000 == 0o040000
    except (OSError, ValueError):
        return False


def _is_file(path: str) -> bool:
    try:
        return _os.stat(path).st_mode & 0o170000 == 0o100000
    except (OSError, ValueError):
        return False
