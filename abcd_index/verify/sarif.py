"""Findings as SARIF 2.1.0 (OASIS), with the parts that GitHub code scanning reads."""

import hashlib
from pathlib import Path
from urllib.parse import quote

from abcd_index.verify.github import relative

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# Code scanning takes at most this many results of a run.
MOST = 25_000


def log(rows, codes, base, version):
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


def _rule(code, known):
    severity, meaning = known or ("error", code)
    return {
        "id": code,
        "shortDescription": {"text": meaning},
        "fullDescription": {"text": meaning},
        "defaultConfiguration": {"level": severity},
    }


def _results(rows, used, base):
    seen = {}
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


def _location(row, base):
    file = relative(row.path, base)
    if file:
        place = {"uri": quote(file.encode("utf-8", "surrogateescape")), "uriBaseId": "%SRCROOT%"}
    else:
        place = {"uri": Path(row.path).absolute().as_uri()}
    return {"artifactLocation": place, "region": {"startLine": row.line or 1}}
