"""The agent's half of ``install`` and ``uninstall``: ``.claude/settings.json`` of the project.

What a file was like before the first edit is kept beside the hooks, so that uninstalling gives back the
very bytes (or no file) as long as nobody else has edited it since; after that only our entries go.
"""

import os
import stat

from abcd_index import fs
from abcd_index.errors import AbcdError
from abcd_index.install import settings_files
from abcd_index.install.receipt import Receipt, digest, packed, unpacked
from abcd_index.scopes import guard

FOLDER = ".claude"
NAMES = ("settings.json", "settings.local.json")


def plan_settings(project, plan, places, status_line=False, local=False):
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
        plan.step("write" if before is None else "add to", real,
                  lambda: _register(project, real, before, after))


def away_with_settings(project, plan, places):
    """Add the steps that take our entries away, from both files an installation may have used."""
    for name in NAMES:
        path = os.path.join(project.root, FOLDER, name)
        try:
            real = guard(path, places)
            now = _read(real)
            if now is None and (Receipt(project).settings(real) or {"folder": False})["folder"]:
                plan.step("remove", real, lambda p=real: _remove(project, p))  # Cut short before.
            if now is None or settings_files.MARK not in now:
                continue
            after = _restored(project, real, now)
        except (AbcdError, OSError, UnicodeDecodeError) as error:
            plan.leave(f"{path}: {error}", getattr(error, "hint", ""))
            continue
        if after is None:
            plan.step("remove", real, lambda p=real: _remove(project, p))
        elif after != now:
            plan.step("clean", real, lambda p=real, text=after: _clean(project, p, text))


def registered(project, places):
    """[(path, {event: command})] of our entries in the project's settings files."""
    found = []
    for name in NAMES:
        path = os.path.join(project.root, FOLDER, name)
        try:
            text = _read(guard(path, places))
            if text is not None:
                found.append((path, settings_files.registered(text)))
        except (AbcdError, OSError, UnicodeDecodeError) as error:
            found.append((path, error))
    return found


def _register(project, path, before, after):
    receipt = Receipt(project)
    entry = receipt.settings(path)
    if entry is None or entry["after"] != digest(before):
        # Begun before and cut short: the folder may be there because we made it.
        folder = bool(entry and entry["folder"] and entry["before"] == packed(before))
        entry = {"before": packed(before), "folder": folder or not os.path.isdir(os.path.dirname(path))}
    receipt.put_settings(path, {**entry, "after": digest(after)})
    fs.make_folder(os.path.dirname(path))
    _write(path, after)


def _restored(project, path, now):
    """The text that the file should have without us; None for no file."""
    entry = Receipt(project).settings(path)
    if entry is not None and entry["after"] == digest(now):
        return unpacked(entry["before"])
    text = settings_files.remove(now)
    if entry is not None and entry["before"] is None and not settings_files.scan(text).members:
        return None
    return text


def _remove(project, path):
    # The receipt goes last: what is cut short is then begun again.
    receipt = Receipt(project)
    entry = receipt.settings(path)
    fs.remove(path)
    if entry and entry["folder"]:
        fs.remove_empty(os.path.dirname(path))
    receipt.put_settings(path, None)


def _clean(project, path, text):
    _write(path, text)
    Receipt(project).put_settings(path, None)


def _read(path):
    """The text of a file as it is (its line ends and its BOM too), or None when it is not there."""
    try:
        with open(path, "rb") as handle:
            return handle.read().decode("utf-8")
    except FileNotFoundError:
        return None


def _write(path, text):
    fs.replace(path, text.encode("utf-8"), stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else None)
