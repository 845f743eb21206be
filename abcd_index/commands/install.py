"""``abcd-index install`` and ``uninstall``: git hooks and the project's ``.claude/settings.json``.

Nothing outside the repository is written but a note of the interpreter in the user's own folder, and what
other tools and people put there stays. Exit status: 0 all in place, 1 something left out (each named with
what to do), 2 nothing could be done.
"""

import os
import re
import sys

from abcd_index import fs
from abcd_index.build.tracked import FILE, is_kept
from abcd_index.commands.console import FAILED, FINDINGS, OK, Out
from abcd_index.commands.scope_selector import here
from abcd_index.commands.status_facts import expected_key, scope_facts
from abcd_index.errors import AbcdError, CannotTell
from abcd_index.git import run as ask
from abcd_index.githooks import tracked
from abcd_index.install.agents import away_with_settings, plan_settings
from abcd_index.install.git import NO_WORK_TREE, away_with_hooks, ping, plan_hooks
from abcd_index.install.plan import Plan
from abcd_index.install.receipt import Receipt
from abcd_index.scopes import Places, guard, workspace_scope


class Project:
    """What is installed into: ``root`` (where ``.claude`` goes), ``scope`` (its store, or None) and
    ``place`` (its work tree, or None; ``trouble`` then says why)."""

    __slots__ = ("root", "scope", "place", "trouble")

    def __init__(self, root, scope, place, trouble):
        self.root = root
        self.scope = scope
        self.place = place
        self.trouble = trouble


def run(root=None, dry_run=False, status_line=False, hooks_path=False, local=False, git_only=False, out=None,
        places=None):
    """Install. ``status_line``: also the status line, around the one that is there. ``hooks_path``: write
    into a ``core.hooksPath`` inside the work tree. ``local``: ``settings.local.json``. ``git_only``: leave
    the agent's settings alone. Returns an exit status; raises AbcdError when nothing may be done here at all."""
    out, places = out or Out(), places or Places()
    project = find(root, places)
    plan = Plan()
    hooks = plan_hooks(project, plan, hooks_path)
    if not git_only:
        plan_settings(project, plan, places, status_line, local)
    _plan_build(project, plan, places, renew=not git_only)
    if dry_run:
        out.line("would do:" if plan.steps else "nothing to do")
    plan.carry_out(out, project.root, dry_run)
    if not dry_run:
        for name in hooks:
            ping(project.place, name, plan)
    plan.report(out)
    return _ending(plan, hooks, project, out, dry_run)


def uninstall(root=None, dry_run=False, out=None, places=None):
    """Take away what ``run`` put there; what it found there is given back byte for byte."""
    out, places = out or Out(), places or Places()
    project = find(root, places)
    plan = Plan()
    away_with_settings(project, plan, places)
    _away_with_index(project, plan)
    away_with_hooks(project, plan)
    if dry_run:
        out.line("would do:" if plan.steps else "nothing to do")
    elif not plan.steps:
        out.line("nothing of abcd-index is installed here")
    plan.carry_out(out, project.root, dry_run)
    plan.report(out)
    return FINDINGS if plan.left else OK


def find(root, places, with_scope=True):
    """The Project around a folder; without its scope when that is not wanted.

    Raises AbcdError in the home folder, Forbidden in ``~/.claude``, Outside for a scope that leads out of its root."""
    cwd = guard(here(root), places)
    place, trouble = None, NO_WORK_TREE
    try:
        place = ask.place(cwd)
    except CannotTell as error:
        trouble = f"{error}" + (f" ({error.hint})" if error.hint else "")
    scope = workspace_scope(cwd, places) if with_scope else None
    top = guard(place.top, places) if place else cwd
    if scope is not None and place is not None and not (scope.root + "/").startswith(top + "/"):
        scope = None  # A linked worktree borrows the main checkout's store; its settings are its own.
    base = scope.root if scope else top
    if place is None and scope is None and _in_git_folder(cwd):
        raise AbcdError(f"{cwd} is a bare repository or lies in a .git folder: there are no pages to keep current",
                        "run it inside a work tree")
    if places.home and base == guard(places.home, places):
        raise AbcdError(f"{base} is the home folder: its .claude/ is the agent's own, which abcd-index never opens",
                        "run it inside a project")
    return Project(base, scope, place, trouble)


def _in_git_folder(folder):
    while True:
        if all(os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs")):
            return True
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return False


def _plan_build(project, plan, places, renew):
    from abcd_index.build.run import build, record_interpreter
    from abcd_index.install.settings_files import scripts_folder

    noted = os.path.join(places.user, ".index", "interpreter")
    known = _text(noted).strip()
    # A checkout's own git hooks (--git-only) do not take the machine over from a working installation.
    if places.user and known != sys.executable and (renew or not os.access(known, os.X_OK)):
        plan.step("note", noted, lambda: record_interpreter(places, scripts_folder(), renew))
    if project.scope is None:
        plan.notes.append("no store here yet: `abcd-index init` starts one")
        return
    facts = scope_facts(project.scope)
    if facts["state"] != "current":
        made = not os.path.exists(project.scope.index)
        plan.step("build", project.scope.index, lambda: _build(project, build, made))
    if facts["tracked"] and project.place is not None:
        _plan_renewal(project, plan)


def _plan_renewal(project, plan):
    """A commit that changes no page asks nobody whether the artefact in git is theirs, as this release builds it."""
    where, index = project.place, project.scope.index
    try:
        kept = is_kept(index, expected_key(project.scope))
    except AbcdError:
        return  # The build says why.
    if not kept and not tracked.renewal_noted(where):
        plan.step("renew", os.path.join(index, FILE), lambda: tracked.note_renewal(where.git_dir))
        plan.notes.append("the next commit brings the artefact of its pages into git")


def _build(project, build, made):
    from abcd_index.build import publish

    if made:
        Receipt(project).put_index(True)
    publish.first_look(project.scope.index)
    build(project.scope)


def _away_with_index(project, plan):
    """The index folder goes if the installation made it, unless the repository keeps the artefact."""
    if project.scope is None or not Receipt(project).data["index"] or not os.path.isdir(project.scope.index):
        return
    if project.place is None or not ask.tracked(project.place, project.scope.index):
        plan.step("remove", project.scope.index, lambda: _empty(project.scope.index))


# What builds, hooks and recalls make in an index folder; nothing else is ever deleted there.
_MADE = re.compile(r"[0-9a-f]{40}\.(?:idx|times|pages)|current|git-stamp|files\.json|dates\.json|domains\.json"
                   r"|recall-(?:log|stats)[-.0-9a-z]*|receipt\.json|\.tmp-.*|\.gitignore")
_SEEN = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")


def _empty(index):
    """Delete what we made in an index folder, and the folder when nothing else is in it."""
    seen = os.path.join(index, "seen")
    for folder, made in ((seen, _SEEN), (index, _MADE)):
        if os.path.isdir(folder) and not os.path.islink(folder):
            # What makes git pass over the folder goes last.
            for name in sorted(os.listdir(folder), key=lambda name: name == ".gitignore"):
                if made.fullmatch(name):
                    fs.remove(os.path.join(folder, name))
            fs.remove_empty(folder)


def _ending(plan, hooks, project, out, dry_run):
    if not plan.left:
        if not plan.steps:
            out.line("everything is in place")
        elif not dry_run:
            out.line("installed; `abcd-index status --check` tries every hook")
        return OK
    return FINDINGS if plan.steps or hooks else FAILED


def _text(path):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as handle:
            return handle.read()
    except OSError:
        return ""
