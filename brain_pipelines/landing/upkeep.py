"""Regular work on what was received: bytes of deleted sources that are no longer kept, and the daily backup."""

from datetime import UTC, datetime, timedelta

from brain_pipelines.landing.landing import open_landing
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings


def keep_up(space: Space, settings: Settings, now: datetime | None = None) -> dict[str, int]:
    """Purge deleted sources that are no longer kept; return counts."""
    moment = now or datetime.now(UTC)
    with open_landing(space, settings) as landing:
        purged = landing.purge_removed(moment - timedelta(days=settings.deletion.keep_days))
    return {"purged_sources": purged}
