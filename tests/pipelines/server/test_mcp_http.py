"""MCP over streamable HTTP: the user comes from the key alone, hosts and origins are checked, scopes are kept."""

from typing import Any

import anyio
import httpx
import pytest
from starlette.requests import Request

from brain_pipelines.server.mcp.http import Access, McpApp
from brain_retrieval.errors import InvalidUserError
from tests.pipelines.conftest import Bench
from tests.pipelines.server.conftest import SECRET

KEYS = {"k-alice": Access("alice"), "k-bob": Access("bob"), "k-writer": Access("alice", writes=True)}
Sent = tuple[str, dict[str, Any], dict[str, str]]


def access_of(request: Request) -> Access | None:
    return KEYS.get(request.headers.get("authorization", "").removeprefix("Bearer "))


def post(bench: Bench, *sent: Sent, together: bool = False) -> list[httpx.Response]:
    """Return the responses to JSON-RPC requests, each a method, its parameters and headers."""

    async def run() -> list[httpx.Response]:
        app = McpApp(bench.home, access_of=access_of)
        results: dict[int, httpx.Response] = {}
        async with (
            app.running(),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost:80") as client,
        ):

            async def one(number: int, method: str, params: dict[str, Any], headers: dict[str, str]) -> None:
                body = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                accept = {"accept": "application/json, text/event-stream"}
                results[number] = await client.post("/mcp", json=body, headers={**accept, **headers})

            async with anyio.create_task_group() as group:
                for number, request in enumerate(sent):
                    if together:
                        group.start_soon(one, number, *request)
                    else:
                        await one(number, *request)
        return [results[number] for number in range(len(sent))]

    return anyio.run(run)


def key(name: str, **headers: str) -> dict[str, str]:
    return {"authorization": f"Bearer {name}", **headers}


def search(name: str, **more: Any) -> Sent:
    arguments = {"query": f"{SECRET} Osprey code", **more}
    return "tools/call", {"name": "memory_search", "arguments": arguments}, key(name)


def test_the_key_decides_whose_memory_is_read(served_template: Bench) -> None:
    requests = [search("k-alice"), search("k-bob"), search("k-alice", user="bob")] * 2
    answers = [
        response.json()["result"]["content"][0]["text"] for response in post(served_template, *requests, together=True)
    ]
    for alice, bob, pretending in (answers[:3], answers[3:]):
        assert "8812" in bob and "8812" not in alice + pretending


def test_requests_without_a_key_or_from_elsewhere_are_refused(served_template: Bench) -> None:
    listing = ("tools/list", {})
    responses = post(
        served_template,
        (*listing, {}),
        (*listing, key("k-guess")),
        (*listing, key("k-alice", host="evil.example")),
        (*listing, key("k-alice", origin="http://evil.example")),
        (*listing, key("k-alice", origin="http://localhost:3000")),
    )
    assert [response.status_code for response in responses] == [401, 401, 421, 403, 200]
    assert responses[0].headers["www-authenticate"] == "Bearer" and responses[0].json()["status"] == 401


def test_only_a_key_that_may_write_is_offered_writing_tools(served_template: Bench) -> None:
    store = {"name": "memory_store", "arguments": {"category": "rumour", "content": "x"}}
    reader, writer, refused, allowed = post(
        served_template,
        ("tools/list", {}, key("k-alice")),
        ("tools/list", {}, key("k-writer")),
        ("tools/call", store, key("k-alice")),
        ("tools/call", store, key("k-writer")),
    )
    names = [{tool["name"] for tool in one.json()["result"]["tools"]} for one in (reader, writer)]
    assert "memory_store" in names[1] - names[0] and len(names[0]) == 12
    assert "Unknown tool" in refused.text and "category" in allowed.text


def test_a_user_id_is_checked_before_it_is_bound() -> None:
    with pytest.raises(InvalidUserError):
        Access("../alice")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_is_no_stream_that_is_held_open(served_template: Bench, method: str) -> None:
    async def run() -> list[httpx.Response]:
        app = McpApp(served_template.home, access_of=access_of)
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost:80")
        async with app.running(), client:
            headers = {"accept": "text/event-stream"}
            with anyio.fail_after(30):
                return [await client.request(method, "/mcp", headers=headers | key(name)) for name in ("k-alice", "x")]

    known, unknown = anyio.run(run)
    assert (known.status_code, known.headers["allow"], unknown.status_code) == (405, "POST", 401)
