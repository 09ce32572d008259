"""Stage writers for the lake and the search index. A writer replaces whole days and detects days whose rows are lost.

Stages are in `stages/`; `run_stage.py` decides when one is computed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from brain_pipelines.engine.carry_over import carry_over
from brain_pipelines.engine.stage import Row, Stage
from brain_pipelines.landing.landing import Landing, open_landing
from brain_pipelines.sources.source import Source
from brain_retrieval.home import Space
from brain_retrieval.ids import combined_hash, stable_hash
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.schemas.embedded import KnownVector
from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog, LedgerRow
from brain_retrieval.stores.index.build import build_index
from brain_retrieval.stores.index.index_rows import index_digest
from brain_retrieval.stores.index.migration import after_write
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_rows import schema_of, to_table


def index_hash(rows: Sequence[Row]) -> str:
    """Return the hash of the ids and texts of index rows in any order, "" for none."""
    return combined_hash(stable_hash([row["id"], row["search_text"]]) for row in rows) if rows else ""


def rows_key(index: str, source: str, day: str) -> str:
    """Return the key, in the catalog's metadata, of the digest of a day's index rows: the ledger covers no vectors."""
    return f"index_rows:{index}:{source}:{day}"


@dataclass(frozen=True)
class UserStores:
    """The open stores of one user."""

    space: Space
    settings: Settings
    landing: Landing
    catalog: Catalog
    lake: Lake

    @classmethod
    def open(cls, space: Space, settings: Settings) -> "UserStores":
        catalog = Catalog(space.create())
        return cls(space, settings, open_landing(space, settings), catalog, Lake(space, catalog))

    def close(self) -> None:
        self.landing.close()
        self.catalog.close()

    def __enter__(self) -> "UserStores":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class StageWriter(Protocol):
    """The operations that the engine needs from a store."""

    def check(self, table: str, rows: Sequence[Row]) -> None:
        """Raise an exception if rows cannot be stored: a wrong type, or text that is not valid UTF-8."""
        ...

    def replace(self, table: str, rows: Mapping[str, Sequence[Row]]) -> dict[str, str]:
        """Replace the rows of each day and return its digest, "" for no rows."""
        ...

    def lost(self, ledger: Iterable[LedgerRow]) -> set[str]:
        """Return the days that are stored according to the ledger but whose rows are missing."""
        ...

    def known_vectors(self, days: Sequence[str]) -> dict[str, KnownVector]:
        """Return (search text, vector) by chunk id for the stored rows of these days."""
        ...


@dataclass(frozen=True)
class LakeWriter:
    """Parquet files of one source in the user's lake."""

    source: Source
    stage: Stage
    bench: UserStores

    def check(self, table: str, rows: Sequence[Row]) -> None:
        to_table(rows, schema_of(table))

    def replace(self, table: str, rows: Mapping[str, Sequence[Row]]) -> dict[str, str]:
        return self.bench.lake.replace_many(table, self.source.name, rows)

    def lost(self, ledger: Iterable[LedgerRow]) -> set[str]:
        expected = {row.day: row.rows for row in ledger}
        found = dict.fromkeys(expected, 0)
        intact: dict[str, bool] = {}  # a compacted month is one file for many days
        for table in self.stage.tables:
            for file in self.bench.catalog.lake_files(table, source=self.source.name, days=list(expected)):
                if file.path not in intact:
                    intact[file.path] = self.bench.lake.is_intact(file)
                if intact[file.path]:
                    found[file.day] += file.rows
        return {day for day, rows in expected.items() if found[day] != rows}

    def known_vectors(self, days: Sequence[str]) -> dict[str, KnownVector]:
        return {}


class IndexWriter:
    """The user's index table of the configured embedding model."""

    def __init__(self, source: Source, bench: UserStores) -> None:
        self.source, self.bench = source, bench
        embedder = build_embedder(bench.settings.embedding, models_dir=bench.settings.models_dir)
        self.index = build_index(bench.space, bench.settings, model=embedder.name, dim=embedder.dim)

    def check(self, table: str, rows: Sequence[Row]) -> None:
        """Do nothing: all columns but the vectors come from chunks, which have been stored."""

    def replace(self, table: str, rows: Mapping[str, Sequence[Row]]) -> dict[str, str]:
        schema = index_schema(self.index.dim)
        span = pa.Table.from_pylist([row for day in rows.values() for row in day], schema=schema)
        self.index.replace(self.source.name, list(rows), span)
        digests: dict[str, str | None] = {}
        for day, members in rows.items():
            key = rows_key(self.index.name, self.source.name, day)
            digests[key] = index_digest(pa.Table.from_pylist(list(members), schema=schema)) or None
        self.bench.catalog.set_metas(digests)
        if not after_write(self.bench.space, self.bench.catalog, self.bench.lake, self.index):
            self._carry_over(rows)
        return {day: index_hash(members) for day, members in rows.items()}

    def _carry_over(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Change the index that searches still use, too, and forget what was recorded of its days."""
        bench, source = self.bench, self.source.name
        active = carry_over(bench.space, bench.settings, bench.catalog, source, self.index, rows)
        if active is not None:
            bench.catalog.set_metas({rows_key(active.name, source, day): None for day in rows})

    def lost(self, ledger: Iterable[LedgerRow]) -> set[str]:
        expected = {row.day: row.rows for row in ledger if row.rows}
        if not expected:
            return set()
        counts = self.index.counts(self.source.name, list(expected))
        return {day for day, rows in expected.items() if counts.get(day, 0) != rows}

    def known_vectors(self, days: Sequence[str]) -> dict[str, KnownVector]:
        return self.index.known_vectors(self.source.name, days)
