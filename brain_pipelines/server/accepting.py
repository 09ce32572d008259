"""An upload from its first byte until it is recorded and queued: the same for programs and for the page."""

from typing import Any

from starlette.requests import Request

from brain_pipelines.server.problems import ProblemError, too_large
from brain_pipelines.server.state import ServerState
from brain_pipelines.server.uploads import Draft, Upload, aware, land, most_bytes, receive


async def accept(server: ServerState, user: str, request: Request, asked: Upload) -> dict[str, Any]:
    """Receive a file as the body of a request and land it; return the receipt of `land`, and whether it is queued.

    Raises:
        ProblemError: 413 for a body that is too large, 415 for a form, 422 for one that is empty or was refused; and
            as `land`.
        WriterBusyError: if another process writes for this user; nothing is stored then.
    """
    most, space = most_bytes(server.settings), server.home.space(user)
    if request.headers.get("content-type", "").startswith("multipart/"):
        raise ProblemError(415, "send the file itself as the body, as `curl --data-binary @FILE` does")
    if int(request.headers.get("content-length", "0")) > most:
        raise too_large(most)
    draft = Draft(space, asked.name)
    try:
        await server.work.file(draft.open)
        await receive(draft, request.stream(), most, server.work)
        if not draft.size:
            raise ProblemError(422, "the body is empty")
        at = aware(asked.event_time, server.settings)
        arrived = await server.work.file(lambda: draft.finish(at.timestamp() if at else None))
        landed = await server.write(user, land, arrived, asked)
    finally:
        await server.work.file(draft.close)
    queued = bool(landed.days) and server.queue.add(user, landed.source, landed.uri, landed.days)
    if landed.refused:
        raise ProblemError(422, landed.refused)
    return {**vars(landed), "queued": queued}
