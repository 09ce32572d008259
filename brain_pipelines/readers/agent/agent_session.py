"""One session of an agent: records → turns. Files: `agent_file.py`; parts of a record: `agent_blocks.py`."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any

from brain_pipelines.readers.agent.agent_blocks import (
    CALLS,
    RESULTS,
    THINKING,
    Part,
    is_bare_result,
    parts_of,
    shortened,
)
from brain_pipelines.readers.chat.chat_message import ID_KEYS, MAX_SPEAKER, TIME_KEYS
from brain_pipelines.readers.event_time import parse_time
from brain_retrieval.ids import stable_hash

AGENT_KEYS = ("agentId", "agent_id", "agent", "agentName")
_SILENT = ("system", "developer")
_SPOKEN = ("user", "assistant", "human", "agent", "message", "agent_output", *CALLS, *RESULTS)


@dataclass(frozen=True)
class Turn:
    """A message or a tool result. `raw_start`/`raw_end` span its line in the decoded file."""

    speaker: str
    text: str
    time: datetime | None = None  # aware UTC
    message_id: str | None = None
    raw_start: int | None = None
    raw_end: int | None = None


@dataclass
class AgentSession:
    """One session. `tools` counts calls by tool name; `left_out` counts omitted parts (thinking, prompts) by kind."""

    session_id: str
    agent_id: str = ""
    title: str = ""
    model: str = ""
    cwd: str = ""
    turns: list[Turn] = field(default_factory=list)
    tools: Counter[str] = field(default_factory=Counter)
    errors: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    rejected: list[str] = field(default_factory=list)
    start: datetime | None = None
    names: dict[str, str] = field(default_factory=dict)  # call id -> tool
    raw: list[str] = field(default_factory=list)  # for the digest

    @property
    def event_at(self) -> datetime | None:
        """Return when the session began."""
        times = [turn.time for turn in self.turns if turn.time]
        return min(times) if times else self.start

    @property
    def digest(self) -> str:
        return stable_hash(self.raw)

    @property
    def attributes(self) -> dict[str, Any]:
        """Return the session's metadata; keys without a value are left out."""
        found = {
            "session_id": self.session_id,
            "agent_id": self.agent_id,
            "model": self.model,
            "cwd": self.cwd,
            "tools": dict(sorted(self.tools.items())),
            "tool_errors": self.errors,
            "left_out": dict(sorted(self.left_out.items())),
        }
        return {key: value for key, value in found.items() if value}

    def add(self, record: Mapping[str, Any], zone: tzinfo, span: tuple[int, int] | None = None) -> None:
        """Add one record, which may give several turns or none."""
        envelope, record = record, unwrapped(record)
        self.learn({**envelope, **record})
        role, kind = text_at(record, "role"), text_at(record, "type")
        if role in _SILENT or kind in _SILENT or envelope.get("isMeta") is True:
            self.left_out["system"] += 1
        elif kind in THINKING:
            self.left_out["thinking"] += 1
        elif role or kind in _SPOKEN or text_at(envelope, "type") in _SPOKEN or is_bare_result(record):
            base = Turn(_speaker(record, envelope, self.agent_id), "", time_of(zone, record, envelope))
            base = replace(base, raw_start=span[0], raw_end=span[1]) if span else base
            named = next((str(row[k]) for row in (envelope, record) for k in ID_KEYS if _is_id(row.get(k))), None)
            for number, turn in enumerate(self._turns(list(parts_of(record)), base), 1):
                message_id = f"{named}~{number}" if named and number > 1 else named
                self.turns.append(replace(turn, message_id=message_id))

    def _turns(self, parts: list[Part], base: Turn) -> Iterator[Turn]:
        said: list[str] = []
        for part in parts:
            if part.kind == "thinking":
                self.left_out["thinking"] += 1
            elif part.kind == "result":
                if said:
                    yield replace(base, text="\n".join(said))
                    said = []
                yield self._answer(part, base)
            elif part.text:
                said.append(part.text)
                if part.kind == "call":
                    self.tools[part.tool] += 1
                    self.names[part.call_id] = part.tool
        if said:
            yield replace(base, text="\n".join(said))

    def _answer(self, part: Part, base: Turn) -> Turn:
        tool = part.tool or self.names.get(part.call_id, "")
        if part.call_id not in self.names and tool:
            self.tools[tool] += 1  # the call itself is not in the file
        self.errors += part.error
        text = shortened(part.text or "(no output)")
        speaker = f"tool {tool}".strip()
        return replace(base, speaker=speaker, text=f"[error] {text}" if part.error else text)

    def learn(self, record: Mapping[str, Any]) -> None:
        """Store the metadata of the session that a record carries; the first value of each field counts."""
        self.agent_id = self.agent_id or text_at(record, *AGENT_KEYS)
        self.model = self.model or text_at(record, "model")
        self.cwd = self.cwd or text_at(record, "cwd", "workingDirectory")
        self.title = (
            self.title or text_at(record, "title") or (text_at(record, "summary") if _is_summary(record) else "")
        )


def unwrapped(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the message inside an envelope; records that a tool writes for its own use have none."""
    for key in ("message", "payload"):
        if isinstance(inner := record.get(key), Mapping):
            return inner
    return record


def _is_summary(record: Mapping[str, Any]) -> bool:
    return record.get("type") in ("summary", "session_meta")


def _speaker(record: Mapping[str, Any], envelope: Mapping[str, Any], agent: str) -> str:
    kind = text_at(record, "type")
    role = text_at(record, "role") or ("assistant" if kind in CALLS else text_at(envelope, "role", "type"))
    name = text_at(record, "name", "speaker") if kind not in CALLS else ""
    mine = agent if role in ("assistant", "agent", "model", "agent_output") else ""
    return (name or mine or role or "agent")[:MAX_SPEAKER]


def text_at(record: Any, *keys: str) -> str:
    """Return the first text of an object under one of `keys`, in one line."""
    values = (record.get(key) for key in keys) if isinstance(record, Mapping) else ()
    return next((" ".join(v.split())[:300] for v in values if isinstance(v, str) and v.strip()), "")


def time_of(zone: tzinfo, *records: Any) -> datetime | None:
    """Return the first time that can be parsed from one of the records."""
    known = (record.get(key) for record in records if isinstance(record, Mapping) for key in TIME_KEYS)
    return next((time for value in known if (time := parse_time(value, zone))), None)


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and 0 < len(str(value)[:300]) < 300
