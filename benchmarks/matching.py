"""The cases of ``tests/data/match_cases.txt`` asked of abcd-index and of two rules that others use.

``python -m benchmarks.matching`` prints the table that ``docs/explanation/matching.md`` shows, ``--write`` puts it
there. The peers are a
plain substring test (``keyword.lower() in prompt.lower()``) and a regular expression with word boundaries
(``\\b`` + ``re.escape(keyword)`` + ``\\b``, ignoring case). They know no weights, so of them it is asked only
whether the keyword is found; abcd-index also has to say how well.
"""

import collections
import re
import sys
from pathlib import Path

from abcd_index.agenthooks.match import match
from abcd_index.agenthooks.prompt import PASTED, Prompt
from abcd_index.text.patterns import entries

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "data" / "match_cases.txt"
DOCS = ROOT / "docs" / "explanation" / "matching.md"

Case = collections.namedtuple("Case", "line kind verdict keyword prompt")

_ESCAPE = re.compile(r"\\(?:n|t|\\|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})")
_SHORT = {"\\n": "\n", "\\t": "\t", "\\\\": "\\"}


def spelt(text):
    """``text`` with its escapes replaced."""
    return _ESCAPE.sub(lambda found: _SHORT.get(found[0]) or chr(int(found[0][2:], 16)), text)


def cases(path=CASES):
    """The cases of the table as Cases, in its order. Raises ValueError for a line it does not understand."""
    found, kind = [], ""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line.startswith("== "):
            kind = line[3:].strip()
        elif line.strip() and not line.startswith("#"):
            parts = line.split(" |", 2)
            if len(parts) != 3 or parts[0].strip() not in ("yes", "weak", "paste", "no") or not kind:
                raise ValueError(f"{path.name}:{number}: {line!r} is no case")
            found.append(Case(number, kind, parts[0].strip(), spelt(parts[1][1:]), spelt(parts[2][1:])))
    return found


def ours(keyword, text):
    """abcd-index's verdict, in the words of the table."""
    prompt = Prompt(text)
    if keyword.startswith("*") and keyword != "*":
        return "yes" if keyword[1:].casefold() in prompt.starred else "no"
    postings = {}
    for key, entry in entries(keyword):
        postings.setdefault(key, []).append([entry, [0], []])
    hits = match(prompt, lambda key: postings.get(key, []))
    if not hits:
        return "no"
    if hits[0].zone == PASTED:
        return "paste"
    return "yes" if hits[0].weight == 1 else "weak"


def substring(keyword, text):
    """A plain substring test that ignores case."""
    return keyword.lower() in text.lower()


def bounded(keyword, text):
    """The keyword between two word boundaries, ignoring case."""
    return re.search(r"\b" + re.escape(keyword) + r"\b", text, re.IGNORECASE) is not None


def table():
    """[(kind, cases, right of ours, of substring, of \\b)], the kinds in the order of the file."""
    rows = {}
    for case in cases():
        row = rows.setdefault(case.kind, [0, 0, 0, 0])
        there = case.verdict != "no"
        row[0] += 1
        row[1] += ours(case.keyword, case.prompt) == case.verdict
        row[2] += substring(case.keyword, case.prompt) == there
        row[3] += bounded(case.keyword, case.prompt) == there
    return [(kind, *row) for kind, row in rows.items()]


def markdown(rows):
    """The rows as a Markdown table with a line of sums."""
    sums = [sum(row[place] for row in rows) for place in range(1, 5)]
    lines = ["| kind | cases | abcd-index | substring | `\\b` regex |", "|---|--:|--:|--:|--:|"]
    lines += ["| {} | {} | {} | {} | {} |".format(*row) for row in rows]
    lines.append("| **all** | **{}** | **{}** | **{}** | **{}** |".format(*sums))
    return "\n".join(lines)


def page(made):
    """The text of the docs page with the table ``made`` in it: the table is what ends it."""
    return DOCS.read_text(encoding="utf-8").partition("| kind |")[0] + made + "\n"


def main(arguments):
    made = markdown(table())
    print(made)
    if arguments == ["--write"]:
        DOCS.write_text(page(made), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
