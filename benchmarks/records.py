"""Growth of Dagster's records: bytes a day of one user with daily material, before and after the nightly removal.

    python benchmarks/records.py [--days 20] [--storage sqlite|postgres]

Each day brings a note and a message, whose runs and the nightly snapshot are recorded in a Dagster instance with the
configuration of `brain init`. Sizes are those of all files of the instance beyond an empty one, and of the database if
that is PostgreSQL: as it is found, and after the removal without the room of removed rows, which new rows take.
"""

import argparse
import os
import sqlite3
import sys
import tempfile
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

SOURCES = {
    "note": "Tea with Priya Raman about the plan of day {n}.\n",
    "message": "The order of day {n} has arrived.\n",
}
FIRST = date(2026, 1, 1)


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder, logs of databases written back first."""
    for path in folder.rglob("*.db"):
        with closing(sqlite3.connect(path, timeout=10)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) + database_size()


def database_size(*, compact: bool = False) -> int:
    """Return the bytes of the PostgreSQL database that the environment names; `compact` gives back unused room."""
    if "PGDATABASE" not in os.environ:
        return 0
    import psycopg2  # only with the extra that brings PostgreSQL

    with closing(psycopg2.connect("")) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            if compact:
                cursor.execute("VACUUM FULL")
            cursor.execute("SELECT pg_database_size(current_database())")
            return int((cursor.fetchone() or (0,))[0])


def live(home_path: Path, days: int, storage: str) -> tuple[int, int, int, int]:
    """Run `days` days; return bytes before and after the removal of all runs, runs, and asset-partitions."""
    from benchmarks.orchestration import set_up_instance
    from brain_pipelines.ingest.local_runs import launch, open_instance
    from brain_pipelines.landing.landing import open_landing
    from brain_pipelines.landing.run_planning import SpanRequest
    from brain_pipelines.landing.scan import scan_inbox
    from brain_pipelines.orchestration.records import purge
    from brain_retrieval.home import Home
    from brain_retrieval.settings import RecordSettings, load_settings

    set_up_instance(home_path, storage)
    home, user, runs = Home(home_path), "bench", 0
    with open_instance(home_path) as instance:
        folder = Path(instance.root_directory)
        database_size(compact=True)
        empty = size_of(folder)
        for n in range(days):
            day = (FIRST + timedelta(days=n)).isoformat()
            for source, text in SOURCES.items():
                path = home.inbox / user / source / f"{day}.md"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.format(n=n), "utf-8")
            space = home.space(user)
            with open_landing(space, load_settings(home_path)) as landing:
                scan_inbox(space, landing, until=float("inf"), settle_seconds=0)
            requests = [SpanRequest(user, name, day, day, (day,), "") for name in (*SOURCES, "nightly")]
            runs += sum(outcome.success for outcome in launch(home, instance, requests))
        events = instance.event_log_storage.get_asset_records()
        partitions = sum(len(instance.get_materialized_partitions(one.asset_entry.asset_key)) for one in events)
        before = size_of(folder) - empty
        purge(instance, RecordSettings(), now=datetime.now(UTC) + timedelta(days=365))
        database_size(compact=True)
        return before, size_of(folder) - empty, runs, partitions


def main() -> None:
    """Print four lines."""
    from benchmarks.orchestration import server

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--storage", choices=["sqlite", "postgres"], default="sqlite")
    args = parser.parse_args()
    days = args.days
    with tempfile.TemporaryDirectory() as folder, server(args.storage):
        before, after, runs, partitions = live(Path(folder), days, args.storage)
    print(f"{days} days, {runs} runs, {partitions} asset-partitions")
    print(f"before: {before / days / 1e3:.0f} kB a day, {before / partitions / 1e3:.1f} kB an asset-partition")
    print(f"after:  {after / days / 1e3:.0f} kB a day, {after / partitions / 1e3:.1f} kB an asset-partition")
    print(f"a year with the default of 7 days: {(before * 7 + after * 358) / days / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
