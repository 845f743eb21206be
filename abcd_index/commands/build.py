"""``abcd-index build``: makes each scope's artefact current and says what it did.

Results go to stdout, remarks (pages that were left out, findings) to stderr. Exit status 0 whenever the
artefact is current, also with findings: judging them is what ``verify`` is for.
"""

import time

from abcd_index.commands.console import FAILED, OK, Out, count, failure, print_reports, seconds
from abcd_index.commands.scope_selector import NothingHere, pick
from abcd_index.errors import AbcdError
from abcd_index.scopes import WORKSPACE, Places

# A bar for less than this would be gone before anyone has read it.
PATIENCE = 0.5
BAR = 30
# Warnings beyond this many are counted, not listed: verify lists them all.
LISTED = 20


def run(root=None, which="all", as_json=False, quiet=False, force=False, git_hook=False, out=None,
        places=None):
    """Build the scopes that ``which`` names. Returns an exit status.

    ``git_hook``: for hook managers, whose exit status becomes git's: always 0 and at most one line.
    """
    out = out or Out()
    if git_hook:
        return _for_git(root, which, out, places)
    places = places or Places()
    scopes = pick(root, which, places, out)
    code = scopes.code
    reports = [{"scope": name, "state": "refused", "error": str(error), "hint": error.hint}
               for name, error in scopes.refused]
    for scope in scopes:
        bar = None if quiet or as_json else bar_for(out)
        try:
            built = _build(scope, force, bar)
        except AbcdError as error:
            code = FAILED
            reports.append(failure(scope, error, out))
            continue
        finally:
            if bar:
                bar.clear()
        note(scope, places)
        reports.append(_report(built, scope))
        if not as_json and not quiet:
            out.line(_sentence(built, scope))
        if not quiet:
            remarks(built, scope, out)
    record(places)
    if as_json:
        print_reports(reports, code, out)
    return code


def _for_git(root, which, out, places):
    from abcd_index.share.hook import fetch_first

    places = places or Places()
    try:
        scopes = pick(root, which, places)
        said = scopes.sentences()
        for scope in scopes:
            sentence = fetch_first(scope, places) if scope.name == WORKSPACE else ""
            _build(scope, False, None)
            said += [sentence] if sentence else []
        if said:
            out.note(f"abcd-index: {' '.join('; '.join(said).split())}")
    except NothingHere:
        pass
    except Exception as error:  # A broken page or tool must never look like a failed checkout.
        out.note(f"abcd-index: the artefact was not built: {' '.join(str(error).split())}")
    return OK


def _build(scope, force, bar):
    from abcd_index.build.run import build

    return build(scope, force=force, progress=bar)


def note(scope, places):
    """What others want of a build: recall that the workspace exists and when its pages were committed, the
    git hooks that there is a store below the repository's top."""
    from abcd_index import workspaces as registry
    from abcd_index.githooks.stores import note_built
    from abcd_index.search.dates import refresh
    if scope.name == WORKSPACE:
        registry.add(places, scope.root)
        note_built(scope.root)
    refresh(scope)


def record(places):
    """Note the interpreter and the hook scripts for hooks that run under another one."""
    from abcd_index.build.run import record_interpreter
    from abcd_index.install.settings_files import scripts_folder

    record_interpreter(places, scripts_folder())


def _report(built, scope):
    from abcd_index.verify.finding import row

    return {
        "scope": scope.name,
        "state": built.state,
        "key": built.key,
        "path": built.path,
        "pages": built.pages,
        "recompiled": built.recompiled,
        "size": built.size,
        "anew": built.anew,
        "known": built.known,
        "seconds": round(built.seconds, 4),
        "left_out": [scope.display("memory/" + name) for name in built.left_out],
        "findings": [row(finding, scope).as_dict() for finding in built.findings],
    }


def _sentence(built, scope):
    pages = count(built.pages, "page")
    if built.state == "current":
        did = f"current, nothing to do: {pages}"
    elif built.state == "switched":
        did = f"switched to an artefact that was there: {pages}"
    else:
        did = f"built: {pages}, {built.recompiled:,} compiled, {built.size:,} bytes"
        if built.anew:
            did += ", anew: the artefact that was there was not made on this machine, or was changed since"
    return f"{scope.name:<9}  {did}, {seconds(built.seconds)}  ({built.key[:12]})"


def remarks(built, scope, out):
    """Say on stderr what a build found and left out."""
    from abcd_index.verify.finding import row
    from abcd_index.verify.text import line_of

    def style(text, *names):
        return out.style(text, *names, stream=out.err)

    if not built.known:
        out.note(f"{scope.name}: the user's folder cannot be written, so this machine cannot note that the artefact is "
                 "its own and the hook stays silent about it; set ABCD_HOME to a folder that can be written")
    errors = [f for f in built.findings if f.severity == "error"]
    warnings = [f for f in built.findings if f.severity != "error"]
    for finding in errors + warnings[:LISTED]:
        out.note(line_of(row(finding, scope), style))
    if built.left_out:
        names = ", ".join(scope.display("memory/" + name) for name in built.left_out[:LISTED])
        more = f" and {len(built.left_out) - LISTED:,} more" if len(built.left_out) > LISTED else ""
        out.note(f"{scope.name}: {count(len(built.left_out), 'page')} left out: {names}{more}")
    if len(warnings) > LISTED:
        out.note(f"{scope.name}: {len(warnings) - LISTED:,} more warnings; `abcd-index verify` lists them")


def bar_for(out):
    """A Bar when a person watches, else None."""
    return Bar(out) if out.person(out.err) else None


class Bar:
    """A progress bar on stderr, for a store that takes a while and a person who watches."""

    def __init__(self, out):
        self.out = out
        self.begun = time.monotonic()
        self.drawn = 0.0

    def __call__(self, done, total):
        now = time.monotonic()
        if now - self.begun < PATIENCE or now - self.drawn < 0.1:
            return
        self.drawn = now
        full = BAR * done // max(total, 1)
        left = (now - self.begun) / done * (total - done)
        bar = "#" * full + "." * (BAR - full)
        self.out.err.write(f"\r[{bar}] {done:,} of {total:,} pages, {left:.0f} s left  ")
        self.out.err.flush()

    def clear(self):
        """Take the bar away before anything else is printed."""
        if self.drawn:
            self.out.err.write("\r\033[K")
            self.out.err.flush()
            self.drawn = 0.0
