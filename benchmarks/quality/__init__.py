"""Ranking quality: `signal` and `bm25f` beside other engines, same documents, same run."""
