"""The catalog: the current lake file of each (table, source, day), and metadata. Files are read in `lake.py`."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import cast

from brain_retrieval.errors import DamagedCatalogError
from brain_retrieval.home import Space
from brain_retrieval.stores.ledger import LEDGER_TABLES, LedgerRow, LedgerTables, QuarantineRow, conditions

__all__ = ["Catalog", "Key", "LakeFile", "LedgerRow", "QuarantineRow"]

CATALOG_TABLES = """
CREATE TABLE IF NOT EXISTS lake_file(
  tbl TEXT, source TEXT, day TEXT, path TEXT NOT NULL, rows INTEGER NOT NULL, bytes INTEGER NOT NULL,
  digest TEXT NOT NULL, PRIMARY KEY(tbl, source, day)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS lake_file_path ON lake_file(path);
CREATE TABLE IF NOT EXISTS lake_dead(path TEXT PRIMARY KEY, since REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

COLUMNS = "tbl, source, day, path, rows, bytes, digest"
SPENT = "spent:"  # of metadata: what remote models took, by source, stage and day
Key = tuple[str, str, str]  # table, source, day


@dataclass(frozen=True)
class LakeFile:
    """The current rows of one (table, source, day). Compacted days of a month share one path."""

    table: str
    source: str
    day: str
    path: str  # relative to the lake directory
    rows: int
    bytes: int  # of the whole file
    digest: str

    @property
    def key(self) -> Key:
        return (self.table, self.source, self.day)


class Catalog(LedgerTables):
    """The catalog of one user: lake files, ledger, quarantine, attempts, meta.

    >>> Catalog(space).set_meta("active_index", "minilm-int8|384")  # doctest: +SKIP
    """

    damage = DamagedCatalogError
    remedy = "the next run moves it aside and computes the days of this user again"

    def __init__(self, space: Space) -> None:
        super().__init__(space.catalog, CATALOG_TABLES + LEDGER_TABLES)
        self.space = space

    def lake_files(
        self,
        table: str | None = None,
        *,
        source: str | None = None,
        days: Sequence[str] | None = None,
        before_day: str | None = None,
    ) -> list[LakeFile]:
        """Return the current files ordered by table, source, day; None means any."""
        where, parameters = conditions(tbl=table, source=source, day=days)
        if before_day is not None:
            where, parameters = f"{where} AND day < ?", (*parameters, before_day)
        sql = f"SELECT {COLUMNS} FROM lake_file WHERE {where} ORDER BY tbl, source, day"
        return [LakeFile(*row) for row in self.rows(sql, parameters)]

    def stored_bytes(self, tables: Sequence[str], source: str, days: Sequence[str]) -> dict[str, int]:
        """Return day -> bytes of its rows in these tables; of a file of several days, its share of the rows."""
        where, parameters = conditions(tbl=list(tables), source=source, day=list(days))
        sql = f"""
            SELECT day,
              sum(bytes * rows / (SELECT max(1, sum(rows)) FROM lake_file AS other WHERE other.path = one.path))
            FROM lake_file AS one WHERE {where} GROUP BY day"""
        return dict(cast("list[tuple[str, int]]", self.rows(sql, parameters)))

    def swap_lake_files(self, current: Iterable[LakeFile], removed: Iterable[Key], *, now: float) -> None:
        """Make `current` the files of their keys and leave `removed` keys without one, in one transaction.

        Paths that no key points at any more become dead since `now` (POSIX seconds).
        """
        current, removed = list(current), list(removed)
        keys = [*removed, *(file.key for file in current)]
        with self.transaction() as connection:
            old = set()
            for key in keys:
                old.update(connection.execute("SELECT path FROM lake_file WHERE tbl=? AND source=? AND day=?", key))
            connection.executemany("DELETE FROM lake_file WHERE tbl=? AND source=? AND day=?", removed)
            connection.executemany(
                "INSERT OR REPLACE INTO lake_file VALUES (?,?,?,?,?,?,?)", [astuple(file) for file in current]
            )
            connection.executemany(
                "INSERT OR IGNORE INTO lake_dead SELECT ?1, ?2 "
                "WHERE NOT EXISTS (SELECT 1 FROM lake_file WHERE path = ?1)",
                [(path, now) for (path,) in sorted(old)],
            )

    def dead_paths(self, until: float) -> list[str]:
        """Return the paths that have been dead since `until` (POSIX seconds) or longer."""
        return [path for (path,) in self.rows("SELECT path FROM lake_dead WHERE since <= ? ORDER BY path", (until,))]

    def known_paths(self) -> set[str]:
        """Return every path in the catalog, current or dead."""
        return {path for (path,) in self.rows("SELECT path FROM lake_file UNION SELECT path FROM lake_dead")}

    def drop_dead(self, paths: Iterable[str]) -> None:
        """Remove dead paths whose files have been deleted."""
        with self.transaction() as connection:
            connection.executemany("DELETE FROM lake_dead WHERE path = ?", [(path,) for path in paths])

    def get_meta(self, key: str) -> str | None:
        """Return a metadata value, or None."""
        found = self.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return found[0][0] if found else None

    def meta(self, prefix: str) -> dict[str, str]:
        """Return the metadata whose keys start with `prefix`."""
        sql = "SELECT key, value FROM meta WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key"
        return dict(cast("list[tuple[str, str]]", self.rows(sql, (prefix,))))

    def put_spent(self, source: str, stage: str, days: Mapping[str, tuple[int, float]]) -> None:
        """Record day -> (tokens, money) that remote models took for the rows of a stage; (0, 0) removes a record."""
        keys = {day: f"{SPENT}{source}:{stage}:{day}" for day in days}
        self.set_metas({keys[day]: json.dumps(spent) if any(spent) else None for day, spent in days.items()})

    def spent(self, source: str, stage: str, days: Collection[str]) -> dict[str, tuple[int, float]]:
        """Return day -> (tokens, money) for the days whose rows remote models were asked for."""
        prefix, wanted = f"{SPENT}{source}:{stage}:", set(days)
        found = {key.removeprefix(prefix): json.loads(value) for key, value in self.meta(prefix).items()}
        return {day: (tokens, money) for day, (tokens, money) in found.items() if day in wanted}

    def set_meta(self, key: str, value: str | None) -> None:
        """Set a metadata value; None removes it."""
        self.set_metas({key: value})

    def set_metas(self, values: dict[str, str | None]) -> None:
        """Set several metadata values in one transaction; None removes one."""
        with self.transaction() as connection:
            for key, value in values.items():
                if value is None:
                    connection.execute("DELETE FROM meta WHERE key = ?", (key,))
                else:
                    connection.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (key, value))
