"""Routes about the state of a user's data, and keys: what waits or failed, what is in quarantine, which keys exist."""

from typing import Any

from starlette.responses import Response

from brain_pipelines.server.keys import UnknownKeyError
from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError
from brain_pipelines.server.routes.bodies import KeyBody
from brain_pipelines.server.routes.pages import Limit, Offset, cut
from brain_pipelines.server.state import Context, In, example, router_for

router = router_for("read", "status")
admin = router_for("admin", "keys")


@router.get("/ingestion", responses=example({"queued": 0, "unfinished_days": 0, "failures": [], "quarantine": []}))
async def ingestion(context: In, limit: Limit = 50, offset: Offset = 0) -> Response:
    """Return what waits or failed, and a page of the quarantine with reasons."""
    queued = context.server.queue.waiting(context.user)
    return await context.read(_status, queued, limit, offset)


def _status(opened: Opened, queued: int, limit: int, offset: int) -> dict[str, Any]:
    from brain_pipelines.landing.landing import open_landing
    from brain_pipelines.orchestration.behind import unfinished
    from brain_retrieval.stores.catalog import Catalog

    space, known = opened.home.space(opened.user), opened.brain.knowledge()
    with open_landing(space, opened.settings) as landing, Catalog(space) as catalog:
        quarantine = [
            {"source": q.source, "stage": q.stage, "day": q.day, "uri": q.uri, "kind": q.kind, "reason": q.reason}
            for q in catalog.quarantine()
        ]
        quarantine += [
            {"source": "", "stage": "landing", "day": "", "uri": uri, "kind": "rejected", "reason": reason}
            for uri, reason in landing.refused()
        ]
        failures = [
            {"source": row.source, "stage": row.stage, "day": row.day, "reason": row.error}
            for row in catalog.ledger(state="failed")
        ]
        return {
            "queued": queued,
            "unfinished_days": len(unfinished(landing, catalog)),
            "failures": failures,
            "files": landing.size()["files"],
            "sources": sum(file.rows for file in catalog.lake_files("text")),
            "snapshot": known.day,
            **cut("quarantine", quarantine, limit, offset),
        }


@admin.get("/keys", responses=example({"keys": [{"id": "5d…", "scopes": ["read"], "label": "laptop"}]}))
async def list_keys(context: In) -> Response:
    """List the keys of the user, without their secrets."""
    return await context.here(lambda: {"keys": [one.to_json() for one in context.server.keys.list(context.user)]})


@admin.post("/keys", status_code=201, responses={201: example({"key": "brain.alice.5d….…", "id": "5d…"})[200]})
async def create_key(context: In, body: KeyBody) -> Response:
    """Make a key for the same user; it is shown this once."""
    return await context.here(lambda: _create(context, body), 201)


def _create(context: Context, body: KeyBody) -> dict[str, Any]:
    key, stored = context.server.keys.create(context.user, tuple(body.scopes), body.label)
    return {"key": key, **stored.to_json()}


@admin.delete("/keys/{key_id}", responses=example({"revoked": "5d…"}))
async def revoke_key(context: In, key_id: str) -> Response:
    """Revoke a key of the user, effective at once."""
    return await context.here(lambda: _revoke(context, key_id))


def _revoke(context: Context, key_id: str) -> dict[str, Any]:
    try:
        context.server.keys.revoke(context.user, key_id)
    except UnknownKeyError:
        raise ProblemError(404, "there is no such key") from None
    return {"revoked": key_id}
