"""Blocking calls in bounded threads: searches beside each other, the writes of one user one after another.

What runs in the background has a thread of its own, so that a message never waits for the stages of a large upload.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar
from weakref import WeakValueDictionary

import anyio.to_thread
from anyio import CapacityLimiter

from brain_pipelines.server.problems import ProblemError

Answer = TypeVar("Answer")


class Work:
    """Threads for reads and for writes; a write never takes the thread of a read."""

    def __init__(self, *, readers: int, writers: int, waiting: int) -> None:
        self._reads, self._writes = CapacityLimiter(readers), CapacityLimiter(writers)
        self._files = CapacityLimiter(readers)  # pieces of uploads: short, and many
        self._background = CapacityLimiter(1)
        self._waiting = waiting
        self._in_line = 0
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def read(self, call: Callable[[], Answer]) -> Answer:
        """Return what a blocking call returns.

        Raises:
            ProblemError: 503 if too many requests wait already.
        """
        return await self._counted(lambda: anyio.to_thread.run_sync(call, limiter=self._reads))

    async def write(self, user: str, call: Callable[[], Answer]) -> Answer:
        """Return what a call that changes a user's stores returns; calls for one user run in the order they came."""

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
        return self._in_line

    async def _counted(self, start: Callable[[], Awaitable[Answer]]) -> Answer:
        if self._in_line >= self._waiting:
            raise ProblemError(503, "too many requests are waiting", headers={"Retry-After": "2"})
        self._in_line += 1
        try:
            return await start()
        finally:
            self._in_line -= 1
