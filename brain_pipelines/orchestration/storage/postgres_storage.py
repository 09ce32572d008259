"""Dagster's storage in PostgreSQL, with the status of days from the ledger (`storage/done_status.py`)."""

from typing import Any

from dagster._serdes import ConfigurableClassData
from dagster_postgres.storage import DagsterPostgresStorage
from dagster_postgres.utils import pg_url_from_config

from brain_pipelines.orchestration.storage.batches import store_events_in_batches
from brain_pipelines.orchestration.storage.done_status import LedgerStatus
from brain_pipelines.orchestration.storage.packing import pack_events
from brain_pipelines.orchestration.storage.postgres_connections import close_connection, keep_connection
from brain_pipelines.orchestration.storage.postgres_events import BatchedPostgresEventLog


class LedgerPostgresEventLog(LedgerStatus, BatchedPostgresEventLog):
    """Dagster's event log, in which a day on which nothing is left to do counts as materialised; events are packed."""

    def __init__(self, postgres_url: str, should_autocreate_tables: bool = True) -> None:
        super().__init__(postgres_url, should_autocreate_tables)
        keep_connection(self)
        pack_events(self._engine)
        self.others: list[Any] = []  # the storages whose connections end with those of this one

    def optimize_for_webserver(self, statement_timeout: int, pool_recycle: int, max_overflow: int) -> None:
        """Replace the engine by one that keeps a connection open."""
        super().optimize_for_webserver(statement_timeout, pool_recycle, max_overflow)
        pack_events(self._engine)

    def dispose(self) -> None:
        """Close the connections; Dagster calls this when an instance ends."""
        super().dispose()
        for storage in (self, *self.others):
            close_connection(storage)


class LedgerPostgresStorage(DagsterPostgresStorage):
    """The three storages in one database; `storage.custom` in dagster.yaml names this class."""

    def __init__(self, postgres_url: str, should_autocreate_tables: bool = True, **options: Any) -> None:
        store_events_in_batches()
        super().__init__(postgres_url, should_autocreate_tables, **options)
        self._event_log_storage.dispose()
        self._event_log_storage = LedgerPostgresEventLog(postgres_url, should_autocreate_tables)
        for storage in (self._run_storage, self._schedule_storage):
            keep_connection(storage)
            self._event_log_storage.others.append(storage)

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> "LedgerPostgresStorage":
        # Dagster's own method makes its own class, whatever class it is called on.
        return cls(
            pg_url_from_config(config_value), config_value.get("should_autocreate_tables", True), inst_data=inst_data
        )
