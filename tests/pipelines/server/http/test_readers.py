"""Processes that read, and the one that writes: whose stores they open, and what happens when one is killed.

Commands of the same home are answered by them too.
"""

import asyncio
import gc
import json
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from brain_pipelines.commands.app import app as command
from brain_pipelines.commands.app import main
from brain_pipelines.commands.shell import warm
from brain_pipelines.commands.shell.running import run_command
from brain_pipelines.commands.shell.warm import answered_by_server, same_answers, without_home
from brain_pipelines.knowledge.forgetting import remembered_results
from brain_pipelines.knowledge.forgetting.remembered_results import drop_remembered
from brain_pipelines.server.app import create_app
from brain_pipelines.server.keys import Keys
from brain_pipelines.server.log import flush
from brain_pipelines.server.mcp.crawl_tool import knowledge_crawl
from brain_pipelines.server.mcp.memory import UserMemory
from brain_pipelines.server.mcp.writing import Refused, answered, write_apart
from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError
from brain_pipelines.server.reading import Job, Task
from brain_pipelines.server.sockets.commands import ASKER, Commands
from brain_pipelines.server.writer import NICE, Write, _lost, _sendable
from brain_pipelines.stages.remembered import REMEMBERED, Remembered
from brain_retrieval.errors import BrainError, UnknownUserError
from brain_retrieval.home import SERVE_SOCKET, Home
from tests.pipelines.server.http.conftest import LOCAL, Served, settings_of

SAME = "what answers depend on"  # here, as files of the packages may change while tests run


@pytest.fixture(scope="module")
def one_reader() -> Iterator[Served]:
    """A server with one reader, which also answers commands; its home has a path that a socket can have."""
    with tempfile.TemporaryDirectory(prefix="b-", dir=tempfile.gettempdir()) as folder:
        home = Home(Path(folder).resolve())
        app = create_app(home, settings_of(home, workers=1), Commands(partial(run_command, main), SAME))
        with TestClient(app, LOCAL, raise_server_exceptions=False) as client:
            until(lambda: client.get("/health").json()["readers"] == 1)
            yield Served(home, client, {})


def until(true: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def pids(served: Served) -> list[int]:
    """Return the process ids of the readers."""
    app: Any = served.client.app
    return [one.pid for one in app.server.readers._all]


def test_a_reader_reads_for_the_user_of_the_key_alone(one_reader: Served) -> None:
    for user in ("alice", "bob"):
        one_reader.as_user(user, "GET", "/api/notes")
    found = one_reader.as_user("alice", "GET", "/api/ingestion").json()
    assert (found["files"], found["queued"]) == (0, 0)
    missing = one_reader.as_user("bob", "GET", "/api/sources/source_1")
    assert missing.status_code == 404 and missing.headers["content-type"] == "application/problem+json"
    wrong = one_reader.as_user("bob", "POST", "/api/search", json={"query": "x", "as_of": "never"})
    assert (wrong.status_code, wrong.json()["exit_code"]) == (400, 2)
    app: Any = one_reader.client.app
    assert {user for one in app.server.readers._all for user in one.users} == {"alice", "bob"}
    key, stored = Keys(one_reader.home).create("alice", ("read",))
    auth = {"Authorization": f"Bearer {key}"}
    assert one_reader.client.get("/api/notes", headers=auth).status_code == 200
    Keys(one_reader.home).revoke("alice", stored.key_id)
    assert one_reader.client.get("/api/notes", headers=auth).status_code == 401


def _of_a_test(opened: Opened) -> str:
    return opened.user


def test_only_functions_of_a_module_are_sent() -> None:
    def inner(opened: Opened) -> str:
        return opened.user

    assert Job("alice", 0, "", _of_a_test, ()).call is _of_a_test
    for call in (inner, lambda opened: opened.user):
        with pytest.raises(TypeError, match="no function of a module"):
            Job("alice", 0, "", call, ())
        with pytest.raises(TypeError, match="no function of a module"):
            Write("alice", call)


def test_garbage_is_not_looked_for_among_what_is_loaded(one_reader: Served) -> None:
    app: Any = one_reader.client.app
    assert one_reader.client.portal is not None
    found = one_reader.client.portal.call(app.server.readers.read, ASKER, Task(gc.get_freeze_count, ()))
    assert int(found.body) > 50_000


def test_what_changes_stores_runs_in_a_process_of_lower_priority(one_reader: Served) -> None:
    app: Any = one_reader.client.app
    writer = app.server.writer
    unknown = {"kind": "source", "value": "note/nothing.md"}
    missing = one_reader.as_user("alice", "POST", "/api/forget/preview", json=unknown)
    assert (missing.status_code, missing.json()["exit_code"]) == (404, 3)  # as if it had been raised here
    pid = writer._process._process.pid
    priorities = [os.getpriority(os.PRIO_PROCESS, one) for one in (pid, os.getpid())]
    assert priorities[0] == min(priorities[1] + NICE, 19) and pid not in (os.getpid(), *pids(one_reader))

    with pytest.raises(ProblemError, match="unexpected error"):
        writer.run(Write("alice", copy))  # returns its first argument, which holds threads and cannot be sent
    os.kill(pid, signal.SIGSTOP)
    with ThreadPoolExecutor() as threads:
        asked = threads.submit(one_reader.as_user, "alice", "GET", "/api/forget/receipts")
        until(lambda: len(writer._process._waiting) == 1)
        os.kill(pid, signal.SIGKILL)
        assert (asked.result().status_code, asked.result().headers["Retry-After"]) == (503, "2")
    assert one_reader.as_user("alice", "GET", "/api/forget/receipts").json()["total"] == 0
    assert writer._process._process.pid != pid


def test_tools_of_agents_write_there_too(one_reader: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    app: Any = one_reader.client.app
    run, jobs = app.server.writer.run, []

    def called(name: str, arguments: dict[str, Any]) -> str:
        params = {"name": name, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        accept = {"accept": "application/json, text/event-stream"}
        result = one_reader.as_user("alice", "POST", "/mcp", json=body, headers=accept).json()["result"]
        return f"{result['isError']} {result['content'][0]['text']}"

    def counted(job: Write) -> Any:
        jobs.append((job.user, job.call, job.arguments[0], job.aside))
        return run(job)

    monkeypatch.setattr(app.server.writer, "run", counted)
    address = {"url": "ftp://example.org/"}
    here = answered(knowledge_crawl, UserMemory(one_reader.home, "alice"), address)
    assert isinstance(here, Refused)
    assert called("knowledge_crawl", address) == f"True Error executing tool knowledge_crawl: {here.said}"
    monkeypatch.setattr(app.server.writer, "run", lambda job: counted(job) if job.aside else _lose(job))
    store = {"category": "fact", "content": "x"}
    assert "send it again" in called("memory_store", store)
    assert jobs == [("alice", write_apart, "knowledge_crawl", True)]


def _lose(job: Write) -> None:
    raise _lost()


def test_errors_reach_the_other_process() -> None:
    class OddError(BrainError):
        exit_code = 3

        def __init__(self, first: str, second: str) -> None:
            super().__init__(f"{first} {second}")

    known = _sendable(UnknownUserError("there is no alice"))
    assert isinstance(known, UnknownUserError) and str(known) == "there is no alice"
    odd = _sendable(OddError("no", "bob"))
    assert isinstance(odd, ProblemError) and (odd.status_code, odd.detail) == (404, "no bob")


def test_a_killed_reader_is_replaced_and_no_request_fails(one_reader: Served) -> None:
    (before,) = pids(one_reader)
    os.kill(before, signal.SIGKILL)
    assert one_reader.as_user("alice", "GET", "/api/notes").status_code == 200
    until(lambda: pids(one_reader) not in ([], [before]))
    assert one_reader.as_user("alice", "GET", "/api/notes").status_code == 200


def test_a_reader_of_a_cancelled_request_is_replaced(one_reader: Served) -> None:
    app: Any = one_reader.client.app
    portal = one_reader.client.portal
    assert portal is not None
    until(lambda: len(app.server.readers._idle) == 1)
    before = pids(one_reader)

    async def cancelled() -> bool:
        asked = asyncio.ensure_future(app.server.readers.read(ASKER, Task(time.sleep, (600.0,))))
        while app.server.readers._idle:
            await asyncio.sleep(0.01)
        asked.cancel()
        return isinstance((await asyncio.gather(asked, return_exceptions=True))[0], asyncio.CancelledError)

    assert portal.call(cancelled)
    until(lambda: len(app.server.readers._idle) == 1)
    assert pids(one_reader) != before
    assert one_reader.as_user("alice", "GET", "/api/notes").status_code == 200


def test_what_is_forgotten_elsewhere_is_dropped(one_reader: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server of a test runs in the same process, so only what the message to it does is looked at."""
    monkeypatch.setattr(remembered_results, "REMEMBERED", Remembered())
    monkeypatch.setattr(remembered_results, "SECONDS", 600.0)
    REMEMBERED.results("length", [{"text": "ab"}], lambda rows: [len(row["text"]) for row in rows])
    assert len(REMEMBERED) > 0
    drop_remembered(Home(one_reader.home.path / "another"))
    assert len(REMEMBERED) > 0
    drop_remembered(one_reader.home)
    assert len(REMEMBERED) == 0


def test_commands_print_the_same(
    one_reader: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = str(one_reader.home.path)
    one_reader.auth("alice")
    app: Any = one_reader.client.app
    portal = one_reader.client.portal
    assert portal is not None
    monkeypatch.setattr(warm, "same_answers", lambda: SAME)
    for name in ("CONNECT_SECONDS", "ANSWER_SECONDS"):  # also on a machine with much other work
        monkeypatch.setattr(warm, name, 600.0)
    for name in ("COLUMNS", "LINES"):
        monkeypatch.setenv(name, "100")
    for arguments in (["status"], ["status", "--json"], ["search", "x", "--user", "nobody", "--json"], ["ask"]):
        sent = [*arguments, "--home", home]
        code, printed = answered_by_server(sent), capsys.readouterr().out
        terminal = {"COLUMNS": "100", "LINES": "100"}
        asked = {"arguments": arguments, "home": home, "interactive": [False, False], "terminal": terminal}
        found = portal.call(app.server.readers.read, ASKER, Task(run_command, (main, asked)))
        flush(60)  # the server's log goes to the standard error of this process
        alone = CliRunner().invoke(command, sent)
        assert (code, printed) == (alone.exit_code, alone.stdout), arguments
        errors = "".join(text for stream, text in json.loads(found.body)["printed"] if stream == 2)
        assert errors == alone.stderr, arguments


def test_what_it_would_answer_differently_is_declined(one_reader: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    path = one_reader.home.path
    monkeypatch.setattr(warm, "same_answers", lambda: SAME)
    assert answered_by_server(["ingest", "x", "--home", str(path)]) is None
    assert answered_by_server(["search", "--image", "x.png", "--home", str(path)]) is None
    assert run_command(main, {"arguments": ["ingest", "x"]}) == {"declined": True}
    assert answered_by_server(["status", "--home", str(path / "users")]) is None
    (path / "inbox").mkdir(exist_ok=True)
    (path / "inbox" / SERVE_SOCKET).symlink_to(path / SERVE_SOCKET)  # the socket of another home
    assert answered_by_server(["status", "--home", str(path / "inbox")]) is None
    monkeypatch.setattr(warm, "same_answers", lambda: "another environment")
    assert answered_by_server(["status", "--home", str(path)]) is None
    assert (path / SERVE_SOCKET).stat().st_mode & 0o077 == 0


def test_the_environment_counts_but_not_which_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "_newest", lambda: (1, 1))
    before = same_answers()
    monkeypatch.setenv("BRAIN_HOME", "/elsewhere")
    assert same_answers() == before
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert same_answers() != before


def test_the_home_is_read_from_the_arguments() -> None:
    assert without_home(["--home", "a", "ask", "x", "--home=b"]) == (["ask", "x"], "b")
    assert without_home(["ask", "--", "--home", "a"]) == (["ask", "--", "--home", "a"], None)
