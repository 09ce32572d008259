"""Agent recorder: delivery triggers, no duplicates, and no acknowledged line lost by a kill."""

import json
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from brain_pipelines.connectors.agent_recorder import (
    SIGNIFICANT_CHARS,
    AgentRecorder,
    deliver_recent,
    is_significant,
    spool_name,
)
from brain_pipelines.definitions import build_defs
from brain_pipelines.orchestration.agent_batch import agent_batch
from brain_pipelines.orchestration.resources import BrainResource
from brain_retrieval.errors import InvalidUserError

AT = datetime(2026, 1, 5, 10, tzinfo=UTC)


def recorder(bench, session: str = "s", user: str = "alice") -> AgentRecorder:
    return AgentRecorder(bench.home, user, session, "coder", model="m", cwd="/p")


def inbox(bench, user: str = "alice") -> list[Path]:
    folder = bench.space(user).inbox / "agent-output"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_completed_session_is_delivered_once_and_read(bench) -> None:
    session = recorder(bench)
    session.message("user", "List the files.", timestamp=AT)
    assert session.tool_result("ls", "a.py", call_id="t", timestamp=AT) is None
    session.message("assistant", [{"type": "text", "text": "One file: a.py."}], timestamp=AT)
    assert inbox(bench) == []
    target = session.complete()
    assert target is not None and inbox(bench) == [target]
    bench.land(target)
    bench.run("alice", "agent-output")
    (text,) = bench.texts("alice", "agent-output").values()
    assert text == "user: List the files.\ntool ls: a.py\ncoder: One file: a.py."
    assert deliver_recent(bench.home) == []


@pytest.mark.parametrize(
    ("result", "error", "expected"),
    [
        ("x" * SIGNIFICANT_CHARS, False, True),
        ("x" * (SIGNIFICANT_CHARS - 1), False, False),
        ("", True, True),
        ({"n": 1}, False, True),
        ({}, False, False),
        (None, False, False),
        ([1], False, True),
    ],
)
def test_significant_tool_result_is_delivered_at_once(bench, result: Any, error: bool, expected: bool) -> None:
    assert is_significant(result, error=error) is expected
    assert (recorder(bench).tool_result("t", result, error=error, timestamp=AT) is not None) is expected
    assert len(inbox(bench)) == expected


def test_continued_session_replaces_its_file(bench) -> None:
    session = recorder(bench)
    session.message("user", "one", timestamp=AT)
    first = session.complete()
    recorder(bench).message("user", "two", timestamp=AT)  # another process, the same session
    (again,) = deliver_recent(bench.home, "alice")
    assert again == first and inbox(bench) == [first]
    said = [json.loads(line).get("content") for line in again.read_text().splitlines()]
    assert said == ["one", None, "two"]
    bench.land(again)
    bench.run("alice", "agent-output")
    assert list(bench.texts("alice", "agent-output").values()) == ["user: one\nuser: two"]


def test_users_and_sessions_are_isolated(bench) -> None:
    recorder(bench, user="alice").message("user", "mine", timestamp=AT)
    recorder(bench, user="bob").message("user", "his", timestamp=AT)
    recorder(bench, "S").message("user", "other", timestamp=AT)
    assert len(deliver_recent(bench.home, "bob")) == 1 and inbox(bench) == []
    assert len(deliver_recent(bench.home)) == 2
    assert "his" not in "".join(path.read_text() for path in inbox(bench))
    with pytest.raises(InvalidUserError):
        AgentRecorder(bench.home, "../bob", "s", "coder")
    with pytest.raises(ValueError, match="session_id"):
        recorder(bench, " ")


@pytest.mark.parametrize("session", ["../../etc", "a/b", ".hidden", "x" * 500, "日本", "a\0b"])
def test_session_id_cannot_escape_directory(session: str) -> None:
    name = spool_name(session, "coder")
    assert "/" not in name and "\0" not in name and not name.startswith(".") and len(name) < 100


VICTIM = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from brain_pipelines.connectors import agent_recorder as agents
from brain_retrieval.home import Home

def die(*_args, **_options):
    os.kill(os.getpid(), signal.SIGKILL)

moment = sys.argv[2]
session = agents.AgentRecorder(Home(Path(sys.argv[1])), "alice", "s", "coder")
session.message("user", "acknowledged", timestamp=datetime(2026, 1, 5, 10, tzinfo=UTC))
if moment == "in-a-line":
    with session.spool.open("ab") as file:
        file.write(b'{"type": "message", "role": "user", "content": "half')
elif moment == "in-delivery":
    agents._sync = die
    session.complete()
elif moment == "not-marked":
    Path.replace, original = (lambda self, target: die() if self.suffix == ".tmp" else original(self, target)), Path.replace
    session.complete()
die()
"""  # noqa: E501


@pytest.mark.parametrize("moment", ["before-delivery", "in-a-line", "in-delivery", "not-marked"])
def test_killed_recorder_neither_loses_nor_duplicates_lines(bench, moment: str) -> None:
    victim = subprocess.run([sys.executable, "-c", VICTIM, str(bench.home.path), moment], check=False)
    assert victim.returncode == -signal.SIGKILL
    (target,) = deliver_recent(bench.home)
    assert deliver_recent(bench.home) == [] and [p for p in inbox(bench) if not p.name.startswith(".")] == [target]
    recorder(bench).message("user", "afterwards", timestamp=AT)
    assert deliver_recent(bench.home) == [target]
    bench.land(target)
    bench.run("alice", "agent-output")
    assert list(bench.texts("alice", "agent-output").values()) == ["user: acknowledged\nuser: afterwards"]


def test_job_delivers_for_every_user_and_schedule_is_stopped(bench) -> None:
    for user in ("alice", "bob"):
        recorder(bench, user=user).message("user", user, timestamp=AT)
    resources = {"brain": BrainResource(home=str(bench.home.path))}
    with dg.DagsterInstance.ephemeral() as instance:
        assert agent_batch.execute_in_process(resources=resources, instance=instance).success
    assert len(inbox(bench, "alice")) == len(inbox(bench, "bob")) == 1
    schedule = build_defs(bench.home).resolve_schedule_def("agent_batch_every_ten_minutes")
    assert schedule.default_status == dg.DefaultScheduleStatus.STOPPED
