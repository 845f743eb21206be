"""The table of codes: what docs and SARIF rules are made from."""

import ast
import re
from pathlib import Path

from abcd_index.store import codes

FOLDER = Path(codes.__file__).parent


def test_every_code_is_plain_and_explained():
    groups = (codes.FILES, codes.FRONTMATTER, codes.FIELDS, codes.CATALOGUE, codes.RULES)
    assert len(codes.CODES) == sum(len(group) for group in groups), "a code stands in two groups"
    for code, (severity, meaning) in codes.CODES.items():
        assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)+", code)
        assert severity in ("error", "warning")
        assert meaning.endswith(".") and len(meaning) < 120


def test_every_code_is_used_and_no_other():
    used = set()
    for file in FOLDER.glob("*.py"):
        if file.name != "codes.py":
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    used.add(node.value)
    assert codes.CODES.keys() <= used
