"""Ranking: fused scores, neighbouring chunks, parent source, and boosts for dates in the question."""

from typing import Any

import numpy as np
import pytest

from brain_retrieval.query.analysis import DateMention
from brain_retrieval.query.features.registry import GROUPS, features_of
from brain_retrieval.query.ranker.calibration import calibration_of
from brain_retrieval.query.ranking import Ranked, boosts, bridged, formula, linked, rank
from brain_retrieval.settings import RetrievalSettings
from tests.retrieval.query.pools import Result, Rows, asking, candidates_of, place, pool_of, texts

PLAIN = RetrievalSettings(neighbour_weights=(), window_weight=0.0, parent_weight=0.0)
FEATURES = {
    "scores": (
        "fused", "lexical", "lexical_z", "lexical_rank", "vector", "vector_z", "vector_rank", "cosine",
        "late_interaction", "late_interaction_z", "late_interaction_rank", "closeness", "both",
    ),
    "beside": ("neighbourhood", "window", "before", "after", "two_away", "nearby", "parent", "parent_sum", "first"),
    "words": ("coverage", "title_coverage", "rarest", "clause", "pairs"),
    "people": ("speaker", "other_speaker", "byline"),
    "dates": ("date", "date_near", "inside", "around", "source_named", "newer"),
    "form": ("length", "asks", "question_length", "unknown"),
    "names": (
        "pagerank", "pagerank_order", "shared_names", "title_link", "linker", "second_hop", "title_named",
        "title_asked", "bridge", "bridger", "page", "missing", "absent_things",
    ),
    "memories": ("fit", "rank", "compared", "share", "silent"),
}  # fmt: skip


def order(results: list[Result], rows: Rows, settings: RetrievalSettings, **options: Any) -> list[str]:
    chosen = {"method": "weighted", "weights": settings.weights, "question": asking()} | options
    found = candidates_of(rows, *results)
    return [found.ids[item.row] for item in rank(found, settings=settings, **chosen).best(10)]


def test_the_formula_adds_neighbourhood_parent_and_boosts() -> None:
    settings = RetrievalSettings(
        window_weight=0.5, parent_weight=0.25, date_boost=0.2, memory_weight=0.2, link_weight=0.3
    )
    beside = {"neighbourhood": np.array([0.6, 0.9]), "window": np.array([0.2, 0.7]), "parent": np.array([0.6, 1.0])}
    names = {"second_hop": np.array([0.0, 0.5]), "title_link": np.array([1.0, 0.0]), "linker": np.array([1.0, 0.0])}
    names |= dict.fromkeys(("title_asked", "bridge", "bridger", "page"), np.zeros(2))
    features = {"beside": beside, "dates": {"date": np.array([0.5, 0.0]), "around": np.zeros(2)}, "names": names}
    features |= {"words": {"coverage": np.array([0.0, 0.5])}, "people": {"byline": np.array([0.0, 0.0])}}
    features["memories"] = {"fit": np.array([1.0, 0.0]), "share": np.zeros(2), "silent": np.zeros(2)}
    expected = [0.75 * 0.4 + 0.25 * 0.6 + 0.1 + 0.3, 0.85 + 0.05 + 0.05]
    assert formula(features, settings).tolist() == pytest.approx(expected)
    compared = features | {"memories": features["memories"] | {"share": np.ones(2)}}
    mean = [0.8 * 0.45 + 0.2 * 1.0 + 0.1 + 0.12, 0.8 * 0.85 + 0.2 * 0.0 + 0.1]
    assert formula(compared, settings).tolist() == pytest.approx(mean)  # up to the passage that names it
    silent = compared | {"memories": compared["memories"] | {"silent": np.array([0.0, 1.0])}}
    assert formula(silent, settings)[1] == pytest.approx(expected[1])  # it could hold none
    found = {name: values.tolist() for name, values in boosts(features, settings).items()}
    assert found.pop("memories") == [0.0, 0.0]
    assert found.pop("title_link") == pytest.approx([0.3, 0.0])
    assert found.pop("bridge") == [0.0, 0.0]
    assert found.pop("byline") == [0.0, 0.0]
    assert found.pop("title") == [0.0, 0.0]
    assert found == {"coverage": [0.0, 0.05], "date": [0.1, 0.0], "around": [0.0, 0.0], "second_hop": [0.0, 0.05]}
    signed = features | {"people": {"byline": np.array([0.0, 1.0])}}
    assert boosts(signed, settings)["byline"].tolist() == [0.0, settings.byline_boost]
    titled = features | {"names": names | {"title_asked": np.array([0.5, 1.0])}}
    assert boosts(titled, settings)["title"].tolist() == [0.5 * settings.title_boost, settings.title_boost]


def test_a_link_by_title_goes_beyond_the_passage_it_comes_from_with_a_third_only() -> None:
    scores, names = np.array([1.0, 0.9, 0.2, 0.6]), {"title_link": np.array([0, 1, 1, 0.5]), "linker": np.zeros(4)}
    assert linked(scores, names, 0.5).tolist() == pytest.approx([0.0, 0.15, 0.5, 0.25])


def test_a_bridge_lifts_one_passage_a_page_to_just_below_its_start() -> None:
    scores = np.array([1.0, 0.5, 0.6, 0.9, 0.4, 0.99])
    names = {"bridge": np.array([0, 1, 1, 1, 0.5, 1]), "bridger": np.zeros(6), "page": np.array([0.0, 1, 1, 2, 3, 4])}
    # Row 1 is on the page of row 2, which is better; row 3 may gain 0.08, row 5 is above 0.98 already.
    assert bridged(scores, names, 0.4).tolist() == pytest.approx([0, 0, 0.38, 0.08, 0.2, 0])
    many = {"bridge": np.r_[0.0, np.ones(8)], "bridger": np.zeros(9), "page": np.arange(9.0)}
    found = bridged(np.r_[1.0, np.linspace(0.1, 0.45, 8)], many, 0.1)
    assert found.tolist() == pytest.approx([*4 * [0.0], *5 * [0.1]])


def test_a_date_named_lifts_its_day_and_half_as_much_its_month() -> None:
    question = asking(DateMention(2026, 1, 5), DateMention(None, 1, None))
    days = {"a": "2026-01-05", "b": "2026-01-06", "c": "2026-02-05"}
    rows = {key: place(key, 0, day) for key, day in days.items()}
    found = candidates_of(rows, Result("lexical", dict.fromkeys("abc", 1.0)))
    settings = PLAIN.model_copy(update={"date_boost": 0.2, "coverage_weight": 0.0, "trained": False})
    ranked = rank(found, method="weighted", weights={"lexical": 1.0}, question=question, settings=settings).best(3)
    assert {found.ids[item.row]: item.why.boosts for item in ranked} == {
        "a": {"date": 0.2},
        "b": {"date": 0.1},
        "c": {},
    }
    assert [item.why.final for item in ranked] == pytest.approx([1.2, 1.1, 1.0])


def test_the_features_are_those_that_are_documented() -> None:
    pool = pool_of({"a": place("s", 0, text="Ada was here."), "b": place("s", 3)}, [0.5, 0.25])
    found = features_of(pool)
    assert list(GROUPS) == list(FEATURES)
    assert {group: tuple(values) for group, values in found.items()} == FEATURES
    for values in (values for group in found.values() for values in group.values()):
        assert (values.shape, values.dtype) == ((2,), np.float64)
        assert np.isfinite(values).all()


def test_no_group_fails_without_names_words_or_texts() -> None:
    """A question of one mark of punctuation over empty passages: every feature is a number."""
    for rows in (texts(""), texts("", "?", "...")):
        for group in features_of(pool_of(rows, question=asking(text="?", words=""))).values():
            assert all(np.isfinite(values).all() and values.shape == (len(rows),) for values in group.values())


def test_min_similarity_never_drops_a_lexical_hit() -> None:
    near = {f"n{i}": place(f"n{i}", 0) for i in range(5)}
    cosines = {key: 0.6 - n / 100 for n, key in enumerate(near)}
    vector = Result("vector", cosines, {"w": -0.2})
    found = order([vector, Result("lexical", {"w": 12.0})], {**near, "w": place("w", 0)}, PLAIN)
    assert set(found) == {*near, "w"}


def test_equal_scores_have_one_order() -> None:
    rows = {key: place(key, 0) for key in "abc"}
    assert order([Result("lexical", {"c": 2.0, "b": 1.0, "a": 1.0})], rows, PLAIN) == ["c", "a", "b"]
    assert order([Result("lexical", {"c": 1.0, "b": 1.0, "a": 1.0})], rows, PLAIN)[:2] == ["a", "b"]


@pytest.mark.parametrize("method", ["weighted", "rrf"])
def test_score_breakdown_has_every_step(method: str) -> None:
    rows = {"a0": place("a", 0), "a1": place("a", 1)}
    found = candidates_of(rows, Result("vector", {"a0": 0.5, "a1": 0.3}), Result("lexical", {"a1": 3.0}))
    settings = RetrievalSettings()
    ranked = rank(
        found,
        method=method,
        weights=settings.weights,
        question=asking(DateMention(2026, 1, 5)),
        settings=settings,
    ).best(2)
    for item in ranked:
        why = item.why
        share = settings.parent_weight
        base = (1 - share) * why.neighbourhood + share * why.parent
        assert why.final == pytest.approx(base + sum(why.boosts.values()) + sum(why.learned.values()))
        assert why.boosts["date"] == 0.2 and set(why.learned) <= {"average", *GROUPS}
        assert why.fusion == method
    best = ranked[0].why
    assert best.arms["lexical"].rank == 1
    assert best.arms["vector"].rank == 2
    assert "lexical" not in ranked[1].why.arms


def test_ranking_works_with_one_retriever() -> None:
    rows = {"a": place("a", 0), "b": place("b", 0)}
    assert order([Result("lexical", {"b": 2.0, "a": 1.0})], rows, PLAIN) == ["b", "a"]
    assert order([], rows, PLAIN) == []


def test_a_title_that_the_question_names_lifts_scores_and_not_probabilities() -> None:
    rows = texts("The harbour is old.", "Rain.", titles=["Kingston (town)", ""])
    found = candidates_of(rows, Result("lexical", {"p0": 2.0, "p1": 1.0}), Result("vector", {"p0": 0.6, "p1": 0.4}))
    calibration = calibration_of("minilm-int8")
    assert calibration is not None

    def first(boost: float) -> Ranked:
        settings = PLAIN.model_copy(update={"title_boost": boost, "trained": False})
        options = {"question": asking(text="Is Kingston old?"), "settings": settings, "calibration": calibration}
        return rank(found, method="weighted", weights=settings.weights, **options).best(2)[0]

    plain, lifted = first(0.0), first(0.15)
    assert lifted.why.final == pytest.approx(plain.why.final + 0.15)
    assert lifted.probability == pytest.approx(plain.probability)
