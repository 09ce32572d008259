"""Taking one message in while its sender waits: it is searchable when the call returns.

It goes the way of every file, through the inbox, the landing record and the stages of its source for its one day. The
stages are called here and now, since a run of Dagster takes many times as long as they do; Dagster is told afterwards
what there is. Where a stage fails, the ledger says so, and the `retry` sensor tries the day again.
"""

import base64
import hashlib
import json
import logging
import os
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brain_pipelines.blobs import drop_into_inbox
from brain_pipelines.inbox import FileState
from brain_pipelines.ingest_report import IngestReport, report_items
from brain_pipelines.landing import open_landing
from brain_pipelines.materialize import StageFailedError, materialize
from brain_pipelines.orchestrate import RunOutcome, open_instance
from brain_pipelines.partitions import check_budget, partition_key
from brain_pipelines.plan import SpanRequest, plan_runs
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.errors import BadInputError
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings, load_settings

SOURCE = "message"
LOGGER = logging.getLogger(__name__)


def take_message(
    home: Home,
    user: str,
    content: str | list[Any],
    *,
    session_id: str | None = None,
    timestamp: datetime | None = None,
    attachments: Sequence[Path] = (),
) -> IngestReport:
    """Take in what a user says, run the day it belongs to, and report.

    Args:
        content: a text, or content blocks as JSON values.
        session_id: of the conversation it is part of.
        timestamp: when it was said, now unless given; a naive time is in the time zone of the settings.
        attachments: files that become children of the message.

    Raises:
        InvalidUserError: if the user id is malformed.
        BadInputError: if there is nothing in it, or it is larger than a file may be.
    """
    began = time.perf_counter()
    space, settings = home.space(user), load_settings(home.path)
    at = timestamp or datetime.now(UTC)
    at = at if at.tzinfo else at.replace(tzinfo=settings.zone)
    envelope = _envelope(user, content, session_id, at, attachments, settings)
    check_budget(len({*home.users(), user}), settings.first_day, settings.partition_budget)
    space.create()
    handle, temporary = tempfile.mkstemp(dir=space.root, prefix=".message-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(envelope)
        os.utime(temporary, (at.timestamp(), at.timestamp()))  # so that a message sent twice is the same file
        target = drop_into_inbox(space, SOURCE, Path(temporary), name=_file_name(at, envelope))
    finally:
        Path(temporary).unlink(missing_ok=True)
    report = IngestReport(user, SOURCE)
    with open_landing(space, settings) as landing:
        file_state = FileState.of(target, space.inbox)
        days = landing.land(file_state)
        dirty = [day for day in landing.dirty() if day.source == SOURCE and day.day in days]
    if not days:
        report.skipped.append({"uri": file_state.uri, "reason": "unchanged"})
    for request in plan_runs(dirty, None).requests:
        outcome = _run(space, settings, request)
        report.add_run(outcome)
        if outcome.success:
            _tell_dagster(home, request)
    report_items(space, settings, SOURCE, {file_state.uri}, report)
    report.seconds = time.perf_counter() - began
    return report


def _run(space: Space, settings: Settings, request: SpanRequest) -> RunOutcome:
    """Run every stage over the days of a request; one that fails keeps those behind it from old rows."""
    run_id = f"message-{time.time_ns()}"  # the ledger counts tries by it
    for stage in STAGES:
        step = f"{SOURCE}__{stage.name}"
        try:
            done = materialize(stage, SOURCES_BY_NAME[SOURCE], space, request.days, settings=settings, run_id=run_id)
        except StageFailedError as error:
            return RunOutcome(request, run_id, success=False, failed_steps=[step], error=str(error))
        if done.failed:
            reason = f"{stage.name} failed; `brain status` says why"
            return RunOutcome(request, run_id, success=False, failed_steps=[step], error=reason)
    return RunOutcome(request, run_id, success=True)


def _tell_dagster(home: Home, request: SpanRequest) -> None:
    """Show the days as materialised in Dagster. It only shows them: what is stored, the ledger knows."""
    import dagster as dg

    try:
        with open_instance(home.path) as instance:
            if request.user not in instance.get_dynamic_partitions("users"):
                instance.add_dynamic_partitions("users", [request.user])
            for stage in STAGES:
                for day in request.days:
                    key = dg.AssetKey([SOURCE, stage.name])
                    event = dg.AssetMaterialization(key, partition=partition_key(request.user, day))
                    instance.report_runless_asset_event(event)
    except Exception as error:
        LOGGER.warning("a message is stored, but Dagster was not told: %s", type(error).__name__)


def _envelope(
    user: str,
    content: str | list[Any],
    session_id: str | None,
    at: datetime,
    attachments: Sequence[Path],
    settings: Settings,
) -> bytes:
    """Return the JSON of a message, with its attachments in base64."""
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


def _file_name(at: datetime, envelope: bytes) -> str:
    """Return a name that is the same for the same message, and sorts by time."""
    stamp = at.astimezone(UTC).strftime("%Y-%m-%dT%H%M%S.%fZ")
    return f"{stamp}-{hashlib.sha256(envelope).hexdigest()[:12]}.json"
