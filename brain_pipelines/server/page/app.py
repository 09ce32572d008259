"""The application below /page: its routes, its files, and errors as pages."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from brain_pipelines.server.log import log_failure
from brain_pipelines.server.page import (
    about,
    check,
    forgetting,
    inbox,
    lineage,
    media,
    own_keys,
    search,
    sign_in,
    source,
    storylines,
    upkeep,
    uploading,
)
from brain_pipelines.server.page.render import POLICY, asset, problem_page
from brain_pipelines.server.page.session import PREFIX, Session, cookie, is_page
from brain_pipelines.server.page.words import COOKIE, use, wanted, word
from brain_pipelines.server.problems import ProblemError, of_brain, problem
from brain_pipelines.server.state import ServerState
from brain_retrieval.errors import BrainError

HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    # without a referrer at all, a browser states no origin with a form, which the guard refuses
    (b"referrer-policy", b"same-origin"),
)
ROUTERS = (sign_in.router, search.router, media.router, source.router, about.router, storylines.router)
ROUTERS += (
    check.router,
    check.looking,
    lineage.router,
    inbox.router,
    inbox.writing,
    uploading.router,
    upkeep.router,
    forgetting.router,
    own_keys.router,
)


class WithPage:
    """The page for its paths, another application for all others. Behind the guard, which knows the session."""

    def __init__(self, others: ASGIApp, server: ServerState) -> None:
        self._others, self._page = others, page_app(server)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not is_page(scope["path"]):
            await self._others(scope, receive, send)
            return

        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                known = {name.lower() for name, _ in given}
                message = {**message, "headers": given + [one for one in HEADERS if one[0] not in known]}
            await send(message)

        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        done = use(wanted(headers.get("accept-language", ""), cookie(headers, COOKIE)))
        try:
            await self._page(scope, receive, with_policy)
        finally:
            done()


def page_app(server: ServerState) -> FastAPI:
    """Return the application of the page."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.server = server
    app.add_api_route("/", _first, methods=["GET"])
    app.add_api_route(PREFIX, _first, methods=["GET"])
    app.add_api_route(f"{PREFIX}/assets/{{name}}", _asset, methods=["GET"])
    for router in ROUTERS:
        app.include_router(router)
    _show_errors(app)
    return app


async def _first() -> Response:
    return RedirectResponse(f"{PREFIX}/", 303)


async def _asset(name: str) -> Response:
    found = asset(name)
    if found is None:
        raise ProblemError(404, "the page has no such file")
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}  # its address changes with its content
    return Response(found[0], media_type=found[1], headers=headers)


def _show_errors(app: FastAPI) -> None:
    """Answer every error with a page in plain words; none repeats what was sent."""

    @app.exception_handler(HTTPException)
    async def on_http(request: Request, error: HTTPException) -> Response:
        detail = str(error.detail)
        if error.status_code == 404 and detail == "Not Found":
            detail = word("There is no such page. The link may be from before something was forgotten or renamed.")
        return _problem(request, problem(error.status_code, detail), error.headers)

    @app.exception_handler(RequestValidationError)
    async def on_invalid(request: Request, _: RequestValidationError) -> Response:
        return _problem(request, problem(422, word("A field is missing, or what is in it cannot be read.")))

    @app.exception_handler(BrainError)
    async def on_brain(request: Request, error: BrainError) -> Response:
        return _problem(request, of_brain(error))

    @app.exception_handler(Exception)
    async def on_other(request: Request, error: Exception) -> Response:
        log_failure(request.scope, error)
        return _problem(request, problem(500, word("Something unexpected happened; the log of the server says where.")))


def _problem(request: Request, document: dict[str, Any], headers: Any = None) -> Response:
    session = request.scope.get("state", {}).get("session")
    frame: dict[str, Any] = {}
    if isinstance(session, Session):
        may = {scope: session.caller.may(scope) for scope in ("read", "write", "forget", "admin")}
        frame = {"user": session.caller.user, "may": may, "csrf": session.csrf, "here": request.url.path}
    return HTMLResponse(problem_page(document, **frame), document["status"], headers)
