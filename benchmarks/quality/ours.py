"""This package's two rankings as engines, through a real artefact: what is measured is what runs.

``index``, ``search`` (bm25f) and ``search_signal`` are the two callables that other yardsticks ask for.
"""

import os
import tempfile

from abcd_index.artefact.reader import Artefact
from abcd_index.build.assemble import Assembly
from abcd_index.build.compile import compile_page
from abcd_index.scopes import Scope
from abcd_index.search.corpus import Corpus
from abcd_index.search.rank import BM25F, SIGNAL, Query
from abcd_index.search.rank import search as find
from abcd_index.search.words import read_terms
from abcd_index.store.records import Page
from benchmarks.quality.peers import words


class NoDates:
    """Every document was touched just now: a collection has no dates."""

    notes = ()
    paths = {}

    def touched(self, file, path, updated):
        return 0.0


def index(docs):
    """``docs``: [{"id", "title", "body"}, ...] -> what ``search`` is given."""
    assembly = Assembly()
    # Pages lie in an artefact by the order of their names; equal scores then fall as in the collection.
    for number, doc in enumerate(docs):
        page = Page(name=f"{number:06d}.md", title=doc["title"], body=doc["body"], summary=doc.get("summary", ""))
        assembly.add_page(compile_page(page, ""))
    with tempfile.TemporaryFile() as out:
        assembly.write(out, "0" * 40, {})
        assembly.close()
        out.flush()
        out.seek(0)
        artefact = Artefact(os.dup(out.fileno()), "collection")
    corpus = Corpus(Scope("folder", "", "", "", "", ""), artefact, NoDates(), "")
    corpus.ids = [doc["id"] for doc in docs]
    return corpus


def search(corpus, text, k):
    """The ids of the best ``k`` by ``--ranking bm25f``."""
    return _ids(corpus, Query([text], limit=k, least=0, ranking=BM25F))


def search_signal(corpus, text, k):
    """The ids of the best ``k`` by the relevance signal, its terms the words of ``text``."""
    return _ids(corpus, Query(read_terms(words(text)), limit=k, least=0, ranking=SIGNAL))


ENGINES = {SIGNAL: (index, search_signal), BM25F: (index, search)}


def _ids(corpus, query):
    return [corpus.ids[result.document.number] for result in find([corpus], query)]
