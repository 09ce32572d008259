"""Connections to Dagster's database that are used again.

Dagster opens one for each statement outside its web server: 450 in a run of one day, of 4 CPU ms each, most of it the
calculation that proves the password. Here a process keeps one for each of the three storages, and opens more only for
as long as several threads ask at once. A connection that has ended is found before it is used. A forked process opens
its own: it leaves that of its parent alone, whose socket it shares.
"""

import os
import weakref
from typing import Any

from dagster_postgres.utils import create_pg_engine
from sqlalchemy import Engine

RECYCLE_SECONDS = 1800
_ENGINES: weakref.WeakSet[Engine] = weakref.WeakSet()


def keep_connection(storage: Any) -> None:
    """Let one of Dagster's storages in PostgreSQL use its connection again."""
    storage._engine.dispose()
    storage._engine = create_pg_engine(
        storage.postgres_url,
        storage._token_provider,
        isolation_level="AUTOCOMMIT",
        pool_size=1,
        max_overflow=-1,
        pool_pre_ping=True,
        pool_recycle=RECYCLE_SECONDS,
    )
    _ENGINES.add(storage._engine)


def close_connection(storage: Any) -> None:
    """Close the connections of a storage that nothing uses at the moment."""
    storage._engine.dispose()


def _leave_to_parent() -> None:
    for engine in list(_ENGINES):
        engine.dispose(close=False)


os.register_at_fork(after_in_child=_leave_to_parent)
