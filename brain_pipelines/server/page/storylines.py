"""Storylines: what happened around a person or project over time; the list, and the page of one."""

from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from brain_pipelines.server.page.visit import In, router_for
from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError
from brain_retrieval.knowledge.stories.closed import without_closed

router = router_for("read")
PER_PAGE = 30
GONE = "There is no such storyline any more. They are made again each night from what is known then."


@router.get("/storylines")
async def storylines(
    visit: In, only_open: Annotated[bool, Query(alias="open")] = False, offset: Annotated[int, Query(ge=0)] = 0
) -> Response:
    """List them, the newest first."""
    return await visit.show("storylines.html", lambda opened: _list(opened, only_open, offset))


def _list(opened: Opened, only_open: bool, offset: int) -> dict[str, Any]:
    known = opened.brain.knowledge()
    found = without_closed(known, known.storylines(open_only=only_open)) if known.day else []
    return {
        "stories": found[offset : offset + PER_PAGE],
        "total": len(found),
        "only_open": only_open,
        "offset": offset,
        "step": PER_PAGE,
        "snapshot": known.day,
    }


@router.get("/storyline/{story_id}")
async def storyline(visit: In, story_id: str) -> Response:
    """Show one storyline, or a group of them."""
    return await visit.show("storyline.html", lambda opened: _one(opened, story_id))


def _one(opened: Opened, story_id: str) -> dict[str, Any]:
    known = opened.brain.knowledge()
    found = {one.id: one for one in known.storylines()} if known.day else {}
    if story_id not in found:
        raise ProblemError(404, GONE)
    story = found[story_id]
    cited = list(zip(story.parts, story.citations, strict=False)) if len(story.parts) == len(story.citations) else []
    return {
        "story": story,
        "cited": cited,
        "members": [found[one] for one in story.storyline_ids if one in found],
        "group": next((one for one in found.values() if story_id in one.storyline_ids), None),
    }
