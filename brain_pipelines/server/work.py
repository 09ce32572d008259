"""Blocking calls in bounded threads: searches beside each other, the writes of one user one after another.

What runs in the background has a thread of its own, so that a message never waits for the stages of a large upload.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import anyio.to_thread
from anyio import CapacityLimiter

from brain_pipelines.server.line import RETRY_SECONDS, Asker, Line
from brain_pipelines.server.problems import ProblemError
from brain_retrieval.settings.server import ServerSettings

Answer = TypeVar("Answer")
Item = TypeVar("Item")

MOST_TOGETHER = 64  # items of one call, which the process that writes holds in memory at once


class Work:
    """Threads for reads and for writes; a write never takes the thread of a read."""

    def __init__(self, limits: ServerSettings) -> None:
        self._reads, self._writes = CapacityLimiter(limits.threads), CapacityLimiter(limits.write_threads)
        self._files = CapacityLimiter(limits.threads)  # pieces of uploads: short, and many
        self._background = CapacityLimiter(1)
        self._line = Line(slots=limits.threads, most=limits.waiting, most_each=limits.waiting_of_key)
        self._most_writes = limits.waiting
        self._writing = 0
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._waiting: dict[tuple[str, str], list[tuple[Any, asyncio.Future[Any]]]] = {}  # by user and kind
        self._tasks: set[asyncio.Task[None]] = set()

    async def read(self, asker: Asker, call: Callable[[], Answer]) -> Answer:
        """Return what a blocking call returns.

        Raises:
            ProblemError: 503 if too many requests wait already.
        """
        async with self._line.turn(asker):
            return await anyio.to_thread.run_sync(call, limiter=self._reads)

    async def write(self, user: str, call: Callable[[], Answer]) -> Answer:
        """Return what a call that changes a user's stores returns; calls for one user run in the order they came.

        Raises:
            ProblemError: 503 if too many requests wait already.
        """

        async def in_turn() -> Answer:
            lock = self._locks.setdefault(user, asyncio.Lock())
            async with lock:
                return await anyio.to_thread.run_sync(call, limiter=self._writes)

        return await self._counted(in_turn)

    async def write_together(
        self, user: str, kind: str, item: Item, call: Callable[[list[Item]], list[Answer]]
    ) -> Answer:
        """Return what `call` has for an item, as `write` does; items that wait for their turn are given it at once.

        Args:
            kind: items of one kind are given to the same call.
            call: returns one answer for each item, in their order.

        Raises:
            ProblemError: 503 if too many requests wait already.
        """

        async def joined() -> Answer:
            waiting, mine = self._waiting.setdefault((user, kind), []), asyncio.get_running_loop().create_future()
            waiting.append((item, mine))
            if len(waiting) == 1:
                self._begin(user, kind, call)
            return await mine

        return await self._counted(joined)

    def _begin(self, user: str, kind: str, call: Callable[[list[Any]], list[Any]]) -> None:
        task = asyncio.create_task(self._write_waiting(user, kind, call))
        self._tasks.add(task)  # or it could be collected as garbage before its end
        task.add_done_callback(self._tasks.discard)

    async def _write_waiting(self, user: str, kind: str, call: Callable[[list[Any]], list[Any]]) -> None:
        """Take a user's turn, with the items that wait by then; what is too much for one call takes the next turn."""
        async with self._locks.setdefault(user, asyncio.Lock()):
            every = self._waiting.pop((user, kind))
            waiting, rest = every[:MOST_TOGETHER], every[MOST_TOGETHER:]
            if rest:
                self._waiting[user, kind] = rest
                self._begin(user, kind, call)
            try:
                answers = await anyio.to_thread.run_sync(
                    lambda: call([item for item, _ in waiting]), limiter=self._writes
                )
                if len(answers) != len(waiting):
                    raise RuntimeError(f"{len(answers)} answers for {len(waiting)} items")
            except BaseException as error:
                for _, one in waiting:
                    if not one.done():
                        one.set_exception(error if isinstance(error, Exception) else _ended())
                if not isinstance(error, Exception):
                    raise
            else:
                for (_, one), answer in zip(waiting, answers, strict=True):
                    if not one.done():  # whoever sent it has gone
                        one.set_result(answer)

    async def file(self, call: Callable[[], Answer]) -> Answer:
        """Return what a short call on a file returns."""
        return await anyio.to_thread.run_sync(call, limiter=self._files)

    async def background(self, call: Callable[[], Answer]) -> Answer:
        """Return what a long call returns; one at a time."""
        return await anyio.to_thread.run_sync(call, limiter=self._background)

    @property
    def in_line(self) -> int:
        """How many calls run or wait."""
        return self._writing + len(self._line)

    async def _counted(self, start: Callable[[], Awaitable[Answer]]) -> Answer:
        if self._writing >= self._most_writes:
            raise ProblemError(503, "too many requests are waiting", headers={"Retry-After": RETRY_SECONDS})
        self._writing += 1
        try:
            return await start()
        finally:
            self._writing -= 1


def _ended() -> ProblemError:
    return ProblemError(503, "the server is stopping; send it again", headers={"Retry-After": RETRY_SECONDS})
