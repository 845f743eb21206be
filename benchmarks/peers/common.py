"""What the Python peers share: the prompt as words, the test of a keyword, the envelope. No imports of its own."""

LIMIT = 9_000


def words(text):
    """Text as lower-case words between single spaces, one space at each end, so that a phrase is found by ``in``."""
    return " " + " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split()) + " "


def runs(text, longest=3):
    """The distinct runs of one to ``longest`` words in a prompt."""
    tokens = words(text).split()
    return {" ".join(tokens[i : i + n]) for n in range(1, longest + 1) for i in range(len(tokens) - n + 1)}


def block(pages):
    """``pages``: [(hits, file, body)]; the most hits first, whole pages while they fit, file names after that."""
    pages = sorted(pages, key=lambda page: (-page[0], page[1]))
    parts, room = [], LIMIT
    for _, name, body in pages:
        part = f"## {name}\n{body.strip()}\n"
        if len(part) > room:
            part = f"- `{name}`\n"
        if len(part) > room:
            break
        parts.append(part)
        room -= len(part)
    return "".join(parts)


def envelope(event, text):
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def body_of(text):
    """A page's text after its frontmatter."""
    if text.startswith("---\n"):
        end = text.find("\n---\n", 4)
        if end >= 0:
            return text[end + 5 :]
    return text


PLAIN_NAMES = ("index.md", "MEMORY.md", "README.md", "log.md", "contradictions.md")
