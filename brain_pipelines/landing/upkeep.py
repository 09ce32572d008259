"""Regular work on what was received: bytes of deleted sources that are no longer kept, and the daily backup."""

from datetime import UTC, datetime, timedelta

from brain_pipelines.landing.backup import back_up
from brain_pipelines.landing.landing import open_landing
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings


def keep_up(space: Space, settings: Settings, now: datetime | None = None) -> dict[str, int]:
    """Purge deleted sources that are no longer kept, and back up; return counts.

    Raises:
        sqlite3.DatabaseError: a database is damaged; the backups stay as they are.
    """
    moment = now or datetime.now(UTC)
    with open_landing(space, settings) as landing:
        purged = landing.purge_removed(moment - timedelta(days=settings.deletion.keep_days))
        blank = landing.is_blank()
    made = None if blank else back_up(space, kept=settings.backup.kept, now=moment)
    return {"purged_sources": purged, "backups": int(made is not None)}
