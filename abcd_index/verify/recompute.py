"""Reads a scope's files once more, page by page, and keeps of each only what ``verify`` compares.

The bodies are not kept, so that a store of any size is verified in bounded memory.
"""

from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b

from abcd_index.build.assemble import Assembly
from abcd_index.build.compile import compile_domain, compile_page
from abcd_index.build.key import key_of
from abcd_index.build.run import settings_of
from abcd_index.build.scan import Moved, observe
from abcd_index.build.workers import mapped
from abcd_index.errors import AbcdError
from abcd_index.settings import written_settings
from abcd_index.store.catalogue import made_line
from abcd_index.store.links import alike, newer
from abcd_index.store.read import read_beside, read_one, unreadable
from abcd_index.text.patterns import entries
from abcd_index.verify.lint import keyword_findings, length_findings

# A page may be saved while we read; more often than this it is not chance.
ROUNDS = 3


class Fresh:
    """What the files of a scope say now.

    ``settings``; ``key`` of the artefact that they make; ``hashes`` {source file: content hash}; ``pages``
    (without their bodies) and ``domains`` by name; ``lines`` {page: catalogue line}; ``bodies`` {page:
    digest}; ``newer`` {page: newer page}; ``left_out``: how many pages could not be compiled; ``findings``;
    ``assembly``: the artefact that they make, to be written and closed, None when not asked for.
    """

    def __init__(self, observed, compiled):
        self.settings, self.findings = settings_of(observed)
        self.findings = list(self.findings) + list(observed.listing.findings)
        self.hashes = observed.hashes()
        self.key = key_of(written_settings(self.settings), self.hashes)
        self.pages = []
        self.domains = []
        self.lines = {}
        self.bodies = {}
        self.newer = {}
        self.left_out = len(observed.listing.left_out)
        self.assembly = Assembly() if compiled else None

    def close(self):
        """Let go of the assembly."""
        if self.assembly is not None:
            self.assembly.close()
            self.assembly = None


def gather(scope, compiled=True):
    """The Fresh of ``scope``. ``compiled``: also make the artefact anew. Raises AbcdError when the store
    cannot be read, or never comes to rest."""
    for _ in range(ROUNDS):
        observed = observe(scope, trust=False)
        fresh = Fresh(observed, compiled)
        try:
            _read(scope, observed, fresh)
            return fresh
        except Moved as moved:
            fresh.close()
            name = str(moved)
        except BaseException:
            fresh.close()
            raise
    raise AbcdError(f"{scope.display(name)} keeps changing while it is read", "verify again when it has settled")


def _read(scope, observed, fresh):
    catalogue, domains, found = read_beside(observed.listing, observed.read)
    fresh.findings += found
    items = [(_source(observed, name), path, catalogue.lines.get(name)) for name, path in observed.listing.pages]
    for page, line, body, compiled, found in mapped(_page, items, len(items), scope, fresh.settings,
                                                    fresh.assembly is not None):
        fresh.findings += found
        if page is None:
            fresh.left_out += 1
            continue
        fresh.lines[page.name] = line
        fresh.bodies[page.name] = body
        if compiled is not None:
            fresh.assembly.add_page(compiled)
        fresh.pages.append(page)
    fresh.domains = sorted(domains, key=lambda domain: domain.name)
    fresh.newer, found = newer(fresh.pages)
    fresh.findings += found + alike(fresh.pages) + keyword_findings(fresh.pages, forms)
    if fresh.assembly is not None:
        for domain in fresh.domains:
            fresh.assembly.add_domain(*compile_domain(domain))
        fresh.assembly.newer = fresh.newer


def _source(observed, name):
    source = observed.page(name)
    if source is None:
        raise Moved("memory/" + name)
    return source


def _page(item, scope, settings, compiled):
    """(Page without its body, line, digest of the body, Compiled, findings) of a page's Source, path and catalogue
    line; None for the page when it cannot be compiled. Runs in any process."""
    source, path, line = item
    try:
        data = source.read()
    except OSError as error:
        return None, "", b"", None, unreadable(source.file, error)
    page, found = read_one(source.file, path, data)
    source.data = None
    if page is None:
        return None, "", b"", None, found
    line = line or made_line(page)
    found = list(found) + length_findings(scope, page, settings)
    return replace(page, body=""), line, digest(page.body), compile_page(page, line) if compiled else None, found


def digest(text):
    """What stands for a body in a comparison."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@lru_cache(maxsize=1 << 16)
def forms(keyword):
    """The entries of a keyword; the same few thousand are asked for again and again."""
    return tuple((key, tuple(entry)) for key, entry in entries(keyword))
