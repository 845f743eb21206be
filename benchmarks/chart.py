"""An SVG line chart on two logarithmic axes, written by hand: no dependency, the same bytes for the same figures."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 430
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 44, 56
COLOURS = {
    "abcd-index": "#0b6e4f",
    "frontmatter_scan": "#b3261e",
    "plain_scan": "#d9822b",
    "plain_scan_tuned": "#8a6d00",
    "sqlite_fts5": "#5b5bd6",
    "sqlite_keys": "#3b82c4",
    "json_whole": "#a33ea1",
    "json_whole_orjson": "#6f42c1",
    "node_scan": "#5f6b7a",
}


def draw(series, title, x_title, y_title):
    """``series``: {name: [(x, y), ...]}; returns the SVG's text."""
    points = [point for line in series.values() for point in line]
    x_low, x_high = min(x for x, _ in points), max(x for x, _ in points)
    y_high = max(y for _, y in points)
    x_at = _scale(x_low, x_high * 1.05, LEFT, WIDTH - RIGHT)
    y_at = _scale(1, 10 ** math.ceil(math.log10(y_high * 1.01)), HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="24" font-size="15" fill="#1f2328">{escape(title)}</text>',
    ]
    parts += _grid(x_at, y_at, sorted({x for x, _ in points}), y_high, x_title, y_title)
    for name, line in series.items():
        colour = COLOURS.get(name, "#444444")
        path = " ".join(f"{x_at(x):.1f},{y_at(max(1, y)):.1f}" for x, y in line)
        width = 3.5 if name == "abcd-index" else 1.8
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>')
        parts += [
            f'<circle cx="{x_at(x):.1f}" cy="{y_at(max(1, y)):.1f}" r="{width}" fill="{colour}"/>' for x, y in line
        ]
    parts += _labels(series, y_at)
    return "\n".join(parts + ["</svg>"]) + "\n"


def _scale(low, high, start, end):
    span = math.log(high / low)
    return lambda value: start + (end - start) * math.log(value / low) / span


def _grid(x_at, y_at, xs, y_high, x_title, y_title):
    right = WIDTH - RIGHT
    for power in range(math.ceil(math.log10(y_high * 1.01)) + 1):
        for step in (1, 2, 5):
            value = step * 10**power
            if value > 10 ** math.ceil(math.log10(y_high * 1.01)):
                break
            y = y_at(value)
            shade = "#d0d7de" if step == 1 else "#eef1f4"
            yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="{shade}"/>'
            yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#57606a">{value:,}</text>'
    for value in xs:
        x = x_at(value)
        yield f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#eef1f4"/>'
        yield f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle" fill="#57606a">{value:,}</text>'
    yield (
        f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 14}" text-anchor="middle" fill="#1f2328">{escape(x_title)}</text>'
    )
    yield (
        f'<text transform="translate(18 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle" '
        f'fill="#1f2328">{escape(y_title)}</text>'
    )


def _labels(series, y_at):
    """A name at the end of each line, moved apart where they would overlap."""
    ends = sorted((y_at(max(1, line[-1][1])), name) for name, line in series.items())
    floor = 0.0
    placed = []
    for wanted, name in ends:
        y = max(wanted, floor)
        floor = y + 15
        placed.append((y, name))
    over = max(0.0, floor - 15 - (HEIGHT - BOTTOM))
    for y, name in placed:
        colour = COLOURS.get(name, "#444444")
        label = escape(LABELS.get(name, name))
        yield f'<text x="{WIDTH - RIGHT + 12}" y="{y - over + 4:.1f}" fill="{colour}">{label}</text>'


LABELS = {
    "frontmatter_scan": "python-frontmatter scan",
    "plain_scan": "plain-text scan",
    "plain_scan_tuned": "plain-text scan, tuned",
    "sqlite_fts5": "SQLite FTS5",
    "sqlite_keys": "SQLite keys, tuned",
    "json_whole": "whole JSON, json",
    "json_whole_orjson": "whole JSON, orjson",
    "node_scan": "node scan",
    "aelfrice": "aelfrice (its own store and ranking)",
}
