"""Files put in on the page: sent as they are, one request each; then asked about until they are in memory or refused.

The script of the page sends the token of the session in a header, since the body is the file itself.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import JSONResponse, Response

from brain_pipelines.server.accepting import accept
from brain_pipelines.server.page.inbox import STATES, one_file
from brain_pipelines.server.page.render import link
from brain_pipelines.server.page.session import PREFIX
from brain_pipelines.server.page.visit import WHAT, In, Visit, visit_by_header
from brain_pipelines.server.page.words import word
from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError
from brain_pipelines.server.uploads import Upload, checked_name
from brain_retrieval.errors import BrainError

router = APIRouter(prefix=PREFIX)
MOST_REASONS = 3
TAKEN = "Another file has this name. Give this one another name and send it again."
Sent = Annotated[Visit, Depends(visit_by_header)]


@router.post("/upload")
async def upload(visit: Sent, request: Request, name: Annotated[str, Query(min_length=1, max_length=1000)]) -> Response:
    """Take a file; answers when it is on disk and recorded. What is wrong is said in words, for the script to show."""
    try:
        if not visit.may("write"):
            raise ProblemError(403, f"the key you signed in with may not {WHAT['write']}: it has no scope 'write'")
        receipt = await accept(visit.server, visit.user, request, Upload(checked_name(name)))
    except ProblemError as error:
        said = TAKEN if error.status_code == 409 else str(error.detail)
        return JSONResponse({"error": word(said)}, error.status_code)
    except BrainError as error:
        return JSONResponse({"error": str(error)}, 503)
    return JSONResponse({"uri": receipt["uri"], "unchanged": receipt["unchanged"]}, 202)


@router.get("/upload/state")
async def state(visit: In, uri: Annotated[str, Query(max_length=4000)]) -> Response:
    """Say what has become of a file: its state in words, the reasons, and where its text can be read."""
    if not visit.may("read"):
        raise ProblemError(403, f"the key you signed in with may not {WHAT['read']}: it has no scope 'read'")
    return JSONResponse(await visit.read(lambda opened: _state(opened, uri)))


def _state(opened: Opened, uri: str) -> dict[str, Any]:
    file = one_file(opened, uri)
    if file is None:
        raise ProblemError(404, "there is no such file")
    return {
        "waiting": file.state == "waiting",
        "state": word(STATES[file.state]),
        "good": file.state in ("taken", "remarks"),
        "reasons": [reason for _, reason in file.reasons[:MOST_REASONS]],
        "link": link("source", file.source_id) if file.source_id else "",
    }
