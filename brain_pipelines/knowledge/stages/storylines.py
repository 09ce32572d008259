"""storylines: threads of sources about one entity over time, promoted once they have enough evidence."""

from brain_pipelines.knowledge.recalls import recall_counts
from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage, memory_config
from brain_pipelines.knowledge.story_memories import STORY_INPUTS, story_memories


def run_storylines(snapshot: SnapshotInput) -> SnapshotOutput:
    """Group the sources of each anchor into threads and promote threads to storylines."""
    from brain_pipelines.knowledge.memory.storylines import build_storylines

    lines, sources = build_storylines(
        snapshot.snapshot("entity_members"),
        snapshot.snapshot("known_entities"),
        snapshot.snapshot("known_sources"),
        recalls=recall_counts(snapshot, "entity"),
        now=snapshot.now,
        settings=snapshot.settings.memory,
        team=snapshot.team,
        memories=story_memories(snapshot),
        user=snapshot.user,
    )
    return SnapshotOutput({"storylines": lines, "storyline_sources": sources})


STAGE = SnapshotStage(
    name="storylines",
    group="memory",
    upstream=("sources", "echoes", "entities"),
    lake=STORY_INPUTS,
    tables=("storylines", "storyline_sources"),
    published=("storylines", "storyline_sources"),
    code_version="37",
    config=memory_config,
    run=run_storylines,
    description="Sources of each entity grouped into threads over time; threads with enough evidence are storylines.",
    reads_log=True,
)
