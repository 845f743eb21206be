"""The command line: turns arguments into calls and an error into a sentence. No logic lives here.

Commands are imported inside their functions, so that each pays only for what it needs. Exit status:
0 fine, 1 findings or no store here, 2 could not run or could not tell, 70 a fault of ours (with a traceback).
"""

import sys
from enum import Enum
from typing import List, NoReturn, Optional, Sequence

import typer

from abcd_index import __version__, scopes
from abcd_index.errors import AbcdError

OWN_FAULT = 70

app = typer.Typer(
    name="abcd-index",
    help="Compiles project memory pages into a recall index, so that a coding agent gets the right page "
    "at the moment a prompt touches it.",
    epilog="Exit status: 0 fine, 1 findings or no store here, 2 could not run or could not tell.",
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Which(str, Enum):
    """The values of ``--scope``."""

    all = "all"
    workspace = "workspace"
    user = "user"


class Where(str, Enum):
    """The values of ``init --scope``."""

    workspace = "workspace"
    user = "user"


class Format(str, Enum):
    """The values of ``verify --format``."""

    text = "text"
    json = "json"
    github = "github"
    sarif = "sarif"


class Ranking(str, Enum):
    """The values of ``recall --ranking``."""

    signal = "signal"
    bm25f = "bm25f"


ROOT = typer.Option(None, "--root", metavar="DIR", help="Start from this folder, not the working directory.")
SCOPE = typer.Option(Which.all, "--scope", help="Which scopes.")
JSON = typer.Option(False, "--json", help="Print one JSON object instead of text.")
QUIET = typer.Option(False, "--quiet", "-q", help="Print nothing but errors.")
DRY_RUN = typer.Option(False, "--dry-run", help="Say what would be done and do nothing.")


def _version(asked: bool) -> None:
    if asked:
        print(f"abcd-index {__version__}")
        raise typer.Exit()


@app.callback()
def _top(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    pass


@app.command(short_help="Start an empty store with an example page.")
def init(
    root: Optional[str] = ROOT, scope: Where = typer.Option(Where.workspace, "--scope", help="Which store to start.")
) -> None:
    """Start an empty store: a catalogue and one example page. Overwrites nothing."""
    from abcd_index.commands import init as command

    _end(command.run(root, scope.value))


@app.command(short_help="Make each scope's artefact current.")
def build(
    root: Optional[str] = ROOT,
    scope: Which = SCOPE,
    as_json: bool = JSON,
    quiet: bool = QUIET,
    force: bool = typer.Option(False, "--force", help="Build anew even when nothing changed."),
    git_hook: bool = typer.Option(
        False, "--git-hook", help="For hook managers: exit 0 whatever happens, say at most one line."
    ),
) -> None:
    """Make each scope's artefact current; say what was done and how long it took."""
    from abcd_index.commands import build as command

    if git_hook:
        _end(command.for_hook_managers(root, scope.value))
    _end(command.run(root, scope.value, as_json=as_json, quiet=quiet, force=force))


@app.command(short_help="Recompute from the pages, report findings.")
def verify(
    root: Optional[str] = ROOT,
    scope: Which = SCOPE,
    format: Format = typer.Option(Format.text, "--format", help="How to print the findings."),
    require_artefact: bool = typer.Option(False, "--require-artefact", help="A missing artefact is a finding."),
    strict: bool = typer.Option(False, "--strict", help="Warnings count: exit 1 on them too."),
    pages_only: bool = typer.Option(
        False, "--pages-only", help="Check what people write, not the artefact (for pre-commit)."
    ),
) -> None:
    """Recompute everything from the pages and report all findings. Repairs nothing."""
    from abcd_index.commands import verify as command

    _end(
        command.run(
            root, scope.value, format.value, require_artefact=require_artefact, strict=strict, pages_only=pages_only
        )
    )


@app.command(short_help="Hand out the artefact, built once.")
def push(
    to: str = typer.Option(
        "",
        "--to",
        metavar="PLACE",
        help="Where to: git:REMOTE, a folder, or a URL that fsspec opens. Without it: "
        "$ABCD_SHARE, share.place of your own settings, then of the project's.",
    ),
    root: Optional[str] = ROOT,
    scope: Where = typer.Option(Where.workspace, "--scope", help="Whose artefact; the user scope needs --to."),
    keep: Optional[int] = typer.Option(
        None, "--keep", metavar="N", min=1, help="Then delete all but the N artefacts that were pushed last."
    ),
    timeout: int = typer.Option(600, "--timeout", metavar="SEC", min=1, help="How long the place may take."),
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Make the artefact current, as build does, and put it where others fetch it. Nothing is overwritten."""
    from abcd_index.commands import push as command

    _end(command.run(root, scope.value, to, keep, timeout, as_json=as_json, quiet=quiet))


@app.command(short_help="Take an artefact that was built elsewhere.")
def fetch(
    source: str = typer.Option(
        "",
        "--from",
        metavar="PLACE",
        help="Where from: git:REMOTE, a folder, or a URL that fsspec opens. Without "
        "it: $ABCD_SHARE, share.place of your own settings, then of the project's.",
    ),
    root: Optional[str] = ROOT,
    scope: Where = typer.Option(Where.workspace, "--scope", help="Whose artefact; the user scope needs --from."),
    verify: bool = typer.Option(
        False, "--verify", help="Compute every byte again before it counts; that costs what a build costs."
    ),
    timeout: int = typer.Option(600, "--timeout", metavar="SEC", min=1, help="How long the place may take."),
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Make the artefact current with one that was built elsewhere, held against the pages before it counts."""
    from abcd_index.commands import fetch as command

    _end(command.run(root, scope.value, source, verify, timeout, as_json=as_json, quiet=quiet))


@app.command(short_help="Show or complete the catalogue lines.")
def catalogue(
    root: Optional[str] = ROOT,
    scope: Which = SCOPE,
    write: bool = typer.Option(False, "--write", help="Add the missing lines to the catalogue."),
    prune: bool = typer.Option(False, "--prune", help="With --write: also drop lines of pages that are gone."),
) -> None:
    """Show the catalogue lines, or bring them up to date."""
    from abcd_index.commands import catalogue as command

    _end(command.run(root, scope.value, write=write, prune=prune))


@app.command(short_help="Ask the store; see what a prompt brings.")
def recall(
    terms: Optional[List[str]] = typer.Argument(None, metavar="TERMS", help="Words to look for."),
    prompt: Optional[str] = typer.Option(
        None,
        "--prompt",
        metavar="TEXT",
        help="Show what the hook would inject for this prompt, and why (- reads standard input).",
    ),
    remaining: Optional[float] = typer.Option(
        None, "--remaining", metavar="PCT", help="With --prompt: how much of the context window is free."
    ),
    session: Optional[str] = typer.Option(
        None,
        "--session",
        metavar="ID",
        help="With --prompt: count what this session had and how full its window is; "
        "its ledger is only read. Without it: a new session, an unknown window.",
    ),
    root: Optional[str] = ROOT,
    scope: Which = SCOPE,
    as_json: bool = JSON,
    type: Optional[List[str]] = typer.Option(None, "--type", metavar="TYPE", help="Only this type; repeatable."),
    limit: int = typer.Option(5, "--limit", metavar="N", help="At most this many results."),
    min_score: Optional[float] = typer.Option(
        None, "--min-score", metavar="S", help="The least score that counts (default 0.5; 0 with bm25f)."
    ),
    stale_months: float = typer.Option(6, "--stale-months", metavar="N", help="Reference span of the recency factor."),
    memory_dir: Optional[str] = typer.Option(None, "--memory-dir", metavar="DIR", help="Search this folder of pages."),
    project_root: Optional[str] = typer.Option(
        None, "--project-root", metavar="DIR", help="Search this project's store."
    ),
    everywhere: bool = typer.Option(False, "--all", help="Search every workspace built on this machine."),
    explain: bool = typer.Option(False, "--explain", help="Show the sum behind each score."),
    no_record: bool = typer.Option(False, "--no-record", help="Do not count these recalls as usage."),
    ranking: Ranking = typer.Option(Ranking.signal, "--ranking", help="How to order the results."),
    since: Optional[str] = typer.Option(
        None, "--since", metavar="DATE", help="Only pages touched since then: 2026-07-01, 30d, 6 months."
    ),
    audit: bool = typer.Option(
        False, "--audit", help="Grade the pages instead: stale, naming what is gone, superseded, never recalled."
    ),
) -> None:
    """Ranked recall for TERMS; with --prompt: what the hook would inject, by the hook's own code, and why."""
    from abcd_index.commands import recall as command

    if prompt is not None and not audit:
        if terms:
            raise typer.BadParameter("give either TERMS or --prompt, not both")
        _end(command.prompt(prompt, root, scope.value, remaining, session, as_json))
    stores = command.stores(root or project_root, scope.value, memory_dir, everywhere)
    if audit:
        _end(command.audit(command.query(types=type, stale_months=stale_months), stores, as_json, not no_record))
    asked = command.query(terms, type, limit, min_score, stale_months, ranking.value, since)
    _end(command.terms(asked, stores, as_json, explain, not no_record))


@app.command(short_help="Suggest recall keywords for pages.")
def keywords(
    page: Optional[str] = typer.Argument(
        None, metavar="PAGE", help="A page's file name, stem or name; without it, all pages that want keywords."
    ),
    root: Optional[str] = ROOT,
    scope: Which = SCOPE,
    as_json: bool = JSON,
    limit: int = typer.Option(5, "--limit", metavar="N", help="At most this many suggestions a page."),
    write: bool = typer.Option(False, "--write", help="Add them to the frontmatter; nothing else changes."),
    missed: bool = typer.Option(
        False, "--missed", help='Only words that were typed and brought nothing ("misses": true in your config.json).'
    ),
) -> None:
    """Suggest recall keywords for pages that have none or weak ones, and what else each would surface."""
    from abcd_index.commands import keywords as command

    _end(command.run(page, root, scope.value, write=write, limit=limit, as_json=as_json, missed=missed))


@app.command(short_help="What is where, how fresh, what to do next.")
def status(
    root: Optional[str] = ROOT,
    as_json: bool = JSON,
    check: bool = typer.Option(False, "--check", help="Run each registered command and see that it answers."),
) -> None:
    """Scopes, keys, freshness, hooks and fill signal; what to do next."""
    from abcd_index.commands import status as command

    _end(command.run(root, as_json=as_json, check=check))


@app.command(short_help="Git hooks and the agent's hooks, here.")
def install(
    root: Optional[str] = ROOT,
    agent: Optional[List[str]] = typer.Option(
        None,
        "--agent",
        metavar="NAME",
        help="Whose hooks: claude (where none is named), codex, gemini, qwen, copilot, cursor, kimi, droid, opencode, "
        "cline, kiro; repeatable.",
    ),
    dry_run: bool = DRY_RUN,
    status_line: bool = typer.Option(
        False,
        "--status-line",
        help="Also the agent's status line, which tells how full its window is; the one that is there is kept inside.",
    ),
    local: bool = typer.Option(
        False, "--local", help="Use .claude/settings.local.json, which is not shared with others."
    ),
    hooks_path: bool = typer.Option(
        False, "--hooks-path", help="Write into the folder that core.hooksPath names, if it is in the work tree."
    ),
    git_only: bool = typer.Option(False, "--git-only", help="The git hooks alone, not the agent's settings."),
) -> None:
    """Install the git hooks and the agent's hooks of this project; keep what others put there."""
    from abcd_index.commands import install as command

    choice = command.Choice(agent or (), dry_run, status_line, hooks_path, local, git_only)
    _end(command.run(root, choice))


@app.command(short_help="Take away what install put there.")
def uninstall(
    root: Optional[str] = ROOT,
    agent: Optional[List[str]] = typer.Option(None, "--agent", metavar="NAME", help="Only the hooks of this agent."),
    dry_run: bool = DRY_RUN,
) -> None:
    """Take the hooks away; give back what was there before."""
    from abcd_index.commands import install as command

    _end(command.uninstall(root, dry_run, agent or ()))


@app.command(short_help="Watch the main job run, in a temporary folder.")
def demo(keep: bool = typer.Option(False, "--keep", help="Leave the temporary folder for a look around.")) -> None:
    """Watch the main job run in a temporary folder: pages, a commit, prompts, verify."""
    from abcd_index.commands import demo as command

    _end(command.run(keep=keep))


def _end(code: int) -> NoReturn:
    raise typer.Exit(code)


def main() -> None:
    """The console script. The one door where errors become a sentence and an exit status."""
    from abcd_index import fs

    scopes.follow_forbidden = True
    fs.fill_standard_streams()
    status = _status()
    lost = fs.lost(sys.stdout)
    if lost:
        status = max(status, _complain(lost))
    fs.lost(sys.stderr)
    sys.exit(status)


def _status() -> int:
    """Run the command line; what it was told to end with, or what its error means."""
    try:
        return app(sys.argv[1:] or ["--help"], prog_name="abcd-index", standalone_mode=False) or 0
    except AbcdError as error:
        return _complain(error, error.hint, getattr(error, "status", 2))
    except BrokenPipeError:  # Who reads it has seen enough.
        return 0
    except OSError as error:
        return _complain(error)
    except typer.Abort:
        return 130
    except Exception as error:
        if hasattr(error, "format_message"):  # The command line itself: what typer raises about it.
            return _complain(error.format_message().replace("Value error, ", ""), _usage(error))
        import traceback

        return _complain(
            "this is a fault of abcd-index itself; please report it with the lines above",
            "",
            OWN_FAULT,
            traceback.format_exc().rstrip("\n").split("\n"),
        )


def _usage(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f"`{context.command_path if context else 'abcd-index'} -h` tells what can be given"


def _complain(error: object, hint: str = "", status: int = 2, before: Sequence[str] = ()) -> int:
    """Print an error after the lines ``before``. Returns the exit status."""
    from abcd_index import fs
    from abcd_index.commands.console import Console

    lost = fs.lost(sys.stdout)
    try:
        console = Console()
        if lost and isinstance(error, OSError):
            error = lost
        for line in before:
            console.note(line)
        console.complain(error, hint)
    except OSError:
        pass  # Nobody hears it; the status tells.
    return status


if __name__ == "__main__":
    main()
