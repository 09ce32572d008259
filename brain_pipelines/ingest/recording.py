"""Recording of live agent sessions: lines of JSON, and the events of hooks, into the spool of `AgentRecorder`.

A line is an object with `session_id` and either a message (`role`, `content`), a tool result (`type` "tool_result",
`tool`, `result`, `error`), or `type` "session_end". What else it holds is kept. A line is recorded once: by its
`event_id` or, without one, by its content if it has a `timestamp`.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from brain_pipelines.connectors.agent_recorder import AgentRecorder, is_significant
from brain_retrieval.home import Home
from brain_retrieval.ids import content_id

LINE_BYTES = 4 << 20
MOST_REFUSED = 20  # reasons that are kept
SESSION_KEYS = ("session_id", "sessionId", "session")
AGENT_KEYS = ("agent_id", "agentId", "agent")
ENDS = ("session_end", "SessionEnd")
RESULTS = ("tool_result", "function_call_output")
DEFAULT_AGENT = "agent"


@dataclass
class Recorded:
    """What became of lines; `delivered` are files in the inbox."""

    recorded: int = 0
    repeated: int = 0
    sessions: list[str] = field(default_factory=list)
    delivered: list[Path] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    refused_count: int = 0

    def refuse(self, reason: str) -> None:
        """Count a line that was not recorded."""
        self.refused_count += 1
        if len(self.refused) < MOST_REFUSED:
            self.refused.append(reason)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self) | {"delivered": [path.name for path in self.delivered]}


class Recording:
    """Records lines of one user, in any number of sessions."""

    def __init__(self, home: Home, user: str, *, session: str = "", agent: str = DEFAULT_AGENT) -> None:
        """`session` and `agent` are those of lines that name none.

        Raises:
            InvalidUserError: if the user id is malformed.
        """
        home.space(user)
        self._home, self._user, self._session, self._agent = home, user, session, agent
        self._recorders: dict[tuple[str, str], AgentRecorder] = {}
        self.result = Recorded()

    def check(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Check that every line can be recorded, so that none is recorded if one cannot.

        Raises:
            ValueError: for a line without a session, or too long.
        """
        for place, record in enumerate(records, start=1):
            if not (_named(record, SESSION_KEYS) or self._session):
                raise ValueError(f"line {place} has no session_id")
            if len(json.dumps(record)) > LINE_BYTES:
                raise ValueError(f"line {place} has more than {LINE_BYTES:,} bytes")

    def add_text(self, lines: Iterable[bytes]) -> None:
        """Record lines of JSON; one that is no object, or too long, is refused and the others go on."""
        records: list[Mapping[str, Any]] = []
        for line in lines:
            if not line.strip():
                continue
            if len(line) > LINE_BYTES:
                self.result.refuse(f"a line of {len(line):,} bytes; the limit is {LINE_BYTES:,}")
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                self.result.refuse(f"not JSON: {line[:60].decode('utf-8', 'replace').strip()}")
                continue
            if isinstance(value, dict):
                records.append(value)
            else:
                self.result.refuse(f"not a JSON object: {line[:60].decode('utf-8', 'replace').strip()}")
        self.add(records)

    def add(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Record lines; all are durable when this returns.

        Sessions that have ended, or have got a significant tool result, are delivered.
        """
        for (session, agent), own in self._by_session(records).items():
            recorder = self._recorder(session, agent)
            new = recorder.add(own)
            self.result.recorded += new
            self.result.repeated += len(own) - new
            if any(_triggers(record) for record in own):
                self._deliver(recorder)

    def deliver(self) -> None:
        """Deliver every session that was recorded here, as far as it has not been."""
        for recorder in self._recorders.values():
            self._deliver(recorder)

    def _deliver(self, recorder: AgentRecorder) -> None:
        target = recorder.deliver()
        if target is not None and target not in self.result.delivered:
            self.result.delivered.append(target)

    def _recorder(self, session: str, agent: str) -> AgentRecorder:
        if (session, agent) not in self._recorders:
            self._recorders[session, agent] = AgentRecorder(self._home, self._user, session, agent)
            self.result.sessions.append(session)
        return self._recorders[session, agent]

    def _by_session(self, records: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
        found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for record in records:
            session = _named(record, SESSION_KEYS) or self._session
            if not session:
                self.result.refuse("a line without session_id; name the session with --session")
                continue
            agent = _named(record, AGENT_KEYS) or self._agent
            found.setdefault((session, agent), []).append(_identified(record))
        return found


def hook_events(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the lines that a hook's JSON gives; none for an event that says nothing.

    The form is that of the hooks of Claude Code (https://code.claude.com/docs/en/hooks): `session_id`,
    `hook_event_name`, and the fields of the event. JSON without an event name is taken for a line as it is.
    """
    event = payload.get("hook_event_name")
    if event is None:
        return [dict(payload)]
    head = {key: payload[key] for key in ("session_id", "cwd", "agent_id") if payload.get(key)}
    call = payload.get("tool_use_id")
    if event == "UserPromptSubmit":
        return [{**head, "type": "message", "role": "user", "content": payload.get("prompt", "")}]
    if event in ("PostToolUse", "PostToolUseFailure"):
        tool = str(payload.get("tool_name") or "tool")
        asked = {"type": "tool_use", "id": call, "name": tool, "input": payload.get("tool_input")}
        failed = event == "PostToolUseFailure"
        result = payload.get("error") if failed else payload.get("tool_response")
        answered = {"toolName": tool, "toolCallId": call, "result": result, "is_error": failed}
        return [
            _once({**head, "type": "message", "role": "assistant", "content": [asked]}, call, "call"),
            _once({**head, "type": "tool_result", **answered}, call, "result"),
        ]
    if event in ("Stop", "SubagentStop") and payload.get("last_assistant_message"):
        return [{**head, "type": "message", "role": "assistant", "content": payload["last_assistant_message"]}]
    return [{**head, "type": "session_end"}] if event == "SessionEnd" else []


def _once(record: dict[str, Any], call: Any, part: str) -> dict[str, Any]:
    """Give the record of a tool call an id, so that a hook that is set up twice records it once."""
    return record | {"event_id": f"{call}/{part}"} if isinstance(call, str) and call else record


def _named(record: Mapping[str, Any], keys: Iterable[str]) -> str:
    return next(
        (str(record[key]) for key in keys if isinstance(record.get(key), str | int) and str(record[key]).strip()), ""
    )


def _identified(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with an `event_id`, if it has one or a timestamp to tell it from others like it."""
    given = record.get("event_id")
    if isinstance(given, str | int) and given != "":
        return {**record, "event_id": str(given)}
    plain = {key: value for key, value in record.items() if key != "event_id"}
    if record.get("timestamp"):
        return plain | {"event_id": content_id("event", json.dumps(plain, sort_keys=True, default=str))}
    return plain


def _triggers(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    if kind in ENDS:
        return True
    failed = bool(record.get("is_error") or record.get("error"))
    return kind in RESULTS and is_significant(record.get("result", record.get("output")), error=failed)
