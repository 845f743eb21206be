"""Our entries in a project's ``.claude/settings.json``: added once, kept current, taken away.

Pure functions from text to text. Every other entry keeps its bytes; a text that is not JSON is refused.
Our handlers end in a shell comment that names them, so that none of anybody else's is ever taken for ours.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from abcd_index.errors import AbcdError
from abcd_index.install.json_text import cut, put, replace, scan
from abcd_index.store.json_positions import Value

MARK = "# abcd-index"
# Seconds the agent waits at most. The prompt hook gives up by itself long before.
TIMEOUTS = {"UserPromptSubmit": 5, "SessionStart": 10, "PreCompact": 5}
SCRIPTS = {
    "UserPromptSubmit": "prompt_router_hook.py",
    "SessionStart": "session_hook.py",
    "PreCompact": "session_hook.py",
}
STATUS_LINE = "statusline_hook.py"


class Handler(NamedTuple):
    """One of our handlers: its event, the number of its group there and its own number in the group, its command."""

    event: str
    group: int
    number: int
    command: Value


class BrokenSettings(AbcdError):
    """The file is not the JSON object that an agent could read; it is left as it is."""

    hint = "mend the file, then run `abcd-index install` again"


def command(python: str, script: str) -> str:
    """The shell command of a hook. A missing interpreter or script is not an error, and no exit status
    but 0 ever comes back: Claude Code takes a 2 (Python's own "no such file") as "reject the prompt"."""
    run, file = shlex.quote(python), shlex.quote(script)
    return f"[ -x {run} ] && [ -f {file} ] && {run} -I -S {file} || exit 0 {MARK}"


def status_command(python: str, script: str, own: str = "") -> str:
    """The shell command of the status line. ``own``: the command that the person had, run after ours
    with the same input; it also runs when ours is gone."""
    run, file = shlex.quote(python), shlex.quote(script)
    if not own:
        return command(python, script)
    return (
        f"set -- sh -c {shlex.quote(own)}; [ -x {run} ] && [ -f {file} ] && "
        f'set -- {run} -I -S {file} -- "$@"; exec "$@" {MARK}'
    )


def own_command(text: str) -> str:
    """The person's command inside one of ours, or ''."""
    try:
        words = shlex.split(text)
    except ValueError:
        return ""
    return words[4][:-1] if words[:4] == ["set", "--", "sh", "-c"] and len(words) > 4 else ""


def is_ours(text: str | None) -> bool:
    """Whether a command is one of ours."""
    return text is not None and text.rstrip().endswith(MARK)


def registered(text: str) -> dict[str, str]:
    """{event or 'statusLine': our command} of a settings text. Raises BrokenSettings."""
    top = _top(text)
    found: dict[str, str] = {}
    for handler in _handlers(top):
        found.setdefault(handler.event, handler.command.text or "")
    line = top.get("statusLine", "command")
    if line is not None and line.text is not None and is_ours(line.text):
        found["statusLine"] = line.text
    return found


def add(text: str, commands: Mapping[str, str], status_line: Callable[[str], str] | None = None) -> str:
    """``text`` with a handler for each ``{event: command}``.

    ``status_line(own)`` gives the status line's command around ``own``, the one that is there. An entry
    of ours that says something else is brought up to date where it stands; a second one is taken out.
    Raises BrokenSettings; ``text`` may be '' for a file that is not there.
    """
    if not text.strip():
        text = "{}\n"
    _top(text)
    for event, wanted in commands.items():
        text = _settle(text, event, wanted)
    if status_line is not None:
        text = _add_status_line(text, status_line)
    return text


def remove(text: str) -> str:
    """``text`` without our handlers, and without the groups and lists that they leave empty."""
    _top(text)
    while True:
        found = next(_handlers(_top(text)), None)
        if found is None:
            break
        text = _drop(text, found)
    top = _top(text)
    line = top.get("statusLine", "command")
    if line is None or line.text is None or not is_ours(line.text):
        return text
    own = own_command(line.text)
    if own:
        return replace(text, line, own)
    return cut(text, top, list(top.members).index("statusLine"))


def _settle(text: str, event: str, wanted: str) -> str:
    ours = [found for found in _handlers(_top(text)) if found.event == event]
    for found in reversed(ours[1:]):
        text = _drop(text, found)
    if ours:
        node = ours[0].command
        return text if node.text == wanted else replace(text, node, wanted)
    group = {"hooks": [{"type": "command", "command": wanted, "timeout": TIMEOUTS[event]}]}
    top = _top(text)
    hooks = top.get("hooks")
    if hooks is None:
        return put(text, top, "hooks", {event: [group]})
    groups = _of(hooks, "object", "hooks").get(event)
    if groups is None:
        return put(text, hooks, event, [group])
    return put(text, _of(groups, "list", f"hooks.{event}"), None, group)


def _add_status_line(text: str, status_line: Callable[[str], str]) -> str:
    top = _top(text)
    line = top.get("statusLine")
    if line is None:
        return put(text, top, "statusLine", {"type": "command", "command": status_line("")})
    node = _of(line, "object", "statusLine").get("command")
    if node is None or node.text is None:
        raise BrokenSettings("statusLine has no command")
    own = own_command(node.text) if is_ours(node.text) else node.text
    wanted = status_line(own)
    return text if node.text == wanted else replace(text, node, wanted)


def _handlers(top: Value) -> Iterator[Handler]:
    """Each of our handlers, in order."""
    hooks = top.get("hooks")
    if hooks is None or hooks.kind != "object":
        return
    for event, groups in hooks.members.items():
        for number, group in enumerate(groups.items):
            handlers = group.get("hooks")
            for place, handler in enumerate(handlers.items if handlers else []):
                node = handler.get("command")
                if node is not None and is_ours(node.text):
                    yield Handler(event, number, place, node)


def _drop(text: str, found: Handler) -> str:
    """Without one handler, and what it leaves empty: its group, its event, ``hooks``."""
    top = _top(text)
    hooks = top.members["hooks"]
    groups = hooks.members[found.event]
    handlers = groups.items[found.group].members["hooks"]
    if len(handlers.items) > 1:
        return cut(text, handlers, found.number)
    if len(groups.items) > 1:
        return cut(text, groups, found.group)
    if len(hooks.members) > 1:
        return cut(text, hooks, list(hooks.members).index(found.event))
    return cut(text, top, list(top.members).index("hooks"))


def _of(node: Value, kind: str, name: str) -> Value:
    if node.kind != kind:
        raise BrokenSettings(f"{name} is not {'an object' if kind == 'object' else 'an array'}")
    return node


def _top(text: str) -> Value:
    try:
        top = scan(text)
    except (ValueError, RecursionError) as error:
        raise BrokenSettings(f"not JSON: {error}") from None
    return _of(top, "object", "the document")


def scripts_folder() -> str | None:
    """The folder of the hook scripts: beside the package in a checkout, inside it in a wheel. Or None."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (os.path.join(package, "_hooks"), os.path.join(os.path.dirname(package), "hooks")):
        if os.path.isfile(os.path.join(folder, SCRIPTS["UserPromptSubmit"])):
            return folder
    return None


def bare_python() -> str:
    """The interpreter below the virtual environment: it starts faster and outlives the environment."""
    python: str = getattr(sys, "_base_executable", None) or sys.executable
    return python.replace("\\", "/")


def commands() -> tuple[dict[str, str], Callable[[str], str]]:
    """({event: command}, function for ``add``'s status line) of this installation. Raises AbcdError."""
    folder = scripts_folder()
    if folder is None:
        raise AbcdError("the hook scripts are missing from this installation", "install abcd-index again")
    python, folder = bare_python(), folder.replace("\\", "/")
    made = {event: command(python, f"{folder}/{script}") for event, script in SCRIPTS.items()}
    return made, lambda own: status_command(python, f"{folder}/{STATUS_LINE}", own)
