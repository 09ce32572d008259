"""The guard, and what is written through the server."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from brain_pipelines.server.app import create_app
from brain_pipelines.server.idempotency import KEPT, first_attempt
from brain_pipelines.server.keys import Keys
from brain_pipelines.server.log import flush
from brain_pipelines.server.problems import ProblemError
from brain_pipelines.server.rates import Rates
from brain_pipelines.server.uploads import FOLDER, Draft, checked_name, sweep
from brain_retrieval.home import Home
from tests.pipelines.server.http.conftest import LOCAL, Served, settings_of

HELLO = {"content": "The door code of the archive is 7731."}


def routes(served: Served) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (method, path, operation) of the whole interface."""
    for path, methods in served.client.get("/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def test_every_route_but_health_needs_a_key_and_a_scope(served: Served) -> None:
    key, _ = Keys(served.home).create("alice", ("forget",))  # of all routes it opens those that forget
    seen = [path for _, path, _ in routes(served)]
    assert {"/health", "/api/messages", "/api/sources/{source_id}/bytes", "/api/graph/path"} <= set(seen)
    for method, path, operation in routes(served):
        if path == "/health":
            continue
        assert any("example" in one for one in contents(operation)), f"{path} has no example"
        assert served.client.request(method, path).status_code == 401, path
        if "forget" not in path:
            answer = served.client.request(method, path, headers={"Authorization": f"Bearer {key}"})
            assert answer.status_code == 403 and answer.json()["title"] == "Forbidden", path


def contents(operation: dict[str, Any]) -> list[dict[str, Any]]:
    found = [
        one
        for status in ("200", "201", "202")
        for one in operation["responses"].get(status, {}).get("content", {}).values()
    ]
    return [*found, {"example": b""}] if "application/octet-stream" in str(operation["responses"].get("200")) else found


def test_hosts_origins_and_headers(served: Served) -> None:
    assert served.client.get("/health", headers={"Host": "evil.example"}).status_code == 421
    for host in ("127.0.0.1:8765", "localhost", "[::1]:9"):
        assert served.client.get("/health", headers={"Host": host}).status_code == 200
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
                    {"Origin": "http://127.0.0.1:3000"}):  # fmt: skip
        assert served.as_user("alice", "POST", "/api/search", json={"query": "x"}, headers=headers).status_code == 403
    own = served.as_user("alice", "POST", "/api/search", json={"query": "x"}, headers={"Origin": LOCAL})
    assert own.status_code == 200 and own.headers["x-content-type-options"] == "nosniff"
    assert not any(name.startswith("access-control") for name in own.headers) and own.headers["x-request-id"]
    preflight = served.client.options("/api/search", headers={"Origin": "http://evil.example"})
    assert preflight.status_code == 401


def test_errors_are_problems_and_repeat_nothing_of_the_request(
    served: Served, capfd: pytest.CaptureFixture[str]
) -> None:
    cases = [
        ("POST", "/api/search", {"query": "zebra", "user": "bob"}, 422, 2),
        ("POST", "/api/search", {"query": "zebra", "as_of": "zebra"}, 400, 2),
        ("GET", "/api/storylines", None, 409, 1),
        ("GET", "/api/graph/entity/zebra", None, 404, None),
        ("GET", "/api/nothing/zebra", None, 404, None),
    ]
    for method, path, body, status, exit_code in cases:
        answer = served.as_user("alice", method, path, json=body)
        assert (answer.status_code, answer.json().get("exit_code")) == (status, exit_code)
        assert answer.headers["content-type"] == "application/problem+json"
    unlabelled = {"content": b'{"query": "zebra"}', "headers": {"Content-Type": "text/plain"}}
    assert "Content-Type" in served.as_user("alice", "POST", "/api/search", **unlabelled).json()["detail"]
    flush()
    logged = capfd.readouterr().err
    lines = [json.loads(line) for line in logged.splitlines()]
    assert "zebra" not in logged and served.keys["alice"].rpartition(".")[2] not in logged
    assert {line["route"] for line in lines} >= {"/api/search", "/api/graph/entity/{entity}", "none"}


def test_bodies_are_limited_declared_or_chunked(served: Served) -> None:
    declared = {"Content-Length": str(10 << 30), "Content-Type": "application/json"}
    assert served.as_user("alice", "POST", "/api/messages", content=b"{}", headers=declared).status_code == 413
    upload = served.as_user("alice", "POST", "/api/sources?name=a.txt", content=b"x", headers=declared)
    assert upload.status_code == 413 and upload.headers["connection"] == "close"
    chunks = (b" " * (1 << 20) for _ in range(18))  # without a length
    assert served.as_user("alice", "POST", "/api/search", content=chunks).status_code == 413


def test_a_slow_body_is_given_up(tmp_path: Path) -> None:
    home = Home(tmp_path)
    key, _ = Keys(home).create("alice", ("write",))

    async def slow() -> AsyncIterator[bytes]:
        yield b'{"content": '
        await asyncio.sleep(60)

    async def send() -> httpx.Response:
        app = create_app(home, settings_of(home, body_seconds=0.05))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=LOCAL) as client:
            return await client.post("/api/messages", content=slow(), headers={"Authorization": f"Bearer {key}"})

    answer = asyncio.run(send())
    assert answer.status_code == 408 and answer.headers["connection"] == "close"


def test_requests_of_a_key_are_limited(tmp_path: Path) -> None:
    now = [0.0]
    rates = Rates(2.0, 3, clock=lambda: now[0])
    assert [rates.wait("a") for _ in range(4)] == [0, 0, 0, 0.5] and rates.wait("b") == 0
    now[0] = 0.5
    assert rates.wait("a") == 0
    home = Home(tmp_path)
    key, _ = Keys(home).create("alice", ("read",))

    async def send(headers: dict[str, str], count: int) -> list[httpx.Response]:
        app = create_app(home, settings_of(home, burst=2, requests_per_second=0.01))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=LOCAL) as client:
            return [await client.get("/api/nothing", headers=headers) for _ in range(count)]

    found = asyncio.run(send({"Authorization": f"Bearer {key}"}, 3))
    assert [one.status_code for one in found] == [404, 404, 429] and int(found[2].headers["retry-after"]) > 50
    guesses = asyncio.run(send({"Authorization": "Bearer guess"}, 21))
    assert [one.status_code for one in guesses[-2:]] == [401, 429]


def test_a_message_can_be_found_when_it_is_answered(served: Served) -> None:
    sent = served.as_user("alice", "POST", "/api/messages", json=HELLO, headers={"Idempotency-Key": "one"})
    assert sent.status_code == 200 and sent.json()["searchable"] and not sent.json()["repeated"]
    [hit] = served.as_user("alice", "POST", "/api/search", json={"query": "door code", "k": 1}).json()["hits"]
    assert hit["text"] == HELLO["content"] and hit["source_ref"]["source_id"] == sent.json()["source_id"]
    again = served.as_user("alice", "POST", "/api/messages", json=HELLO, headers={"Idempotency-Key": "one"})
    assert again.json() == {**sent.json(), "repeated": True, "unchanged": True}
    assert served.as_user("alice", "GET", "/api/sources").json()["total"] == 1
    other = served.as_user("alice", "POST", "/api/messages", json={"content": "x"}, headers={"Idempotency-Key": "one"})
    assert other.status_code == 422
    empty = served.as_user("alice", "POST", "/api/messages", json={"content": " "})
    assert (empty.status_code, empty.json()["error" if "error" in empty.json() else "type"][-13:]) == (
        422,
        "BadInputError",
    )

    read = served.as_user("alice", "GET", f"/api/sources/{sent.json()['source_id']}").json()
    assert read["text"] == HELLO["content"] == read["chunks"][0]["text"] and read["spans"][0]["kind"] == "message"
    part = served.as_user("alice", "GET", f"/api/sources/{sent.json()['source_id']}?offset=4&limit=4").json()
    assert (part["text"], part["next_offset"], len(part["chunks"])) == ("door", 8, 1)


def test_an_upload_is_stored_once_and_read_back(served: Served) -> None:
    def send(body: bytes, name: str = "plans/tour.md", **query: Any) -> httpx.Response:
        return served.as_user("carol", "POST", "/api/sources", params={"name": name, **query}, content=body)

    body = b"# Tour\n\nThe harbour tour begins at nine.\n"
    sent = send(body, source="note", retention="keep_forever")
    assert sent.status_code == 202 and sent.json()["queued"] and len(sent.json()["items"]) == 1
    [source_id] = sent.json()["items"]
    assert served.as_user("carol", "GET", f"/api/sources/{source_id}/bytes").content == body
    served.drain()
    card = served.as_user("carol", "GET", f"/api/sources/{source_id}").json()["source"]
    assert card["ttl_policy"] == "keep_forever" and card["uri"] == "inbox:note/plans/tour.md"
    assert send(body, source="note").json()["unchanged"]
    assert send(b"# Other\n", source="note").status_code == 409
    assert send(b"# Tour\n\nIt begins at ten.\n", source="note", replace=True).json()["items"] == [source_id]
    for wrong in ("../x.md", "/etc/x", ".hidden", "a/../b", "x.part", "a\\b", "a\x00b", "a\nb"):
        assert send(body, name=wrong).status_code == 400, wrong
    assert send(b"").status_code == 422 and send(body, source="nothing").status_code == 400
    assert list(served.home.inbox.glob(f"*/{FOLDER}/*")) == []
    served.drain()


def test_a_text_is_ingested_with_its_file_name(served: Served) -> None:
    body = {"content": "# Tour\n\nThe ferry leaves at nine.", "filename": "tour.md", "options": {"maxChunkSize": 7}}
    made = served.as_user("dora", "POST", "/api/knowledge/pipeline/ingest", json=body)
    assert made.status_code == 200 and made.json()["chunks"] == 1 and "chunking.note" in made.json()["warnings"][0]
    for odd in ("Zm9v!", "für"):
        wrong = {"content": odd, "filename": "tour.md", "encoding": "base64"}
        refused = served.as_user("dora", "POST", "/api/knowledge/pipeline/ingest", json=wrong)
        assert (refused.status_code, refused.json()["detail"]) == (422, "the content is not base64")
    found = served.as_user(
        "dora", "POST", "/api/knowledge/pipeline/retrieve", json={"query": "ferry", "maxTokens": 200}
    )
    assert "The ferry leaves at nine." in found.json()["context"] and found.json()["totalTokens"] <= 200
    stats = served.as_user("dora", "GET", "/api/knowledge/pipeline/retrieval-stats").json()
    assert (stats["totalEmbeddings"], stats["totalEvidence"], sum(stats["bucketDistribution"].values())) == (1, 1, 1)
    note = served.as_user(
        "dora", "POST", "/api/notes", json={"entity": "Bo Li", "content": "Likes tea.", "class": "Person"}
    )
    assert note.json()["visible"]
    assert served.as_user("dora", "GET", "/api/notes?about=Bo").json()["notes"][0]["content"] == "Likes tea."
    status = served.as_user("dora", "GET", "/api/ingestion").json()
    assert (status["unfinished_days"], status["failures"], status["sources"]) == (0, [], 2)


def test_forgetting_takes_what_its_preview_showed(served: Served) -> None:
    text = "The combination of the safe is 4512."
    [kept, gone] = [
        served.as_user("gina", "POST", "/api/messages", json={"content": one}).json()
        for one in ("Tea is at four.", text)
    ]
    scope = {"kind": "source", "value": gone["source_id"]}
    shown = served.as_user("gina", "POST", "/api/forget/preview", json=scope).json()
    assert [one["source_id"] for one in shown["items"]] == [gone["source_id"]] and shown["total"] == 1
    assert served.as_user("gina", "POST", "/api/forget", json={**scope, "items": 2}).status_code == 409
    assert served.as_user("hana", "POST", "/api/forget/preview", json=scope).status_code == 404
    done = served.as_user("gina", "POST", "/api/forget", json={**scope, "items": 1}).json()["receipt"]
    assert done["complete"] and "4512" not in str(done)
    assert served.as_user("gina", "GET", f"/api/sources/{gone['source_id']}").status_code == 404
    assert "4512" not in served.as_user("gina", "POST", "/api/search", json={"query": "combination of the safe"}).text
    assert served.as_user("gina", "GET", f"/api/sources/{kept['source_id']}").status_code == 200
    assert served.as_user("gina", "GET", "/api/forget/receipts").json()["receipts"] == [done]


def test_health_tells_when_work_waits(served: Served) -> None:
    app: Any = served.client.app
    inner = app.server
    from brain_pipelines.server.routes.health import Watch

    watch = Watch(inner.home, inner.settings)
    before = watch.measure()
    path = inner.home.inbox / "frank" / "note" / "late.md"
    path.parent.mkdir(parents=True)
    path.write_text("# Late\n")
    from brain_pipelines.landing.inbox import FileState
    from brain_pipelines.landing.landing import open_landing

    space = inner.home.space("frank")
    with open_landing(space, inner.settings) as landing:
        landing.land(FileState.of(path, space.inbox), now=datetime.now(UTC) - timedelta(hours=3))
    after = watch.measure()
    assert after.waiting_days == before.waiting_days + 1 and 10_000 < after.oldest_waiting_seconds < 11_000
    assert "frank" not in served.client.get("/health").text


def test_attempts_and_names_and_drafts(tmp_path: Path) -> None:
    space, now = Home(tmp_path).space("alice").create(), datetime(2026, 1, 5, tzinfo=UTC)
    assert first_attempt(space, "k", b"a", now=now) == (now, False)
    assert first_attempt(space, "k", b"a", now=now + timedelta(hours=1)) == (now, True)
    with pytest.raises(ProblemError):
        first_attempt(space, "k", b"b", now=now)
    assert first_attempt(space, "k", b"b", now=now + KEPT + timedelta(seconds=1))[1] is False
    assert (space.root / "attempts.sqlite").read_bytes() != b"k" and checked_name("a/b c.md") == "a/b c.md"

    left = space.inbox / FOLDER / "dead"
    left.mkdir(parents=True)
    (left / "half.pdf").write_bytes(b"%PDF")
    with Draft(space, "x/whole.pdf") as draft:
        draft.write(b"abc")
        assert sweep(Home(tmp_path)) == 1 and draft.path.is_file() and not left.exists()
    assert os.listdir(space.inbox / FOLDER) == []


def test_mcp_reads_with_the_stores_that_are_open(served: Served) -> None:
    served.as_user("erin", "POST", "/api/messages", json=HELLO)
    call = {"name": "memory_search", "arguments": {"query": "door code of the archive"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accept = {"accept": "application/json, text/event-stream"}
    pool = cast("Any", served.client.app).server.pool
    opened = pool.brain("erin")
    for _ in range(2):
        answer = served.as_user("erin", "POST", "/mcp", json=body, headers=accept)
        assert "7731" in answer.json()["result"]["content"][0]["text"]
    assert pool.brain("erin") is opened and pool._opened["erin"].users == 0
    assert "7731" not in served.as_user("frank", "POST", "/mcp", json=body, headers=accept).text
