"""After a merge of two names, the memories of both answer under either name; after an unmerge they no longer do."""

import json

import pytest

from brain_pipelines.ingest.agent_tools import AgentTools
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.stores.snapshot_clock import latest_day
from tests.pipelines.orchestration.test_snapshot_assets import snapshot, write

# What is decided in a test belongs to this snapshot, also when midnight passes; one of a later day would be ignored.
LATEST = latest_day()
NOTES = {
    "flat.md": ("2026-01-05", "Margarete Vogel lives in Kassel."),
    "work.md": ("2026-01-07", "Gretel Sommer repairs violins in the old mill."),
    "third.md": ("2026-01-08", "Anton Reuter repairs clocks in the town hall."),
}
FLAT, VIOLINS, CLOCKS = "Kassel", "violins", "clocks"


def text_of(bench, name: str) -> str:
    """Return the card and the memories of a name as one text."""
    knowledge = Knowledge(bench.space(), bench.settings)
    sections = knowledge.entity(name).memories
    cards = [one for one in (sections.who, sections.relation) if one]
    cards += [*sections.current, *sections.changes, *sections.plans, *knowledge.memories(name)]
    return " ".join(card.text for card in cards)


def decide(bench, kind: str) -> None:
    tools = AgentTools(bench.home, "alice")
    getattr(tools, kind)("Margarete Vogel", "Gretel Sommer")
    snapshot(bench, LATEST)


def test_memories_of_merged_names_answer_under_both(bench) -> None:
    write(bench, NOTES)
    snapshot(bench, LATEST)
    assert VIOLINS not in text_of(bench, "Margarete Vogel")
    decide(bench, "merge")
    for name in ("Margarete Vogel", "Gretel Sommer"):
        text = text_of(bench, name)
        assert FLAT in text and VIOLINS in text and CLOCKS not in text, (name, text)
    decide(bench, "unmerge")
    assert VIOLINS not in text_of(bench, "Margarete Vogel") and FLAT not in text_of(bench, "Gretel Sommer")


def test_a_change_of_a_merged_person_ends_what_was_said_under_the_other_name(bench) -> None:
    write(bench, {**NOTES, "move.md": ("2026-02-01", "Gretel Sommer lives in Bremen.")})
    decide(bench, "merge")
    status = {card.text: card.status for card in Knowledge(bench.space(), bench.settings).memories("Gretel Sommer")}
    assert status["Gretel Sommer lives in Bremen."] == "current"
    assert status["Margarete Vogel lives in Kassel."] == "ended"


@pytest.mark.parametrize("last", ["Margarete Vogel", "Gretel Sommer"])
def test_the_last_contact_of_a_merged_person_counts_both_names(bench, last: str) -> None:
    first = next(name for name in ("Margarete Vogel", "Gretel Sommer") if name != last)
    turns = (
        (first, "I live in Kassel with two cats.", "2026-01-05T10:00:00Z"),
        (last, "I repair violins in the old mill.", "2026-01-09T10:00:00Z"),
    )
    lines = (json.dumps({"speaker": who, "content": what, "timestamp": when}) for who, what, when in turns)
    bench.land(bench.drop("alice", "conversation", "talk.jsonl", "\n".join(lines)))
    bench.run("alice", "conversation")
    decide(bench, "merge")
    card = Knowledge(bench.space(), bench.settings).entity("Margarete Vogel")
    assert card.last_contact is not None and card.last_contact.date().isoformat() == "2026-01-09"
