"""MCP tools as an agent uses them: unknown names, earlier days, relations by their verb, entries by their kind."""

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from brain_pipelines.server.mcp.memory import UserMemory
from tests.pipelines.conftest import Bench
from tests.pipelines.server.conftest import call, talk, text_of


def test_an_unknown_name_has_no_connections(reading: UserMemory) -> None:
    (nothing,) = call(reading, ("graph_search", {"query": "Wilhelmina Vandersloot"}))
    assert text_of(nothing).startswith("No entity has such a name") and nothing.structured_content["items"] == []


def test_a_card_of_an_earlier_day_shows_nothing_of_later(reading: UserMemory) -> None:
    now, before = call(
        reading,
        ("graph_inspect", {"name": "Bob Lee", "max_tokens": 4000}),
        ("graph_inspect", {"name": "Bob Lee", "as_of": "2020-01-01"}),
    )
    assert len(now.structured_content["items"]) > 2 and "Lisbon" in text_of(now)
    assert [one["kind"] for one in before.structured_content["items"]] == ["entity"], text_of(before)
    assert "Lisbon" not in text_of(before) and "source_" not in text_of(before).replace("id=source_…", "")


def test_a_relation_is_found_by_its_verb_and_else_the_others_are_named(reading: UserMemory) -> None:
    asked = {"about": "Phoenix", "at": "2026-02-10"}
    leads, none = call(
        reading,
        ("fact_query_at_time", {**asked, "predicate": "Leads"}),
        ("fact_query_at_time", {**asked, "predicate": "paints"}),
    )
    assert "Priya Raman" in text_of(leads) and leads.structured_content["items"]
    assert none.structured_content["items"] == [] and "Relations that held then: " in text_of(none)


def test_prompts_say_what_is_missing(reading: UserMemory) -> None:
    async def steps(client: Client) -> list[str]:
        said = []
        for name, arguments in (("extract_people", {}), ("extract_all", {"source_id": "x"})):
            with pytest.raises(MCPError) as error:
                await client.get_prompt(name, arguments)
            said.append(str(error.value))
        return said

    missing, unknown = talk(reading, steps)
    assert "needs: source_id" in missing and "extract_concepts" in unknown


def test_entries_are_recalled_by_their_kind_with_the_latest_value(served: Bench) -> None:
    memory = UserMemory(served.home, "alice")
    stored = [
        ("instruction", "返事は短くしてください。"),
        ("decision", "The newsletter goes out on the first Friday."),
        ("decision", "The newsletter goes out on the last Friday."),
        ("fact", "Ines works on the parser."),
        ("fact", "Ines works on the lexer."),
    ]
    writes = [("memory_store", {"category": category, "content": content}) for category, content in stored]
    asked = [("memory_recall", {"kinds": ["decision"]}), ("memory_recall", {"kinds": ["instruction"]})]
    asked += [("memory_recall", {"kinds": ["fact"]}), ("memory_recall", {"query": "when does the newsletter go out"})]
    *receipts, decisions, instructions, facts, answered, start = call(memory, *writes, *asked, ("memory_context", {}))
    assert all(one.structured_content["stored"] for one in receipts)
    shown = [one for one in decisions.structured_content["items"] if "newsletter" in one["text"]]
    assert len(shown) == 1 and "last" in shown[0]["text"] and "remark" not in shown[0]  # it has replaced the first one
    later, earlier = (one for one in facts.structured_content["items"] if "Ines" in one["text"])  # both may hold
    assert "lexer" in later["text"] and "remark" not in later
    assert earlier["remark"] == f"differs in a value from the later {later['id']}"
    remarks = {one["text"][:40]: one.get("remark", one["status"]) for one in answered.structured_content["items"]}
    assert remarks["> The newsletter goes out on the first F"] != "current", remarks
    assert stored[0][1] in text_of(instructions)
    assert "## Instructions\n- [MEMORY] " in text_of(start) and stored[0][1] in text_of(start)
    memory.close()
