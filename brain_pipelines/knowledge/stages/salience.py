"""salience: how strong each memory is at the end of the day."""

from brain_pipelines.knowledge.recalls import current_recalls
from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage, memory_config


def run_salience(snapshot: SnapshotInput) -> SnapshotOutput:
    """Compute the strength of every item."""
    from brain_pipelines.knowledge.memory.items import mentions_of, snapshot_items
    from brain_pipelines.knowledge.memory.salience import compute_salience

    settings = snapshot.settings.memory
    names = ("known_sources", "known_entities", "entity_members", "known_facts", "fact_evidence")
    tables = {name: snapshot.snapshot(name) for name in (*names, "storylines", "storyline_sources", "macros")}
    given = {"now": snapshot.now, "settings": settings, "mentions": mentions_of(tables)}
    recalls = current_recalls(snapshot)
    # A storyline and a macro begin with the strength of what they are about, so that comes first.
    anchors = compute_salience(snapshot_items(tables, settings), recalls, **given)
    items = snapshot_items(tables, settings, anchors=anchors)
    return SnapshotOutput({"salience": compute_salience(items, recalls, **given)})


STAGE = SnapshotStage(
    name="salience",
    group="memory",
    upstream=("sources", "entities", "facts", "storylines", "macros"),
    lake=(),
    tables=("salience",),
    published=("salience",),
    code_version="1",
    config=memory_config,
    run=run_salience,
    description="How strong each memory is: a formula of its age, its mentions and the access log.",
    reads_log=True,
)
