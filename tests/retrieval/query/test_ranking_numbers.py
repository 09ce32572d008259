"""The order of a small set of candidates, worked out by hand from docs/retrieval.md."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from brain_retrieval.query.analysis import DateMention
from brain_retrieval.query.ranker.calibration import Calibration
from brain_retrieval.query.ranking import Ranked, rank
from brain_retrieval.settings import RetrievalSettings
from tests.retrieval.query.pools import Result, Rows, asking, candidates_of, place

NOTES = RetrievalSettings(
    neighbour_weights=(), window_weight=0.0, parent_weight=0.0, trained=False
)  # nothing but fusion


def result_of(name: str, retrieved: dict[str, float], **others: float) -> Result:
    return Result(name, retrieved, others)


def ranked(results: list[Result], rows: Rows, settings: RetrievalSettings, **options: Any) -> dict[str, Ranked]:
    chosen = {"method": "weighted", "weights": settings.weights, "question": asking()} | options
    found = candidates_of(rows, *results)
    return {found.ids[item.row]: item for item in rank(found, settings=settings, **chosen).best(100)}


def test_weighted_fusion_sees_distances_where_rrf_sees_only_ranks() -> None:
    rows = {key: place(key, 0) for key in "ab"}
    vector = result_of("vector", {"a": 0.9, "b": 0.8})
    lexical = result_of("lexical", {"b": 10.0, "a": 1.0})
    weighted = ranked([vector, lexical], rows, NOTES, method="weighted")
    # vector: 1 and 0.5 (best and weakest); lexical over its maximum: 1 and 0.1
    assert {key: found.why.fused for key, found in weighted.items()} == pytest.approx({"b": 0.75, "a": 0.55})
    assert list(weighted) == ["b", "a"]
    # Each is first once and second once: equal in RRF, over the maximum both 1, and so ordered by id.
    ranks = ranked([vector, lexical], rows, NOTES, method="rrf")
    assert {key: found.why.fused for key, found in ranks.items()} == pytest.approx({"a": 1.0, "b": 1.0})
    assert list(ranks) == ["a", "b"]


def test_rrf_uses_the_configured_constant_and_the_retrievers_own_ranks() -> None:
    rows = {key: place(key, 0) for key in "abc"}
    vector = result_of("vector", {"a": 0.9, "b": 0.2}, c=0.95)  # c has a cosine, and no rank in this retriever
    lexical = result_of("lexical", {"c": 4.0})
    settings = NOTES.model_copy(update={"rrf_k": 1})
    found = ranked([vector, lexical], rows, settings, method="rrf", weights={"vector": 0.6, "lexical": 0.3})
    # a 0.6/2, b 0.6/3, c 0.3/2; over the maximum 0.3
    fused = {key: item.why.fused for key, item in found.items()}
    assert fused == pytest.approx({"a": 1.0, "b": 2 / 3, "c": 0.5})
    assert list(found) == ["a", "b", "c"]


def test_bm25_is_normalised_by_its_maximum_and_cosine_by_its_spread() -> None:
    rows = {key: place(key, 0) for key in "abcd"}
    vector = result_of("vector", {"a": 0.8, "b": 0.6, "c": 0.4}, d=0.1)
    lexical = result_of("lexical", {"d": 8.0, "c": 6.0, "b": 2.0})
    found = ranked([vector, lexical], rows, NOTES)
    said = {key: {name: score.normalised for name, score in item.why.arms.items()} for key, item in found.items()}
    # cosine: 1 at 0.8, 0.5 at the weakest retrieved (0.4), on that line also where another retriever found it (0.1)
    assert said["a"] == pytest.approx({"vector": 1.0})
    assert said["b"] == pytest.approx({"vector": 0.75, "lexical": 0.25})
    assert said["c"] == pytest.approx({"vector": 0.5, "lexical": 0.75})
    assert said["d"] == pytest.approx({"vector": 0.125, "lexical": 1.0})
    assert [score.score for score in found["d"].why.arms.values()] == [0.1, 8.0]
    assert [score.rank for score in found["d"].why.arms.values()] == [None, 1]
    assert list(found) == ["c", "d", "a", "b"]  # 0.625, 0.5625, 0.5, 0.5


def test_the_default_order_worked_out_by_hand() -> None:
    """Fusion, neighbourhood (0.3, 0.15), window (0.25), parent (3/8) and a date (0.2), as in the documentation."""
    one, two, three = math.exp(-1 / 8), math.exp(-4 / 8), math.exp(-9 / 8)  # weights in the window, by distance
    rows = {"a0": place("a", 0), "a1": place("a", 1), "a3": place("a", 3), "b0": place("b", 0, "2026-02-01")}
    vector = result_of("vector", {"a0": 0.8, "a1": 0.6, "b0": 0.4}, a3=0.2)
    lexical = result_of("lexical", {"a3": 8.0, "b0": 2.0})
    found = ranked([vector, lexical], rows, RetrievalSettings(trained=False), question=asking(DateMention(None, 2, 1)))
    why = {key: item.why for key, item in found.items()}
    assert {key: w.fused for key, w in why.items()} == pytest.approx({"a0": 0.5, "a1": 0.375, "a3": 0.625, "b0": 0.375})
    assert {key: w.neighbourhood for key, w in why.items()} == pytest.approx(
        {
            # places 1, 2 and 3; 2 is no candidate, and 3 only in the window
            "a0": 0.75 * (0.5 + 0.3 * 0.375) / 1.45
            + 0.25 * (0.5 + 0.375 * one + 0.625 * three) / (1 + one + two + three),
            # places 0, 2 and 3
            "a1": 0.75 * (0.375 + 0.3 * 0.5 + 0.15 * 0.625) / 1.75
            + 0.25 * (0.375 + 0.5 * one + 0.625 * two) / (1 + 2 * one + two),
            # places 2, 1 and 0
            "a3": 0.75 * (0.625 + 0.15 * 0.375) / 1.45
            + 0.25 * (0.625 + 0.375 * two + 0.5 * three) / (1 + one + two + three),
            "b0": 0.375,
        }
    )
    assert {w.parent for key, w in why.items() if key != "b0"} == {0.625}
    assert {key: round(w.final, 4) for key, w in why.items()} == {"b0": 0.575, "a3": 0.511, "a0": 0.4898, "a1": 0.4555}
    assert list(found) == ["b0", "a3", "a0", "a1"]
    assert [w.boosts for w in why.values()] == [{"date": 0.2}, {}, {}, {}]


def test_the_limit_takes_the_best() -> None:
    rows = {key: place(key, 0) for key in "abc"}
    lexical = result_of("lexical", {"c": 3.0, "b": 2.0, "a": 1.0})
    assert list(ranked([lexical], rows, NOTES))[:2] == ["c", "b"]


COSINES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-1, 1), min_size=1)


@examples(max_examples=50)
@given(COSINES, COSINES, st.sampled_from(["weighted", "rrf"]))
def test_ranking_keeps_pareto_order(first: dict[str, float], second: dict[str, float], method: str) -> None:
    """Fused scores lie in [0, 1] and keep every order that all retrievers agree on."""
    rows = {key: place(key, 0) for key in {*first, *second}}
    results = [
        result_of(name, dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))))
        for name, scores in (("vector", first), ("lexical", second))
    ]
    found = ranked(results, rows, NOTES, method=method)
    assert all(0 <= item.why.final <= 1 + 1e-9 for item in found.values())
    both = set(first) & set(second)
    for one in both:
        for two in both:
            if first[one] > first[two] and second[one] > second[two]:
                assert found[one].why.fused >= found[two].why.fused - 1e-12


def test_no_date_boost_without_a_share_of_it() -> None:
    rows = {"a": place("a", 0)}
    lexical = result_of("lexical", {"a": 1.0})
    found = ranked([lexical], rows, RetrievalSettings(date_boost=0), question=asking(DateMention(2026, 1, 5)))
    assert found["a"].why.boosts == {}


def test_a_score_is_the_probability_and_without_a_calibration_the_number_that_orders() -> None:
    rows = {key: place(key, 0) for key in "ab"}
    results = [result_of("lexical", {"a": 4.0, "b": 2.0})]
    for one in ranked(results, rows, NOTES).values():
        assert one.probability is None and one.answered is None and one.score == one.why.final
    calibration = Calibration("m", (0.4, *9 * (0.0,)), (0.1, 2.0), cut=0.0)
    found = ranked(results, rows, NOTES, calibration=calibration)
    answered = 1 / (1 + math.exp(-0.4))
    for one in found.values():
        assert one.answered == pytest.approx(answered)
        assert one.score == one.probability == pytest.approx(answered / (1 + math.exp(-0.1 - 2 * one.why.final)))
    assert found["a"].score > found["b"].score


def test_candidates_asked_for_by_id_are_explained_as_in_the_order() -> None:
    found = candidates_of({key: place(key, 0) for key in "abc"}, result_of("lexical", {"a": 4.0, "b": 2.0, "c": 1.0}))
    order = rank(found, settings=NOTES, method="weighted", weights=NOTES.weights, question=asking())
    best = {found.ids[one.row]: one for one in order.best(3)}
    assert order.of(["c", "a", "elsewhere"]) == {key: best[key] for key in "ac"}
    assert order.of([]) == {}
