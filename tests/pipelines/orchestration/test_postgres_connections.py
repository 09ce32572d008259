"""Connections to Dagster's database are used again, found when they have ended, and not shared by forked processes."""

import os
from typing import Any

import sqlalchemy as sa

from brain_pipelines.orchestration.storage.postgres_storage import LedgerPostgresStorage
from tests.pipelines.cells.conftest import database, postgres  # noqa: F401 - fixtures

BACKEND = sa.text("SELECT pg_backend_pid()")


def test_a_process_keeps_one_connection_until_it_ends_or_forks(database: str) -> None:  # noqa: F811 - the fixture
    address = sa.make_url(database).set(drivername="postgresql+psycopg2").render_as_string(hide_password=False)
    found: Any = LedgerPostgresStorage(address)
    storages = (found.run_storage, found.event_log_storage, found.schedule_storage)

    def backends() -> list[int]:
        pids = []
        for storage in storages:
            connect = storage.index_connection if storage is found.event_log_storage else storage.connect
            with connect() as connection:
                pids.append(connection.scalar(BACKEND))
        return pids

    first = backends()
    assert len(set(first)) == 3 and backends() == first
    child = os.fork()
    if child == 0:  # another connection, and that of the parent stays as it is
        os._exit(int(bool(set(backends()) & set(first))))
    assert os.waitpid(child, 0)[1] == 0
    assert backends() == first
    with found.run_storage.connect() as connection:
        ended = sa.text("SELECT pg_terminate_backend(:pid, 60000)")  # waits until its process has gone
        assert connection.scalar(ended, {"pid": first[1]})
    assert backends()[1] != first[1]
    found.event_log_storage.dispose()
    assert not set(backends()) & set(first)
    found.event_log_storage.dispose()
