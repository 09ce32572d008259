"""Stage memory_vectors: MEMORIES rows → a vector for each memory, of the model that embeds the chunks.

A passage of several topics has one vector; a sentence of it that answers a question has its own. A memory whose text
has not changed keeps its vector.
"""

from typing import TYPE_CHECKING, Any

from brain_pipelines.engine.stage import Row, Stage, StageInput, StageOutput
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.validity import ids_unique, rows_of
from brain_retrieval.ids import stable_hash
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.settings import Settings

if TYPE_CHECKING:
    import numpy as np

CODE_VERSION = "1"
LARGEST = 127


def run_memory_vectors(stage_input: StageInput) -> StageOutput:
    """Embed the memories of all days at once, without those that have their vector already."""
    import numpy as np  # comparing versions does without

    output = StageOutput()
    memories = [(day, row) for day, rows in stage_input.rows.items() for row in rows]
    if not memories:
        return output
    embedder = build_embedder(stage_input.settings.embedding, models_dir=stage_input.settings.models_dir)
    known = {
        (row["memory_id"], row["model"], row["text_hash"]): row["vector"]
        for day in stage_input.rows
        for row in stage_input.stored(day)
    }
    hashes = [stable_hash(row["text"]) for _, row in memories]
    vectors = [
        known.get((row["memory_id"], embedder.name, own)) for (_, row), own in zip(memories, hashes, strict=True)
    ]
    missing = [place for place, vector in enumerate(vectors) if vector is None]
    fresh = (
        embedder.embed([memories[place][1]["text"] for place in missing]) if missing else np.empty((0, embedder.dim))
    )
    for place, vector in zip(missing, in_bytes(fresh), strict=True):
        vectors[place] = vector.tolist()
    for (day, row), own, vector in zip(memories, hashes, vectors, strict=True):
        output.add("memory_vectors", day, [_row(row, embedder.name, own, vector)])
    stage_input.progress(len(memories), len(memories), "memories")
    return output


def in_bytes(vectors: "np.ndarray") -> "np.ndarray":
    """Return int8 (n, dim): each vector stretched so that its largest number is 127; cosines move by less than .01."""
    import numpy as np

    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=1e-12)
    return np.round(vectors / largest * LARGEST).astype(np.int8)


def _row(memory: Row, model: str, text_hash: str, vector: Any) -> Row:
    taken = {name: memory[name] for name in ("memory_id", "source_id")}
    return {**taken, "model": model, "text_hash": text_hash, "vector": vector}


def every_vector_has_a_direction(_: StageInput, output: StageOutput) -> int:
    """Count vectors that are all zeros."""
    return sum(not any(row["vector"]) for row in rows_of(output, "memory_vectors"))


def _config(settings: Settings, _source: Source) -> list[Any]:
    return [settings.embedding.provider, settings.embedding.model, settings.embedding.dimensions]


STAGE = Stage(
    name="memory_vectors",
    upstream="extractions",
    reads="memories",
    tables=("memory_vectors",),
    code_version=CODE_VERSION,
    config=_config,
    run=run_memory_vectors,
    validity=(ids_unique, every_vector_has_a_direction),
    description="A vector for each memory, so that a search finds the passage of a sentence that fits the question.",
)
