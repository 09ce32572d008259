"""The access log: an append-only record of recalled items. It contains ids and times, no queries and no texts.

An item counts once per session (once per UTC day without a session), however many queries returned it; a chunk counts
once a day. Salience is derived from this log, so back it up.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from brain_retrieval.home import Space
from brain_retrieval.stores.sqlite import BUSY_SECONDS, Database

if TYPE_CHECKING:
    import polars as pl

TABLES = """
CREATE TABLE IF NOT EXISTS recall(
  item TEXT, item_id TEXT, occasion TEXT, at INTEGER NOT NULL, session TEXT, rank INTEGER,
  PRIMARY KEY(item, item_id, occasion)) WITHOUT ROWID;
"""
ITEMS = ("source", "entity", "fact", "note", "storyline", "macro", "chunk")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
# Of several recalls on one occasion the earliest is kept, so the order of insertion does not matter.
_INSERT = """
INSERT INTO recall VALUES (?,?,?,?,?,?) ON CONFLICT(item, item_id, occasion) DO UPDATE
SET at = excluded.at, rank = excluded.rank WHERE excluded.at < at
"""


class AccessLog(Database):
    """The recalls of one user. Reading where there is no log creates none.

    Args:
        wait: seconds to wait for another writing process; searches wait less than snapshots.
    """

    remedy = "move it aside: memories count as never recalled from then on"

    def __init__(self, space: Space, *, wait: float = BUSY_SECONDS) -> None:
        super().__init__(space.root / "access.sqlite", TABLES)
        self.busy_seconds = wait

    def record(self, items: Iterable[tuple[str, str]], *, session: str | None = None, at: datetime) -> int:
        """Record recalls of items (kind, id), best first; return how many rows were added or changed.

        Raises:
            ValueError: for an unknown kind or a time without a time zone.
            StoreError: if the log cannot be written.
        """
        if at.tzinfo is None:
            raise ValueError("the time of a recall needs a zone")
        instant = (at - EPOCH) // MICROSECOND
        day = at.astimezone(UTC).date().isoformat()
        rows = []
        for rank, (item, item_id) in enumerate(dict.fromkeys(items), start=1):
            if item not in ITEMS:
                raise ValueError(f"no kind of item: {item!r:.40}")
            occasion = day if session is None or item == "chunk" else f"session:{session}"
            rows.append((item, item_id, occasion, instant, session, rank))
        if not rows:
            return 0
        with self.transaction() as connection:
            before = connection.total_changes
            connection.executemany(_INSERT, rows)
            return connection.total_changes - before

    def recalls(self, until: datetime | None = None) -> "pl.DataFrame":
        """Return item, item_id, at, occasion of the recalls before `until`, in order of time, then of id."""
        import polars as pl

        rows = self._all("item, item_id, at, occasion", until)
        schema = {"item": pl.String, "item_id": pl.String, "at": pl.Int64, "occasion": pl.String}
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        at = pl.col("at").cast(pl.Datetime("us", "UTC"))
        return frame.with_columns(at).sort("at", "item", "item_id", "occasion")

    def count(self, until: datetime | None = None) -> int:
        """Return how many recalls there are before `until`."""
        return self._all("count(*)", until)[0][0] if self.path.is_file() else 0

    def remove(self, item: str, ids: Iterable[str]) -> int:
        """Delete all recalls of items; return how many were deleted."""
        if not self.path.is_file():
            return 0
        self.rows("PRAGMA secure_delete=ON")
        with self.transaction() as connection:
            before = connection.total_changes
            connection.executemany("DELETE FROM recall WHERE item = ? AND item_id = ?", [(item, key) for key in ids])
            removed = connection.total_changes - before
        self.checkpoint()  # the write-ahead log still held them
        return removed

    def _all(self, columns: str, until: datetime | None) -> list[tuple]:
        if not self.path.is_file():
            return []
        if until is None:
            return self.rows(f"SELECT {columns} FROM recall")
        return self.rows(f"SELECT {columns} FROM recall WHERE at < ?", ((until - EPOCH) // MICROSECOND,))


def with_current_ids(recalls: "pl.DataFrame", names: "pl.DataFrame") -> "pl.DataFrame":
    """Return recalls with former entity ids replaced by current ones.

    Two former ids recalled on one occasion count as one recall of the entity, at the earlier time.

    Args:
        recalls: from `AccessLog.recalls`; without the column `occasion`, equal times are one occasion.
        names: ENTITY_NAMES.
    """
    import polars as pl

    current = names.select(pl.col("name_id").alias("item_id"), pl.col("entity_id").alias("current"))
    current = current.sort(pl.all()).unique("item_id", keep="first").with_columns(pl.lit("entity").alias("item"))
    joined = recalls.join(current, on=["item", "item_id"], how="left")
    renamed = joined.with_columns(pl.coalesce("current", "item_id").alias("item_id")).drop("current")
    by = ["item", "item_id", "occasion" if "occasion" in recalls.columns else "at"]
    order = [name for name in ("at", "item", "item_id", "occasion") if name in recalls.columns]
    return renamed.sort(order).unique(by, keep="first", maintain_order=True).select(recalls.columns)
