"""The figures: what is measured in which workspace. Each function adds its raw rows to a Result."""

import json
import shutil
import sys
from pathlib import Path

from . import git_ops, tools, workspaces
from .peers import installed
from .peers.prepare import prepare
from .timing import Command, bare, measure
from .workspaces import AGAIN, FEW, NOTHING, SHARED, THREE, Workspace, paste

OWN = "abcd-index"
PEERS = (
    "frontmatter_scan",
    "plain_scan",
    "plain_scan_tuned",
    "sqlite_fts5",
    "sqlite_keys",
    "json_whole",
    "json_whole_orjson",
    "node_scan",
)
INSTALLED = ("aelfrice",)
TITLES = ("auth_login", "auth_tokens", "login_loop")


class WrongWork(Exception):
    """A command that is about to be timed does not do the work it is timed for."""


def context(command):
    """What a hook injects, '' when it is silent. Raises WrongWork when it fails."""
    done = command.output()
    if done.returncode:
        raise WrongWork(f"{command.name}: exit {done.returncode}: {done.stderr.decode(errors='replace')[-400:]}")
    return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout.strip() else ""


def expect(command, *, whole=(), any_text=None):
    """Check one run: every page of ``whole`` is there, or (``any_text``) that there is or is not any text."""
    text = context(command)
    missing = [name for name in whole if name not in text]
    if missing or (whole and len(text) < 5_000):
        raise WrongWork(f"{command.name}: {missing or 'bodies'} missing from {len(text)} characters")
    if any_text is not None and bool(text) != any_text:
        raise WrongWork(f"{command.name}: {'silent' if any_text else 'not silent'}")
    return command


def hook_cases(workspace):
    """(case, command) for each kind of prompt, each checked to do its work."""
    make = workspace.hook
    yield "three", expect(make("three", THREE), whole=TITLES)
    yield "nothing", expect(make("nothing", NOTHING), any_text=False)
    yield "paste", expect(make("paste", paste()), any_text=True)
    yield "depleted", expect(make("depleted", THREE, used=80), any_text=True)
    yield "repeat", expect(make("repeat", AGAIN, earlier=THREE), any_text=False)


def hooks(result, workspace, work, rounds, seconds):
    """The prompt hook as a whole process, beside the bare interpreter, for each kind of prompt."""
    for case, command in hook_cases(workspace):
        yardstick = bare(workspace.env, workspace.root)
        result.add("hook", case, workspace.name, measure([yardstick, command], work, rounds, seconds=seconds))
    few = expect(workspace.hook("few", FEW, name="three pages"), any_text=True)
    shared = expect(workspace.hook("shared", SHARED, name="thousands of pages"), any_text=True)
    pair = [bare(workspace.env, workspace.root), few, shared]
    result.add("keyword", "shared", workspace.name, measure(pair, work, rounds, seconds=seconds))


def peers(result, workspace, work, rounds, seconds, names=PEERS):
    """Each peer beside our hook and the bare interpreter, the same prompt; and their indexes' sizes."""
    sizes = prepare(workspace.root)
    for name in names:
        if name == "node_scan" and not workspaces.which("node"):
            result.note("node is not installed: its scan was not measured")
            continue
        commands = [
            bare(workspace.env, workspace.root),
            expect(workspace.hook("three", THREE), whole=TITLES),
            expect(workspace.peer(name, "three", THREE), whole=TITLES),
        ]
        result.add(f"peer {name}", "three", workspace.name, measure(commands, work, rounds, seconds=seconds))
        counted(result, workspace, commands[2], "three", valgrind=False)
    shutil.rmtree(workspace.root / ".peers")
    for command in installed.available(workspace):
        if not command.output().stdout.strip():
            raise WrongWork(f"{command.name}: silent")
        commands = [bare(workspace.env, workspace.root), workspace.hook("three", THREE), command]
        result.add(f"peer {command.name}", "three", workspace.name, measure(commands, work, rounds, seconds=seconds))
    return sizes


def counted(result, workspace, command, case, valgrind=True):
    """Bytes read, system calls, files opened, instructions: figures that the machine's load does not change."""
    trace = tools.traced(command)
    entry = {
        "store": workspace.name,
        "name": command.name,
        "case": case,
        "calls": trace["calls"] if trace else None,
        "read": trace["read"] if trace else None,
        "opened": len(trace["files"]) if trace else None,
        "instructions": tools.instructions(command) if valgrind else None,
    }
    result.data["counts"].append(entry)


def counts(result, workspace):
    for command in (bare(workspace.env, workspace.root), workspace.hook("three", THREE)):
        counted(result, workspace, command, "three")


def builds(result, workspace, work, rounds, seconds):
    """Full build, build of an unchanged store, build after one edit, verify, recall; whole processes."""
    root, env = workspace.root, workspace.env
    page = next(iter(sorted((root / ".abcd" / "memory").glob("*loop.md"))))
    original = page.read_bytes()
    build = workspace.cli("build", "--scope", "workspace")
    index = root / ".abcd" / ".index"
    edit = ["/bin/sh", "-c", f'date +"Seen again on %s %N." >> "{page}"']
    python = [sys.executable, "-c", "import abcd_index.cli"]
    full = Command("full build", build, env=env, cwd=root, before=[["/bin/rm", "-rf", index]])
    same = Command("no change", build, env=env, cwd=root)
    one = Command("one edit", build, env=env, cwd=root, before=[edit])
    verify = Command("verify", workspace.cli("verify", "--scope", "workspace"), env=env, cwd=root)
    recall = Command(
        "recall", workspace.cli("recall", "--scope", "workspace", "--no-record", "rollout", "freeze"), env=env, cwd=root
    )
    start = Command("import of the command line", python, env=env, cwd=root)
    checked("full build", full)
    result.add("build", "full and verify", workspace.name, measure([full, verify], work, rounds, 0, seconds, least=1))
    result.add("build", "small", workspace.name, measure([start, same, one, recall], work, max(rounds, 5), 1, seconds))
    page.write_bytes(original)
    checked("no change", same)


def checked(name, command):
    done = command.output()
    if done.returncode:
        raise WrongWork(f"{name}: exit {done.returncode}: {done.stderr.decode(errors='replace')[-800:]}")


def store_entry(workspace, peer_sizes):
    files = [
        path.stat().st_size for path in (workspace.root / ".abcd" / "memory").glob("*.md") if path.name != "index.md"
    ]
    files.sort()
    return {
        "name": workspace.name,
        "pages": workspace.pages,
        "bytes": sum(files),
        "median": files[len(files) // 2],
        "p95": files[int(len(files) * 0.95)],
        "artefact": workspace.artefact,
        "peer_indexes": peer_sizes,
    }


def workspace_figures(result, work, name, pages, plan, say, fixed_size=0):
    """All figures of one generated store."""
    say(f"store {name}: making {pages:,} pages")
    workspace = Workspace(work, name, pages, fixed_size)
    workspace.build()
    say(f"store {name}: the prompt hook")
    hooks(result, workspace, work, plan.rounds, plan.seconds)
    counts(result, workspace)
    sizes = {}
    if plan.peers:
        say(f"store {name}: the peers")
        sizes = peers(result, workspace, work, plan.rounds, plan.peer_seconds)
    result.data["stores"].append(store_entry(workspace, sizes))
    if plan.builds:
        say(f"store {name}: build, verify, recall")
        builds(result, workspace, work, plan.build_rounds, plan.build_seconds)
    shutil.rmtree(workspace.root)
    shutil.rmtree(workspace.home)


def git_operations(result, work, plan, say):
    """What the git hooks add to each operation."""
    say("git operations")
    git_ops.measure(result, Path(work), plan.git_rounds)
