"""A pack stays empty if even the best passage is probably no answer."""

from dataclasses import replace

import pytest

from brain_retrieval.query.hits import SearchResult
from brain_retrieval.query.packs.likely import LEAST_SCORE, if_likely
from tests.retrieval.query.packs.made_hits import hit


def found(*scores: float) -> SearchResult:
    hits = (replace(hit("The oboe is mended.", rank), score=score) for rank, score in enumerate(scores, start=1))
    return SearchResult(hits, warnings=["one store is gone"])


def test_unlikely_passages_are_none_and_the_nearest_is_kept() -> None:
    unlikely = found(LEAST_SCORE / 2, LEAST_SCORE / 4)
    nothing = if_likely(unlikely)
    assert list(nothing) == []
    assert nothing.nearest == unlikely[0]
    assert nothing.warnings == ["one store is gone"]


@pytest.mark.parametrize("scores", [(LEAST_SCORE, 0.001), (0.001, 0.4), ()])
def test_one_likely_passage_keeps_all(scores: tuple[float, ...]) -> None:
    passages = found(*scores)
    assert if_likely(passages) is passages
