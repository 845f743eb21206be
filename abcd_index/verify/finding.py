"""One finding as people and tools get to see it: with its scope and a path that can be opened."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from abcd_index.scopes import Scope
from abcd_index.store.records import Finding

ERROR = "error"
WARNING = "warning"


@dataclass(frozen=True)
class Row:
    """``file`` is what is printed (``.abcd/memory/x.md``), ``path`` is absolute, ``line`` counts from 1."""

    code: str
    severity: str
    scope: str
    file: str
    path: str
    line: int | None
    message: str
    fix: str

    def as_dict(self) -> dict[str, str | int | None]:
        """The documented keys of ``verify --format json``."""
        return {
            "code": self.code,
            "severity": self.severity,
            "scope": self.scope,
            "file": self.file,
            "line": self.line,
            "message": self.message,
            "fix": self.fix,
        }


def row(finding: Finding, scope: Scope) -> Row:
    """A Row of a store ``Finding``, whose ``file`` is relative to the scope's home."""
    return Row(
        finding.code,
        finding.severity,
        scope.name,
        scope.display(finding.file),
        os.path.join(scope.home, *finding.file.split("/")) if finding.file else scope.home,
        finding.line,
        finding.message,
        finding.fix,
    )


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Rows by scope (as given), file, line, code: the same list on every machine."""
    rows = list(rows)
    seen: dict[str, int] = {}
    for one in rows:
        seen.setdefault(one.scope, len(seen))
    return sorted(rows, key=lambda r: (seen[r.scope], r.file, r.line or 0, r.code, r.message))


def is_ok(rows: Iterable[Row], strict: bool = False) -> bool:
    """Whether the findings leave the exit status at 0. Warnings count with ``strict`` only."""
    return not any(r.severity == ERROR or strict for r in rows)
