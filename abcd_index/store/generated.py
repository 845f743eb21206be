"""The catalogue line of a page that has none."""

from abcd_index.store.markdown import first_text
from abcd_index.store.text import one_line

SUMMARY = 200
TITLE = 100


def made_line(page):
    """A line for ``page`` in its dialect, as people and other tools write it:

    ``- `file.md` - class | domain | summary`` (abcd), ``- [Title](file.md) - hook`` (agent, plain), with a
    long dash for the short one here. One line whatever the page holds.
    """
    title = one_line(page.title, TITLE)
    if page.dialect == "abcd" and "`" not in page.name:
        summary = one_line(page.summary, SUMMARY) or title or "(no summary)"
        parts = (page.source_class or "(unclassified)", page.domain or "(no domain)", summary)
        return f"- `{page.name}` \u2014 {' | '.join(parts)}"
    hook = one_line(page.summary, SUMMARY) or one_line(first_text(page.body), SUMMARY)
    text = (title or page.name).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    line = f"- [{text}]({target(page.name)})"
    return f"{line} \u2014 {hook}" if hook and hook != title else line


def target(name):
    """``name`` as the target of a markdown link."""
    for char, code in (("%", "%25"), ("#", "%23"), ("?", "%3F")):
        name = name.replace(char, code)
    if any(char in "()<>\\`" or char.isspace() for char in name):
        return "<" + name.replace("\\", "\\\\").replace("<", "\\<").replace(">", "\\>").replace("`", "%60") + ">"
    return name
