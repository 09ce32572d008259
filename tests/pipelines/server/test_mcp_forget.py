"""The tool memory_forget: offered on request only, a preview before anything goes, and only one's own sources."""

from typing import Any

from mcp import Client

from brain_pipelines.server.mcp.memory import UserMemory
from tests.pipelines.conftest import Bench
from tests.pipelines.server.conftest import SECRET, source_id, talk, text_of


def test_a_source_goes_after_a_preview_and_its_code(served: Bench) -> None:
    memory = UserMemory(served.home, "alice")
    mine, other = (source_id(served.home.path, *one) for one in (("alice", "lisbon.md"), ("bob", "plan.md")))

    async def steps(client: Client) -> None:
        async def forget(one: str, **more: Any) -> Any:
            return await client.call_tool("memory_forget", {"source_id": one, **more})

        async def is_there() -> bool:
            return not (await client.call_tool("memory_get", {"id": mine})).is_error

        (tool,) = [one for one in (await client.list_tools()).tools if one.name == "memory_forget"]
        assert tool.annotations is not None and tool.annotations.destructive_hint
        preview = await forget(mine)
        assert "lisbon.md" in text_of(preview) and not preview.structured_content["done"]
        code = preview.structured_content["confirm"]
        assert (await forget(mine, confirm="yes")).is_error and await is_there()
        foreign = await forget(other, confirm=code)
        assert foreign.is_error and SECRET not in text_of(foreign)
        done = await forget(mine, confirm=code)
        assert done.structured_content["done"] and done.structured_content["complete"], text_of(done)
        assert not await is_there()
        found = await client.call_tool("memory_search", {"query": "where does Bob Lee live"})
        assert "Lisbon" not in text_of(found)

    talk(memory, steps, forgets=True)
    memory.close()
