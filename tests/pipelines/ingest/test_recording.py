"""Recording of live sessions: durable, once each, delivered at the end; hooks say nothing and stop nothing."""

import json
import os
import threading
from datetime import UTC
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from brain_pipelines.commands.agents.record import arriving_lines
from brain_pipelines.commands.app import app
from brain_pipelines.connectors.agent_recorder import SIGNIFICANT_CHARS, SPOOL, deliver_recent
from brain_pipelines.ingest.recording import LINE_BYTES, Recording, hook_events
from brain_pipelines.readers.agent.agent_file import read_agent_sessions

AT = "2026-01-05T10:00:00+00:00"
LINES = [
    {"session_id": "s", "role": "user", "content": "List the files.", "timestamp": AT},
    {"session_id": "s", "type": "tool_result", "tool": "ls", "result": "a.py", "timestamp": AT},
    {"session_id": "s", "role": "assistant", "content": "One file: a.py.", "timestamp": AT},
    {"session_id": "s", "type": "session_end", "timestamp": AT},
]


def record(*options: str, text: str) -> Result:
    return CliRunner().invoke(app, ["record", "--user", "alice", *options], input=text)


def lines(*records: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in records)


def spooled(bench) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted((bench.space().root / SPOOL).glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]


def test_an_ended_session_becomes_a_source_and_repeated_lines_change_nothing(bench) -> None:
    done = record("--agent", "coder", text=lines(*LINES))
    assert done.exit_code == 0 and done.stdout == "4 lines of 1 session recorded; 1 delivered\n"
    (target,) = (bench.space().inbox / "agent-output").iterdir()
    before = target.read_bytes()
    again = json.loads(record("--agent", "coder", "--json", text=lines(*LINES)).stdout)
    assert (again["recorded"], again["repeated"], again["delivered"]) == (0, 4, [])
    assert target.read_bytes() == before
    (session,) = read_agent_sessions(before.decode(), UTC)
    assert [(turn.speaker, turn.text) for turn in session.turns] == [
        ("user", "List the files."),
        ("tool ls", "a.py"),
        ("coder", "One file: a.py."),
    ]


def test_lines_are_the_same_session_from_several_processes(bench) -> None:
    first, second = (Recording(bench.home, "alice", session="s") for _ in range(2))
    first.add([{"event_id": "1", "role": "user", "content": "one"}])
    second.add(
        [{"event_id": "1", "role": "user", "content": "one"}, {"event_id": "2", "role": "user", "content": "two"}]
    )
    first.add([{"event_id": 2, "role": "user", "content": "two"}, {"role": "user", "content": "two"}])
    assert [line["content"] for line in spooled(bench)] == ["one", "two", "two"]  # the last has no id
    assert (first.result.recorded, first.result.repeated, second.result.repeated) == (2, 1, 1)


def test_a_forgotten_session_is_recorded_from_its_beginning(bench) -> None:
    recording = Recording(bench.home, "alice", session="s")
    recording.add([{"event_id": "1", "role": "user", "content": "one"}])
    for path in (bench.space().root / SPOOL).iterdir():
        path.unlink()
    recording.add([{"event_id": "1", "role": "user", "content": "one"}])
    assert len(spooled(bench)) == 1


def test_what_is_no_line_is_refused_and_the_rest_is_recorded(bench) -> None:
    huge = '{"content": "' + "x" * LINE_BYTES + '"}'
    text = "\n".join(["nonsense", "[1]", '{"role": "user", "content": "no session"}', huge, "", lines(LINES[0])])
    done = record(text=text)
    assert done.exit_code == 1 and done.stdout.startswith("1 lines of 1 session recorded; 1 delivered")
    assert [done.stdout.count(said) for said in ("not JSON", "not a JSON object", "without session_id", "limit")] == [
        1
    ] * 4
    assert record("--session", "s", text='{"role": "user", "content": "x"}').exit_code == 0
    assert CliRunner().invoke(app, ["record", "--user", "../bob"], input=lines(LINES[0])).exit_code == 2


def test_lines_are_taken_while_the_sender_goes_on(bench) -> None:
    reading, writing = os.pipe()
    recording, arriving = Recording(bench.home, "alice"), arriving_lines(reading)
    os.write(writing, lines(LINES[0]).encode() + b'{"half')
    recording.add_text(next(arriving))
    assert [line["content"] for line in spooled(bench)] == ["List the files."]
    assert len(deliver_recent(bench.home)) == 1  # what a schedule finds if this process is killed now
    os.write(writing, b'": 1, "session_id": "s"}')
    os.close(writing)
    recording.add_text(next(arriving))
    assert next(arriving, None) is None and spooled(bench)[1]["half"] == 1
    os.close(reading)


def test_an_endless_line_is_refused_without_being_held(bench) -> None:
    reading, writing = os.pipe()
    sender = threading.Thread(
        target=lambda: (
            [os.write(writing, b"x" * (1 << 20)) for _ in range(10)]
            and os.write(writing, b"\n" + lines(LINES[0]).encode())
            and os.close(writing)
        )
    )
    sender.start()
    recording = Recording(bench.home, "alice")
    for found in arriving_lines(reading):
        assert sum(map(len, found)) < LINE_BYTES + (1 << 20)
        recording.add_text(found)
    sender.join()
    os.close(reading)
    assert (recording.result.recorded, recording.result.refused_count) == (1, 1)


HOOKS: list[tuple[dict[str, Any], list[tuple[str, Any]]]] = [
    ({"hook_event_name": "UserPromptSubmit", "prompt": "Go."}, [("user", "Go.")]),
    ({"hook_event_name": "Stop", "last_assistant_message": "Done."}, [("assistant", "Done.")]),
    ({"hook_event_name": "Stop", "stop_hook_active": False}, []),
    ({"hook_event_name": "SessionStart", "source": "startup"}, []),
    ({"hook_event_name": "SessionEnd", "reason": "other"}, [("session_end", None)]),
]


@pytest.mark.parametrize(("event", "expected"), HOOKS)
def test_events_of_hooks_become_lines(event: dict[str, Any], expected: list[tuple[str, Any]]) -> None:
    found = hook_events({"session_id": "s", "cwd": "/p", **event})
    assert [(one.get("role", one["type"]), one.get("content")) for one in found] == expected
    assert all(one["session_id"] == "s" for one in found)


def test_a_tool_call_of_a_hook_is_recorded_once_with_its_result(bench) -> None:
    event = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t1"}
    event |= {"tool_input": {"command": "ls"}, "tool_response": "a.py" * SIGNIFICANT_CHARS}
    for _ in range(2):  # the hook is set up for the user and for the project
        done = record("--hook", text=json.dumps(event))
        assert (done.exit_code, done.output) == (0, "")
    assert [line["type"] for line in spooled(bench)] == ["message", "tool_result"]
    assert len(list((bench.space().inbox / "agent-output").iterdir())) == 1  # significant


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"hook_event_name": "UserPromptSubmit", "prompt": "x"}'])
def test_a_hook_never_stops_the_agent(bench, text: str) -> None:
    done = record("--hook", text=text)
    assert done.exit_code == 1 and done.stdout == "" and "not recorded" in done.stderr
    assert "char 0" not in done.stderr
    assert CliRunner().invoke(app, ["record", "--hook", "--user", "NO"], input=text).exit_code == 1
