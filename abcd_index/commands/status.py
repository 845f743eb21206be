"""``abcd-index status``: what is where, how fresh it is, what is installed, and what to do next.

With ``check`` it is the doctor: every hook is run as git would run it, every registered command exactly as
it stands, and what does not answer is a problem (exit status 1). Changes nothing.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from abcd_index.commands import status_facts as facts
from abcd_index.commands.console import FAILED, FINDINGS, OK, Console, count
from abcd_index.commands.status_facts import Facts
from abcd_index.errors import AbcdError
from abcd_index.githooks.files import LINE, VERSION
from abcd_index.install.agents import CLAUDE
from abcd_index.install.project import find, shown
from abcd_index.scopes import Places

AGENT_EVENTS = ("UserPromptSubmit", "SessionStart")


def run(
    root: str | None = None,
    as_json: bool = False,
    check: bool = False,
    console: Console | None = None,
    places: Places | None = None,
) -> int:
    """Report. Returns 0; 1 when there is no store at all, or with ``check`` a problem; 2 when a scope is refused."""
    console, places = console or Console(), places or Places()
    report = gather(root, check, places)
    refused = [scope for scope in report["scopes"] if scope["state"] == "refused"]
    if as_json:
        console.data(report, indent=2)
    else:
        _print(report, console)
    for scope in refused:
        console.complain(scope["error"], scope["hint"], scope["scope"])
    if refused:
        return FAILED
    if not report["scopes"] or (check and report["problems"]):
        return FINDINGS
    return OK


def gather(root: str | None, check: bool, places: Places) -> Facts:
    """The whole report as plain values: ``scopes``, ``home``, ``git``, ``agent``, ``fill``, ``problems``, ``next``."""
    try:
        project = find(root, places)
    except (AbcdError, OSError):  # What is refused is part of the report, as long as there is a folder to speak of.
        project = find(root, places, with_scope=False)
    keyword = facts.a_keyword(project) if check else ""
    report: Facts = {
        "root": project.root,
        "scopes": facts.scopes(project.root, places),
        "home": facts.home(places),
        "git": facts.git(project, check),
        "agent": facts.agent(project, places, check, keyword),
        "interpreter": facts.interpreter(places),
    }
    report["fill"] = facts.fill(project, places, report["agent"])
    report["problems"] = problems(report)
    report["next"] = advice(report)
    report["ok"] = not report["problems"]
    return report


def problems(report: Facts) -> list[str]:
    """Sentences on what is wrong, worst first. What is only not installed is no problem but advice."""
    found = [_scope_problem(scope) for scope in report["scopes"] if scope["state"] not in ("current", "missing")]
    home = report["home"]
    if not home["used"]:
        found.append(
            "there is no folder of your own that can be written"
            + (f" ({home['path']})" if home["path"] else "")
            + ": the prompt hook is silent"
        )
    if home["open"]:
        found.append(f"others can look into {home['path']}, which is yours alone")
    return found + _installed(report)


def _installed(report: Facts) -> list[str]:
    """The sentences on what an installation left, which another one can put right."""
    found: list[str] = []
    for hook in report["git"].get("hooks", ()):
        found += _hook_problems(hook)
    for entry in report["agent"]:
        found += _agent_problems(entry)
    seen = [(entry["agent"], entry["event"]) for entry in report["agent"] if "event" in entry]
    found += [
        f"{event} is registered in two settings files: it runs twice"
        for agent, event in dict.fromkeys(seen)
        if seen.count((agent, event)) > 1
    ]
    noted = report["interpreter"]
    if noted and not noted["exists"]:
        found.append(f"the interpreter noted for background builds is gone: {noted['path']}")
    return found


def _scope_problem(scope: Facts) -> str:
    said = {
        "refused": "scope is refused",
        "foreign": "scope's artefact came from elsewhere and was not reproduced "
        "here yet: the prompt hook does not use it",
        "dangling": "scope's artefact is missing",
    }
    what = said.get(scope["state"], f"scope's artefact is {scope['state']}")
    return f"the {scope['scope']} {what}" + (f": {scope['error']}" if "error" in scope else "")


def _hook_problems(hook: Facts) -> Iterator[str]:
    name = hook["hook"]
    installed = hook["state"] in ("own", "beside", "kept")
    if installed and not hook["runs"]:
        yield f"{name} is not executable: git skips it"
    if installed and hook["version"] != VERSION:
        yield f"{name} is of another release (version {hook['version']}, this one has {VERSION})"
    if hook["crlf"] and hook["state"] != "absent":
        yield f"{name} has CRLF line ends: git cannot run it; keep hooks with `eol=lf` in .gitattributes"
    if hook.get("mode_in_git") not in (None, "", "100755"):
        yield (
            f"{name} is committed with mode {hook['mode_in_git']}, so that clones skip it: "
            "`git update-index --chmod=+x` mends that"
        )
    if hook.get("answers") is False:
        yield f"{name} did not answer when git ran it"
    if installed and hook["python"] and not os.access(hook["python"], os.X_OK):
        yield f"{name} names an interpreter that is gone: {hook['python']}"
    elif hook.get("python_works") is False:
        yield f"{name} names an interpreter that cannot import abcd-index: {hook['python']}"


def _agent_problems(entry: Facts) -> Iterator[str]:
    if "error" in entry:
        yield f"{entry['file']}: {entry['error']}"
    elif entry["python"] and not os.access(entry["python"], os.X_OK):
        yield f"{entry['event']} names an interpreter that is gone: {entry['python']}"
    elif entry.get("answers") is False:
        yield f"{entry['event']} did not answer: status {entry['status']}, {entry.get('stderr') or 'nothing said'}"


def advice(report: Facts) -> list[str]:
    """Sentences on what to do next."""
    found = []
    by_name = {scope["scope"]: scope for scope in report["scopes"]}
    if "workspace" not in by_name:
        found.append("`abcd-index init` starts a store in this project")
    stale = [scope["scope"] for scope in report["scopes"] if scope["state"] not in ("current", "refused")]
    if stale:
        found.append(f"`abcd-index build` makes the artefact of {' and '.join(stale)} current")
    found += [scope["hint"] for scope in report["scopes"] if scope.get("hint")]
    home = report["home"]
    if not home["used"]:
        found.append("set ABCD_HOME to a folder of yours that can be written, then run `abcd-index build`")
    if home["open"] or home["files"]:
        files = f": {count(home['files'], 'file')} with a mode that lets others in" if home["files"] else ""
        found.append(f"`chmod -R go= {shlex.quote(home['path'])}` keeps your pages to yourself{files}")
    git = report["git"]
    missing = [hook["hook"] for hook in git.get("hooks", ()) if hook["state"] in ("absent", "foreign")]
    names = {entry["agent"] for entry in report["agent"]}
    events = {entry.get("event") for entry in report["agent"] if entry["agent"] == CLAUDE}
    wanting = [event for event in AGENT_EVENTS if event not in events and (not names or CLAUDE in names)]
    found += _unread(report)
    if git.get("not_ours") and missing:
        found.append(f"add to {', '.join(missing)} in {git['hooks_folder']}: {LINE}")
    elif missing or wanting:
        found.append("`abcd-index install` puts the hooks in place")
    elif _installed(report) and not stale:
        found.append("`abcd-index install` puts right what can be")
    if not report["fill"]["registered"] and report["fill"]["heard"] is None:
        found.append(
            "`abcd-index install --status-line` lets recall know how full the window is; "
            "without it prompts count as MODERATE"
        )
    return found


def _unread(report: Facts) -> Iterator[str]:
    """The agents that would find none of their hooks, started here."""
    titles = {entry["title"] for entry in report["agent"] if "event" in entry}
    for title in sorted(titles - {entry["title"] for entry in report["agent"] if entry.get("read_here")}):
        said = f"{title}, started here, fires no hook: start it in {report['root']}"
        yield said + (", run `abcd-index install --local` there, or take the plugin" if "Claude" in title else "")


def _print(report: Facts, console: Console) -> None:
    base = report["root"]
    console.line(f"project    {base}")
    for scope in report["scopes"]:
        console.line(f"{scope['scope']:<9}  {_scope(scope, base)}")
    if not report["scopes"]:
        console.line("scopes     none: no .abcd/memory here or above, and no user store")
    _print_git(report["git"], base, console)
    _print_agent(report["agent"], base, console)
    console.line(f"fill       {_fill(report['fill'])}")
    noted = report["interpreter"]
    console.line(f"builds     {noted['path']}" if noted else "builds     no interpreter noted yet")
    for problem in report["problems"]:
        console.line((f"problem    {problem}", "red"))
    for sentence in report["next"]:
        console.line(f"next       {sentence}")
    if not report["problems"] and not report["next"]:
        console.line("next       nothing: all is in place")


def _scope(scope: Facts, base: str) -> str:
    if scope["state"] == "refused":
        return f"refused: {scope['error']}"
    where = shown(scope["store"], base)
    if scope["allowed_by"]:
        where += f' (allowed by {scope["allowed_by"]} under "stores" in your settings)'
    if scope["key"] is None:
        said = {
            "missing": "no artefact yet",
            "dangling": scope.get("error", ""),
            "foreign": "an artefact that came from elsewhere, not used before a build",
        }
        return f"{where}: {said.get(scope['state'], 'artefact ' + scope['state'])}"
    kept = ", kept in git" if scope["tracked"] else ""
    return (
        f"{where}: {count(scope['pages'], 'page')}, artefact {scope['state']} ({scope['key'][:12]}, "
        f"{scope['size']:,} bytes, {scope['origin']}{kept})"
    )


def _print_git(git: Facts, base: str, console: Console) -> None:
    if git["repository"] is None:
        console.line(f"git        {git['why']}")
        return
    linked = " (a linked worktree: its hooks are shared)" if git["linked"] else ""
    console.line(f"git        hooks from {shown(git['hooks_folder'], base)}{linked}")
    for entry in git["hooks_path"]:
        console.line(f"           core.hooksPath ({entry['scope']}) = {entry['value']}, from {entry['origin']}")
    if git["not_ours"]:
        console.line(f"           not ours to write: {git['not_ours']}")
    for hook in git["hooks"]:
        console.line(f"           {hook['hook']:<16}{_hook(hook)}")


def _hook(hook: Facts) -> str:
    said = {
        "absent": "not installed",
        "foreign": "another tool's, without us",
        "own": "installed",
        "beside": "installed before another tool's",
        "kept": f"installed before {hook['kept']}",
        "calls": "another tool's, calls us",
    }[hook["state"]]
    python = f", starts {hook['python']}" if hook["python"] else ""
    tried = {True: ", answers", False: ", DOES NOT ANSWER", None: ""}[hook.get("answers")]
    return said + tried + python


def _print_agent(entries: list[Facts], base: str, console: Console) -> None:
    if not entries:
        console.line("agent      no hooks registered for an agent in this project")
    for entry in entries:
        where = shown(entry["file"], base)
        if "error" in entry:
            console.line(f"agent      {where}: {entry['error']}")
            continue
        tried = ""
        if "status" in entry:
            tried = f", {'answers' if entry['answers'] else 'DOES NOT ANSWER'} in {entry['milliseconds']} ms"
            tried += f" (Python {entry['python_version']})" if entry["python_version"] else ""
        console.line(f"agent      {entry['event']} in {where}: {entry['python']}{tried}")


def _fill(fill: Facts) -> str:
    heard = "no figure heard yet" if fill["heard"] is None else f"last figure {_ago(fill['heard'])} ago"
    return ("status line registered here, " if fill["registered"] else "no status line registered here, ") + heard


def _ago(seconds: int) -> str:
    for size, word in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return count(seconds // size, word)
    return count(seconds, "second")
