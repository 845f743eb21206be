"""A scan with python-frontmatter: the hook that people write first."""

import json
import sys
from pathlib import Path

import frontmatter

import common


def main():
    payload = json.load(sys.stdin)
    prompt, found = common.words(payload["prompt"]), []
    for path in sorted(Path(payload["cwd"], ".abcd", "memory").glob("*.md")):
        if path.name in common.PLAIN_NAMES:
            continue
        page = frontmatter.load(path)
        recall = page.get("recall") or (page.get("source") or {}).get("recall") or []
        hits = sum(common.words(str(keyword)) in prompt for keyword in recall)
        if hits:
            found.append((hits, path.name, page.content))
    if found:
        print(json.dumps(common.envelope(payload["hook_event_name"], common.block(found))))
