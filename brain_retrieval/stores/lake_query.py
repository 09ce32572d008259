"""SQL over a user's lake: in-memory DuckDB with a view per table, restricted to the user's lake directory."""

import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.schemas import TABLES
from brain_retrieval.stores.lake import Lake


def query(lake: Lake, sql: str, parameters: Sequence[Any] = ()) -> pa.Table:
    """Return the rows of a SQL query over the lake tables (the names in schemas.TABLES).

    The query sees one state of the catalog. It can read no other file and change nothing.

    Raises:
        InvalidQueryError: if DuckDB refuses the query.
    """
    import duckdb

    with duckdb.connect(config={"autoinstall_known_extensions": False}) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET TimeZone = 'UTC'")
        named = set(re.findall(r"\w+", sql.lower()))
        for table in named.intersection(TABLES):  # the files of the others need not be opened
            _add_view(connection, lake, table)
        # After this the query can neither leave the lake directory nor lift the restriction.
        connection.execute("SET allowed_directories = [?]", [f"{lake.space.lake}/"])
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        try:
            # COPY could write into the lake directory, to which access must stay allowed.
            if [s.type for s in connection.extract_statements(sql)] != [duckdb.StatementType.SELECT]:
                raise InvalidQueryError("a query is one SELECT statement")
            return connection.sql(sql, params=list(parameters)).to_arrow_table()
        except duckdb.Error as error:
            raise InvalidQueryError(f"the query failed: {error}") from error


def _add_view(connection: Any, lake: Lake, table: str) -> None:
    current = lake.catalog.lake_files(table)
    if not current:
        connection.register(table, TABLES[table].empty_table())
        return
    root = lake.space.lake
    keys = pa.table({"file": [f"{root}/{f.path}" for f in current], "day": [f.day for f in current]})
    connection.register(f"_{table}_files", keys)
    paths = ", ".join(_literal(path) for path in dict.fromkeys(keys.column("file").to_pylist()))
    # A month file also holds days that were replaced since; only (file, day) pairs of the catalog count.
    connection.execute(
        f"CREATE VIEW {table} AS SELECT * EXCLUDE (_file) FROM read_parquet([{paths}], filename = '_file') AS rows "
        f"WHERE EXISTS (FROM _{table}_files AS keys WHERE keys.file = rows._file AND keys.day = rows.day)"
    )


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
