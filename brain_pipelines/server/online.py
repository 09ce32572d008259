"""Checks of claims that look online: asked over HTTP, by an agent, or on the page.

Each is one request with a deadline. A few run at a time, one of a user; it ends early when who asked has gone. What a
request may spend is bounded by the settings: it can ask for less, never for more.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio.to_thread
from fastapi import Request

from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings

if TYPE_CHECKING:
    from brain_pipelines.ingest.evidence.report import OnlineReport

AT_ONCE = 2  # of all users of this process
LOOK_SECONDS = 0.5  # between two looks whether who asked is still there
NOT_SET = "no search provider is set up on this server: see [evidence.online] in the settings"


class NotSetUpError(BrainError):
    """No search provider is configured, so nothing is looked up."""

    exit_code = 5


class BusyError(BrainError):
    """Other checks run."""

    exit_code = 7


@dataclass(frozen=True)
class Asked:
    """What a request asks for. `limits` has names of `OnlineSettings`; None leaves one as it is set."""

    claim: str
    as_of: str | None = None
    limit: int = 10
    again: bool = False
    limits: Mapping[str, float | None] = field(default_factory=dict)


_running: set[tuple[str, str]] = set()  # home and user
_lock = threading.Lock()


def is_set_up(settings: Settings) -> bool:
    """Return whether a claim can be looked up."""
    online = settings.evidence.online
    return bool(online.search or online.trusted)


def look_online(home: Home, user: str, asked: Asked, left: threading.Event | None = None) -> "OnlineReport":
    """Return the report on a claim after looking online; blocks until its deadline at most.

    Args:
        left: set when who asked has gone; no further request is begun then.

    Raises:
        NotSetUpError: there is no search provider.
        BusyError: this user's check runs, or as many as may.
        BrainError: see `check_online`.
    """
    from brain_pipelines.ingest.evidence.online import check_online
    from brain_retrieval.settings import load_settings

    settings = load_settings(home.path)
    if not is_set_up(settings):
        raise NotSetUpError(NOT_SET)
    own = settings.evidence.online
    limits = {name: min(value, getattr(own, name)) for name, value in asked.limits.items() if value is not None}
    gone = left or threading.Event()
    with _turn(home, user):
        options = {"as_of": asked.as_of, "limit": asked.limit, "again": asked.again, "limits": limits}
        return check_online(home, user, asked.claim, **options, left=gone.is_set)


async def looked_online(request: Request, home: Home, user: str, asked: Asked) -> "OnlineReport":
    """Return what `look_online` does, run in a thread of its own; it ends early if the client leaves.

    It takes no thread of reads or writes, and no turn among the user's writes: only its pages are written in turn.
    """
    async with _watched(request) as left:
        return await anyio.to_thread.run_sync(lambda: look_online(home, user, asked, left))


@contextmanager
def _turn(home: Home, user: str) -> Iterator[None]:
    key = (str(home.path), user)
    with _lock:
        if key in _running:
            raise BusyError("another claim of this user is being looked up; ask again when it is done")
        if len(_running) >= AT_ONCE:
            raise BusyError(f"{AT_ONCE} claims are being looked up on this server; ask again later")
        _running.add(key)
    try:
        yield
    finally:
        with _lock:
            _running.discard(key)


@asynccontextmanager
async def _watched(request: Request) -> AsyncIterator[threading.Event]:
    """Yield an event that is set when the client of a request has gone."""
    left = threading.Event()

    async def watch() -> None:
        while not await request.is_disconnected():
            await asyncio.sleep(LOOK_SECONDS)
        left.set()

    watching = asyncio.create_task(watch())
    try:
        yield left
    except BaseException:
        left.set()
        raise
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
