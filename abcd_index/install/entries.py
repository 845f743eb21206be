"""Our entries in an agent's settings file: added once, kept current, taken away. Pure functions from text to text.

Where an agent's entries stand, and what they look like, is in ``agents.json``: installation, status, the docs' table
and the tests read it. Every other entry keeps its bytes; a text that the agent could not read is refused. Our commands
end in a shell comment that names them, so that none of anybody else's is ever taken for ours.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Dict, List, NamedTuple, Tuple

from abcd_index.errors import AbcdError
from abcd_index.install.json_text import cut, is_commented, nodes_of, put, replace, scan
from abcd_index.store.json_positions import Value

MARK = "# abcd-index"
SCRIPTS = {"prompt": "prompt_router_hook.py", "session": "session_hook.py"}
STATUS_LINE = "statusline_hook.py"
PLUGIN = "opencode-plugin.ts"
PLUGIN_MARK = "// abcd-index for opencode"
# Seconds the agent waits at most. The prompt hook gives up by itself long before.
SECONDS = {"prompt": 5, "session": 10}
_TOML_TABLE = re.compile(r"^\[\[hooks\]\][ \t]*\r?\n(?:[^\[\r\n].*(?:\r?\n|\Z))*", re.MULTILINE)
_TOML_OTHER = re.compile(r"^[ \t]*(?:hooks[ \t]*[=.]|\[hooks)", re.MULTILINE)


class BrokenSettings(AbcdError):
    """The file is not what the agent could read; it is left as it is."""

    hint = "mend the file, then run `abcd-index install` again"


class Agent(NamedTuple):
    """A row of ``agents.json`` that ``install`` can do. ``form``: json, toml, script (one file per event) or plugin.

    ``file``: relative to the project, or below ``~/``; ``local``: the one that is not shared. ``under``: the keys that
    lead to the events, ``base``: what else a new file holds, ``entry``: what an event is given, ``flat``: the events
    are a list of such entries. ``events``: {event: prompt or session}. ``host``: the command names the agent.
    ``looks_up``: the agent reads the file from a folder below it, too. ``then``: what a person does afterwards.
    """

    name: str
    title: str
    form: str
    file: str
    local: str
    under: Tuple[str, ...]
    base: Dict[str, Any]
    entry: Any
    flat: bool
    events: Dict[str, str]
    status_line: Tuple[str, ...]
    comments: bool
    host: bool
    looks_up: bool
    then: str


@cache
def table() -> Dict[str, Dict[str, Any]]:
    """All rows of ``agents.json``."""
    with open(os.path.join(os.path.dirname(__file__), "agents.json"), encoding="utf-8") as handle:
        rows: Dict[str, Dict[str, Any]] = json.load(handle)
    return rows


def agents() -> List[str]:
    """The names of the agents that have a file to install into."""
    return [name for name, row in table().items() if "file" in row]


def agent(name: str) -> Agent:
    """The Agent of a name. Raises AbcdError for one that has no such file."""
    row = table().get(name, {})
    if "file" not in row:
        raise AbcdError(f"no agent {name!r} to install into", "one of " + ", ".join(agents()))
    return Agent(
        name,
        row["title"],
        row.get("form", "json"),
        row["file"],
        row.get("local", ""),
        tuple(row.get("under", ())),
        row.get("base", {}),
        row.get("entry"),
        row.get("list", False),
        row["events"],
        tuple(row.get("status line", ())),
        row.get("comments", False),
        row.get("host", False),
        row.get("looks up", False),
        row.get("then", ""),
    )


# What is registered.


def command(python: str, script: str, host: str = "") -> str:
    """The shell command of a hook. A missing interpreter or script is not an error, and no exit status
    but 0 ever comes back: Claude Code takes a 2 (Python's own "no such file") as "reject the prompt"."""
    named = f" --host={host}" if host else ""
    return f"{shlex.quote(python)} -I -S {shlex.quote(script)}{named} || exit 0 {MARK}"


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


def python_of(text: str) -> str | None:
    """The interpreter in one of our commands, also of an earlier release."""
    try:
        words = shlex.split(text, comments=True)
    except ValueError:
        return None
    if "-x" in words[:-1]:
        return words[words.index("-x") + 1]
    return words[0] if words[1:3] == ["-I", "-S"] else None


def scripts_folder() -> str | None:
    """The folder of the hook scripts: beside the package in a checkout, inside it in a wheel. Or None."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (os.path.join(package, "_hooks"), os.path.join(os.path.dirname(package), "hooks")):
        if os.path.isfile(os.path.join(folder, SCRIPTS["prompt"])):
            return folder
    return None


def bare_python() -> str:
    """The interpreter below the virtual environment: it starts faster and outlives the environment."""
    python: str = getattr(sys, "_base_executable", None) or sys.executable
    return python.replace("\\", "/")


def _here() -> str:
    folder = scripts_folder()
    if folder is None:
        raise AbcdError("the hook scripts are missing from this installation", "install abcd-index again")
    return folder.replace("\\", "/")


def commands(of: Agent) -> Dict[str, str]:
    """{event: command} of this installation. Raises AbcdError."""
    folder, host = _here(), of.name if of.host else ""
    return {event: command(bare_python(), f"{folder}/{SCRIPTS[kind]}", host) for event, kind in of.events.items()}


def status_line() -> Callable[[str], str]:
    """The function for ``add``'s status line of this installation. Raises AbcdError."""
    folder = _here()
    return lambda own: status_command(bare_python(), f"{folder}/{STATUS_LINE}", own)


def made_payload(of: Agent, event: str, root: str, prompt: str) -> Dict[str, Any]:
    """A payload like those of the agent, to try its hook with. No session is named, so none is changed."""
    said = {"prompt": prompt} if of.events.get(event) == "prompt" else {}
    if of.name == "cline":
        return {"clineVersion": "", "hookName": event, "workspaceRoots": [root], "userPromptSubmit": said}
    if of.name == "cursor":
        return {"cursor_version": "", "hook_event_name": event, "workspace_roots": [root], **said}
    if of.name == "copilot":
        return {"timestamp": 0, "cwd": root, **said}
    event = "UserPromptSubmit" if of.form == "plugin" else event
    return {"transcript_path": "", "cwd": root, "hook_event_name": event, **said}


# Texts of all forms.


def add(text: str, of: Agent, wanted: Mapping[str, str], line: Callable[[str], str] | None = None) -> str:
    """``text`` with an entry for each ``{event: command}`` of ``wanted``.

    ``line(own)`` gives the status line's command around ``own``, the one that is there. An entry of ours that says
    something else is brought up to date where it stands; a second one, and one of an event that is not wanted, is taken
    out. Raises BrokenSettings; ``text`` may be '' for a file that is not there.
    """
    if of.form == "toml":
        return _add_toml(text, of, wanted)
    if of.form == "script":
        return _add_script(text, wanted)
    if of.form == "plugin":
        return _add_plugin(text)
    if not text.strip():
        text = json.dumps(of.base, indent=2) + "\n"
    for key, value in of.base.items():
        top = _top(text, of)
        if key not in top.members:
            text = put(text, top, key, value)
    for event in {found.event for found in _handlers(_top(text, of), of)} - set(wanted):
        text = _without(text, of, event)
    for event, said in wanted.items():
        text = _settle(text, of, event, said)
    return _add_status_line(text, of, line) if line is not None else text


def remove(text: str, of: Agent) -> str:
    """``text`` without our entries, and without the groups and lists that they leave empty; '' for no file."""
    if of.form == "toml":
        return _TOML_TABLE.sub(lambda found: "" if MARK in found.group() else found.group(), text)
    if of.form in ("script", "plugin"):
        return "" if registered(text, of) else text
    text = _without(text, of)
    top = _top(text, of)
    line = top.get(*of.status_line, "command") if of.status_line else None
    if line is None or not is_ours(line.text):
        return text
    own = own_command(line.text or "")
    if own:
        return replace(text, line, own)
    above = top.get(*of.status_line[:-1]) or top
    if len(above.members) == 1 and above is not top:
        return cut(text, top, list(top.members).index(of.status_line[0]))
    return cut(text, above, list(above.members).index(of.status_line[-1]))


def registered(text: str, of: Agent) -> Dict[str, str]:
    """{event or 'statusLine': our command} of a text. Raises BrokenSettings."""
    found: Dict[str, str] = {}
    if of.form == "toml":
        for block in _TOML_TABLE.findall(text):
            event, said = (
                re.search(rf'^{key} *= *(".*")[ \t]*\r?$', block, re.MULTILINE) for key in ("event", "command")
            )
            if event and said and is_ours(json.loads(said.group(1))):
                found.setdefault(json.loads(event.group(1)), json.loads(said.group(1)))
        return found
    if of.form == "script":
        lines = text.splitlines()
        return {"": lines[1]} if len(lines) == 2 and lines[0] == "#!/bin/sh" and is_ours(lines[1]) else {}
    if of.form == "plugin":
        # What the plugin runs is noted in the user's own folder; this is the same.
        return commands(of) if text.startswith(PLUGIN_MARK) else {}
    top = _top(text, of)
    for handler in _handlers(top, of):
        found.setdefault(handler.event, handler.command.text or "")
    line = top.get(*of.status_line, "command") if of.status_line else None
    if line is not None and line.text is not None and is_ours(line.text):
        found["statusLine"] = line.text
    return found


def says_nothing(text: str, of: Agent) -> bool:
    """Whether a text that our entries were taken from is what a new file begins with, or empty."""
    return not text.strip() or of.form == "json" and set(_top(text, of).members) <= set(of.base)


# JSON.


class Handler(NamedTuple):
    """One of our commands: its event, and the way to it: each value that holds it and its number there."""

    event: str
    way: Tuple[Tuple[Value, int], ...]
    command: Value


def _top(text: str, of: Agent) -> Value:
    try:
        top = scan(text, of.comments)
    except (ValueError, RecursionError) as error:
        said = f"{of.title} reads no comments there, " if "a comment" in str(error) else ""
        raise BrokenSettings(f"not JSON: {said}{error}") from None
    return _of(top, "object", "the document")


def _of(node: Value, kind: str, name: str) -> Value:
    if node.kind != kind:
        raise BrokenSettings(f"{name} is not {'an object' if kind == 'object' else 'an array'}")
    return node


def _handlers(top: Value, of: Agent) -> Iterator[Handler]:
    """Each of our handlers, in order."""
    way: List[Tuple[Value, int]] = []
    events: Value | None = top
    for key in of.under:
        if events is None or key not in events.members:
            return
        way.append((events, list(events.members).index(key)))
        events = events.members[key]
    if events is None:
        return
    for number, node in enumerate(nodes_of(events)):
        trigger = node.get("trigger")
        event = list(events.members)[number] if events.kind == "object" else (trigger and trigger.text) or ""
        if events.kind == "list" or node.kind == "list":
            yield from _ours(node, event, (*way, (events, number)))


def _ours(node: Value, event: str, way: Tuple[Tuple[Value, int], ...]) -> Iterator[Handler]:
    if is_ours(node.text):
        yield Handler(event, way, node)
    for number, inner in enumerate(nodes_of(node)):
        yield from _ours(inner, event, (*way, (node, number)))


def _without(text: str, of: Agent, event: str | None = None) -> str:
    """Without our handlers, of one event or of all."""
    while True:
        top = _top(text, of)
        found = next((one for one in _handlers(top, of) if event in (None, one.event)), None)
        if found is None:
            return text
        text = _drop(text, found)


def _drop(text: str, found: Handler) -> str:
    """Without one handler, and what it leaves empty: its group, its event, what holds the events."""
    at = max(number for number, (node, _) in enumerate(found.way) if node.kind == "list")
    while at and len(nodes_of(found.way[at][0])) == 1 and not is_commented(text, found.way[at][0]):
        at -= 1
        if found.way[at][0].kind == "object" and at and found.way[at - 1][0].kind == "list":
            at -= 1  # A group goes with its handlers, whatever else it says.
    node, number = found.way[at]
    return cut(text, node, number)


def _settle(text: str, of: Agent, event: str, wanted: str) -> str:
    ours = [found for found in _handlers(_top(text, of), of) if found.event == event]
    for found in reversed(ours[1:]):
        text = _drop(text, found)
    if ours:
        node = ours[0].command
        return text if node.text == wanted else replace(text, node, wanted)
    entry = _filled(of.entry, event, wanted, SECONDS[of.events[event]])
    top = _top(text, of)
    events = top.get(*of.under)
    name = ".".join(of.under)
    if events is None:
        return put(text, top, of.under[0], [entry] if of.flat else {event: [entry]})
    if of.flat:
        return put(text, _of(events, "list", name), None, entry)
    groups = _of(events, "object", name).get(event)
    if groups is None:
        return put(text, events, event, [entry])
    return put(text, _of(groups, "list", f"{name}.{event}".lstrip(".")), None, entry)


def _filled(entry: Any, event: str, said: str, seconds: int) -> Any:
    """An entry with its command and its time in the place of their names."""
    if isinstance(entry, dict):
        return {key: _filled(value, event, said, seconds) for key, value in entry.items()}
    if isinstance(entry, list):
        return [_filled(value, event, said, seconds) for value in entry]
    names: Dict[Any, Any] = {"COMMAND": said, "EVENT": event, "SECONDS": seconds, "MILLISECONDS": 1000 * seconds}
    return names.get(entry, entry)


def _add_status_line(text: str, of: Agent, status_line: Callable[[str], str]) -> str:
    if not of.status_line:
        return text
    top = _top(text, of)
    line = top.get(*of.status_line)
    if line is None:
        entry: Any = {"type": "command", "command": status_line("")}
        for deep in range(len(of.status_line) - 1, 0, -1):
            above = top.get(*of.status_line[:deep])
            if above is not None:
                return put(text, _of(above, "object", of.status_line[deep - 1]), of.status_line[deep], entry)
            entry = {of.status_line[deep]: entry}
        return put(text, top, of.status_line[0], entry)
    node = _of(line, "object", ".".join(of.status_line)).get("command")
    if node is None or node.text is None:
        raise BrokenSettings("statusLine has no command")
    own = own_command(node.text) if is_ours(node.text) else node.text
    wanted = status_line(own)
    return text if node.text == wanted else replace(text, node, wanted)


# The other forms.


def _add_toml(text: str, of: Agent, wanted: Mapping[str, str]) -> str:
    """A table of the array ``hooks`` for each event. TOML reads a text in double quotes as JSON does."""
    if registered(text, of) == dict(wanted):
        return text
    text = remove(text, of)
    if _TOML_OTHER.search(_TOML_TABLE.sub("", text)):
        raise BrokenSettings("hooks is there, and not as [[hooks]] tables")
    text += "\n" if text and not text.endswith("\n") else ""
    for event, said in wanted.items():
        rows = ("event", event), ("command", said), ("timeout", SECONDS[of.events[event]])
        text += "[[hooks]]\n" + "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in rows)
    return text


def _add_script(text: str, wanted: Mapping[str, str]) -> str:
    (said,) = wanted.values()
    after = f"#!/bin/sh\n{said}\n"
    lines = text.splitlines()
    if text.strip() and not (len(lines) == 2 and is_ours(lines[1])):
        broken = BrokenSettings("somebody else's script")
        broken.hint = f"let it run this line: {said}"
        raise broken
    return after


def _add_plugin(text: str) -> str:
    if text.strip() and not text.startswith(PLUGIN_MARK):
        raise BrokenSettings("somebody else's file")
    with open(os.path.join(_here(), PLUGIN), encoding="utf-8") as handle:
        return handle.read()
