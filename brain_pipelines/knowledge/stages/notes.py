"""notes: notes of agents and people, attached to the entities of this snapshot."""

from brain_pipelines.knowledge.note_texts import NOTE_TEXTS, agent_notes
from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage, no_config


def run_notes(snapshot: SnapshotInput) -> SnapshotOutput:
    """Attach the notes to the entities of this snapshot."""
    from brain_pipelines.knowledge.notes import build_notes

    notes = build_notes(
        agent_notes(snapshot),
        snapshot.snapshot("entity_names"),
        snapshot.snapshot("known_entities"),
        now=snapshot.now,
    )
    return SnapshotOutput({"notes": notes})


STAGE = SnapshotStage(
    name="notes",
    group="knowledge",
    upstream=("entities",),
    lake=NOTE_TEXTS,
    tables=("notes",),
    published=("notes",),
    code_version="4",
    config=no_config,
    run=run_notes,
    description="Notes of agents and people on entities and relationships, with their expiry.",
)
