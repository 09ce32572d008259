"""facts: extracted facts of all sources, joined to resolved entities, with validity intervals."""

from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage, no_config


def run_facts(snapshot: SnapshotInput) -> SnapshotOutput:
    """Join the extracted facts with the resolved entities and derive the status of each fact."""
    import polars as pl

    from brain_pipelines.knowledge.evidence import build_evidence
    from brain_retrieval.knowledge.derive import derive_facts

    # Statements also refer to topics, which are no entities: "Bob repairs bicycles".
    both = (("entity_members", "topic_members"), ("known_entities", "topics"))
    members, known = (pl.concat([snapshot.snapshot(one), snapshot.snapshot(other)]) for one, other in both)
    evidence = build_evidence(
        snapshot.lake("facts"),
        members,
        known,
        echoes=snapshot.snapshot("echoes"),
    )
    return SnapshotOutput({"fact_evidence": evidence, "known_facts": derive_facts(evidence, now=snapshot.now)})


STAGE = SnapshotStage(
    name="facts",
    group="knowledge",
    upstream=("echoes", "entities"),
    lake=(("facts", None),),
    tables=("fact_evidence", "known_facts"),
    published=("fact_evidence", "known_facts"),
    code_version="5",
    config=no_config,
    run=run_facts,
    description="Bitemporal facts derived from all evidence: current, ended, superseded or contradicted.",
)
