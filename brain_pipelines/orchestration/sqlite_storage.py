"""Dagster's SQLite storage with open connections: an event costs a fifth of what it costs with Dagster's own class.

Dagster makes an engine and a connection for every statement, so each is compiled again and each close writes the log
back into the database. Here one engine stays open for each database in use. The tables are those of Dagster's class,
whose databases this one opens; events are stored in a short form that only this class reads (`storage/packing.py`).
It overrides private methods of Dagster (hence the exact version pin);
`tests/pipelines/orchestration/test_sqlite_storage.py` covers them.
"""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar, cast

from dagster._core.events import ASSET_CHECK_EVENTS, ASSET_EVENTS, EVENT_TYPE_TO_PIPELINE_RUN_STATUS
from dagster._core.events.log import EventLogEntry
from dagster._core.storage.event_log.schema import (
    SqlEventLogStorageTable,
)
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME, SqliteEventLogStorage
from dagster._core.storage.runs.sqlite.sqlite_run_storage import SqliteRunStorage
from dagster._core.storage.schedules.sqlite.sqlite_schedule_storage import SqliteScheduleStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS, create_db_conn_string
from dagster._core.storage.sqlite_storage import (
    DagsterSqliteStorage,
    SqliteStorageConfig,
    _event_logs_directory,
    _runs_directory,
    _schedule_directory,
)
from dagster._serdes import ConfigurableClassData
from sqlalchemy import create_engine, event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import NullPool

from brain_pipelines.orchestration.empty_databases import copy_empty, is_made
from brain_pipelines.orchestration.storage.batches import BatchedEventLog, store_events_in_batches
from brain_pipelines.orchestration.storage.done_status import LedgerStatus
from brain_pipelines.orchestration.storage.packing import pack_events

_INSERT = SqlEventLogStorageTable.insert()
MAX_RUN_ENGINES = 4  # a run has a database of its own; only the runs now going on need an open one


def open_engine(conn_string: str) -> Engine:
    """Return an engine that keeps its connections open and stores events in their short form."""
    engine = create_engine(conn_string, connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS})
    event.listen(engine, "connect", _relax)
    pack_events(engine)
    return engine


def _relax(connection: sqlite3.Connection, _record: Any) -> None:
    # With a write-ahead log nothing is damaged by a power cut, only the newest events are lost; stores of the user's
    # data are not opened here.
    connection.execute("PRAGMA synchronous=NORMAL")


class _OneEngine:
    """Connections of one engine that stays open."""

    _engine: Engine

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        with self._engine.begin() as connection:
            yield connection

    def dispose(self) -> None:
        self._engine.dispose()


class OpenRunStorage(_OneEngine, SqliteRunStorage):
    """The runs, over one engine."""

    def __init__(self, conn_string: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engine = open_engine(conn_string)
        super().__init__(conn_string, inst_data)


class OpenScheduleStorage(_OneEngine, SqliteScheduleStorage):
    """The state and ticks of schedules and sensors, over one engine."""

    def __init__(self, conn_string: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engine = open_engine(conn_string)
        super().__init__(conn_string, inst_data)


_Storage = TypeVar("_Storage", OpenRunStorage, OpenScheduleStorage)


class OpenEventLogStorage(LedgerStatus, BatchedEventLog, SqliteEventLogStorage):
    """The event logs: an engine for the index of all runs and one for each of the last runs."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines: OrderedDict[str, Engine] = OrderedDict()
        self._tables: set[str] = set()  # those that are known to exist; Dagster asks before most statements
        self._engines_lock = threading.Lock()  # not the one held while a connection is in use
        index = Path(base_dir) / f"{INDEX_SHARD_NAME}.db"
        if not index.exists():
            copy_empty(index, INDEX_SHARD_NAME, lambda new: _make_index(new.parent))
        super().__init__(base_dir, inst_data)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            engine = self._engine(shard)
            if shard not in self._initialized_dbs:
                self._initdb(engine, for_index_shard=shard == INDEX_SHARD_NAME)
                self._initialized_dbs.add(shard)
            with engine.begin() as connection:
                yield connection

    def store_event(self, event: EventLogEntry) -> None:
        """Store an event in the log of its run, and in the index if it is of an asset, a check or a run as a whole."""
        kind = event.dagster_event_type
        if kind in ASSET_EVENTS:
            self._store_asset_events(event.run_id, [event])
            return
        row = self._event_to_row(event)
        with self.run_connection(event.run_id) as connection:
            connection.execute(_INSERT, row)
        if kind in ASSET_CHECK_EVENTS or kind in EVENT_TYPE_TO_PIPELINE_RUN_STATUS:
            with self.index_transaction() as connection:
                event_id = connection.execute(_INSERT, row).lastrowid
            if kind in ASSET_CHECK_EVENTS:
                self.store_asset_check_event(event, event_id)

    def store_event_batch(self, events: Sequence[EventLogEntry]) -> None:
        """Store the materialisations of a run, planned or done, in one transaction; other events one by one."""
        of_assets = [one for one in events if one.dagster_event_type in ASSET_EVENTS]
        for run_id, found in groupby(of_assets, key=lambda one: one.run_id):
            self._store_asset_events(run_id, list(found))
        for one in events:
            if one.dagster_event_type not in ASSET_EVENTS:
                self.store_event(one)

    def _store_asset_events(self, run_id: str, events: Sequence[EventLogEntry]) -> None:
        rows = [self._event_to_row(event) for event in events]
        with self.run_connection(run_id) as connection:
            connection.execute(_INSERT, rows)
        with self.index_transaction() as connection:
            ids = [connection.execute(_INSERT, row).lastrowid for row in rows]
            self._store_assets(connection, events, ids)

    def _initdb(self, engine: Engine, for_index_shard: bool = False) -> None:
        path = Path(engine.url.database or "")
        if not for_index_shard and not path.exists():
            copy_empty(path, "run", self._make_run_log, keeps=True)
        if not is_made(path, "event_logs"):
            super()._initdb(engine, for_index_shard)

    def _make_run_log(self, path: Path) -> None:
        engine = create_engine(f"sqlite:///{path}", poolclass=NullPool)
        super()._initdb(engine)
        engine.dispose()

    def has_table(self, table_name: str) -> bool:
        if table_name not in self._tables:
            with self._engine(INDEX_SHARD_NAME).connect() as connection:
                if not connection.dialect.has_table(connection, table_name):
                    return False
            self._tables.add(table_name)
        return True

    def wipe(self) -> None:
        self._close_engines()
        self._tables.clear()
        super().wipe()

    def dispose(self) -> None:
        super().dispose()
        self._close_engines()

    def _close_engines(self) -> None:
        with self._engines_lock:
            for engine in self._engines.values():
                engine.dispose()
            self._engines.clear()

    def _engine(self, shard: str) -> Engine:
        with self._engines_lock:
            if shard not in self._engines:
                self._engines[shard] = open_engine(self.conn_string_for_shard(shard))
            self._engines.move_to_end(shard)
            if len(self._engines) > MAX_RUN_ENGINES + 1:
                oldest = next(name for name in self._engines if name != INDEX_SHARD_NAME)
                self._engines.pop(oldest).dispose()
            return self._engines[shard]


def _opened(storage: type[_Storage], base_dir: str, name: str, table: str) -> _Storage:
    """Open the database `name` of a directory; make it if it is missing. `table` is one that it has to have."""
    path = Path(base_dir) / f"{name}.db"
    if not path.exists():
        copy_empty(path, name, lambda new: storage.from_local(str(new.parent)).dispose())
    if is_made(path, table):
        return storage(create_db_conn_string(base_dir, name))
    return cast("_Storage", storage.from_local(base_dir))


def _make_index(folder: Path) -> None:
    """Let Dagster's own class make the index of all runs in a folder."""
    SqliteEventLogStorage(str(folder)).dispose()


class OpenSqliteStorage(DagsterSqliteStorage):
    """The three storages below one directory; `storage.custom` in dagster.yaml names this class."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        store_events_in_batches()
        super(DagsterSqliteStorage, self).__init__()  # its own constructor would open Dagster's classes first
        self.base_dir, self._inst_data = base_dir, inst_data
        self._run_storage = _opened(OpenRunStorage, _runs_directory(base_dir), "runs", "instance_info")
        self._event_log_storage = OpenEventLogStorage(_event_logs_directory(base_dir))
        self._schedule_storage = _opened(OpenScheduleStorage, _schedule_directory(base_dir), "schedules", "job_ticks")

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: SqliteStorageConfig
    ) -> "OpenSqliteStorage":
        return cls.from_local(inst_data=inst_data, **config_value)
