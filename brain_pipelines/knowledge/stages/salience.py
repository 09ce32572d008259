"""salience: the strength of each memory item at the end of the day."""

from brain_pipelines.knowledge.recalls import current_recalls
from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage, memory_config


def run_salience(snapshot: SnapshotInput) -> SnapshotOutput:
    """Compute the salience of every item."""
    from brain_pipelines.knowledge.memory.items import mentions_of, snapshot_items
    from brain_pipelines.knowledge.memory.salience import compute_salience

    settings = snapshot.settings.memory
    names = ("known_sources", "known_entities", "entity_members", "known_facts", "fact_evidence")
    tables = {name: snapshot.snapshot(name) for name in (*names, "storylines", "storyline_sources", "macros")}
    given = {"now": snapshot.now, "settings": settings, "mentions": mentions_of(tables)}
    recalls = current_recalls(snapshot)
    # Storylines and macros start with the salience of their anchor entity, so entities are computed first.
    anchors = compute_salience(snapshot_items(tables, settings), recalls, **given)
    items = snapshot_items(tables, settings, anchors=anchors)
    return SnapshotOutput({"salience": compute_salience(items, recalls, **given).drop("salience")})


STAGE = SnapshotStage(
    name="salience",
    group="memory",
    upstream=("sources", "entities", "facts", "storylines", "macros"),
    lake=(),
    tables=("salience",),
    published=("salience",),
    code_version="3",
    config=memory_config,
    run=run_salience,
    description="Salience of each memory item, a formula of its age, mentions and recalls in the access log.",
    reads_log=True,
)
