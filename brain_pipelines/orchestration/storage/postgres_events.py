"""Dagster's event log in PostgreSQL with few statements: each stores many rows, and is compiled once.

Dagster's own class stores planned materialisations, and the result of a check of each partition, one by one, each with
an announcement that it no longer reads. Here they are stored together. The results of checks, which Dagster hands over
one by one, wait until this process stores or reads anything else, which it does at the end of each step at the latest.
"""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from dagster import AssetCheckEvaluation, DagsterEventType, DagsterInvariantViolationError
from dagster._core.events import ASSET_CHECK_EVENTS, ASSET_EVENTS
from dagster._core.events.log import EventLogEntry
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus
from dagster._core.storage.event_log.schema import AssetCheckExecutionsTable, SqlEventLogStorageTable
from dagster_postgres.event_log import PostgresEventLogStorage
from sqlalchemy import text
from sqlalchemy.engine import Connection
from sqlalchemy.exc import SQLAlchemyError

from brain_pipelines.orchestration.storage.batches import PLAN_CHECK, BatchedEventLog

MOST_WAITING = 500  # results of checks
_PLANNED = DagsterEventType.ASSET_CHECK_EVALUATION_PLANNED
_INSERT = SqlEventLogStorageTable.insert()
_INSERT_MANY = _INSERT.returning(SqlEventLogStorageTable.c.id, sort_by_parameter_order=True)
_RESULT = AssetCheckExecutionsTable.insert()
_SET_RESULTS = text("""
    UPDATE asset_check_executions AS stored SET
        execution_status = given.execution_status,
        evaluation_event = given.evaluation_event,
        evaluation_event_timestamp = given.evaluation_event_timestamp,
        evaluation_event_storage_id = given.evaluation_event_storage_id,
        materialization_event_storage_id = given.materialization_event_storage_id
    FROM unnest(
        CAST(:asset_key AS text[]), CAST(:check_name AS text[]), CAST(:run_id AS text[]), CAST(:partition AS text[]),
        CAST(:execution_status AS text[]), CAST(:evaluation_event AS text[]),
        CAST(:evaluation_event_timestamp AS timestamp[]), CAST(:evaluation_event_storage_id AS bigint[]),
        CAST(:materialization_event_storage_id AS bigint[])
    ) AS given(
        asset_key, check_name, run_id, partition, execution_status, evaluation_event, evaluation_event_timestamp,
        evaluation_event_storage_id, materialization_event_storage_id
    )
    WHERE stored.asset_key = given.asset_key AND stored.check_name = given.check_name
        AND stored.run_id = given.run_id AND stored.partition IS NOT DISTINCT FROM given.partition
    RETURNING given.evaluation_event_storage_id
""")


class BatchedPostgresEventLog(BatchedEventLog, PostgresEventLogStorage):
    """Dagster's tables in PostgreSQL, written in batches."""

    def __init__(self, postgres_url: str, should_autocreate_tables: bool = True) -> None:
        self._tables: set[str] = set()  # those that are known to exist; Dagster asks before most statements
        self._waiting: list[EventLogEntry] = []  # results of checks
        self._process = os.getpid()
        self._waiting_lock = threading.RLock()
        super().__init__(postgres_url, should_autocreate_tables)

    def store_event(self, event: EventLogEntry) -> None:
        """Store an event; the result of a check at the latest when this process reads or stores something else."""
        kind = event.dagster_event_type
        if kind == DagsterEventType.ASSET_CHECK_EVALUATION and event.run_id:
            self._let_wait(event)
        elif kind in ASSET_EVENTS and event.get_dagster_event().asset_key:
            self._store_asset_events([event])
        else:
            (event_id,) = self._insert([event])
            if kind in ASSET_CHECK_EVENTS:
                self.store_asset_check_event(event, event_id)

    def store_event_batch(self, events: Sequence[EventLogEntry]) -> None:
        """Store the planned and done materialisations of a batch, its planned checks, and then the rest one by one."""
        of_assets = [one for one in events if one.dagster_event_type in ASSET_EVENTS]
        checks = [one for one in events if one.dagster_event_type == _PLANNED]
        if of_assets:
            self._store_asset_events(of_assets)
        if checks:
            rows = [self._planned_rows(*found) for found in zip(checks, self._insert(checks), strict=True)]
            with self.index_connection() as connection:
                connection.execute(PLAN_CHECK, [row for found in rows for row in found])
        for one in events:
            if one.dagster_event_type not in ASSET_EVENTS and one.dagster_event_type != _PLANNED:
                self.store_event(one)

    def _store_asset_events(self, events: Sequence[EventLogEntry]) -> None:
        ids = self._insert(events)
        with self.index_transaction() as connection:
            self._store_assets(connection, events, ids)

    def _insert(self, events: Sequence[EventLogEntry]) -> list[int]:
        # Outside of a transaction: who follows the log by number must not miss an event that is committed later.
        rows = [self._event_to_row(event) for event in events]
        with self._connect() as connection:
            return _inserted(connection, rows)

    def _let_wait(self, event: EventLogEntry) -> None:
        with self._waiting_lock:
            self._own_waiting().append(event)
            if len(self._waiting) >= MOST_WAITING:
                self._write_waiting()

    def _own_waiting(self) -> list[EventLogEntry]:
        """Return what waits; a forked process leaves what waited in its parent to the parent."""
        if self._process != os.getpid():
            self._process, self._waiting = os.getpid(), []
        return self._waiting

    def _write_waiting(self) -> None:
        if not self._waiting:
            return
        with self._waiting_lock:
            events, self._waiting = self._own_waiting(), []
            if not events:
                return
            try:
                self._store_results(events)
            except SQLAlchemyError:  # as Dagster does with a batch that fails
                for event in events:
                    super().store_event(event)

    def _store_results(self, events: Sequence[EventLogEntry]) -> None:
        with super()._connect() as connection:
            logged = [self._event_to_row(event) for event in events]
            ids = _inserted(connection, logged)
            given = [_result_row(*found) for found in zip(events, logged, ids, strict=True)]
            # The last result of a partition replaces the others.
            key = ("asset_key", "check_name", "run_id", "partition")
            rows = list({tuple(row[name] for name in key): row for row in given}.values())
            columns = {name: [row[name] for row in rows] for name in rows[0]}
            stored = connection.execute(_SET_RESULTS, columns).scalars().all()
            if len(stored) != len(set(stored)):
                raise DagsterInvariantViolationError("a check was planned twice for a partition of a run")
            unplanned = [row for row in rows if row["evaluation_event_storage_id"] not in set(stored)]
            if unplanned:
                connection.execute(_RESULT, unplanned)

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        self._write_waiting()
        with super()._connect() as connection:
            yield connection

    def has_table(self, table_name: str) -> bool:
        """Return whether a table exists; one that was found once is not looked for again."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    def dispose(self) -> None:
        """Store what waits, and end what watches runs."""
        self._write_waiting()
        super().dispose()


def _inserted(connection: Connection, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Insert events and return their numbers, in the same order."""
    if len(rows) == 1:
        return list(connection.execute(_INSERT, rows[0]).inserted_primary_key or ())
    return list(connection.execute(_INSERT_MANY, list(rows)).scalars())


def _result_row(event: EventLogEntry, logged: Mapping[str, Any], event_id: int) -> dict[str, Any]:
    """Return the row of a check's result, whose event is in the log as `logged`."""
    found = cast("AssetCheckEvaluation", event.get_dagster_event().event_specific_data)
    status = AssetCheckExecutionRecordStatus
    target = found.target_materialization_data
    return {
        "asset_key": found.asset_key.to_string(),
        "check_name": found.check_name,
        "run_id": event.run_id,
        "partition": found.partition,
        "execution_status": (status.SUCCEEDED if found.passed else status.FAILED).value,
        "evaluation_event": logged["event"],
        "evaluation_event_timestamp": logged["timestamp"],
        "evaluation_event_storage_id": event_id,
        "materialization_event_storage_id": target.storage_id if target else None,
    }
