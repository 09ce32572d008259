"""The stages of a snapshot in order. To add one, write a file in `knowledge/stages/` and add a line here.

sources ─► echoes ─► entities ─► facts ─► notes ─► storylines ─► macros ─► habits ─► summaries ─► salience ─►
quality ─► graph
"""

from brain_pipelines.knowledge.stage import SnapshotStage
from brain_pipelines.knowledge.stages import (
    echoes,
    entities,
    facts,
    graph,
    habits,
    macros,
    notes,
    quality,
    salience,
    sources,
    storylines,
    summaries,
)

SNAPSHOT_STAGES: tuple[SnapshotStage, ...] = (
    sources.STAGE,
    echoes.STAGE,
    entities.STAGE,
    facts.STAGE,
    notes.STAGE,
    storylines.STAGE,
    macros.STAGE,
    habits.STAGE,
    summaries.STAGE,
    salience.STAGE,
    quality.STAGE,
    graph.STAGE,
)
