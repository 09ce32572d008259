"""What one user's session can reach of another's memory (nothing), and what hostile text can do (nothing)."""

import re
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from brain_pipelines.server.mcp.memory import Memories, UserMemory
from brain_retrieval.errors import InvalidUserError
from brain_retrieval.home import Home
from tests.pipelines.conftest import Bench
from tests.pipelines.server.conftest import SECRET, call, source_id, talk, text_of


@pytest.fixture
def foreign(served_template: Bench) -> dict[str, str]:
    """Ids of Bob's things."""
    bob = UserMemory(served_template.home, "bob")
    known = bob.knowledge()
    (memory, *_) = known.memories("Osprey")
    ids = {
        "source": source_id(served_template.home.path, "bob", "plan.md"),
        "memory": memory.memory_id,
        "entity": known.table("known_entities")["entity_id"][0],
    }
    assert SECRET in bob.brain.search("8812", 1)[0].text  # so that not finding it is no accident
    bob.close()
    return ids


def test_ids_of_another_user_do_not_exist(reading: UserMemory, foreign: dict[str, str]) -> None:
    own = {"entity_key": "Bob Lee", "note_content": "x"}
    calls: list[tuple[str, dict[str, Any]]] = [("memory_get", {"id": one}) for one in foreign.values()]
    calls += [("graph_inspect", {"name": foreign["entity"]}), ("graph_inspect", {"name": "Osprey"})]
    calls += [("graph_path", {"from_name": "Bob Lee", "to_name": foreign["entity"]})]
    calls += [("add_note_to_person", {**own, "source_id": foreign["source"]})]
    calls += [("add_note_to_person", {"entity_key": foreign["entity"], "note_content": "x"})]
    for (name, arguments), result in zip(calls, call(reading, *calls), strict=True):
        text = text_of(result)
        assert result.is_error and SECRET not in text and "8812" not in text, (name, arguments, text)
    found = call(
        reading,
        ("memory_search", {"query": f"{SECRET} Falk 8812 Osprey"}),
        ("memory_recall", {"query": "Osprey"}),
        ("graph_search", {"query": "Osprey"}),
        ("memory_search", {"query": "The code is 8812", "people": ["Kestrel Falk"]}),
        ("memory_get", {"id": "inbox:note/../../bob/note/plan.md"}),
    )
    assert not any("Falk" in text_of(result) for result in found)


def test_resources_and_prompts_of_another_user_do_not_exist(reading: UserMemory, foreign: dict[str, str]) -> None:
    own = source_id(reading.home.path, "alice", "lisbon.md")

    async def steps(client: Client) -> list[str]:
        for uri in (
            f"brain://source/{foreign['source']}",
            "brain://storyline/storyline_0",
            "brain://source/..%2F..%2Fbob",
        ):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        with pytest.raises(MCPError):
            await client.get_prompt("extract_people", {"source_id": foreign["source"]})
        read = [
            await client.read_resource(uri)
            for uri in ("brain://sources", f"brain://source/{own}", "brain://storylines")
        ]
        prompt = await client.get_prompt("extract_people", {"source_id": own})
        return [
            *(getattr(one.contents[0], "text", "") for one in read),
            getattr(prompt.messages[0].content, "text", ""),
        ]

    listed, text, _, prompt = talk(reading, steps)
    assert own in listed and foreign["source"] not in listed
    assert "> Bob Lee lives in Lisbon." in text
    assert "add_note_to_person" in prompt and "> Bob Lee (Person)" in prompt and own in prompt


def test_hostile_text_does_not_leave_its_fence(reading: UserMemory) -> None:
    results = call(
        reading,
        ("memory_search", {"query": "harbour survey weekly digest"}),
        ("memory_get", {"id": "inbox:note/digest.md"}),
        ("memory_recall", {"query": "harbour survey"}),
        ("memory_context", {"message": "harbour survey weekly digest"}),
    )
    for result in results:
        text = text_of(result)
        assert not result.is_error and "harbour" in text
        assert len(re.findall(r"<retrieved_knowledge", text)) == len(re.findall(r"</retrieved_knowledge", text)) <= 2
        for line in text.splitlines():
            if "SYSTEM" in line or "forged" in line or "bababa" in line:
                assert line.startswith(("> ", "- [")), line
        quotes = [line for one in result.structured_content["items"] for line in one.get("text", "").splitlines()]
        assert all(line.startswith("> ") and "</retrieved" not in line for line in quotes)


def test_hostile_text_stays_fenced_in_resources_and_prompts(reading: UserMemory) -> None:
    own = source_id(reading.home.path, "alice", "digest.md")

    async def steps(client: Client) -> list[str]:
        source = await client.read_resource(f"brain://source/{own}")
        listed = await client.read_resource("brain://sources")
        prompt = await client.get_prompt("extract_entities", {"source_id": own})
        texts = (source.contents[0], listed.contents[0], prompt.messages[0].content)
        return [getattr(one, "text", "") for one in texts]

    for text in talk(reading, steps):
        assert text.count("<retrieved_knowledge ") == text.count("</retrieved_knowledge ") <= 2
        foreign = [line for line in text.splitlines() if "SYSTEM" in line or "forged" in line or "bababa" in line]
        assert all(line.startswith("> ") for line in foreign), foreign


def test_memories_of_a_server_are_bounded_and_bound(tmp_path) -> None:
    memories = Memories(Home(tmp_path), most=2)
    first = memories.of("alice")
    assert memories.of("alice") is first and memories.of("bob") is not first
    memories.of("carol")
    assert memories.of("bob") is memories.of("bob") and memories.of("alice") is not first
    with pytest.raises(InvalidUserError):
        memories.of("../alice")
