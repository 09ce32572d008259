"""agent-output: sessions of agents with their tool results, as one JSON value or as a transcript in JSON lines.

A session is an item, on the day it began; its id is the fragment. Long tool results are shortened to their beginning
and end with the number of characters between; thinking and system prompts are left out and counted.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any

from brain_pipelines.readers.agent.agent_file import read_agent_sessions
from brain_pipelines.readers.agent.agent_session import AgentSession
from brain_pipelines.readers.chat.same_file import SameFile, file_of
from brain_pipelines.readers.contract import Delivery, Issue, Item, Reading, ReadResult
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.event_time import FUTURE_SLACK, from_outside
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.sources.conversation import MAX_AUTHORS, fragment_of
from brain_pipelines.sources.result import title_of_name, to_result
from brain_pipelines.sources.source import Source
from brain_retrieval.errors import BadInputError
from brain_retrieval.ids import content_id
from brain_retrieval.settings import ChunkingConfig, Limits

_TEXTS = ("json", "jsonl", "text", "markdown")  # JSON lines with a broken first line are detected as text
TITLE_CHARS = 80
# Record types that occur only in transcripts of agents.
_AGENT_TYPES = re.compile(rb'"type"\s*:\s*"(?:tool_use|tool_result|function_call|function_call_output|response_item)"')
# Fields of a line, both of which only agents in a folder write: their sessions may have used no tool.
_FOLDER = re.compile(rb'"cwd"\s*:\s*"')
_SESSION = re.compile(rb'"session_?[iI]d"\s*:\s*"')


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return one item per session, on the day it began; the whole file as one item if it cannot be read."""
    outside = from_outside(delivery, zone)
    given = delivery.event_time.astimezone(UTC) if delivery.event_time else None
    try:
        sessions = _sessions(delivery.path, zone, limits)
    except Exception:  # the file still lands; the read stage reports what is wrong with it
        return [Item("", given, "given")] if given else [Item("", *outside)]
    items = []
    for fragment, session in sessions.items():
        began = session.event_at
        trusted = began and began <= delivery.received_at + FUTURE_SLACK
        event_at, origin = (given, "given") if given else (began, "content") if began and trusted else outside
        items.append(Item(fragment, event_at, origin, session.digest))
    return items


def _sessions(path: Path, zone: tzinfo, limits: Limits) -> dict[str, AgentSession]:
    detected = detect_format(path)
    if detected.name not in (*_TEXTS, "empty"):
        raise BadInputError(f"it is {detected.label}, not the session of an agent in JSON or JSON lines")
    sessions = read_agent_sessions(read_decoded(path, limits).text, zone)
    return {fragment_of(session.session_id): session for session in sessions}


@lru_cache(maxsize=1)
def _sessions_once(file: SameFile, zone: tzinfo, limits: Limits) -> dict[str, AgentSession]:
    # The items of one file are read one after the other, so the file is parsed only once.
    return _sessions(file.path, zone, limits)


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the turns of one session, "Speaker: text" each.

    Raises:
        BadInputError: if the file holds no session, or no such session.
    """
    sessions = _sessions_once(file_of(raw_row, path), reading.zone, reading.limits)
    session = sessions.get(raw_row["item"])
    if session is None:
        raise BadInputError(f"the session {raw_row['item']!r} is not in the file any more; land it again")
    result = to_result(raw_row, _extract(session, raw_row), separator="\n")
    result.issues.extend(Issue(raw_row["source_id"], raw_row["uri"], r, "rejected") for r in session.rejected)
    return result


def _extract(session: AgentSession, raw_row: dict[str, Any]) -> Extracted:
    speakers = list(dict.fromkeys(turn.speaker for turn in session.turns))
    authors = [name for name in speakers if not name.startswith("tool")][:MAX_AUTHORS]
    latest = raw_row["received_at"] + FUTURE_SLACK
    return Extracted(
        raw_row["format"],
        list(_blocks(session, raw_row["event_at"], latest)),
        session.title or _title(session) or title_of_name(raw_row["name"]),
        authors,
        participants=authors,
        attributes=session.attributes,
    )


def _blocks(session: AgentSession, began: datetime, latest: datetime) -> Iterator[Block]:
    time = began
    for number, turn in enumerate(session.turns):
        time = turn.time if turn.time and turn.time <= latest else time
        yield Block(
            f"{turn.speaker}: {turn.text}",
            "message",
            turn.raw_start,
            turn.raw_end,
            message_id=turn.message_id or content_id("message", session.session_id, number, turn.speaker, turn.text),
            speaker=turn.speaker,
            time=time,
        )


def _title(session: AgentSession) -> str:
    """Return the first line of the first request to the agent, at most TITLE_CHARS characters."""
    asked = next((turn.text for turn in session.turns if turn.speaker in ("user", "human")), session.turns[0].text)
    line = " ".join(asked.split("\n", 1)[0].split())
    return line if len(line) <= TITLE_CHARS else line[:TITLE_CHARS].rsplit(" ", 1)[0] + " …"


def _is_of_agent(head: bytes) -> bool:
    """Return whether the first lines of a file are those of an agent's session."""
    return _AGENT_TYPES.search(head) is not None or bool(_FOLDER.search(head) and _SESSION.search(head))


SOURCE = Source(
    name="agent-output",
    context_type="session",
    description="Sessions of agents with the results of their tools.",
    suffixes=(".json", ".jsonl"),
    formats=("json", "jsonl"),
    locate=locate,
    read=read,
    chunking=ChunkingConfig(strategy="semantic", max_size=512, overlap=50, min_size=100),
    json_types=("agent_output",),
    claims=lambda _path, detected, head: detected == "jsonl" and _is_of_agent(head),
    aliases=("agent_output", "session"),
)
