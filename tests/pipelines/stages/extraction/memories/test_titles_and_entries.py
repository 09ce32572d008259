"""What a line leaves to the title of its note, and what an entry of a calendar says before it takes place."""

from datetime import UTC, datetime
from typing import Any

from brain_pipelines.stages.extraction.memories.memory_rows import memory_rows
from brain_retrieval.knowledge.memories.view import view
from brain_retrieval.language.concepts import DECIDED
from tests.pipelines.stages.extraction.local.documents import document
from tests.pipelines.stages.extraction.memories.reading import read

LATER = datetime(2026, 3, 20, tzinfo=UTC)
WHEN = "When: Monday, 16 March 2026, 18:30 to 19:00 (Europe/Lisbon)"
ENTRY = f"Dentist\n{WHEN}\nWhere: Hillside\n\nBring the card for Rosa.\n"


def shown(text: str, about: str, at: datetime = LATER, **changes: Any) -> list[tuple[str, str]]:
    row = document(text, **changes)
    return [(one.status, one.row["text"]) for one in view(memory_rows(row, read(row)), about, at=at)]


def test_a_line_of_a_note_is_found_by_the_title_of_the_note() -> None:
    note = {"source": "note", "title": "2026-03-02 allotment"}
    found = shown("Letter came, we have plot 22b in Northcote. It costs 48 pounds a year.", "allotment", **note)
    assert len(found) == 2
    assert "22b" in found[0][1] + found[1][1]
    assert shown("Letter came, we have plot 22b in Northcote.", "March", **note) == []


def test_a_title_says_little_of_the_lines_of_a_long_text_or_a_page() -> None:
    assert shown("We have plot 22b in Northcote.", "allotment", source="document", title="Allotment") == []
    long = "We have plot 22b in Northcote. " + "It rained again on that day. " * 200
    assert shown(long, "allotment", source="note", title="Allotment") == []


def test_an_entry_of_a_calendar_is_known_before_it_takes_place() -> None:
    entry = {"source": "calendar", "title": "Dentist", "event_at": datetime(2026, 3, 16, 18, 30, tzinfo=UTC)}
    head = "Dentist: Monday, 16 March 2026, 18:30 to 19:00 (Hillside)"
    assert shown(ENTRY, "dentist", datetime(2026, 3, 5, tzinfo=UTC), **entry) == [("upcoming", head)]
    assert shown(ENTRY, "dentist", **entry) == [("current", head)]
    assert shown(ENTRY, "dentist", datetime(2026, 3, 1, tzinfo=UTC), **entry) == []
    made = {**entry, "attributes": '{"created": "2026-02-01T09:00:00+00:00"}'}
    assert shown(ENTRY, "dentist", datetime(2026, 3, 1, tzinfo=UTC), **made) == [("upcoming", head)]
    assert "Rosa" in shown(ENTRY, "Rosa", datetime(2026, 3, 5, tzinfo=UTC), **entry)[0][1]


def test_an_entry_cites_the_lines_it_is_made_of() -> None:
    row = document(ENTRY, source="calendar", event_at=datetime(2026, 3, 16, 18, 30, tzinfo=UTC))
    head = memory_rows(row, read(row))[0]
    assert head["evidence"] == ENTRY[: ENTRY.index("\n\n")]
    assert head["received_at"] == head["said_at"] < head["effective_from"]


def test_an_entry_that_was_moved_changes_nothing_else() -> None:
    """What its title says of it is no change of what a note tells of the same thing; its state is."""
    cues = {}
    for name, text in (
        ("moved", ENTRY.replace("Dentist", "Choir (moved after the concert)", 1)),
        ("cancelled", ENTRY.replace("\n\n", "\nStatus: cancelled\n\n", 1)),
    ):
        row = document(text, source="calendar", event_at=datetime(2026, 3, 16, 18, 30, tzinfo=UTC))
        cues[name] = memory_rows(row, read(row))[0]["cue"]
    assert cues["moved"] == "none" and cues["cancelled"] == "strong"


def test_what_stands_under_a_heading_of_decisions_is_marked() -> None:
    row = document(
        "# Call\n\n## 2. Decisions\n\n- Rosa rents the hall in Hull.\n\n## Open\n\n- Ivo asks Rosa for the key.\n"
    )
    decided = {one["evidence"] for one in memory_rows(row, read(row)) if DECIDED in one["anchors"]}
    assert decided == {"Rosa rents the hall in Hull."}
    row = document("# Treffen\n\n## Beschlüsse\n\n- Rosa mietet die Halle in Kiel.\n", language="de")
    assert [DECIDED in one["anchors"] for one in memory_rows(row, read(row))] == [True]
