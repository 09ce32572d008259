"""Reader of agent transcripts: one JSON value or JSON lines → sessions."""

import json
from bisect import bisect_right
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any

from brain_pipelines.readers.agent.agent_blocks import parts_of
from brain_pipelines.readers.agent.agent_session import AgentSession, text_at, time_of, unwrapped
from brain_pipelines.readers.chat.chat_message import SESSION_KEYS
from brain_pipelines.readers.document.json_text import parse_json
from brain_retrieval.errors import BadInputError

MAX_REJECTED = 20
RESULT_KEYS = ("toolResults", "tool_results")


def read_agent_sessions(text: str, zone: tzinfo) -> list[AgentSession]:
    """Return the sessions of a decoded file, in the order of their beginning in it.

    Args:
        text: one JSON value, or JSON lines.
        zone: the user's, for times without an offset.

    Raises:
        BadInputError: if it holds neither a message nor a tool result.
    """
    try:
        sessions = _read(text, zone)
    except RecursionError:
        raise BadInputError("JSON nested too deeply") from None
    spoken = [session for session in sessions if session.turns]
    if not spoken:
        rejected = [reason for session in sessions for reason in session.rejected]
        raise BadInputError("; ".join(["no message or tool result in it", *rejected[:3]]))
    return spoken


def _read(text: str, zone: tzinfo) -> list[AgentSession]:
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except ValueError:
        return _from_lines(text, zone)
    entries = value if isinstance(value, list) and all(map(_is_whole, value)) else [value]
    found: dict[str, AgentSession] = {}
    for entry in entries:
        _from_whole(entry, found, zone)
    return list(found.values())


def _is_whole(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("messages"), list)


def _from_whole(value: Any, found: dict[str, AgentSession], zone: tzinfo) -> None:
    """Add a session that is one JSON value: messages, and tool results beside them."""
    outer = value if isinstance(value, Mapping) else {}
    inner = outer.get("raw_content")
    outer = {**outer, **(inner if isinstance(inner, Mapping) else {})}
    messages = outer.get("messages") if outer else value
    results = [result for key in RESULT_KEYS for result in _listed(outer.get(key))]
    alone = [outer] if outer and not results else []  # a transcript of one line
    messages = messages if isinstance(messages, list) else alone
    head = {key: one for key, one in outer.items() if key not in ("messages", *RESULT_KEYS)}
    session = found.setdefault(text_at(outer, *SESSION_KEYS), AgentSession(text_at(outer, *SESSION_KEYS)))
    session.learn(head)
    session.start = session.start or time_of(zone, outer)
    session.raw.append(json.dumps(value, sort_keys=True))
    for number, record in enumerate(_merged(messages, results, zone), 1):
        if isinstance(record, Mapping):
            session.add(record, zone)
        elif len(session.rejected) < MAX_REJECTED:
            session.rejected.append(f"message {number}: not an object")


def _merged(messages: list[Any], results: list[Any], zone: tzinfo) -> list[Any]:
    """Return the messages with each result after the message that called the tool, else by its time, else last."""
    asked: dict[str, int] = {}
    times: list[datetime] = []
    last = datetime.min.replace(tzinfo=UTC)
    for number, message in enumerate(messages):
        for part in parts_of(unwrapped(message)) if isinstance(message, Mapping) else ():
            if part.kind == "call" and part.call_id:
                asked[part.call_id] = number
        last = max(last, time_of(zone, message) or last)
        times.append(last)
    answers: dict[int, list[Any]] = {}
    others: dict[int, list[Any]] = {}
    for result in results:
        record = {**(result if isinstance(result, Mapping) else {"content": result}), "type": "tool_result"}
        (part,) = parts_of(record)
        time = time_of(zone, record)
        by_time = bisect_right(times, time) - 1 if time else len(messages) - 1
        if part.call_id in asked:
            answers.setdefault(asked[part.call_id], []).append(record)
        else:
            others.setdefault(by_time, []).append(record)
    merged = others.get(-1, [])
    for number, message in enumerate(messages):
        merged += [message, *answers.get(number, []), *others.get(number, [])]
    return merged


def _from_lines(text: str, zone: tzinfo) -> list[AgentSession]:
    found: dict[str, AgentSession] = {}
    current, position = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip().removeprefix("\ufeff")
        if bare:
            start = position + line.find(bare)
            try:
                record = parse_json(bare)
                problem = "" if isinstance(record, Mapping) else "not an object"
            except BadInputError as error:
                record, problem = {}, str(error)
            current = (text_at(record, *SESSION_KEYS) if not problem else "") or current
            if current and "" in found and current not in found:  # a title may stand before the session is named
                found[current] = found.pop("")
                found[current].session_id = current
            session = found.setdefault(current, AgentSession(current))
            session.raw.append(bare)
            if not problem:
                session.add(record, zone, (start, start + len(bare)))
            elif len(session.rejected) < MAX_REJECTED:
                session.rejected.append(f"line {number}: {problem}")
        position += len(line) + 1
    return list(found.values())


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
