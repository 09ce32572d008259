"""Stage embeddings: CHUNKS rows → index rows with a unit vector each, embedded in one pass over the whole span.

A local model also gives codes of the tokens, from the same run. Both depend on header and text of a chunk only, so a
chunk that the index already holds with the same search text keeps them. The engine writes the index.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from brain_pipelines.engine.stage import Row, Stage, StageInput, StageOutput
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.validity import ids_unique, rows_of
from brain_retrieval.errors import ModelCallError, is_unanswered
from brain_retrieval.language.letter_pairs import with_letter_pairs
from brain_retrieval.models.embedding.build import build_embedder, metered
from brain_retrieval.models.embedding.protocol import CodingEmbedder, Embedder
from brain_retrieval.schemas.embedded import KnownVector
from brain_retrieval.schemas.names import WORD_CODES
from brain_retrieval.settings import Settings

if TYPE_CHECKING:
    import numpy as np

CODE_VERSION = "4"

Known = Mapping[str, KnownVector]  # chunk id -> what is now in the index for the same source and days
Coded = tuple["np.ndarray", bytes | None]  # vector and token codes


def search_text(chunk: Row) -> str:
    """Return the text that is embedded: the context header, if any, a line break, and the chunk.

    It is indexed too, scripts that write no words apart as pairs of letters (`letter_pairs.py`).
    """
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
    coding = isinstance(embedder, CodingEmbedder)
    held = [known.get(chunk["chunk_id"]) for chunk in chunks]
    made = [_reusable(one, text, coding=coding) for one, text in zip(held, texts, strict=True)]
    missing = [n for n, found in enumerate(made) if found is None]
    stopped: ModelCallError | None = None
    step = embedder.at_once or max(1, len(missing))
    for start in range(0, len(missing), step):
        part = missing[start : start + step]
        try:
            fresh, codes = embedded(embedder, [texts[n] for n in part], progress)
        except ModelCallError as error:
            if not is_unanswered(error):
                raise
            stopped = error
            break
        check_unit_length(fresh)
        for n, vector, own in zip(part, fresh, codes, strict=True):
            made[n] = vector, own
    rows = [_row(c, t, found) if found is not None else None for c, t, found in zip(chunks, texts, made, strict=True)]
    return rows, stopped


def _row(chunk: Row, text: str, made: Coded) -> Row:
    kept = {name: value for name, value in chunk.items() if name != "chunk_id"}
    indexed = {"id": chunk["chunk_id"], "search_text": with_letter_pairs(text)}
    return {**kept, **indexed, "vector": made[0], WORD_CODES: made[1]}


def embedded(
    embedder: Embedder, texts: Sequence[str], progress: Callable[[int], None] | None = None
) -> "tuple[np.ndarray, Sequence[bytes | None]]":
    """Return float32 (texts, dim), and the codes of the words of each text; None of a remote model."""
    if not isinstance(embedder, CodingEmbedder):
        return embedder.embed(texts, progress=progress), [None] * len(texts)
    vectors, codes = embedder.embed_coded(texts, progress=progress)
    return vectors, [own.packed() for own in codes]


def _reusable(known: KnownVector | None, text: str, *, coding: bool) -> Coded | None:
    """Return what the index holds of a text; None if the text changed, or for rows from before there were codes."""
    if known is None or known.search_text != with_letter_pairs(text) or (coding and known.word_codes is None):
        return None
    return known.vector, known.word_codes if coding else None


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
