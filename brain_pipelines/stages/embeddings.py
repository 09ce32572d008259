"""Stage embeddings: CHUNKS rows → index rows with a unit vector each, embedded in one pass over the whole span.

The vector of a chunk depends on its header and text only, so a chunk that the index already holds with the same
search text keeps its vector. The engine writes the index.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from brain_pipelines.engine.stage import Row, Stage, StageInput, StageOutput
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.validity import ids_unique, rows_of
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.models.embedding.protocol import Embedder
from brain_retrieval.settings import Settings

CODE_VERSION = "2"

# chunk id -> (search text, vector) now in the index for the same source and days
Known = Mapping[str, tuple[str, np.ndarray]]


def search_text(chunk: Row) -> str:
    """Return the text that is embedded and indexed: the context header, if any, a line break, and the chunk."""
    return f"{chunk['context']}\n{chunk['text']}" if chunk["context"] else chunk["text"]


def embed_chunks(
    chunks: Sequence[Row],
    embedder: Embedder,
    known: Known,
    *,
    progress: Callable[[int], None] | None = None,
) -> list[Row]:
    """Return the index rows of `chunks`, in their order.

    Args:
        chunks: rows of CHUNKS, of any number of days.
        embedder: gives float32 vectors of unit length.
        known: rows of these days that are already in the index.
        progress: called with the number of chunks embedded since the last call.

    Raises:
        ValueError: if the embedder returns a vector that is not finite or not of unit length.
    """
    texts = [search_text(chunk) for chunk in chunks]
    vectors: list[Any] = [_reusable(known.get(c["chunk_id"]), t) for c, t in zip(chunks, texts, strict=True)]
    missing = [n for n, vector in enumerate(vectors) if vector is None]
    if missing:
        fresh = embedder.embed([texts[n] for n in missing], progress=progress)
        check_unit_length(fresh)
        for n, vector in zip(missing, fresh, strict=True):
            vectors[n] = vector
    return [
        {**{k: v for k, v in chunk.items() if k != "chunk_id"}, "id": chunk["chunk_id"], "search_text": t, "vector": v}
        for chunk, t, v in zip(chunks, texts, vectors, strict=True)
    ]


def _reusable(known: tuple[str, np.ndarray] | None, text: str) -> np.ndarray | None:
    return known[1] if known is not None and known[0] == text else None


def check_unit_length(vectors: np.ndarray, *, tolerance: float = 1e-3) -> None:
    """Raise ValueError unless every row is finite and of length 1 ± tolerance."""
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.all(np.isfinite(lengths)) or np.any(np.abs(lengths - 1) > tolerance):
        raise ValueError("the embedder returned vectors that are not of unit length")


def run_embeddings(stage_input: StageInput) -> StageOutput:
    """Embed the chunks of all days at once: batches cross days, and the model is loaded once."""
    output = StageOutput()
    days = [(day, row) for day, rows in stage_input.rows.items() for row in rows]
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        stage_input.progress(done, len(days), "chunks")

    if days:
        embedder = build_embedder(stage_input.settings.embedding, models_dir=stage_input.settings.models_dir)
        rows = embed_chunks([row for _, row in days], embedder, stage_input.known_vectors(), progress=advance)
        for (day, _), row in zip(days, rows, strict=True):
            output.add("index", day, [row])
    stage_input.progress(len(days), len(days), "chunks")
    return output


def vectors_normalised(_: StageInput, output: StageOutput) -> int:
    """Count vectors whose length is not 1."""
    violations = 0
    for row in rows_of(output, "index"):
        try:
            check_unit_length(row["vector"][None, :])
        except ValueError:
            violations += 1
    return violations


def _config(settings: Settings, _source: Source) -> list[Any]:
    return [settings.embedding.provider, settings.embedding.model, settings.embedding.dimensions]


STAGE = Stage(
    name="embeddings",
    upstream="chunks",
    tables=("index",),
    code_version=CODE_VERSION,
    config=_config,
    run=run_embeddings,
    validity=(ids_unique, vectors_normalised),
    description="The user's search index: vectors, full text and filters, replaced partition by partition.",
)
