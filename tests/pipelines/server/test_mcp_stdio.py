"""`brain mcp` as a process: a session with the SDK's client, nothing but protocol on standard output, start and end."""

import json
import os
import subprocess
import sys
from typing import Any

import anyio
import psutil
import pytest
from mcp import Client, StdioServerParameters
from typer.testing import CliRunner

from brain_pipelines.commands import app
from tests.paths import ROOT
from tests.pipelines.conftest import Bench
from tests.pipelines.server.conftest import text_of

COMMAND = ["-m", "brain_pipelines.commands.entry", "mcp", "--user", "alice"]
STARTED = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
MOST_CPU = 4.0  # seconds until `initialize` is answered, a fifth of that alone on a machine


def environment(home: object) -> dict[str, str]:
    return {**os.environ, "BRAIN_HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "default"}


def test_session_with_the_client_of_the_sdk(served_template: Bench) -> None:
    home = served_template.home.path
    server = StdioServerParameters(
        command=sys.executable, args=[*COMMAND, "--read-only"], env=environment(home), cwd=ROOT
    )
    wrong: list[Exception] = []  # lines that are no protocol

    async def watch(message: Any) -> None:
        if isinstance(message, Exception):
            wrong.append(message)

    async def session() -> None:
        async with Client(server, message_handler=watch) as client:
            assert len((await client.list_tools()).tools) == 12
            found = await client.call_tool("memory_search", {"query": "where does Bob Lee live", "limit": 2})
            assert "Lisbon" in text_of(found)
            read = await client.call_tool("memory_get", {"id": found.structured_content["items"][0]["id"]})
            listed = await client.read_resource("brain://sources")
            assert "Bob Lee" in text_of(read) and "brain://source/source_" in getattr(listed.contents[0], "text", "")
            assert (await client.call_tool("memory_get", {"id": "source_0"})).is_error

    anyio.run(session)
    assert wrong == []


def test_it_answers_at_once_and_ends_with_its_client(served_template: Bench) -> None:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = {"env": environment(served_template.home.path), "cwd": ROOT, "text": True}
    with subprocess.Popen([sys.executable, *COMMAND], **started, **pipes) as server:
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": STARTED}
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())["result"]
        used = psutil.Process(server.pid).cpu_times()
        assert answer["serverInfo"]["name"] == "brain" and "memory_search" in answer["instructions"]
        assert used.user + used.system < MOST_CPU
        server.stdin.close()  # what the system does when the client dies
        assert server.wait(timeout=120) == 0
        assert server.stdout.read() == "" and "Traceback" not in server.stderr.read()


@pytest.mark.parametrize("user", ["../bob", "", "A"])
def test_a_malformed_user_is_refused(bench: Bench, user: str) -> None:
    result = CliRunner().invoke(app.app, ["mcp", "--user", user])
    assert result.exit_code == 2 and result.stdout == "" and "user must be" in result.stderr
