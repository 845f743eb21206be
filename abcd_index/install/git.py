"""The git half of ``install`` and ``uninstall``: hook files, and what the hooks read."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial

from abcd_index import fs
from abcd_index.build.tracked import wanted
from abcd_index.errors import CannotTell
from abcd_index.git import run as git
from abcd_index.git.run import Worktree
from abcd_index.githooks import files as hooks
from abcd_index.githooks import stores, tracked
from abcd_index.install.project import NO_WORK_TREE, RECEIPT, Plan, Project

# The arguments that a hook is tried with. It answers and does nothing.
TRIED_WITH = {"post-checkout": ("HEAD", "HEAD", "0"), "post-merge": ("0",), "post-rewrite": ("amend",)}


def plan_hooks(project: Project, plan: Plan, hooks_path: bool = False) -> list[str]:
    """Add the steps for the hooks. Returns the names of those that ought to answer afterwards."""
    where = project.place
    if where is None:
        plan.leave(f"git hooks: {project.trouble}", "the session hook still keeps the artefact current")
        return []
    try:
        folder, refused = target(where, hooks_path)
        tracking = project.scope is not None and wanted(project.scope)
        names = hooks.HOOKS + (hooks.TRACKED_HOOKS if tracking else ())
        _plan_own_files(where, names, plan)
        if tracking:
            driver = tracked.driver(sys.executable)
            if git.setting(where, tracked.DRIVER) != driver:
                plan.step("set", tracked.DRIVER, lambda: tracked.set_driver(where, driver))
        if refused:
            return _plan_line(where, folder, refused, names, plan)
        return [name for name in names if _plan_hook(where, folder, name, plan)]
    except CannotTell as error:
        plan.leave(f"git hooks: {error}", error.hint)
        return []


def target(where: Worktree, hooks_path: bool = False) -> tuple[str, str]:
    """(the folder that git runs hooks from, why it is not ours to write or '')."""
    folder = git.hooks_dir(where)
    if inside(folder, where.common_dir) or inside(folder, where.git_dir):
        return folder, ""
    found = git.hooks_path_settings(where)
    if os.path.realpath(folder) == os.path.realpath(where.top):
        # An empty value: git runs nothing then, and files at the top of the work tree would only be in the way.
        return folder, "core.hooksPath is empty or names the work tree itself, where git runs no hooks"
    scope = found[-1][0] if found else "unknown"
    said = f"core.hooksPath ({scope}) is {found[-1][2] if found else folder}"
    if not inside(folder, where.top):
        return folder, f"{said}, outside this repository"
    if hooks_path:
        return folder, ""
    if git.tracked(where, folder):
        return folder, f"{said}, which the repository tracks"
    return folder, f"{said}, which belongs to the tool that made it"


def inside(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or lies below it, links followed."""
    path, folder = os.path.realpath(path), os.path.realpath(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def kept_folder(folder: str) -> str:
    """Where the hooks that ours took the place of are: beside ``folder``, so that what they look for
    relative to themselves is found."""
    return os.path.join(os.path.dirname(folder), hooks.KEPT)


def ping(where: Worktree, name: str, plan: Plan) -> None:
    """Ask git to run the hook, which only answers. What does not answer is left out, by name."""
    said = answer(where, name)
    if said and said.startswith(f"abcd-index {name} {hooks.VERSION} "):
        return
    plan.leave(
        f"{name} did not answer when git ran it",
        (said or "").strip() or "is the hooks folder on a file system that runs programs?",
    )


def answer(where: Worktree, name: str) -> str:
    """What our hook says when git runs it to be tried: the first line, or ''. Another tool's hook is
    not run by this."""
    file = hooks.HookFile(name, os.path.join(git.hooks_dir(where), name))
    if not file.ours:
        return ""
    asked = git.run_hook(where, name, TRIED_WITH.get(name, ()), ABCD_INDEX="ping")
    if asked is None:
        asked = git.run_file(where, file.path, TRIED_WITH.get(name, ()), ABCD_INDEX="ping")
    lines = [line for line in asked[1].splitlines() if line.strip()]
    return lines[0] if lines else ""


def away_with_hooks(project: Project, plan: Plan) -> None:
    """Add the steps that take the hooks away. Where git cannot be asked they stay, and that is said."""
    where = project.place
    if where is None:
        if project.trouble != NO_WORK_TREE:
            plan.leave(f"git hooks: {project.trouble}", "run `abcd-index uninstall` again when git can be asked")
        return
    folders = {git.hooks_dir(where), os.path.join(where.common_dir, "hooks")}
    for folder in sorted(folders):
        if not (inside(folder, where.common_dir) or inside(folder, where.top)):
            continue
        names = hooks.HOOKS + hooks.TRACKED_HOOKS
        for name, moved in [(name, moved) for name in names for moved in ("", *hooks.MOVED)]:
            file = hooks.HookFile(name, os.path.join(folder, name + moved))
            if file.ours:
                what = {"own": "remove", "beside": "clean", "kept": "restore"}[file.state]
                plan.step(what, file.path, partial(_take_away, file, kept_folder(folder)))
            elif file.state == "unreadable":
                plan.leave(f"{name + moved}: {file.path} cannot be read", "give read permission, and run this again")
            elif not moved and file.state == "absent" and os.path.lexists(os.path.join(kept_folder(folder), name)):
                plan.step("restore", file.path, partial(_restore, name, folder))
    if git.setting(where, tracked.DRIVER) is not None:
        plan.step("unset", tracked.DRIVER, lambda: git.change_setting(where, tracked.DRIVER, None))
    own = os.path.join(where.common_dir, hooks.FOLDER)
    if os.path.isdir(own):
        # The main work tree's receipt is not this linked one's to throw away.
        keep = {RECEIPT} if where.linked else set()
        plan.step("remove", own, lambda: _remove_own(own, keep))
    others = [top for top in git.worktrees(where) if os.path.realpath(top) != os.path.realpath(where.top)]
    if others and plan.steps:
        plan.notes.append("the hooks also served " + ", ".join(others))


def _plan_own_files(where: Worktree, names: Sequence[str], plan: Plan) -> None:
    folder = os.path.join(where.common_dir, hooks.FOLDER)
    for name in names:
        path, data = os.path.join(folder, name), hooks.stub(name, sys.executable)
        if _content(path) != data:
            plan.step("write", path, partial(_write, path, data))
    homes = stores.homes_of(git.store_files(where))
    known = stores.listed(where.common_dir)
    if known is None or set(homes) - set(known):
        plan.step("write", os.path.join(folder, stores.LIST), lambda: stores.note(where.common_dir, homes))


def _plan_hook(where: Worktree, folder: str, name: str, plan: Plan) -> bool:
    file = hooks.HookFile(name, os.path.join(folder, name))
    if file.state == "calls":
        return False
    if file.state == "unreadable":
        plan.leave(f"{name}: {file.path} cannot be read", "give read permission, and run this again")
        return False
    if file.state == "foreign" and hooks.put_aside(file):
        plan.notes.append(f"{name}: another tool's hook runs ours, which it put aside as {hooks.put_aside(file)}")
        return False
    if file.state in ("absent", "own") and os.path.lexists(os.path.join(kept_folder(folder), name)):
        file.state = "kept-alone"  # An installation was cut short: theirs is kept, and nothing hands over to it.
    sibling = os.path.realpath(os.path.dirname(folder)) == os.path.realpath(where.common_dir)
    form, data = hooks.wanted(file, sys.executable, sibling)
    if form == "kept" and not sibling:
        plan.leave(f"{name}: {file.path} is not a shell script", "let it run this line:", hooks.LINE)
        return False
    if file.data == data and file.runs:
        return True
    what = {"absent": "write", "foreign": "add to" if form == "beside" else "replace"}.get(file.state, "update")
    plan.step(what, file.path, lambda: hooks.put(file, form, data, kept_folder(folder)))
    return True


def _plan_line(where: Worktree, folder: str, refused: str, names: Sequence[str], plan: Plan) -> list[str]:
    """Somebody else's hooks folder: nothing is written, the line to add is said."""
    missing, looked = [], [folder]
    if os.path.basename(folder) == "_" and os.path.basename(os.path.dirname(folder)) == ".husky":
        looked.insert(0, os.path.dirname(folder))  # husky's own files are made anew; people's are one up.
    for name in names:
        if not any(hooks.HookFile(name, os.path.join(at, name)).state in ("calls", "own", "beside") for at in looked):
            missing.append(os.path.join(looked[0], name))
    if not missing:
        return []
    hint = [f"add this line to {', '.join(_short(path, where.top) for path in missing)}:", hooks.LINE]
    if inside(folder, where.top):
        hint.append("or run `abcd-index install --hooks-path` to let it write there")
    plan.leave(f"git hooks: {refused}", *hint)
    return []


def _short(path: str, top: str) -> str:
    return os.path.relpath(path, top) if inside(path, top) else path


def _take_away(file: hooks.HookFile, kept: str) -> None:
    hooks.take_away(file, kept)
    fs.remove_empty(kept)


def _restore(name: str, folder: str) -> None:
    hooks.restore(name, folder, kept_folder(folder))
    fs.remove_empty(kept_folder(folder))


def _remove_own(folder: str, keep: set[str]) -> None:
    for name in set(os.listdir(folder)) - keep:
        fs.remove(os.path.join(folder, name))
    fs.remove_empty(folder)


def _write(path: str, data: bytes) -> None:
    fs.make_folder(os.path.dirname(path))
    fs.replace(path, data, 0o755)


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except OSError:
        return None
