"""In which form each page comes: the brackets, the limits, and what the session has seen.

Prompt path, loaded only when something matched. Takes candidates in their order and spends the room that
the bracket gives; what does not fit whole comes as a line, and every verdict carries its reason.
"""

from abcd_index.agenthooks import io, render
from abcd_index.agenthooks.fill import DEPLETED, FRESH, MODERATE
from abcd_index.agenthooks.freshness import Freshness
from abcd_index.agenthooks.ledger import FULL, HEAD, LINE
from abcd_index.agenthooks.rank import candidates
from abcd_index.artefact.times import CHANGED, GONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from abcd_index.agenthooks.decide import Outcome
    from abcd_index.agenthooks.ledger import Ledger
    from abcd_index.agenthooks.match import Exclusions
    from abcd_index.agenthooks.prompt import Prompt
    from abcd_index.agenthooks.rank import Candidate, Source

# Characters: of a longer page not even the beginning is read.
LONGEST = 1 << 22
# In MODERATE a page comes whole only if it is at least this near to the best one.
NEAR_BEST = 0.5
# Room that whole pages leave for the lines of the others, as a share of what the pages have.
LINES_SHARE = 6
FORMS = ("none", "line", "head", "full")


class Budget:
    """What is left of a limit, in the host's measure."""

    __slots__ = ("left", "by_bytes")

    def __init__(self, left: int, by_bytes: bool) -> None:
        self.left = left
        self.by_bytes = by_bytes

    def take(self, text: str, keep: int = 0) -> bool:
        """Take room for ``text`` if it is there and leaves ``keep``."""
        took = render.cost(text, self.by_bytes)
        if took > self.left - keep:
            return False
        self.left -= took
        return True


def decide_forms(
    outcome: "Outcome",
    prompt: "Prompt",
    sources: "list[Source]",
    bracket: str,
    ledger: "Ledger | None",
    settings: "dict[str, Any]",
    excluded: "Callable[[Prompt, Exclusions], str]",
    by_bytes: bool = False,
    explain: bool = False,
) -> None:
    """Fill ``outcome`` with what a prompt brings whose keywords matched in ``sources``."""
    limits = settings["limits"]
    limit = min(limits["context"], render.MOST)
    if bracket != FRESH:
        limit = min(limit, limits["moderate" if bracket == MODERATE else "depleted"])
    head = render.OPEN % bracket + render.INTRO
    budget = Budget(max(limit, 200) - len(head) - len(render.CLOSE), by_bytes)
    # In DEPLETED a line is all that a page can be, so one that was a line has nothing left to send.
    nothing_left = LINE if bracket == DEPLETED else FULL
    taken, passed, outcome.more = candidates(prompt, sources, ledger, excluded, nothing_left, explain)
    blocks: list[str] = []
    freshness_of: dict[int, Freshness] = {}
    if prompt.starred or any([hit.domains for source in sources for hit in source.hits]):
        io.preload("abcd_index.agenthooks.rules")
        from abcd_index.agenthooks.rules import write_rules

        # Rules have their own share of the limit and never take all of it from the pages.
        share = min(limits["rules"], budget.left // 2 if taken else budget.left)
        blocks = write_rules(
            outcome, prompt, sources, ledger, excluded, budget, share, lambda source: _freshness(source, freshness_of)
        )
    here: list[Candidate] = []
    for candidate in taken:
        (here if _is_here(candidate, freshness_of) else passed).append(candidate)
    blocks += _write_pages(outcome, here, bracket, budget)
    for order in sorted(freshness_of):
        freshness_of[order].close()
        if freshness_of[order].stale:
            outcome.stale.append(freshness_of[order].scope)
    outcome.pages = here + passed
    if blocks:
        outcome.text = head + "".join(blocks) + render.CLOSE


def _freshness(source: "Source", freshness_of: "dict[int, Freshness]") -> "Freshness":
    freshness = freshness_of.get(source.order)
    if freshness is None:
        freshness = freshness_of[source.order] = Freshness(source.scope, source.artefact)
    return freshness


def _is_here(candidate: "Candidate", freshness_of: "dict[int, Freshness]") -> bool:
    candidate.state = _freshness(candidate.source, freshness_of).state(candidate.page, candidate.record["file"])
    if candidate.state == GONE:
        candidate.why = "the file is gone since the artefact was built"
    return candidate.state != GONE


def _write_pages(outcome: "Outcome", here: "list[Candidate]", bracket: str, budget: "Budget") -> "list[str]":
    """The blocks of the pages: whole ones, then lines, both best first."""
    lines = {candidate.signature: _line(candidate) for candidate in here if candidate.seen < LINE}
    costs = {signature: render.cost(line, budget.by_bytes) for signature, line in lines.items()}
    reserve = sum(costs.values())
    spare = budget.left // LINES_SHARE
    most = len(here) if bracket == FRESH else max(1, len(here) // 2)
    whole: list[str] = []
    for candidate in here:
        if not _may_be_whole(candidate, here[0], bracket, len(whole), most):
            continue
        own = costs.get(candidate.signature, 0)
        block, form = _whole(candidate, budget, min(reserve - own, spare), not whole)
        if form:
            whole.append(block)
            reserve -= own
            _sent(outcome, candidate, form)
    return whole + _write_lines(outcome, here, lines, budget)


def _write_lines(outcome: "Outcome", here: "list[Candidate]", lines: "dict[str, str]", budget: "Budget") -> "list[str]":
    """The lines of the pages that came in no other form, as far as there is room, and how many are left."""
    written: list[str] = []
    left = outcome.more
    for candidate in here:
        if candidate.form != "none":
            continue
        if candidate.seen >= LINE:
            candidate.why += "; the session has its line already"
            continue
        line = lines[candidate.signature]
        if not written and render.cost(line, budget.by_bytes) > budget.left:
            # A match never brings nothing: the best one's line is cut rather than dropped.
            line = render.flat(line, max(0, budget.left // 3)) + "\n"
        if budget.take(line):
            written.append(line)
            _sent(outcome, candidate, LINE)
        else:
            candidate.why += "; no room was left for its line"
            left += 1
    if left and written:
        note = "(%d more page%s)\n" % (left, " matches" if left == 1 else "s match")
        if budget.take(note):
            written.append(note)
    return written


def _may_be_whole(candidate: "Candidate", best: "Candidate", bracket: str, count: int, most: int) -> bool:
    """Whether the bracket lets this page come with its text; ``why`` says why not."""
    if bracket == DEPLETED:
        candidate.why = "in DEPLETED only lines come"
    elif candidate.state == CHANGED:
        candidate.why = "the page changed since the artefact was built"
    elif candidate.newer:
        candidate.why = "%s contradicts or supersedes it" % candidate.newer
    elif candidate.only_line:
        candidate.why = candidate.only_line
    elif bracket == MODERATE and candidate is not best and (count >= most or candidate.total < NEAR_BEST * best.total):
        candidate.why = "in MODERATE only the most relevant pages come whole"
    else:
        return True
    return False


def _whole(candidate: "Candidate", budget: "Budget", keep: int, first: bool) -> "tuple[str, int]":
    """(block, form) of a page with its text: whole, or as its head when it is the best and does not fit."""
    record = candidate.record
    head = render.page_header(
        record["title"], candidate.path, candidate.source.scope.name, candidate.words, record["updated"]
    )
    space = budget.left - keep - render.cost(head, budget.by_bytes)
    body = None
    if record["size"] <= space:
        body = candidate.source.artefact.body(candidate.page)
        text = head + render.page_body(body)
        if budget.take(text, keep):
            candidate.why = "it fits whole"
            return text, FULL
    candidate.why = "its %d characters did not fit" % record["size"]
    if not first or candidate.seen >= HEAD or record["size"] > LONGEST:
        return "", 0
    if body is None:
        body = candidate.source.artefact.body(candidate.page)
    text = render.page_head(body, candidate.path, space, budget.by_bytes)
    if text and budget.take(head + text, keep):
        candidate.why += ", so its beginning came"
        return head + text, HEAD
    return "", 0


def _line(candidate: "Candidate") -> str:
    """The page's catalogue line with what must be said about it."""
    remarks = []
    if candidate.found is not None:
        remarks.append("matched: " + render.listed(candidate.words, render.MOST_WORDS))
    if candidate.source.scope.name != "workspace":
        remarks.append(candidate.source.scope.name)
        remarks.append(candidate.source.scope.shown)
    if candidate.newer:
        remarks.append("a newer page speaks against it: " + candidate.newer)
    if candidate.state == CHANGED:
        remarks.append("changed since it was indexed")
    return render.page_line(candidate.record["line"], remarks)


def _sent(outcome: "Outcome", candidate: "Candidate", form: int) -> None:
    candidate.form = FORMS[form]
    outcome.marks.append((candidate.signature, form))
