"""Every operation of the interface, asked by one user with every id of another; and many readers while one writes."""

import asyncio
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from brain_pipelines.server.app import create_app
from brain_pipelines.server.line import Asker
from brain_retrieval.home import Home
from tests.pipelines.conftest import Bench
from tests.pipelines.orchestration.snapshot_steps import snapshot
from tests.pipelines.server.http.conftest import LOCAL, Served, serving, settings_of

SECRET = "Zanzibar"  # a word of alice's that bob has never written
TEXT = f"Priya Raman leads {SECRET}. {SECRET} depends on Kafka."
READERS = 50
KINDS = ("source_", "chunk_", "entity_", "memory_", "inbox:")
WRITES = ("/api/messages", "/api/sources", "/api/knowledge/pipeline/ingest", "/api/notes", "/api/keys")
WRITES += ("/api/forget", "/api/forget/preview")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """alice with a note, a message, a memory and a snapshot; bob with a message and a snapshot."""
    home = Home(tmp_path_factory.mktemp("two") / "home")
    home.path.mkdir()
    bench = Bench(home)
    for served in serving(home):
        for user, text in (("alice", TEXT), ("bob", "Carl Weber leads Phoenix. Phoenix depends on Kafka.")):
            assert served.as_user(user, "POST", "/api/messages", json={"content": text}).json()["searchable"]
        note = {"entity": SECRET, "content": f"{SECRET} is behind schedule."}
        assert served.as_user("alice", "POST", "/api/notes", json=note).json()["visible"]
        for user in ("alice", "bob"):
            snapshot(bench, datetime.now(UTC).date().isoformat(), user)
        yield served


def ids_of(served: Served, user: str) -> set[str]:
    """Return every id, uri and name that a user can learn from answers."""
    found = set[str]()

    def collect(value: Any, name: str = "") -> None:
        if isinstance(value, dict):
            for key, one in value.items():
                collect(one, key)
        elif isinstance(value, list):
            for one in value:
                collect(one, name)
        elif isinstance(value, str) and (name.endswith(("_id", "uri", "key", "id")) or name == "name"):
            found.add(value)

    get = lambda path: collect(served.as_user(user, "GET", path).json())  # noqa: E731
    for path in ("/api/sources", "/api/notes", "/api/storylines", "/api/keys", f"/api/graph/entity/{SECRET}"):
        get(path)
    get(f"/api/graph/neighborhood?key={SECRET}&hops=3")
    collect(served.as_user(user, "POST", "/api/search", json={"query": SECRET}).json())
    collect(served.as_user(user, "POST", "/api/memory/query", json={"query": SECRET}).json())
    return {one for one in found if one not in ("Kafka", "alice", "bob")}


def requests_with(schema: dict[str, Any], value: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield a request for each text parameter and field of each operation, or for the operation, with `value` there."""
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            parameters = operation.get("parameters", [])
            body = body_of(schema, operation)
            texts = [one["name"] for one in parameters if "string" in str(one["schema"])]
            fields = model_of(schema, operation).get("properties", {})
            texts += [f"body:{name}" for name, one in fields.items() if "string" in str(one) and "enum" not in str(one)]
            needed = {one["name"]: "Kafka" for one in parameters if one.get("required")}
            for name in texts or [""]:
                values = {**needed, name: value}
                given = {
                    place: {
                        one["name"]: values[one["name"]]
                        for one in parameters
                        if one["in"] == place and one["name"] in values
                    }
                    for place in ("path", "query", "header")
                }
                url = path.format(**{key: quote(one, safe="") for key, one in given["path"].items()})
                more: dict[str, Any] = {
                    "params": given["query"],
                    "headers": {k: quote(v) for k, v in given["header"].items()},
                }
                if body:
                    field = name.removeprefix("body:")
                    listed = "array" in str(fields.get(field))
                    more["json"] = {**body, field: [value] if listed else value} if field != name else body
                yield method.upper(), url, more


def model_of(schema: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a body, {} without one."""
    reference = json.dumps(operation.get("requestBody", {})).partition("schemas/")[2].partition('"')[0]
    return schema["components"]["schemas"].get(reference, {})


def body_of(schema: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    """Return a body with its required fields."""
    model = model_of(schema, operation)
    values = {name: "2026-03-01" if name == "at" else "Kafka" for name in model.get("required", ())}
    return {name: ["read"] if model["properties"][name].get("type") == "array" else one for name, one in values.items()}


def test_no_operation_gives_one_user_anything_of_another(two: Served) -> None:
    schema = two.client.get("/openapi.json").json()
    foreign = ids_of(two, "alice") - ids_of(two, "bob")
    assert SECRET in foreign
    # one of each kind, since they take the same way; the name last
    chosen = [next(one for one in sorted(foreign) if one.startswith(kind)) for kind in KINDS] + [SECRET]
    reads = [one for value in chosen for one in asked_of(schema, value, writes=False)]
    writes = asked_of(schema, chosen[0], writes=True)
    refused = 0
    for value, method, url, more in [*reads, *writes]:
        answer = two.as_user("bob", method, url, **more)
        refused += answer.status_code in (403, 404)
        unset = url == "/api/evidence/online" and answer.status_code == 501  # these homes have no search provider
        assert answer.status_code < 500 or unset, (method, url, answer.text)
        if quote(value, safe="") in url:
            assert answer.status_code in (403, 404), (method, url)
        said = answer.text.replace(value, "").replace(quote(value, safe=""), "")
        assert SECRET not in said, (method, url, more)
    assert len(reads) > 250 and len(writes) > 10 and refused > 40


def asked_of(schema: dict[str, Any], value: str, *, writes: bool) -> list[tuple[str, str, str, dict[str, Any]]]:
    """Return the requests with a value in the operations that write, or in those that do not."""
    found = requests_with(schema, value)
    return [(value, *one) for one in found if ((one[0] == "POST" and one[1] in WRITES) or one[0] == "DELETE") == writes]


def test_a_user_is_named_by_the_key_alone(two: Served) -> None:
    for more in ({"params": {"user": "alice"}}, {"headers": {"X-User": "alice", "X-Forwarded-User": "alice"}},
                 {"headers": {"Cookie": "user=alice"}}):  # fmt: skip
        assert SECRET not in two.as_user("bob", "POST", "/api/search", json={"query": "Kafka"}, **more).text
    for session in ("alice", "s1"):
        body = {"query": "Kafka", "session": session}
        assert SECRET in two.as_user("alice", "POST", "/api/search", json=body).text
        assert SECRET not in two.as_user("bob", "POST", "/api/search", json=body).text
    for path in ("/api/../users/alice/keys.json", "/api/sources/..%2F..%2Falice", "//api/sources", "/api/sources/"):
        assert two.as_user("bob", "GET", path).status_code in (307, 404), path


def test_mcp_answers_the_user_of_the_key(two: Served) -> None:
    call = {"name": "memory_search", "arguments": {"query": f"who leads {SECRET}?"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accept = {"Accept": "application/json, text/event-stream"}
    said = {user: two.as_user(user, "POST", "/mcp", json=body, headers=accept) for user in ("alice", "bob")}
    assert all(one.status_code == 200 for one in said.values())
    assert TEXT in said["alice"].text and "depends on" not in said["bob"].text.replace("Phoenix depends on", "")
    assert two.client.post("/mcp", json=body, headers=accept).status_code == 401


def test_fifty_readers_while_one_writes(two: Served) -> None:
    settings = settings_of(two.home, threads=4, requests_per_second=1000, burst=1000)

    async def measure() -> tuple[list[int], list[float], list[int]]:
        app = create_app(two.home, settings)
        transport, headers = httpx.ASGITransport(app), two.auth("alice")
        async with httpx.AsyncClient(transport=transport, base_url=LOCAL, headers=headers, timeout=120) as client:

            async def read() -> tuple[int, float]:
                began = time.perf_counter()
                answer = await client.post("/api/search", json={"query": f"who leads {SECRET}?", "k": 3})
                assert SECRET in answer.text
                return answer.status_code, time.perf_counter() - began

            async def write(number: int) -> int:
                return (await client.post("/api/messages", json={"content": f"Crate {number} is blue."})).status_code

            writes = asyncio.gather(*(write(number) for number in range(3)))
            found = await asyncio.gather(*(read() for _ in range(READERS)))
            return [status for status, _ in found], [seconds for _, seconds in found], list(await writes)

    statuses, seconds, writes = asyncio.run(measure())
    assert statuses == [200] * READERS and writes == [200] * 3 and max(seconds) < 250
    hits = two.as_user("alice", "POST", "/api/search", json={"query": "which crate is blue?", "k": 5}).json()["hits"]
    assert {hit["text"] for hit in hits} >= {f"Crate {number} is blue." for number in range(3)}


def test_more_requests_than_may_wait_are_sent_away(tmp_path: Path, two: Served) -> None:
    settings = settings_of(two.home, threads=1, waiting=2)

    async def measure() -> list[int]:
        app: Any = create_app(two.home, settings)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=LOCAL, headers=two.auth("alice")) as client:
            async with app.server.work._line.turn(Asker()):  # the only thread reads for another
                asked = [asyncio.create_task(client.get("/api/sources")) for _ in range(4)]
                while sum(one.done() for one in asked) < 3:
                    await asyncio.sleep(0.01)
            found = await asyncio.gather(*asked)
        return sorted(one.status_code for one in found)

    assert asyncio.run(measure()) == [200, 503, 503, 503]
