"""What ``status`` reports: facts as plain values, gathered without changing anything."""

from __future__ import annotations

import os
import re
import stat
import time
from typing import Any, Dict

from abcd_index import fs
from abcd_index.artefact.format import CURRENT, SUFFIX
from abcd_index.artefact.provenance import open_ours
from abcd_index.artefact.reader import Artefact, current_key
from abcd_index.build.tracked import wanted
from abcd_index.errors import AbcdError, ArtefactError, ArtefactMissing, ArtefactUnknown, FormatTooNew
from abcd_index.git import run
from abcd_index.git.run import Worktree
from abcd_index.githooks import files as hooks
from abcd_index.githooks import tracked
from abcd_index.install.agents import is_read, registered
from abcd_index.install.entries import Agent, made_payload, python_of
from abcd_index.install.entries import agent as agent_named
from abcd_index.install.git import answer, kept_folder, target
from abcd_index.install.project import Project
from abcd_index.scopes import USER, Places, Scope, allowed_by
from abcd_index.selector import FINDERS

# What ``status --json`` prints of one thing.
Facts = Dict[str, Any]

FILL_SUFFIX = ".fill"
_PYTHON = re.compile(rb"^abcd_python='(.*)'$", re.M)


def scopes(cwd: str, places: Places) -> list[Facts]:
    """One dict per scope: where it is, its key, how its artefact stands, sizes; of a refused one why, and a hint."""
    found: list[Facts] = []
    for name, find in FINDERS.items():
        try:
            scope = find(cwd, places)
        except (AbcdError, OSError) as error:
            found.append({"scope": name, "state": "refused", "error": str(error), "hint": getattr(error, "hint", "")})
            continue
        if scope is not None:
            found.append({**scope_facts(scope), "allowed_by": _exception(scope, places)})
    return found


def scope_facts(scope: Scope) -> Facts:
    """What is known of a scope. ``state`` of its artefact: current, stale, foreign (this machine does not answer for
    it, so the prompt hook does not use it), missing, dangling (``current`` names none), newer, torn or unknown;
    ``error`` says more."""
    facts: Facts = {
        "scope": scope.name,
        "store": scope.store,
        "index": scope.index,
        "key": None,
        "pages": 0,
        "size": 0,
        "origin": None,
        "tracked": wanted(scope),
    }
    try:
        _add_artefact(scope, facts)
        facts["state"] = "current" if expected_key(scope) == facts["key"] else "stale"
        facts["origin"] = "made or checked here"
    except ArtefactUnknown:
        facts.update(_of_unknown(scope))
    except ArtefactMissing:
        facts.update(_why_missing(scope))
    except FormatTooNew as error:
        facts.update(state="newer", error=str(error))
    except ArtefactError as error:
        facts.update(state="torn", error=str(error))
    except AbcdError as error:
        facts.update(state="unknown", error=str(error))
    return facts


def _of_unknown(scope: Scope) -> Facts:
    """The part of the facts on an artefact that this machine does not answer for: nothing of its content counts."""
    facts: Facts = {"state": "foreign", "origin": "came from elsewhere"}
    path = os.path.join(scope.index, current_key(scope.index) + SUFFIX)
    try:
        facts["size"] = os.lstat(path).st_size
        Artefact.open(path).close()
    except FormatTooNew as error:
        facts.update(state="newer", error=str(error))
    except (ArtefactError, OSError) as error:
        facts.update(state="torn", error=str(error))
    return facts


def _add_artefact(scope: Scope, facts: Facts) -> None:
    artefact = open_ours(scope)
    try:
        facts["key"] = artefact.header.get("key")
        facts["pages"] = artefact.pages
        facts["size"] = os.path.getsize(artefact.path)
    finally:
        artefact.close()


def expected_key(scope: Scope) -> str:
    """The key that a build would give the artefact now; unchanged files are known by their times."""
    from abcd_index.build.scan import observe

    observed = observe(scope)
    settings, _ = observed.settings()
    return observed.key(settings)


def _why_missing(scope: Scope) -> Facts:
    """The part of the facts that tells no artefact from a ``current`` without the one that it names."""
    try:
        key = current_key(scope.index)
    except ArtefactMissing as error:
        if not os.path.lexists(os.path.join(scope.index, CURRENT)):
            return {"state": "missing"}
        return {"state": "dangling", "error": str(error)}
    return {"state": "dangling", "error": f"`current` names {key[:12]}, which is not there or is no file"}


def _exception(scope: Scope, places: Places) -> str | None:
    """The entry of the user's ``stores`` that lets the scope lie outside its root; None when it lies inside."""
    base = places.real_user() if scope.name == USER else scope.root
    outside = [path for path in (scope.home, scope.store) if not (path + "/").startswith(base + "/")]
    return allowed_by(outside[0], places.real_user()) if outside else None


def home(places: Places) -> Facts:
    """The user's own folder: ``path``, whether it can be ``used`` (else the hook is silent: no artefact is ours),
    ``open`` whether its mode lets others in, ``files`` in it whose mode lets others read or write them."""
    path = places.real_user()
    if not path:
        return {"path": places.user, "used": False, "open": False, "files": 0}
    there = path
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    used = os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)
    facts: Facts = {"path": path, "used": used, "open": False, "files": 0}
    if os.name == "nt" or there != path:  # pragma: no cover - Windows has no such modes
        return facts
    facts["open"] = bool(os.lstat(path).st_mode & 0o077)
    for folder, _, names in os.walk(path):
        facts["files"] += sum(map(_others, [os.path.join(folder, name) for name in names]))
    return facts


def _others(path: str) -> bool:
    """Whether the mode of a regular file lets others read or write it."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) and bool(mode & 0o066)


def git(project: Project, check: bool) -> Facts:
    """What is installed in git, where, and whether it can run."""
    where = project.place
    if where is None:
        return {"repository": None, "why": project.trouble}
    folder, refused = target(where)
    facts: Facts = {
        "repository": where.top,
        "linked": where.linked,
        "hooks_folder": folder,
        "not_ours": refused,
        "hooks_path": [dict(zip(("scope", "origin", "value"), entry)) for entry in run.hooks_path_settings(where)],
        "hooks": [],
        "driver": run.setting(where, tracked.DRIVER),
    }
    tracking = project.scope is not None and wanted(project.scope)
    for name in hooks.HOOKS + (hooks.TRACKED_HOOKS if tracking else ()):
        facts["hooks"].append(_hook(where, folder, name, check))
    return facts


def _hook(where: Worktree, folder: str, name: str, check: bool) -> Facts:
    file = hooks.HookFile(name, os.path.join(folder, name))
    state, path = file.state, file.path
    if os.path.basename(folder) == "_" and state in ("foreign", "absent"):
        below = hooks.HookFile(name, os.path.join(os.path.dirname(folder), name))
        state, path = ("calls", below.path) if below.state == "calls" else (state, path)
    facts: Facts = {
        "hook": name,
        "path": path,
        "state": state,
        "version": file.version,
        "runs": file.runs,
        "crlf": file.crlf,
        "python": _python(where, file),
        "kept": None,
    }
    kept = os.path.join(kept_folder(folder), name)
    if file.state == "kept" and os.path.lexists(kept):
        facts["kept"] = kept
    if run.tracked(where, path):
        facts["mode_in_git"] = run.mode_in_index(where, path)
    if check and file.ours:
        said = answer(where, name)
        facts["answers"] = said.startswith(f"abcd-index {name} ")
        python = facts["python"]
        facts["python_works"] = bool(python) and _imports(python)
    return facts


def _python(where: Worktree, file: hooks.HookFile) -> str | None:
    """The interpreter that a hook starts first."""
    data = file.data or b""
    if file.state in ("beside", "calls"):
        copy = hooks.HookFile(file.name, os.path.join(where.common_dir, hooks.FOLDER, file.name))
        data = copy.data or b""
    found = _PYTHON.search(data)
    return os.fsdecode(found.group(1)).replace("'\\''", "'") if found else None


def _imports(python: str) -> bool:
    return _run([python, "-E", "-c", "import abcd_index.githooks.run"], b"")[0] == 0


def agent(project: Project, places: Places, check: bool, keyword: str) -> list[Facts]:
    """Our entries in the project's settings files; with ``check`` each command is run as it stands."""
    found: list[Facts] = []
    for one in registered(project, places):
        name, path, commands, error = one
        if error is not None:
            found.append({"agent": name, "file": path, "error": str(error)})
        for event, command in commands.items():
            of = agent_named(name)
            entry: Facts = {"agent": name, "title": of.title, "file": path, "event": event, "command": command}
            entry["python"], entry["read_here"] = python_of(command), is_read(one, project)
            if check:
                entry.update(_try(of, event, command, (project.root, keyword)))
            found.append(entry)
    return found


def _try(of: Agent, event: str, command: str, asked: tuple[str, str]) -> Facts:
    """Run exactly the registered command, as the agent would. ``asked``: the project's folder, a keyword of it."""
    root, keyword = asked
    payload = made_payload(of, event, root, keyword or "abcd-index status")
    import json

    status, out, error, took = _run(["/bin/sh", "-c", command], json.dumps(payload).encode(), root)
    facts: Facts = {"status": status, "milliseconds": round(took * 1000), "said": out.decode("utf-8", "replace")[:200]}
    python = python_of(command)
    version = _run([python, "-I", "-S", "-c", "import sys; print(sys.version.split()[0])"], b"")[1] if python else b""
    facts["python_version"] = version.decode("ascii", "replace").strip() or None
    facts["answers"] = (
        status == 0
        and facts["python_version"] is not None
        and (of.events.get(event) != "prompt" or not keyword or b"<abcd-memory" in out)
    )
    if error:
        facts["stderr"] = error.decode("utf-8", "replace")[:200]
    return facts


def _run(argv: list[str], data: bytes, cwd: str | None = None) -> tuple[int, bytes, bytes, float]:
    """(status, stdout, stderr, seconds) of a process; status 127 when it cannot be started."""
    import subprocess

    begun = time.perf_counter()
    try:
        done = subprocess.run(argv, input=data, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30)
        status, out, error = done.returncode, done.stdout, done.stderr
    except (OSError, subprocess.TimeoutExpired) as problem:
        status, out, error = 127, b"", str(problem).encode()
    return status, out, error, time.perf_counter() - begun


def a_keyword(project: Project) -> str:
    """A keyword of the project's artefact, to try the prompt hook with; '' when there is none."""
    if project.scope is None:
        return ""
    try:
        artefact = open_ours(project.scope)
    except ArtefactError:
        return ""
    try:
        for page in range(min(artefact.pages, 50)):
            for spelling in artefact.record(page)["recall"].values():
                return str(spelling)
    except (ArtefactError, KeyError, AttributeError):
        pass
    finally:
        artefact.close()
    return ""


def fill(project: Project, places: Places, entries: list[Facts]) -> Facts:
    """Whether an agent tells how full its window is: ``registered`` here, ``heard`` seconds ago or None."""
    newest: float | None = None
    try:
        with os.scandir(os.path.join(places.user, ".index", "sessions")) as files:
            for file in files:
                if file.name.endswith(FILL_SUFFIX):
                    newest = max(newest or 0, file.stat(follow_symlinks=False).st_mtime)
    except OSError:
        pass
    return {
        "registered": any(entry.get("event") == "statusLine" for entry in entries),
        "heard": None if newest is None else max(0, round(time.time() - newest)),
    }


def interpreter(places: Places) -> Facts | None:
    """What the user's own folder says about the interpreter that builds: {path, exists} or None."""
    noted = os.path.join(places.user, ".index", "interpreter")
    try:
        path = os.fsdecode(fs.read(noted, 4096)).strip()
    except OSError:
        return None
    return {"path": path, "exists": os.access(path, os.X_OK)}
