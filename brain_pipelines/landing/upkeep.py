"""Regular work on a user's records: bytes of deleted sources that are no longer kept, the daily backup, the cache of
answers of chat models."""

from datetime import UTC, datetime, timedelta

from brain_pipelines.landing.backup import back_up
from brain_pipelines.landing.landing import open_landing
from brain_retrieval.home import Space
from brain_retrieval.models.chat.chat_cache import ResponseCache
from brain_retrieval.settings import MEGABYTE, Settings


def keep_up(space: Space, settings: Settings, now: datetime | None = None) -> dict[str, int]:
    """Purge deleted sources that are no longer kept, back up, and prune the cache of answers; return counts.

    Raises:
        sqlite3.DatabaseError: a database is damaged; the backups stay as they are.
    """
    moment = now or datetime.now(UTC)
    with open_landing(space, settings) as landing:
        purged = landing.purge_removed(moment - timedelta(days=settings.deletion.keep_days))
        blank = landing.is_blank()
    made = None if blank else back_up(space, kept=settings.backup.kept, now=moment)
    return {
        "purged_sources": purged,
        "backups": int(made is not None),
        "pruned_answers": prune_answers(space, settings),
    }


def prune_answers(space: Space, settings: Settings) -> int:
    """Delete the answers of chat models beyond `costs.cache_days` and `costs.cache_megabytes`; return how many."""
    with ResponseCache(space) as cache:
        if not cache.path.is_file():
            return 0
        most = settings.costs.cache_megabytes * MEGABYTE
        return cache.prune(keep_days=settings.costs.cache_days, most_bytes=most)
