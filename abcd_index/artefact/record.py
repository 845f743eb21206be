"""A page's record and the list that its line is. ``docs/format.md`` is its specification.

Prompt path, loaded only when a keyword matched.
"""

# What a record's line lists, in this order. It ends where nothing more has to be said.
FIELDS = ("weights", "file", "title", "size", "titles", "pairs", "recall", "form", "summary", "dialect", "type",
          "updated", "name", "spelled", "exclude")
# What the fields are that it does not reach. ``title``, ``type`` and ``name`` may be None where another one says them.
EMPTY = {"titles": "", "pairs": "", "recall": (), "form": "- [{title}]({file}) \u2014 {summary}", "summary": "",
         "dialect": "abcd", "type": None, "updated": "", "name": None, "spelled": {}, "exclude": ()}
# The fields of a whole record that are text.
TEXTS = ("weights", "file", "title", "titles", "pairs", "summary", "dialect", "type", "updated", "name", "line")


def whole(values):
    """A page's record (dict) from the values of its line. Raises TypeError, ValueError, LookupError or
    AttributeError for what is no record."""
    if type(values) is not list:
        raise ValueError("a record is a list")
    record = EMPTY.copy()
    record.update(zip(FIELDS, values))
    recall = record["recall"] = {word: word for word in record["recall"]}
    recall.update(record.pop("spelled"))
    if record["name"] is None or record["type"] is None:
        name, kind = said(record)
        if record["name"] is None:
            record["name"] = name
        if record["type"] is None:
            record["type"] = kind
    if record["title"] is None:
        record["title"] = record["name"]
    form = record.pop("form")
    record["line"] = expanded(form, record) if type(form) is str else form[0]
    # Raises TypeError unless they are all text.
    "".join([*map(record.__getitem__, TEXTS), *recall, *recall.values()])
    if type(record["size"]) is not int or type(record["exclude"]) not in (list, tuple):
        raise ValueError("a size is a number and what excludes a page a list")
    return record


def said(record):
    """(name, type) as the file's name says them: of ``type_domain_slug.md`` slug and type, else a name."""
    stem = record["file"].rpartition(".")[0]
    if record["dialect"] != "abcd":
        return stem.replace("_", "-"), ""
    kind, _, rest = stem.partition("_")
    return rest.partition("_")[2], kind


def expanded(form, record):
    """The catalogue line that ``form`` stands for."""
    return form.replace("{file}", record["file"]).replace("{title}", record["title"]).replace(
        "{summary}", record["summary"])
