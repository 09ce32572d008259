"""Blocking calls in bounded threads: searches beside each other, the writes of one user one after another.

What runs in the background has a thread of its own, so that a message never waits for the stages of a large upload.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar
from weakref import WeakValueDictionary

import anyio.to_thread
from anyio import CapacityLimiter

from brain_pipelines.server.line import RETRY_SECONDS, Asker, Line
from brain_pipelines.server.problems import ProblemError
from brain_retrieval.settings.server import ServerSettings

Answer = TypeVar("Answer")


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
