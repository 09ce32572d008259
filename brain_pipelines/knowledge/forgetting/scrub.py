"""Removal of what deleted rows leave in a user's files: old lake files, index versions, free pages, drafts, backups."""

import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta

from brain_pipelines.landing.backup import back_up, drop_backups
from brain_pipelines.landing.cleanup import remove_leftovers
from brain_retrieval.home import Space
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.migration import active_index, drop_retired
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_compaction import collect_garbage, rewrite_replaced
from brain_retrieval.stores.sqlite import BUSY_SECONDS

DRAFTS = timedelta(minutes=10)  # older temporary files belong to killed processes
NOW = timedelta()


def scrub(space: Space, catalog: Catalog) -> None:
    """Leave only current rows in the files of a user. Readers in the middle of a query may have to ask again."""
    lake = Lake(space, catalog)
    rewrite_replaced(lake)
    collect_garbage(lake, NOW)
    drop_retired(space, catalog, older_than=NOW)
    index = active_index(space, catalog)
    kept = {f"{index.name}.lance"} if index is not None else set()
    for table in space.index.glob("*.lance"):
        if table.name not in kept:  # begun for another model; the next runs begin it again
            shutil.rmtree(table)
    if index is not None and index.exists():
        index.purge()
    for leftover in ("damaged", "scratch"):
        shutil.rmtree(space.root / leftover, ignore_errors=True)
    remove_leftovers(space, DRAFTS)
    catalog.checkpoint()
    backed_up = drop_backups(space)
    vacuum(space)
    if backed_up:  # with the tombstones, so that a restore does not bring back what was forgotten
        back_up(space, kept=1)


def vacuum(space: Space) -> None:
    """Rewrite every SQLite file of a user without free pages, and empty its write-ahead log."""
    for path in sorted(space.root.rglob("*.sqlite")):
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
