"""Small artefacts made by hand, so that the checks of the format need neither store nor tokeniser."""

import io

from abcd_index.artefact import writer
from abcd_index.verify.format import RECORD_FIELDS

KEY = "0123456789abcdef" * 2 + "01234567"


def record(file, **fields):
    """The values of a record, empty where nothing is said."""
    made = {"weights": "", "file": file, "title": file, "size": 0, "titles": "", "pairs": "", "recall": [],
            "form": "- `{file}`", "summary": "", "dialect": "abcd", "type": None, "updated": "", "name": None, "spelled": {}}
    made.update(fields)
    return [made[name] for name, *_ in RECORD_FIELDS if name in made]


def artefact(records=None, bodies=None, postings=None, terms=None, newer=None, domains=(), key=KEY):
    """The bytes of an artefact. Two pages, a keyword of both and one of the second, unless told otherwise."""
    if records is None:
        records = [record("a.md", size=5, recall=[], spelled={"auth": "Auth"}, weights="!!$%"),
                   record("b.md", size=3, recall=["auth", "log in"], weights="!# $%")]
        bodies = ["Hallo", "\u00e9\x01\n"]
    if postings is None:
        postings = {"auth": [[["auth"], [0, 1]]], "log": [[["log in", "in"], [1]]]}
    terms = ["!!!! !##!#"] if terms is None else terms
    parts = {
        "keywords": [writer.Line(line) for line in writer.buckets(postings)],
        "terms": [writer.Line(writer.line(line)) for line in terms],
        "domains": [writer.Line(writer.line(domain)) for domain in domains],
        "records": [writer.Line(writer.line(one)) for one in records],
        "bodies": [writer.Line(writer.line(body)) for body in bodies],
    }
    out = io.BytesIO()
    writer.write(out, key, (1, 1), {"refresh_every": 15}, (2, 9), parts, writer.key_filter(postings), newer or {})
    return out.getvalue()
