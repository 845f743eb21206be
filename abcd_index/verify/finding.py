"""One finding as people and tools get to see it: with its scope and a path that can be opened."""

import os
from dataclasses import dataclass
from typing import Optional

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
    line: Optional[int]
    message: str
    fix: str

    def as_dict(self):
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


def row(finding, scope):
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


def in_order(rows):
    """Rows by scope (as given), file, line, code: the same list on every machine."""
    seen = {}
    for one in rows:
        seen.setdefault(one.scope, len(seen))
    return sorted(rows, key=lambda r: (seen[r.scope], r.file, r.line or 0, r.code, r.message))


def is_ok(rows, strict=False):
    """Whether the findings leave the exit status at 0. Warnings count with ``strict`` only."""
    return not any(r.severity == ERROR or strict for r in rows)
