"""What ``status`` reports: facts as plain values, gathered without changing anything."""

import os
import re
import shlex
import time

from abcd_index.artefact.format import SUFFIX, TIMES_SUFFIX, TRACKED
from abcd_index.artefact.reader import Artefact, current_key
from abcd_index.commands.install_git import kept_folder, target
from abcd_index.commands.install_settings import registered
from abcd_index.errors import AbcdError, ArtefactError, ArtefactMissing, FormatTooNew
from abcd_index.git import ask, hooks, tracked
from abcd_index.scopes import USER, WORKSPACE, user_scope, workspace_scope

FILL_SUFFIX = ".fill"
_PYTHON = re.compile(rb"^abcd_python='(.*)'$", re.M)


def scopes(cwd, places):
    """One dict per scope: where it is, its key, how its artefact stands, sizes."""
    found = []
    for name, find in ((WORKSPACE, workspace_scope), (USER, user_scope)):
        try:
            scope = find(cwd, places)
        except AbcdError as error:
            found.append({"scope": name, "state": "refused", "error": str(error)})
            continue
        if scope is not None:
            found.append(scope_facts(scope))
    return found


def scope_facts(scope):
    """What is known of a scope. ``state`` of its artefact: current, stale, missing, newer, torn or unknown."""
    facts = {"scope": scope.name, "store": scope.store, "index": scope.index, "key": None, "pages": 0, "size": 0,
             "origin": None, "tracked": tracked.wanted(scope)}
    try:
        name = current_key(scope.index)
        _add_artefact(os.path.join(scope.index, name + SUFFIX), facts)
        facts["state"] = "current" if expected_key(scope) == facts["key"] else "stale"
        facts["origin"] = _origin(scope, name)
    except ArtefactMissing:
        facts["state"] = "missing"
    except FormatTooNew as error:
        facts.update(state="newer", error=str(error))
    except ArtefactError as error:
        facts.update(state="torn", error=str(error))
    except AbcdError as error:
        facts.update(state="unknown", error=str(error))
    return facts


def _add_artefact(path, facts):
    artefact = Artefact.open(path)
    try:
        facts["key"] = artefact.header.get("key")
        facts["pages"] = artefact.pages
        facts["size"] = os.path.getsize(artefact.path)
    finally:
        artefact.close()


def expected_key(scope):
    """The key that a build would give the artefact now; unchanged files are known by their times."""
    from abcd_index.build.files import observe
    from abcd_index.build.key import key_of
    from abcd_index.build.run import settings_of
    from abcd_index.settings import written_settings

    observed = observe(scope)
    settings, _ = settings_of(observed)
    return key_of(written_settings(settings), observed.hashes())


def _origin(scope, name):
    if name == TRACKED:
        return "came with the repository, never built here"
    return "built here" if os.path.exists(os.path.join(scope.index, name + TIMES_SUFFIX)) else "not built here"


def git(project, check):
    """What is installed in git, where, and whether it can run."""
    where = project.place
    if where is None:
        return {"repository": None, "why": project.trouble}
    folder, refused = target(where)
    facts = {
        "repository": where.top, "linked": where.linked, "hooks_folder": folder, "not_ours": refused,
        "hooks_path": [dict(zip(("scope", "origin", "value"), entry)) for entry in ask.hooks_path_settings(where)],
        "hooks": [], "driver": ask.setting(where, tracked.DRIVER),
    }
    tracking = project.scope is not None and tracked.wanted(project.scope)
    for name in hooks.HOOKS + (hooks.TRACKED_HOOKS if tracking else ()):
        facts["hooks"].append(_hook(where, folder, name, check))
    return facts


def _hook(where, folder, name, check):
    file = hooks.HookFile(name, os.path.join(folder, name))
    state, path = file.state, file.path
    if os.path.basename(folder) == "_" and state in ("foreign", "absent"):
        below = hooks.HookFile(name, os.path.join(os.path.dirname(folder), name))
        state, path = ("calls", below.path) if below.state == "calls" else (state, path)
    facts = {"hook": name, "path": path, "state": state, "version": file.version, "runs": file.runs, "crlf": file.crlf,
             "python": _python(where, file), "kept": None}
    kept = os.path.join(kept_folder(folder), name)
    if file.state == "kept" and os.path.lexists(kept):
        facts["kept"] = kept
    if ask.tracked(where, path):
        facts["mode_in_git"] = ask.mode_in_index(where, path)
    if check and file.ours:
        from abcd_index.commands.install_git import answer

        said = answer(where, name)
        facts["answers"] = said.startswith(f"abcd-index {name} ")
        facts["python_works"] = bool(facts["python"]) and _imports(facts["python"])
    return facts


def _python(where, file):
    """The interpreter that a hook starts first."""
    data = file.data or b""
    if file.state in ("beside", "calls"):
        copy = hooks.HookFile(file.name, os.path.join(where.common_dir, hooks.FOLDER, file.name))
        data = copy.data or b""
    found = _PYTHON.search(data)
    return os.fsdecode(found.group(1)).replace("'\\''", "'") if found else None


def _imports(python):
    return _run([python, "-E", "-c", "import abcd_index.git_hook"], b"")[0] == 0


def agent(project, places, check, keyword):
    """Our entries in the project's settings files; with ``check`` each command is run as it stands."""
    found = []
    for path, commands in registered(project, places):
        if isinstance(commands, Exception):
            found.append({"file": path, "error": str(commands)})
            continue
        for event, command in commands.items():
            entry = {"file": path, "event": event, "command": command, "python": _python_of(command)}
            if check:
                entry.update(_try(event, command, project.root, keyword))
            found.append(entry)
    return found


def _python_of(command):
    """The interpreter in one of our commands."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return None
    return words[words.index("-x") + 1] if "-x" in words[:-1] else None


def _try(event, command, root, keyword):
    """Run exactly the registered command, as the agent would. No session is named, so none is changed."""
    payload = {"cwd": root, "hook_event_name": event}
    if event == "UserPromptSubmit":
        payload["prompt"] = keyword or "abcd-index status"
    import json

    status, out, error, took = _run(["/bin/sh", "-c", command], json.dumps(payload).encode(), root)
    facts = {"status": status, "milliseconds": round(took * 1000), "said": out.decode("utf-8", "replace")[:200]}
    python = _python_of(command)
    version = _run([python, "-I", "-S", "-c", "import sys; print(sys.version.split()[0])"], b"")[1] if python else b""
    facts["python_version"] = version.decode("ascii", "replace").strip() or None
    facts["answers"] = status == 0 and facts["python_version"] is not None and _fits(event, out, keyword)
    if error:
        facts["stderr"] = error.decode("utf-8", "replace")[:200]
    return facts


def _fits(event, out, keyword):
    if event != "UserPromptSubmit" or not keyword:
        return True
    return b'"additionalContext"' in out


def _run(argv, data, cwd=None):
    """(status, stdout, stderr, seconds) of a process; status 127 when it cannot be started."""
    import subprocess

    begun = time.perf_counter()
    try:
        done = subprocess.run(argv, input=data, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30)
        status, out, error = done.returncode, done.stdout, done.stderr
    except (OSError, subprocess.TimeoutExpired) as problem:
        status, out, error = 127, b"", str(problem).encode()
    return status, out, error, time.perf_counter() - begun


def a_keyword(project):
    """A keyword of the project's artefact, to try the prompt hook with; '' when there is none."""
    if project.scope is None:
        return ""
    try:
        artefact = Artefact.open(os.path.join(project.scope.index, current_key(project.scope.index) + SUFFIX))
    except ArtefactError:
        return ""
    try:
        for page in range(min(artefact.pages, 50)):
            for spelling in artefact.record(page)["recall"].values():
                return spelling
    except (ArtefactError, KeyError, AttributeError):
        pass
    finally:
        artefact.close()
    return ""


def fill(project, places, entries):
    """Whether an agent tells how full its window is: ``registered`` here, ``heard`` seconds ago or None."""
    newest = None
    try:
        with os.scandir(os.path.join(places.user, ".index", "sessions")) as files:
            for file in files:
                if file.name.endswith(FILL_SUFFIX):
                    newest = max(newest or 0, file.stat().st_mtime)
    except OSError:
        pass
    return {"registered": any(entry.get("event") == "statusLine" for entry in entries),
            "heard": None if newest is None else max(0, round(time.time() - newest))}


def interpreter(places):
    """What the user's own folder says about the interpreter that builds: {path, exists} or None."""
    noted = os.path.join(places.user, ".index", "interpreter")
    try:
        with open(noted, encoding="utf-8", errors="surrogateescape") as file:
            path = file.read().strip()
    except OSError:
        return None
    return {"path": path, "exists": os.access(path, os.X_OK)}


