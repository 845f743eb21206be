"""Why each page and rule came or did not come, with every figure that decided: for ``recall --prompt``.

Reads what the hook's own code left on the candidates; it decides nothing itself.
"""

from abcd_index.agenthooks.evidence import SUPPORT, THRESHOLD
from abcd_index.agenthooks.match import ALIKE, APART, DECLARED
from abcd_index.agenthooks.rank import KEYWORD_SHARE, MOST, explain_text, figure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from abcd_index.agenthooks.decide import Outcome, Search
    from abcd_index.agenthooks.match import Hit
    from abcd_index.agenthooks.prompt import Prompt
    from abcd_index.agenthooks.rank import Candidate
    from abcd_index.agenthooks.rules import Rules

EVIDENCE = {DECLARED: "keyword", APART: "words of a phrase", ALIKE: "another name"}
WHERE = ("typed", "part of an identifier or file name", "pasted")


def decisions(search: "Search", outcome: "Outcome") -> "list[dict[str, Any]]":
    """A list of dicts, in the order in which the hook considers them: rules, pages that came, pages that did not.

    Every one has ``kind`` ('rules' or 'page'), ``scope``, ``file`` (as a reader would open it), ``title``,
    ``form`` ('full', 'head', 'line' or 'none'), ``why`` and ``words``: dicts with ``keyword`` (as the page
    spells it), ``seen`` (as the prompt does), ``where``, ``weight`` (spelling and place, 0 .. 1), ``pages`` that
    have it and ``figure``. A page also has ``score``, which is ``keywords`` + ``text``; ``terms``: dicts of
    ``term``, ``text``, ``title``, the addends of ``text``; ``evidence`` ('keyword', 'words of a phrase', 'another name'
    or 'text'), ``support`` (what the typed words say of it beside its keywords) and ``threshold`` (what that would have
    to be).
    """
    rows = [_of_rules(rules) for rules in outcome.rules]
    ranked = set()
    for candidate in outcome.pages:
        ranked.add((candidate.source.scope.name, candidate.record["file"]))
        rows.append(_of_page(search.prompt, candidate))
    return rows + _held(search, outcome, ranked)


def _of_page(prompt: "Prompt", candidate: "Candidate") -> "dict[str, Any]":
    terms = explain_text(prompt, candidate) if candidate.text else []
    return {
        "kind": "page",
        "scope": candidate.source.scope.name,
        "file": candidate.path,
        "title": candidate.record["title"],
        "form": candidate.form,
        "why": candidate.why,
        "score": round(candidate.total, 3),
        "keywords": round(KEYWORD_SHARE * candidate.keyword, 3),
        "text": round(candidate.text, 3),
        "words": _words(_hits(candidate), candidate.words, candidate.source.total),
        "evidence": EVIDENCE[_hits(candidate)[0].kind] if _hits(candidate) else "text",
        "support": round(candidate.support, 2),
        "threshold": SUPPORT if _hits(candidate) else THRESHOLD,
        "terms": [{"term": term, "text": round(text, 3), "title": round(title, 3)} for term, text, title in terms],
    }


def _hits(candidate: "Candidate") -> "list[Hit]":
    return candidate.hits or (candidate.found.hits if candidate.found is not None else [])


def _of_rules(rules: "Rules") -> "dict[str, Any]":
    return {
        "kind": "rules",
        "scope": rules.source.scope.name,
        "file": rules.path,
        "title": rules.record["name"],
        "form": rules.form,
        "why": rules.why,
        "words": _words(
            rules.hits, [rules.record["recall"].get(hit.normal, hit.normal) for hit in rules.hits], rules.source.total
        ),
    }


def _held(search: "Search", outcome: "Outcome", ranked: "set[tuple[str, str]]") -> "list[dict[str, Any]]":
    """The pages and rules that only keywords of a narrower scope would have brought."""
    rows = []
    scopes = {scope.name: (scope, artefact) for scope, artefact in search.open}
    for name, hit, holder in outcome.held:
        scope, artefact = scopes[name]
        why = "the %s scope holds the keyword %r, and the narrower scope wins" % (holder, hit.normal)
        records = [("page", artefact.record(page)) for page in hit.pages[:MOST]]
        records += [("rules", artefact.domain(number)) for number in hit.domains]
        for kind, record in records:
            file = record["file"] if kind == "page" else "rules.json"
            if (name, file) in ranked:
                continue
            rows.append(
                {
                    "kind": kind,
                    "scope": name,
                    "file": scope.shown + file if kind == "page" else scope.display(file),
                    "title": record["title"] if kind == "page" else record["name"],
                    "form": "none",
                    "why": why,
                    "words": _words([hit], [record["recall"].get(hit.normal, hit.normal)], artefact.pages),
                }
            )
    return rows


def _words(hits: "list[Hit]", spelled: "list[str]", total: int) -> "list[dict[str, Any]]":
    return [
        {
            "keyword": word,
            "seen": hit.seen,
            "where": WHERE[min(hit.zone, len(WHERE) - 1)],
            "weight": round(hit.weight, 3),
            "pages": len(hit.pages),
            "figure": round(figure(hit, total), 3),
        }
        for hit, word in zip(hits, spelled)
    ]
