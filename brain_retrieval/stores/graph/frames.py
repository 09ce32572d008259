"""Graph rows as polars frames in the stored columns, their hashes, and differences between them.

Frames contain plain values: times are microseconds since 1970, lists and properties are JSON text. Conversion to
records is in `rows.py`, the rows of a snapshot in `projection.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from brain_retrieval.ids import stable_hash
from brain_retrieval.stores.graph.protocol import GraphSnapshot

NODE: dict[str, Any] = {
    **dict.fromkeys(("key", "kind", "type", "name"), pl.String()),
    "confidence": pl.Float64(),
    **dict.fromkeys(("names", "properties"), pl.String()),
}
EDGE: dict[str, Any] = {
    **dict.fromkeys(("key", "kind", "start", "end", "relation"), pl.String()),
    "confidence": pl.Float64(),
    **dict.fromkeys(("valid_from", "valid_to", "known_from"), pl.Int64()),
    **dict.fromkeys(("properties", "predicate"), pl.String()),
    "negated": pl.Boolean(),
    "ended_known_from": pl.Int64(),
}
EVIDENCE: dict[str, Any] = dict.fromkeys(("key", "source_id", "subject_id", "data"), pl.String())
STORED: dict[str, dict[str, Any]] = {"node": NODE, "edge": EDGE, "evidence": EVIDENCE}
HASHES: dict[str, Any] = {"key": pl.String(), "hash": pl.String()}
SLICE_ROWS = 20_000  # rows converted to Python objects at a time


@dataclass(frozen=True)
class Change:
    """A table's change: rows to write, with their hashes, and keys to remove, both sorted by key."""

    rows: pl.DataFrame
    stale: pl.Series
    hashes: pl.DataFrame  # HASHES of all its rows afterwards

    def counts(self, table: str) -> dict[str, int]:
        """Return the counts for a PublishReport."""
        name = {"node": "nodes", "edge": "edges"}.get(table, table)
        return {f"{name}_written": self.rows.height, f"{name}_removed": self.stale.len()}


class Changes(Protocol):
    """The changes that lead to a new graph. `change` must be called for the nodes first."""

    dangling: int

    def change(self, table: str, before: pl.DataFrame) -> Change:
        """Return the change of a table that has rows of the HASHES `before`."""
        ...


def difference(rows: pl.DataFrame, before: pl.DataFrame) -> Change:
    """Return the change that makes a table hold exactly `rows`."""
    after = hashes(rows)
    new = after.join(before, on=["key", "hash"], how="anti")
    stale = before.join(after, on="key", how="anti")["key"].sort()
    return Change(rows.join(new, on="key", how="inner").sort("key"), stale, after)


def hashes(rows: pl.DataFrame) -> pl.DataFrame:
    """Return HASHES of rows: 64 bits of BLAKE2b over their columns."""
    digests: list[str] = []
    for part in rows.iter_slices(SLICE_ROWS):
        columns = [pl.col(name).cast(pl.String).fill_null("\0") for name in part.columns]
        texts = part.select(pl.concat_str(columns, separator="\x1f").alias("text"))["text"]
        digests += [blake2b(text.encode(), digest_size=8).hexdigest() for text in texts]
    return pl.DataFrame({"key": rows["key"], "hash": digests}, schema=HASHES)


def digest(found: Sequence[pl.DataFrame]) -> str:
    """Return one hash over the HASHES of all tables, independent of the row order."""
    total = blake2b(digest_size=16)
    for table in found:
        lines = table.sort("key").select(pl.concat_str("key", "hash", separator=" ").alias("line"))["line"]
        for part in lines.to_frame().iter_slices(SLICE_ROWS):
            total.update("\n".join(part["line"]).encode())
        total.update(b"\0")
    return total.hexdigest()


def snapshot_digest(snapshot: GraphSnapshot, user: str) -> str:
    """Return the identity of a publication: a hash of the snapshot's rows in any order, the code and the user.

    Row hashes differ between versions of polars; after an upgrade a snapshot is published again, which writes nothing.
    """
    tables = {name: frame for name, frame in snapshot.items() if frame.height}
    found = [
        (name, frame.columns, blake2b(frame.hash_rows().sort().to_numpy().tobytes(), digest_size=16).hexdigest())
        for name, frame in sorted(tables.items())
    ]
    return stable_hash([_code(), pl.__version__, user, found])


def pack(frame: pl.DataFrame) -> pl.Series:
    """Return the columns of a frame as one column of JSON objects; times become microseconds since 1970."""
    ordered = frame.select(
        pl.col(name).dt.epoch("us") if isinstance(frame.schema[name], pl.Datetime) else pl.col(name)
        for name in sorted(frame.columns)
    )
    return ordered.select(pl.struct(pl.all()).struct.json_encode().alias("packed"))["packed"]


def taken(frame: pl.DataFrame, names: Sequence[str]) -> list[pl.Expr]:
    """Return these columns; missing ones are null."""
    return [pl.col(n) if n in frame.columns else pl.lit(None, pl.String()).alias(n) for n in names]


def stored(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows with exactly the columns of a table, one for each key; columns that are lacking are null."""
    schema, there = STORED[table], rows.schema
    if rows.is_empty():
        return pl.DataFrame(schema=schema)
    chosen = [(pl.col(n) if n in there else pl.lit(None)).cast(kind).alias(n) for n, kind in schema.items()]
    return rows.select(chosen).unique("key", keep="last", maintain_order=True)


def tuples(frame: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a frame, a slice at a time."""
    for part in frame.iter_slices(SLICE_ROWS):
        yield from part.rows()


@cache
def _code() -> str:
    """Return a hash of this package's code, because another version may give a different graph."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return stable_hash([file.read_text("utf-8") for file in files])
