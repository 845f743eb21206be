"""Findings as SARIF 2.1.0 (OASIS), with the parts that GitHub code scanning reads."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from abcd_index.store.codes import Code
from abcd_index.verify.finding import Row
from abcd_index.verify.github import relative

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# Code scanning takes at most this many results of a run.
MOST = 25_000


def log(rows: Sequence[Row], codes: Mapping[str, Code], base: str, version: str) -> dict[str, Any]:
    """A SARIF log as plain dicts.

    ``codes``: {code: (severity, meaning)}. ``base``: the folder that ``%SRCROOT%`` stands for.
    """
    used = sorted({r.code for r in rows})
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "abcd-index",
                        "version": version,
                        "rules": [_rule(code, codes.get(code)) for code in used],
                    }
                },
                "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The top of the checkout"}}},
                "columnKind": "unicodeCodePoints",
                "results": _results(rows[:MOST], used, base),
            }
        ],
    }


def _rule(code: str, known: Code | None) -> dict[str, Any]:
    severity, meaning = known or Code("error", code)
    return {
        "id": code,
        "shortDescription": {"text": meaning},
        "fullDescription": {"text": meaning},
        "defaultConfiguration": {"level": severity},
    }


def _results(rows: Sequence[Row], used: list[str], base: str) -> list[dict[str, Any]]:
    seen: dict[str, int] = {}
    results = []
    for row in rows:
        text = row.message + (f" ({row.fix})" if row.fix else "")
        # Without the line number, so that a finding stays the same one when lines above it move.
        what = "\0".join((row.code, row.scope, row.file, row.message))
        print_of = hashlib.sha256(what.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        seen[print_of] = seen.get(print_of, 0) + 1
        results.append(
            {
                "ruleId": row.code,
                "ruleIndex": used.index(row.code),
                "level": row.severity,
                "message": {"text": text},
                "locations": [{"physicalLocation": _location(row, base)}],
                "partialFingerprints": {"primaryLocationLineHash": f"{print_of}:{seen[print_of]}"},
            }
        )
    return results


def _location(row: Row, base: str) -> dict[str, Any]:
    file = relative(row.path, base)
    if file:
        place = {"uri": quote(file.encode("utf-8", "surrogateescape")), "uriBaseId": "%SRCROOT%"}
    else:
        place = {"uri": Path(row.path).absolute().as_uri()}
    return {"artifactLocation": place, "region": {"startLine": row.line or 1}}
