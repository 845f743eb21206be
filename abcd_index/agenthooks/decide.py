"""What one prompt brings, and why: the code behind the hook and behind ``abcd-index recall --prompt``.

Prompt path. Looks the prompt's words up in each scope's artefact; only when a keyword matched does it load
what ranks, weighs and writes. A scope whose artefact cannot be used is named in ``problems`` and passed over.
"""

from abcd_index.agenthooks.match import Hit, excluded, match_all
from abcd_index.agenthooks.prompt import Prompt
from abcd_index.artefact.format import of_another_release
from abcd_index.artefact.provenance import open_ours
from abcd_index.artefact.reader import hashes, torn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from abcd_index.agenthooks.evidence import Evidence
    from abcd_index.agenthooks.fill import Fill
    from abcd_index.agenthooks.ledger import Ledger
    from abcd_index.agenthooks.rank import Candidate, Source
    from abcd_index.agenthooks.rules import Rules
    from abcd_index.artefact.reader import Artefact
    from abcd_index.scopes import Scope

# As in ``settings.py``, which a prompt does not load; a test holds the two equal. Of a number (default, least, most),
# else the words, the default first. The hook takes nothing on trust that stands in an artefact.
SETTINGS: "dict[str, tuple[Any, ...]]" = {
    "refresh_every": (15, 0, 10000),
    "brackets.fresh": (70, 0, 100),
    "brackets.moderate": (40, 0, 100),
    "limits.context": (9000, 500, 9000),
    "limits.moderate": (3000, 200, 9000),
    "limits.depleted": (2000, 200, 9000),
    "limits.rules": (2500, 0, 9000),
    "match.text": ("line", "off"),
    "match.generic": ("support", "whole"),
}
KEYWORDS_ALONE = {"text": "off", "generic": "whole"}
# Of a keyword that two scopes hold, so many of the narrower scope's pages are looked for on disk.
MOST_LOOKED_AT = 8


class Outcome:
    """What a prompt brings.

    ``text``: the block, '' for nothing. ``bracket``: '' when nothing matched. ``why``: why that bracket, or why
    none. ``marks``: [(signature, form)] of what is in the text, for the ledger. ``pages``: Candidates in order,
    then those passed over; ``more``: how many match beyond them. ``rules``: domains that matched. ``held``:
    [(scope name, Hit, narrower scope name)]: keywords that a narrower scope holds. ``stale``: scopes to rebuild.
    ``problems``: [(scope, error)]. ``decisions``: what ``explain`` says of each of them, when asked.
    """

    __slots__ = ("text", "bracket", "why", "marks", "pages", "more", "rules", "held", "stale", "problems", "decisions")

    def __init__(self, problems: "list[tuple[Scope, Exception]]") -> None:
        self.problems = problems
        self.decisions: list[dict[str, Any]] = []
        self.clear()

    def clear(self) -> None:
        """Forget what was found, not what went wrong."""
        self.text = self.bracket = self.why = ""
        self.marks: list[tuple[str, int]] = []
        self.pages: list[Candidate] = []
        self.more = 0
        self.rules: list[Rules] = []
        self.held: list[tuple[str, Hit, str]] = []
        self.stale: list[Scope] = []


class Search:
    """A prompt looked up in the scopes' artefacts. ``open``: [(scope, Artefact)], ``hits``: the Hits of each.
    ``found``: whether a keyword, a ``*NAME`` or a page's text may bring something. ``old``: scopes whose artefact is of
    another
    release; it is read as far as that goes, and calls for a rebuild."""

    __slots__ = ("prompt", "open", "hits", "settings", "problems", "found", "old", "_hashes", "_postings", "_evidence")

    def __init__(self, prompt: "Prompt", scopes: "Iterable[Scope]") -> None:
        self.prompt = prompt
        self.open: list[tuple[Scope, Artefact]] = []
        self.hits: list[list[Hit]] = []
        self.problems: list[tuple[Scope, Exception]] = []
        self.settings = settings_of({})
        self.found = False
        self.old: list[Scope] = []
        self._hashes: list[int] | None = None
        self._postings: dict[Artefact, list[Any]] = {}
        self._evidence: dict[Artefact, Evidence] = {}
        for scope in scopes:
            self._search(scope)
        if self.open:
            self.settings = settings_of(self.open[0][1].header)
            if not self.found and self.settings["match"]["text"] != "off":
                self.found = self._by_text()

    def close(self) -> None:
        """Close the artefacts."""
        for _, artefact in self.open:
            artefact.close()

    def _search(self, scope: "Scope") -> None:
        artefact = None
        try:
            artefact = open_ours(scope)
            if of_another_release(artefact.header):
                self.old.append(scope)
            if self._hashes is None:
                self._hashes = hashes(self.prompt.forms())
            postings = artefact.keywords(self.prompt.forms(), self._hashes)
            hits = match_all(self.prompt, lambda forms: postings)
        except Exception as error:
            if artefact is not None:
                artefact.close()
            if not self.of_artefact(scope, error):
                raise
            self.blame(scope, error)
            return
        self.open.append((scope, artefact))
        self.hits.append(hits)
        self._postings[artefact] = postings
        if hits or (self.prompt.starred and artefact.domains):
            self.found = True

    def _by_text(self) -> bool:
        """Whether the text of a page brings it."""
        found = False
        for scope, artefact in list(self.open):
            try:
                evidence = self.evidence(artefact)
                found = evidence is not None and evidence.brings() or found
            except Exception as error:
                if not self.of_artefact(scope, error):
                    raise
                self.drop(error)
        return found

    def evidence(self, artefact: "Artefact") -> "Evidence | None":
        """What the typed words say of the pages of ``artefact``; None where the settings want the keywords alone."""
        if self.settings["match"] == KEYWORDS_ALONE or not self.prompt.typed:
            return None
        found = self._evidence.get(artefact)
        if found is None:
            from abcd_index.agenthooks.evidence import Evidence

            found = Evidence(artefact, self.prompt, self._postings[artefact], self.settings["match"])
            self._evidence[artefact] = found
        return found

    def of_artefact(self, scope: "Scope", error: Exception) -> bool:
        """Whether ``error`` speaks of the artefact of ``scope`` and not of a mistake in this program. One of another
        release may hold anything."""
        from abcd_index.errors import ArtefactError

        return scope in self.old or isinstance(error, ArtefactError)

    def drop(self, error: Exception) -> None:
        """Pass over the artefact that is to blame for ``error``. Raises ``error`` when none is."""
        artefact = getattr(error, "artefact", None)
        for order, (scope, opened) in enumerate(self.open):
            if opened is artefact or artefact is None and scope in self.old:
                del self.open[order], self.hits[order]
                opened.close()
                self.blame(scope, error)
                return
        raise error

    def blame(self, scope: "Scope", error: Exception) -> None:
        """Note that the artefact of ``scope`` cannot be used. One of another release looks damaged to this one."""
        if scope in self.old:
            error = torn("the artefact was built by another version of abcd-index: %s" % error)
        self.problems.append((scope, error))


def decide(
    prompt: str,
    scopes: "Iterable[Scope]",
    remaining: "float | Fill | None" = None,
    ledger: "Ledger | None" = None,
    settings: "dict[str, Any] | None" = None,
    explain: bool = False,
    by_bytes: bool = False,
) -> "Outcome":
    """The Outcome of a prompt.

    ``prompt``: its text. ``scopes``: narrow to wide. ``remaining``: percent of the window that is free, None
    when not known, or a ``fill.Fill``. ``ledger``: a Ledger, or None for a session without one. ``settings``:
    those of the narrowest artefact when None. ``explain``: also say what nearly came. ``by_bytes``: the host
    counts bytes. Never raises on account of an artefact; what else is raised is a mistake of this program's.
    """
    read = Prompt(prompt)
    search = Search(read, [] if read.machine else scopes)
    try:
        if not search.found:
            outcome = Outcome(search.problems)
            outcome.why = "no person typed this prompt" if read.machine else "no keyword is in the prompt"
            return outcome
        return outcome_of(search, remaining, ledger, settings or search.settings, explain, by_bytes)
    finally:
        search.close()


def outcome_of(
    search: "Search",
    remaining: "float | Fill | None",
    ledger: "Ledger | None",
    settings: "dict[str, Any]",
    explain: bool = False,
    by_bytes: bool = False,
) -> "Outcome":
    """The Outcome of a Search that found something. An artefact that turns out torn is passed over."""
    from abcd_index.agenthooks.budget import decide_forms
    from abcd_index.agenthooks.fill import Fill, bracket

    outcome = Outcome(search.problems)
    if not isinstance(remaining, Fill):
        why = "how full the window is was not given" if remaining is None else "%g %% free was given" % remaining
        remaining = Fill(remaining, why)
    name, why = bracket(remaining, settings["brackets"], ledger is not None and ledger.depleted)
    while search.open:
        try:
            sources = _sources(search, outcome)
            decide_forms(outcome, search.prompt, sources, name, ledger, settings, excluded, by_bytes, explain)
            if explain:
                from abcd_index.agenthooks.explain import decisions

                outcome.decisions = decisions(search, outcome)
            break
        except Exception as error:
            search.drop(error)
            outcome.clear()
    if outcome.pages or outcome.rules or outcome.held:
        outcome.bracket, outcome.why = name, why
    return outcome


def _sources(search: "Search", outcome: "Outcome") -> "list[Source]":
    """Each scope with the keywords that count there: the narrowest scope that holds a keyword has it."""
    from abcd_index.agenthooks.rank import Source

    pages: dict[str, int] = {}
    domains: dict[str, int] = {}
    sources = []
    total = sum([artefact.pages for _, artefact in search.open])
    for order, (scope, artefact) in enumerate(search.open):
        kept = []
        for hit in search.hits[order]:
            barred = bool(hit.pages) and pages.setdefault(hit.normal, order) != order
            if barred and _all_gone(search, pages[hit.normal], hit.normal):
                barred = False
                pages[hit.normal] = order
            barred_rules = bool(hit.domains) and domains.setdefault(hit.normal, order) != order
            if barred or barred_rules:
                holder = (pages if barred else domains)[hit.normal]
                held = _part(hit, barred, barred_rules)
                outcome.held.append((scope.name, held, search.open[holder][0].name))
                hit = _part(hit, not barred, not barred_rules)
            if hit.pages or hit.domains:
                kept.append(hit)
        sources.append(Source(scope, artefact, kept, order, total, search.evidence(artefact)))
    return sources


def _all_gone(search: "Search", order: int, normal: str) -> bool:
    """Whether every page that holds a keyword in a scope was deleted since the build: it holds it no more."""
    from abcd_index.agenthooks.freshness import Freshness
    from abcd_index.artefact.times import GONE

    scope, artefact = search.open[order]
    held = [page for hit in search.hits[order] if hit.normal == normal for page in hit.pages]
    if not held or len(held) > MOST_LOOKED_AT:
        return False
    freshness = Freshness(scope, artefact)
    try:
        return all([freshness.state(page, artefact.record(page)["file"]) == GONE for page in held])
    finally:
        freshness.close()


def _part(hit: "Hit", with_pages: bool, with_domains: bool) -> "Hit":
    return Hit(
        hit.normal,
        hit.weight,
        hit.zone,
        hit.length,
        hit.pages if with_pages else [],
        hit.domains if with_domains else [],
        hit.seen,
    )


def settings_of(header: "dict[str, Any]") -> "dict[str, Any]":
    """The settings that an artefact's header holds, each within its bounds, else its default."""
    given = header.get("settings")
    settings: dict[str, Any] = {}
    for path, allowed in SETTINGS.items():
        group, _, name = path.rpartition(".")
        values, place = given, settings
        if group:
            values, place = given.get(group) if type(given) is dict else None, settings.setdefault(group, {})
        value = values.get(name) if type(values) is dict else None
        if type(value) is not type(allowed[0]):
            usable = False
        elif type(value) is int:
            usable = allowed[1] <= value <= allowed[2]
        else:
            usable = value in allowed
        place[name] = value if usable else allowed[0]
    return settings


DEFAULTS = settings_of({})
