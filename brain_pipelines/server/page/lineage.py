"""Where something comes from, down to its bytes and how they arrived, and what depends on it."""

from typing import Annotated, Any

from fastapi import Query
from starlette.responses import HTMLResponse, Response

from brain_pipelines.server.page.visit import In, router_for
from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError
from brain_retrieval.errors import InvalidQueryError

router = router_for("read")
LISTED = 8


@router.get("/why")
async def why(visit: In, asked: Annotated[str, Query(alias="id", max_length=2000)] = "") -> Response:
    """Show what an id, a place or a name is made of and what depends on it."""
    try:
        return await visit.show("why.html", lambda opened: _why(opened, asked.strip()))
    except ProblemError as error:
        if error.status_code != 404:
            raise
        values = {"name": asked, "detail": str(error.detail)}
        return HTMLResponse(visit.html("unknown.html", values), error.status_code)


def _why(opened: Opened, asked: str) -> dict[str, Any]:
    try:
        return {"found": opened.brain.why(asked, limit=LISTED)}
    except InvalidQueryError as error:
        said = str(error)
        raise ProblemError(404, f"{said[:1].upper()}{said[1:]}.") from None
