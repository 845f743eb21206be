"""nDCG@10 (linear gain), MRR@10, Recall@10 as trec_eval defines them, and a paired randomisation test."""

import random
from math import log2

DEPTH = 10
ROUNDS = 5000


def measures(ranking, relevant, depth=DEPTH):
    """(nDCG, reciprocal rank, recall) of one query. ``relevant``: {id: grade}; at least one grade above 0."""
    ranking = ranking[:depth]
    gain = sum(relevant.get(doc, 0) / log2(at + 2) for at, doc in enumerate(ranking))
    best = sum(grade / log2(at + 2) for at, grade in enumerate(sorted(relevant.values(), reverse=True)[:depth]))
    first = next((1 / (at + 1) for at, doc in enumerate(ranking) if relevant.get(doc, 0) > 0), 0.0)
    wanted = sum(1 for grade in relevant.values() if grade > 0)
    return gain / best, first, sum(1 for doc in ranking if relevant.get(doc, 0) > 0) / wanted


def mean(rows, column):
    """The mean of a column of [(nDCG, rr, recall), ...]."""
    return sum(row[column] for row in rows) / len(rows)


def p_value(ours, theirs, rounds=ROUNDS, seed=7):
    """Two-sided paired randomisation test on nDCG. ``ours`` and ``theirs``: {query: measures}."""
    differences = [ours[query][0] - theirs[query][0] for query in ours]
    differences = [d for d in differences if d]
    observed = abs(sum(differences)) - 1e-12
    chance = random.Random(seed)
    size = len(differences)
    extreme = 0
    for _ in range(rounds):
        signs = chance.getrandbits(size) if size else 0
        total = 0.0
        for at, difference in enumerate(differences):
            total += difference if signs >> at & 1 else -difference
        extreme += abs(total) >= observed
    return (extreme + 1) / (rounds + 1)
