"""The prompt hook: stdin JSON in, one JSON object or nothing out, exit status 0 whatever happens.

Prompt path. Loads what a prompt needs and no more: one that matches nothing ends after the lookup. The
answer is sent before anything is written down, so that only what was sent is remembered.
"""

import sys

from abcd_index.agenthooks import io
from abcd_index.agenthooks.payload import SILENT, envelope, read_call
from abcd_index.scopes import Places, find_scopes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from abcd_index.agenthooks.decide import Search
    from abcd_index.agenthooks.io import Session
    from abcd_index.agenthooks.payload import Call
    from abcd_index.agenthooks.prompt import Prompt
    from abcd_index.scopes import Scope

# Kiro before 1.0 gives the prompt in the environment and never says anything on stdin.
KIRO_WAIT = 0.2
# Bytes of the user's own settings that are read.
LARGEST_CONFIG = 1 << 16


def main() -> None:
    """The process: never returns."""
    try:
        places = Places()
        in_env = places.get("USER_PROMPT")
        deadline = io.deadline(places)
        io.arm(KIRO_WAIT if in_env else deadline)
        data, payload = io.read_all()
        if in_env:
            io.arm(deadline)
            if not data:
                payload = {"prompt": in_env, "hook_event_name": "userPromptSubmit", "cwd": io.working_directory()}
        if payload is not None and places.get("ABCD_INDEX") != "0":
            respond(payload, places, forced_host(sys.argv))
    except BaseException as error:
        report(error)
    io.leave()


def respond(
    payload: "dict[str, Any]", places: "Places", forced: str = "", send: "Callable[[bytes], bool]" = io.send
) -> None:
    """Answer one payload (dict) through ``send(bytes) -> whether it went out``."""
    call = read_call(payload, forced, places.get)
    if call.subagent or not call.prompt or call.host in SILENT:
        return
    scopes = find_scopes(call.cwd, places)
    if not scopes:
        return
    io.preload("lookup")
    if "\n" in call.prompt:
        io.preload("segment")
    from abcd_index.agenthooks.decide import Search
    from abcd_index.agenthooks.prompt import Prompt

    prompt = Prompt(call.prompt)
    if prompt.machine or prompt.empty:
        return
    search = Search(prompt, scopes)
    try:
        session = io.session_of(call.session, places, make=search.found)
        if not search.found:
            # A slash command that says nothing else is no prompt of a person's.
            if session is not None and not prompt.command:
                io.tick(session, call.turn, call.prompt)
            _count_misses(prompt, search, places)
            stale = [scope for scope, artefact in search.open if io.moved(scope, artefact)]
        else:
            stale = _answer(call, search, session, send)
    finally:
        search.close()
    if stale or search.old or search.problems:
        from abcd_index.agenthooks.rebuild import mend, rebuild

        for scope, error in search.problems:
            report(error)
            mend(scope, error, places)
        for scope in stale + search.old:
            rebuild(scope, places)


def _count_misses(prompt: "Prompt", search: "Search", places: "Places") -> None:
    """Where the user's own settings ask for it: note the words that a page says and that brought nothing."""
    user = places.real_user()
    config = io.content(user + "/config.json", LARGEST_CONFIG) if user else None
    if config and b'"misses"' in config:
        from abcd_index.agenthooks.misses import count, switched_on

        if switched_on(config):
            count(prompt, search.open, places)


def _answer(
    call: "Call", search: "Search", session: "Session | None", send: "Callable[[bytes], bool]"
) -> "list[Scope]":
    """Send what the prompt brings and keep what was sent. Returns the scopes that are stale."""
    io.preload("matched")
    from abcd_index.agenthooks import ledger as ledgers
    from abcd_index.agenthooks.decide import outcome_of
    from abcd_index.agenthooks.fill import read_fill

    ledger, said = None, ""
    if session is not None:
        said = io.said(session, call.turn, call.prompt)
        ledger = ledgers.read_ledger(session, search.settings["refresh_every"], said)
    outcome = outcome_of(search, read_fill(session), ledger, search.settings, by_bytes=call.host == "codex")
    answer = envelope(call.host, call.event, outcome.text, io.quote) if outcome.text else b""
    if session is None or ledger is None:
        if answer:
            _send(answer, send)
    elif not answer:
        io.tick(session, call.turn, call.prompt)
    else:
        keys = [artefact.header["key"] for _, artefact in search.open]
        marker = io.marked(session, call.turn, call.prompt, outcome.bracket, *keys)
        if ledgers.first_delivery(session, ledger, marker):
            if _send(answer, send):
                ledgers.note(session, ledger, outcome.bracket, marker, said, outcome.marks)
            else:
                io.remove(session.path + io.ONCE + marker)
    return outcome.stale


def _send(answer: bytes, send: "Callable[[bytes], bool]") -> bool:
    # From here on there is nothing to wait for, and half an answer is worse than a late one.
    io.arm(0)
    return send(answer)


def forced_host(argv: "list[str]") -> str:
    """The host named by ``--host=NAME``, or ''. Other arguments mean nothing to a hook."""
    for argument in argv[1:]:
        if argument.startswith("--host="):
            return argument[7:]
    return ""


def report(error: BaseException) -> None:
    """Tell whoever debugs a hook what went wrong; everybody else sees nothing."""
    try:
        # Without a stderr Python would print to stdout, which is the agent's.
        if sys.stderr is not None and Places().get("ABCD_DEBUG"):
            from traceback import print_exception

            print_exception(type(error), error, error.__traceback__, file=sys.stderr)
            sys.stderr.flush()
    except BaseException:
        pass
