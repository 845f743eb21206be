"""The pages that are made from the program are those in the repository."""

import re
import subprocess
import sys

from conftest import ROOT


def test_the_made_pages_are_up_to_date():
    done = subprocess.run([sys.executable, str(ROOT / "docs" / "generate.py"), "--check"], capture_output=True, text=True,
                          cwd=str(ROOT))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_reference_names_every_command_and_option(sandbox):
    text = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    for name in re.findall(r"^## abcd-index (\w+)$", text, re.M):
        part = text.split(f"## abcd-index {name}\n")[1].split("\n## ")[0]
        said = set(re.findall(r"`(--[a-z-]+)`", part))
        shown = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", sandbox.cli(name, "--help", cwd=sandbox.tmp,
                                                                     env={**sandbox.env, "COLUMNS": "300"}).stdout))
        assert shown - said - {"--help"} == set(), name


def test_the_findings_page_explains_every_code():
    from abcd_index.verify.codes import all_codes

    text = (ROOT / "docs" / "reference" / "findings.md").read_text(encoding="utf-8")
    assert set(re.findall(r'<a id="([a-z0-9-]+)">', text)) == set(all_codes())
