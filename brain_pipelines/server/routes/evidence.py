"""Routes that weigh a claim, here or online, and that show what something is made of and what depends on it."""

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from brain_pipelines.server.online import Asked, looked_online
from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError
from brain_pipelines.server.routes.bodies import EvidenceBody, OnlineBody
from brain_pipelines.server.state import In, as_json, example, router_for
from brain_retrieval.errors import InvalidQueryError

router = router_for("read", "evidence")
writing = router_for("write", "evidence")
_STATEMENT = {"verdict": "contradicted", "supports": [], "contradicts": [{"text": "The launch is on 30 March."}]}
_REPORT = {"verdict": "contradicted", "state": "confirmed", "grade": "A+", "statements": [_STATEMENT]}
_ONLINE = {
    "stop": "the evidence is enough: coverage and agreement",
    "queries": 1,
    "addresses": {"attempted": 3, "succeeded": 2, "failed": 1, "reasons": {"answered with 404": 1}},
    "limits": {"max_seconds": 120.0},
}
_BELOW = [{"kind": "sentence", "id": "inbox:note/launch.md [0:26]", "text": "The launch is on 30 March.", "below": []}]


@router.post("/evidence", responses=example(_REPORT))
async def evidence(context: In, body: EvidenceBody) -> Response:
    """Weigh a claim: what supports each of its statements, what contradicts it, what is unknown; with citations."""
    return await context.read(_evidence, body)


def _evidence(opened: Opened, body: EvidenceBody) -> dict[str, Any]:
    return opened.brain.evidence(body.claim, as_of=body.as_of, known_at=body.known_at, limit=body.limit).to_json()


@writing.post("/evidence/online", responses=example({**_REPORT, "online": _ONLINE}))
async def online(context: In, request: Request, body: OnlineBody) -> Response:
    """Weigh a claim, and search the web for what is missing: pages found are fetched, stored and weighed at once.

    Needs a search provider in the settings (else 501). Answers within `max_seconds`; if the client leaves, no further
    request is begun. "online" says what was asked, fetched and refused, what was spent of which limits, and why it
    stopped.
    """
    values = body.model_dump(exclude={"claim", "as_of", "limit", "again"})
    asked = Asked(body.claim, body.as_of, body.limit, body.again, values)
    report = await looked_online(request, context.server.home, context.user, asked)
    return Response(as_json(report.to_json()), media_type="application/json")


@router.get(
    "/why/{asked:path}", responses=example({"kind": "memory", "id": "memory_8f…", "below": _BELOW, "above": []})
)
async def why(
    context: In,
    asked: str,
    depth: Annotated[int, Query(ge=0, le=20, description="Levels below it.")] = 8,
    limit: Annotated[int, Query(ge=1, le=200, description="Things listed at each level.")] = 5,
) -> Response:
    """Show what an id, a uri, a place or a name is made of, down to its bytes, and what depends on it."""
    return await context.read(_why, asked, depth, limit)


def _why(opened: Opened, asked: str, depth: int, limit: int) -> dict[str, Any]:
    try:
        return opened.brain.why(asked, depth=depth, limit=limit).to_json()
    except InvalidQueryError as error:  # what another user has is as unknown as what does not exist
        raise ProblemError(404, str(error)) from None
