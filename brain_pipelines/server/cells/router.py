"""One HTTP address for all cells: a request goes to the `brain serve` of the cell in which the user of its key lives.

A key begins with its user's id (`keys.py`), so nothing has to be looked up but that user's cell. The key itself is
checked by the cell, and so are scopes, rates and sizes: the router adds no right. It streams both ways and stores
nothing. The page signs a browser in at one server, so it is opened at the cell itself; `/page?user=NAME` leads there.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from urllib.parse import quote

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from brain_pipelines.server.hosts import allowed_names, is_allowed_host
from brain_pipelines.server.keys import user_of
from brain_pipelines.server.page.session import PREFIX
from brain_pipelines.server.problems import problem, problem_response
from brain_pipelines.server.protocol import protocol_with
from brain_retrieval.errors import BrainError, CellError
from brain_retrieval.home import USER_PATTERN
from brain_retrieval.settings import Settings
from brain_retrieval.stores.cells import CellDirectory

FRESH_SECONDS = 2.0  # how long a looked-up cell counts; a user who is being moved is refused by both cells meanwhile
MOST_USERS = 10_000  # whose cell is remembered
ANSWER_SECONDS = 300.0
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
NO_KEY = "send `Authorization: Bearer KEY` with a key from `brain keys create`"
# of one connection only (RFC 9110, 7.6.1), and what each side makes itself
_OWN = {
    *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding"),
    *("upgrade", "host", "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"),
}


class Places:
    """The addresses of users' cells, looked up again after `FRESH_SECONDS`."""

    def __init__(self, directory: CellDirectory, clock: Callable[[], float] = time.monotonic) -> None:
        self._directory, self._clock = directory, clock
        self._known: dict[str, tuple[float, str]] = {}

    async def url_of(self, user: str) -> str:
        """Return the address of the `brain serve` of a user's cell, "" for a user of no cell.

        Raises:
            CellError: if the cell has no address, or the database does not answer.
        """
        now = self._clock()
        at, url = self._known.get(user, (float("-inf"), ""))
        if now - at < FRESH_SECONDS:
            return url
        cell = await asyncio.to_thread(self._directory.home_of, user)
        if cell is not None and not cell.url:
            raise CellError(f"cell {cell.name!r} has no address; `brain cells add {cell.name} --url URL` names it")
        if len(self._known) >= MOST_USERS:
            self._known.clear()
        self._known[user] = (now, cell.url if cell else "")
        return self._known[user][1]


def create_router(settings: Settings) -> Starlette:
    """Return the application; its connections end with it."""
    directory = CellDirectory(settings.cells)
    places = Places(directory)
    names = allowed_names(settings.server)
    limits = httpx.Limits(max_connections=settings.server.connections)
    client = httpx.AsyncClient(timeout=httpx.Timeout(ANSWER_SECONDS, connect=5), limits=limits, trust_env=False)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await client.aclose()
        directory.close()

    async def health() -> Response:
        try:
            cells = await asyncio.to_thread(directory.cells)
        except BrainError as error:
            return problem_response(problem(503, str(error)))
        return Response(f'{{"status": "ok", "cells": {len(cells)}}}', media_type="application/json")

    async def page(request: Request) -> Response:
        user = request.query_params.get("user", "")
        url = await places.url_of(user) if USER_PATTERN.fullmatch(user) else ""
        if not url:
            return problem_response(problem(404, f"the page is at each cell; {PREFIX}?user=NAME leads to yours"))
        return RedirectResponse(f"{url}{PREFIX}", 307)

    async def route(request: Request) -> Response:
        if not is_allowed_host(request.headers.get("host", ""), names):
            return problem_response(problem(421, "this name is not one of the server's; see server.allowed_hosts"))
        try:
            if request.url.path == "/health":
                return await health()
            if request.url.path in ("/", PREFIX) or request.url.path.startswith(f"{PREFIX}/"):
                return await page(request)
            user = user_of(request.headers.get("authorization", ""))
            url = await places.url_of(user) if user else ""
        except BrainError as error:
            return problem_response(problem(503, str(error)))
        if not url:  # the same for a malformed key and a user of no cell: who exists is no one else's business
            return problem_response(problem(401, NO_KEY), {"WWW-Authenticate": 'Bearer realm="brain"'})
        return await _pass_on(client, url, request)

    return Starlette(routes=[Route("/{path:path}", route, methods=METHODS)], lifespan=lifespan)


async def _pass_on(client: httpx.AsyncClient, url: str, request: Request) -> Response:
    path = quote(request.scope["path"], safe="/:@!$&'()*+,;=~-._")
    query = request.scope.get("query_string", b"").decode("latin-1")
    body = request.stream() if request.method not in ("GET", "HEAD") else None
    sent = client.build_request(
        request.method, f"{url}{path}" + (f"?{query}" if query else ""), headers=_passed(request.headers), content=body
    )
    try:
        answer = await client.send(sent, stream=True)
    except httpx.HTTPError as error:
        detail = f"the cell of this user does not answer ({type(error).__name__})"
        return problem_response(problem(503, detail), {"Retry-After": "5"})
    headers = {**_passed(answer.headers), "x-request-id": answer.headers.get("x-request-id", "")}
    return StreamingResponse(_chunks(answer), answer.status_code, headers)


async def _chunks(answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for chunk in answer.aiter_raw():
            yield chunk
    finally:
        await answer.aclose()


def _passed(headers: Mapping[str, str]) -> dict[str, str]:
    named = {name.strip().lower() for name in headers.get("connection", "").split(",")}
    return {name: value for name, value in headers.items() if name.lower() not in _OWN | named}


def serve(settings: Settings, *, host: str, port: int) -> None:
    """Route until SIGINT or SIGTERM."""
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL + 1)  # its log shows paths, which may hold names
    config = uvicorn.Config(
        create_router(settings),
        host=host,
        port=port,
        http=protocol_with(settings.server),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=settings.server.connections,
    )
    uvicorn.Server(config).run()
