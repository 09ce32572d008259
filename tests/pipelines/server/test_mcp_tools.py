"""Tools of the MCP server over the SDK's own client: answers, citations, errors with a remedy, writes."""

import os
import re
from typing import Any

import anyio
import psutil
import pytest
from mcp import Client

from brain_pipelines.server.mcp import write_tools
from brain_pipelines.server.mcp.memory import UserMemory
from brain_pipelines.server.mcp.server import READING_TOOLS
from brain_pipelines.server.mcp.writing import WRITING_TOOLS
from brain_retrieval.brain import Brain
from brain_retrieval.home import Home
from tests.pipelines.conftest import Bench
from tests.pipelines.server.conftest import call, source_id, talk, text_of
from tests.retrieval.query.packs.made_hits import memory as statement

GOOD: dict[str, dict[str, Any]] = {
    "memory_search": {"query": "where does Bob Lee live", "limit": 3, "day_from": "2026-01-01"},
    "memory_get": {"id": "inbox:note/lisbon.md"},
    "memory_recall": {"query": "Bob Lee"},
    "memory_context": {"message": "Who leads Phoenix?"},
    "memory_audit": {"about": "Bob Lee"},
    "memory_index_status": {},
    "graph_search": {"query": "Bob"},
    "graph_inspect": {"name": "Bob Lee"},
    "graph_path": {"from_name": "Priya Raman", "to_name": "Kafka"},
    "fact_query_at_time": {"about": "Bob Lee", "at": "2026-01-10"},
    "check_claim": {"claim": "Bob Lee lives in Lisbon."},
    "memory_why": {"id": "inbox:note/lisbon.md [0:24]"},
}
SAID = {
    "memory_search": "Lisbon",
    "memory_get": "Bob Lee lives in Lisbon.",
    "memory_recall": "Lisbon",
    "memory_context": "Priya Raman leads Phoenix.",
    "memory_audit": "Berlin",
    "memory_index_status": "6 note",
    "graph_search": "Bob Lee",
    "graph_inspect": "lives in Lisbon",
    "graph_path": "Phoenix",
    "fact_query_at_time": "Berlin",
    "check_claim": "Supported",
    "memory_why": "and its hash is right",
}
BAD: list[tuple[str, dict[str, Any], str]] = [
    ("memory_search", {}, "query"),
    ("memory_search", {"query": "x", "limit": 1000}, "limit"),
    ("memory_search", {"query": "Lisbon", "user": "bob", "k": 3}, "no argument k, user; it has: query, limit"),
    ("memory_search", {"query": "Bob", "as_of": "yesterday"}, "yesterday"),
    ("memory_get", {"id": "source_ffff"}, "memory_search"),
    ("memory_get", {"id": "entity_ffff"}, "graph_inspect"),
    ("memory_get", {"id": "inbox:note/lisbon.md", "start": 9999}, "characters"),
    ("memory_get", {"id": "inbox:note/lisbon.md", "start": 9, "end": 4}, "end must be above start"),
    ("memory_search", {"query": "Bob", "day_from": "2026-03-01", "day_to": "2026-01-01"}, "is after the last day"),
    ("memory_store", {"category": "fact", "content": "The ferry is free.", "expires": "2020-05-01"}, "has passed"),
    ("memory_recall", {"query": "Bob", "kinds": ["gossip"]}, "kinds"),
    ("memory_context", {"max_tokens": 1}, "max_tokens"),
    ("memory_audit", {"about": "Bob", "as_of": "2026-13-45"}, "2026-13-45"),
    ("graph_search", {"query": "Bob", "entity_class": "robot"}, "entity_class"),
    ("graph_inspect", {"name": "Zebulon Quux"}, "nothing is known"),
    ("graph_path", {"from_name": "Bob Lee", "to_name": "Bob Lee"}, "same entity"),
    ("fact_query_at_time", {"about": "Bob Lee", "at": "soon"}, "soon"),
    ("check_claim", {"claim": "Bob Lee lives in Lisbon.", "as_of": "soon"}, "soon"),
    ("memory_why", {"id": "memory_ffff"}, "nothing here has the id"),
    ("memory_store", {"category": "rumour", "content": "x"}, "category"),
    ("memory_ingest", {"items": [{"text": "x", "at": "later"}]}, "ISO 8601"),
    ("memory_ingest", {"items": []}, "items"),
    ("add_note_to_person", {"entity_key": "Bob Lee", "note_content": "x", "lifetime": "eon"}, "lifetime"),
    ("add_note_to_concept", {"entity_key": "Bob Lee", "note_content": "x"}, "is a person"),
    ("add_note_to_entity", {"entity_key": "Acme Corp", "note_content": "x", "source_id": "source_0"}, "no source"),
    (
        "create_relationship",
        {"from_entity_key": "Bob Lee", "to_entity_key": "Bob Lee", "relationship_type": "x", "description": "x"},
        "itself",
    ),
    ("add_note_to_relationship", {"from_entity_key": "Bob Lee", "to_entity_key": "Acme Corp"}, "note_content"),
    ("knowledge_crawl", {"url": "file:///etc/passwd"}, "http"),
    ("knowledge_crawl", {"url": "http://169.254.169.254/latest"}, "169.254"),
    ("check_claim_online", {"claim": "x", "max_seconds": 4000}, "max_seconds"),
]


def test_every_reading_tool_answers_with_ids_and_a_fence(reading: UserMemory) -> None:
    assert set(GOOD) == {tool.__name__ for tool in READING_TOOLS}
    for (name, _), result in zip(GOOD.items(), call(reading, *GOOD.items()), strict=True):
        text = text_of(result)
        assert not result.is_error and SAID[name] in text, (name, text)
        if name == "memory_index_status":
            continue
        nonces = set(re.findall(r"<retrieved_knowledge (\w+)>", text))
        assert nonces and all(f"</retrieved_knowledge {nonce}>" in text for nonce in nonces), name
        items = result.structured_content["items"]
        assert items and all(one["id"] and one["id"] in text for one in items if name != "memory_context"), name
        assert all(line.startswith("> ") for one in items for line in one.get("text", "").splitlines()), name


def test_answers_keep_to_their_budget(reading: UserMemory) -> None:
    (short,) = call(reading, ("graph_inspect", {"name": "Bob Lee", "max_tokens": 150}))
    assert reading.counter.count(text_of(short)) < 300 and "did not fit" in text_of(short)
    pages = call(reading, ("memory_get", {"id": "inbox:note/digest.md", "end": 30}))
    assert "start=30" in text_of(pages[0]) and pages[0].structured_content["details"] == {"next_start": 30}


def test_statements_come_in_the_order_of_the_library(reading: UserMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"as_of": "2026-02-01", "known_at": None}
    ordered = [statement("The second one."), statement("The first one.")]
    monkeypatch.setattr(Brain, "facts", lambda _self, about, **how: ordered if how.items() >= asked.items() else [])
    recall = ("memory_recall", {"query": "which one", "as_of": "2026-02-01"})
    for result in call(reading, recall, ("fact_query_at_time", {"about": "which one", "at": "2026-02-01"})):
        assert [one["id"] for one in result.structured_content["items"]] == [one.memory_id for one in ordered]


def test_bad_arguments_are_errors_with_a_remedy(reading: UserMemory) -> None:
    assert {name for name, _, _ in BAD} == {tool.__name__ for tool in (*READING_TOOLS, *WRITING_TOOLS)} - {
        "memory_index_status"
    }
    results = call(reading, *((name, arguments) for name, arguments, _ in BAD))
    for (name, arguments, said), result in zip(BAD, results, strict=True):
        text = text_of(result)
        assert result.is_error and said in text, (name, arguments, text)
        assert not re.search(r"Traceback|pydantic|\.py\b|failed inside", text) and str(reading.home.path) not in text


def test_written_things_are_found_at_once(served: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = UserMemory(served.home, "alice")
    note = {"note_content": "Bob Lee collects ceramic owls.", "lifetime": "year"}
    based = source_id(served.home.path, "alice", "lisbon.md")
    entry = {"category": "preference", "content": "Alice wants dates written in words."}
    text = {"title": "Minutes", "text": "We rent the warehouse in Rotterdam.", "at": "2026-03-03"}
    pair = {"from_entity_key": "Priya Raman", "to_entity_key": "Phoenix"}
    written = call(
        memory,
        ("add_note_to_person", {"entity_key": "Bob Lee", **note, "source_id": based}),
        ("add_note_to_concept", {"entity_key": "usability", "note_content": "Five people a round."}),
        ("add_note_to_entity", {"entity_key": "Acme Corp", "note_content": "Acme Corp moves in May."}),
        (
            "create_relationship",
            {
                **pair,
                "relationship_type": "mentors",
                "description": "Priya mentors Phoenix.",
                "properties": {"role": "lead mentor", "duration": "one year"},
            },
        ),
        ("add_note_to_relationship", {**pair, "note_content": "They meet on Tuesdays."}),
        ("memory_store", entry),
        ("memory_store", entry),
        ("memory_ingest", {"items": [text]}),
        ("memory_ingest", {"items": [text]}),
    )
    assert not any(result.is_error for result in written), [text_of(result) for result in written]
    receipts = [result.structured_content for result in written]
    assert all(one["visible"] for one in receipts[:7]) and receipts[0]["note_id"] and receipts[3]["fact_id"]
    assert receipts[6]["deduplicated"] and receipts[6]["id"] == receipts[5]["id"]
    (first,), (again,) = receipts[7]["items"], receipts[8]["items"]
    assert again["unchanged"] and again["source_id"] == first["source_id"]
    monkeypatch.setattr(write_tools, "MOST_SECONDS", 0.0)
    (late,) = call(memory, ("memory_ingest", {"items": [text, {"text": "Never begun."}]}))
    assert late.structured_content["not_begun"] == 1 and "call again" in text_of(late)
    owls, rotterdam, mentor = call(
        memory,
        ("memory_search", {"query": "ceramic owls"}),
        ("memory_search", {"query": "warehouse Rotterdam"}),
        ("memory_recall", {"query": "Priya Phoenix"}),
    )
    assert "lead mentor" in text_of(mentor) and "one year" in text_of(mentor)
    assert "ceramic owls" in text_of(owls) and first["source_id"] in text_of(rotterdam)
    memory.close()


def test_first_write_makes_a_user(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    memory = UserMemory(Home(tmp_path), "carol")
    before, stored, after = call(
        memory,
        ("memory_search", {"query": "tea"}),
        ("memory_store", {"category": "preference", "content": "Carol drinks green tea."}),
        ("memory_search", {"query": "green tea"}),
    )
    assert before.is_error and "memory_store" in text_of(before)
    assert not stored.is_error and "Carol drinks green tea." in text_of(after)
    memory.close()


def test_read_only_offers_no_tool_that_writes(reading: UserMemory) -> None:
    async def steps(client: Client) -> Any:
        refused = await client.call_tool("memory_store", {"category": "fact", "content": "x"})
        return (await client.list_tools()).tools, (await client.list_prompts()).prompts, refused

    tools, prompts, refused = talk(reading, steps, writes=False)
    assert {tool.name for tool in tools} == set(GOOD) and prompts == [] and refused.is_error
    assert all(tool.annotations.read_only_hint for tool in tools)

    async def everything(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in talk(reading, everything)}
    assert len(tools) == 21 and not any(tool.annotations.destructive_hint for tool in tools.values())
    assert tools["memory_store"].annotations.idempotent_hint and tools["knowledge_crawl"].annotations.open_world_hint
    assert all("Example:" in tool.description for name, tool in tools.items() if name != "memory_index_status")
    assert all("user" not in tool.input_schema["properties"] for tool in tools.values())


def test_calls_overlap_and_writes_wait_for_each_other(served: Bench) -> None:
    memory = UserMemory(served.home, "alice")
    entries = [
        {"category": "fact", "content": f"Locker {n} holds the {thing}."} for n, thing in ((3, "rope"), (9, "lamp"))
    ]

    async def steps(client: Client) -> list[Any]:
        results: list[Any] = []

        async def one(name: str, arguments: dict[str, Any]) -> None:
            results.append(await client.call_tool(name, arguments))

        async with anyio.create_task_group() as group:
            for entry in entries:
                group.start_soon(one, "memory_store", entry)
            for _ in range(4):
                group.start_soon(one, "memory_search", {"query": "Bob Lee"})
        return results

    assert not any(result.is_error for result in talk(memory, steps))
    (found,) = call(memory, ("memory_search", {"query": "What is in the lockers?"}))
    assert "rope" in text_of(found) and "lamp" in text_of(found)
    memory.close()


def test_many_calls_leave_no_handle_open(reading: UserMemory) -> None:
    """The short form of a session of 200 calls, which is run by hand."""
    process = psutil.Process(os.getpid())

    async def steps(client: Client) -> list[int]:
        handles = []
        for count in range(4):
            for name in ("memory_recall", "memory_get", "graph_search", "graph_path", "memory_audit"):
                assert not (await client.call_tool(name, GOOD[name])).is_error
            if count in (1, 3):
                handles.append(process.num_fds())
        return handles

    after_ten, after_twenty = talk(reading, steps)
    assert after_twenty <= after_ten + 2
