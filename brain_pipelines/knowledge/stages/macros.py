"""macros: entities with several storylines over more than a month."""

from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage, memory_config


def run_macros(snapshot: SnapshotInput) -> SnapshotOutput:
    """Group the storylines of an entity."""
    from brain_pipelines.knowledge.memory.macros import build_macros

    macros = build_macros(
        snapshot.snapshot("storylines"),
        snapshot.snapshot("known_entities"),
        now=snapshot.now,
        settings=snapshot.settings.memory,
    )
    return SnapshotOutput({"macros": macros})


STAGE = SnapshotStage(
    name="macros",
    group="memory",
    upstream=("entities", "storylines"),
    lake=(),
    tables=("macros",),
    published=("macros",),
    code_version="1",
    config=memory_config,
    run=run_macros,
    description="What has had several storylines over more than a month.",
)
