"""Notes on the card of an entity: with the memory block that other items have, and without what has expired."""

from datetime import UTC, datetime, timedelta

import polars as pl

from brain_pipelines.ingest.agent_tools import AgentTools
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.knowledge.run_snapshot import run_stage
from brain_retrieval.brain import Brain
from brain_retrieval.stores.access_log import AccessLog

NOW = datetime.now(UTC)


def snapshot(bench) -> None:
    for stage in SNAPSHOT_STAGES:
        run_stage(stage, SNAPSHOT_STAGES, bench.space(), NOW.date().isoformat(), settings=bench.settings, force=False)


def test_note_cards_have_a_memory_block(bench) -> None:
    tools = AgentTools(bench.home, "alice", clock=lambda: NOW - timedelta(minutes=5))
    tools.add_note_to_person("Bob Lee", "Bob Lee prefers short meetings.", retention="keep_forever")
    tools.add_note_to_person("Bob Lee", "Bob Lee has the door code 7731.", sensitivity="high", lifetime="year")
    tools.create_relationship("Bob Lee", "Atlas", "works on", "Since May.", 4, 4, properties={"role": "lead"})
    snapshot(bench)
    with Brain.open(bench.home.path, user="alice") as brain:
        card = brain.knowledge().entity("Bob Lee")
    notes = {note.content: note for note in card.notes}
    kept, coded = notes["Bob Lee prefers short meetings."], notes["Bob Lee has the door code 7731."]
    assert (kept.state, kept.salience, kept.ttl_policy, kept.expires_at) == ("core", 1.0, "keep_forever", None)
    assert (coded.state, coded.ttl_policy, coded.sensitivity, coded.access_count) == ("candidate", "decay", "high", 0)
    assert 0.4 < coded.salience <= 0.5
    assert card.state == "core"  # of a note that is kept forever
    assert {fact.object: dict(fact.properties) for fact in card.facts}["Atlas"] == {"role": "lead"}
    with AccessLog(bench.space()) as log:
        recalled = log.recalls().filter(pl.col("item") == "note")["item_id"].to_list()
    assert sorted(recalled) == sorted(note.note_id for note in card.notes)
