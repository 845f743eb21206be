"""The agent's half of ``install`` and ``uninstall``: ``.claude/settings.json`` of the project.

What a file was like before the first edit is kept beside the hooks, so that uninstalling gives back the
very bytes (or no file) as long as nobody else has edited it since; after that only our entries go.
"""

from __future__ import annotations

import os
import stat
from functools import partial

from abcd_index import fs
from abcd_index.errors import AbcdError
from abcd_index.install import settings_files
from abcd_index.install.json_text import scan
from abcd_index.install.plan import Plan
from abcd_index.install.project import Project
from abcd_index.install.receipt import Receipt, Saved, digest, packed, unpacked
from abcd_index.scopes import Places, guard

FOLDER = ".claude"
NAMES = ("settings.json", "settings.local.json")


def plan_settings(project: Project, plan: Plan, places: Places, status_line: bool = False, local: bool = False) -> None:
    """Add the step that registers the agent's hooks."""
    path = os.path.join(project.root, FOLDER, NAMES[1] if local else NAMES[0])
    try:
        real = guard(path, places)
        if not (real + "/").startswith(guard(project.root, places) + "/"):
            raise AbcdError(f"{path} leads out of the project", "add the entries by hand")
        before = _read(real)
        commands, line = settings_files.commands()
        after = settings_files.add(before or "", commands, line if status_line else None)
    except (AbcdError, OSError, UnicodeDecodeError) as error:
        plan.leave(f"{path}: {error}", getattr(error, "hint", ""))
        return
    if after != before:
        plan.step("write" if before is None else "add to", real, lambda: _register(project, real, before, after))


def away_with_settings(project: Project, plan: Plan, places: Places) -> None:
    """Add the steps that take our entries away, from both files an installation may have used."""
    for name in NAMES:
        path = os.path.join(project.root, FOLDER, name)
        try:
            real = guard(path, places)
            now = _read(real)
            saved = Receipt(project).settings(real)
            if now is None and saved is not None and saved["folder"]:
                plan.step("remove", real, partial(_remove, project, real))  # Cut short before.
            if now is None or settings_files.MARK not in now:
                continue
            after = _restored(project, real, now)
        except (AbcdError, OSError, UnicodeDecodeError) as error:
            plan.leave(f"{path}: {error}", getattr(error, "hint", ""))
            continue
        if after is None:
            plan.step("remove", real, partial(_remove, project, real))
        elif after != now:
            plan.step("clean", real, partial(_clean, project, real, after))


def registered(project: Project, places: Places) -> list[tuple[str, dict[str, str] | Exception]]:
    """[(path, {event: command})] of our entries in the project's settings files."""
    found: list[tuple[str, dict[str, str] | Exception]] = []
    for name in NAMES:
        path = os.path.join(project.root, FOLDER, name)
        try:
            text = _read(guard(path, places))
            if text is not None:
                found.append((path, settings_files.registered(text)))
        except (AbcdError, OSError, UnicodeDecodeError) as error:
            found.append((path, error))
    return found


def _register(project: Project, path: str, before: str | None, after: str) -> None:
    receipt = Receipt(project)
    entry = receipt.settings(path)
    if entry is None or entry["after"] != digest(before):
        # Begun before and cut short: the folder may be there because we made it.
        folder = bool(entry and entry["folder"] and entry["before"] == packed(before))
        made = folder or not os.path.isdir(os.path.dirname(path))
        entry = Saved(before=packed(before), after=None, folder=made)
    entry["after"] = digest(after)
    receipt.put_settings(path, entry)
    fs.make_folder(os.path.dirname(path))
    _write(path, after)


def _restored(project: Project, path: str, now: str) -> str | None:
    """The text that the file should have without us; None for no file."""
    entry = Receipt(project).settings(path)
    if entry is not None and entry["after"] == digest(now):
        return unpacked(entry["before"])
    text = settings_files.remove(now)
    if entry is not None and entry["before"] is None and not scan(text).members:
        return None
    return text


def _remove(project: Project, path: str) -> None:
    # The receipt goes last: what is cut short is then begun again.
    receipt = Receipt(project)
    entry = receipt.settings(path)
    fs.remove(path)
    if entry and entry["folder"]:
        fs.remove_empty(os.path.dirname(path))
    receipt.put_settings(path, None)


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


def _write(path: str, text: str) -> None:
    fs.replace(path, text.encode("utf-8"), stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else None)
