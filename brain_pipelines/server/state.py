"""What all routes share: the home, the settings, the keys, the open stores, the threads and the queue of uploads."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from brain_pipelines.server.keys import SCOPES, Caller, Keys
from brain_pipelines.server.line import Asker
from brain_pipelines.server.page.session import Sessions
from brain_pipelines.server.pool import Pool
from brain_pipelines.server.problems import MEANINGS, MEDIA_TYPE, ProblemError
from brain_pipelines.server.queue import Queue
from brain_pipelines.server.readers import Readers
from brain_pipelines.server.reading import Job, as_json, in_this_process
from brain_pipelines.server.warm import Warm
from brain_pipelines.server.work import Work
from brain_pipelines.server.writer import Outcome, Place, Write, Writer
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings

Answer = TypeVar("Answer")
Writes = Callable[[Place, list[Any]], list[Outcome]]  # one outcome of each item
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
    writer: Writer
    queue: Queue
    warm: Warm
    readers: Readers
    sessions: Sessions
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @classmethod
    def of(cls, home: Home, settings: Settings) -> "ServerState":
        """Return the state of a server for a home; nothing is opened or loaded yet."""
        work, pool = Work(settings.server), Pool(home, settings, settings.server.users_open)
        keys, writer, readers = Keys(home), Writer(home, settings), Readers(home, settings)
        queue, warm = Queue(settings, work, writer), Warm(settings, writer, then=readers.start)
        return cls(home, settings, keys, pool, work, writer, queue, warm, readers, Sessions(keys))

    async def write(self, user: str, call: Callable[..., Answer], *arguments: Any, request_id: str = "") -> Answer:
        """Return what `call(place, *arguments)` returns, which changes a user's stores; one after another of a user.

        It runs in another process if there are readers: `call` is a function of a module, `arguments` are values.
        """
        job = Write(user, call, arguments, request_id)
        return await self.work.write(user, lambda: self.writer.run(job))

    async def write_together(self, user: str, call: Writes, item: Any, *, request_id: str = "") -> Any:
        """Return what `call(place, items)` has for an item, or raise its error; it is called with all that wait."""

        def run(items: list[Any]) -> list[Outcome]:
            return self.writer.run(Write(user, call, (items,), request_id))

        found: Outcome = await self.work.write_together(user, call.__qualname__, item, run)
        return found.get()

    async def forget(self, user: str, call: Callable[..., Answer], *arguments: Any, request_id: str = "") -> Answer:
        """Return as `write`; afterwards every process opens the stores of the user again."""
        try:
            return await self.write(user, call, *arguments, request_id=request_id)
        finally:
            self.pool.drop(user)


@dataclass(frozen=True)
class Context:
    """A request: who sends it, and the server that answers."""

    server: ServerState
    caller: Caller
    request_id: str = ""

    @property
    def user(self) -> str:
        """The user that the key names; there is no other way to name one."""
        return self.caller.user

    @property
    def space(self) -> Space:
        """The paths of the user."""
        return self.server.home.space(self.user)

    @property
    def asker(self) -> Asker:
        """Who waits in line."""
        return Asker(self.caller.user, self.caller.key_id)

    async def read(self, call: Callable[..., Any], *arguments: Any) -> Response:
        """Return a JSON response with what `call(opened, *arguments)` returns, which reads the user's stores.

        It runs in another process if there are readers: `call` is a function of a module, `arguments` are values.
        """
        server = self.server
        job = Job(self.user, server.pool.epoch(self.user), self.request_id, call, arguments)
        if server.readers.ready and (found := await server.readers.read(self.asker, job)) is not None:
            kind = MEDIA_TYPE if found.failed else "application/json"
            return Response(found.body, found.status, dict(found.headers), kind)

        def run() -> bytes:
            with server.pool.use(self.user) as opened:
                return in_this_process(opened, job)

        return Response(await server.work.read(self.asker, run), media_type="application/json")

    async def write(self, call: Callable[..., Any], *arguments: Any) -> Response:
        """Return a JSON response with what `ServerState.write` returns."""
        found = await self.server.write(self.user, call, *arguments, request_id=self.request_id)
        return Response(as_json(found), media_type="application/json")

    async def write_together(self, call: Writes, item: Any) -> Response:
        """Return a JSON response with what `ServerState.write_together` returns."""
        found = await self.server.write_together(self.user, call, item, request_id=self.request_id)
        return Response(as_json(found), media_type="application/json")

    async def forget(self, call: Callable[..., Any], *arguments: Any) -> Response:
        """Return a JSON response with what `ServerState.forget` returns."""
        found = await self.server.forget(self.user, call, *arguments, request_id=self.request_id)
        return Response(as_json(found), media_type="application/json")

    async def here(self, call: Callable[[], Any], status: int = 200) -> Response:
        """Return a JSON response with what a call returns that changes what only this process has, such as keys."""
        body = await self.server.work.write(self.user, lambda: as_json(call()))
        return Response(body, status, media_type="application/json")


def context_of(request: Request) -> Context:
    """Return the context of a request.

    Raises:
        ProblemError: 401 if nothing before has found out who sends it.
    """
    caller = request.scope.get("state", {}).get("caller")
    if not isinstance(caller, Caller):
        raise ProblemError(401, "a key is needed")
    return Context(request.app.state.server, caller, request.scope["state"].get("request_id", ""))


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
