"""What all routes share: the home, the settings, the keys, the open stores, the threads and the queue of uploads."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from brain_pipelines.server.keys import SCOPES, Caller, Keys
from brain_pipelines.server.page.session import Sessions
from brain_pipelines.server.pool import Opened, Pool
from brain_pipelines.server.problems import MEANINGS, MEDIA_TYPE, ProblemError
from brain_pipelines.server.queue import Queue
from brain_pipelines.server.warm import Warm
from brain_pipelines.server.work import Work
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings

Answer = TypeVar("Answer")
_FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"description": meaning, "content": {MEDIA_TYPE: {}}} for status, meaning in MEANINGS.items()
}


@dataclass
class ServerState:
    """One server. `app.state.server` of the application."""

    home: Home
    settings: Settings
    keys: Keys
    pool: Pool
    work: Work
    queue: Queue
    warm: Warm
    sessions: Sessions
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @classmethod
    def of(cls, home: Home, settings: Settings) -> "ServerState":
        """Return the state of a server for a home; nothing is opened or loaded yet."""
        limits = settings.server
        work = Work(readers=limits.threads, writers=limits.write_threads, waiting=limits.waiting)
        pool = Pool(home, settings, limits.users_open)
        keys, queue = Keys(home), Queue(home, settings, work)
        return cls(home, settings, keys, pool, work, queue, Warm(settings), Sessions(keys))


@dataclass(frozen=True)
class Context:
    """A request: who sends it, and the server that answers."""

    server: ServerState
    caller: Caller

    @property
    def user(self) -> str:
        """The user that the key names; there is no other way to name one."""
        return self.caller.user

    @property
    def space(self) -> Space:
        """The paths of the user."""
        return self.server.home.space(self.user)

    async def read(self, call: Callable[[Opened], Any]) -> Response:
        """Return a JSON response with what a call returns that reads the user's stores."""

        def run() -> bytes:
            with self.server.pool.use(self.user) as opened:
                return as_json(call(opened))

        return Response(await self.server.work.read(run), media_type="application/json")

    async def write(self, call: Callable[[], Any], status: int = 200) -> Response:
        """Return a JSON response with what a call returns that changes the user's stores."""
        body = await self.server.work.write(self.user, lambda: as_json(call()))
        return Response(body, status, media_type="application/json")


def as_json(value: Any) -> bytes:
    """Return compact JSON; times in ISO 8601, text that is no UTF-8 replaced."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
    return text.encode("utf-8", "replace")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def context_of(request: Request) -> Context:
    """Return the context of a request.

    Raises:
        ProblemError: 401 if nothing before has found out who sends it.
    """
    caller = request.scope.get("state", {}).get("caller")
    if not isinstance(caller, Caller):
        raise ProblemError(401, "a key is needed")
    return Context(request.app.state.server, caller)


In = Annotated[Context, Depends(context_of)]


def router_for(scope: str, tag: str) -> APIRouter:
    """Return a router whose routes all need a scope."""
    if scope not in SCOPES:
        raise ValueError(f"no scope {scope!r}")

    def has_scope(context: In) -> None:
        if not context.caller.may(scope):
            raise ProblemError(403, f"this key has no scope {scope!r}")

    return APIRouter(prefix="/api", tags=[tag], dependencies=[Depends(has_scope)], responses=_FAILURES)


def example(value: Any, description: str = "Done") -> dict[int | str, dict[str, Any]]:
    """Return the description of an answer by an example."""
    return {200: {"description": description, "content": {"application/json": {"example": value}}}}
