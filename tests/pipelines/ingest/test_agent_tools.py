"""Agent memory tools: writes are searchable at once, repeated writes are stored once, users are isolated."""

import json
import multiprocessing
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from brain_pipelines.ingest.agent_tools import AgentTools
from brain_pipelines.ingest.agent_write import Receipt
from brain_pipelines.knowledge.notes import build_notes, decisions_of
from brain_pipelines.landing.inbox import to_path
from brain_retrieval.brain import Brain
from brain_retrieval.errors import BadInputError, InvalidUserError
from brain_retrieval.home import Space
from brain_retrieval.ids import content_id
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.knowledge_tables import ENTITY_NAMES, KNOWN_ENTITIES
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.snapshots import SnapshotStore

AT = datetime(2026, 1, 5, 10, tzinfo=UTC)
BOB, ATLAS = content_id("entity", "bob"), content_id("entity", "atlas")


def tools(bench, user: str = "alice", **options: Any) -> AgentTools:
    return AgentTools(bench.home, user, **{"clock": lambda: AT, **options})


def rows(space: Space, table: str) -> list[dict[str, Any]]:
    with Catalog(space) as catalog:
        return Lake(space, catalog).read(table, source="agent-note").to_pylist()


def write_snapshot(space: Space) -> None:
    """Store a snapshot that contains Bob Lee (alias Rob) and the project Atlas."""
    known = [
        {"entity_id": BOB, "entity_class": "Person", "type": "Person", "name": "Bob Lee"},
        {"entity_id": ATLAS, "entity_class": "Entity", "type": "Project", "name": "Atlas"},
    ]
    rob = content_id("entity", "rob")
    names = [(BOB, BOB, "bob lee", "Bob Lee", "Person", 5), (rob, BOB, "rob", "Rob", "Person", 1),
             (ATLAS, ATLAS, "atlas", "Atlas", "Entity", 2)]  # fmt: skip
    filler = {"canonical_name": "x", "aliases": [], "is_owner": False, "description": "", "mention_count": 1,
              "source_count": 1, "distinct_source_days": 1, "first_mentioned_at": AT, "last_mentioned_at": AT,
              "first_received_at": AT, "last_received_at": AT, "confidence": 1.0}  # fmt: skip
    tables = {
        "known_entities": pl.DataFrame([{**row, **filler} for row in known]).select(KNOWN_ENTITIES.names),
        "entity_names": pl.DataFrame(names, schema=ENTITY_NAMES.names, orient="row"),
    }
    store = SnapshotStore(space)
    store.write_stage("2026-01-04", "resolve", tables, code_version="")
    store.complete("2026-01-04", ["resolve"])


def test_note_is_searchable_when_call_returns(bench) -> None:
    agent = tools(bench, added_by="planner", source_entity_key="source_7")
    receipt = agent.add_note_to_person("Bob Lee", "Bob prefers short meetings.", lifetime="year")
    assert receipt.visible and not receipt.unchanged and receipt.note_id and receipt.note_id.startswith("note_")
    assert receipt.expires_at == (AT + timedelta(days=365)).isoformat()
    with Brain.open(bench.home.path, user="alice") as brain:
        hit = brain.search("which meetings does Bob like", k=1)[0]
    assert "prefers short meetings" in hit.text and hit.source_ref.uri == receipt.uri
    (text,) = rows(bench.space(), "text")
    attributes = json.loads(text["attributes"])
    assert (text["source_id"], attributes["note_id"]) == (receipt.source_id, receipt.note_id)
    assert (attributes["added_by"], attributes["source_entity_key"], attributes["by"]) == (
        "planner",
        "source_7",
        "agent",
    )
    assert {(e["name"], e["type"]) for e in rows(bench.space(), "entities") if e["method"] == "agent"} == {
        ("Bob Lee", "Person")
    }


def test_repeated_call_at_same_time_is_one_item(bench) -> None:
    first, second = (tools(bench).add_note_to_concept("coffee", "No sugar.") for _ in range(2))
    assert (second.uri, second.source_id, second.note_id) == (first.uri, first.source_id, first.note_id)
    assert (first.unchanged, second.unchanged, second.visible) == (False, True, True)
    later = tools(bench, clock=lambda: AT + timedelta(hours=1)).add_note_to_concept("Coffee", "No sugar.")
    assert later.source_id != first.source_id and later.note_id == first.note_id  # a repeated note keeps its note_id
    assert len(rows(bench.space(), "text")) == 2


def test_lifetime_sets_expiry(bench) -> None:
    days = {"week": 7, "month": 30, "year": 365}
    for lifetime in ("week", "month", "year", "forever"):
        receipt = tools(bench).add_note_to_person("Bob Lee", "Hello.", lifetime)
        expected = (AT + timedelta(days=days[lifetime])).isoformat() if lifetime in days else None
        assert receipt.expires_at == expected
    assert tools(bench).add_note_to_person("Bob Lee", "Hello.").unchanged  # the default lifetime is a month


def test_relationship_becomes_fact_with_kind_from_entity_classes(bench) -> None:
    write_snapshot(bench.space().create())
    receipt = tools(bench).create_relationship("atlas", "rob", "led by", "Bob leads Atlas.", 4, 5, confidence=0.9)
    assert (receipt.kind, receipt.entities) == ("associated_with", ("Bob Lee", "Atlas"))
    (fact,) = [f for f in rows(bench.space(), "facts") if f["method"] == "agent"]
    assert (fact["fact_id"], fact["subject"], fact["predicate"], fact["object"]) == (
        receipt.fact_id, "Atlas", "led by", "Bob Lee")  # fmt: skip
    assert (fact["attitude"], fact["proximity"], fact["confidence"], fact["description"]) == (
        4, 5, 0.9, "Bob leads Atlas.")  # fmt: skip
    about = tools(bench).add_note_to_relationship("Rob", ATLAS, "Since spring.", "forever")
    assert about.expires_at is None and about.entities == ("Bob Lee", "Atlas")


def test_notes_and_merge_decisions_reach_snapshot_tables(bench) -> None:
    space = bench.space().create()
    write_snapshot(space)
    agent = tools(bench)
    agent.add_note_to_person(BOB, "By id.")
    agent.add_note_to_person("rob", "By another name.")
    agent.add_note_to_relationship("Atlas", "rob", "Of both.")
    assert agent.merge("Bob Lee", "Robert Lee").warnings == (
        "no snapshot contains 'Robert Lee' yet; the decision takes effect once one does",)  # fmt: skip
    agent.unmerge(BOB, "Bob Li")
    assert agent.merge("bob lee", "Rob").warnings == ()
    agent.memory_store("fact", "He is back in May.", related_to=[BOB, "Bob Lee", "source_1"])
    texts = pl.DataFrame(rows(space, "text")).select("source_id", "event_at", "attributes")
    store = SnapshotStore(space)
    notes = build_notes(
        texts, store.read("2026-01-04", "entity_names"), store.read("2026-01-04", "known_entities"), now=AT
    )
    assert {(n["content"], n["entity_id"], n["other_entity_id"]) for n in notes.to_dicts()} == {
        ("By id.", BOB, None), ("By another name.", BOB, None), ("Of both.", BOB, ATLAS)}  # fmt: skip
    assert {(d.kind, d.left, d.right) for d in decisions_of(texts)} == {
        ("merge", "Bob Lee", "Robert Lee"), ("merge", "bob lee", "Rob"), ("unmerge", BOB, "Bob Li")}  # fmt: skip
    shown = bench.texts("alice", "agent-note").values()
    assert all("entity_" not in text for text in shown)
    assert any(text.endswith("Related to: Bob Lee, source_1") for text in shown)


REFUSED: list[tuple[Callable[[AgentTools], Any], str]] = [
    (lambda t: t.add_note_to_concept("Bob Lee", "x"), "Bob Lee is a person, not a concept"),
    (lambda t: t.add_note_to_person(ATLAS, "x"), "Atlas is an entity, not a person"),
    (lambda t: t.add_note_to_person("entity_" + "0" * 24, "x"), "no entity has the id"),
    (lambda t: t.merge("entity_" + "0" * 24, "Bob Lee"), "no entity has the id"),
    (lambda t: t.add_note_to_person("  ", "x"), "is empty"),
    (lambda t: t.add_note_to_person("Bob Lee", " "), "content"),
    (lambda t: t.add_note_to_person("Bob Lee", "x", "decade"), "lifetime"),
    (lambda t: t.create_relationship("Bob Lee", "Atlas", "leads", "x", 6, 1), "attitude"),
    (lambda t: t.create_relationship("Bob Lee", "Atlas", "leads", "x", 1, 0), "proximity"),
    (lambda t: t.create_relationship("Bob Lee", "Atlas", "leads", "x", 1, 1, confidence=2), "confidence"),
    (lambda t: t.create_relationship("Bob Lee", "rob", "knows", "x", 1, 1), "no relationship with itself"),
    (lambda t: t.merge("Bob Lee", "Bob Lee"), "a decision is about two"),
    (lambda t: t.memory_store("gossip", "x"), "category"),
    (lambda t: t.memory_store("fact", "x", priority="urgent"), "priority"),
    (lambda t: t.memory_store("fact", "x", expires="soon"), "expires"),
    (lambda t: t.memory_store("fact", "The ferry is free.", expires="2020-05-01"), "has passed"),
    (lambda t: t.memory_store("fact", "?! 👍"), "no letter or digit"),
    (lambda t: t.memory_store("fact", ""), "content"),
]


def test_invalid_arguments_are_refused_before_any_write(bench) -> None:
    write_snapshot(bench.space().create())
    for call, reason in REFUSED:
        with pytest.raises(BadInputError, match=reason):
            call(tools(bench))
        assert not bench.home.inbox.exists(), reason
    with pytest.raises(InvalidUserError):
        tools(bench, "../bob")


def test_write_is_kept_and_reported_when_indexing_fails(bench, monkeypatch) -> None:
    with monkeypatch.context() as broken:
        broken.setenv("BRAIN_EMBEDDING__MODEL", "/no/such/model")
        receipt = tools(bench).add_note_to_person("Bob Lee", "Hello Bob.")
    assert not receipt.visible and receipt.error
    bench.run("alice", "agent-note")
    assert list(bench.texts("alice", "agent-note")) == [receipt.uri]


def test_writes_are_rebuilt_and_deleted_with_their_file(bench) -> None:
    note = tools(bench).add_note_to_person("Bob Lee", "Bob moved to Lisbon.")
    tools(bench).memory_store("fact", "The lease ends in June.")
    before = bench.digests()
    bench.drop_derived()
    bench.run("alice", "agent-note")
    assert bench.digests() == before
    bench.remove(to_path(bench.space().inbox, note.uri))
    bench.run("alice", "agent-note")
    assert note.source_id not in {row["source_id"] for table in ("text", "facts") for row in rows(bench.space(), table)}
    with Brain.open(bench.home.path, user="alice") as brain:
        assert "Lisbon" not in " ".join(hit.text for hit in brain.search("Lisbon", k=10))


def test_users_do_not_see_each_others_entries(bench) -> None:
    first = tools(bench).memory_store("fact", "The door code is 7731.")
    other = tools(bench, "bob").memory_store("fact", "The door code is 7731.")
    assert first["stored"] and other["stored"] and first["id"] != other["id"]


def _add(home: Path, number: int, barrier: Any, results: Any) -> None:
    agent = AgentTools(home, "alice", clock=lambda: AT + timedelta(seconds=number))
    barrier.wait()
    receipt = agent.add_note_to_person("Bob Lee", f"Note number {number} about tides.")
    entry = agent.memory_store("fact", "The harbour opens at six.")
    with Brain.open(home, user="alice") as brain:
        found = any(hit.source_ref.uri == receipt.uri for hit in brain.search(f"note number {number} tides", k=10))
    results.put((receipt.to_json(), found, entry["stored"]))


def test_concurrent_processes_store_duplicate_once(bench) -> None:
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(2, timeout=600), context.Queue()
    other = context.Process(target=_add, args=(bench.home.path, 1, barrier, results))
    other.start()
    _add(bench.home.path, 2, barrier, results)  # this process is one of the two: its models are loaded
    written = [results.get(timeout=600) for _ in range(2)]
    other.join(300)
    assert all(Receipt(**{**receipt, "entities": ()}).visible and found for receipt, found, _ in written)
    assert sorted(stored for _, _, stored in written) == [False, True]  # the second found what the first had stored
    assert len(rows(bench.space(), "text")) == 3
