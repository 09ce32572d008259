"""quality: the quality gate that decides whether the snapshot is published."""

from brain_pipelines.knowledge.quality import LIMITS, measure, quality_table
from brain_pipelines.knowledge.snapshot_gate import BLOCKING
from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage, no_config


def run_quality(snapshot: SnapshotInput) -> SnapshotOutput:
    """Compute the quality measures of the tables of the snapshot."""
    from brain_pipelines.knowledge.memory.citation_check import unsupported
    from brain_pipelines.knowledge.memory.passages import CITED_COLUMNS
    from brain_pipelines.knowledge.memory_quality import measure_memories

    facts = snapshot.snapshot("known_facts")
    passages = facts.select("fact_id", "evidence_ids").explode("evidence_ids").rename({"evidence_ids": "evidence_id"})
    shown = measure_memories(
        snapshot.lake("memories"),
        snapshot.snapshot("known_entities"),
        passages.join(snapshot.snapshot("fact_evidence", ["evidence_id", "evidence"]), on="evidence_id"),
        now=snapshot.now,
    )
    measures = measure(
        snapshot.snapshot("entity_members"),
        snapshot.snapshot("known_entities"),
        facts,
        snapshot.snapshot("storylines"),
        snapshot.snapshot("storyline_sources"),
        topics=snapshot.snapshot("topics", ["entity_id"]),
        unsupported_summaries=len(
            unsupported(
                snapshot.snapshot("summaries"),
                snapshot.lake("text", ["source_id", "text"]),
                snapshot.lake("memories", CITED_COLUMNS),
            )
        ),
    )
    measures |= shown.measures
    return SnapshotOutput({"quality": quality_table(measures, shown.sample)}, measures=measures, sample=shown.sample)


STAGE = SnapshotStage(
    name="quality",
    group="knowledge",
    upstream=("entities", "facts", "storylines", "summaries"),
    lake=(("text", None), ("memories", None)),
    tables=("quality",),
    code_version="36",
    config=no_config,
    run=run_quality,
    description="Quality gate: orphan edges, unsupported summaries, overlapping facts block; shares of junk warn.",
    checks={name: name in BLOCKING for name in LIMITS},
)
