"""`SearchIndex`: the interface of a user's search index. `build.py` is the factory, `lance/` the implementation.

Another store is a folder beside `lance/` and a line in `build.py`; `tests/retrieval/stores/index/test_contract.py`
is its contract test.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa

from brain_retrieval.home import Space
from brain_retrieval.schemas.embedded import KnownVector
from brain_retrieval.stores.index.filters import EVERYTHING, IndexFilter, Stretch
from brain_retrieval.stores.index.found import Found
from brain_retrieval.stores.lake_rows import Rows


class SearchIndex(Protocol):
    """Vectors, full text and filters over the chunks of one user, for one embedding model (`model`, `dim`).

    Rows have the columns of `schemas.index_schema(dim)`. Nothing is created before the first row is written, and an
    index that does not exist answers as an empty one. `store` is the name under which `build.py` opens it, `name`
    that of this user's table. What cannot be read or written raises StoreError.
    """

    @property
    def store(self) -> str: ...

    @property
    def space(self) -> Space: ...

    @property
    def model(self) -> str: ...

    @property
    def dim(self) -> int: ...

    @property
    def name(self) -> str: ...

    def exists(self) -> bool:
        """Return whether anything has been written, without creating it."""
        ...

    def check(self) -> None:
        """Read a little of everything that searches use.

        Raises:
            DamagedIndexError: if it exists and cannot be searched.
        """
        ...

    def move_aside(self, to: Path) -> None:
        """Move a damaged index to the directory `to`, for a person to look at; it then answers as an empty one."""
        ...

    def use_language(self, language: str) -> bool:
        """Make `language` (ISO 639-1) that of the text search; return whether anything was rebuilt."""
        ...

    def replace(self, source: str, days: Sequence[str], rows: Rows) -> None:
        """Replace all rows of `source` on `days` by `rows` in one commit; no rows clears them.

        A row that moved here from another day keeps its id and is no longer found under the old day.

        Raises:
            DimensionMismatchError: if the vectors are not `dim` wide.
            ValueError: if rows lie outside the span, share an id or hold a vector that is not finite.
        """
        ...

    def search_vectors(
        self,
        vector: np.ndarray | Sequence[float],
        *,
        within: IndexFilter = EVERYTHING,
        limit: int,
        columns: Sequence[str],
    ) -> Found:
        """Return up to `limit` rows of `within` nearest to `vector`, nearest first; the score is the cosine.

        Raises:
            DimensionMismatchError: if `vector` is not `dim` wide.
            ValueError: if it is not finite.
        """
        ...

    def search_text(self, query: str, *, within: IndexFilter = EVERYTHING, limit: int, columns: Sequence[str]) -> Found:
        """Return up to `limit` rows of `within` by the words of `search_text`, best first; any word may match.

        Rows of equal scores are ordered by id.
        The query is words only: operators, quotes and SQL in it have no meaning, and no text raises.
        """
        ...

    def known_vectors(self, source: str, days: Sequence[str]) -> dict[str, KnownVector]:
        """Return what is stored for the span by id."""
        ...

    def counts(self, source: str, days: Sequence[str]) -> dict[str, int]:
        """Return day -> number of rows, for the days of the span that have any."""
        ...

    def count(self, within: IndexFilter = EVERYTHING) -> int:
        """Return how many rows lie in `within`."""
        ...

    def read(self, within: IndexFilter = EVERYTHING, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the rows of `within`, all columns or those named, ordered by id."""
        ...

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield all rows, the columns named, in blocks and in no order; memory does not grow with the table."""
        ...

    def fetch(
        self,
        ids: Collection[str],
        *,
        stretches: Iterable[Stretch] = (),
        within: IndexFilter = EVERYTHING,
        columns: Sequence[str] | None = None,
    ) -> pa.Table:
        """Return the rows of `ids` that exist and those in any of `stretches`, as far as they lie in `within`.

        One query to the store; rows are ordered by id.
        """
        ...

    def version(self) -> int:
        """Return the number of the newest commit; 0 if nothing has been written. It only grows."""
        ...

    def unindexed(self) -> int:
        """Return how many rows the text index does not hold yet; every text search reads them one by one."""
        ...

    def is_mostly_replaced(self, older_than: timedelta) -> bool:
        """Return whether replaced versions, some older than a time, and the rest take more space than the rows."""
        ...

    def digest(self) -> str:
        """Return a digest of all rows, vectors included, whatever the layout; "" without rows."""
        ...

    def compact(self, *, keep: timedelta = timedelta(hours=1), train: bool = True) -> None:
        """Merge small files, and remove versions older than `keep`; contents do not change.

        `train` allows building an approximate vector index where one is worth it. `keep` under an hour may break
        readers that are in the middle of a query.
        """
        ...

    def purge(self) -> None:
        """Remove what was deleted from all files, old versions included; contents do not change.

        A reader in the middle of a query may fail.
        """
        ...

    def drop(self) -> None:
        """Remove everything, with all versions."""
        ...
