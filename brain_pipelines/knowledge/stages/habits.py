"""habits: what comes back every week or month, standing instructions, procedures."""

from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage, no_config


def run_habits(snapshot: SnapshotInput) -> SnapshotOutput:
    """Find the habits in all texts and memories; what repeats retrieved text or another source is left out."""
    import polars as pl

    from brain_pipelines.knowledge.memory.habits.build import build_habits
    from brain_pipelines.knowledge.memory.habits.stated import MEMORY_COLUMNS
    from brain_pipelines.knowledge.memory.habits.written import TEXT_COLUMNS
    from brain_retrieval.knowledge.memories.stored import outside_echoes

    echoes = snapshot.snapshot("echoes")
    copies = echoes["source_id"].unique()
    habits = build_habits(
        snapshot.lake("text", TEXT_COLUMNS).filter(~pl.col("source_id").is_in(copies)),
        outside_echoes(snapshot.lake("memories", MEMORY_COLUMNS), echoes),
        snapshot.snapshot("known_entities"),
        now=snapshot.now,
        zone=snapshot.settings.zone,
    )
    return SnapshotOutput({"habits": habits}, measures={"habits": float(habits.height)})


STAGE = SnapshotStage(
    name="habits",
    group="memory",
    upstream=("echoes", "entities"),
    lake=(("text", None), ("memories", None)),
    tables=("habits",),
    code_version="6",
    config=no_config,
    run=run_habits,
    description="What comes back every week or month, standing instructions and procedures, each with its occurrences.",
)
