"""What the store hands to the build: plain, frozen records. No paths of this machine are in them."""

from __future__ import annotations

from dataclasses import dataclass, field

from abcd_index.store.codes import CODES


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with what people wrote, and what to do about it.

    ``file`` is relative to the scope's home ("memory/x.md", "rules.json"); ``line`` is 1-based in that
    file, or None when the finding is about the file as a whole. ``code`` is a key of ``codes.CODES``.
    """

    code: str
    severity: str
    file: str
    line: int | None
    message: str
    fix: str


def finding(code: str, file: str, message: str, fix: str, line: int | None = None) -> Finding:
    """A Finding of the severity that ``CODES`` gives (KeyError for a code it does not hold)."""
    return Finding(code, CODES[code].severity, file, line, message, fix)


@dataclass(frozen=True)
class Page:
    """One page.

    ``name`` is the file's name in NFC and is what every other record calls the page by. ``keywords`` and
    ``exclude`` are cleaned text as first spelled; ``contradicts``, ``supersedes`` and ``superseded_by`` are
    links as written (``links`` resolves them). ``updated`` is ``YYYY-MM-DD`` or None. ``body`` is the text
    after the frontmatter with LF line ends, not stripped, and ``body_line`` the file's line on which it
    begins. ``description_name`` and ``ident`` are the ``name:`` and ``id:`` fields, by which other pages may
    link to it. ``lines`` gives the file's line of each frontmatter field that was read.
    """

    name: str
    title: str
    summary: str = ""
    type: str = ""
    dialect: str = "plain"
    slug: str = ""
    keywords: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    updated: str | None = None
    body: str = ""
    body_line: int = 1
    description_name: str = ""
    ident: str = ""
    source_class: str = ""
    domain: str = ""
    lines: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Domain:
    """One domain of ``rules.json``; ``rules`` says what each field means."""

    name: str
    state: str = "active"
    recall: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Catalogue:
    """The catalogue: each page's line, verbatim and without its line end.

    ``file`` is relative to the scope's home, or '' when there is none. ``lines`` holds page names in NFC;
    ``numbers`` the file's line of each. A page that is not in ``lines`` gets a line made for it.
    """

    file: str = ""
    lines: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Store:
    """Everything that was read.

    ``pages`` and ``domains`` are sorted by name. ``left_out``: the names of files that look like pages and
    could not be compiled (each has a finding that says why). ``newer``: {file: file of the page that
    contradicts or supersedes it}.
    """

    pages: tuple[Page, ...] = ()
    catalogue: Catalogue = field(default_factory=Catalogue)
    domains: tuple[Domain, ...] = ()
    findings: tuple[Finding, ...] = ()
    left_out: tuple[str, ...] = ()
    newer: dict[str, str] = field(default_factory=dict)


class Notes:
    """Collects the findings about one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Finding] = []

    def add(self, code: str, line: int | None, message: str, fix: str) -> None:
        """Note one finding."""
        self.found.append(finding(code, self.file, message, fix, line))

    def sorted(self) -> list[Finding]:
        """The findings by line, those about the whole file first; equal lines as they were found."""
        return sorted(self.found, key=lambda finding: finding.line or 0)
