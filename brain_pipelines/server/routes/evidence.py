"""Routes that weigh a claim, and that show what something is made of and what depends on it."""

from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError
from brain_pipelines.server.routes.bodies import EvidenceBody
from brain_pipelines.server.state import In, example, router_for
from brain_retrieval.errors import InvalidQueryError

router = router_for("read", "evidence")
_STATEMENT = {"verdict": "contradicted", "supports": [], "contradicts": [{"text": "The launch is on 30 March."}]}
_REPORT = {"verdict": "contradicted", "state": "confirmed", "grade": "A+", "statements": [_STATEMENT]}
_BELOW = [{"kind": "sentence", "id": "inbox:note/launch.md [0:26]", "text": "The launch is on 30 March.", "below": []}]


@router.post("/evidence", responses=example(_REPORT))
async def evidence(context: In, body: EvidenceBody) -> Response:
    """Weigh a claim: what supports each of its statements, what contradicts it, what is unknown; with citations."""
    return await context.read(_evidence, body)


def _evidence(opened: Opened, body: EvidenceBody) -> dict[str, Any]:
    return opened.brain.evidence(body.claim, as_of=body.as_of, known_at=body.known_at, limit=body.limit).to_json()


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
