"""Routes of trust: what is held back and what was decided, and decisions, which need a person's key ("admin").

An agent that reads a page must not be able to approve the page, so the scopes of agents decide nothing.
"""

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field
from starlette.responses import Response

from brain_pipelines.server.routes.bodies import Body
from brain_pipelines.server.routes.pages import Limit, Offset, cut
from brain_pipelines.server.state import Context, In, example, router_for
from brain_pipelines.server.writer import Place

router = router_for("read", "trust")
deciding = router_for("admin", "trust")
Subject = Annotated[str, Field(min_length=1, max_length=2000, examples=["example.org"])]
_HELD = {
    "subject": "example.org",
    "state": "pending",
    "origin": "online",
    "count": 3,
    "names": ["https://example.org/a"],
}
_DONE = {"done": True, "let_in": ["inbox:web-page/example.org/a.warc.gz"], "held_back": [], "stores": {}}


class DecisionBody(Body):
    """`POST /api/trust` and `POST /api/trust/preview`."""

    subject: Subject
    state: Literal["trusted", "pending", "untrusted"]
    reason: Annotated[str, Field(max_length=500)] = ""


@router.get("/trust", responses=example({"held": [_HELD], "total": 1, "next_offset": None}))
async def held(context: In, limit: Limit = 100, offset: Offset = 0) -> Response:
    """List what is held back, by site: what waits for an approval, then what was rejected."""
    return await context.write(_held, limit, offset)


def _held(place: Place, limit: int, offset: int) -> dict[str, Any]:
    from brain_pipelines.ingest.trust_overview import held_sites

    found = held_sites(place.home, place.user)
    return cut("held", [one.to_json() for one in found], limit, offset)


@router.get("/trust/status", responses=example({"subject": "example.org", "state": "pending", "why": "origin"}))
async def status(context: In, subject: Annotated[str, Query(min_length=1, max_length=2000)]) -> Response:
    """Return how a domain, an address or a source stands, why, and how many sources it covers."""
    return await context.write(_status, subject)


def _status(place: Place, subject: str) -> dict[str, Any]:
    from brain_pipelines.ingest.trust_overview import standing_of

    return standing_of(place.home, place.user, subject)


@router.get("/trust/decisions", responses=example({"decisions": [], "total": 0, "next_offset": None}))
async def decisions(context: In, limit: Limit = 100, offset: Offset = 0) -> Response:
    """List every decision, oldest first: when, by which person or key, about what, and why."""
    return await context.write(_decisions, limit, offset)


def _decisions(place: Place, limit: int, offset: int) -> dict[str, Any]:
    from brain_pipelines.ingest.trust_overview import decisions_of

    found = decisions_of(place.home, place.user)
    return cut("decisions", [one.to_json() for one in found], limit, offset)


@deciding.post("/trust/preview", responses=example({**_DONE, "done": False}))
async def preview(context: In, body: DecisionBody) -> Response:
    """Return what a decision would take in and take away. Nothing is changed."""
    return await context.write(_decided, body, await _person(context), True)


@deciding.post("/trust", responses=example(_DONE))
async def decide(context: In, body: DecisionBody) -> Response:
    """Record a decision and bring all stores up to date with it; the answer says what came in and what went."""
    return await context.forget(_decided, body, await _person(context), False)


async def _person(context: Context) -> str:
    """Return who decides, as the record names them."""
    key_id = context.caller.key_id
    keys = await context.server.work.file(lambda: context.server.keys.list(context.user))
    label = next((one.label for one in keys if one.key_id == key_id), "")
    return f"key {key_id}" + (f" ({label})" if label else "")


def _decided(place: Place, body: DecisionBody, by: str, preview: bool) -> dict[str, Any]:
    from brain_pipelines.ingest.trust import decide as carry_out

    options: dict[str, Any] = {"by": by, "reason": body.reason, "preview": preview, "through_dagster": False}
    return carry_out(place.home, place.user, body.subject, body.state, **options).to_json()
