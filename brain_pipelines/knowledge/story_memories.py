"""Reads the memories of a snapshot for storylines: without retrieval echoes, with the language of their text."""

from typing import TYPE_CHECKING

from brain_pipelines.knowledge.stage import SnapshotInput

if TYPE_CHECKING:
    from brain_pipelines.knowledge.memory.stories.story_memories import StoryMemories

# The lake inputs to declare in a stage that calls `story_memories`; it also reads the sources, echoes and entities.
STORY_INPUTS = (("memories", None), ("text", None))
SOURCE_COLUMNS = ["source_id", "uri", "title", "participants", "keywords", "sensitivity"]


def story_memories(snapshot: SnapshotInput) -> "StoryMemories":
    """Return the memories of a snapshot, for storylines."""
    from brain_pipelines.knowledge.memory.stories.projects import folders_of_sessions
    from brain_pipelines.knowledge.memory.stories.published import published_sources
    from brain_pipelines.knowledge.memory.stories.story_memories import COLUMNS, StoryMemories
    from brain_retrieval.knowledge.memories.stored import outside_echoes

    texts = snapshot.lake("text", ["source_id", "source", "authors", "language", "attributes"]).unique("source_id")
    languages = texts.select("source_id", "language")
    rows = outside_echoes(snapshot.lake("memories", COLUMNS), snapshot.snapshot("echoes"))
    spoken = rows.join(languages, on="source_id", how="left")
    return StoryMemories(
        spoken,
        snapshot.snapshot("entity_members"),
        snapshot.now,
        known=snapshot.snapshot("known_entities"),
        sources=snapshot.snapshot("known_sources", SOURCE_COLUMNS),
        folders=folders_of_sessions(texts),
        published=published_sources(texts),
    )
