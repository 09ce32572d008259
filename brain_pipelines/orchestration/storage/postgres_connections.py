"""Connections to Dagster's database that are used again.

Dagster opens one for each statement outside its web server: 450 in a run of one day, of 4 CPU ms each, most of it the
calculation that proves the password. Here a process keeps one for each of the three storages, and opens more only for
as long as several threads ask at once. A connection that has ended is found before it is used: what the server sent
when it ended waits to be read, so that only then, or after some seconds, it has to be asked. A forked process opens its
own: it leaves that of its parent alone, whose socket it shares.
"""

import os
import select
import time
import weakref
from typing import Any

import psycopg2
from dagster_postgres.utils import create_pg_engine
from sqlalchemy import Engine, event
from sqlalchemy.exc import DisconnectionError

RECYCLE_SECONDS = 1800
ASK_SECONDS = 10  # a connection at rest for longer is asked: the network may have dropped it without a word
_USED = "last used"
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
        pool_recycle=RECYCLE_SECONDS,
    )
    event.listen(storage._engine, "checkin", _note_use)
    event.listen(storage._engine, "checkout", _check)
    _ENGINES.add(storage._engine)


def _note_use(_connection: Any, record: Any) -> None:
    record.info[_USED] = time.monotonic()


def _check(connection: Any, record: Any, _proxy: Any) -> None:
    """Ask a connection that was at rest for long, or from which something can be read, whether it works.

    Raises:
        DisconnectionError: if it does not; SQLAlchemy then opens another.
    """
    used = record.info.get(_USED)
    if used is None:  # has just been opened
        return
    try:
        if time.monotonic() - used > ASK_SECONDS or _readable(connection):
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
    except psycopg2.Error as error:
        raise DisconnectionError("the connection has ended") from error


def _readable(connection: Any) -> bool:
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def close_connection(storage: Any) -> None:
    """Close the connections of a storage that nothing uses at the moment."""
    storage._engine.dispose()


def _leave_to_parent() -> None:
    for engine in list(_ENGINES):
        engine.dispose(close=False)


os.register_at_fork(after_in_child=_leave_to_parent)
