"""macros: long-term groups of the storylines of one entity."""

from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage, memory_config


def run_macros(snapshot: SnapshotInput) -> SnapshotOutput:
    """Group the storylines of each entity that has several."""
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
    code_version="15",
    config=memory_config,
    run=run_macros,
    description="Entities with several storylines, known for more than a month: one row groups the storylines.",
)
