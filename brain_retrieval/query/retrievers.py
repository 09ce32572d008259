"""The retrievers of a search, lexical (BM25) and vector (cosine); each may fail without the other.

A retriever returns rows within the filter, best first, with raw scores. Fusion is in `fusion.py`, the final order in
`ranking.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from brain_retrieval.errors import BrainError
from brain_retrieval.extras import MissingExtraError
from brain_retrieval.knowledge.memory_states import source_expired
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.index.protocol import Match, SearchIndex

Row = dict[str, Any]

# The columns ranking needs; full rows are read for the hits only.
COLUMNS = ("id", "source_id", "position", "day", "received_at", "ttl_policy")


@dataclass(frozen=True)
class ArmResult:
    """A retriever's result: `retrieved` id -> raw score, best first; `scores` also has the scores of other ids."""

    name: str
    rows: Mapping[str, Row]
    retrieved: Mapping[str, float]
    scores: Mapping[str, float] = field(default_factory=dict)

    @property
    def lowest(self) -> float:
        """The raw score of the weakest candidate this retriever returned itself."""
        return min(self.retrieved.values(), default=0.0)


def retrieve_lexical(
    index: SearchIndex, words: str, within: IndexFilter, limit: int, *, now: datetime | None = None
) -> tuple[ArmResult, dict[str, np.ndarray]]:
    """Return BM25 candidates and their vectors (id -> float32), so that scoring them densely needs no second query."""
    found = _unexpired(index.search_text(words, within=within, limit=limit, columns=[*COLUMNS, "vector"]), now)
    vectors = {match.row["id"]: np.asarray(match.row.pop("vector"), dtype=np.float32) for match in found}
    scores = {match.row["id"]: match.score for match in found}
    return ArmResult("lexical", {match.row["id"]: match.row for match in found}, scores, scores), vectors


def retrieve_by_vector(
    index: SearchIndex,
    vector: np.ndarray,
    within: IndexFilter,
    limit: int,
    others: Mapping[str, np.ndarray],
    min_similarity: float | None = None,
    *,
    now: datetime | None = None,
) -> ArmResult:
    """Return the nearest chunks by cosine, and the cosines of `others` (id -> unit vector).

    `min_similarity` drops candidates that only this retriever found, never those of another one.
    """
    found = _unexpired(index.search_vectors(vector, within=within, limit=limit, columns=COLUMNS), now)
    cosines = {match.row["id"]: match.score for match in found}
    retrieved = {key: c for key, c in cosines.items() if min_similarity is None or c >= min_similarity}
    more = {key: float(other @ vector) for key, other in others.items() if key not in retrieved}
    return ArmResult(
        "vector", {m.row["id"]: m.row for m in found if m.row["id"] in retrieved}, retrieved, retrieved | more
    )


def _unexpired(found: Sequence[Match], now: datetime | None) -> list[Match]:
    """Drop the chunks of ephemeral sources that have expired by `now` (default: the present).

    There are few, so this is cheaper than a condition that the store would have to apply to all rows.
    """
    moment = now or datetime.now(UTC)
    return [m for m in found if not source_expired(m.row["ttl_policy"], m.row["received_at"], moment)]


def attempt(name: str, run: Callable[[], Any], warnings: list[str]) -> Any:
    """Return what `run` returns, or None with a warning: a failing store drops its retriever, never the query."""
    try:
        return run()
    except MissingExtraError:
        raise  # fails for every query, so a result without this retriever would hide a broken installation
    except Exception as error:
        reason = str(error) if isinstance(error, BrainError) else f"{type(error).__name__}: {str(error)[:200]}"
        warnings.append(f"the {name} retriever was left out: {reason}")
        return None


def merged_rows(results: Sequence[ArmResult]) -> dict[str, Row]:
    """Return the rows of all retrievers by id."""
    return {key: row for result in results for key, row in result.rows.items()}
