"""The examples of docs/clients.md do what they say, as they stand there: curl, Python, an agent through MCP."""

import json
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from brain_pipelines.server.app import create_app
from brain_pipelines.server.keys import Keys
from brain_retrieval.home import Home
from tests import fake_openai_replies as fake
from tests.fake_openai import FakeOpenAI
from tests.paths import ROOT
from tests.pipelines.server.http.conftest import settings_of

BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
MOST_LINES = 30  # of code


def examples() -> list[tuple[str, str]]:
    """Return the language and the code of each example of the page."""
    return BLOCK.findall((ROOT / "docs" / "clients.md").read_text("utf-8"))


@contextmanager
def listening(home: Home) -> Iterator[str]:
    """Yield the address of a server of `home` in a thread of this process."""
    config = uvicorn.Config(create_app(home, settings_of(home)), port=0, log_config=None, ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def test_examples_are_short() -> None:
    assert [language for language, _ in examples()] == ["bash", "python", "python"]
    for _, code in examples():
        assert len([line for line in code.splitlines() if line.strip() and not line.startswith("#")]) <= MOST_LINES


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    curl, python, agent = (code for _, code in examples())
    home = Home(tmp_path / "home")
    home.path.mkdir()
    monkeypatch.setenv("BRAIN_HOME", str(home.path))
    monkeypatch.setenv("DAGSTER_HOME", str(home.path / "dagster"))

    key, _ = Keys(home).create("alice", ("read", "write"))
    with listening(home) as address, FakeOpenAI() as model:
        environment = {"BRAIN": address, "KEY": key, "OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "k"}
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        done = subprocess.run(["bash", "-euc", curl], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert answers[0]["searchable"] and "Priya Raman" in answers[1]["hits"][0]["text"] and answers[2]["memories"]
        assert "30 March" in answers[3]["text"] and answers[6]["total"] == 1

        exec(compile(python, "python example", "exec"), {})
        shown = capsys.readouterr().out
        assert "holds: Priya Raman leads the launch of the booking page" in shown and "<retrieved_knowledge" in shown
        assert "'n': " in shown

        model.script(fake.Reply(edit=call_a_tool), fake.Reply(edit=say))
        exec(compile(agent, "agent example", "exec"), {})
        assert capsys.readouterr().out.endswith("Priya Raman does.\n")
        first, second = (request.body for request in model.requests)
    assert {"memory_search", "graph_search"} <= {tool["function"]["name"] for tool in first["tools"]}
    assert second["messages"][-1]["role"] == "tool" and "Priya Raman leads" in second["messages"][-1]["content"]


def call_a_tool(answer: dict[str, Any]) -> None:
    """Make an answer one that calls a tool."""
    asked = {"name": "memory_search", "arguments": json.dumps({"query": "who leads the launch", "limit": 1})}
    called = {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": asked}]}
    answer["choices"][0] |= {"message": called, "finish_reason": "tool_calls"}


def say(answer: dict[str, Any]) -> None:
    """Make an answer one in words."""
    said = {"role": "assistant", "content": "Priya Raman does."}
    answer["choices"][0] |= {"message": said, "finish_reason": "stop"}
