"""The collections: ``notes``, kept beside this file, and those of a folder of public ones when it is there.

``notes`` is a store of pages as people write them, read by the package's own reader, and questions with the
pages that answer them. The others are lines of JSON: documents (id, title, body), queries (id, text), and
judgements (query, document, grade).
"""

import json
from pathlib import Path

HERE = Path(__file__).parent
NOTES = HERE / "notes"
# Beside the checkout: too large to keep here, and of other licences.
ELSEWHERE = HERE.parents[2] / "shared" / "eval"


class Collection:
    """``docs``: [{"id", "title", "body"}]; ``queries``: [(id, text)]; ``relevant``: {query: {doc: grade}}."""

    def __init__(self, name, docs, queries, relevant):
        self.name = name
        self.docs = docs
        self.queries = queries
        self.relevant = relevant


def collections(folder=ELSEWHERE):
    """Every collection that is here, ``notes`` first."""
    found = [notes()] if NOTES.exists() else []
    for path in sorted(Path(folder).glob("*/docs.jsonl")) if folder else []:
        found.append(_public(path.parent))
    return found


def notes():
    """The collection of this repository."""
    from abcd_index.store.page import read_page

    docs = []
    for path in sorted((NOTES / "memory").glob("*_*.md")):
        page, _ = read_page(path.name, path.read_bytes())
        docs.append({"id": page.name, "title": page.title, "body": f"{page.summary}\n{page.body}"})
    queries, relevant = [], {}
    for number, line in enumerate((NOTES / "questions.jsonl").read_text(encoding="utf-8").splitlines()):
        question = json.loads(line)
        queries.append((f"q{number + 1}", question["ask"]))
        relevant[f"q{number + 1}"] = question["pages"]
    return Collection("notes", docs, queries, relevant)


def _public(folder):
    relevant = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines():
        query, doc, grade = line.split("\t")
        relevant.setdefault(query, {})[doc] = int(grade)
    docs = [json.loads(line) for line in (folder / "docs.jsonl").open(encoding="utf-8")]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    return Collection(folder.name, docs, [(q["id"], q["text"]) for q in queries], relevant)
