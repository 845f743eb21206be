"""Findings as GitHub workflow commands and as a job summary.

Source: "Workflow commands for GitHub Actions". The text of a command escapes ``%``, CR and LF; its
properties ``:`` and ``,`` too. GitHub shows ten annotations of each kind and step, so errors go first
and the job summary holds the rest.
"""

import os
from collections.abc import Sequence

from abcd_index.verify.finding import Row

# A summary may hold 1 MiB; beyond this many rows nobody reads on.
SUMMARY_ROWS = 500


def annotations(rows: Sequence[Row], base: str) -> list[str]:
    """One workflow command per finding, errors first.

    ``base``: the folder that annotation paths are relative to (the checkout).
    """
    ranked = sorted(enumerate(rows), key=lambda pair: (pair[1].severity != "error", pair[0]))
    return [_command(row, base) for _, row in ranked]


def relative(path: str, base: str) -> str:
    """``path`` below ``base`` with forward slashes, or '' when it lies elsewhere. A page that is a link is
    not followed: what is wrong with it may be where it leads."""
    folder, name = os.path.split(path)
    try:
        inside = os.path.relpath(os.path.join(os.path.realpath(folder), name), os.path.realpath(base))
    except ValueError:  # another drive
        return ""
    inside = inside.replace(os.sep, "/")
    return "" if inside == ".." or inside.startswith("../") else inside


def summary(rows: Sequence[Row], checked: Sequence[str]) -> str:
    """The job summary, in Markdown. ``checked``: one sentence per scope."""
    errors = sum(r.severity == "error" for r in rows)
    warnings = len(rows) - errors
    lines = ["### abcd-index verify", ""]
    lines += [f"- {_cell(sentence)}" for sentence in checked]
    lines += ["", f"{errors} {_plural('error', errors)}, {warnings} {_plural('warning', warnings)}."]
    if rows:
        lines += ["", "| | code | where | what | what to do |", "|---|---|---|---|---|"]
        lines += [_table_row(r) for r in rows[:SUMMARY_ROWS]]
    if len(rows) > SUMMARY_ROWS:
        lines += ["", f"{len(rows) - SUMMARY_ROWS} more are in the log."]
    return "\n".join(lines) + "\n"


def _command(row: Row, base: str) -> str:
    properties = []
    file = relative(row.path, base)
    if file:
        properties.append(f"file={_property(file)}")
        if row.line:
            properties.append(f"line={row.line}")
    properties.append(f"title={_property('abcd-index ' + row.code)}")
    where = "" if file else row.file + ": "
    text = f"{where}{row.message}" + (f" ({row.fix})" if row.fix else "")
    return f"::{row.severity} {','.join(properties)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _table_row(row: Row) -> str:
    where = row.file + (f":{row.line}" if row.line else "")
    return f"| {row.severity} | {_cell(row.code)} | {_cell(where)} | {_cell(row.message)} | {_cell(row.fix)} |"


def _cell(text: str) -> str:
    # A page's words end up here: none of them may be read as markup.
    text = " ".join(text.split())
    for char in ("\\", "`", "*", "_", "|", "[", "]", "#"):
        text = text.replace(char, "\\" + char)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")


def _plural(word: str, count: int) -> str:
    return word if count == 1 else word + "s"
