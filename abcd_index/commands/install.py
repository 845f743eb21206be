"""``abcd-index install`` and ``uninstall``: git hooks and an agent's hooks, by default those of Claude Code.

Nothing outside the repository is written but a note of the interpreter in the user's own folder, and the file of an
agent that has none in the project; what other tools and people put there stays. Exit status: 0 all in place, 1
something left out (each named with what to do), 2 nothing could be done.
"""

from __future__ import annotations

import os
import re
import sys
from functools import partial
from typing import NamedTuple, Sequence

from abcd_index import fs
from abcd_index.build.tracked import FILE, is_kept
from abcd_index.commands.console import FAILED, FINDINGS, OK, Console
from abcd_index.commands.status_facts import expected_key, scope_facts
from abcd_index.errors import AbcdError
from abcd_index.git import run as git
from abcd_index.githooks import tracked
from abcd_index.install.agents import CLAUDE, away_with_agents, plan_agent
from abcd_index.install.entries import agent, scripts_folder
from abcd_index.install.git import away_with_hooks, ping, plan_hooks
from abcd_index.install.project import Plan, Project, Receipt, find
from abcd_index.scopes import Places, Scope


class Choice(NamedTuple):
    """What is asked of ``install``. ``agents``: their names, none for Claude Code. ``status_line``: also the status
    line, around the one that is there. ``hooks_path``: write into a ``core.hooksPath`` inside the work tree. ``local``:
    the settings file that is not shared. ``git_only``: leave the agents' settings alone."""

    agents: Sequence[str] = ()
    dry_run: bool = False
    status_line: bool = False
    hooks_path: bool = False
    local: bool = False
    git_only: bool = False


def run(
    root: str | None = None, choice: Choice = Choice(), console: Console | None = None, places: Places | None = None
) -> int:
    """Install. Returns an exit status; raises AbcdError when nothing may be done here at all."""
    console, places = console or Console(), places or Places()
    names = [] if choice.git_only else [agent(name).name for name in choice.agents or (CLAUDE,)]
    project = find(root, places)
    plan = Plan()
    hooks = plan_hooks(project, plan, choice.hooks_path)
    for name in dict.fromkeys(names):
        plan_agent(name, project, plan, places, (choice.local, choice.status_line))
    _plan_build(project, plan, places, renew=not choice.git_only)
    if choice.dry_run:
        console.line("would do:" if plan.steps else "nothing to do")
    plan.carry_out(console, project.root, choice.dry_run)
    if not choice.dry_run:
        for name in hooks:
            if project.place is not None:
                ping(project.place, name, plan)
    plan.report(console)
    return _ending(plan, hooks, project, console, choice.dry_run)


def uninstall(
    root: str | None = None,
    dry_run: bool = False,
    agents: Sequence[str] = (),
    console: Console | None = None,
    places: Places | None = None,
) -> int:
    """Take away what ``run`` put there; what it found there is given back byte for byte. ``agents``: only what is in
    the files of these."""
    console, places = console or Console(), places or Places()
    names = [agent(name).name for name in agents]
    project = find(root, places)
    plan = Plan()
    away_with_agents(names, project, plan, places)
    if not names:
        _away_with_index(project, plan)
        away_with_hooks(project, plan)
    if dry_run:
        console.line("would do:" if plan.steps else "nothing to do")
    elif not plan.steps:
        console.line(f"nothing of abcd-index is installed {'for ' + ', '.join(names) if names else 'here'}")
    plan.carry_out(console, project.root, dry_run)
    plan.report(console)
    return FINDINGS if plan.left else OK


def _plan_build(project: Project, plan: Plan, places: Places, renew: bool) -> None:
    from abcd_index.build.run import record_interpreter

    noted = os.path.join(places.user, ".index", "interpreter")
    known = _text(noted).strip()
    # A checkout's own git hooks (--git-only) do not take the machine over from a working installation.
    if places.user and known != sys.executable and (renew or not os.access(known, os.X_OK)):
        plan.step("note", noted, lambda: record_interpreter(places, scripts_folder(), renew))
    scope = project.scope
    if scope is None:
        plan.notes.append("no store here yet: `abcd-index init` starts one")
        return
    facts = scope_facts(scope)
    if facts["state"] != "current":
        plan.step("build", scope.index, partial(_build, project, scope, not os.path.exists(scope.index)))
    if facts["tracked"] and project.place is not None:
        _plan_renewal(scope, project.place, plan)


def _plan_renewal(scope: Scope, where: git.Worktree, plan: Plan) -> None:
    """A commit that changes no page asks nobody whether the artefact in git is theirs, as this release builds it."""
    try:
        kept = is_kept(scope.index, expected_key(scope))
    except AbcdError:
        return  # The build says why.
    if not kept and not tracked.renewal_noted(where):
        plan.step("renew", os.path.join(scope.index, FILE), lambda: tracked.note_renewal(where.git_dir))
        plan.notes.append("the next commit brings the artefact of its pages into git")


def _build(project: Project, scope: Scope, made: bool) -> None:
    from abcd_index.build import publish
    from abcd_index.build.run import build

    if made:
        Receipt(project).put_index(True)
    publish.first_look(scope.index)
    build(scope)


def _away_with_index(project: Project, plan: Plan) -> None:
    """The index folder goes if the installation made it, unless the repository keeps the artefact."""
    if project.scope is None or not Receipt(project).data["index"] or not os.path.isdir(project.scope.index):
        return
    if project.place is None or not git.tracked(project.place, project.scope.index):
        plan.step("remove", project.scope.index, partial(_empty, project.scope.index))


# What builds, hooks and recalls make in an index folder; nothing else is ever deleted there.
_MADE = re.compile(
    r"[0-9a-f]{40}\.(?:idx|times|pages)|current|git-stamp|files\.json|dates\.json|domains\.json"
    r"|recall-(?:log|stats)[-.0-9a-z]*|receipt\.json|\.tmp-.*|\.gitignore"
)
_SEEN = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")


def _empty(index: str) -> None:
    """Delete what we made in an index folder, and the folder when nothing else is in it."""
    seen = os.path.join(index, "seen")
    for folder, made in ((seen, _SEEN), (index, _MADE)):
        if os.path.isdir(folder) and not os.path.islink(folder):
            # What makes git pass over the folder goes last.
            for name in sorted(os.listdir(folder), key=lambda name: name == ".gitignore"):
                if made.fullmatch(name):
                    fs.remove(os.path.join(folder, name))
            fs.remove_empty(folder)


def _ending(plan: Plan, hooks: list[str], project: Project, console: Console, dry_run: bool) -> int:
    if not plan.left:
        if not plan.steps:
            console.line("everything is in place")
        elif not dry_run:
            console.line("installed; `abcd-index status --check` tries every hook")
        return OK
    return FINDINGS if plan.steps or hooks else FAILED


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as handle:
            return handle.read()
    except OSError:
        return ""
