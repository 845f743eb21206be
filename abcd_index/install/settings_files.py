"""Our entries in a project's ``.claude/settings.json``: added once, kept current, taken away.

Pure functions from text to text. Every other entry keeps its bytes; a text that is not JSON is refused.
Our handlers end in a shell comment that names them, so that none of anybody else's is ever taken for ours.
"""

import os
import shlex
import sys

from abcd_index.errors import AbcdError
from abcd_index.install.json_text import cut, put, replace, scan

MARK = "# abcd-index"
# Seconds the agent waits at most. The prompt hook gives up by itself long before.
TIMEOUTS = {"UserPromptSubmit": 5, "SessionStart": 10, "PreCompact": 5}
SCRIPTS = {
    "UserPromptSubmit": "prompt_router_hook.py",
    "SessionStart": "session_hook.py",
    "PreCompact": "session_hook.py",
}
STATUS_LINE = "statusline_hook.py"


class BrokenSettings(AbcdError):
    """The file is not the JSON object that an agent could read; it is left as it is."""

    hint = "mend the file, then run `abcd-index install` again"


def command(python, script):
    """The shell command of a hook. A missing interpreter or script is not an error, and no exit status
    but 0 ever comes back: Claude Code takes a 2 (Python's own "no such file") as "reject the prompt"."""
    run, file = shlex.quote(python), shlex.quote(script)
    return f"[ -x {run} ] && [ -f {file} ] && {run} -I -S {file} || exit 0 {MARK}"


def status_command(python, script, own=""):
    """The shell command of the status line. ``own``: the command that the person had, run after ours
    with the same input; it also runs when ours is gone."""
    run, file = shlex.quote(python), shlex.quote(script)
    if not own:
        return command(python, script)
    return (f"set -- sh -c {shlex.quote(own)}; [ -x {run} ] && [ -f {file} ] && "
            f'set -- {run} -I -S {file} -- "$@"; exec "$@" {MARK}')


def own_command(text):
    """The person's command inside one of ours, or ''."""
    try:
        words = shlex.split(text)
    except ValueError:
        return ""
    return words[4][:-1] if words[:4] == ["set", "--", "sh", "-c"] and len(words) > 4 else ""


def is_ours(text):
    """Whether a command is one of ours."""
    return isinstance(text, str) and text.rstrip().endswith(MARK)


def registered(text):
    """{event or 'statusLine': our command} of a settings text. Raises BrokenSettings."""
    top, found = _top(text), {}
    for event, _, _, handler in _handlers(top):
        found.setdefault(event, handler.get("command").text)
    line = top.get("statusLine", "command")
    if line is not None and is_ours(line.text):
        found["statusLine"] = line.text
    return found


def add(text, commands, status_line=None):
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


def remove(text):
    """``text`` without our handlers, and without the groups and lists that they leave empty."""
    _top(text)
    while True:
        found = next(_handlers(_top(text)), None)
        if found is None:
            break
        text = _drop(text, *found[:3])
    top = _top(text)
    line = top.get("statusLine", "command")
    if line is None or not is_ours(line.text):
        return text
    own = own_command(line.text)
    if own:
        return replace(text, line, own)
    return cut(text, top, list(top.members).index("statusLine"))


def _settle(text, event, wanted):
    ours = [found for found in _handlers(_top(text)) if found[0] == event]
    for found in reversed(ours[1:]):
        text = _drop(text, *found[:3])
    if ours:
        node = ours[0][3].get("command")
        return text if node.text == wanted else replace(text, node, wanted)
    group = {"hooks": [{"type": "command", "command": wanted, "timeout": TIMEOUTS[event]}]}
    top = _top(text)
    if top.get("hooks") is None:
        return put(text, top, "hooks", {event: [group]})
    hooks = _of(top.get("hooks"), "object", "hooks")
    if hooks.get(event) is None:
        return put(text, hooks, event, [group])
    return put(text, _of(hooks.get(event), "list", f"hooks.{event}"), None, group)


def _add_status_line(text, status_line):
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


def _handlers(top):
    """(event, group number, handler number, handler Node) of each of our handlers, in order."""
    hooks = top.get("hooks")
    if hooks is None or hooks.kind != "object":
        return
    for event, groups in hooks.members.items():
        for number, group in enumerate(groups.items):
            handlers = group.get("hooks")
            for place, handler in enumerate(handlers.items if handlers else []):
                node = handler.get("command")
                if node is not None and is_ours(node.text):
                    yield event, number, place, handler


def _drop(text, event, number, place):
    """Without one handler, and what it leaves empty: its group, its event, ``hooks``."""
    top = _top(text)
    hooks = top.get("hooks")
    groups = hooks.get(event)
    handlers = groups.items[number].get("hooks")
    if len(handlers.items) > 1:
        return cut(text, handlers, place)
    if len(groups.items) > 1:
        return cut(text, groups, number)
    if len(hooks.members) > 1:
        return cut(text, hooks, list(hooks.members).index(event))
    return cut(text, top, list(top.members).index("hooks"))


def _of(node, kind, name):
    if node.kind != kind:
        raise BrokenSettings(f"{name} is not {'an object' if kind == 'object' else 'an array'}")
    return node


def _top(text):
    try:
        top = scan(text)
    except (ValueError, RecursionError) as error:
        raise BrokenSettings(f"not JSON: {error}") from None
    return _of(top, "object", "the document")


def scripts_folder():
    """The folder of the hook scripts: beside the package in a checkout, inside it in a wheel. Or None."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (os.path.join(package, "_hooks"), os.path.join(os.path.dirname(package), "hooks")):
        if os.path.isfile(os.path.join(folder, SCRIPTS["UserPromptSubmit"])):
            return folder
    return None


def bare_python():
    """The interpreter below the virtual environment: it starts faster and outlives the environment."""
    return (getattr(sys, "_base_executable", None) or sys.executable).replace("\\", "/")


def commands():
    """({event: command}, function for ``add``'s status line) of this installation. Raises AbcdError."""
    folder = scripts_folder()
    if folder is None:
        raise AbcdError("the hook scripts are missing from this installation", "install abcd-index again")
    python, folder = bare_python(), folder.replace("\\", "/")
    made = {event: command(python, f"{folder}/{script}") for event, script in SCRIPTS.items()}
    return made, lambda own: status_command(python, f"{folder}/{STATUS_LINE}", own)
