"""Every finding that reading a store can yield: its code, how bad it is, and one sentence on what it means.

Documentation and SARIF rules are made from this table, so a code is never reused for another meaning.
``error``: something the author wrote is lost or wrong. ``warning``: it works, and probably not as meant.
"""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    severity: str
    meaning: str


def _errors(**meanings: str) -> dict[str, Code]:
    return {name.replace("_", "-"): Code("error", meaning) for name, meaning in meanings.items()}


def _warnings(**meanings: str) -> dict[str, Code]:
    return {name.replace("_", "-"): Code("warning", meaning) for name, meaning in meanings.items()}


FILES = {
    **_errors(
        not_utf8="The file is not UTF-8 text, so it is left out; no encoding is guessed.",
        not_text="The file holds a NUL byte, as binary files and UTF-16 do, so it is left out.",
        page_too_large="The page is larger than 4 MiB and is left out.",
        page_unreadable="The file cannot be read (permissions, a disk fault) and is left out.",
        page_failed="Reading the page failed in a way that this program does not expect; the page is left out.",
        name_not_utf8="The file's name is not UTF-8, so no link or line can name it; the page is left out.",
        name_control="The file's name holds a line break or another control character; the page is left out.",
        conflict_markers="The page holds an unresolved merge conflict, so both sides of it are indexed.",
    ),
    **_warnings(
        page_not_a_file="Something named like a page is a folder, a pipe or a device and is left out.",
        link_outside="The page is a symbolic link that leads out of the store (or nowhere) and is not followed.",
        page_copy="Two files hold the same text, as a sync tool's conflicts and backups do; only one of them is used.",
        page_twice="Two names lead to one page; the name that sorts first is used.",
        names_alike="Two pages have names that differ only in case, `-` and `_`, or Unicode composition.",
        page_empty="The page holds no text.",
    ),
}

FRONTMATTER = {
    **_errors(
        frontmatter_not_closed="The frontmatter has no closing `---`, so where the body begins is unknown; left out.",
        frontmatter_dots="The frontmatter is closed by `...` where `---` is expected; it is read up to there.",
        frontmatter_too_large="The frontmatter is larger than 64 KiB; only its plain lines are read.",
        frontmatter_too_deep="The frontmatter is nested too deeply or holds too many values.",
        duplicate_key="A key is given twice; the later value counts, lists are joined.",
        yaml_tab="A tab is used for indentation, which YAML forbids.",
        yaml_colon="An unquoted value holds `: `, which YAML takes for a key.",
        yaml_start="An unquoted value starts with a character that YAML reserves.",
        yaml_alias="YAML anchors and aliases (`&x`, `*x`) are not accepted in frontmatter.",
        yaml_tag="YAML tags (`!x`) are not accepted in frontmatter.",
        yaml_backslash="A double-quoted value holds a backslash that is no valid escape.",
        yaml_comment="A `#` inside a list starts a comment that swallows the rest of the line.",
        yaml_quote="A quoted value is not closed, or text follows its closing quote.",
        yaml_brackets="A list or a mapping on one line is not well formed.",
        yaml_indent="A line is neither a key nor an indented continuation of the line above.",
        yaml_control="The frontmatter holds a control character that YAML forbids.",
        yaml_space="A no-break or invisible space stands where YAML needs a plain one.",
        yaml_key="A key is a list or a mapping, where text is expected.",
        yaml_invalid="The frontmatter is not valid YAML.",
    ),
    **_warnings(
        page_starts_with_rule="The page starts with `---` but what follows is no frontmatter; all is read as body.",
        frontmatter_unknown_keys="No key of the frontmatter is one that is read.",
        frontmatter_second="A second frontmatter block follows the first; it is neither read nor indexed.",
        frontmatter_not_yaml="The page starts like JSON or TOML frontmatter, which is read as body.",
        frontmatter_not_opened="A `recall:` line stands at the top of the page without the `---` above it.",
        frontmatter_not_first="Frontmatter stands below other text and is read as body.",
    ),
}

FIELDS = _warnings(
    key_case="A key differs from one that is read only in case.",
    key_invisible="A key holds an invisible character, so it is another key than it looks.",
    key_not_text="A key is read as text here but as a number, a boolean or a date by other YAML readers.",
    key_misspelt="A key looks like `recall` misspelt.",
    value_comment="The text after ` #` is a YAML comment and is lost.",
    value_control="A value holds a control character, often a backslash escape that was not meant.",
    value_type="A field holds a list or a mapping where text is expected.",
    bidi_character="A value holds bidirectional control characters, which hide how the text really runs.",
    metadata_not_mapping="`metadata:` is not a mapping, so nothing below it is read.",
    type_conflict="`type` is given twice with different values; the one at the top counts.",
    date_invalid="A date cannot be read; the page counts as undated unless another date is there.",
    keywords_missing="Pages have no keywords, so nothing but their text brings them, as a line.",
    keyword_empty="A keyword is empty and is dropped.",
    keyword_mapping="A keyword is written as a mapping (`a: b`); it is read as that text.",
    keyword_nested="A keyword is a list inside the list; its items are read as keywords.",
    keyword_quote="A keyword holds an odd number of double quotes, as when a comma split it.",
    recall_is_text="The keywords are one text, not a list; it is split at commas only.",
    recall_not_list="The keywords are a mapping, where a list is expected; none is read.",
    wikilink_unquoted="An unquoted `[[link]]` is a list inside a list to YAML; its text is read as the link.",
    link_unknown="A page names another page that is not in the store.",
    link_itself="A page contradicts or supersedes itself; the link is ignored.",
    link_circle="Two pages each contradict or supersede the other, so neither is the newer.",
)

CATALOGUE = _warnings(
    catalogue_missing="The store has pages and no catalogue; every line is made from its page.",
    catalogue_dangling="A line of the catalogue names a page that is not there.",
    catalogue_orphan="No line of the catalogue names the page; one is made from it.",
    catalogue_case="A line of the catalogue spells a page's name in another case.",
    catalogue_too_long="MEMORY.md is longer than what agents load (200 lines or 25,000 bytes); its end is cut.",
)

RULES = {
    **_errors(
        rules_not_json="rules.json is not valid JSON, so no domain is compiled.",
        rules_duplicate_key="A key of rules.json is given twice; the later value counts.",
        rules_schema_version="rules.json has another schema_version than 1, so no domain is compiled.",
        rules_wrong_type="A value of rules.json is not of the kind that is expected there.",
        rules_domain_name="A domain's name is not capital letters, digits and `_`; the domain is left out.",
        rules_domain_state="A domain's state is neither `active` nor `dormant`; the domain is left out.",
        rules_too_large="rules.json is larger than 256 KiB, so no domain is compiled.",
        rules_unreadable="rules.json cannot be read, so no domain is compiled.",
    ),
    **_warnings(
        rules_bom="rules.json starts with a byte order mark, which other JSON readers refuse.",
        rules_unknown_key="A key of rules.json is not one that is read.",
        rules_empty="A domain or one of its items is empty.",
    ),
}

CODES = {**FILES, **FRONTMATTER, **FIELDS, **CATALOGUE, **RULES}
