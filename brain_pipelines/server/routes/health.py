"""Health: whether the server answers, whether models are loaded, and how long work has been waiting. No user's data."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from brain_pipelines.server.log import log_failure
from brain_pipelines.server.state import ServerState, example
from brain_retrieval import __version__
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings

EVERY_SECONDS = 30.0
router = APIRouter(tags=["health"])
# The oldest of the days that await a run, each as old as the newest item in it.
_WAITING = """
SELECT count(*), min(newest) FROM (
  SELECT max(item.received_at) AS newest FROM dirty
  LEFT JOIN item ON item.source = dirty.source AND max(item.event_day, ?) = dirty.day
  GROUP BY dirty.source, dirty.day)
"""


@dataclass(frozen=True)
class Freshness:
    """Work that waits, over all users."""

    waiting_days: int = 0
    oldest_waiting_seconds: float = 0.0
    failed_days: int = 0
    oldest_snapshot_days: int | None = None
    unreadable: int = 0  # users whose stores cannot be read


class Watch:
    """Measures the freshness now and then, so that a health check costs nothing."""

    def __init__(self, home: Home, settings: Settings) -> None:
        self._home, self._settings = home, settings
        self.last: Freshness | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self, run: Callable[[Callable[[], Freshness]], Awaitable[Freshness]]) -> None:
        """Begin; `run` runs a blocking call in a thread."""
        self._task = asyncio.create_task(self._run(run))

    async def stop(self) -> None:
        """End it."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def measure(self) -> Freshness:
        """Return the freshness now."""
        now, found = datetime.now(UTC), Freshness()
        for user in self._home.users():
            try:
                found = _joined(found, _of_user(self._home.space(user), self._settings, now))
            except Exception as error:  # one damaged store must not hide the others
                log_failure({}, error)
                found = _joined(found, Freshness(unreadable=1))
        return found

    async def _run(self, run: Callable[[Callable[[], Freshness]], Awaitable[Freshness]]) -> None:
        while True:
            try:
                self.last = await run(self.measure)
            except Exception as error:
                log_failure({}, error)
            await asyncio.sleep(EVERY_SECONDS)


@router.get("/health", responses=example({"status": "ok", "models": "ready", "waiting_days": 0}))
async def health(request: Request) -> Response:
    """Return "ok", "starting", "behind" or, with status 503, "failing"."""
    server: ServerState = request.app.state.server
    fresh: Freshness | None = request.app.state.watch.last
    status = _status(server, fresh)
    value: dict[str, Any] = {
        "status": status,
        "version": __version__,
        "models": server.warm.state,
        "readers": server.readers.ready,
        "requests": server.work.in_line + len(server.readers),
        "uploads_waiting": server.queue.waiting(),
        **({} if fresh is None else vars(fresh)),
    }
    if server.warm.reason:
        value["reason"] = server.warm.reason
    return JSONResponse(value, 503 if status == "failing" else 200)


def _status(server: ServerState, fresh: Freshness | None) -> str:
    if server.warm.state == "failed" or (fresh is not None and fresh.unreadable):
        return "failing"
    if fresh is None or server.warm.state == "loading":
        return "starting"
    late = fresh.oldest_waiting_seconds > server.settings.server.behind_seconds
    return "behind" if late or fresh.failed_days else "ok"


def _of_user(space: Space, settings: Settings, now: datetime) -> Freshness:
    from brain_pipelines.landing.landing_store import LandingStore
    from brain_retrieval.stores.catalog import Catalog
    from brain_retrieval.stores.snapshots import SnapshotStore

    waiting, oldest, failed = 0, None, 0
    if space.landing.is_file():
        with LandingStore(space, settings.first_day) as landing:
            waiting, oldest = landing.rows(_WAITING, (settings.first_day.isoformat(),))[0]
    if space.catalog.is_file():
        with Catalog(space) as catalog:
            failed = len({(row.source, row.day) for row in catalog.ledger(state="failed")})
    newest = SnapshotStore(space).newest() if space.knowledge.is_dir() else None
    return Freshness(
        waiting_days=waiting,
        oldest_waiting_seconds=0.0 if oldest is None else round((now - datetime.fromisoformat(oldest)).total_seconds()),
        failed_days=failed,
        oldest_snapshot_days=None if newest is None else (now.date() - datetime.fromisoformat(newest).date()).days,
    )


def _joined(one: Freshness, other: Freshness) -> Freshness:
    ages = [age for age in (one.oldest_snapshot_days, other.oldest_snapshot_days) if age is not None]
    return Freshness(
        one.waiting_days + other.waiting_days,
        max(one.oldest_waiting_seconds, other.oldest_waiting_seconds),
        one.failed_days + other.failed_days,
        max(ages, default=None),
        one.unreadable + other.unreadable,
    )
