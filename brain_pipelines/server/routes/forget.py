"""Routes that forget: a preview of what goes, the removal from every store, and the receipts."""

from typing import Any

from starlette.responses import Response

from brain_pipelines.server.problems import ProblemError
from brain_pipelines.server.routes.bodies import ForgetBody, ForgetScope
from brain_pipelines.server.routes.pages import Limit, Offset, cut
from brain_pipelines.server.state import In, example, router_for
from brain_pipelines.server.writer import Place

router = router_for("forget", "forget")
_PREVIEW = {"items": [{"source_id": "source_4f…", "uri": "inbox:note/a.md", "day": "2026-01-05"}], "total": 1}


@router.post("/forget/preview", responses=example({**_PREVIEW, "stores": {"own": {"chunks": 3}}, "next_offset": None}))
async def preview(context: In, body: ForgetScope, limit: Limit = 100, offset: Offset = 0) -> Response:
    """Return what would go: the items, and counts by store. Nothing is changed."""
    return await context.write(_previewed, body, limit, offset)


def _previewed(place: Place, body: ForgetScope, limit: int, offset: int) -> dict[str, Any]:
    plan = plan_of(place, body)
    items = [{"source_id": one.source_id, "uri": one.uri, "day": one.day} for one in plan.targets]
    return {"stores": plan.counts, **cut("items", items, limit, offset)}


@router.post("/forget", responses=example({"receipt": {"receipt_id": "receipt_9d…", "complete": True}}))
async def forget(context: In, body: ForgetBody) -> Response:
    """Remove it from every store and return the receipt; this cannot be undone.

    `items` is the total of the preview: if another number of items matches by now, nothing is forgotten (409).
    """
    return await context.forget(forgotten, body)


@router.get("/forget/receipts", responses=example({"receipts": [], "total": 0, "next_offset": None}))
async def receipts(context: In, limit: Limit = 50, offset: Offset = 0) -> Response:
    """List the receipts, oldest first."""
    return await context.write(_receipts, limit, offset)


def _receipts(place: Place, limit: int, offset: int) -> dict[str, Any]:
    from brain_pipelines.knowledge.forgetting.receipts import receipts as stored

    return cut("receipts", stored(place.home, place.user), limit, offset)


def plan_of(place: Place, body: ForgetScope) -> Any:
    """Return what would be forgotten."""
    from brain_pipelines.knowledge.forgetting.forget import preview as planned
    from brain_pipelines.knowledge.forgetting.plan import Scope

    scope = Scope(body.kind, body.value, body.source)
    return planned(place.home, place.user, scope, command="POST /api/forget")


def forgotten(place: Place, body: ForgetBody) -> dict[str, Any]:
    """Forget, and return the receipt."""
    from brain_pipelines.ingest.instance_folder import dagster_home
    from brain_pipelines.knowledge.forgetting.forget import forget as remove
    from brain_pipelines.knowledge.forgetting.forget import resume

    elsewhere = [dagster_home(place.home.path)]
    resume(place.home, place.user, elsewhere=elsewhere)  # one that was interrupted comes first
    plan = plan_of(place, body)
    if len(plan.targets) != body.items:
        raise ProblemError(409, f"{len(plan.targets)} items match, not {body.items}; ask for the preview again")
    return {"receipt": remove(place.home, plan, elsewhere=elsewhere)}
