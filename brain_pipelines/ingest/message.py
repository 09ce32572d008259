"""Ingestion of one message while the sender waits: it is searchable when the call returns.

This module builds the file of a message; `one_file.py` lands it and runs its stages.
"""

import base64
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brain_pipelines.ingest.one_file import NewFile, name_of, take_file
from brain_pipelines.ingest.report import IngestReport
from brain_pipelines.landing.landing import NO_POLICY
from brain_pipelines.readers.source_policy import SourcePolicy
from brain_retrieval.errors import BadInputError
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings, load_settings

SOURCE = "message"


def take_message(
    home: Home,
    user: str,
    content: str | list[Any],
    *,
    session_id: str | None = None,
    timestamp: datetime | None = None,
    attachments: Sequence[Path] = (),
    policy: SourcePolicy = NO_POLICY,
    report: bool = True,
) -> IngestReport:
    """Ingest a user's message, run the day it belongs to, and report.

    Args:
        content: a text, or content blocks as JSON values.
        session_id: id of the conversation it belongs to.
        timestamp: time of the message (default: now); a naive time is in the time zone of the settings.
        attachments: files that become children of the message.
        policy: retention and sensitivity of the message and its attachments.
        report: show its day as materialised in Dagster; `dagster_events.report_requests` does it later.

    Raises:
        InvalidUserError: if the user id is malformed.
        BadInputError: if it is empty, or larger than the file size limit.
    """
    file = message_file(
        home, user, content, session_id=session_id, timestamp=timestamp, attachments=attachments, policy=policy
    )
    return take_file(home.space(user), load_settings(home.path), SOURCE, file, report=report)


def message_file(
    home: Home,
    user: str,
    content: str | list[Any],
    *,
    session_id: str | None = None,
    timestamp: datetime | None = None,
    attachments: Sequence[Path] = (),
    policy: SourcePolicy = NO_POLICY,
) -> NewFile:
    """Return the file that a message is ingested as; the arguments and errors are those of `take_message`."""
    home.space(user)  # refuses a malformed user id
    settings = load_settings(home.path)
    at = timestamp or datetime.now(UTC)
    at = at if at.tzinfo else at.replace(tzinfo=settings.zone)
    envelope = _envelope(user, content, session_id, at, attachments, settings)
    return NewFile(name_of(at, envelope), envelope, at, policy)


def _envelope(
    user: str,
    content: str | list[Any],
    session_id: str | None,
    at: datetime,
    attachments: Sequence[Path],
    settings: Settings,
) -> bytes:
    """Return the JSON file of a message, with attachments in base64."""
    if not attachments and not (content.strip() if isinstance(content, str) else content):
        raise BadInputError("the message is empty")
    most = settings.limits.max_file_bytes
    if sum(path.stat().st_size for path in attachments) * 4 // 3 > most:
        raise BadInputError(f"the attachments are too large: a message may have {most >> 20} MB; ingest them as files")
    files = [
        {"type": "file", "name": path.name, "data": base64.b64encode(path.read_bytes()).decode()}
        for path in attachments
    ]
    value = {
        "type": "user_input",
        "userId": user,
        "sessionId": session_id,
        "content": content,
        "attachments": files,
        "timestamp": at.isoformat(),
    }
    kept = {key: one for key, one in value.items() if one}
    encoded = json.dumps(kept, ensure_ascii=False, indent=1).encode("utf-8", "replace")
    if len(encoded) > most:
        raise BadInputError(f"the message is too large: {len(encoded) >> 20} MB, the limit is {most >> 20} MB")
    return encoded
