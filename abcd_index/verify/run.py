"""``verify``: everything about one scope, recomputed from what people wrote. Writes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from abcd_index.errors import AbcdError, CannotTell, FormatTooNew
from abcd_index.scopes import Scope
from abcd_index.store.records import Finding
from abcd_index.verify.artefact import judge
from abcd_index.verify.finding import Row, in_order, row
from abcd_index.verify.recompute import gather
from abcd_index.verify.tree import tree_findings


@dataclass
class Verified:
    """What was found of one scope.

    ``rows``: findings in order. ``pages``: how many were compiled, ``left_out`` how many were not.
    ``state`` of the artefact: current, stale, missing, torn, wrong, unknown, or '' when not looked at.
    ``unsure``: the errors that leave a question open (another release, ownership).
    """

    scope: Scope
    key: str
    pages: int
    left_out: int
    rows: list[Row] = field(default_factory=list)
    state: str = ""
    unsure: list[AbcdError] = field(default_factory=list)

    def sentence(self) -> str:
        """One sentence for people: what was checked and how the artefact stands."""
        pages = f"{self.pages:,} {'page' if self.pages == 1 else 'pages'}"
        left = f", {self.left_out:,} left out" if self.left_out else ""
        state = {"": "artefact not looked at", "missing": "no artefact yet", "unknown": "artefact of another release"}
        return f"{self.scope.name}: {pages}{left}; {state.get(self.state, f'artefact {self.state}')}"


def verify(scope: Scope, require_artefact: bool = False, pages_only: bool = False) -> Verified:
    """Check ``scope`` and return a Verified. ``require_artefact``: a missing one is a finding.
    ``pages_only``: check what people write and leave the artefact alone. Raises AbcdError when the store
    cannot be read at all."""
    fresh = gather(scope, compiled=not pages_only)
    try:
        verified = Verified(scope, fresh.key, len(fresh.pages), fresh.left_out)
        findings = list(fresh.findings)
        if not pages_only:
            track = fresh.settings["artefact"]["track"]
            try:
                verified.state, found = judge(scope, fresh, require_artefact or track)
                findings += found
            except (FormatTooNew, CannotTell) as error:
                verified.state = "unknown"
                verified.unsure.append(error)
            findings += _tree(verified, track)
    finally:
        fresh.close()
    verified.rows = in_order([row(finding, scope) for finding in findings])
    return verified


def _tree(verified: Verified, track: bool) -> list[Finding]:
    try:
        return list(tree_findings(verified.scope, track, verified.key))
    except CannotTell as error:
        verified.unsure.append(error)
        return []
