"""quality: the quality gate that decides whether the snapshot is published."""

from brain_pipelines.knowledge.quality import BLOCKING, LIMITS, measure, quality_table
from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage, no_config


def run_quality(snapshot: SnapshotInput) -> SnapshotOutput:
    """Compute the quality measures of the tables of the snapshot."""
    from brain_pipelines.knowledge.memory.citation_check import unsupported

    measures = measure(
        snapshot.snapshot("entity_members"),
        snapshot.snapshot("known_entities"),
        snapshot.snapshot("known_facts"),
        snapshot.snapshot("storylines"),
        snapshot.snapshot("storyline_sources"),
        topics=snapshot.snapshot("topics", ["entity_id"]),
        unsupported_summaries=len(
            unsupported(snapshot.snapshot("summaries"), snapshot.lake("text", ["source_id", "text"]))
        ),
    )
    return SnapshotOutput({"quality": quality_table(measures)}, measures=measures)


STAGE = SnapshotStage(
    name="quality",
    group="knowledge",
    upstream=("entities", "facts", "storylines", "summaries"),
    lake=(("text", None),),
    tables=("quality",),
    code_version="2",
    config=no_config,
    run=run_quality,
    description="Quality gate: orphan edges, unsupported summaries, overlapping facts block publication; rates warn.",
    checks={name: name in BLOCKING for name in LIMITS},
)
