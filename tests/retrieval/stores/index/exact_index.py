"""A second search index: one Parquet file, every search a loop over all rows. Small enough to be obviously right.

It is the yardstick of the contract tests, and shows what another store has to bring: this class and a line in
`build.STORES`.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from brain_retrieval.home import Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.schemas.embedded import KnownVector
from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.stores.index.filters import EVERYTHING, IndexFilter, Stretch
from brain_retrieval.stores.index.found import Found
from brain_retrieval.stores.index.index_rows import clean_query, index_digest, index_rows, unit_query, vector_matrix
from brain_retrieval.stores.lake_rows import Rows

Row = dict[str, Any]
VERSION = b"version"


def _inside(stretch: Stretch, row: Row) -> bool:
    return row["source_id"] == stretch.source_id and stretch.first <= row["position"] <= stretch.last


def holds(within: IndexFilter, row: Row) -> bool:
    """Tell whether a row lies in a filter."""
    among = {"id": within.ids, "source": within.sources, "source_id": within.source_ids, "day": within.days}
    among |= {"trust": within.trust, "sensitivity": within.sensitivity}
    return (
        all(values is None or row[column] in values for column, values in among.items())
        and (within.titles is None or (row["title"] is not None and row["title"].split(" (")[0] in within.titles))
        and (within.stretches is None or any(_inside(one, row) for one in within.stretches))
        and (within.speakers is None or bool(set(within.speakers) & set(row["speakers"])))
        and (within.day_from is None or row["day"] >= within.day_from)
        and (within.day_to is None or row["day"] <= within.day_to)
        and (within.since is None or row["event_at"] >= within.since)
        and (within.as_of is None or row["event_at"] <= within.as_of)
        and (within.known_at is None or row["received_at"] <= within.known_at)
    )


class ExactIndex:
    """See `SearchIndex`."""

    store = "exact"

    def __init__(self, space: Space, *, model: str, dim: int, language: str = "en") -> None:
        self.space, self.model, self.dim = space, model, dim
        self.name = f"exact_{stable_hash([model, dim])}"
        self._schema = index_schema(dim)
        self._path = space.index / f"{self.name}.parquet"

    def exists(self) -> bool:
        return self._path.is_file()

    def replace(self, source: str, days: Sequence[str], rows: Rows) -> None:
        batch = index_rows(rows, self._schema, source, days)
        if not days or (not batch.num_rows and not self.exists()):
            return
        new = set(batch.column("id").to_pylist())
        kept = [not (row["id"] in new or (row["source"] == source and row["day"] in days)) for row in self._rows()]
        version = str(self.version() + 1).encode()
        table = pa.concat_tables([self._table().filter(pa.array(kept, pa.bool_())), batch]).sort_by("id")
        pq.write_table(table.replace_schema_metadata({VERSION: version}), self._path)

    def search_vectors(
        self,
        vector: np.ndarray | Sequence[float],
        *,
        within: IndexFilter = EVERYTHING,
        limit: int,
        columns: Sequence[str],
    ) -> Found:
        query = unit_query(vector, self.dim)
        scale = float(np.linalg.norm(query)) or 1.0
        products = vector_matrix(self._table().column("vector")) * query.astype(np.float64)
        cosines = products.sum(axis=1) / scale  # row by row, so that equal vectors have equal scores
        return self._best(cosines.tolist(), within, limit, columns)

    def search_text(self, query: str, *, within: IndexFilter = EVERYTHING, limit: int, columns: Sequence[str]) -> Found:
        words = set(clean_query(query).casefold().split())
        counts = [Counter(row["search_text"].casefold().split()) for row in self._rows()]
        scores = [sum(count[word] for word in words) / (1 + count.total()) for count in counts]
        return self._best(scores, within, limit, columns, above=0.0)

    def known_vectors(self, source: str, days: Sequence[str]) -> dict[str, KnownVector]:
        rows = self.read(IndexFilter(sources=[source], days=days)).to_pylist()
        return {
            row["id"]: KnownVector(row["search_text"], np.asarray(row["vector"], np.float32), row["word_codes"])
            for row in rows
        }

    def counts(self, source: str, days: Sequence[str]) -> dict[str, int]:
        return dict(Counter(self.read(IndexFilter(sources=[source], days=days)).column("day").to_pylist()))

    def count(self, within: IndexFilter = EVERYTHING) -> int:
        return self.read(within).num_rows

    def read(self, within: IndexFilter = EVERYTHING, columns: Sequence[str] | None = None) -> pa.Table:
        kept = [holds(within, row) for row in self._rows()]
        return self._table().filter(pa.array(kept, pa.bool_())).select(columns or self._schema.names)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        yield from self.read(columns=columns).to_batches()

    def fetch(
        self,
        ids: Collection[str],
        *,
        stretches: Iterable[Stretch] = (),
        within: IndexFilter = EVERYTHING,
        columns: Sequence[str] | None = None,
    ) -> pa.Table:
        places = {(s.source_id, position) for s in stretches for position in range(s.first, s.last + 1)}
        rows = [r for r in self._rows() if r["id"] in ids or (r["source_id"], r["position"]) in places]
        found = {row["id"] for row in rows if holds(within, row)}
        return self.read(IndexFilter(ids=found), columns)

    def version(self) -> int:
        return int(pq.read_schema(self._path).metadata[VERSION]) if self.exists() else 0

    def digest(self) -> str:
        return index_digest(self.read())

    def compact(self, *, keep: timedelta = timedelta(hours=1), train: bool = True) -> None:
        """One file has nothing to merge."""

    def purge(self) -> None:
        """One file without old versions has nothing to remove."""

    def drop(self) -> None:
        self._path.unlink(missing_ok=True)

    def _best(
        self, scores: list[float], within: IndexFilter, limit: int, columns: Sequence[str], above: float = -2.0
    ) -> Found:
        rows = enumerate(self._rows())
        pairs = [(scores[place], place) for place, row in rows if holds(within, row) and scores[place] > above]
        best = sorted(pairs, key=lambda pair: -pair[0])[: max(limit, 0)]
        found = self._table().take(pa.array([place for _, place in best], pa.int64())).select(list(columns))
        return Found(found, np.array([score for score, _ in best], dtype=np.float64))

    def _table(self) -> pa.Table:
        return pq.read_table(self._path).cast(self._schema) if self.exists() else self._schema.empty_table()

    def _rows(self) -> list[Row]:
        return self._table().to_pylist()
