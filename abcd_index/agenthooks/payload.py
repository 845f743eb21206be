"""What each coding agent's hook sends, and the envelope that it reads an answer from.

Prompt path: imports nothing. An agent is recognised by the shape of its payload; where two look alike a
``--host=NAME`` in the registered command decides. ``docs/how-to/agents.md`` says in which version each
was seen.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PROMPT = "UserPromptSubmit"
# Around a compaction. Gemini fires its own before every call of the model and says "auto"; of those nobody knows
# whether anything was compacted, so only a person's own counts.
EMPTIED = ("precompact", "postcompact")
GUESSED = "precompress"
FILES = "\n--- Content from referenced files ---\n"

# Agents that read `hookSpecificOutput` need no entry. '' means: this agent cannot take context, stay silent.
COPILOT, CURSOR, CLINE, KIRO, KIMI = "copilot", "cursor", "cline", "kiro", "kimi"
SILENT = ("windsurf", "antigravity")
HOSTS = (
    "claude",
    "codex",
    "gemini",
    "qwen",
    "droid",
    "devin",
    "vscode",
    "tabnine",
    "opencode",
    COPILOT,
    CURSOR,
    CLINE,
    KIRO,
    KIMI,
) + SILENT

# Codex counts tokens as bytes / 4 and spills what is over 2,500 of them into a file.
BYTES = {"codex": 10000}


class Call:
    """One payload, read.

    ``host``; ``event``: the hook event as received; ``prompt``: text, '' when there is none; ``cwd``:
    as received or None; ``session`` and ``turn``: text, '' when not given; ``subagent``: the prompt is a
    sub-agent's; ``source``: why a session started, or ''; ``begins``: the session does with this call;
    ``emptied``: the session's context was emptied or is about to be.
    """

    __slots__ = ("host", "event", "prompt", "cwd", "session", "turn", "subagent", "source", "begins", "emptied")

    def __init__(
        self, host: str, payload: "dict[str, Any]", names: "tuple[object, object, object, object]", event: str
    ) -> None:
        get = payload.get
        prompt, cwd, session, turn = names
        self.host = host
        self.event = event
        self.prompt = words(prompt)
        self.cwd = cwd if isinstance(cwd, str) else None
        self.session = name(session)
        self.turn = name(turn)
        # Cline gives every agent an id, its own first one too.
        self.subagent = bool(get("parent_agent_id") if host == CLINE else get("agent_id") or get("agentId"))
        source, event = get("source"), event.lower()
        self.source = source if isinstance(source, str) else ""
        self.begins = event in ("sessionstart", "agentspawn")
        self.emptied = (
            event in EMPTIED
            or (event == GUESSED and get("trigger") == "manual")
            or (self.begins and self.source in ("clear", "compact"))
        )


def read_call(payload: "dict[str, Any]", forced: str = "", environ: "Callable[[str], str] | None" = None) -> "Call":
    """``payload``: the JSON object on the hook's stdin (dict). ``forced``: a host name that wins over the shape.
    ``environ``: name -> text, asked for what a payload leaves out of Copilot and Cursor. Returns a Call."""
    get = payload.get
    host = forced if forced in HOSTS else detect(payload, environ)
    said = get("hook_event_name") or get("hookEventName") or get("hookName")
    event = said if isinstance(said, str) and said else PROMPT
    known = event is said
    names: tuple[object, object, object, object]
    if host == CLINE:
        inner = get("userPromptSubmit")
        inner = inner if isinstance(inner, dict) else {}
        names = inner.get("prompt"), first(get("workspaceRoots")), get("taskId"), get("timestamp")
    elif host == CURSOR:
        names = (
            get("prompt"),
            cursor_folder(get, environ),
            get("conversation_id") or get("session_id"),
            get("generation_id"),
        )
    elif host == COPILOT and not known:
        # Copilot's camelCase events do not say their name: a start has a source, a compaction what began it.
        if "trigger" in payload:
            event = "preCompact"
        elif "prompt" not in payload and ("source" in payload or "initialPrompt" in payload):
            event = "sessionStart"
        names = get("prompt"), get("cwd"), get("sessionId"), None
    else:
        submitted = get("submitted_prompt")
        prompt = submitted if isinstance(submitted, str) else typed(get("prompt"), event)
        names = (
            prompt,
            get("cwd"),
            first_of(get("session_id"), get("sessionId")),
            first_of(get("prompt_id"), get("turn_id")),
        )
    return Call(host, payload, names, event)


def detect(payload: "dict[str, Any]", environ: "Callable[[str], str] | None" = None) -> str:
    """The name of the agent that sends such a payload; 'claude' for all that keep to its shape."""
    get = payload.get
    if "clineVersion" in payload or isinstance(get("userPromptSubmit"), dict):
        return CLINE
    if "cursor_version" in payload or ("conversation_id" in payload and "generation_id" in payload):
        return CURSOR
    if "agent_action_name" in payload:
        return "windsurf"
    if "stepIdx" in payload or "conversationId" in payload:
        return "antigravity"
    if "sessionId" in payload and "session_id" not in payload:
        return "vscode" if "hookEventName" in payload else COPILOT
    event = get("hook_event_name")
    if event == "BeforeAgent":
        return "gemini"
    if event in ("userPromptSubmit", "agentSpawn"):
        return KIRO
    if "turn_id" in payload:
        return "codex"
    mode = get("permission_mode")
    if isinstance(mode, str) and (mode in ("off", "spec") or mode.startswith("auto-")):
        return "droid"
    if "transcript_path" in payload:
        return "qwen" if "submitted_prompt" in payload or "timestamp" in payload else "claude"
    return without_transcript(payload, environ)


def without_transcript(payload: "dict[str, Any]", environ: "Callable[[str], str] | None") -> str:
    """The agent among those with Claude's names that say nothing of a transcript. Copilot runs the hooks of a project's
    .claude/settings.json so."""
    if payload.get("client_type") == "kimi_code_cli":
        return KIMI
    if "submitted_prompt" in payload:
        return "qwen"
    if "timestamp" in payload or (environ is not None and environ("COPILOT_CLI") == "1"):
        return COPILOT
    return "claude"


def envelope(host: str, event: str, text: str, quote: "Callable[[str], str]") -> bytes:
    """The bytes to print so that ``host`` gives ``text`` to its model; b'' where it cannot.

    ``quote``: text -> JSON string in ASCII. Exactly these keys: Codex refuses any other.
    """
    if host in SILENT:
        return b""
    if host == KIRO:
        return text.encode("utf-8", "replace") + b"\n"
    said = quote(text)
    if host == COPILOT:
        answer = '{"additionalContext":' + said + "}"
    elif host == CURSOR:
        answer = '{"additional_context":' + said + "}"
        if event.lower() != "sessionstart":
            answer = '{"continue":true,' + answer[1:]
    elif host == CLINE:
        answer = '{"cancel":false,"contextModification":' + said + ',"errorMessage":""}'
    else:
        key = '"message":' if host == KIMI else '"additionalContext":'
        answer = '{"hookSpecificOutput":{"hookEventName":' + quote(event) + "," + key + said + "}}"
    return answer.encode("ascii")


def typed(prompt: object, event: str) -> object:
    """What a person typed of a prompt of Gemini's, which puts the text of each file named as ``@file`` behind it."""
    return prompt.partition(FILES)[0] if event == "BeforeAgent" and isinstance(prompt, str) else prompt


def words(prompt: object) -> str:
    """The text of a prompt that is text, or a list of parts (text, or objects with ``text``); else ''."""
    if isinstance(prompt, str):
        return prompt
    if not isinstance(prompt, list):
        return ""
    parts = [part.get("text") if isinstance(part, dict) else part for part in prompt]
    return "\n".join([part for part in parts if isinstance(part, str)])


def name(value: object) -> str:
    """An id as text: numbers count as written, anything else that is no text is no id."""
    if isinstance(value, str):
        return value
    return str(value) if type(value) is int else ""


def first(values: object) -> object:
    """The first of a list, or None."""
    return values[0] if isinstance(values, list) and values else None


def first_of(one: object, other: object) -> object:
    """``one`` unless it is missing."""
    return other if one is None else one


def cursor_folder(get: "Callable[[str], object]", environ: "Callable[[str], str] | None") -> object:
    """Cursor's workspace: in the payload, else in the environment; its CLI sends an empty ``cwd``."""
    found = first(get("workspace_roots")) or get("cwd")
    if not found and environ is not None:
        found = environ("CURSOR_PROJECT_DIR") or environ("CLAUDE_PROJECT_DIR")
    return found
