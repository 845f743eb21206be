"""An SQLite FTS5 hook: one table with keywords and bodies, the prompt's words ORed, ranked by bm25()."""

import json
import sqlite3
import sys

import common


def main():
    payload = json.load(sys.stdin)
    asked = " OR ".join(f'"{word}"' for word in sorted(set(common.words(payload["prompt"]).split())))
    db = sqlite3.connect("file:" + payload["cwd"] + "/.peers/fts5.db?mode=ro", uri=True)
    rows = db.execute(
        "SELECT file, keywords, body FROM pages WHERE pages MATCH ? ORDER BY bm25(pages, 0, 1, 0) LIMIT 20",
        (f"keywords : ({asked})",),
    )
    # The words of a phrase match one by one, so a phrase is checked again as a whole.
    prompt, found = common.words(payload["prompt"]), []
    for file, keywords, body in rows:
        hits = sum(common.words(k) in prompt for k in keywords.split(", "))
        if hits:
            found.append((hits, file, body))
    if found:
        print(json.dumps(common.envelope(payload["hook_event_name"], common.block(found))))
