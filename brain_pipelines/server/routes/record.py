"""`POST /api/record`: lines of agent sessions, answered when they are on disk. Off by default (`server.record`)."""

import hashlib
from pathlib import Path
from typing import Annotated, Any

from fastapi import Header
from pydantic import Field
from starlette.responses import Response

from brain_pipelines.server.problems import ProblemError
from brain_pipelines.server.routes.bodies import Body
from brain_pipelines.server.state import In, as_json, example, router_for
from brain_pipelines.server.writer import Place

router = router_for("write", "write")
MOST_LINES = 1000
_ANSWER = {"recorded": 2, "repeated": 0, "delivered": ["inbox:agent-output/s1-4f….jsonl"], "queued": True}
_LINE = {"session_id": "s1", "role": "user", "content": "Rename the export."}


class RecordBody(Body):
    """`POST /api/record`."""

    lines: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=MOST_LINES, examples=[[_LINE]])]
    session: Annotated[str, Field(max_length=200, description="Session of lines that name none.")] = ""
    agent: Annotated[str, Field(max_length=200, description="Agent of lines that name none.")] = "agent"


Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key", max_length=200, description="Sent again with the same key, lines are recorded once."
    ),
]


@router.post("/record", responses=example(_ANSWER))
async def record(context: In, body: RecordBody, key: Key = None) -> Response:
    """Record lines of agent sessions. A session that has ended, or has got a significant result, becomes a source."""
    if not context.server.settings.server.record:
        raise ProblemError(404, "recording is off: set record = true under [server] in brain.toml")
    answer, landed = await context.server.write(context.user, _record, body, key)
    queue = context.server.queue
    queued = [queue.add(context.user, source, uri, days) for source, uri, days in landed if days]
    return Response(as_json({**answer, "queued": any(queued)}), media_type="application/json")


def _record(
    place: Place, body: RecordBody, key: str | None
) -> tuple[dict[str, Any], list[tuple[str, str, tuple[str, ...]]]]:
    """Return the answer, and (source type, uri, days to run) of each delivered session."""
    from brain_pipelines.ingest.recording import Recording

    recording = Recording(place.home, place.user, session=body.session, agent=body.agent)
    try:
        recording.check(body.lines)
    except ValueError as error:
        raise ProblemError(422, str(error)) from None
    recording.add(_keyed(body.lines, key))
    found = recording.result
    landed = [_land(place, path) for path in found.delivered]
    uris = [uri for _, uri, _ in landed]
    return {"recorded": found.recorded, "repeated": found.repeated, "delivered": uris}, landed


def _keyed(lines: list[dict[str, Any]], key: str | None) -> list[dict[str, Any]]:
    """Return lines with an id made of the key and their place, where they have none."""
    if key is None:
        return lines
    name = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:32]
    return [{"event_id": f"{name}/{place}", **line} for place, line in enumerate(lines)]


def _land(place: Place, path: Path) -> tuple[str, str, tuple[str, ...]]:
    from brain_pipelines.connectors.agent_recorder import SOURCE
    from brain_pipelines.engine.healing import ensure_catalog
    from brain_pipelines.landing.inbox import FileState
    from brain_pipelines.landing.landing import open_landing
    from brain_pipelines.server.uploads import LOCK_SECONDS
    from brain_retrieval.stores.locking import writer_lock

    space, settings = place.space, place.settings
    with writer_lock(space.create(), timeout=LOCK_SECONDS):
        ensure_catalog(space, settings)
        file = FileState.of(path, space.inbox)
        with open_landing(space, settings) as landing:
            return SOURCE, file.uri, tuple(sorted(landing.land(file)))
