"""Recall and precision on everyday values of ten countries; the rules were written against the first half only."""

import pytest

from brain_pipelines.landing.redaction.patterns import find_patterns
from tests.pipelines.landing.redaction.everyday import labelled, score


def test_the_set_is_large_and_of_ten_countries() -> None:
    sentences = [*labelled("seen"), *labelled("unseen")]
    assert sum(len(one.values) for one in sentences) >= 240 and sum(not one.values for one in sentences) >= 140
    assert len({one.country for one in sentences} - {"-"}) == 10
    assert len({one.text for one in sentences}) >= 390


@pytest.mark.parametrize("half", ["seen", "unseen"])
def test_recall_and_precision(half: str) -> None:
    result = score(labelled(half), find_patterns)
    assert result.recall >= 0.95, result.missed
    assert result.precision >= 0.97, result.wrong


@pytest.mark.parametrize("kind", ["PHONE", "SECRET", "ID", "BIRTH_DATE", "ADDRESS"])
def test_each_kind_of_the_unseen_half(kind: str) -> None:
    result = score(labelled("unseen"), find_patterns)
    missed = sum(1 for one, _ in result.missed if one == kind)
    assert result.found[kind] >= 0.9 * (result.found[kind] + missed)
