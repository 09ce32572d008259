"""The methods that the retrieval benchmark compares: Brain and the usual ones over the same chunks of one user.

Each ranks chunks for a question and packs a text for a number of tokens. Brain packs with `Brain.context`; the others
put whole chunks, with the header they are embedded with, in order of rank, leaving out those that do not fit.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from brain_retrieval.brain import Brain
from brain_retrieval.home import Home
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.models.embedding.protocol import Embedder
from brain_retrieval.models.embedding.tokenizer import TokenCounter, build_tokenizer
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.index_rows import vector_matrix
from brain_retrieval.stores.index.migration import active_index

DEPTH = 100  # ranks that RRF considers
PACKED = 50  # chunks considered for a pack, as in `Brain.context`


class Method(Protocol):
    """A way to find chunks."""

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of the best `k` chunks, best first."""
        ...

    def pack(self, query: str, max_tokens: int) -> str:
        """Return a text of at most `max_tokens` tokens for a question."""
        ...


@dataclass(frozen=True)
class Chunks:
    """All chunks of a user: ids, the file or unit of each, text, text with header, unit vectors (n, dim)."""

    ids: list[str]
    uris: list[str]
    texts: list[str]
    search_texts: list[str]
    vectors: np.ndarray


@dataclass(frozen=True)
class Tools:
    """The models that all methods share."""

    embedder: Embedder
    counter: TokenCounter

    @classmethod
    def of(cls, settings: Settings) -> "Tools":
        chosen, models = settings.embedding, settings.models_dir
        return cls(build_embedder(chosen, models_dir=models), build_tokenizer(chosen, models_dir=models))


def read_chunks(home: Path, user: str) -> Chunks:
    """Return the index of a user."""
    space = Home(home).space(user)
    with Catalog(space) as catalog:
        index = active_index(space, catalog)
    if index is None:
        raise SystemExit(f"nothing is indexed for {user} in {home}")
    rows = index.read(columns=["id", "uri", "text", "search_text", "vector"])
    ids, uris, texts, search_texts = (rows.column(name).to_pylist() for name in ("id", "uri", "text", "search_text"))
    return Chunks(ids, uris, texts, search_texts, vector_matrix(rows.column("vector")))


class BrainMethod:
    """`Brain.search` and `Brain.context`."""

    def __init__(self, home: Path, user: str, settings: Settings) -> None:
        self._brain = Brain.open(home, user=user, settings=settings)

    def search(self, query: str, k: int) -> list[str]:
        return [hit.source_ref.chunk_id for hit in self._brain.search(query, k, log=False)]

    def pack(self, query: str, max_tokens: int) -> str:
        # Without the marks of quoted lines, which would part a sentence that goes over two lines.
        return re.sub(r"(?m)^> ", "", self._brain.context(query, max_tokens, log=False).text)


class OrderMethod:
    """A method that returns the positions of its best chunks."""

    def __init__(self, chunks: Chunks, counter: TokenCounter, order: Callable[[str, int], Sequence[int]]) -> None:
        self._chunks, self._counter, self._order = chunks, counter, order
        self._packed: tuple[str, Sequence[int]] = ("", ())  # the order last packed: each question has several budgets

    def search(self, query: str, k: int) -> list[str]:
        return [self._chunks.ids[n] for n in self._order(query, k)]

    def pack(self, query: str, max_tokens: int) -> str:
        if self._packed[0] != query:
            self._packed = (query, self._order(query, PACKED))
        taken: list[str] = []
        left = max_tokens
        for n in self._packed[1]:
            text = self._chunks.search_texts[n]
            cost = self._counter.count(text)
            if cost <= left:
                taken.append(text)
                left -= cost
        return "\n\n".join(taken)


def baselines(chunks: Chunks, tools: Tools) -> dict[str, Method]:
    """Return BM25 (k1 1.2, b 0.75, stemmed, stop words), dense, RRF and convex over all chunks in memory."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    options: dict[str, Any] = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
    lexical = bm25s.BM25(k1=1.2, b=0.75)
    lexical.index(bm25s.tokenize(chunks.search_texts, **options), show_progress=False)
    size = len(chunks.ids)

    def bm25(query: str) -> np.ndarray:
        tokens: Any = bm25s.tokenize([query], return_ids=False, **options)[0]
        return lexical.get_scores(tokens) if tokens else np.zeros(size)

    def dense(query: str) -> np.ndarray:
        return chunks.vectors @ tools.embedder.embed([query], questions=True)[0]

    def rrf(query: str) -> np.ndarray:
        scores = np.zeros(size)
        for retrieved in (bm25(query), dense(query)):
            order = [n for n in np.argsort(-retrieved, kind="stable")[:DEPTH] if retrieved[n] > 0]
            scores[order] += 1 / (61 + np.arange(len(order)))
        return scores

    def convex(query: str) -> np.ndarray:
        return _min_max(bm25(query)) + _min_max(dense(query))

    scorers = {"BM25": bm25, "dense": dense, "RRF": rrf, "convex": convex}
    return {name: OrderMethod(chunks, tools.counter, _best_first(scorer)) for name, scorer in scorers.items()}


def _best_first(score: Callable[[str], np.ndarray]) -> Callable[[str, int], Sequence[int]]:
    return lambda query, k: np.argsort(-score(query), kind="stable")[:k].tolist()


def _min_max(scores: np.ndarray) -> np.ndarray:
    return (scores - scores.min()) / max(float(np.ptp(scores)), 1e-9)
