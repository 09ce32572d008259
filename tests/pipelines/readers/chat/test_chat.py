"""Parsing of chat exports of common tools into sessions of messages."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_pipelines.readers.chat.chat import place_in_time, read_sessions
from brain_pipelines.readers.chat.chat_message import NotAMessageError, read_message
from brain_retrieval.errors import BadInputError

LATEST = datetime(2026, 3, 2, tzinfo=UTC)


def sessions(value: Any):
    return read_sessions(value if isinstance(value, str) else json.dumps(value), UTC, latest=LATEST)


def turns(value: Any) -> dict[str, list[str]]:
    return {s.key: [f"{m.speaker}: {m.text}" for m in s.messages] for s in sessions(value)}


def node(key: str, parent: str | None, role: str, text: str, at: float | None = None) -> dict[str, Any]:
    message = {"author": {"role": role}, "create_time": at, "content": {"content_type": "text", "parts": [text]}}
    return {"id": key, "parent": parent, "message": message if text else None}


CHATGPT = {
    "title": "Ovens",
    "conversation_id": "c-1",
    "create_time": 1767600000,
    "current_node": "d",
    "mapping": {
        "a": node("a", None, "system", ""),
        "b": node("b", "a", "user", "How hot?", 1767600001.5),
        "c": node("c", "b", "assistant", "An answer that was thrown away."),
        "d": node("d", "b", "assistant", "250 °C."),
    },
}
CLAUDE = {
    "uuid": "u-1",
    "name": "Ovens",
    "created_at": "2026-01-05T10:00:00Z",
    "chat_messages": [
        {"sender": "human", "text": "How hot?", "created_at": "2026-01-05T10:00:00Z"},
        {
            "sender": "assistant",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "250 °C."}],
        },
    ],
}
OPENAI = {
    "messages": [
        {"role": "user", "name": "ann", "content": "How hot?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": {"name": "look_up", "arguments": '{"q": "oven"}'}}],
        },
        {"role": "tool", "name": "look_up", "content": "250"},
    ]
}
LOCOMO = [
    {
        "sample_id": "conv-26",
        "conversation": {
            "speaker_a": "Caroline",
            "session_10": [{"speaker": "Caroline", "dia_id": "D10:1", "text": "Bye."}],
            "session_10_date_time": "1:14 pm on 25 May, 2023",
            "session_2": [{"speaker": "Melanie", "dia_id": "D2:1", "text": "Hi."}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_3": [],
        },
    }
]
AGENT = {
    "type": "user",
    "sessionId": "s-9",
    "timestamp": "2026-01-05T10:00:00Z",
    "message": {"role": "user", "content": "Go."},
}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([CHATGPT], {"c-1": ["user: How hot?", "assistant: 250 °C."]}),
        ([CLAUDE], {"u-1": ["human: How hot?", "assistant: 250 °C."]}),
        (OPENAI, {"": ["ann: How hot?", 'assistant: [tool call look_up] {"q": "oven"}', "tool look_up: 250"]}),
        (LOCOMO, {"conv-26/session_2": ["Melanie: Hi."], "conv-26/session_10": ["Caroline: Bye."]}),
        (LOCOMO[0]["conversation"], {"session_2": ["Melanie: Hi."], "session_10": ["Caroline: Bye."]}),
        ({"conversations": [CLAUDE]}, {"u-1": ["human: How hot?", "assistant: 250 °C."]}),
        (json.dumps(AGENT), {"s-9": ["user: Go."]}),
        ([{"speaker": "Ann", "text": "Hi."}], {"": ["Ann: Hi."]}),
        ({"id": "x", "conversations": [{"from": "human", "value": "Hi."}]}, {"x": ["human: Hi."]}),
    ],
)
def test_export_formats(value: Any, expected: dict[str, list[str]]) -> None:
    assert turns(value) == expected


def test_sessions_are_dated_by_their_first_message_or_their_own_date() -> None:
    assert [s.event_at for s in sessions([CHATGPT])] == [datetime(2026, 1, 5, 8, 0, 1, 500000, tzinfo=UTC)]
    assert [s.event_at for s in sessions(LOCOMO)] == [
        datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
        datetime(2023, 5, 25, 13, 14, tzinfo=UTC),
    ]
    assert sessions(OPENAI)[0].event_at is None


def test_each_line_may_be_a_whole_conversation() -> None:
    found = turns("\n".join(json.dumps({"messages": [{"role": "user", "content": text}]}) for text in ("One", "Two")))
    assert list(found.values()) == [["user: One"], ["user: Two"]] and len(found) == 2


@pytest.mark.parametrize("value", ["[" * 900 + "]" * 900, '{"content": ' + "[" * 900 + '"x"' + "]" * 900 + "}"])
def test_deep_nesting_is_refused(value: str) -> None:
    with pytest.raises(BadInputError, match=r"nested too deeply|no message"):
        sessions(value)


def test_conversations_with_equal_names_are_kept_separate() -> None:
    found = turns([CLAUDE, CLAUDE, {**CLAUDE, "uuid": "u-1~2"}])
    assert len(found) == 3


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("  text ", "text"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        (["a", {"type": "image_url", "image_url": {}}], "a\n[image_url]"),
        ([{"type": "tool_use", "name": "run", "input": {"x": 1}}], '[tool call run] {"x": 1}'),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "done"}]}], "[tool result] done"),
        ({"parts": ["a"]}, "a"),
        ({"text": "a"}, "a"),
    ],
)
def test_content_in_all_its_forms(content: Any, expected: str) -> None:
    assert read_message({"role": "user", "content": content}, UTC).text == expected


def test_tool_results_beside_the_content() -> None:
    value = {"role": "tool", "content": "", "tool_results": [{"name": "grep", "output": "3 hits"}, "raw"]}
    assert read_message(value, UTC).text == "[tool result grep] 3 hits\n[tool result] raw"


@pytest.mark.parametrize(
    ("value", "speaker"),
    [
        ({"speaker": "Ann", "role": "user"}, "Ann"),
        ({"author": {"name": "Ann", "role": "x"}}, "Ann"),
        ({"role": "tool", "name": "grep"}, "tool grep"),
        ({"from": "Ann\n Lee"}, "Ann Lee"),
        ({"speaker": "SPEAKER_01"}, "Speaker 1"),
        ({"speaker": 0}, "Speaker 0"),
        ({"role": ""}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_speaker_of_a_message(value: dict[str, Any], speaker: str) -> None:
    assert read_message({**value, "content": "x"}, UTC).speaker == speaker


@pytest.mark.parametrize("value", [None, 3, "text", [], {}, {"content": ""}, {"content": []}, {"role": "user"}])
def test_invalid_message_gives_a_reason(value: Any) -> None:
    with pytest.raises(NotAMessageError, match=r"\w"):
        read_message(value, UTC)


@pytest.mark.parametrize(
    "value", ["", "{}", "[]", "null", "[[]]", '{"mapping": {}}', '{"messages": []}', "[1, 2]", '"text"']
)
def test_a_file_without_messages_is_refused(value: str) -> None:
    with pytest.raises(BadInputError, match="no message in the file"):
        sessions(value)


def test_ids_are_given_or_follow_from_the_content() -> None:
    rows = [{"id": "m1", "speaker": "A", "content": "x"}, *[{"speaker": "A", "content": "x"}] * 3]
    text = "\n".join(json.dumps(row) for row in rows)
    fallback = datetime(2026, 1, 5, tzinfo=UTC)
    first, second = ([key for key, _, _ in place_in_time(sessions(text)[0], fallback)] for _ in range(2))
    assert first == second and first[0] == "m1" and len(set(first)) == 4


MESSAGES = st.fixed_dictionaries(
    {"content": st.text(max_size=20)},
    optional={
        "speaker": st.text(max_size=5),
        "session": st.sampled_from(["a", "b", "", "a~2"]),
        "timestamp": st.sampled_from(["2026-01-05T10:00:00Z", "2026-02-05", "2031-01-01", "soon", 0]),
        "id": st.integers(0, 3),
    },
)


@given(st.lists(MESSAGES | st.integers(), max_size=12))
def test_every_line_is_in_exactly_one_session(rows: list[Any]) -> None:
    text = "\n".join(json.dumps(row) for row in rows)
    try:
        found = sessions(text)
    except BadInputError:
        assert not any(isinstance(row, dict) and row["content"].strip() for row in rows)
        return
    messages = [m for s in found for m in s.messages]
    assert len({s.key for s in found}) == len(found)
    assert len(messages) == sum(isinstance(row, dict) and bool(row["content"].strip()) for row in rows)
    for session in found:
        times = [time for _, time, _ in place_in_time(session, LATEST)]
        assert len(times) == len(session.messages) and max(times) <= LATEST
    if len(rows) > 1:
        for message in messages:
            assert json.loads(text[message.raw_start : message.raw_end])["content"].strip() == message.text
