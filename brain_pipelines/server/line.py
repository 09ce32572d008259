"""A bounded line for calls that wait, served in turn: one call of each user, and of a user one of each key.

A client that sends a thousand questions at once therefore waits behind itself: the next question of another user, or
of another key, is the next but one that is answered.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from brain_pipelines.server.problems import ProblemError

RETRY_SECONDS = "2"


@dataclass(frozen=True)
class Asker:
    """Who waits: a user, and by which key."""

    user: str = ""
    key: str = ""


class Line:
    """At most `slots` calls run, `most` run or wait, and `most_each` of one key wait. For one event loop."""

    def __init__(self, *, slots: int, most: int, most_each: int) -> None:
        self._slots, self._most, self._most_each = slots, most, most_each
        self._running = self._waiting = 0
        # by user and key; the first of each is the next in turn
        self._users: dict[str, dict[str, deque[asyncio.Future[None]]]] = {}

    def __len__(self) -> int:
        """Return how many calls run or wait."""
        return self._running + self._waiting

    @asynccontextmanager
    async def turn(self, asker: Asker) -> AsyncIterator[None]:
        """Wait for a turn, and hold it.

        Raises:
            ProblemError: 503 if too many wait already, in all or with this key.
        """
        if self._running >= self._slots or self._waiting:
            await self._wait(asker)
        else:
            self._running += 1
        try:
            yield
        finally:
            self._running -= 1
            self._pass_on()

    async def _wait(self, asker: Asker) -> None:
        own = self._users.get(asker.user, {}).get(asker.key, ())
        if (full := len(self) >= self._most) or len(own) >= self._most_each:
            whose = "" if full else " with this key"
            raise ProblemError(503, f"too many requests{whose} are waiting", headers={"Retry-After": RETRY_SECONDS})
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._users.setdefault(asker.user, {}).setdefault(asker.key, deque()).append(mine)
        self._waiting += 1
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():  # its turn had come in the same moment
                self._running -= 1
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        while self._running < self._slots and self._users:
            mine = self._next()
            self._waiting -= 1
            if not mine.done():  # a client that has gone has cancelled its own
                self._running += 1
                mine.set_result(None)

    def _next(self) -> asyncio.Future[None]:
        user, keys = next(iter(self._users.items()))
        key, waiting = next(iter(keys.items()))
        mine = waiting.popleft()
        del keys[key], self._users[user]
        if waiting:
            keys[key] = waiting  # behind the other keys of the user
        if keys:
            self._users[user] = keys  # behind the other users
        return mine
