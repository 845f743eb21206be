"""Make the peers' own indexes of a generated workspace, in ``<root>/.peers``. Not timed; their sizes are reported."""

import json
import re
import sqlite3
from pathlib import Path

RECALL = re.compile(r"^\s*recall:\s*\[(.*)\]\s*$", re.M)


def _pages(root):
    for path in sorted((Path(root) / ".abcd" / "memory").glob("*.md")):
        if path.name == "index.md":
            continue
        head, body = path.read_text(encoding="utf-8").split("\n---\n", 1)
        found = RECALL.search(head)
        yield path.name, [k.strip().lower() for k in found.group(1).split(",")] if found else [], body


def prepare(root):
    """{"fts5", "keys", "json"}: bytes of each index made below ``root``."""
    folder = Path(root) / ".peers"
    folder.mkdir()
    fts = sqlite3.connect(folder / "fts5.db")
    fts.execute("CREATE VIRTUAL TABLE pages USING fts5(file UNINDEXED, keywords, body)")
    keys = sqlite3.connect(folder / "keys.db")
    keys.execute("CREATE TABLE pages (id INTEGER PRIMARY KEY, file TEXT, body TEXT)")
    keys.execute("CREATE TABLE keys (key TEXT PRIMARY KEY, pages TEXT) WITHOUT ROWID")
    files, table = [], {}
    for number, (name, keywords, body) in enumerate(_pages(root)):
        fts.execute("INSERT INTO pages VALUES (?, ?, ?)", (name, ", ".join(keywords), body))
        keys.execute("INSERT INTO pages VALUES (?, ?, ?)", (number, name, body))
        files.append(name)
        for keyword in keywords:
            table.setdefault(keyword, []).append(number)
    keys.executemany("INSERT INTO keys VALUES (?, ?)", ((k, json.dumps(v)) for k, v in table.items()))
    fts.execute("INSERT INTO pages(pages) VALUES ('optimize')")
    for db in (fts, keys):
        db.commit()
        db.close()
    (folder / "index.json").write_text(json.dumps({"files": files, "keys": table}), encoding="utf-8")
    return {
        "fts5": (folder / "fts5.db").stat().st_size,
        "keys": (folder / "keys.db").stat().st_size,
        "json": (folder / "index.json").stat().st_size,
    }
