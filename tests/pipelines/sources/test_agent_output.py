"""agent-output: sessions in the transcript formats of tools, shortened results, reports on omissions."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from brain_pipelines.readers.agent.agent_blocks import HEAD_CHARS, TAIL_CHARS
from brain_pipelines.sources.choice import choose_source
from tests.samples.taking import MTIME, Taken, take, take_one

AT = "2026-01-05T10:00:0{}Z"


def write(tmp_path: Path, *records: Any, lines: bool = True) -> Path:
    path = tmp_path / ("session.jsonl" if lines else "session.json")
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records), errors="replace")
    return path


def attributes(taken: Taken) -> dict[str, Any]:
    assert taken.document is not None, taken.refusal
    return json.loads(taken.document["attributes"])


def blocks(kind: str) -> list[dict[str, Any]]:
    """Return the records of the same session in the format of the tool `kind`."""
    if kind == "anthropic":
        return [
            {"sessionId": "s", "type": "user", "uuid": "a", "timestamp": AT.format(0), "cwd": "/p",
             "message": {"role": "user", "content": "List the files."}},
            {"sessionId": "s", "type": "assistant", "uuid": "b", "timestamp": AT.format(1),
             "message": {"role": "assistant", "model": "m", "content": [
                 {"type": "thinking", "thinking": "Hmm, secret."}, {"type": "text", "text": "I look."},
                 {"type": "tool_use", "id": "t", "name": "ls", "input": {"path": "."}}]}},
            {"sessionId": "s", "type": "user", "uuid": "c", "timestamp": AT.format(2),
             "message": {"role": "user", "content": [
                 {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "a.py"}]}]}},
            {"sessionId": "s", "type": "file-history-snapshot", "snapshot": {"text": "noise"}},
            {"sessionId": "s", "type": "assistant", "uuid": "d", "timestamp": AT.format(3),
             "message": {"role": "assistant", "content": "One file: a.py."}},
        ]  # fmt: skip
    if kind == "openai":
        call = {"id": "t", "type": "function", "function": {"name": "ls", "arguments": '{"path": "."}'}}
        return [
            {"session_id": "s", "role": "system", "content": "You are secret.", "cwd": "/p", "model": "m"},
            {"session_id": "s", "role": "user", "content": "List the files.", "timestamp": AT.format(0)},
            {"session_id": "s", "role": "assistant", "content": "I look.", "tool_calls": [call]},
            {"session_id": "s", "role": "tool", "tool_call_id": "t", "content": "a.py"},
            {"session_id": "s", "role": "assistant", "content": [{"type": "output_text", "text": "One file: a.py."}]},
        ]
    return [
        {"session_id": "s", "type": "session_meta", "payload": {"cwd": "/p", "model": "m"}, "timestamp": AT.format(0)},
        {"type": "response_item", "timestamp": AT.format(0),
         "payload": {"type": "message", "role": "user", "content": [{"type": "text", "text": "List the files."}]}},
        {"type": "response_item", "payload": {"type": "reasoning", "summary": [{"text": "secret"}]}},
        {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": "I look."}},
        {"type": "response_item",
         "payload": {"type": "function_call", "name": "ls", "call_id": "t", "arguments": '{"path": "."}'}},
        {"type": "event_msg", "payload": {"type": "agent_message", "message": "I look."}},
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "t", "output": "a.py"}},
        {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": "One file: a.py."}},
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["anthropic", "openai", "responses"])
def test_all_transcript_formats_give_the_same_session(tmp_path: Path, kind: str) -> None:
    taken = take_one("agent-output", write(tmp_path, *blocks(kind)))
    said = taken.text.split("\n")
    assert "secret" not in taken.text and "noise" not in taken.text
    assert [said[0], *said[-2:]] == ["user: List the files.", "tool ls: a.py", "assistant: One file: a.py."]
    assert taken.text.count("I look.") == 1 and '[tool call ls] {"path": "."}' in taken.text
    found = attributes(taken)
    assert (found["session_id"], found["tools"], found["cwd"], found["model"]) == ("s", {"ls": 1}, "/p", "m")
    assert found["left_out"] in ({"thinking": 1}, {"system": 1})
    assert (taken.item.fragment, taken.item.event_at) == ("s", datetime(2026, 1, 5, 10, tzinfo=UTC))


def test_one_value_with_results_beside_the_messages(tmp_path: Path) -> None:
    value = {
        "type": "agent_output", "sessionId": "s/1", "agentId": "coder",
        "messages": [
            {"role": "user", "content": "Go.", "timestamp": AT.format(0)},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "run", "input": {}}],
             "timestamp": AT.format(2)},
            {"role": "assistant", "content": "Done.", "timestamp": AT.format(6)},
        ],
        "toolResults": [
            {"toolName": "lint", "output": "clean", "timestamp": AT.format(4)},
            {"toolCallId": "t", "content": "exit 1", "isError": True, "timestamp": AT.format(7)},
            {"toolName": "last", "result": {"n": 1}},
        ],
    }  # fmt: skip
    taken = take_one("agent-output", write(tmp_path, value, lines=False))
    assert taken.text.split("\n") == [
        "user: Go.", "coder: [tool call run]", "tool run: [error] exit 1", "tool lint: clean", "coder: Done.",
        'tool last: {"n": 1}',
    ]  # fmt: skip
    found = attributes(taken)
    assert (found["agent_id"], found["tools"], found["tool_errors"]) == ("coder", {"last": 1, "lint": 1, "run": 1}, 1)
    assert taken.document and taken.document["participants"] == ["user", "coder"]
    assert taken.item.fragment == "s/1"


def test_long_result_is_shortened_with_the_number_of_characters(tmp_path: Path) -> None:
    whole = "A" * HEAD_CHARS + "B" * 7777 + "C" * TAIL_CHARS
    taken = take_one("agent-output", write(tmp_path, {"role": "tool", "name": "cat", "content": whole}))
    assert taken.text == f"tool cat: {'A' * HEAD_CHARS}\n[… 7777 characters left out …]\n{'C' * TAIL_CHARS}"
    almost = "A" * (HEAD_CHARS + TAIL_CHARS + 1)
    taken = take_one("agent-output", write(tmp_path, {"role": "tool", "name": "cat", "content": almost}))
    assert taken.text == f"tool cat: {almost}"


def test_turns_have_the_spans_of_their_lines(tmp_path: Path) -> None:
    path = write(tmp_path, *blocks("anthropic"))
    taken, raw = take_one("agent-output", path), path.read_text()
    result = next(s for s in taken.segments if s["speaker"] == "tool ls")
    assert json.loads(raw[result["raw_start"] : result["raw_end"]])["uuid"] == "c" == result["message_id"]
    assert len({s["message_id"] for s in taken.segments}) == len(taken.segments)


def test_each_session_is_an_item_with_its_own_digest(tmp_path: Path) -> None:
    records = [{"session_id": s, "role": "user", "content": s, "timestamp": AT.format(n)} for n, s in enumerate("ab")]
    before = {t.item.fragment: t.item.digest for t in take("agent-output", write(tmp_path, *records))}
    records.append({"session_id": "b", "role": "assistant", "content": "more"})
    after = {t.item.fragment: t.item.digest for t in take("agent-output", write(tmp_path, *records))}
    assert set(before) == {"a", "b"} and before["a"] == after["a"] and before["b"] != after["b"]


def test_a_title_before_the_session_has_a_name_is_its_title(tmp_path: Path) -> None:
    path = write(tmp_path, {"type": "summary", "summary": "Files"}, *blocks("anthropic"))
    taken = take_one("agent-output", path)
    assert taken.document and (taken.document["title"], taken.item.fragment) == ("Files", "s")


def test_a_broken_line_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    taken = take_one("agent-output", write(tmp_path, *blocks("openai"), '{"half": ', "7"))
    assert len(taken.segments) == 4 and [reason[:7] for reason in taken.reasons] == ["line 6:", "line 7:"]


def test_a_future_time_does_not_move_the_session(tmp_path: Path) -> None:
    taken = take_one("agent-output", write(tmp_path, {"role": "user", "content": "x", "timestamp": "2031-01-05"}))
    assert taken.item.event_at == MTIME == taken.segments[0]["time"]


WRONG: list[Any] = [None, 7, -1e308, "x", "", [], {}, [[]], {"a": {}}, True, 10**400, "\ud800", [None, 3, [[]]]]
KEYS = "role content type message tool_calls timestamp uuid name sessionId toolResults is_error payload".split()


@pytest.mark.parametrize("key", KEYS)
def test_wrong_types_anywhere_do_not_crash(tmp_path: Path, key: str) -> None:
    good = {"role": "user", "content": "Good.", "timestamp": AT.format(0)}
    bad = [{**good, "content": "Hm.", key: wrong} for wrong in WRONG]
    results = [{"toolName": "t", "result": "r", key: wrong} for wrong in WRONG]
    for path in (
        write(tmp_path, *WRONG, *bad, good),
        write(tmp_path, {"messages": [*WRONG, *bad, good], "toolResults": [*WRONG, *results]}, lines=False),
    ):
        assert any("user: Good." in t.text for t in take("agent-output", path) if not t.refusal)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"messages": [{"role": "user", "content": ' + "[" * 990 + "]" * 990 + "}]}", "nested too deeply"),
        ('{"role": "user", "content": ' + "9" * 10_000 + "}", "not valid JSON"),
        ('{"messages": []}', "no message or tool result"),
        ("", "empty file"),
        ("\x89PNG\r\n\x1a\n", "PNG"),
    ],
)
def test_hostile_files_are_refused_with_a_reason(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content.encode("latin-1"))
    assert reason in take_one("agent-output", path).refusal


def test_many_results_take_linear_time(tmp_path: Path) -> None:
    calls = [{"type": "tool_use", "id": f"c{n}", "name": "t", "input": {}} for n in range(4000)]
    value = {
        "messages": [{"role": "assistant", "content": [call]} for call in calls],
        "toolResults": [{"toolCallId": f"c{n}", "result": f"r{n}"} for n in reversed(range(4000))],
    }
    taken = take_one("agent-output", write(tmp_path, value, lines=False))
    assert [s["speaker"] for s in taken.segments[:4]] == ["assistant", "tool t", "assistant", "tool t"]
    assert len(taken.segments) == 8000


def test_a_session_in_a_folder_is_an_agents_also_without_tools(tmp_path: Path) -> None:
    said = {"type": "user", "message": {"role": "user", "content": "Rename it."}, "timestamp": AT.format(0)}
    folder = {"sessionId": "s1", "cwd": "/srv/tide-table"}
    in_folder = write(tmp_path, said | folder, said | folder)
    assert choose_source(in_folder) == "agent-output"
    talk = write(tmp_path, said | {"sessionId": "s1"}, said | {"sessionId": "s1"})
    assert choose_source(talk) == "conversation"
