"""Registry of the stages of every source, in graph order. A new stage is a module in this folder and a line here.

raw ──► text ──► chunks ──► embeddings
          ├────► extractions ──► memory_vectors
          └────► enrichments
"""

from brain_pipelines.engine.stage import Stage
from brain_pipelines.stages import chunks, embeddings, enrichments, extractions, memory_vectors, raw, text

STAGES: tuple[Stage, ...] = (
    raw.STAGE,
    text.STAGE,
    chunks.STAGE,
    embeddings.STAGE,
    extractions.STAGE,
    memory_vectors.STAGE,
    enrichments.STAGE,
)
STAGES_BY_NAME: dict[str, Stage] = {stage.name: stage for stage in STAGES}
