"""A query asked of stores, from the choice of the stores to the count of what was shown."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import Any, Dict, Iterator, List, NamedTuple

from abcd_index.errors import AbcdError
from abcd_index.scopes import Places
from abcd_index.search import usage
from abcd_index.search.audit import Grade, audit
from abcd_index.search.corpus import Corpus, open_corpus
from abcd_index.search.rank import Query, Result, search
from abcd_index.selector import Selection, Wanted, select_stores


class Answer(NamedTuple):
    """What a query brought. ``selection``: of the stores; ``results``: readable as long as the answer is open."""

    query: Query
    selection: Selection
    corpora: List[Corpus]
    results: List[Result]

    @property
    def pages(self) -> int:
        """How many pages were asked."""
        return sum(corpus.artefact.pages for corpus in self.corpora)

    @property
    def notes(self) -> List[str]:
        """What a person should know of the dates that counted."""
        return sorted({note for corpus in self.corpora for note in corpus.dates.notes})

    def values(self, explain: bool = False) -> Dict[str, Any]:
        """The answer as JSON has it."""
        return {
            "terms": list(self.query.terms),
            "dirs": [corpus.scope.store for corpus in self.corpora],
            "count": len(self.results),
            "results": [one.values(self.query, explain) for one in self.results],
        }


class Audit(NamedTuple):
    """What an upkeep of stores found."""

    selection: Selection
    grades: List[Grade]
    notes: List[str]


@contextmanager
def answer(query: Query, wanted: Wanted, places: Places, record: bool = True) -> Iterator[Answer]:
    """The Answer to a query. ``record``: count each page that it shows as recalled, once the answer is done with;
    without it nothing at all is written.

    Raises AbcdError for a query that cannot be, and what ``select_stores`` raises.
    """
    if not query.stale_months > 0:
        raise AbcdError("--stale-months has to be above 0")
    selection = select_stores(wanted, places, record)
    with ExitStack() as stack:
        corpora = [stack.enter_context(open_corpus(scope, places, record)) for scope in selection]
        found = Answer(query, selection, corpora, search(corpora, query))
        yield found
        if record:
            _count(found.results)


def audit_stores(query: Query, wanted: Wanted, places: Places, writing: bool = True) -> Audit:
    """The grades of all pages of the types that ``query`` names. Nothing is counted as a recall."""
    found = Audit(select_stores(wanted, places, writing), [], [])
    for scope in found.selection:
        with open_corpus(scope, places, writing) as corpus:
            grades, notes = audit(corpus, query.now, query.stale_months, query.types)
        found.grades.extend(grades)
        found.notes.extend(note for note in notes if note not in found.notes)
    return found


def _count(results: List[Result]) -> None:
    """Count every page that was shown, one write for each store."""
    shown: Dict[str, List[str]] = {}
    for result in results:
        shown.setdefault(result.document.corpus.sidecar, []).append(result.document.file)
    for sidecar, files in shown.items():
        if sidecar:
            usage.record(sidecar, files)
