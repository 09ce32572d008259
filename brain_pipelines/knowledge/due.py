"""Which users need a snapshot: those with something new since their last, and, so that snapshots do not grow old, the
rest
every few days. Between snapshots salience is still exact: it is a formula of the time.
"""

from datetime import date, timedelta

from brain_pipelines.knowledge.run_snapshot import end_of, lake_hash
from brain_pipelines.knowledge.team_sources import SharedSources
from brain_retrieval.home import Home, Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake

FINGERPRINT = "snapshot_fingerprint"
INCOMPLETE = "incomplete"  # no hash is this, so the next snapshot is due
TABLES = tuple((table, None) for table in ("text", "mentions", "entities", "facts", "enrichments"))


def fingerprint(space: Space, settings: Settings, catalog: Catalog, day: str) -> str:
    """Return a hash of all that the snapshot of `day` may depend on but the date: stores, access log, code,
    settings.
    """
    from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
    from brain_retrieval.stores.access_log import AccessLog

    with AccessLog(space) as log:
        accesses = log.count(end_of(day, settings))
    return stable_hash(
        [
            lake_hash(catalog, TABLES),
            SharedSources(space, settings).content_hash(TABLES),
            accesses,
            settings.time_zone,
            [[stage.code_version, stage.config(settings, space.user)] for stage in SNAPSHOT_STAGES],
        ]
    )


def remember(space: Space, settings: Settings, catalog: Catalog, day: str, *, settled: bool) -> None:
    """Note what the snapshot of `day` was made of; if more has come than it knows, that another is due."""
    whole = settled and not _has_later(space, settings, catalog, day)
    catalog.set_meta(FINGERPRINT, f"{day} {fingerprint(space, settings, catalog, day) if whole else INCOMPLETE}")


def _has_later(space: Space, settings: Settings, catalog: Catalog, day: str) -> bool:
    """Tell whether anything was received after the day: a snapshot at 03:00 is of the day that ended at midnight."""
    import polars as pl

    received = pl.DataFrame(Lake(space, catalog).read("text", columns=["source", "source_id", "received_at"]))
    known = SharedSources(space, settings).add_to(received, "text")
    return not known.filter(pl.col("received_at") >= end_of(day, settings)).is_empty()


def is_due(space: Space, settings: Settings, day: str) -> bool:
    """Tell whether a user needs a snapshot of `day`: a user without anything never does."""
    if not space.catalog.is_file():
        return False
    with Catalog(space) as catalog:
        if not any(catalog.lake_files(table) for table, _ in TABLES) and not SharedSources(space, settings).wanted:
            return False
        stored = (catalog.get_meta(FINGERPRINT) or "").split(" ")
        if len(stored) != 2 or stored[1] != fingerprint(space, settings, catalog, day):
            return True
    oldest = date.fromisoformat(day) - timedelta(days=settings.knowledge.refresh_days)
    return date.fromisoformat(stored[0]) <= oldest


def due_users(home: Home, settings: Settings, day: str) -> list[str]:
    """Return the users that need a snapshot of `day`, sorted."""
    return [user for user in home.users() if is_due(home.space(user), settings, day)]
