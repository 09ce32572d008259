"""The keys of the user: which there are, a new one, and the end of one. For sessions with the scope "admin"."""

from fastapi import Query
from starlette.responses import HTMLResponse, Response

from brain_pipelines.server.keys import SCOPES, UnknownKeyError
from brain_pipelines.server.page.visit import WHAT, In, Visit, router_for, to
from brain_pipelines.server.problems import ProblemError
from brain_retrieval.errors import InvalidQueryError

router = router_for("admin")


@router.get("/keys")
async def keys(visit: In, done: str = Query("", max_length=20)) -> Response:
    """List the keys, without their secrets."""
    return await _shown(visit, done=done == "revoked")


async def _shown(visit: Visit, *, key: str = "", error: str = "", done: bool = False, status: int = 200) -> Response:
    rows = await visit.server.work.file(lambda: visit.server.keys.list(visit.user))
    values = {"rows": [one.to_json() for one in rows], "own": visit.session.caller.key_id, "what": WHAT}
    return HTMLResponse(visit.html("keys.html", {**values, "key": key, "error": error, "done": done}), status)


@router.post("/keys")
async def create(visit: In) -> Response:
    """Make a key; the answer shows it this once."""
    scopes = tuple(scope for scope in SCOPES if visit.form.get(scope) == "yes")
    label = visit.form.get("label", "").strip()
    try:
        key, _ = await visit.here(lambda: visit.server.keys.create(visit.user, scopes, label))
    except InvalidQueryError as error:
        said = str(error)
        return await _shown(visit, error=f"{said[:1].upper()}{said[1:]}.", status=422)
    return await _shown(visit, key=key)


@router.post("/keys/revoke")
async def revoke(visit: In) -> Response:
    """Revoke a key; sessions that it opened end with it."""
    try:
        await visit.here(lambda: visit.server.keys.revoke(visit.user, visit.form.get("id", "")))
    except UnknownKeyError:
        raise ProblemError(404, "There is no such key; it may have been revoked already.") from None
    return to("/keys?done=revoked")
