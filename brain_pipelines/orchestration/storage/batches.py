"""What our event logs in SQLite and PostgreSQL have in common: statements that are compiled once, many rows in each."""

import os
from collections.abc import Sequence
from typing import Any, cast

from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationPlanned
from dagster._core.events.log import EventLogEntry
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus
from dagster._core.storage.event_log import SqlEventLogStorage
from dagster._core.storage.event_log.schema import AssetCheckExecutionsTable, DynamicPartitionsTable
from dagster_shared.serdes import serialize_value
from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection

PLAN_CHECK = AssetCheckExecutionsTable.insert()
_HAS_KEY = select(DynamicPartitionsTable.c.id).where(
    DynamicPartitionsTable.c.partitions_def_name == bindparam("name"),
    DynamicPartitionsTable.c.partition == bindparam("key"),
)


def store_events_in_batches() -> None:
    """Let Dagster in this process hand over materialisations together, unless the environment says how many."""
    os.environ.setdefault("DAGSTER_EVENT_BATCH_SIZE", "200")


class BatchedEventLog(SqlEventLogStorage):
    """Mix-in of an event log: Dagster's statements with the rows in them are compiled for each number of rows."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._columns: set[str] = set()  # of the table of assets, known to exist; Dagster asks for each of its rows
        super().__init__(*arguments, **options)

    def has_asset_key_col(self, column_name: str) -> bool:
        """Return whether the table of assets has a column; one that was found once is not looked for again."""
        return column_name in self._columns or super().has_asset_key_col(column_name)

    def has_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> bool:
        """Return whether a key is registered; a run asks this five times for each of its assets."""
        with self.index_connection() as connection:
            found = connection.execute(_HAS_KEY, {"name": partitions_def_name, "key": partition_key})
            return found.first() is not None

    def _has_asset_key_col_on_connection(self, conn: Connection, column_name: str) -> bool:
        if column_name not in self._columns and super()._has_asset_key_col_on_connection(conn, column_name):
            self._columns.add(column_name)
        return column_name in self._columns

    def _store_asset_check_evaluation_planned(self, event: EventLogEntry, event_id: int | None) -> None:
        with self.index_connection() as connection:
            connection.execute(PLAN_CHECK, self._planned_rows(event, event_id))

    def _planned_rows(self, event: EventLogEntry, event_id: int | None) -> list[dict[str, Any]]:
        """Return a row for each partition in which a check is planned."""
        planned = cast("AssetCheckEvaluationPlanned", event.get_dagster_event().event_specific_data)
        subset = planned.partitions_subset
        row = {
            "asset_key": planned.asset_key.to_string(),
            "check_name": planned.check_name,
            "run_id": event.run_id,
            "execution_status": AssetCheckExecutionRecordStatus.PLANNED.value,
            "evaluation_event": serialize_value(event),
            "evaluation_event_timestamp": self._event_insert_timestamp(event),
            "evaluation_event_storage_id": event_id,
        }
        return [{**row, "partition": key} for key in (subset.get_partition_keys() if subset else [None])]

    def _store_assets(self, connection: Connection, events: Sequence[EventLogEntry], ids: Sequence[int]) -> None:
        """Store the tags of events of assets, and what the last event of each asset sets in its row.

        Rows are written in the order of their keys, so that two runs that write several never wait for each other.
        """
        self._store_asset_event_tags(connection, events, ids)
        last = {(str(one.get_dagster_event().asset_key), one.dagster_event_type): n for n, one in enumerate(events)}
        for _, number in sorted((key, number) for (key, _), number in last.items()):
            self._store_asset_event(connection, events[number], ids[number])
