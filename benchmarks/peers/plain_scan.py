"""A plain-text scan with the usual modules: no YAML, a regular expression for the recall line."""

import json
import re
import sys
from pathlib import Path

import common

RECALL = re.compile(r"^\s*recall:\s*\[(.*)\]\s*$", re.M)


def main():
    payload = json.load(sys.stdin)
    prompt, found = common.words(payload["prompt"]), []
    for path in sorted(Path(payload["cwd"], ".abcd", "memory").glob("*.md")):
        if path.name in common.PLAIN_NAMES:
            continue
        text = path.read_text(encoding="utf-8")
        recall = RECALL.search(text.split("\n---\n", 1)[0])
        hits = sum(common.words(k) in prompt for k in recall.group(1).split(",")) if recall else 0
        if hits:
            found.append((hits, path.name, common.body_of(text)))
    if found:
        print(json.dumps(common.envelope(payload["hook_event_name"], common.block(found))))
