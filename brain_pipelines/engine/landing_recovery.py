"""Recovery of a landing record that is lost, damaged or older than the lake: from the newest backup, then the lake.

The lake holds every item that a run has read, with the time at which it was received. What landed after the backup is
taken from there; only the receipt times of files that no run has read are lost, and become the time of the recovery.
"""

import logging
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from brain_pipelines.engine.healing import queue_everything
from brain_pipelines.engine.recovery import Recovery
from brain_pipelines.landing.adoption import adopt
from brain_pipelines.landing.backup import LANDING, TRUST, Backup, newest_sound, put_back, set_aside, tombstones_of
from brain_pipelines.landing.landing import Landing, open_landing
from brain_retrieval.errors import StoreError, UnusableHomeError
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.locking import writer_lock

LOGGER = logging.getLogger(__name__)
COLUMNS = ("source_id", "source", "uri", "day", "event_at", "received_at", "event_from", "sha256", "bytes", "item")
COLUMNS += ("name", "parent_id", "meta")


def ensure_landing(space: Space, settings: Settings) -> Recovery | None:
    """Recover the landing record if it is lost although something had landed; None if it is not.

    Without this a scan would take every file as received now. Cheap: two queries.

    Raises:
        StoreError: the record is damaged; `brain doctor` recovers it.
    """
    restore_trust(space)
    with open_landing(space, settings) as landing:
        if not landing.is_blank() or not (_in_lake(space) or newest_sound(space)):
            return None
    if tombstones_of(space.landing):  # everything was forgotten
        return None
    with writer_lock(space):
        with open_landing(space, settings) as landing:
            if not landing.is_blank():  # another process was faster
                return None
        return recover(space, settings)


def recover(space: Space, settings: Settings, backup: Backup | None = None) -> Recovery:
    """Replace the landing record by a backup (default: the newest sound one) and add what the lake has beyond it.

    The record that is there is moved to `damaged/`. Every landed day is queued; a run skips what is unchanged.
    """
    restore_trust(space)
    with writer_lock(space):
        newest = newest_sound(space)
        stones = tombstones_of(space.landing) or (tombstones_of(newest.folder / LANDING) if newest else {})
        chosen = backup or newest
        if chosen is not None:
            put_back(space, chosen)
        else:
            set_aside(space, space.landing)
        with open_landing(space, settings) as landing:
            landing.forget_buried(stones)
            of_backup = landing.size()["items"]
            return _complete(landing, chosen, of_backup, stones)


def restore_trust(space: Space) -> bool:
    """Put the record of trust back from the newest backup if it is lost; return whether it was."""
    if (space.landing.parent / TRUST).exists() or not space.backups.is_dir():
        return False
    backup = newest_sound(space, TRUST)
    if backup is not None:
        with writer_lock(space):
            put_back(space, backup, TRUST)
        LOGGER.warning("%s: the record of trust was lost; it is that of %s again", space.user, backup.made_at[:16])
    return backup is not None


def complete(space: Space, settings: Settings) -> Recovery:
    """Add to a landing record that is older than the lake what the lake has beyond it."""
    with writer_lock(space), open_landing(space, settings) as landing:
        return _complete(landing, None, landing.size()["items"], tombstones_of(space.landing))


def missing_from(landing: Landing, catalog: Catalog, now: datetime) -> int:
    """Return how many items of the lake were received after the newest one that the landing record knows."""
    newest = landing.newest_receipt()
    rows, _ = _raw_rows(Lake(landing.space, catalog), catalog, ("received_at",))
    # times of the future are those of a clock that was ahead, and corrected in the record
    return sum(newest < row["received_at"].isoformat() <= now.isoformat() for row in rows)


def _complete(landing: Landing, backup: Backup | None, of_backup: int, stones: Iterable[str]) -> Recovery:
    at, space = datetime.now(UTC).isoformat(), landing.space
    rows, unread = list[dict[str, Any]](), 0
    try:
        with Catalog(space) as catalog:
            rows, unread = _raw_rows(Lake(space, catalog), catalog, COLUMNS)
    except UnusableHomeError:
        raise
    except StoreError as error:
        LOGGER.warning("the receipt times of the lake could not be read: %s", error)
        unread = 1
    of_lake = adopt(landing, rows, set(stones))
    queue_everything(landing)
    recovery = Recovery(at, backup.made_at if backup else None, of_backup, of_lake, unread)
    recovery.record(space)
    LOGGER.warning("%s: %s", space.user, recovery.sentence())
    return recovery


def _in_lake(space: Space) -> bool:
    if not space.catalog.is_file():
        return False
    try:
        with Catalog(space) as catalog:
            return bool(catalog.rows("SELECT 1 FROM lake_file WHERE tbl = 'raw' LIMIT 1"))
    except UnusableHomeError:
        raise
    except StoreError:  # the run moves it aside; the lake cannot be read without it
        return False


def _raw_rows(lake: Lake, catalog: Catalog, columns: tuple[str, ...]) -> tuple[list[dict[str, Any]], int]:
    """Return the rows of the raw table, and how many files of it cannot be read."""
    rows, unread = list[dict[str, Any]](), 0
    for file in catalog.lake_files("raw"):
        try:
            rows += lake.read_files("raw", [file], columns=columns).to_pylist()
        except UnusableHomeError:
            raise
        except StoreError:
            unread += 1
    return rows, unread
