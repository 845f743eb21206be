"""Which files of a store are its pages. The one place that decides it: build, verify, hooks and commands all ask here.

Prompt path: imports nothing.
"""

# In any case: `Readme.md` is no page on a system that tells it from `README.md` either.
NOT_PAGES = frozenset(("readme.md", "index.md", "memory.md", "log.md", "contradictions.md"))


def is_markdown(name: str) -> bool:
    """Whether ``name`` (a file's, without a folder) ends in ``.md``, in any case, and is no dotfile: a page, or what
    stands beside the pages."""
    return name[-3:].lower() == ".md" and name[0] != "."


def is_page(name: str) -> bool:
    """Whether a file of this name (without a folder) in a store is a page."""
    return is_markdown(name) and name.lower() not in NOT_PAGES
