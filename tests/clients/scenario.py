"""What a person does with an agent, step by step, and what must have reached the model after each."""

from abcd_index.install import entries

from .model import counted, with_last_prompt
from .run import ALPHA, BETA, Terminal


def steps(run):
    """Yield (step, whether it was as it should be or None, what was seen instead)."""
    yield from conversation(run)
    yield from compaction(run)
    yield from places(run)
    yield from sub_agent(run)
    if run.agent.slash:
        yield from slash(run)
    if run.agent.terminal:
        yield from interactive(run)
    yield from leaving(run)


def judged(step, requests, alpha, beta, which=0):
    """A step by the markers in a request: the first one that a prompt led to, unless said otherwise."""
    if not requests:
        return step, False, "the model was not asked"
    seen = counted(requests[which], ALPHA), counted(requests[which], BETA)
    return step, seen == (alpha, beta), "pages in the request: %d and %d, not %d and %d" % (*seen, alpha, beta)


def conversation(run):
    yield judged("match", run.ask("why does auth fail in circles?"), 1, 0)
    yield judged("the same again", run.ask("and again: auth?", again=True), 1, 0)
    yield judged("another page", run.ask("deploy now", again=True), 1, 1)
    yield judged("nothing", run.ask("good morning", again=True), 1, 1)


def compaction(run):
    agent = run.agent
    if agent.compact():
        run.call(agent.compact())
    elif agent.fills:
        run.ask("good evening " + agent.fills, again=True)
        run.ask("good night [[usage 1000]]", again=True)
    else:
        return
    requests = run.ask("once more of auth", again=True)
    yield "after a compaction", any(with_last_prompt(body, ALPHA) for body in requests), "the page did not come again"


def places(run):
    agent = entries.agent(run.agent.name)
    everywhere = agent.looks_up or agent.file.startswith("~/")
    found = int(everywhere)
    yield judged("sub-directory", run.ask("login from below", cwd=run.project / "sub" / "deep"), found, 0)
    if not everywhere:
        said = run.cli("status", cwd=run.project / "sub" / "deep")
        yield "status says that a sub-directory finds no hook", "fires no hook" in said, said
    run.git("worktree", "add", "-q", "-b", "other", str(run.worktree))
    if run.agent.name == "claude":
        run.cli("uninstall")
        run.cli("install")  # Now that there is a worktree it takes the file that serves all.
        yield judged("sub-directory, the local file", run.ask("login, below", cwd=run.project / "sub" / "deep"), 1, 0)
        yield judged("linked worktree, the local file", run.ask("login in a worktree", cwd=run.worktree), 1, 0)
    else:
        run.cli("install", "--agent", run.agent.name, cwd=run.worktree)
        yield judged("linked worktree, installed there", run.ask("login in a worktree", cwd=run.worktree), 1, 0)


def sub_agent(run):
    requests = run.ask("hello [[task find out about login]]")
    own = [body for body in requests if counted(body, "find out about login") and not counted(body, "[[task")]
    if not own:
        yield "a sub-agent's prompt", None, "it was not asked"
        return
    yield "a sub-agent's prompt", not any(counted(body, ALPHA) for body in own), "the page came to the sub-agent"


def slash(run):
    command = run.project / run.agent.slash
    command.parent.mkdir(parents=True, exist_ok=True)
    command.write_text("Look into $ARGUMENTS please\n")
    yield judged("slash command", run.ask("/look auth"), 1, 0)


def interactive(run):
    if run.agent.name == "copilot":
        run.cli("install", "--local")  # Copilot runs these, too.
    else:
        run.cli("install", "--agent", run.agent.name, "--status-line")
    before = len(run.model.requests)
    terminal = Terminal(run)
    try:
        terminal.wait(12)
        terminal.type("why does auth fail [[usage 450000]]")
        asked = terminal.wait(30, lambda: len(run.model.requests) > before)
        yield judged("interactive", run.model.requests[before:] if asked else [], 1, 0)
        terminal.wait(8, lambda: b" page, " in terminal.seen)  # A terminal is sent what changed
        known = [float(one) for one in run.fills() if one != "-"]
        if run.agent.name == "qwen":
            # The window of a model that it does not know has size 0.
            yield "fill is not known", not known, str(known)
            return
        yield "status line", b" page, " in terminal.seen, repr(terminal.seen[-600:])
        yield "fill", any(0 < one < 100 for one in known), str(known)
        terminal.type("/compact")
        terminal.wait(12)
        yield "no command is shown after /compact", b"_hook.py" not in terminal.seen, "its command is on the screen"
        before = len(run.model.requests)
        terminal.type("auth, once more [[usage 1000]]")
        terminal.wait(30, lambda: len(run.model.requests) > before)
        came = [with_last_prompt(body, ALPHA) for body in run.model.requests[before:]]
        yield "after /compact", any(came), "the page did not come again"
    finally:
        terminal.close()
        if run.agent.name == "copilot":
            run.cli("uninstall", "--agent", "claude")


def leaving(run):
    run.cli("uninstall", "--agent", run.agent.name)
    yield judged("uninstalled", run.ask("why does auth fail?"), 0, 0)
