"""SQL over a user's lake: in-memory DuckDB with a view per table, restricted to the user's lake directory."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.schemas.tables import TABLES
from brain_retrieval.stores.catalog import LakeFile
from brain_retrieval.stores.lake import Lake

KEPT = 4  # lakes whose database stays open in this process: to make one takes longer than most queries


def query(lake: Lake, sql: str, parameters: Sequence[Any] = ()) -> pa.Table:
    """Return the rows of a SQL query over the lake tables (the names in schemas.TABLES).

    The query sees one state of the catalog. It can read no other file and change nothing.

    Raises:
        InvalidQueryError: if DuckDB refuses the query.
    """
    with LakeQueries(lake) as queries:
        return queries.run(sql, parameters)


class LakeQueries:
    """Queries over the lake tables of a user with one connection.

    A table stays as it was when a query named it first. Use as a context manager, for a moment: the files of a table
    are deleted some time after they were replaced.
    """

    def __init__(self, lake: Lake) -> None:
        """Open a connection that can read files in the directory of `lake` alone, and never more."""
        self.lake = lake
        self._tables: set[str] = set()
        self._connection = _database(f"{lake.space.lake}/").cursor()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> pa.Table:
        """Return the rows of a query.

        Raises:
            InvalidQueryError: if DuckDB refuses the query.
        """
        import duckdb

        named = set(re.findall(r"\w+", sql.lower()))
        for table in named.intersection(TABLES) - self._tables:  # the files of the others need not be opened
            add_view(self._connection, self.lake.space.lake, self.lake.catalog.lake_files(table), table, table)
            self._tables.add(table)
        try:
            # COPY could write into the lake directory, to which access must stay allowed.
            if [s.type for s in self._connection.extract_statements(sql)] != [duckdb.StatementType.SELECT]:
                raise InvalidQueryError("a query is one SELECT statement")
            return self._connection.sql(sql, params=list(parameters)).to_arrow_table()
        except duckdb.Error as error:
            raise InvalidQueryError(f"the query failed: {error}") from error


@lru_cache(maxsize=KEPT)
def _database(folder: str) -> Any:
    """Return an empty database that can read files below a folder alone; a connection adds views of its own."""
    import duckdb

    database = duckdb.connect(config={"autoinstall_known_extensions": False})
    database.execute("SET GLOBAL TimeZone = 'UTC'")
    # What was read of a file would stay in memory after the file is gone.
    database.execute("SET enable_external_file_cache = false")
    database.execute("SET allowed_directories = [?]", [folder])
    database.execute("SET enable_external_access = false")
    database.execute("SET lock_configuration = true")
    return database


def add_view(
    connection: Any, root: Path, current: Sequence[LakeFile], table: str, view: str, *, mixed: bool = False
) -> list[str]:
    """Add a view of the current rows of a lake table to a connection; return the paths of its files.

    Args:
        connection: of DuckDB.
        root: directory of the lake.
        current: files of the table, from the catalog.
        table: name of the table.
        view: name of the view.
        mixed: files may lack columns that were added later; the schema of each is read.
    """
    if not current:
        connection.register(view, TABLES[table].empty_table())
        return []
    keys = pa.table({"file": [f"{root}/{f.path}" for f in current], "day": [f.day for f in current]})
    connection.register(f"_{view}_files", keys)
    files = list(dict.fromkeys(keys.column("file").to_pylist()))
    paths = ", ".join(literal(path) for path in files)
    union = ", union_by_name = true" if mixed else ""
    # A month file also holds days that were replaced since; only (file, day) pairs of the catalog count.
    connection.execute(
        f"CREATE TEMP VIEW {view} AS SELECT * EXCLUDE (_file) FROM read_parquet([{paths}], filename = '_file'{union}) "
        f"AS rows "
        f"WHERE EXISTS (FROM _{view}_files AS keys WHERE keys.file = rows._file AND keys.day = rows.day)"
    )
    return files


def literal(text: str) -> str:
    """Return a text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"
