"""The public API, which ``abcd_index`` gives out by name, and the steps that it shares with the commands.

Every function takes ``root``, the folder to start from (None: the working directory), and ``scope``: ``"workspace"``,
``"user"`` or ``"all"``. What a person can mend is raised as ``AbcdError``, with a ``hint``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Sequence

from abcd_index import scopes
from abcd_index.errors import AbcdError
from abcd_index.scopes import WORKSPACE, Places, Scope
from abcd_index.selector import ALL, Wanted, select
from abcd_index.verify.finding import Row as Finding
from abcd_index.verify.finding import is_ok, row

if TYPE_CHECKING:
    from abcd_index.build.run import Built

__all__ = [
    "AbcdError",
    "BuildReport",
    "Finding",
    "PageRecall",
    "PromptRecall",
    "SearchResult",
    "VerifyReport",
    "build",
    "recall",
    "search",
    "verify",
]

Progress = Callable[[int, int], None]


class BuildReport(NamedTuple):
    """What a build did with one scope: the keys of ``build --json``.

    ``state``: ``built``, ``current`` (nothing to do) or ``switched`` (to an artefact that was there); ``failed`` and
    ``refused`` come with ``error`` and ``hint``, and the artefact from before still stands. ``pages``: in the artefact;
    ``recompiled`` of them; ``left_out``: files of pages that are not in it; ``size`` in bytes.
    """

    scope: str
    state: str
    key: str = ""
    path: str = ""
    pages: int = 0
    recompiled: int = 0
    size: int = 0
    anew: bool = False
    known: bool = True
    seconds: float = 0.0
    left_out: Sequence[str] = ()
    findings: Sequence[Finding] = ()
    error: str = ""
    hint: str = ""

    @property
    def ok(self) -> bool:
        """Whether the scope's artefact is current now."""
        return not self.error

    def values(self) -> Dict[str, Any]:
        """The report as ``build --json`` has it."""
        if self.error:
            return {"scope": self.scope, "state": self.state, "error": self.error, "hint": self.hint}
        found = {
            **self._asdict(),
            "left_out": list(self.left_out),
            "findings": [finding.as_dict() for finding in self.findings],
        }
        del found["error"], found["hint"]
        return found


class VerifyReport(NamedTuple):
    """What a verification found. ``findings``: of all scopes, in order; ``unsure``: the errors that leave a question
    open; ``ok``: whether neither counts."""

    findings: List[Finding]
    unsure: List[AbcdError]
    ok: bool


class PageRecall(NamedTuple):
    """A page that a prompt reached. ``form``: ``full``, ``head``, ``line`` or ``none``; ``reason``: why so, when it
    does not come whole; ``keywords``: what matched, as the page spells it; ``score`` decides the order."""

    file: str
    title: str
    scope: str
    form: str
    reason: str
    keywords: List[str]
    score: float


class PromptRecall(NamedTuple):
    """What the hook would inject for a prompt: ``text``, '' for nothing. ``bracket``: ``FRESH``, ``MODERATE``,
    ``DEPLETED``, or '' when nothing matched; ``why``. ``pages``: all that matched or nearly did, in the hook's order;
    ``stale``: scopes whose pages changed since the build; ``problems``: {scope: why its artefact cannot be used}."""

    text: str
    bracket: str
    why: str
    pages: List[PageRecall]
    stale: List[str]
    problems: Dict[str, str]


class SearchResult(NamedTuple):
    """A page that answers a query. ``months`` since it was touched; ``recalls`` of it so far; ``excerpt``: its text
    around the first hit; ``breakdown``: the addends of ``score``."""

    name: str
    type: str
    description: str
    path: str
    score: float
    months: float
    recalls: int
    excerpt: str
    breakdown: Dict[str, Any]


def build(root: str | None = None, scope: str = ALL, force: bool = False) -> List[BuildReport]:
    """Make each scope's artefact current, as ``abcd-index build`` does; a BuildReport of each.

    ``force``: build anew even when nothing changed.
    """
    places = _places()
    selection = select(root, scope, places)
    reports = [refusal(name, error) for name, error in selection.refused]
    reports += [build_scope(one, places, force) for one in selection]
    record_interpreter(places)
    return reports


def verify(
    root: str | None = None,
    scope: str = ALL,
    require_artefact: bool = False,
    strict: bool = False,
    pages_only: bool = False,
) -> VerifyReport:
    """Recompute everything from the pages and report all findings, as ``abcd-index verify`` does. Repairs nothing.

    ``require_artefact``: a missing artefact is a finding. ``strict``: warnings count. ``pages_only``: check what
    people write, not the artefact.
    """
    from abcd_index.verify.run import verify as verify_scope

    selection = select(root, scope, _places())
    done = [verify_scope(one, require_artefact, pages_only) for one in selection]
    findings = [finding for one in done for finding in one.rows]
    unsure = [error for _, error in selection.refused] + [error for one in done for error in one.unsure]
    return VerifyReport(findings, unsure, is_ok(findings, strict) and not unsure)


def recall(
    prompt: str, root: str | None = None, scope: str = ALL, remaining: float | None = None, session: str | None = None
) -> PromptRecall:
    """What the prompt hook would inject for ``prompt``, by the hook's own code, and why; nothing is written.

    ``remaining``: how much of the context window is free, in percent. ``session``: an id, whose ledger and fill count
    as they would in the hook; without it: a new session, an unknown window.
    """
    from abcd_index.search.preview import preview

    places = _places()
    found = preview(prompt, select(root, scope, places), places, remaining, session)
    values = found.values()
    pages = [
        PageRecall(
            page["file"],
            page["title"],
            page["scope"],
            page["form"],
            page["reason"],
            [word["keyword"] for word in page["words"]],
            page.get("score", 0.0),
        )
        for page in values["pages"]
    ]
    problems = {problem["scope"]: problem["error"] for problem in values["problems"]}
    return PromptRecall(values["text"], values["bracket"], found.why, pages, values["stale"], problems)


def search(
    terms: Sequence[str],
    root: str | None = None,
    scope: str = ALL,
    types: Sequence[str] = (),
    limit: int = 5,
    ranking: str = "signal",
    record: bool = False,
) -> List[SearchResult]:
    """The pages that answer ``terms``, best first, as ``abcd-index recall TERMS`` finds them.

    ``terms``: words and phrases. ``types``: page types, any of which will do. ``ranking``: ``"signal"`` or ``"bm25f"``.
    ``record``: count each page that was found as recalled; without it nothing is written.
    """
    from abcd_index.search.answer import answer
    from abcd_index.search.rank import Query
    from abcd_index.search.words import read_terms

    words = read_terms([terms] if isinstance(terms, str) else terms)
    query = Query(words, types, limit, ranking=ranking, now=time.time())
    with answer(query, Wanted(root, scope), _places(), record) as found:
        return [
            SearchResult(
                one.document.name,
                one.document.type,
                one.document.description,
                one.document.path,
                one.score,
                one.months,
                one.recalls,
                one.excerpt(words)[0],
                one.sums.values(),
            )
            for one in found.results
        ]


def build_scope(scope: Scope, places: Places, force: bool = False, progress: Progress | None = None) -> BuildReport:
    """Build one scope and let those know who want to; the report says what an error was."""
    from abcd_index.build.run import build as build_artefact

    try:
        built = build_artefact(scope, force=force, progress=progress)
    except AbcdError as error:
        return refusal(scope.name, error, "failed")
    note_built(scope, places)
    return report_of(built)


def report_of(built: Built) -> BuildReport:
    """The report on what a build did."""
    scope = built.scope
    left_out = [scope.display("memory/" + name) for name in built.left_out]
    return BuildReport(
        scope.name,
        built.state,
        built.key,
        built.path,
        built.pages,
        built.recompiled,
        built.size,
        built.anew,
        built.known,
        round(built.seconds, 4),
        left_out,
        [row(finding, scope) for finding in built.findings],
    )


def refusal(scope: str, error: AbcdError, state: str = "refused") -> BuildReport:
    """The report on a scope that could not be built."""
    return BuildReport(scope, state, error=str(error), hint=error.hint)


def note_built(scope: Scope, places: Places) -> None:
    """What others want of a build: recall that the workspace exists and when its pages were committed, the
    git hooks that there is a store below the repository's top."""
    from abcd_index import workspaces
    from abcd_index.githooks import stores
    from abcd_index.search.dates import refresh

    if scope.name == WORKSPACE:
        workspaces.add(places, scope.root)
        stores.note_built(scope.root)
    refresh(scope)


def record_interpreter(places: Places, renew: bool = False) -> None:
    """Note the interpreter and the hook scripts for hooks that run under another one."""
    from abcd_index.build.run import record_interpreter
    from abcd_index.install.entries import scripts_folder

    record_interpreter(places, scripts_folder(), renew)


def _places() -> Places:
    scopes.follow_forbidden = True  # As every program that builds and shows: never where ~/.claude leads to.
    return Places()
