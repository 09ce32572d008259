"""The MCP application below /mcp: imported and started when it is first asked for, stopped with the server."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack, suppress
from importlib import import_module
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from brain_pipelines.server.problems import ProblemError
from brain_pipelines.server.state import ServerState
from brain_pipelines.server.writer import Write
from brain_retrieval.errors import BrainError

PATH = "/mcp"
MODULE = "brain_pipelines.server.mcp.http"  # with `McpApp(home, access_of=…, allowed_hosts=…)` and `Access`
MOST_ASIDE = 16  # tool calls that wait for other machines
LIBRARIES = ("mcp", "brain_pipelines.server.mcp", MODULE)


class WithMcp:
    """The routes, and below /mcp the MCP application.

    Both are behind the guard: `scope["state"]["caller"]` is the user and the scopes of the key.
    """

    def __init__(self, api: ASGIApp, server: ServerState) -> None:
        self._api, self._server = api, server
        self._app: ASGIApp | None = None
        self._starting = asyncio.Lock()
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._aside = CapacityLimiter(MOST_ASIDE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not (scope["path"] == PATH or scope["path"].startswith(f"{PATH}/")):
            await self._api(scope, receive, send)
            return
        if not scope["state"]["caller"].may("read"):
            raise ProblemError(403, "this key has no scope 'read'")
        async with self._starting:
            self._app = self._app or await self._start()
        with ExitStack() as held:
            with suppress(BrainError):  # of a user without any data there is nothing to keep open
                held.enter_context(self._server.pool.use(scope["state"]["caller"].user))
            await self._app(scope, receive, send)

    async def stop(self) -> None:
        """End the application if it was started."""
        self._stop.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _start(self) -> ASGIApp:
        app = await self._server.work.file(self._load)
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def run() -> None:  # one task enters and leaves it, as its task groups demand
            async with app.running():
                ready.set_result(None)
                await self._stop.wait()

        self._task = asyncio.create_task(run())
        await asyncio.wait({ready, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            raise ProblemError(503, "MCP could not be started")
        return app

    def _load(self) -> Any:
        try:
            module = import_module(MODULE)
        except ModuleNotFoundError as error:
            if error.name in LIBRARIES:
                raise ProblemError(404, "MCP is not installed here") from None
            raise
        names = self._server.settings.server.allowed_hosts
        hosts = [host for name in names for host in (name, f"{name}:*")]
        origins = [f"https://{host}" for host in hosts]
        access_of = _access_with(module.Access)
        return module.McpApp(
            self._server.home,
            access_of=access_of,
            open_brain=self._server.pool.brain,
            apart=self._write if self._server.writer.apart else None,
            allowed_hosts=hosts,
            allowed_origins=origins,
        )

    async def _write(self, user: str, name: str, arguments: dict[str, Any]) -> Any:
        """Return what a tool that writes returns, run in the process that writes; a refusal is one of the tool."""
        from brain_pipelines.server.mcp.writing import ASIDE, Refused, write_apart

        try:
            if name not in ASIDE:
                return await self._server.write(user, write_apart, name, arguments)
            job = Write(user, write_apart, (name, arguments), aside=True)
            return await to_thread.run_sync(lambda: self._server.writer.run(job), limiter=self._aside)
        except ProblemError as error:
            return Refused(str(error.detail))


def _access_with(access: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return who sent a request, as the guard has found out."""

    def access_of(request: Any) -> Any:
        caller = request.scope["state"]["caller"]
        return access(caller.user, writes=caller.may("write"))

    return access_of
