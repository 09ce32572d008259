"""The arms of a search: each finds candidates its own way, inside the scope, and may fail without the others.

An arm returns rows best first and a raw score for each. Joining arms is fusion.py's, the final order ranking.py's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from brain_retrieval.errors import BrainError
from brain_retrieval.extras import MissingExtraError
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.index.protocol import SearchIndex

Row = dict[str, Any]

COLUMNS = ("id", "source_id", "position", "day")  # what ranking needs; whole rows are read for the hits alone


@dataclass(frozen=True)
class ArmResult:
    """What an arm found: `retrieved` id -> raw score, best first; `scores` also has what it thinks of other ids."""

    name: str
    rows: Mapping[str, Row]
    retrieved: Mapping[str, float]
    scores: Mapping[str, float] = field(default_factory=dict)

    @property
    def lowest(self) -> float:
        """The raw score of the weakest candidate this arm retrieved itself."""
        return min(self.retrieved.values(), default=0.0)


def lexical_arm(
    index: SearchIndex, words: str, within: IndexFilter, limit: int
) -> tuple[ArmResult, dict[str, np.ndarray]]:
    """Return BM25 candidates and their vectors (id -> float32), so that a dense score needs no second visit."""
    found = index.search_text(words, within=within, limit=limit, columns=[*COLUMNS, "vector"])
    vectors = {match.row["id"]: np.asarray(match.row.pop("vector"), dtype=np.float32) for match in found}
    scores = {match.row["id"]: match.score for match in found}
    return ArmResult("lexical", {match.row["id"]: match.row for match in found}, scores, scores), vectors


def vector_arm(
    index: SearchIndex,
    vector: np.ndarray,
    within: IndexFilter,
    limit: int,
    others: Mapping[str, np.ndarray],
    min_similarity: float | None = None,
) -> ArmResult:
    """Return the nearest chunks by cosine, and the cosine of `others` (unit vectors by id) besides.

    `min_similarity` drops what this arm alone would bring; what another arm found is never gated by it.
    """
    found = index.search_vectors(vector, within=within, limit=limit, columns=COLUMNS)
    cosines = {match.row["id"]: match.score for match in found}
    retrieved = {key: c for key, c in cosines.items() if min_similarity is None or c >= min_similarity}
    more = {key: float(other @ vector) for key, other in others.items() if key not in retrieved}
    return ArmResult(
        "vector", {m.row["id"]: m.row for m in found if m.row["id"] in retrieved}, retrieved, retrieved | more
    )


def attempt(name: str, run: Callable[[], Any], warnings: list[str]) -> Any:
    """Return what `run` returns, or None and a warning: a store that fails drops its arm, never the query."""
    try:
        return run()
    except MissingExtraError:
        raise  # it fails at every question, so a result without this arm would hide a wrong installation
    except Exception as error:
        reason = str(error) if isinstance(error, BrainError) else f"{type(error).__name__}: {str(error)[:200]}"
        warnings.append(f"the {name} arm was left out: {reason}")
        return None


def merged_rows(results: Sequence[ArmResult]) -> dict[str, Row]:
    """Return the rows of all arms by id."""
    return {key: row for result in results for key, row in result.rows.items()}
