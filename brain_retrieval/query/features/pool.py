"""`Pool`: the candidates of one question with their fused scores, which every feature group reads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from brain_retrieval.query.analysis import Question
from brain_retrieval.query.candidates import Candidates
from brain_retrieval.query.features.presence import contained, stems_of
from brain_retrieval.query.features.texts import Texts

Features = Mapping[str, np.ndarray]
_OF_TEXTS = ("lowered", "stems", "inside", "rarity")


@dataclass(frozen=True)
class Pool:
    """What a group computes its features from.

    Args:
        normalised: by retriever, float64 (n,) in [0, 1]; NaN where it gave no score.
        fused: float64 (n,), the retrievers' scores joined.
        neighbour_weights: those of the chunks 1, 2, … places away.
    """

    question: Question
    candidates: Candidates
    normalised: Mapping[str, np.ndarray]
    fused: np.ndarray
    neighbour_weights: tuple[float, ...] = ()

    def __len__(self) -> int:
        return len(self.candidates)

    def rescored(self, candidates: Candidates, normalised: Mapping[str, np.ndarray], fused: np.ndarray) -> "Pool":
        """Return the pool with other scores of the same passages; what was computed of their texts is kept."""
        renewed = replace(self, candidates=candidates, normalised=normalised, fused=fused)
        renewed.__dict__.update({name: value for name, value in self.__dict__.items() if name in _OF_TEXTS})
        return renewed

    @cached_property
    def order(self) -> np.ndarray:
        """int64 (n,): the candidates by fused score, best first; equal scores by id."""
        return self.candidates.best_first(self.fused)

    @cached_property
    def lowered(self) -> Texts:
        """The texts in lower case."""
        return Texts([text.lower() for text in self.candidates.texts])

    @cached_property
    def stems(self) -> list[str]:
        """The words of the question, without inflection."""
        return stems_of(self.question.words)

    @cached_property
    def inside(self) -> np.ndarray:
        """bool (n, stems): which words of the question a candidate contains."""
        return contained(self.stems, self.lowered)

    @cached_property
    def rarity(self) -> np.ndarray:
        """float64 (stems,): how much each word of the question says, by how few candidates contain it."""
        return np.log(1.0 + len(self) / (1.0 + self.inside.sum(axis=0)))


def or_zero(values: np.ndarray) -> np.ndarray:
    """Return values with 0 for NaN; none of them is infinite. `nan_to_num` takes four times as long."""
    return np.where(np.isnan(values), 0.0, values)


Group = Callable[[Pool], Features]
