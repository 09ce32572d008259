"""entities: entity resolution over all sources; one row for each person, thing or concept."""

from typing import Any

from brain_pipelines.knowledge.note_texts import NOTE_TEXTS, agent_notes
from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage
from brain_retrieval.settings import OwnerSettings, Settings


def _config(settings: Settings, user: str) -> Any:
    chosen = [settings.owners.get(user, OwnerSettings()), settings.extraction]
    dumped = [section.model_dump(mode="json") for section in chosen]
    return [*dumped, settings.knowledge.merge_score, user in settings.teams]


def run_entities(snapshot: SnapshotInput) -> SnapshotOutput:
    """Resolve the extracted entities, without retrieval echoes, with the owner's manual merge decisions."""
    from brain_pipelines.knowledge.echo_filter import without_echoes
    from brain_pipelines.knowledge.entities.resolve import resolve
    from brain_pipelines.knowledge.notes import decisions_of

    mentions = snapshot.lake("mentions", ["entity_id", "source_id", "start", "end", "text"])
    stated = ["source_id", "subject_id", "predicate", "relation", "object", "object_id", "polarity", "modality"]
    entities = without_echoes(snapshot.lake("entities"), mentions, snapshot.snapshot("echoes"))
    settings = snapshot.settings
    found = resolve(
        entities,
        user=snapshot.user,
        owner=settings.owners.get(snapshot.user, OwnerSettings()),
        decisions=decisions_of(agent_notes(snapshot)),
        facts=snapshot.lake("facts", stated),
        settings=settings.knowledge,
        min_confidence=settings.extraction.min_confidence,
        min_mentions=settings.extraction.min_mentions,
        has_owner=snapshot.team is None,
    )
    return SnapshotOutput(
        {
            "entity_members": found.members,
            "known_entities": found.known_entities,
            "entity_names": found.names,
            "entity_merges": found.merges,
            "topics": found.topics,
            "topic_members": found.topic_members,
        }
    )


STAGE = SnapshotStage(
    name="entities",
    group="knowledge",
    upstream=("sources", "echoes"),
    lake=(("entities", None), ("mentions", None), ("facts", None), *NOTE_TEXTS),
    tables=("entity_members", "known_entities", "entity_names", "entity_merges", "topics", "topic_members"),
    published=("entity_members", "known_entities", "entity_names"),
    code_version="18",
    config=_config,
    run=run_entities,
    description="Entity resolution over all sources: known entities, topics, their members and names, a log of merges.",
)
