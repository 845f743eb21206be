"""What the prompt hook would inject for a prompt, and why.

The same code as the hook's, over the same artefacts; it only reads the session's ledger. What it cannot
know is a second delivery of one prompt within seconds, which the hook answers once.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple

from abcd_index.agenthooks import io
from abcd_index.agenthooks.decide import DEFAULTS, Outcome, decide, settings_of
from abcd_index.agenthooks.fill import read_fill
from abcd_index.agenthooks.ledger import Ledger, read_ledger
from abcd_index.artefact.provenance import open_ours
from abcd_index.errors import AbcdError, ArtefactError
from abcd_index.scopes import Places, Scope
from abcd_index.selector import Selection


class Problem(NamedTuple):
    """A scope without a usable artefact."""

    scope: str
    error: str
    hint: str


class Preview(NamedTuple):
    """What ``prompt`` brings in the scopes of ``selection``."""

    prompt: str
    selection: Selection
    outcome: Outcome

    @property
    def why(self) -> str:
        """Why that bracket, or why nothing comes."""
        return "no artefact could be looked at" if self.blind else str(self.outcome.why)

    @property
    def blind(self) -> bool:
        """Whether no scope has an artefact that can be used."""
        return len(self.outcome.problems) == len(self.selection)

    @property
    def problems(self) -> List[Problem]:
        """The scopes without a usable artefact; those that were refused are in the selection."""
        return [
            Problem(scope.name, str(error), getattr(error, "hint", "") or "run `abcd-index build`")
            for scope, error in self.outcome.problems
        ]

    def values(self) -> Dict[str, Any]:
        """The documented keys of ``recall --prompt --json``."""
        outcome = self.outcome
        rows: Dict[str, List[Dict[str, Any]]] = {"page": [], "rules": []}
        for decision in outcome.decisions:
            row = {**decision, "reason": decision["why"]}
            del row["why"], row["kind"]
            rows[decision["kind"]].append(row)
        refused = [{"scope": name, "error": str(error)} for name, error in self.selection.refused]
        return {
            "prompt": self.prompt,
            "bracket": outcome.bracket,
            "why": outcome.why,
            "text": outcome.text,
            "pages": rows["page"],
            "rules": rows["rules"],
            "more": outcome.more,
            "scopes": [scope.name for scope in self.selection],
            "stale": [scope.name for scope in outcome.stale],
            "problems": refused + [{"scope": one.scope, "error": one.error} for one in self.problems],
        }


def preview(
    prompt: str, selection: Selection, places: Places, remaining: float | None = None, session: str | None = None
) -> Preview:
    """The Preview of a prompt. ``remaining``: percent of the window that is free, None when not known. ``session``: an
    id, whose ledger and fill count as they would in the hook.

    Raises AbcdError when ``remaining`` is no percentage.
    """
    if remaining is not None and not 0 <= remaining <= 100:
        raise AbcdError(f"--remaining {remaining:g} is not a percentage", "give a number from 0 to 100")
    known = io.session_of(session, places) if session else None
    if known is None:
        return Preview(prompt, selection, decide(prompt, selection, remaining, None, explain=True))
    free = read_fill(known) if remaining is None else remaining
    return Preview(prompt, selection, decide(prompt, selection, free, _ledger(known, selection), explain=True))


def _ledger(session: Any, scopes: List[Scope]) -> Ledger:
    """The session's Ledger, forgotten after as many prompts as the narrowest scope's settings say."""
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
