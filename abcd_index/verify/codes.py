"""Findings that only ``verify`` can have, and the table of all codes there are."""

from abcd_index.store.codes import Code
from abcd_index.verify.finding import ERROR, WARNING

ARTEFACT = {
    "artefact-missing": Code(ERROR, "There is no artefact, and one was required."),
    "artefact-dangling": Code(WARNING, "`current` names an artefact that is not there, so nothing is recalled here."),
    "artefact-stale": Code(ERROR, "The artefact was built from other pages than those that are there now."),
    "artefact-torn": Code(ERROR, "The artefact is cut or damaged: a checksum or a count does not fit."),
    "artefact-not-reproducible": Code(
        ERROR, "The artefact has the key of these pages and other content: somebody or something changed it."
    ),
    "artefact-not-to-format": Code(ERROR, "The artefact is whole, but not as docs/format.md says."),
    "artefact-not-the-pages": Code(ERROR, "What the artefact says of a page is not what the page says."),
    "index-tracked": Code(ERROR, "The index folder is tracked by git although the settings do not ask for it."),
    "artefact-untracked": Code(
        ERROR, "The settings ask for a tracked artefact, and git does not track that of these pages."
    ),
    "store-partial": Code(WARNING, "A sparse checkout leaves pages out; only those on disk were checked."),
}

PAGES = {
    "keyword-never": Code(WARNING, "A keyword can never match: nothing of it is left to look for."),
    "keyword-weak": Code(WARNING, "A keyword is so general that it says little about the page."),
    "keyword-common": Code(WARNING, "A keyword is shared by so many pages that it hardly sets one apart."),
    "keyword-generic": Code(WARNING, "A keyword's word stands in so many pages that alone it brings only a line."),
    "keywords-useless": Code(WARNING, "No keyword of a page can match, so none brings it."),
    "keywords-many": Code(WARNING, "A page has very many keywords, so it comes where it is not wanted."),
    "page-too-long": Code(WARNING, "A page is longer than what fits into a prompt, so only its head ever comes."),
}


def all_codes() -> dict[str, Code]:
    """{code: Code} of every finding that ``build`` and ``verify`` can print, by the file they are about."""
    return {code: known for _, table in tables() for code, known in table.items()}


def tables() -> list[tuple[str, dict[str, Code]]]:
    """[(heading, {code: Code})] in the order of the reference page."""
    from abcd_index import settings
    from abcd_index.store import codes as store

    return [
        ("Files", store.FILES),
        ("Frontmatter", store.FRONTMATTER),
        ("Fields", store.FIELDS),
        ("Keywords and length", PAGES),
        ("Catalogue", store.CATALOGUE),
        ("rules.json", store.RULES),
        ("config.json", settings.CODES),
        ("Artefact and git", ARTEFACT),
    ]
