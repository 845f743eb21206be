"""``abcd-index recall --prompt``: what the hook would inject for a prompt, and why.

The same code as the hook's, over the same artefacts; it only reads the session's ledger. What it cannot
know is a second delivery of one prompt within seconds, which the hook answers once.
"""

import sys
import textwrap

from abcd_index.commands.console import FINDINGS, OK, Out, count
from abcd_index.commands.scope_selector import pick
from abcd_index.errors import AbcdError
from abcd_index.scopes import Places

SHOWN = {"full": "green", "head": "green", "line": "yellow", "none": "dim"}


def run(prompt, root=None, which="all", remaining=None, session=None, as_json=False, out=None, places=None):
    """Show what ``prompt`` brings. Returns an exit status: 1 when no scope has an artefact that can be used.

    ``prompt``: its text, ``-`` for standard input. ``remaining``: percent of the window that is free.
    ``session``: an id, whose ledger and fill count as they would in the hook.
    """
    out = out or Out()
    places = places or Places()
    if prompt == "-":
        prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    if remaining is not None and not 0 <= remaining <= 100:
        raise AbcdError(f"--remaining {remaining:g} is not a percentage", "give a number from 0 to 100")
    scopes = pick(root, which, places, out)
    outcome = _decide(prompt, scopes, remaining, session, places)
    if as_json:
        out.data(_as_dict(prompt, scopes, outcome), indent=1)
    else:
        if scopes and len(outcome.problems) == len(scopes):
            outcome.why = "no artefact could be looked at"
        _print(outcome, out)
    for scope, error in outcome.problems:
        out.complain(error, getattr(error, "hint", "") or "run `abcd-index build`", scope.name)
    return max(scopes.code, FINDINGS if len(outcome.problems) == len(scopes) else OK)


def _decide(prompt, scopes, remaining, session, places):
    from abcd_index.agenthooks import io as pipes
    from abcd_index.agenthooks.decide import decide
    from abcd_index.agenthooks.fill import read_fill

    ledger = None
    known = pipes.session_of(session, places) if session else None
    if known is not None:
        ledger = _ledger(known, scopes)
        remaining = read_fill(known) if remaining is None else remaining
    return decide(prompt, scopes, remaining, ledger, explain=True)


def _ledger(session, scopes):
    """The session's Ledger, forgotten after as many prompts as the narrowest scope's settings say."""
    from abcd_index.agenthooks.decide import DEFAULTS, settings_of
    from abcd_index.agenthooks.ledger import read_ledger
    from abcd_index.artefact.provenance import open_ours
    from abcd_index.errors import ArtefactError

    settings = DEFAULTS
    for scope in scopes:
        try:
            artefact = open_ours(scope)
        except ArtefactError:
            continue
        settings = settings_of(artefact.header)
        artefact.close()
        break
    return read_ledger(session, settings["refresh_every"])


def _as_dict(prompt, scopes, outcome):
    """The documented keys of ``recall --prompt --json``."""
    rows = [{**row, "reason": row["why"]} for row in outcome.decisions]
    for row in rows:
        del row["why"]
    return {
        "prompt": prompt,
        "bracket": outcome.bracket,
        "why": outcome.why,
        "text": outcome.text,
        "pages": [_without_kind(row) for row in rows if row["kind"] == "page"],
        "rules": [_without_kind(row) for row in rows if row["kind"] == "rules"],
        "more": outcome.more,
        "scopes": [scope.name for scope in scopes],
        "stale": [scope.name for scope in outcome.stale],
        "problems": [{"scope": name, "error": str(error)} for name, error in
                     scopes.refused + [(scope.name, error) for scope, error in outcome.problems]],
    }


def _without_kind(row):
    return {name: value for name, value in row.items() if name != "kind"}


def _print(outcome, out):
    if outcome.bracket:
        out.line(f"{out.style(outcome.bracket, 'bold')}: {outcome.why}")
    else:
        out.line(out.style("Nothing comes: ", "bold") + outcome.why)
    if outcome.text:
        out.line()
        out.block(outcome.text.rstrip("\n"))
    for row in outcome.decisions:
        out.line()
        _print_row(row, out)
    if outcome.more:
        out.line()
        out.line(f"{count(outcome.more, 'page')} more that only share a keyword were not looked at")
    for scope in outcome.stale:
        out.note(f"{scope.name}: pages changed since the artefact was built; run `abcd-index build`")


def _print_row(row, out):
    form = out.style(f"{row['form']:<5}", SHOWN.get(row["form"], "bold"), "bold")
    sum_of = ""
    if row.get("score"):
        sum_of = out.style(f"  {row['score']:.2f} = {row['keywords']:.2f} keywords + {row['text']:.2f} text", "cyan")
    name = row["file"] + (f" *{row['title']}" if row["kind"] == "rules" else "")
    out.line(f"{form} {name}{sum_of}")
    for text in (_said(row), _words(row["words"]), _terms(row.get("terms", ()))):
        for part in textwrap.wrap(text, 100, initial_indent="      ", subsequent_indent="        "):
            out.line(part)


def _said(row):
    return row["why"] or "it comes"


def _words(words):
    """How each keyword was found, and what it is worth."""
    said = []
    for word in words:
        spelled = f" as {word['seen']!r}" if word["seen"].casefold() != word["keyword"].casefold() else ""
        said.append(f"{word['keyword']!r}{spelled} ({word['where']}, {count(word['pages'], 'page')}, "
                    f"{word['figure']:.2f})")
    return "keywords: " + ", ".join(said) if said else ""


def _terms(terms):
    """The addends of the text's figure."""
    said = [f"{term['term']} {term['text'] + term['title']:.2f}" for term in terms]
    return "text: " + " + ".join(said) if said else ""
