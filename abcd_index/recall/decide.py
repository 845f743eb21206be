"""What one prompt brings, and why: the code behind the hook and behind ``abcd-index recall --prompt``.

Prompt path. Looks the prompt's words up in each scope's artefact; only when a keyword matched does it load
what ranks, weighs and writes. A scope whose artefact cannot be used is named in ``problems`` and passed over.
"""

from abcd_index.artefact.reader import open_current
from abcd_index.errors import AbcdError
from abcd_index.terms.match import excluded, match
from abcd_index.terms.prompt import Prompt

# As in ``settings.py``, which a prompt does not load; a test holds the two equal. Bounds: the hook takes
# nothing on trust that stands in an artefact.
DEFAULTS = {
    "refresh_every": 15,
    "brackets": {"fresh": 70, "moderate": 40},
    "limits": {"context": 9000, "moderate": 3000, "depleted": 2000, "rules": 2500},
}


class Outcome:
    """What a prompt brings.

    ``text``: the block, '' for nothing. ``bracket`` and ``why``: which, and why that one; '' when nothing
    matched. ``marks``: [(signature, form)] for the ledger. ``pages``, ``rules``, ``more``: as in
    ``choose.Choice``. ``held``: [(scope name, keyword, narrower scope name, pages, domains)] that a narrower
    scope's keyword suppressed. ``stale``: scopes to rebuild. ``problems``: [(scope, error)].
    ``ledger``: the Ledger that was asked, or None. ``decisions``: see ``explain``.
    """

    __slots__ = ("text", "bracket", "why", "marks", "pages", "rules", "more", "held", "stale", "problems", "ledger",
                 "settings", "decisions")

    def __init__(self):
        self.text = self.bracket = self.why = ""
        self.marks = []
        self.pages = []
        self.rules = []
        self.more = 0
        self.held = []
        self.stale = []
        self.problems = []
        self.ledger = None
        self.settings = DEFAULTS
        self.decisions = []


class Search:
    """A prompt looked up in the scopes' artefacts. ``found``: whether a keyword or a ``*NAME`` may bring something."""

    __slots__ = ("prompt", "open", "hits", "settings", "problems", "found")

    def __init__(self, prompt, scopes):
        self.prompt = prompt
        self.open = []
        self.hits = []
        self.problems = []
        self.settings = DEFAULTS
        self.found = False
        for scope in scopes:
            self._search(scope)
        if self.open:
            self.settings = settings_of(self.open[0][1].header)

    def close(self):
        """Close the artefacts."""
        for _, artefact in self.open:
            artefact.close()

    def _search(self, scope):
        artefact = None
        try:
            artefact = open_current(scope.index)
            hits = match(self.prompt, artefact.keyword)
        except (AbcdError, OSError, ValueError, TypeError, IndexError, KeyError, AttributeError) as error:
            if artefact is not None:
                artefact.close()
            self.problems.append((scope, error))
            return
        self.open.append((scope, artefact))
        self.hits.append(hits)
        if hits or (self.prompt.stars and artefact.domains):
            self.found = True


def decide(prompt, scopes, remaining=None, ledger=None, settings=None, explain=False, by_bytes=False):
    """The Outcome of a prompt.

    ``prompt``: its text. ``scopes``: narrow to wide. ``remaining``: percent of the window that is free, None
    when not known, or a ``fill.Fill``. ``ledger``: a Ledger, or None for a session without one. ``settings``:
    those of the narrowest artefact when None. ``explain``: also say what nearly came. ``by_bytes``: the host
    counts bytes. Never raises on account of an artefact.
    """
    search = Search(prompt if isinstance(prompt, Prompt) else Prompt(prompt), scopes)
    try:
        if not search.found:
            outcome = Outcome()
            outcome.problems = search.problems
            return outcome
        return settle(search, remaining, ledger, settings or search.settings, explain, by_bytes)
    finally:
        search.close()


def settle(search, remaining, ledger, settings, explain=False, by_bytes=False):
    """The Outcome of a Search that found something. An artefact that turns out torn is passed over."""
    from abcd_index.recall.choose import choose
    from abcd_index.recall.fill import Fill, bracket

    outcome = Outcome()
    outcome.problems = search.problems
    outcome.ledger = ledger
    outcome.settings = settings
    if not isinstance(remaining, Fill):
        why = "how full the window is was not given" if remaining is None else "%g %% free was given" % remaining
        remaining = Fill(remaining, why)
    name, why = bracket(remaining, settings["brackets"], ledger is not None and ledger.depleted)
    while search.open:
        sources = _sources(search, outcome)
        try:
            choice = choose(search.prompt, sources, name, ledger, settings, excluded, by_bytes, explain)
            break
        except (AbcdError, OSError, ValueError, TypeError, IndexError, KeyError, AttributeError) as error:
            _drop_torn(search, outcome, error)
    else:
        return outcome
    for field in ("text", "marks", "pages", "rules", "more", "stale"):
        setattr(outcome, field, getattr(choice, field))
    if outcome.pages or outcome.rules:
        outcome.bracket, outcome.why = name, why
    if explain:
        from abcd_index.recall.explain import decisions

        outcome.decisions = decisions(search.prompt, outcome, sources)
    return outcome


def _sources(search, outcome):
    """Each scope with the keywords that count there: the narrowest scope that holds a keyword has it."""
    from abcd_index.recall.rank import Source

    pages, domains = {}, {}
    sources = []
    outcome.held = []
    for order, (scope, artefact) in enumerate(search.open):
        kept = []
        held = []
        for hit in search.hits[order]:
            normal = hit.normal
            barred_pages = hit.pages and pages.setdefault(normal, order) != order
            barred_domains = hit.domains and domains.setdefault(normal, order) != order
            if barred_pages or barred_domains:
                holder = search.open[(pages if barred_pages else domains)[normal]][0].name
                held.append((hit, holder))
                hit = _without(hit, barred_pages, barred_domains)
            if hit.pages or hit.domains:
                kept.append(hit)
        sources.append(Source(scope, artefact, kept, held, order))
    return sources


class Part:
    """A Hit of which a narrower scope holds the pages or the domains."""

    __slots__ = ("normal", "weight", "zone", "length", "pages", "domains", "seen")


def _without(hit, no_pages, no_domains):
    part = Part()
    for field in Part.__slots__:
        setattr(part, field, getattr(hit, field))
    if no_pages:
        part.pages = []
    if no_domains:
        part.domains = []
    return part


def _drop_torn(search, outcome, error):
    """Find the artefact that is to blame by asking each for the records that matched; the last one if none is."""
    blamed = len(search.open) - 1
    for order, (_, artefact) in enumerate(search.open):
        try:
            for hit in search.hits[order]:
                for page in hit.pages[:100]:
                    artefact.record(page)["recall"], artefact.body(page)
                for number in hit.domains:
                    artefact.domain(number)["rules"]
        except (AbcdError, OSError, ValueError, TypeError, IndexError, KeyError, AttributeError):
            blamed = order
            break
    scope, artefact = search.open.pop(blamed)
    search.hits.pop(blamed)
    artefact.close()
    outcome.problems.append((scope, error))


def settings_of(header):
    """The settings that an artefact's header holds, each within its bounds, else its default."""
    given = header.get("settings")
    given = given if isinstance(given, dict) else {}
    settings = {"refresh_every": _whole(given.get("refresh_every"), DEFAULTS["refresh_every"], 10000)}
    for part, most in (("brackets", 100), ("limits", 9000)):
        values = given.get(part)
        values = values if isinstance(values, dict) else {}
        settings[part] = {name: _whole(values.get(name), default, most) for name, default in DEFAULTS[part].items()}
    return settings


def _whole(value, default, most):
    return value if type(value) is int and 0 <= value <= most else default
