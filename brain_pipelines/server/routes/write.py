"""Routes that write: messages, uploads, texts to ingest, notes. Each answers when what was sent is on disk."""

import base64
import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Header, Query, Request
from starlette.responses import Response

from brain_pipelines.server.accepting import accept
from brain_pipelines.server.idempotency import first_attempt
from brain_pipelines.server.problems import ProblemError, too_large
from brain_pipelines.server.routes.bodies import IngestBody, MessageBody, NoteBody, Retention, Sensitivity
from brain_pipelines.server.state import In, as_json, example, router_for
from brain_pipelines.server.uploads import Draft, Upload, checked_name
from brain_pipelines.server.writer import Outcome, Place, attempted
from brain_retrieval.settings import load_settings

if TYPE_CHECKING:
    from brain_pipelines.ingest.one_file import NewFile

router = router_for("write", "write")
Key = Annotated[
    str | None,
    Header(alias="Idempotency-Key", max_length=200, description="Sent again with the same key, a write is done once."),
]
_STORED = {"source_id": "source_4f…", "uri": "inbox:message/2026-….json", "searchable": True, "repeated": False}


@router.post("/messages", responses=example(_STORED))
async def message(context: In, body: MessageBody, key: Key = None) -> Response:
    """Store a message; it can be found when this answers."""
    return await context.write_together(_messages, (body, key))


def _messages(place: Place, given: list[tuple[MessageBody, str | None]]) -> list[Outcome]:
    """Store messages of one user, with one run of a day for all of them; return what becomes of each."""
    from brain_pipelines.ingest.message import SOURCE
    from brain_pipelines.ingest.one_file import take_files

    outcomes = [attempted(_message_file, place, *one) for one in given]
    taken = [(number, *one.value) for number, one in enumerate(outcomes) if one.error is None]
    settings = load_settings(place.home.path)
    reports = take_files(place.space, settings, SOURCE, [file for _, file, _ in taken], report=False)
    for (number, _, repeated), report in zip(taken, reports, strict=True):
        outcomes[number] = attempted(lambda: {**_outcome(place, report), "repeated": repeated})  # noqa: B023 - at once
    place.reports.add(place.user, list(dict.fromkeys(one for report in reports for one in report.done)))
    return outcomes


def _message_file(place: Place, body: MessageBody, key: str | None) -> tuple["NewFile", bool]:
    """Return the file of a message, and whether it was sent before."""
    from brain_pipelines.ingest.message import message_file
    from brain_pipelines.readers.source_policy import SourcePolicy

    said = body.model_dump_json().encode("utf-8", "replace")
    first, repeated = first_attempt(place.space.create(), key, b"message\n" + said)
    policy = SourcePolicy(body.retention, body.sensitivity)
    sent = {"session_id": body.session, "timestamp": body.at or first, "policy": policy}
    return message_file(place.home, place.user, body.content, **sent), repeated


def _outcome(place: Place, report: Any) -> dict[str, Any]:
    """Return what a client needs to know of an ingestion.

    Raises:
        ProblemError: 422 with the reason if it was refused.
    """
    refused = [row["reason"] for row in report.quarantined if row["kind"] not in ("repaired", "waiting")]
    unread = [row["reason"] for row in report.quarantined if row["kind"] == "waiting" and row["stage"] == "text"]
    if refused and not (report.stored or report.skipped or report.held):
        raise ProblemError(422, refused[0])
    uris = {one["uri"].partition("#")[0] for one in (*report.stored, *report.skipped, *report.held)}
    items = _items(place, uris)
    done = all(run["success"] for run in report.runs)
    return {
        "source_id": items[0][0] if items else None,
        "uri": items[0][1] if items else None,
        "items": [source_id for source_id, _ in items],
        "searchable": done and not unread and not report.held,
        "unchanged": bool(report.skipped),
        "quarantined": refused,
        "error": next((run["error"] for run in report.runs if not run["success"]), next(iter(unread), "")),
    }


def _items(place: Place, uris: set[str]) -> list[tuple[str, str]]:
    """Return (source id, uri) of the items of files, children after their parents."""
    from brain_pipelines.landing.landing import open_landing

    with open_landing(place.space, place.settings) as landing:
        found = [item for uri in sorted(uris) for item in landing.items_of(uri)]
    return [(one.source_id, one.uri) for one in sorted(found, key=lambda one: (one.parent_id is not None, one.uri))]


@router.post(
    "/sources",
    status_code=202,
    openapi_extra={"requestBody": {"required": True, "content": {"application/octet-stream": {}}}},
    responses={202: example({"uri": "inbox:document/plan.pdf", "items": ["source_4f…"], "queued": True})[200]},
)
async def upload(
    context: In,
    request: Request,
    name: Annotated[str, Query(min_length=1, max_length=1000, examples=["plans/launch.pdf"])],
    source: Annotated[str | None, Query(max_length=40, description="Source type (default: by format).")] = None,
    event_time: datetime | None = None,
    retention: Retention = None,
    sensitivity: Sensitivity = None,
    replace: bool = False,
    key: Key = None,
) -> Response:
    """Upload a file as the body. Answers when it is on disk and recorded; its stages run afterwards."""
    from brain_pipelines.readers.source_policy import SourcePolicy

    policy = SourcePolicy(retention, sensitivity)
    asked = Upload(checked_name(name), source, event_time, policy, replace=replace, key=key)
    receipt = await accept(context.server, context.user, request, asked)
    return Response(as_json(receipt), 202, media_type="application/json")


@router.post("/knowledge/pipeline/ingest", responses=example({**_STORED, "chunks": 3, "warnings": []}))
async def ingest(context: In, body: IngestBody, key: Key = None) -> Response:
    """Store a text or a file and process it; it can be found when this answers."""
    return await context.write(_ingest, body, key)


def _ingest(place: Place, body: IngestBody, key: str | None) -> dict[str, Any]:
    """Ingest under a name made of the content, so that the same content under the same name is one source."""
    from brain_pipelines.ingest.one_file import NewFile, take_file

    content = _content(body)
    limits = place.settings.limits
    if len(content) > limits.max_file_bytes:
        raise too_large(limits.max_file_bytes)
    given = checked_name(body.filename)
    first, repeated = first_attempt(place.space.create(), key, b"ingest\n" + given.encode() + b"\n" + content)
    with Draft(place.space, given) as draft:
        draft.write(content)
        draft.finish()
        source = _source_of(draft.path)
    name = str(Path(given).with_name(f"{hashlib.sha256(content).hexdigest()[:12]}-{Path(given).name}"))
    report = take_file(place.space, place.settings, source, NewFile(name, content, first))
    outcome = {**_outcome(place, report), "source": source, "repeated": repeated}
    return {**outcome, "chunks": _chunks(place, outcome["items"]), "warnings": _warnings(place, body, source)}


def _content(body: IngestBody) -> bytes:
    if body.encoding == "utf-8":
        return body.content.encode("utf-8", "replace")
    try:
        return base64.b64decode(body.content, validate=True)
    except ValueError:  # also for text that is not ASCII
        raise ProblemError(422, "the content is not base64") from None


def _source_of(path: Path) -> str:
    from brain_pipelines.sources.choice import choose_source

    return choose_source(path)


def _chunks(place: Place, items: list[str]) -> int:
    from brain_retrieval.stores.catalog import Catalog
    from brain_retrieval.stores.index.filters import IndexFilter
    from brain_retrieval.stores.index.migration import active_index

    with Catalog(place.space) as catalog:
        index = active_index(place.space, catalog)
        return index.count(IndexFilter(source_ids=items)) if index is not None and items else 0


def _warnings(place: Place, body: IngestBody, source: str) -> list[str]:
    """Say that chunking was not changed, if another one was asked for."""
    from brain_pipelines.sources.registry import SOURCES_BY_NAME

    used = place.settings.chunking_for(source, SOURCES_BY_NAME[source].chunking)
    asked, size = body.options.strategy, body.options.max_chunk_size
    if asked in (None, used.strategy) and size in (None, used.max_size):
        return []
    said = f"{source} is chunked with {used.strategy}, {used.max_size} {used.unit}"
    return [f"{said}: chunking is set for a source type, under chunking.{source} in brain.toml"]


@router.post("/notes", responses=example({"note_id": "note_8a…", "uri": "inbox:agent-note/….json", "visible": True}))
async def add_note(context: In, body: NoteBody, key: Key = None) -> Response:
    """Append a note to a person, a concept or an entity; an unknown name becomes a new one."""
    return await context.write(_note, body, key)


def _note(place: Place, body: NoteBody, key: str | None) -> dict[str, Any]:
    from brain_pipelines.ingest.agent_tools import AgentTools

    said = json.dumps(body.model_dump(), sort_keys=True).encode("utf-8", "replace")
    first, repeated = first_attempt(place.space.create(), key, b"note\n" + said, now=datetime.now(UTC))
    tools = AgentTools(place.home, place.user, clock=lambda: first)
    policy: Any = {"retention": body.retention, "sensitivity": body.sensitivity}
    receipt = tools.add_note(body.entity, body.content, body.lifetime, entity_class=body.entity_class, **policy)
    return {**receipt.to_json(), "repeated": repeated}
