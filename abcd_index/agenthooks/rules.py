"""The rules domains that a prompt brings: by their keywords, or by ``*NAME`` whatever their state.

Prompt path, loaded only when a domain matched or the prompt holds a star.
"""

from abcd_index.agenthooks import render
from abcd_index.agenthooks.freshness import RULES
from abcd_index.agenthooks.ledger import FULL
from abcd_index.agenthooks.rank import signature
from abcd_index.artefact.times import SAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from abcd_index.agenthooks.budget import Budget
    from abcd_index.agenthooks.decide import Outcome
    from abcd_index.agenthooks.freshness import Freshness
    from abcd_index.agenthooks.ledger import Ledger
    from abcd_index.agenthooks.match import Exclusions, Hit
    from abcd_index.agenthooks.prompt import Prompt
    from abcd_index.agenthooks.rank import Source

LONGEST_RULE = 2400


class Rules:
    """A domain that matched. ``hits``: its Hits. ``asked``: by ``*NAME``. ``form`` and ``why``: the verdict."""

    __slots__ = ("source", "record", "hits", "asked", "signature", "form", "why")

    def __init__(self, source: "Source", number: int, hits: "list[Hit]", asked: bool) -> None:
        self.source = source
        self.record = source.artefact.domain(number)
        self.hits = hits
        self.asked = asked
        self.signature = signature(source, "domains", number, "*" + self.record["name"])
        self.form = "none"
        self.why = ""

    @property
    def words(self) -> "list[str]":
        """The keywords that matched, as the domain first spells them."""
        recall = self.record["recall"]
        words = ["*" + self.record["name"]] if self.asked else []
        return words + [recall.get(hit.normal, hit.normal) for hit in self.hits]

    @property
    def path(self) -> str:
        """The rules file as a reader would open it."""
        return self.source.scope.display("rules.json")


def write_rules(
    outcome: "Outcome",
    prompt: "Prompt",
    sources: "list[Source]",
    ledger: "Ledger | None",
    excluded: "Callable[[Prompt, Exclusions], str]",
    budget: "Budget",
    share: int,
    freshness: "Callable[[Source], Freshness]",
) -> "list[str]":
    """The blocks of the domains that a prompt brings, within ``share`` of ``budget``; verdicts go to ``outcome``.
    ``freshness``: Source -> its Freshness."""
    blocks = []
    for source in sources:
        state = None
        for rules in _matched(prompt, source):
            if state is None:
                # As of a page that changed, nothing old is shown; of rules there is no line that could be marked.
                state = freshness(source).beside(RULES)
            outcome.rules.append(rules)
            rules.why = _barred(rules, prompt, ledger, excluded) or (
                "rules.json is %s since the artefact was built" % state if state != SAME else ""
            )
            if rules.why:
                continue
            text, left = rules_block(rules, min(share, budget.left), budget.by_bytes)
            if not text or not budget.take(text):
                rules.why = "the rules' share of the limit is used up"
                continue
            share -= render.cost(text, budget.by_bytes)
            rules.form = "head" if left else "full"
            rules.why = "%d of its rules did not fit the rules' share" % left if left else "it fits whole"
            outcome.marks.append((rules.signature, FULL))
            blocks.append(text)
    return blocks


def _matched(prompt: "Prompt", source: "Source") -> "Iterator[Rules]":
    """The scope's domains that matched, those asked for by name first."""
    asked = _asked(prompt, source)
    hits: dict[int, list[Hit]] = {}
    for hit in source.hits:
        for number in hit.domains:
            hits.setdefault(number, []).append(hit)
    for number in sorted(asked.union(hits), key=lambda number: (number not in asked, number)):
        yield Rules(source, number, hits.get(number, []), number in asked)


def _asked(prompt: "Prompt", source: "Source") -> "set[int]":
    """The ordinals of the domains that the prompt names with a star."""
    asked = set()
    if prompt.starred:
        starred = {star.casefold() for star in prompt.starred}
        for number in range(source.artefact.domains):
            record = source.artefact.domain(number)
            if not starred.isdisjoint([name.casefold() for name in [record["name"], *record["aliases"]]]):
                asked.add(number)
    return asked


def _barred(
    rules: "Rules", prompt: "Prompt", ledger: "Ledger | None", excluded: "Callable[[Prompt, Exclusions], str]"
) -> str:
    """Why the domain does not come, or ''."""
    record = rules.record
    if ledger is not None and rules.signature in ledger.seen:
        return "the session has them already"
    if rules.asked:
        return ""
    if record["state"] != "active":
        return "the domain is %s; *%s brings it" % (record["state"], record["name"])
    word = excluded(prompt, record["exclude"])
    return "the prompt says %r, which the domain excludes" % word if word else ""


def rules_block(rules: "Rules", budget: int, by_bytes: bool) -> "tuple[str, int]":
    """(text, number of rules left out) of a domain in at most ``budget``; ('', all) when nothing of it fits."""
    text = render.page_header("Rules: " + rules.record["name"], rules.path, rules.source.scope.name, rules.words, "")
    left = len(rules.record["rules"])
    taken = 0
    for rule in rules.record["rules"]:
        row = "- " + render.flat(rule, LONGEST_RULE) + "\n"
        if render.cost(text + row + _more(left - 1, rules.path), by_bytes) > budget:
            break
        text += row
        left -= 1
        taken += 1
    return (text + _more(left, rules.path) if taken else ""), left


def _more(left: int, path: str) -> str:
    return "(%d more in %s)\n" % (left, render.flat(path)) if left else ""
