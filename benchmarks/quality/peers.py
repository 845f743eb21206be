"""Other engines over the same documents, each at its own defaults: ``index(docs)``, ``search(index, text, k)``.

An engine that is not installed is left out and named; none of them is a dependency of the package.
"""

import re
import sqlite3

_WORDS = re.compile(r"\w+")


def words(text):
    """The words of a text in lower case: what a peer is given where it has no analysis of its own."""
    return _WORDS.findall(text.lower())


def whole(doc):
    """Title and body as one text, for engines without fields."""
    return f"{doc['title']}\n{doc['body']}" if doc["title"] else doc["body"]


def fts5():
    """SQLite FTS5, Porter stems, title weight 5 (the best of 1, 2 and 5 in the first study)."""

    def index(docs):
        base = sqlite3.connect(":memory:")
        base.execute("create virtual table t using fts5(id unindexed, title, body, tokenize='porter unicode61')")
        base.executemany("insert into t values(?, ?, ?)", [(d["id"], d["title"], d["body"]) for d in docs])
        base.execute("insert into t(t) values('optimize')")
        return base

    def search(base, text, k):
        asked = " OR ".join(f'"{word}"' for word in words(text))
        if not asked:
            return []
        rows = base.execute("select id from t where t match ? order by bm25(t, 0, 5.0, 1.0) limit ?", (asked, k))
        return [row[0] for row in rows]

    return index, search


def bm25s():
    """bm25s with the Snowball English stemmer."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")

    def tokens(texts):
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)

    def index(docs):
        retriever = bm25s.BM25()
        retriever.index(tokens([whole(doc) for doc in docs]), show_progress=False)
        return retriever, [doc["id"] for doc in docs]

    def search(built, text, k):
        retriever, ids = built
        asked = tokens(text)
        if not asked.vocab:
            return []
        found, scores = retriever.retrieve(asked, k=min(k, len(ids)), show_progress=False)
        return [ids[int(at)] for at, score in zip(found[0], scores[0]) if score > 0]

    return index, search


def rank_bm25():
    """rank_bm25's BM25Okapi on lower-case words."""
    from rank_bm25 import BM25Okapi

    def index(docs):
        return BM25Okapi([words(whole(doc)) for doc in docs]), [doc["id"] for doc in docs]

    def search(built, text, k):
        ranker, ids = built
        scores = ranker.get_scores(words(text))
        best = sorted(range(len(ids)), key=lambda at: (-scores[at], at))[:k]
        return [ids[at] for at in best if scores[at] > 0]

    return index, search


def tantivy():
    """tantivy, English stemming, title and body."""
    import tantivy

    def index(docs):
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        builder.add_text_field("title", tokenizer_name="en_stem")
        builder.add_text_field("body", tokenizer_name="en_stem")
        built = tantivy.Index(builder.build())
        writer = built.writer(heap_size=64_000_000, num_threads=1)
        for doc in docs:
            writer.add_document(tantivy.Document(id=doc["id"], title=doc["title"], body=doc["body"]))
        writer.commit()
        writer.wait_merging_threads()
        built.reload()
        return built, built.searcher()

    def search(built, text, k):
        base, searcher = built
        query, _ = base.parse_query_lenient(" ".join(words(text)), ["title", "body"])
        return [searcher.doc(address)["id"][0] for _, address in searcher.search(query, k).hits]

    return index, search


def lunr():
    """lunr.py, title and body."""
    from lunr import lunr as build

    def index(docs):
        return build(ref="id", fields=("title", "body"), documents=docs)

    def search(built, text, k):
        return [hit["ref"] for hit in built.search(" ".join(re.findall(r"[^\W_]+", text.lower())))[:k]]

    return index, search


def whoosh():
    """Whoosh (whoosh-reloaded), its BM25F with a stemming analyser."""
    from whoosh import analysis, fields
    from whoosh.filedb.filestore import RamStorage
    from whoosh.qparser import MultifieldParser, OrGroup, WhitespacePlugin

    def index(docs):
        text = fields.TEXT(analyzer=analysis.StemmingAnalyzer(), phrase=False)
        built = RamStorage().create_index(fields.Schema(id=fields.ID(stored=True), title=text, body=text))
        writer = built.writer()
        for doc in docs:
            writer.add_document(id=doc["id"], title=doc["title"], body=doc["body"])
        writer.commit()
        return built, built.searcher()

    def search(pair, text, k):
        built, searcher = pair
        parser = MultifieldParser(["title", "body"], built.schema, group=OrGroup, plugins=[WhitespacePlugin()])
        return [hit["id"] for hit in searcher.search(parser.parse(" ".join(words(text))), limit=k)]

    return index, search


ALL = {"fts5": fts5, "bm25s": bm25s, "rank_bm25": rank_bm25, "tantivy": tantivy, "lunr": lunr, "whoosh": whoosh}


def available():
    """({name: (index, search)}, {name of one that is missing: why})."""
    found, missing = {}, {}
    for name, make in ALL.items():
        try:
            found[name] = make()
        except (ImportError, AttributeError) as error:
            missing[name] = str(error)
    return found, missing
