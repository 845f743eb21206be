"""Answers as a person reads them, and as JSON. Every figure that decided the order can be printed."""

import os
import shutil
import textwrap

from abcd_index.search.rank import Bm25fSums, BrowseSums
from abcd_index.search.words import hits

NARROW, WIDE = 40, 100


def as_values(asked, dirs, results, explain):
    """The answer as plain values: ``terms``, ``dirs``, ``count``, ``results``."""
    return {
        "terms": asked.terms,
        "dirs": dirs,
        "count": len(results),
        "results": [_row(asked, result, explain) for result in results],
    }


class Paths:
    """Shortens paths: ``places`` knows the home, the working directory is asked for once."""

    def __init__(self, places):
        self.home = places.home
        try:
            self.cwd = os.path.realpath(os.getcwd())
        except OSError:
            self.cwd = ""

    def short(self, path):
        """``path`` as short as it stays true: below the working directory, or below the home."""
        if self.cwd and path.startswith(self.cwd + os.sep):
            return path[len(self.cwd) + 1:]
        return "~" + path[len(self.home):] if self.home and path.startswith(self.home + os.sep) else path


class Person:
    """Prints results for a person. ``out``: a ``commands.say.Out``; ``paths``: a Paths."""

    def __init__(self, out, paths):
        self.out = out
        self.paths = paths
        self.colour = out.style("x", "bold") != "x"
        self.width = _width(out)

    def results(self, asked, results, explain):
        """Each result as a block, with an empty line between two."""
        for number, result in enumerate(results):
            if number:
                self.out.line()
            self._result(asked, result, explain)

    def _result(self, asked, result, explain):
        record = result.entry.record
        head = self._style(record["name"], "bold", "cyan")
        kind = record["type"] or "no type"
        self.out.line(f"{head}  {self._style(kind, 'dim')}  {self._style(_figure(result.score), 'bold')}")
        description = result.entry.description
        if description:
            self._text(description, asked.terms)
        newer = result.entry.shelf.artefact.newer(record["file"])
        if newer:
            self.out.line("  " + self._style(f"superseded or contradicted by {newer}", "yellow"))
        text, spans = result.snippet(asked.terms, 2 * (self.width or WIDE) - 20)
        if text and not (asked.browsing and description):
            self._text(text, asked.terms, "dim")
        self.out.line("  " + self._style(self.paths.short(result.entry.path), "dim"))
        if explain:
            for line in explained(asked, result):
                self.out.line("  " + line)

    def _text(self, text, terms, *style):
        text = " ".join(text.split())
        lines = textwrap.wrap(text, self.width - 2, break_on_hyphens=False) if self.width else [text]
        for line in lines:
            self.out.line("  " + self._marked(line, terms, style))

    def _marked(self, line, terms, style):
        if not self.colour:
            return line
        done, parts = 0, []
        for start, end in hits(line, terms):
            parts += [self._style(line[done:start], *style), self._style(line[start:end], "bold", "yellow")]
            done = end
        return "".join(parts + [self._style(line[done:], *style)])

    def _style(self, text, *names):
        return self.out.style(text, *names) if text and names and self.colour else text


def explained(asked, result):
    """The sum behind a score, line by line, as its document writes it."""
    sums = result.sums
    when = f"{result.months:.1f} months, span {asked.stale_months:g}"
    if isinstance(sums, Bm25fSums):
        lines = [f"{term}: {text:.2f} " + ("side by side" if " " in term else "text")
                 + (f" + {title:.2f} title" if title else "") for term, text, title in sums.rows]
        return lines + [f"sum = {result.score:.2f}"]
    if isinstance(sums, BrowseSums):
        return [f"usage_boost {sums.boost:.2f} ({result.recalls} recalls) + recency_factor {sums.factor:.2f} ({when})"
                f" = {result.score:.2f}"]
    lines = [f"{hit.term}: name +{hit.name}, description +{hit.description}, body +{hit.body}"
             for hit in sums.hits]
    return lines + [
        f"(keyword {sums.keyword()} + type_prior {sums.prior:g} + usage_boost {sums.boost:.2f})"
        f" × recency_factor {sums.factor:.2f} = {result.score:.2f}",
        f"usage_boost: {result.recalls} recalls; recency_factor: {when}",
    ]


def _row(asked, result, explain):
    record = result.entry.record
    row = {
        "name": record["name"],
        "type": record["type"] or "unknown",
        "description": result.entry.description,
        "path": result.entry.path,
        "score": round(result.score, 4),
        "recency_months": round(result.months, 2),
        "usage_count": result.recalls,
        "snippet": result.snippet(asked.terms)[0],
    }
    if explain:
        row["breakdown"] = _breakdown(result.sums)
    return row


def _breakdown(sums):
    if isinstance(sums, Bm25fSums):
        return {"terms": [{"term": term, "text": round(text, 4), "title": round(title, 4)}
                          for term, text, title in sums.rows]}
    if isinstance(sums, BrowseSums):
        return {"usage_boost": round(sums.boost, 4), "recency_factor": round(sums.factor, 4)}
    return {
        "keyword": sums.keyword(),
        "type_prior": sums.prior,
        "usage_boost": round(sums.boost, 4),
        "recency_factor": round(sums.factor, 4),
        "terms": [{"term": hit.term, "name": hit.name, "description": hit.description, "body": hit.body}
                  for hit in sums.hits],
    }


def _figure(score):
    return f"{score:.2f}"


def _width(out):
    """The width to wrap at, or 0 for output that no person's terminal shows."""
    if not out.person():
        return 0
    return min(max(shutil.get_terminal_size((80, 24)).columns, NARROW), WIDE)
