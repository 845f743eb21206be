"""What came against what should have come: precision, recall, F1, silence, and how sure they are."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from benchmarks.prompts.sets import Asked

WHOLE, LINE = "whole", "line"
ROUNDS = 2000
SEED = 7


class Answer(NamedTuple):
    """What a prompt brought. ``pages``: (page id, WHOLE, LINE or '' for systems without forms) in order of arrival;
    ``size``: characters, 0 where there is no text."""

    pages: tuple[tuple[str, str], ...] = ()
    size: int = 0


class Scores(NamedTuple):
    """The figures of one system on some prompts. A share of nothing is None."""

    precision: float | None
    recall: float | None
    f1: float
    best_came: float | None
    best_whole: float | None
    best_first: float | None
    silent: float | None
    no_whole: float | None
    precision_whole: float | None
    wrong_whole: int
    wrong_lines: int
    characters: float


class Chats(NamedTuple):
    """What whole chats brought. ``repeats``: the share of arrivals of a page that the chat had been given before."""

    turns: int
    characters: float
    arrivals: int
    repeats: float | None


def scores(prompts: Sequence[Asked], answers: Mapping[str, Answer]) -> Scores:
    """The Scores of ``answers`` ({prompt id: Answer}) on the judged ``prompts``."""
    sums: Counter[str] = Counter()
    for prompt in prompts:
        sums.update(_counts(prompt, answers[prompt.id]))
    f1, precision, recall = _f1(sums["right"], sums["wrong"], sums["wanted"])
    whole = sums["right whole"] + sums["wrong whole"]
    return Scores(
        precision,
        recall,
        f1,
        best_came=_share(sums["best came"], sums["wanting"]),
        best_whole=_share(sums["best whole"], sums["wanting"]),
        best_first=_share(sums["best first"], sums["wanting"]),
        silent=_share(sums["silent"], sums["unwanting"]),
        no_whole=_share(sums["no whole"], sums["unwanting"]),
        precision_whole=_share(sums["right whole"], whole),
        wrong_whole=sums["wrong whole"],
        wrong_lines=sums["wrong line"],
        characters=sums["size"] / max(1, len(prompts)),
    )


def interval(
    prompts: Sequence[Asked], answers: Mapping[str, Answer], rounds: int = ROUNDS, seed: int = SEED
) -> tuple[float, float]:
    """The bootstrap's 95 % interval of F1: ``rounds`` draws of as many prompts, with replacement."""
    counted = [_counts(prompt, answers[prompt.id]) for prompt in prompts]
    rows = [(row["right"], row["wrong"], row["wanted"]) for row in counted]
    chance = random.Random(seed)
    found = sorted(_f1(*map(sum, zip(*chance.choices(rows, k=len(rows)))))[0] for _ in range(rounds))
    return found[int(0.025 * rounds)], found[min(rounds - 1, int(0.975 * rounds))]


def chats(turns: Iterable[Asked], answers: Mapping[str, Answer]) -> Chats:
    """The Chats figures of ``turns``, which are in the order in which they were asked."""
    seen: set[tuple[str, str]] = set()
    count = size = arrivals = repeats = 0
    for turn in turns:
        answer = answers[turn.id]
        count, size = count + 1, size + answer.size
        for page, _ in answer.pages:
            arrivals += 1
            repeats += (turn.chat, page) in seen
            seen.add((turn.chat, page))
    return Chats(count, size / max(1, count), arrivals, _share(repeats, arrivals))


def without_given(turns: Iterable[Asked], answers: Mapping[str, Answer]) -> list[Asked]:
    """The turns; a page that its chat was given before need not come again, so it counts neither way."""
    seen: set[tuple[str, str]] = set()
    found = []
    for turn in turns:
        rel = turn.rel and {page: 1 if (turn.chat, page) in seen else grade for page, grade in turn.rel.items()}
        found.append(turn._replace(rel=rel))
        seen.update((turn.chat, page) for page, _ in answers[turn.id].pages)
    return found


def _counts(prompt: Asked, answer: Answer) -> Counter[str]:
    """What one prompt adds to each sum."""
    rel, wanted, found = prompt.rel or {}, prompt.wanted(), Counter({"size": answer.size})
    found["wanted"] = len(wanted)
    for page, form in answer.pages:
        verdict = "right" if page in wanted else "" if page in rel else "wrong"
        if verdict:
            found[verdict] += 1
            found[f"{verdict} {form}"] += 1
    if wanted:
        forms = [form for page, form in answer.pages if page in prompt.best()]
        found["wanting"] = 1
        found["best came"] = bool(forms)
        found["best whole"] = WHOLE in forms
        found["best first"] = bool(answer.pages) and answer.pages[0][0] in prompt.best()
    elif not rel:
        found["unwanting"] = 1
        found["silent"] = not answer.pages
        found["no whole"] = WHOLE not in [form for _, form in answer.pages]
    return found


def _f1(right: int, wrong: int, wanted: int) -> tuple[float, float | None, float | None]:
    """(F1, precision, recall) of pages that came; F1 is 0 where nothing right did."""
    f1 = 2 * right / (right + wrong + wanted) if right else 0.0
    return f1, _share(right, right + wrong), _share(right, wanted)


def _share(part: int, of: int) -> float | None:
    return part / of if of else None
