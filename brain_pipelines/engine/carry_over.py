"""Changes while an index for another model is built: they also go into the index that searches still use.

Without this a message would not be found, and a deleted note would be, until the last day has been embedded again.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from brain_pipelines.engine.stage import Row
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Space
from brain_retrieval.models.embedding.protocol import CodingEmbedder
from brain_retrieval.query.embedding import index_embedder
from brain_retrieval.schemas.names import WORD_CODES
from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.index.protocol import SearchIndex

if TYPE_CHECKING:
    import numpy as np

LOGGER = logging.getLogger(__name__)

Coded = tuple["np.ndarray", bytes | None]  # vector and codes of the words


def carry_over(
    space: Space,
    settings: Settings,
    catalog: Catalog,
    source: str,
    written: SearchIndex,
    days: Mapping[str, Sequence[Row]],
) -> SearchIndex | None:
    """Store days whose texts have changed in the active index, too, if that is not the one just `written`.

    Texts that it lacks are embedded by its model if that is on this machine; a remote one is not asked, and they are
    found when the new index is complete. Texts that are gone are removed in any case.

    Args:
        days: all rows of each day, as they were written.

    Returns:
        the active index if it was changed.
    """
    active = active_index(space, catalog)
    if active is None or _is_same(active, written) or not active.exists():
        return None
    held = active.read(IndexFilter(sources=[source], days=list(days)), ["id", "day", "search_text"]).to_pylist()
    before: dict[str, set[tuple[str, str]]] = {}
    for row in held:
        before.setdefault(row["day"], set()).add((row["id"], row["search_text"]))
    changed = [day for day, rows in days.items() if before.get(day, set()) != {_text(row) for row in rows}]
    if not changed:
        return None
    rows = [row for day in changed for row in days[day]]
    vectors = _vectors(active, settings, source, changed, rows)
    kept = [
        {**row, "vector": vectors[row["id"]][0], WORD_CODES: vectors[row["id"]][1]}
        for row in rows
        if row["id"] in vectors
    ]
    active.replace(source, changed, pa.Table.from_pylist(kept, schema=index_schema(active.dim)))
    return active


def _vectors(
    active: SearchIndex, settings: Settings, source: str, days: Sequence[str], rows: Sequence[Row]
) -> dict[str, Coded]:
    """Return the vectors of rows by id: those that the index has, and the others if its model is on this machine."""
    known = active.known_vectors(source, days)
    found = {
        row["id"]: (known[row["id"]].vector, known[row["id"]].word_codes)
        for row in rows
        if row["id"] in known and known[row["id"]].search_text == row["search_text"]
    }
    missing = [row for row in rows if row["id"] not in found]
    if not missing:
        return found
    try:
        embedder = index_embedder(active, settings)
        if embedder.at_once is not None:
            raise BrainError(f"{active.model} is a remote model")
        texts = [row["search_text"] for row in missing]
        if isinstance(embedder, CodingEmbedder):
            vectors, codes = embedder.embed_coded(texts)
            packed: Sequence[bytes | None] = [own.packed() for own in codes]
        else:
            vectors, packed = embedder.embed(texts), [None] * len(texts)
    except BrainError as error:
        LOGGER.warning("%d new texts are found when the index of the new model is complete: %s", len(missing), error)
        return found
    return found | {row["id"]: (vector, own) for row, vector, own in zip(missing, vectors, packed, strict=True)}


def _text(row: Row) -> tuple[str, str]:
    return row["id"], row["search_text"]


def _is_same(one: SearchIndex, other: SearchIndex) -> bool:
    return (one.store, one.model, one.dim) == (other.store, other.model, other.dim)
