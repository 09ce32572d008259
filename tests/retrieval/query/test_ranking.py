"""Ranking: fused scores, neighbouring chunks, parent source, and boosts for dates in the question."""

from typing import Any

import pytest

from brain_retrieval.query.analysis import DateMention, Question
from brain_retrieval.query.features import date_boost
from brain_retrieval.query.ranking import neighbourhood, parent_scores, rank
from brain_retrieval.query.retrievers import ArmResult
from brain_retrieval.settings import RetrievalSettings

PLAIN = RetrievalSettings(neighbour_weights=(), parent_weight=0.0)


def place(source_id: str, position: int, day: str = "2026-01-05") -> dict[str, Any]:
    return {"source_id": source_id, "position": position, "day": day}


def asking(*dates: DateMention) -> Question:
    return Question("When?", "when", dates, ())


def order(results: list[ArmResult], settings: RetrievalSettings, **options: Any) -> list[str]:
    chosen = {"limit": 10, "method": "weighted", "weights": settings.weights, "question": asking()} | options
    ranked = rank(results, settings=settings, **chosen)
    ids = {id(row): key for result in results for key, row in result.rows.items()}
    return [ids[id(found.row)] for found in ranked]


def test_a_chunk_between_good_neighbours_gains_and_a_lonely_source_loses_nothing() -> None:
    rows = {"a0": place("a", 0), "a1": place("a", 1), "a2": place("a", 2), "b": place("b", 0)}
    means = neighbourhood(rows, {"a0": 0.8, "a1": 0.4, "a2": 0.8, "b": 0.5}, (0.5,))
    assert means["a1"] == pytest.approx((0.4 + 0.5 * 0.8 + 0.5 * 0.8) / 2)
    assert means["b"] == 0.5


def test_a_place_that_is_no_candidate_counts_nothing() -> None:
    rows = {"a5": place("a", 5)}
    assert neighbourhood(rows, {"a5": 0.9}, (0.5,))["a5"] == pytest.approx(0.9 / 1.5)


def test_the_parent_is_the_best_of_its_chunks() -> None:
    rows = {"a0": place("a", 0), "a1": place("a", 1), "b": place("b", 0)}
    assert parent_scores(rows, {"a0": 0.2, "a1": 0.7, "b": 0.1}) == {"a": 0.7, "b": 0.1}


def test_a_date_named_lifts_its_day_and_half_as_much_its_month() -> None:
    day, month = DateMention(2026, 1, 5), DateMention(None, 1, None)
    question, settings = asking(day, month), RetrievalSettings(date_boost=0.2)
    assert date_boost(place("a", 0), question, settings) == {"date": 0.2}
    assert date_boost(place("a", 0, "2026-01-06"), question, settings) == {"date": 0.1}
    assert date_boost(place("a", 0, "2026-02-05"), question, settings) == {}


def test_min_similarity_never_drops_a_lexical_hit() -> None:
    near = {f"n{i}": place(f"n{i}", 0) for i in range(5)}
    word = {"w": place("w", 0)}
    cosines = {key: 0.6 - n / 100 for n, key in enumerate(near)}
    vector = ArmResult("vector", near, cosines, cosines | {"w": -0.2})
    lexical = ArmResult("lexical", word, {"w": 12.0}, {"w": 12.0})
    found = order([vector, lexical], PLAIN)
    assert set(found) == {*near, "w"}


@pytest.mark.parametrize("method", ["weighted", "rrf"])
def test_score_breakdown_has_every_step(method: str) -> None:
    rows = {"a0": place("a", 0), "a1": place("a", 1)}
    vector = ArmResult("vector", rows, {"a0": 0.5, "a1": 0.3}, {"a0": 0.5, "a1": 0.3})
    lexical = ArmResult("lexical", {"a1": rows["a1"]}, {"a1": 3.0}, {"a1": 3.0})
    settings = RetrievalSettings()
    ranked = rank(
        [vector, lexical],
        limit=2,
        method=method,
        weights=settings.weights,
        question=asking(DateMention(2026, 1, 5)),
        settings=settings,
    )
    for found in ranked:
        why = found.why
        share = settings.parent_weight
        assert why.final == pytest.approx((1 - share) * why.neighbourhood + share * why.parent + why.boosts["date"])
        assert why.fusion == method
    best = ranked[0].why
    assert best.arms["lexical"].rank == 1
    assert best.arms["vector"].rank == 2
    assert "lexical" not in ranked[1].why.arms


def test_ranking_works_with_one_retriever() -> None:
    rows = {"a": place("a", 0), "b": place("b", 0)}
    assert order([ArmResult("lexical", rows, {"b": 2.0, "a": 1.0}, {"b": 2.0, "a": 1.0})], PLAIN) == ["b", "a"]
    assert order([], PLAIN) == []
