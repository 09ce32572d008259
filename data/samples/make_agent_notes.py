"""Writes the samples of agent notes: one of each operation that agents and their users write into memory.

.venv/bin/python data/samples/make_agent_notes.py
"""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "alice/agent-note"


def values() -> dict[str, dict[str, Any]]:
    """Return the operations by file name."""
    return {
        "2026-01-16-bob-meetings.json": {
            "op": "add_note",
            "at": "2026-01-16T16:05:00Z",
            "added_by": "alice",
            "entity_key": "Bob Smith",
            "entity_class": "Person",
            "content": "Bob Smith prefers short meetings and reads the agenda beforehand.",
            "lifetime": "year",
        },
        "2026-01-20-navigation.json": {
            "op": "create_relationship",
            "at": "2026-01-20T10:30:00Z",
            "added_by": "planning-agent",
            "from_entity_key": "Priya Nair",
            "from_class": "Person",
            "to_entity_key": "UI redesign",
            "to_class": "Entity",
            "to_type": "Project",
            "relationship_type": "works on",
            "description": "Priya Nair owns the navigation of the UI redesign since her first week.",
            "attitude": 5,
            "proximity": 4,
            "confidence": 0.9,
        },
        "2026-02-03-handover.json": {
            "op": "add_note_to_relationship",
            "at": "2026-02-03T09:10:00Z",
            "added_by": "planning-agent",
            "from_entity_key": "Alice Chen",
            "from_class": "Person",
            "to_entity_key": "Priya Nair",
            "to_class": "Person",
            "content": "They go through the open tickets together every Tuesday until the handover.",
            "lifetime": "month",
        },
        "2026-02-04-wording.json": {
            "op": "store",
            "at": "2026-02-04T18:20:00Z",
            "added_by": "alice",
            "category": "preference",
            "content": "Write dates in messages to the team as 3 February, never as 02/03.",
            "context": "The launch date was misread twice.",
            "priority": "high",
            "tags": ["writing", "dates"],
            "related_to": ["UI redesign"],
            "source": "session",
        },
        "2026-02-06-who-is-who.json": {
            "op": "merge",
            "at": "2026-02-06T08:00:00Z",
            "added_by": "alice",
            "left_key": "Mei Tanaka",
            "right_key": "M. Tanaka",
        },
    }


def main() -> None:
    """Write every sample."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, value in values().items():
        said = {"type": "agent-note", **value}
        (FOLDER / name).write_text(json.dumps(said, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
