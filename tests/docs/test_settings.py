"""The page on settings says what the code holds."""

import json
import re

from abcd_index.settings import BOUNDS, DEFAULTS

from .markdown import ROOT, split

TEXT = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")


def flat(settings, prefix=""):
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from flat(value, prefix + key + ".")
        else:
            yield prefix + key, value


def test_the_table_lists_every_setting_with_its_default_and_bounds():
    rows = {}
    for line in TEXT.split("\n"):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 5 and re.fullmatch(r"`[\w.]+`", cells[1]):
            rows[cells[1].strip("`")] = cells[2:5]
    expected = {}
    for setting, default in flat(DEFAULTS):
        low, high = BOUNDS.get(setting, ("", ""))
        expected[setting] = [json.dumps(default), str(low), str(high)]
    assert rows == expected


def test_the_defaults_written_out_are_the_defaults():
    written = [block for block in split(TEXT)[0] if block.language == "json"]
    assert json.loads(written[0].text) == DEFAULTS
