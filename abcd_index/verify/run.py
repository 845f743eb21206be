"""``verify``: everything about one scope, recomputed from what people wrote. Writes nothing."""

from abcd_index.errors import CannotTell, FormatTooNew
from abcd_index.verify.artefact import judge
from abcd_index.verify.finding import in_order, row
from abcd_index.verify.recompute import gather
from abcd_index.verify.tree import tree_findings


class Verified:
    """What was found of one scope.

    ``rows``: findings in order. ``pages``: how many were compiled, ``left_out`` how many were not.
    ``state`` of the artefact: current, stale, missing, torn, wrong, unknown, or '' when not looked at.
    ``unsure``: the errors that leave a question open (another release, ownership).
    """

    __slots__ = ("scope", "rows", "pages", "left_out", "state", "key", "unsure")

    def __init__(self, scope, key):
        self.scope = scope
        self.rows = []
        self.pages = 0
        self.left_out = 0
        self.state = ""
        self.key = key
        self.unsure = []

    def sentence(self):
        """One sentence for people: what was checked and how the artefact stands."""
        pages = f"{self.pages:,} {'page' if self.pages == 1 else 'pages'}"
        left = f", {self.left_out:,} left out" if self.left_out else ""
        state = {"": "artefact not looked at", "missing": "no artefact yet", "unknown": "artefact of another release"}
        return f"{self.scope.name}: {pages}{left}; {state.get(self.state, f'artefact {self.state}')}"


def verify(scope, require_artefact=False, pages_only=False):
    """Check ``scope`` and return a Verified. ``require_artefact``: a missing one is a finding.
    ``pages_only``: check what people write and leave the artefact alone. Raises AbcdError when the store
    cannot be read at all."""
    fresh = gather(scope, compiled=not pages_only)
    try:
        verified = Verified(scope, fresh.key)
        verified.pages = len(fresh.pages)
        verified.left_out = fresh.left_out
        findings = list(fresh.findings)
        if not pages_only:
            track = fresh.settings["artefact"]["track"]
            verified.state, found = _artefact(verified, scope, fresh, require_artefact or track)
            findings += found + _tree(verified, scope, track)
    finally:
        fresh.close()
    verified.rows = in_order([row(finding, scope) for finding in findings])
    return verified


def _artefact(verified, scope, fresh, require):
    try:
        return judge(scope, fresh, require)
    except (FormatTooNew, CannotTell) as error:
        verified.unsure.append(error)
        return "unknown", []


def _tree(verified, scope, track):
    try:
        return tree_findings(scope, track, verified.key)
    except CannotTell as error:
        verified.unsure.append(error)
        return []
