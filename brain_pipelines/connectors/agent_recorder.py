"""Recording of agent sessions: each line is durable before the call returns; three triggers deliver to the inbox.

1. the session is complete
2. a tool result is significant: an error, structured data, or at least SIGNIFICANT_CHARS characters
3. `deliver_recent`, run by a schedule, finds undelivered lines

A delivery replaces the session's whole file in the inbox, so repeated deliveries never duplicate lines. The spool is
kept: a session that continues after its end is delivered again from its beginning.
"""

import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from brain_pipelines.landing.blobs import drop_into_inbox
from brain_retrieval.home import Home, Space
from brain_retrieval.ids import stable_hash

SOURCE = "agent-output"
SIGNIFICANT_CHARS = 2000
SPOOL = "agents"  # in the user's directory


class AgentRecorder:
    """Recorder for one session of an agent. Several processes may record the same session.

    A line that was half written when the machine stopped was never acknowledged; the next write truncates it.
    """

    def __init__(
        self, home: Home, user: str, session_id: str, agent_id: str, *, model: str = "", cwd: str = ""
    ) -> None:
        """Begin or continue a session.

        Raises:
            InvalidUserError: if the user id is malformed.
            ValueError: if the session has no id.
        """
        if not session_id.strip():
            raise ValueError("session_id must not be empty")
        self._space = home.space(user)
        self._head = {"session_id": session_id, "agent_id": agent_id}
        self._more = {key: value for key, value in (("model", model), ("cwd", cwd)) if value}
        self.spool = self._space.root / SPOOL / spool_name(session_id, agent_id)
        self._known: set[str] = set()  # ids of recorded lines, up to the position `_read_to`
        self._read_to = 0

    def message(self, role: str, content: Any, *, timestamp: datetime | None = None) -> None:
        """Record a message: text or content blocks as JSON values; `timestamp` defaults to now."""
        self._append({"type": "message", "role": role, "content": content}, timestamp)

    def tool_result(
        self,
        tool: str,
        result: Any,
        *,
        call_id: str | None = None,
        error: bool = False,
        timestamp: datetime | None = None,
    ) -> Path | None:
        """Record a tool result; deliver and return the file if it is significant, else return None."""
        record = {"type": "tool_result", "toolName": tool, "toolCallId": call_id, "result": result, "is_error": error}
        self._append(record, timestamp)
        return deliver(self._space, self.spool) if is_significant(result, error=error) else None

    def complete(self) -> Path | None:
        """Mark the session as ended and deliver it; return None if nothing was recorded."""
        if not self.spool.exists():
            return None
        self._append({"type": "session_end"}, None)
        return self.deliver()

    def deliver(self) -> Path | None:
        """Deliver the session; None if it is in the inbox already, or nothing was recorded."""
        return deliver(self._space, self.spool) if self.spool.exists() else None

    def add(self, records: Sequence[Mapping[str, Any]]) -> int:
        """Record lines as they are, unless a line with the same `event_id` is recorded; return how many are new.

        All of them are durable when this returns. `timestamp` is set to now where a record has none.
        """
        self._space.create()
        self.spool.parent.mkdir(mode=0o700, exist_ok=True)
        created = not self.spool.exists()
        with _locked(self.spool, create=True) as file:
            end = _whole_lines(file)
            self._learn(file, end)
            fresh: list[Mapping[str, Any]] = []
            for record in records:
                event_id = record.get("event_id")
                if event_id is None or event_id not in self._known:
                    fresh.append(record)
                    self._known.update([event_id] if event_id is not None else [])
            file.seek(end)
            file.truncate()
            file.write(b"".join(map(self._line, fresh)))
            file.flush()
            os.fsync(file.fileno())
            self._read_to = file.tell()
        if created:
            _sync_directory(self.spool.parent)
        return len(fresh)

    def _append(self, record: dict[str, Any], timestamp: datetime | None) -> None:
        self.add([record | {"timestamp": (timestamp or datetime.now(UTC)).isoformat()}])

    def _line(self, record: Mapping[str, Any]) -> bytes:
        whole = {**self._more, **record, **self._head}
        whole.setdefault("timestamp", datetime.now(UTC).isoformat())
        return json.dumps(whole, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"

    def _learn(self, file: BinaryIO, end: int) -> None:
        """Read the ids of the lines that other processes have recorded since this one last looked."""
        if end < self._read_to:  # the session was forgotten meanwhile
            self._known, self._read_to = set(), 0
        file.seek(self._read_to)
        for line in file.read(end - self._read_to).splitlines():
            if b'"event_id"' in line and (event_id := json.loads(line).get("event_id")) is not None:
                self._known.add(event_id)


def is_significant(result: Any, *, error: bool = False) -> bool:
    """Return whether a tool result triggers a delivery by itself."""
    if error or isinstance(result, dict | list):
        return bool(error or result)
    return len(str(result)) >= SIGNIFICANT_CHARS


def spool_name(session_id: str, agent_id: str) -> str:
    """Return the file name of a session: readable, and unique for each pair of session and agent."""
    words = re.sub(r"[^A-Za-z0-9._-]+", "-", session_id).strip("-.")[:60]
    return f"{words or 'session'}-{stable_hash([session_id, agent_id])}.jsonl"


def deliver(space: Space, spool: Path) -> Path | None:
    """Replace a session's file in the inbox with all its complete lines; None if they are already there."""
    mark = spool.with_suffix(".delivered")
    with _locked(spool) as file:
        size = _whole_lines(file)
        if size == 0 or _delivered(mark) == size:
            return None
        file.truncate(size)
        target = drop_into_inbox(space, SOURCE, spool)
        _sync(target)
        _sync_directory(target.parent)
        # Written last: a crash before this point only delivers the same bytes again.
        temporary = mark.with_suffix(".tmp")
        temporary.write_text(str(size))
        temporary.replace(mark)
    return target


def deliver_recent(home: Home, user: str | None = None) -> list[Path]:
    """Deliver every session with undelivered lines, of one user or of all; return the files in the inboxes.

    Raises:
        InvalidUserError: if the user id is malformed.
    """
    delivered = []
    for name in home.users() if user is None else [user]:
        space = home.space(name)
        for spool in sorted((space.root / SPOOL).glob("*.jsonl")):
            if (target := deliver(space, spool)) is not None:
                delivered.append(target)
    return delivered


def _delivered(mark: Path) -> int:
    try:
        return int(mark.read_text())
    except (OSError, ValueError):
        return -1


@contextmanager
def _locked(path: Path, *, create: bool = False) -> Iterator[BinaryIO]:
    flags = os.O_RDWR | os.O_NOFOLLOW | (os.O_CREAT if create else 0)
    with os.fdopen(os.open(path, flags, 0o600), "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def _whole_lines(file: BinaryIO) -> int:
    """Return the length of a file up to and including its last line break."""
    position = file.seek(0, os.SEEK_END)
    while position:
        start = max(0, position - (1 << 16))
        file.seek(start)
        found = file.read(position - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        position = start
    return 0


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_sync_directory = _sync
