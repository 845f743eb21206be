"""The agents' half of ``install`` and ``uninstall``: which file an agent's entries go into, and what changes it.

What a file was like before the first edit is kept beside the hooks, so that uninstalling gives back the
very bytes (or no file) as long as nobody else has edited it since; after that only our entries go.
"""

from __future__ import annotations

import os
import stat
from functools import partial
from typing import Dict, List, NamedTuple, Tuple

from abcd_index import fs
from abcd_index.errors import AbcdError
from abcd_index.git import run as git
from abcd_index.install import entries
from abcd_index.install.entries import Agent
from abcd_index.install.project import Plan, Project, Receipt, Saved, digest, packed, unpacked
from abcd_index.scopes import Places, guard

CLAUDE = "claude"
HOME = "~/"


class Target(NamedTuple):
    """A file of an agent: its ``path``, and the ``events`` that are told in it (of scripts, each has its own)."""

    of: Agent
    path: str
    events: Tuple[str, ...]


class Registered(NamedTuple):
    """What a file says of ours: {event: command}, or the error that kept it from being read."""

    agent: str
    path: str
    commands: Dict[str, str]
    error: Exception | None


def targets(name: str, project: Project, places: Places, file: str = "") -> List[Target]:
    """The files that an agent's entries may be in, or the one that is written as ``file`` in its row."""
    of = entries.agent(name)
    found = []
    for written in [file] if file else filter(None, (of.file, of.local)):
        at_home = written.startswith(HOME)
        base = os.path.join(places.home, written[len(HOME) :]) if at_home else os.path.join(project.root, written)
        for events in [(event,) for event in of.events] if of.form == "script" else [tuple(of.events)]:
            found.append(Target(of, base.replace("EVENT", events[0]), events))
    return found


def plan_agent(name: str, project: Project, plan: Plan, places: Places, asked: Tuple[bool, bool]) -> None:
    """Add the steps that register an agent's hooks. ``asked``: the file that is not shared, a status line."""
    of = entries.agent(name)
    local, status_line = asked
    if local and not of.local:
        plan.leave(f"--local: {of.title} has no such file", f"without --local it is {of.file}")
        return
    file = _claude_file(project, places, local, plan) if name == CLAUDE else of.file
    for target in targets(name, project, places, file):
        try:
            real = _allowed(target, project, places)
            before = _read(real)
            commands = {event: said for event, said in entries.commands(of).items() if event in target.events}
            after = entries.add(before or "", of, commands, entries.status_line() if status_line else None)
        except (AbcdError, OSError, UnicodeDecodeError) as error:
            plan.leave(f"{target.path}: {error}", getattr(error, "hint", ""))
            continue
        if after != before:
            what, mode = "write" if before is None else "add to", 0o755 if of.form == "script" else None
            plan.step(what, real, partial(_register, project, of, real, (before, after, mode)))
    if status_line and not of.status_line:
        plan.leave(f"status line: {of.title} has none in {file}", "docs/how-to/agents.md says what it has")
    if of.then and plan.steps:
        plan.notes.append(of.then)


def _claude_file(project: Project, places: Places, local: bool, plan: Plan) -> str:
    """Where Claude Code will look. It reads the shared file where it is started and nowhere above; the local one, from
    some version between 2.1.197 and 2.1.332 on, for the whole repository, linked worktrees included."""
    of = entries.agent(CLAUDE)
    if local:
        return of.local
    for target in targets(CLAUDE, project, places):
        if _found(target, places).commands:
            return os.path.relpath(target.path, project.root)
    where = project.place
    if where is None or where.linked or os.path.realpath(where.top) != project.root:
        return of.file
    elsewhere = (
        "worktrees" if len(git.worktrees(where)) > 1 else "sub-directories" if project.start != project.root else ""
    )
    if not elsewhere:
        plan.notes.append(
            f"Claude Code reads {of.file} when it is started in this folder; `abcd-index install --local`"
            " or the plugin serves its sub-directories and worktrees too"
        )
        return of.file
    plan.notes.append(
        f"{of.local} rather than {of.file}: Claude Code (2.1.332; not 2.1.197) reads it in {elsewhere} too"
    )
    return of.local


def away_with_agents(names: List[str], project: Project, plan: Plan, places: Places) -> None:
    """Add the steps that take agents' entries away, from every file an installation may have used. ``names``: none for
    all whose files are in the project."""
    for name in names or entries.agents():
        # The file that a folder was made for goes last.
        for target in reversed(targets(name, project, places)):
            if target.path.startswith(places.home + "/") and entries.agent(name).file.startswith(HOME) and not names:
                if _found(target, places).commands:
                    plan.notes.append(
                        f"{target.path} serves all projects: `abcd-index uninstall --agent {name}` takes it away"
                    )
                continue
            try:
                _away(target, project, plan, places)
            except (AbcdError, OSError, UnicodeDecodeError) as error:
                plan.leave(f"{target.path}: {error}", getattr(error, "hint", ""))


def _away(target: Target, project: Project, plan: Plan, places: Places) -> None:
    real = guard(target.path, places)
    now = _read(real)
    saved = Receipt(project).settings(real)
    if now is None:
        if saved is not None and saved["folder"]:
            plan.step("remove", real, partial(_remove, project, real))  # Cut short before.
        return
    if not (saved or entries.MARK in now or entries.PLUGIN_MARK in now):
        return
    after = _restored(target.of, project, real, now)
    if after is None:
        plan.step("remove", real, partial(_remove, project, real))
    elif after != now:
        plan.step("clean", real, partial(_clean, project, real, after))


def registered(project: Project, places: Places) -> List[Registered]:
    """Our entries in the files of all agents; in a linked worktree also in the main checkout's that serves it."""
    found = [target for name in entries.agents() for target in targets(name, project, places)]
    if project.place is not None and project.place.linked:
        main = project._replace(root=git.worktrees(project.place)[0])
        found += targets(CLAUDE, main, places, entries.agent(CLAUDE).local)
    read = [_found(target, places) for target in found]
    return [one for one in read if one.commands or one.error]


def is_read(one: Registered, project: Project) -> bool:
    """Whether the agent reads that file when it is started where the project was found from."""
    of = entries.agent(one.agent)
    anywhere = of.file.startswith(HOME) or of.looks_up or of.local and one.path.endswith(of.local)
    return bool(anywhere) or project.start == project.root


def _found(target: Target, places: Places) -> Registered:
    try:
        text = _read(guard(target.path, places))
        said = entries.registered(text, target.of) if text is not None else {}
        commands = {event or target.events[0]: command for event, command in said.items()}
        return Registered(target.of.name, target.path, commands, None)
    except (AbcdError, OSError, UnicodeDecodeError) as error:
        return Registered(target.of.name, target.path, {}, error)


def _allowed(target: Target, project: Project, places: Places) -> str:
    real = guard(target.path, places)
    if target.of.file.startswith(HOME):
        return real
    if not (real + "/").startswith(guard(project.root, places) + "/"):
        raise AbcdError(f"{target.path} leads out of the project", "add the entries by hand")
    return real


def _register(project: Project, of: Agent, path: str, change: Tuple[str | None, str, int | None]) -> None:
    """``change``: the text before, the text after, the mode."""
    before, after, mode = change
    receipt = Receipt(project)
    entry = receipt.settings(path)
    if entry is None or entry["after"] != digest(before):
        # Somebody edited the file since (an agent that adds a number to its settings, say): ours may be in it. Or an
        # installation was cut short: the folder may be there because we made it.
        theirs = entries.remove(before, of) if before is not None else None
        if theirs is not None and entry and entry["before"] is None and entries.says_nothing(theirs, of):
            theirs = None
        made = entry["folder"] if entry else 0
        entry = Saved(before=packed(theirs), after=None, folder=made or _missing_above(path))
    entry["after"] = digest(after)
    receipt.put_settings(path, entry)
    fs.make_folder(os.path.dirname(path))
    _write(path, after, mode)


def _missing_above(path: str) -> int:
    """How many folders have to be made for a file."""
    missing = 0
    while not os.path.isdir(path := os.path.dirname(path)):
        missing += 1
    return missing


def _restored(of: Agent, project: Project, path: str, now: str) -> str | None:
    """The text that the file should have without us; None for no file."""
    entry = Receipt(project).settings(path)
    if entry is not None and entry["after"] == digest(now):
        return unpacked(entry["before"])
    text = entries.remove(now, of)
    if text == now:
        return now
    made = of.form != "json" or entry is not None and entry["before"] is None
    return None if made and entries.says_nothing(text, of) else text


def _remove(project: Project, path: str) -> None:
    # The receipt goes last: what is cut short is then begun again.
    receipt, file = Receipt(project), path
    entry = receipt.settings(file)
    fs.remove(file)
    for _ in range(entry["folder"] if entry else 0):
        path = os.path.dirname(path)
        fs.remove_empty(path)
    receipt.put_settings(file, None)


def _clean(project: Project, path: str, text: str) -> None:
    _write(path, text)
    Receipt(project).put_settings(path, None)


def _read(path: str) -> str | None:
    """The text of a file as it is (its line ends and its BOM too), or None when it is not there."""
    try:
        with open(path, "rb") as handle:
            return handle.read().decode("utf-8")
    except FileNotFoundError:
        return None


def _write(path: str, text: str, mode: int | None = None) -> None:
    if os.path.exists(path):
        mode = stat.S_IMODE(os.stat(path).st_mode) | (mode or 0)
    fs.replace(path, text.encode("utf-8"), mode)
