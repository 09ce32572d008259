"""`run_sql`: one SELECT over the views of one user, in an in-memory DuckDB that can read nothing else.

Three walls stand between a query and anything else on the machine. The parsed statement may only name the views and
table functions that read no file. The connection may open only the Parquet files of the views, listed one by one, and
loads no extension. Its configuration is locked before the query is seen.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import pyarrow as pa

from brain_retrieval.errors import InvalidQueryError, StoreError
from brain_retrieval.home import Space
from brain_retrieval.query.sql.views import (
    ABOUT,
    COSTS,
    LEDGER,
    QUARANTINE,
    SNAPSHOT_VIEWS,
    SOURCES,
    ViewInfo,
    lake_views,
)
from brain_retrieval.schemas.tables import TABLES
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake_query import add_view, literal
from brain_retrieval.stores.snapshot_files import TableFiles
from brain_retrieval.stores.snapshot_tables import SNAPSHOT_TABLES
from brain_retrieval.stores.snapshots import SnapshotStore

SECONDS, MEGABYTES = 60.0, 1024
BATCH = 10_000  # rows
TRIES = 2  # a file may be replaced between its listing and its opening
# Table functions that read no file and change nothing.
FUNCTIONS = frozenset(
    "generate_series histogram histogram_values json_each json_tree range repeat repeat_row unnest".split()
)
# Functions within expressions that tell of this machine, or write to DuckDB's log.
REFUSED = frozenset("current_setting getvariable write_log".split())


def run_sql(
    space: Space,
    sql: str,
    parameters: Sequence[Any] = (),
    *,
    seconds: float = SECONDS,
    megabytes: int = MEGABYTES,
) -> pa.Table:
    """Return the rows of one SELECT over the views of a user.

    Args:
        space: of the user.
        sql: one statement; `?` stands for a parameter.
        parameters: their values, in order.
        seconds: time limit.
        megabytes: limit of the memory for the query, and of the size of its result.

    Raises:
        InvalidQueryError: if the query is refused, fails, or exceeds a limit.
    """
    import duckdb

    if seconds <= 0 or megabytes <= 0:
        raise InvalidQueryError("the limits of time and memory are above 0")
    for attempt in range(TRIES):
        try:
            with _connected(megabytes) as connection:
                _check(connection, sql)
                _add_views(connection, space)
                return _rows(connection, sql, parameters, seconds, megabytes << 20)
        except duckdb.InterruptException as error:
            raise InvalidQueryError(f"the query took longer than {seconds:g} s") from error
        except duckdb.IOException as error:
            if attempt == TRIES - 1:
                raise StoreError(f"a file of the lake could not be read: {_first_line(error)}") from error
        except duckdb.OutOfMemoryException as error:
            raise InvalidQueryError(f"the query needs more than {megabytes} MB of memory") from error
        except duckdb.Error as error:
            raise InvalidQueryError(f"the query failed: {_first_line(error)}") from error
    raise AssertionError("unreachable")


def sql_views() -> list[ViewInfo]:
    """Return the views with their columns; no home is needed."""
    import duckdb

    with duckdb.connect() as connection:
        for name, schema in _schemas().items():
            connection.register(name, schema.empty_table())
        connection.execute(f"CREATE VIEW sources AS {SOURCES}")
        found = {
            name: {row[0]: row[1] for row in connection.execute(f"DESCRIBE {name}").fetchall()}
            for name in ("sources", *_schemas())
        }
    return [ViewInfo(name, about, found[name]) for name, about in ABOUT.items()]


def _schemas() -> dict[str, pa.Schema]:
    lake = {view: TABLES[table] for view, table in lake_views().items()}
    snapshot = {view: SNAPSHOT_TABLES[table] for table, view in SNAPSHOT_VIEWS.items()}
    return {**lake, **snapshot, "ledger": LEDGER, "quarantine": QUARANTINE, "costs": COSTS}


@contextmanager
def _connected(megabytes: int) -> Iterator[Any]:
    """Yield a connection without anything in it."""
    import duckdb

    config: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "python_enable_replacements": False,  # a name of a Python variable is no table
        "memory_limit": f"{megabytes}MB",
        "temp_directory": "",  # nothing is spilled to disk
    }
    with duckdb.connect(config=config) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


def _add_views(connection: Any, space: Space) -> None:
    """Add the views of a user; after that the connection can open their files alone, and not be changed."""
    files = [*_add_lake(connection, space), *_add_snapshot(connection, space)]
    for name, rows in _records(space).items():
        connection.register(name, rows)
    connection.execute(f"CREATE VIEW sources AS {SOURCES}")
    connection.execute("SET allowed_paths = ?", [sorted(set(files))])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _add_lake(connection: Any, space: Space) -> Iterator[str]:
    with Catalog(space) as catalog:
        for view, table in lake_views().items():
            yield from add_view(connection, space.lake, catalog.lake_files(table), table, view, mixed=True)


def _add_snapshot(connection: Any, space: Space) -> Iterator[str]:
    store, files = SnapshotStore(space), TableFiles(space.knowledge)
    day = store.newest()
    tables = {} if day is None else store.manifest(day)
    for table, view in SNAPSHOT_VIEWS.items():
        if table in tables:
            path = str(files.path(tables[table].file))
            connection.execute(f"CREATE VIEW {view} AS FROM read_parquet({literal(path)})")
            yield path
        else:
            connection.register(view, SNAPSHOT_TABLES[table].empty_table())


def _records(space: Space) -> dict[str, pa.Table]:
    """Return the tables that SQLite holds."""
    with Catalog(space) as catalog:
        ledger = [{name: getattr(row, name) for name in LEDGER.names} for row in catalog.ledger()]
        quarantine = [{name: getattr(row, name) for name in QUARANTINE.names} for row in catalog.quarantine()]
    return {
        "ledger": pa.Table.from_pylist(ledger, LEDGER),
        "quarantine": pa.Table.from_pylist(quarantine, QUARANTINE),
        "costs": pa.Table.from_pylist(_costs(space), COSTS),
    }


def _costs(space: Space) -> list[dict[str, Any]]:
    from brain_retrieval.models.chat.chat_costs import CostLedger

    with CostLedger(space) as ledger:
        if not ledger.path.is_file():
            return []
        return [
            {name: getattr(row, name) for name in COSTS.names}
            | {"at": datetime.fromisoformat(row.at), "cached": bool(row.cached)}
            for row in ledger.all()
        ]


def _check(connection: Any, sql: str) -> None:
    """Refuse what is not one SELECT over the views.

    Raises:
        InvalidQueryError: saying why.
    """
    parsed = json.loads(connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()[0][0])
    if parsed["error"]:
        said = parsed["error_message"]
        raise InvalidQueryError(
            "a query is one SELECT statement; nothing can be written, attached or loaded"
            if parsed["error_type"] == "not implemented"
            else f"the query failed: {said}"
        )
    if len(parsed["statements"]) != 1:
        raise InvalidQueryError("a query is one SELECT statement")
    for node, known in _nodes(parsed["statements"], frozenset(ABOUT)):
        called = node["function"]["function_name"] if node.get("type") == "TABLE_FUNCTION" else None
        if called is not None and called.lower() not in FUNCTIONS:
            raise InvalidQueryError(f"the function {called.lower()} is not available: a query reads the views alone")
        if node.get("class") == "FUNCTION" and (name := str(node.get("function_name")).lower()) in REFUSED:
            raise InvalidQueryError(f"the function {name} is not available: a query reads the views alone")
        if node.get("type") == "BASE_TABLE" and (name := node["table_name"]).lower() not in known:
            raise InvalidQueryError(f"there is no view {name!r:.80}; `brain sql --tables` lists them")


def _nodes(value: Any, names: frozenset[str]) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
    """Yield every object of a parsed statement, with the names that stand for a table where it stands.

    Args:
        value: the statement.
        names: the views. What `WITH` names counts only inside the query that it begins: elsewhere the same name could
            mean a view of DuckDB itself.
    """
    queue = [(value, names)]
    while queue:
        one, known = queue.pop()
        if isinstance(one, dict):
            known |= {entry["key"].lower() for entry in one.get("cte_map", {}).get("map", ())}
            yield one, known
            queue += [(part, known) for part in one.values()]
        elif isinstance(one, list):
            queue += [(part, known) for part in one]


def _rows(connection: Any, sql: str, parameters: Sequence[Any], seconds: float, most_bytes: int) -> pa.Table:
    """Return the result; the connection is interrupted after the time limit."""
    late = threading.Event()

    def interrupt() -> None:
        late.set()
        connection.interrupt()

    watch = threading.Timer(seconds, interrupt)
    watch.daemon = True
    watch.start()
    try:
        reader = connection.sql(sql, params=list(parameters)).to_arrow_reader(BATCH)
        batches, size = [], 0
        for batch in reader:
            size += batch.nbytes
            if size > most_bytes:
                raise InvalidQueryError(f"the result has more than {most_bytes >> 20} MB; select less, or add a LIMIT")
            batches.append(batch)
        return pa.Table.from_batches(batches, reader.schema)
    except OSError as error:  # that is what Arrow makes of an error of DuckDB between two batches
        said = (
            f"the query took longer than {seconds:g} s" if late.is_set() else f"the query failed: {_first_line(error)}"
        )
        raise InvalidQueryError(said) from error
    finally:
        watch.cancel()


def _first_line(error: Exception) -> str:
    """Return what went wrong, and the names that DuckDB proposes in the next line ("Candidate bindings: …")."""
    first, *more = str(error).split("\n")
    meant = next((line.strip() for line in more if line.startswith("Candidate bindings:")), "")
    return f"{first} {meant}".strip()[:500]
