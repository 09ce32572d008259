"""Stage embeddings: CHUNKS rows → index rows with a unit vector each, embedded in one pass over the whole span.

The vector of a chunk depends on its header and text only, so a chunk that the index already holds with the same
search text keeps its vector. The engine writes the index.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from brain_pipelines.engine.stage import Row, Stage, StageInput, StageOutput
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.validity import ids_unique, rows_of
from brain_retrieval.errors import ModelCallError, is_unanswered
from brain_retrieval.models.embedding.build import build_embedder, metered
from brain_retrieval.models.embedding.protocol import Embedder
from brain_retrieval.settings import Settings

if TYPE_CHECKING:
    import numpy as np

CODE_VERSION = "2"

# chunk id -> (search text, vector) now in the index for the same source and days
Known = Mapping[str, "tuple[str, np.ndarray]"]


def search_text(chunk: Row) -> str:
    """Return the text that is embedded and indexed: the context header, if any, a line break, and the chunk."""
    return f"{chunk['context']}\n{chunk['text']}" if chunk["context"] else chunk["text"]


def embed_chunks(
    chunks: Sequence[Row],
    embedder: Embedder,
    known: Known,
    *,
    progress: Callable[[int], None] | None = None,
) -> tuple[list[Row | None], ModelCallError | None]:
    """Return the index rows of `chunks`, in their order; None from where a remote model stopped answering, and why.

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
    stopped: ModelCallError | None = None
    step = embedder.at_once or max(1, len(missing))
    for start in range(0, len(missing), step):
        part = missing[start : start + step]
        try:
            fresh = embedder.embed([texts[n] for n in part], progress=progress)
        except ModelCallError as error:
            if not is_unanswered(error):
                raise
            stopped = error
            break
        check_unit_length(fresh)
        for n, vector in zip(part, fresh, strict=True):
            vectors[n] = vector
    rows = [_row(*made) if made[2] is not None else None for made in zip(chunks, texts, vectors, strict=True)]
    return rows, stopped


def _row(chunk: Row, text: str, vector: Any) -> Row:
    kept = {name: value for name, value in chunk.items() if name != "chunk_id"}
    return {**kept, "id": chunk["chunk_id"], "search_text": text, "vector": vector}


def _reusable(known: "tuple[str, np.ndarray] | None", text: str) -> "np.ndarray | None":
    return known[1] if known is not None and known[0] == text else None


def check_unit_length(vectors: "np.ndarray", *, tolerance: float = 1e-3) -> None:
    """Raise ValueError unless every row is finite and of length 1 ± tolerance."""
    import numpy as np  # comparing versions does without

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
        chosen = stage_input.settings.embedding
        embedder = build_embedder(chosen, models_dir=stage_input.settings.models_dir)
        if stage_input.meter is not None:
            embedder = metered(embedder, stage_input.meter(chosen.input_price))
        chunks, known = [row for _, row in days], stage_input.known_vectors()
        rows, output.stopped = embed_chunks(chunks, embedder, known, progress=advance)
        output.undone = {day for (day, _), row in zip(days, rows, strict=True) if row is None}
        for (day, _), row in zip(days, rows, strict=True):
            if row is not None and day not in output.undone:
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


def _named(settings: Settings, _source: Source) -> dict[str, str]:
    return {"model": settings.embedding.model}


def _config(settings: Settings, _source: Source) -> list[Any]:
    return [settings.embedding.provider, settings.embedding.model, settings.embedding.dimensions]


STAGE = Stage(
    name="embeddings",
    upstream="chunks",
    tables=("index",),
    code_version=CODE_VERSION,
    config=_config,
    named=_named,
    run=run_embeddings,
    validity=(ids_unique, vectors_normalised),
    description="The user's search index: vectors, full text and filters, replaced partition by partition.",
)
