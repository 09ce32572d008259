"""Other libraries over the chunks and vectors of the retrieval benchmark: LlamaIndex fusion and txtai hybrid.

    pip install llama-index-core llama-index-retrievers-bm25 txtai

They are no dependency of this project; one that is not installed is left out with a note.
"""

# pyright: reportMissingImports=false

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.retrieval_methods import Chunks, Method, OrderMethod, Tools

Order = Callable[[str, int], Sequence[int]]
RETRIEVED = 100  # by each retriever that LlamaIndex fuses


def peers(chunks: Chunks, tools: Tools) -> dict[str, Method]:
    """Return the methods of the libraries that are installed."""
    methods: dict[str, Method] = {}
    for make in (llama_index, txtai_hybrid):
        try:
            orders = make(chunks, tools)
        except ImportError as error:
            print(f"{make.__name__} left out: {error}", flush=True)
            continue
        methods |= {name: OrderMethod(chunks, tools.counter, order) for name, order in orders.items()}
    return methods


def llama_index(chunks: Chunks, tools: Tools) -> dict[str, Order]:
    """Return `QueryFusionRetriever` over its vector index and BM25, by reciprocal rank and by relative score."""
    from llama_index.core import VectorStoreIndex
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
    from llama_index.core.schema import TextNode
    from llama_index.retrievers.bm25 import BM25Retriever

    class Shared(BaseEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            return tools.embedder.embed([query])[0].tolist()

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_query_embedding(text)

    size = min(RETRIEVED, len(chunks.ids))
    rows = zip(chunks.search_texts, chunks.vectors, strict=True)
    nodes = [TextNode(id_=str(n), text=text, embedding=vector.tolist()) for n, (text, vector) in enumerate(rows)]
    by_vector = VectorStoreIndex(nodes, embed_model=Shared()).as_retriever(similarity_top_k=size)
    by_words = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=size)

    def fused(mode: Any) -> Order:
        retriever = QueryFusionRetriever(
            [by_vector, by_words], llm=MockLLM(), mode=mode, similarity_top_k=size, num_queries=1, use_async=False
        )
        return lambda query, k: [int(found.node.node_id) for found in retriever.retrieve(query)][:k]

    modes = {"LlamaIndex RRF": FUSION_MODES.RECIPROCAL_RANK, "LlamaIndex relative": FUSION_MODES.RELATIVE_SCORE}
    return {name: fused(mode) for name, mode in modes.items()}


def txtai_hybrid(chunks: Chunks, tools: Tools) -> dict[str, Order]:
    """Return txtai's hybrid index, BM25 and vectors in equal parts, with the same vectors."""
    from txtai import Embeddings

    known = dict(zip(chunks.search_texts, chunks.vectors, strict=True))

    def vectors(texts: Sequence[str]) -> np.ndarray:
        missing = [text for text in texts if text not in known]
        fresh = dict(zip(missing, tools.embedder.embed(missing), strict=True)) if missing else {}
        return np.stack([known[text] if text in known else fresh[text] for text in texts]).astype(np.float32)

    index = Embeddings(method="external", transform=vectors, hybrid=True, content=False)
    index.index((n, text, None) for n, text in enumerate(chunks.search_texts))
    return {"txtai hybrid": lambda query, k: [int(n) for n, _ in index.search(query, k)]}
