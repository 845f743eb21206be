"""The gate of ``bm25f``: as good as the best, on each collection and on the whole.

No peer significantly better on any collection (paired randomisation, p < 0.05), the mean at least 0.015 above
the best peer's mean, no collection more than 0.015 below its best peer.
"""

from benchmarks.quality.measures import p_value

MARGIN = 0.015
SIGNIFICANT = 0.05


def gate(own, peers, names, rows):
    """(lines that say how it went, whether it held). ``rows``: {(engine, collection): Row}."""
    lines, held = [f"gate of {own} (nDCG@10)"], True
    for name in names:
        ours = rows[own, name]
        best = max(peers, key=lambda peer: rows[peer, name].mean(0))
        behind = rows[best, name].mean(0) - ours.mean(0)
        chance = p_value(ours.found, rows[best, name].found)
        better = [
            peer
            for peer in peers
            if rows[peer, name].mean(0) > ours.mean(0) and p_value(ours.found, rows[peer, name].found) < SIGNIFICANT
        ]
        good = behind <= MARGIN and not better
        held = held and good
        lines.append(
            f"  {name:10s} {ours.mean(0):.4f}, best peer {best} {rows[best, name].mean(0):.4f}"
            f" ({-behind:+.4f}, p = {chance:.3f}) {'holds' if good else 'MISSED'}"
        )
    means = {engine: sum(rows[engine, name].mean(0) for name in names) / len(names) for engine in [own, *peers]}
    best = max(peers, key=means.get)
    ahead = means[own] - means[best]
    held = held and ahead >= MARGIN
    lines.append(
        f"  {'mean':10s} {means[own]:.4f}, best peer {best} {means[best]:.4f} ({ahead:+.4f})"
        f" {'holds' if ahead >= MARGIN else 'MISSED'}"
    )
    return lines, held
