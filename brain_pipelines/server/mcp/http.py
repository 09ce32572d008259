"""MCP over streamable HTTP, to be mounted in an ASGI application that knows how to tell its users apart.

Stateless: each request is authenticated and answered for itself, so no session of one user can be continued by another.

>>> mcp = McpApp(home, access_of=lambda request: keys.access(request))  # doctest: +SKIP
>>> app.router.routes.append(Route("/mcp", endpoint=mcp))  # doctest: +SKIP
>>> async with mcp.running(): ...  # in the lifespan of the application  # doctest: +SKIP
"""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from brain_pipelines.server.mcp.memory import Memories, OpenBrain, UserMemory
from brain_pipelines.server.mcp.server import WriteApart, build_server
from brain_retrieval.home import Home, check_user

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
BOUND = "brain.mcp.user"  # key of the ASGI scope


@dataclass(frozen=True)
class Access:
    """Who asks, and whether they may write."""

    user: str
    writes: bool = False

    def __post_init__(self) -> None:
        check_user(self.user)


AccessOf = Callable[[Request], "Access | Awaitable[Access | None] | None"]


class McpApp:
    """An ASGI application for one path. `access_of` returns who sent a request, None if it is not known (401)."""

    def __init__(
        self,
        home: Home,
        *,
        access_of: AccessOf,
        open_brain: OpenBrain | None = None,
        apart: WriteApart | None = None,
        allowed_hosts: Sequence[str] = (),
        allowed_origins: Sequence[str] = (),
    ) -> None:
        """Build the servers; nothing is opened yet.

        Args:
            access_of: may be a coroutine function. It must not take the user from the body of the request.
            open_brain: returns the open Brain of a user, if the application keeps them open itself.
            apart: calls a writing tool (user, name, arguments) in another process; by default it runs in a thread.
            allowed_hosts: Host headers accepted besides loopback, such as "brain.example.org" or "brain.lan:*".
            allowed_origins: Origin headers accepted besides those of loopback.
        """
        self._access_of = access_of
        self._memories = Memories(home, open_brain=open_brain)
        hosts = [*LOOPBACK, *(f"{host}:*" for host in LOOPBACK), *allowed_hosts]
        origins = [f"http://{host}" for host in LOOPBACK] + [f"http://{host}:*" for host in LOOPBACK]
        security = TransportSecuritySettings(
            enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=[*origins, *allowed_origins]
        )
        self._servers = {writes: build_server(self._memory_of, writes=writes, apart=apart) for writes in (False, True)}
        for server in self._servers.values():
            server.streamable_http_app(stateless_http=True, json_response=True, transport_security=security)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the servers; enter it once, in the lifespan of the application."""
        try:
            async with self._servers[False].session_manager.run(), self._servers[True].session_manager.run():
                yield
        finally:
            self._memories.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of a known user."""
        if scope["type"] != "http":
            return
        access = self._access_of(Request(scope))
        if inspect.isawaitable(access):
            access = await access
        if access is None:
            await _refused()(scope, receive, send)
            return
        if scope["method"] != "POST":  # a stream without a session would stay open, and nothing be sent on it
            await _not_allowed()(scope, receive, send)
            return
        bound = {**scope, BOUND: access.user}
        await self._servers[access.writes].session_manager.handle_request(bound, receive, send)

    def _memory_of(self, ctx: Any) -> UserMemory:
        return self._memories.of(ctx.request.scope[BOUND])


def _not_allowed() -> JSONResponse:
    detail = "requests are sent by POST; there are no sessions and no streams of events"
    problem = {"type": "about:blank", "title": "Method Not Allowed", "status": 405, "detail": detail}
    return JSONResponse(problem, status_code=405, headers={"Allow": "POST"}, media_type="application/problem+json")


def _refused() -> JSONResponse:
    problem = {"type": "about:blank", "title": "Unauthorized", "status": 401, "detail": "a key is needed"}
    headers = {"WWW-Authenticate": "Bearer"}
    return JSONResponse(problem, status_code=401, headers=headers, media_type="application/problem+json")
